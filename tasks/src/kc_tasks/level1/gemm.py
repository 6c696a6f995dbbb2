"""GEMM: matrix times matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks.parts import PRODUCT
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": inputs["A"] @ inputs["B"]}


TASK = Task(
    slug="gemm",
    number=8,
    title="GEMM",
    level=1,
    category="matmul",
    formula="Y[m, n] = sum_k A[m, k] * B[k, n]",
    parameters={"M": "rows of the result", "K": "terms of a sum", "N": "columns of the result"},
    inputs=(Tensor("A", ("M", "K")), Tensor("B", ("K", "N"), "weight")),
    outputs=(Tensor("Y", ("M", "N"), "result"),),
    families=PRODUCT,
    reference=_reference,
)
