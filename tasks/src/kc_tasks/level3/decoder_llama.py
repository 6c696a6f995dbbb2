"""DecoderBlock in the manner of LLaMA: attention and a gated network, each behind an RMSNorm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import (
    CAUSAL,
    COS,
    DECODER,
    EPS,
    GATE_ON,
    NORMALISED,
    SCALE,
    SIN,
    X_HEADS,
    Y_HEADS,
    optional,
    projected_attention,
    projections,
    switch,
)
from kc_tasks.reference import F64
from kc_tasks.tensors import HeadTensor
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    x, nh, weighted = inputs["X"], parameters["nh"], flags["norm_weight"]
    normal = reference.rms_norm(x, flags["eps"], optional(inputs, "w1", weighted))
    x = x + projected_attention({**inputs, "X": normal}, nh, nh, {**flags, "out_proj": True})["Y"]
    normal = reference.rms_norm(x, flags["eps"], optional(inputs, "w2", weighted))
    up, gate, down = (inputs[name] for name in ("Wup", "Wgate", "Wdown"))
    return {"Y": x + reference.swiglu(normal, up, gate, down, flags["gate_on"])}


TASK = Task(
    slug="decoder_llama",
    number=22,
    title="DecoderBlock (LLaMA)",
    level=3,
    category="block",
    formula="X1 = X + MHA(RMSNorm(X)), Y = X1 + SwiGLU(RMSNorm(X1))",
    parameters=DECODER,
    inputs=(
        X_HEADS,
        *projections("Wq", "Wk", "Wv", "Wo"),
        Tensor("Wup", ("h", "hi"), "weight"),
        Tensor("Wgate", ("h", "hi"), "weight"),
        Tensor("Wdown", ("hi", "h"), "weight"),
        HeadTensor("ROT", ("d", "d"), "table", "x ROT = rotate_half(x), for targets that cannot turn rows"),
        COS,
        SIN,
        Tensor("w1", ("1", "h"), "weight", "factor of the columns of the first norm; used with norm_weight"),
        Tensor("w2", ("1", "h"), "weight", "of the second norm"),
    ),
    outputs=(Y_HEADS,),
    families=NORMALISED,
    reference=_reference,
    flags={
        "rotary": switch(True, "whether the heads of queries and keys are turned by their positions (COS, SIN)"),
        "causal": CAUSAL,
        "scale": SCALE,
        "gate_on": GATE_ON,
        "norm_weight": switch(False, "whether the norms multiply by w1 and w2"),
        "eps": EPS,
    },
    doc="MHA with output projection. The reference takes rotate_half itself and does not look at ROT.",
)
