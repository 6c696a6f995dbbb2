"""GQA: grouped-query attention with its projections."""

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
from kc_tasks.tensors import HeadTensor
from kernelcraft_core.tasks import Task


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return projected_attention(inputs, parameters["nh"], parameters["nkv"], flags)


TASK = Task(
    slug="gqa",
    number=19,
    title="GQA",
    level=2,
    category="attention",
    formula="Y = concat_i(softmax(Q_i K_g^T * scale) V_g) [Wo], g = i // (nh / nkv), scale = 1 / sqrt(h / nh)",
    parameters={**HEADS, "nkv": "heads of keys and values; divides nh"},
    inputs=(
        X_HEADS,
        *projections("Wq"),
        HeadTensor("Wk", ("h", "nkv * d"), "weight", "d = h / nh columns for every head"),
        HeadTensor("Wv", ("h", "nkv * d"), "weight", "as Wk"),
        *projections("Wo"),
        COS,
        SIN,
    ),
    outputs=(Y_HEADS,),
    families=SCORES,
    reference=_reference,
    flags={"out_proj": OUT_PROJ, "scale": SCALE, "causal": CAUSAL, "rotary": ROTARY},
    doc="[Q, K, V] = X [Wq, Wk, Wv]. Wo is used with out_proj, COS and SIN with rotary.",
)
