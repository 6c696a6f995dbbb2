"""Softmax."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import ROWS
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Flag, Task, Tensor, standard_families


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    x = inputs["X"]
    if flags["axis"] == "all":
        return {"Y": reference.softmax(x.reshape(-1)).reshape(x.shape)}
    return {"Y": reference.softmax(x)}


TASK = Task(
    slug="softmax",
    number=4,
    title="Softmax",
    level=1,
    category="reduction",
    formula="Y[i, j] = exp(X[i, j]) / sum_k exp(X[i, k])",
    parameters=ROWS,
    inputs=(Tensor("X", ("b", "h")),),
    outputs=(Tensor("Y", ("b", "h"), "result"),),
    # A maximum that starts at 0 is wrong for negative rows; without a maximum large inputs overflow.
    families=standard_families("offset", "offset_negative", "small", "large", "negative", "ties", "extreme"),
    reference=_reference,
    flags={
        "axis": Flag("row", ("row", "all"), 'what adds up to 1: "row" every row, "all" the whole array'),
    },
)
