"""LayerNorm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import EPS, NORMALISED, ROWS, optional, switch
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    weight = optional(inputs, "w", flags["weight"])
    bias = optional(inputs, "bias", flags["bias"])
    return {"Y": reference.layer_norm(inputs["X"], flags["eps"], weight, bias)}


TASK = Task(
    slug="layernorm",
    number=5,
    title="LayerNorm",
    level=1,
    category="norm",
    formula="Y = (X - mean(X)) / sqrt(var(X) + eps) [* w] [+ bias], per row, population variance",
    parameters=ROWS,
    inputs=(
        Tensor("X", ("b", "h")),
        Tensor("w", ("1", "h"), "weight", "factor of every column; used with weight"),
        Tensor("bias", ("1", "h"), "bias", "summand of every column; used with bias"),
    ),
    outputs=(Tensor("Y", ("b", "h"), "result"),),
    families=NORMALISED,
    reference=_reference,
    flags={
        "eps": EPS,
        "weight": switch(False, "whether the result is multiplied by w"),
        "bias": switch(False, "whether bias is added at the end"),
    },
    doc="A target may hold a w that is not part of the result (a vector of ones): the reference does not look at it.",
)
