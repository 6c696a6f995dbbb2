"""Golden results of the PLENA workloads: what a straightforward kernel computes, rounded where it must be rounded.

A stage is what the hardware stores to VRAM: it is computed in float64 from bfloat16 inputs, rounded to float32 (the
accumulators and the vector unit) and then to bfloat16. Constants are those of FP_MEM, which holds binary16.

Attention with projections makes K and V on the chip, and matrix operands come from HBM only. A kernel either stores
them, which quantises them to MXFP8, or avoids that by computing (Q Wk^T) X^T and (P X) Wv. Both are right, so there are
four goldens: K and V each exact or stored.

Source: test benches of AICrossSim/PLENA at ecd5acb (stages of the tasks that it has); the others by analogy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kc_plena.mx import dequantise, store_quantise
from kc_plena.numerics import round_bf16, round_f16
from kc_plena.shapes import HEAD, Layout, Parameters
from kc_plena.workloads.draws import ranked, rotate_half

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U32 = NDArray[np.uint32]
Inputs = Mapping[str, F32]
Constants = Sequence[float]

STORED = {"exact": (False, False), "k_stored": (True, False), "v_stored": (False, True), "kv_stored": (True, True)}
"""Variants of attention with projections: whether K and V went through HBM."""


def _stage(x: ArrayLike) -> F32:
    """Return a stage as VRAM holds it."""
    return round_bf16(np.asarray(x, np.float64))


def _matmul(a: F32, b: F32) -> F32:
    return _stage(a.astype(np.float64) @ b.astype(np.float64))


def _stored(x: F32) -> F32:
    """Return `x` as it comes back from HBM."""
    return dequantise(*store_quantise(x))


def _silu(x: F32) -> F64:
    values = x.astype(np.float64)
    return values / (1.0 + np.exp(-values))


def _gelu(x: F32, c: Constants) -> F32:
    """The sigmoid form, as the template computes it: every step is rounded."""
    e = _stage(np.exp(-_stage(c[2] * x.astype(np.float64)).astype(np.float64)))
    return _stage(_stage(1.0 / _stage(1.0 + e.astype(np.float64)).astype(np.float64)).astype(np.float64) * x)


def _softmax(x: F32) -> F32:
    values = x.astype(np.float64)
    e = np.exp(values - values.max(axis=-1, keepdims=True))
    return _stage(e / e.sum(axis=-1, keepdims=True))


def _layernorm(x: F32, eps: float) -> F32:
    values = x.astype(np.float64)
    centred = values - values.mean(axis=-1, keepdims=True)
    return _stage(centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps))


def _rmsnorm(x: F32, eps: float) -> F32:
    values = x.astype(np.float64)
    return _stage(values / np.sqrt((values**2).mean(axis=-1, keepdims=True) + eps))


def _attention(q: F32, k: F32, v: F32, scale: float | None) -> F32:
    """Return softmax(Q K^T scale) V, a stage each; without a scale there is none to apply."""
    scores = _matmul(q, k.T)
    if scale is not None:
        scores = _stage(scale * scores.astype(np.float64))
    return _matmul(_softmax(scores), v)


def _heads(q: F32, k: F32, v: F32, scale: float | None) -> F32:
    """Return the heads' results side by side; query head i uses head i // group of K and V."""
    group = q.shape[1] // k.shape[1]
    parts = []
    for head in range(q.shape[1] // HEAD):
        own, shared = slice(HEAD * head, HEAD * (head + 1)), slice(HEAD * (head // group), HEAD * (head // group + 1))
        parts.append(_attention(q[:, own], k[:, shared], v[:, shared], scale))
    return np.concatenate(parts, axis=1)


def _rope(x: F32, rotated: F32, cos: F32, sin: F32) -> F32:
    first = _stage(x.astype(np.float64) * cos)
    return _stage(first.astype(np.float64) + _stage(rotated.astype(np.float64) * sin))


def _rope_heads(x: F32, cos: F32, sin: F32) -> F32:
    """Return every head of 64 columns rotated by its position."""
    heads = x.reshape(x.shape[0], -1, HEAD)
    rotated = _stage(rotate_half(heads))
    return _rope(heads, rotated, cos[:, None, :], sin[:, None, :]).reshape(x.shape)


def _sum(x: F32, y: F32) -> F32:
    return _stage(x.astype(np.float64) + y)


def _kv(k: F32, v: F32, stored: tuple[bool, bool]) -> tuple[F32, F32]:
    return _stored(k) if stored[0] else k, _stored(v) if stored[1] else v


# ---------------------------------------------------------------------------------------------------------------- tasks


def _linear(x: Inputs, p: Parameters, c: Constants) -> F32:
    return _sum(_matmul(x["X"], x["W"]), x["bias"])


def _batch_matmul(x: Inputs, p: Parameters, c: Constants) -> F32:
    a, w = x["A"].reshape(p["B"], p["M"], p["K"]), x["W"].reshape(p["B"], p["K"], p["N"])
    return np.concatenate([_matmul(*pair) for pair in zip(a, w, strict=True)])


def _ffn(x: Inputs, p: Parameters, c: Constants) -> F32:
    return _matmul(_stage(_silu(_matmul(x["X"], x["Wup"]))), x["Wdown"])


def _gated(x: F32, up: F32, gate: F32, down: F32) -> F32:
    return _matmul(_stage(_silu(_matmul(x, up)) * _matmul(x, gate)), down)


def _projections(source: F32, x: Inputs) -> tuple[F32, F32, F32]:
    return _matmul(source, x["Wq"]), _matmul(source, x["Wk"]), _matmul(source, x["Wv"])


def _projected(x: Inputs, p: Parameters, c: Constants) -> dict[str, F32]:
    q, k, v = _projections(x["X"], x)
    return {name: _heads(q, *_kv(k, v, stored), c[1]) for name, stored in STORED.items()}


def _llama(x: Inputs, p: Parameters, c: Constants) -> dict[str, F32]:
    eps, scale = c[2], c[4]
    q, k, v = _projections(_rmsnorm(x["X"], eps), x)
    q, k = (_rope_heads(part, x["COS"], x["SIN"]) for part in (q, k))
    found = {}
    for name, stored in STORED.items():
        first = _sum(_matmul(_heads(q, *_kv(k, v, stored), scale), x["Wo"]), x["X"])
        found[name] = _sum(_gated(_rmsnorm(first, eps), x["Wup"], x["Wgate"], x["Wdown"]), first)
    return found


def _t5(x: Inputs, p: Parameters, c: Constants) -> dict[str, F32]:
    eps = c[2]
    q, k, v = _projections(_rmsnorm(x["X"], eps), x)
    found = {}
    for name, stored in STORED.items():
        first = _sum(_matmul(_heads(q, *_kv(k, v, stored), None), x["Wo"]), x["X"])
        hidden = np.maximum(_matmul(_rmsnorm(first, eps), x["Wi"]), 0)
        found[name] = _sum(_matmul(hidden, x["Wff"]), first)
    return found


_SINGLE: dict[str, Callable[[Inputs, Parameters, Constants], F32]] = {
    "silu": lambda x, p, c: _stage(_silu(x["X"])),
    "relu": lambda x, p, c: np.maximum(x["X"], 0),
    "gelu": lambda x, p, c: _gelu(x["X"], c),
    "softmax": lambda x, p, c: _softmax(x["X"]),
    "layernorm": lambda x, p, c: _layernorm(x["X"], c[1]),
    "rmsnorm": lambda x, p, c: _rmsnorm(x["X"], c[1]),
    "gemv": lambda x, p, c: _matmul(x["x"], x["A"].T),
    "gemm": lambda x, p, c: _matmul(x["A"], x["B"]),
    "batch_matmul": _batch_matmul,
    "linear": _linear,
    "ffn": _ffn,
    "swiglu": lambda x, p, c: _gated(x["X"], x["Wup"], x["Wgate"], x["Wdown"]),
    "sdpa": lambda x, p, c: _attention(x["Q"], x["K"], x["V"], c[1]),
    "flash_attention": lambda x, p, c: _attention(x["Q"], x["K"], x["V"], c[1]),
    "rope": lambda x, p, c: _rope(x["X"], x["XROT"], x["COS"], x["SIN"]),
}
_FOUR: dict[str, Callable[[Inputs, Parameters, Constants], dict[str, F32]]] = {
    "mha": _projected,
    "gqa": _projected,
    "mqa": _projected,
    "decoder_llama": _llama,
    "decoder_t5": _t5,
}


def goldens(task: str, inputs: Inputs, p: Parameters, place: Layout) -> dict[str, F32]:
    """Return variant -> golden result, bfloat16-exact float32 of the result's own shape (batches stacked).

    Args:
        task: any task but get_transfer_index.
        inputs: tensors as a kernel sees them, in stored shapes.
        p: parameters of the task.
        place: its layout; the constants are taken from it.
    """
    constants = [round_f16(value) for value in place.fp_mem]
    if task in _FOUR:
        return _FOUR[task](inputs, p, constants)
    return {"bf16": _SINGLE[task](inputs, p, constants)}


def transfer_golden(logits: F32, mask: F32, x: U32, p: Parameters) -> tuple[U32, U32]:
    """Return the tokens after one step and the proposed ones: x and x0, (B, L) uint32 each.

    Args:
        logits: (B * L, V) float32, dequantised; the lowest index wins among equal ones.
        mask: (B, L) float32 of 0 and 1, 1 where a token is still to be chosen.
        x: (B, L) uint32, current tokens.
        p: parameters; `k` tokens of each sequence are chosen.
    """
    masked = mask != 0
    proposed = np.where(masked, logits.argmax(axis=-1).reshape(x.shape), x).astype(np.uint32)
    after = x.copy()
    for row, values in enumerate(logits.reshape(*x.shape, -1)):
        chosen = ranked(values, masked[row])[: p["k"]]
        after[row, chosen] = proposed[row, chosen]
    return after, proposed
