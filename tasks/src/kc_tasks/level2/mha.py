"""MHA: multi-head attention with its projections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks.parts import (
    CAUSAL,
    COS,
    HEADS,
    OUT_PROJ,
    ROTARY,
    SCALE,
    SCORES,
    SIN,
    X_HEADS,
    Y_HEADS,
    projected_attention,
    projections,
)
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return projected_attention(inputs, parameters["nh"], parameters["nh"], flags)


TASK = Task(
    slug="mha",
    number=18,
    title="MHA",
    level=2,
    category="attention",
    formula="Y = concat_i(softmax(Q_i K_i^T * scale) V_i) [Wo], [Q, K, V] = X [Wq, Wk, Wv], scale = 1 / sqrt(h / nh)",
    parameters=HEADS,
    inputs=(X_HEADS, *projections("Wq", "Wk", "Wv", "Wo"), COS, SIN),
    outputs=(Y_HEADS,),
    families=SCORES,
    reference=_reference,
    flags={"out_proj": OUT_PROJ, "scale": SCALE, "causal": CAUSAL, "rotary": ROTARY},
    doc="Head i is columns i * h / nh and up. Wo is used with out_proj, COS and SIN with rotary.",
)
