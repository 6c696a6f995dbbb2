"""GEMV: matrix times vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks.parts import PRODUCT
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": inputs["x"] @ inputs["A"].T}


TASK = Task(
    slug="gemv",
    number=7,
    title="GEMV",
    level=1,
    category="matmul",
    formula="Y[m] = sum_n A[m, n] * x[n]",
    parameters={"M": "rows of the matrix", "N": "columns of the matrix"},
    inputs=(
        Tensor("A", ("M", "N"), "weight"),
        Tensor("x", ("1", "N"), doc="the vector, as one row"),
    ),
    outputs=(Tensor("Y", ("1", "M"), "result", "the vector, as one row"),),
    families=PRODUCT,
    reference=_reference,
)
