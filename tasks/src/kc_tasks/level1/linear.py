"""Linear: a fully connected layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks.parts import PRODUCT, switch
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    y = inputs["X"] @ inputs["W"]
    return {"Y": y + inputs["bias"] if flags["bias"] else y}


TASK = Task(
    slug="linear",
    number=10,
    title="Linear",
    level=1,
    category="matmul",
    formula="Y = X W [+ bias]",
    parameters={"n": "rows", "in": "columns of the input", "out": "columns of the result"},
    inputs=(
        Tensor("X", ("n", "in")),
        Tensor("W", ("in", "out"), "weight"),
        Tensor("bias", ("1", "out"), "bias", "added to every row; used with bias"),
    ),
    outputs=(Tensor("Y", ("n", "out"), "result"),),
    families=PRODUCT,
    reference=_reference,
    flags={"bias": switch(True, "whether bias is added")},
)
