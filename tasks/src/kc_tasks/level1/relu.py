"""ReLU, the rectified linear unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import ELEMENTWISE, ROWS
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": reference.relu(inputs["X"])}


TASK = Task(
    slug="relu",
    number=2,
    title="ReLU",
    level=1,
    category="activation",
    formula="Y = max(X, 0)",
    parameters=ROWS,
    inputs=(Tensor("X", ("b", "h")),),
    outputs=(Tensor("Y", ("b", "h"), "result"),),
    families=ELEMENTWISE,
    reference=_reference,
    doc="Element by element; a vector of n elements is one row (b = 1, h = n).",
)
