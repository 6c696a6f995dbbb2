"""What several tasks share: parameters, flags, input families and tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.reference import F64
from kc_tasks.tensors import ConvTensor, HeadTensor
from kernelcraft_core.tasks import Flag, Tensor, standard_families

# --- parameters ------------------------------------------------------------------------------------------------------

ROWS = {"b": "rows", "h": "columns"}
HIDDEN = {"n": "rows", "h": "columns of input and result", "hi": "columns of the hidden layer"}
HEADS = {"s": "positions", "h": "columns of all heads together", "nh": "heads; divides h"}
DECODER = {**HEADS, "hi": "columns of the hidden layer"}
WINDOW = {
    "KH": "height of the filter",
    "KW": "width of the filter",
    "stride": "steps between windows, in both directions",
    "padding": "zeros on each of the four sides, 0 or more; (KH - 1) / 2 keeps the size",
}
"""Parameters of a convolution's window. The result is OH x OW, with OH = (H + 2 padding - KH) // stride + 1."""

# --- flags -----------------------------------------------------------------------------------------------------------


def switch(default: bool, doc: str) -> Flag:
    """Return a flag that is on or off."""
    return Flag(default, (False, True), doc)


EPS = Flag(1e-6, (), "added under the root, a positive number; published targets use 1e-6 and 1e-5")
SCALE = Flag(None, (), "factor of the scores, a number; None for 1 / sqrt(columns of a head)")
CAUSAL = switch(False, "whether position i sees positions 0..i only")
OUT_PROJ = switch(True, "whether the heads' results go through the output projection Wo")
ROTARY = switch(False, "whether the heads of queries and keys are turned by their positions (COS, SIN)")
GATE_ON = Flag(
    "gate",
    ("gate", "up"),
    'which projection goes through SiLU: "gate" as usual, silu(X Wgate) * (X Wup); "up" swaps the roles',
)


def activation(default: str) -> Flag:
    """Return the flag that chooses an activation."""
    return Flag(default, tuple(reference.ACTIVATIONS), 'which activation; "gelu" is the exact one')


# --- input families --------------------------------------------------------------------------------------------------

ELEMENTWISE = standard_families("offset", "offset_negative", "small", "large", "negative", "sparse", "extreme")
NORMALISED = standard_families("offset", "offset_negative", "small", "large", "sparse", "extreme")
PRODUCT = standard_families("offset", "offset_negative", "small", "negative", "sparse", "extreme")
"""For sums of products: an offset makes partial sums large, zeros and spikes show a term that is left out."""
SCORES = standard_families("offset", "small", "negative", "sparse", "ties", "extreme")
"""For attention: flat and peaked rows of scores, rows whose maximum is negative, equal scores."""

# --- tensors ---------------------------------------------------------------------------------------------------------

COS = HeadTensor("COS", ("s", "d"), "table", "cosines by position and column of a head; both halves equal")
SIN = HeadTensor("SIN", ("s", "d"), "table", "sines, as COS")
X_HEADS = Tensor("X", ("s", "h"))
Y_HEADS = Tensor("Y", ("s", "h"), "result")


def projections(*names: str) -> tuple[Tensor, ...]:
    """Return square weights, `(h, h)` each."""
    return tuple(Tensor(name, ("h", "h"), "weight") for name in names)


def image_result(channels: str) -> Tensor:
    """Return the result of a convolution."""
    return ConvTensor("Y", ("OH", "OW", channels), "result")


def optional(inputs: Mapping[str, F64], name: str, wanted: bool) -> F64 | None:
    """Return an input that a flag asks for, None when it does not.

    Raises:
        KeyError: it is wanted and not given.
    """
    return inputs[name] if wanted else None


def projected_attention(inputs: Mapping[str, F64], nh: int, nkv: int, flags: Mapping[str, Any]) -> dict[str, F64]:
    """Return the result of MHA, GQA and MQA: `nh` heads of queries, `nkv` of keys and values."""
    x = inputs["X"]
    q, k = reference.heads(x @ inputs["Wq"], nh), reference.heads(x @ inputs["Wk"], nkv)
    v = reference.heads(x @ inputs["Wv"], nkv)
    if flags["rotary"]:
        q = [reference.rope(head, inputs["COS"], inputs["SIN"]) for head in q]
        k = [reference.rope(head, inputs["COS"], inputs["SIN"]) for head in k]
    y = reference.grouped_attention(q, k, v, flags["scale"], flags["causal"])
    return {"Y": y @ inputs["Wo"] if flags["out_proj"] else y}
