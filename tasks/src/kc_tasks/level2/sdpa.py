"""Scaled dot-product attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import CAUSAL, SCALE, SCORES
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def attend(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    """Return the attention of Q to K and V, all (s, h)."""
    scale = parameters["h"] ** -0.5 if flags["scale"] is None else flags["scale"]
    return {"Y": reference.attention(inputs["Q"], inputs["K"], inputs["V"], scale, flags["causal"])}


TASK = Task(
    slug="sdpa",
    number=16,
    title="ScaledDotProduct",
    level=2,
    category="attention",
    formula="Y = softmax(Q K^T * scale) V, softmax per row, scale = 1 / sqrt(h)",
    parameters={"s": "positions", "h": "columns of the one head"},
    inputs=(Tensor("Q", ("s", "h")), Tensor("K", ("s", "h")), Tensor("V", ("s", "h"))),
    outputs=(Tensor("Y", ("s", "h"), "result"),),
    families=SCORES,
    reference=attend,
    flags={"scale": SCALE, "causal": CAUSAL},
)
