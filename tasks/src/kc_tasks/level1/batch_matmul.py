"""BatchMatMul: several products of matrices at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kc_tasks.parts import PRODUCT
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    count = parameters["B"]
    pairs = zip(np.split(inputs["A"], count), np.split(inputs["W"], count), strict=True)
    return {"Y": np.concatenate([a @ w for a, w in pairs])}


TASK = Task(
    slug="batch_matmul",
    number=9,
    title="BatchMatMul",
    level=1,
    category="matmul",
    formula="Y_i = A_i W_i, i = 0..B-1",
    parameters={
        "B": "products",
        "M": "rows of a result",
        "K": "terms of a sum",
        "N": "columns of a result",
    },
    inputs=(
        Tensor("A", ("B * M", "K"), doc="the B left factors, one below the other"),
        Tensor("W", ("B * K", "N"), "weight", "the B right factors, one below the other"),
    ),
    outputs=(Tensor("Y", ("B * M", "N"), "result", "the B results, one below the other"),),
    families=PRODUCT,
    reference=_reference,
    doc="Every product has a right factor of its own.",
)
