"""SwiGLU: a gated feed-forward network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import GATE_ON, HIDDEN, PRODUCT
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": reference.swiglu(inputs["X"], inputs["Wup"], inputs["Wgate"], inputs["Wdown"], flags["gate_on"])}


TASK = Task(
    slug="swiglu",
    number=15,
    title="SwiGLU",
    level=2,
    category="mlp",
    formula="Y = (silu(X Wgate) * (X Wup)) Wdown",
    parameters=HIDDEN,
    inputs=(
        Tensor("X", ("n", "h")),
        Tensor("Wup", ("h", "hi"), "weight"),
        Tensor("Wgate", ("h", "hi"), "weight"),
        Tensor("Wdown", ("hi", "h"), "weight"),
    ),
    outputs=(Tensor("Y", ("n", "h"), "result"),),
    families=PRODUCT,
    reference=_reference,
    flags={"gate_on": GATE_ON},
)
