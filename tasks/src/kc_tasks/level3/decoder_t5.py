"""DecoderBlock in the manner of T5: attention, on demand attention to an encoder, and a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import (
    CAUSAL,
    DECODER,
    EPS,
    NORMALISED,
    X_HEADS,
    Y_HEADS,
    activation,
    optional,
    projections,
    switch,
)
from kc_tasks.reference import ACTIVATIONS, F64
from kernelcraft_core.tasks import Task, Tensor


def _attend(queries: F64, keys: F64, weights: list[F64], nh: int, flags: Mapping[str, Any], causal: bool) -> F64:
    """Return attention of `queries` to `keys`, (s, h) each; `weights`: of queries, keys, values, and the output."""
    wq, wk, wv, wo = weights
    q, k, v = (reference.heads(y, nh) for y in (queries @ wq, keys @ wk, keys @ wv))
    return reference.grouped_attention(q, k, v, None if flags["scale_scores"] else 1.0, causal) @ wo


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    def norm(y: F64, weight: str) -> F64:
        return reference.rms_norm(y, flags["eps"], optional(inputs, weight, flags["norm_weight"]))

    x, nh = inputs["X"], parameters["nh"]
    normal = norm(x, "w1")
    x = x + _attend(normal, normal, [inputs[w] for w in ("Wq", "Wk", "Wv", "Wo")], nh, flags, flags["causal"])
    if flags["cross"]:
        weights = [inputs[w] for w in ("Cq", "Ck", "Cv", "Co")]
        x = x + _attend(norm(x, "wc"), inputs["E"], weights, nh, flags, causal=False)
    normal = norm(x, "w2")
    hidden = ACTIVATIONS[flags["activation"]](normal @ inputs["Wi"])
    if flags["gated"]:
        hidden = hidden * (normal @ inputs["Wlin"])
    return {"Y": x + hidden @ inputs["Wff"]}


TASK = Task(
    slug="decoder_t5",
    number=23,
    title="DecoderBlock (T5)",
    level=3,
    category="block",
    formula="X1 = X + MHA(RMSNorm(X)) [, X1 := X1 + MHA(RMSNorm(X1), E)], Y = X1 + activation(RMSNorm(X1) Wi) Wff",
    parameters=DECODER,
    inputs=(
        X_HEADS,
        *projections("Wq", "Wk", "Wv", "Wo"),
        Tensor("Wi", ("h", "hi"), "weight"),
        Tensor("Wff", ("hi", "h"), "weight"),
        Tensor("E", ("s", "h"), doc="the encoder's result; used with cross, as are Cq, Ck, Cv and Co"),
        *projections("Cq", "Ck", "Cv", "Co"),
        Tensor("Wlin", ("h", "hi"), "weight", "the linear half of the gated network; used with gated"),
        Tensor("w1", ("1", "h"), "weight", "factor of the columns of the first norm; used with norm_weight"),
        Tensor("wc", ("1", "h"), "weight", "of the norm before the attention to E"),
        Tensor("w2", ("1", "h"), "weight", "of the norm before the network"),
    ),
    outputs=(Y_HEADS,),
    families=NORMALISED,
    reference=_reference,
    flags={
        "causal": switch(False, CAUSAL.doc + "; attention to E always sees all"),
        "scale_scores": switch(False, "whether scores are divided by sqrt(columns of a head); T5 does not"),
        "cross": switch(False, "whether there is attention to the encoder's result E as well"),
        "activation": activation("relu"),
        "gated": switch(False, "whether the network is gated: (activation(n Wi) * (n Wlin)) Wff"),
        "norm_weight": switch(False, "whether the norms multiply by w1, wc and w2"),
        "eps": EPS,
    },
    doc="MHA with output projection and without relative position bias.",
)
