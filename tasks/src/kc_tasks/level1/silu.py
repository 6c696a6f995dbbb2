"""SiLU, also called swish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import ELEMENTWISE, ROWS
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": reference.silu(inputs["X"])}


TASK = Task(
    slug="silu",
    number=1,
    title="SiLU",
    level=1,
    category="activation",
    formula="Y = X * sigmoid(X), sigmoid(x) = 1 / (1 + exp(-x))",
    parameters=ROWS,
    inputs=(Tensor("X", ("b", "h")),),
    outputs=(Tensor("Y", ("b", "h"), "result"),),
    families=ELEMENTWISE,
    reference=_reference,
    doc="Element by element; a vector of n elements is one row (b = 1, h = n).",
)
