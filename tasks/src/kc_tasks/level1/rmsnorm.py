"""RMSNorm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import EPS, NORMALISED, ROWS, optional, switch
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": reference.rms_norm(inputs["X"], flags["eps"], optional(inputs, "w", flags["weight"]))}


TASK = Task(
    slug="rmsnorm",
    number=6,
    title="RMSNorm",
    level=1,
    category="norm",
    formula="Y = X / sqrt(mean(X^2) + eps) [* w], per row",
    parameters=ROWS,
    inputs=(
        Tensor("X", ("b", "h")),
        Tensor("w", ("1", "h"), "weight", "factor of every column; used with weight"),
    ),
    outputs=(Tensor("Y", ("b", "h"), "result"),),
    families=NORMALISED,
    reference=_reference,
    flags={"eps": EPS, "weight": switch(False, "whether the result is multiplied by w")},
    doc="A target may hold a w that is not part of the result (a vector of ones): the reference does not look at it.",
)
