"""The mathematics the references are made of, in float64 with numpy; nothing here knows a target.

Matrices are `(rows, columns)`, images `(height, width, channels)`, and weights map their rows to their columns, so that
a projection is `x @ w`. Nothing is rounded: what a target's formats lose is the business of its workloads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def normal_cdf(x: F64) -> F64:
    """Return Phi(x), the probability that a standard normal variable is at most x; exact in the tails as well."""
    result: F64 = np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2.0)), otypes=[np.float64])(x)
    return result


def sigmoid(x: F64) -> F64:
    """Return 1 / (1 + exp(-x)), for large |x| as well."""
    return np.exp(-np.logaddexp(0.0, -x))


def silu(x: F64) -> F64:
    """Return x sigmoid(x)."""
    return x * sigmoid(x)


def relu(x: F64) -> F64:
    """Return max(x, 0)."""
    return np.maximum(x, 0.0)


def gelu(x: F64, approx: str = "erf") -> F64:
    """Return x Phi(x), with Phi the normal distribution function or one of its two usual approximations.

    Args:
        x: any shape.
        approx: `erf` (exact), `tanh` or `sigmoid`.

    Source: Hendrycks and Gimpel, arXiv 1606.08415, section 2.

    Raises:
        ValueError: another `approx`.
    """
    if approx == "erf":
        return x * normal_cdf(x)
    if approx == "tanh":
        return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))
    if approx == "sigmoid":
        return x * sigmoid(1.702 * x)
    raise ValueError(f"no approximation {approx!r} of GELU")


ACTIVATIONS: Mapping[str, Callable[[F64], F64]] = {
    "silu": silu,
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": lambda x: gelu(x, "tanh"),
}
"""Activations by name, for the flags of feed-forward networks."""


def softmax(x: F64) -> F64:
    """Return exp(x) / sum exp(x) along the last axis; -inf counts as "not there", as long as one entry is."""
    e: F64 = np.exp(x - np.max(x, axis=-1, keepdims=True))
    total: F64 = np.sum(e, axis=-1, keepdims=True)
    return e / total


def layer_norm(x: F64, eps: float, weight: F64 | None = None, bias: F64 | None = None) -> F64:
    """Return (x - mean) / sqrt(var + eps) along the last axis, times `weight`, plus `bias`.

    The variance is that of the population: divided by the number of elements.
    """
    centred: F64 = x - np.mean(x, axis=-1, keepdims=True)
    y: F64 = centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def rms_norm(x: F64, eps: float, weight: F64 | None = None) -> F64:
    """Return x / sqrt(mean(x**2) + eps) along the last axis, times `weight`."""
    y: F64 = x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + eps)
    return y if weight is None else y * weight


# --- rotary position embedding ---------------------------------------------------------------------------------------


def rotate_half(x: F64) -> F64:
    """Return [-x2, x1] for x = [x1, x2], the two halves of the last axis.

    Raises:
        ValueError: the last axis has an odd length.
    """
    half, odd = divmod(x.shape[-1], 2)
    if odd:
        raise ValueError(f"{x.shape[-1]} columns have no two halves")
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)


def rotation_matrix(d: int) -> F64:
    """Return the (d, d) signed permutation ROT with x @ ROT = rotate_half(x)."""
    return rotate_half(np.eye(d))


def rope_tables(s: int, d: int, base: float = 10000.0) -> tuple[F64, F64]:
    """Return cosines and sines, (s, d) each, for positions 0..s-1; both halves of the columns are equal.

    Column i of a half turns by base**(-2 i / d) radians per position.

    Source: Su et al., RoFormer, arXiv 2104.09864, section 3.2.2.
    """
    angles = np.outer(np.arange(s), base ** (-2.0 * np.arange(d // 2) / d))
    both = np.concatenate([angles, angles], axis=1)
    return np.cos(both), np.sin(both)


def rope(x: F64, cos: F64, sin: F64) -> F64:
    """Return x turned in the planes (i, i + d/2): x cos + rotate_half(x) sin."""
    return x * cos + rotate_half(x) * sin


# --- attention -------------------------------------------------------------------------------------------------------


def attention(q: F64, k: F64, v: F64, scale: float, causal: bool = False) -> F64:
    """Return softmax(scale q k^T) v, row by row.

    Args:
        q: (s, d).
        k: (t, d).
        v: (t, e).
        scale: factor of the scores.
        causal: whether row i sees rows 0..i of k and v only.
    """
    scores = scale * (q @ k.T)
    if causal:
        scores = np.where(np.tri(*scores.shape) > 0, scores, -np.inf)
    return softmax(scores) @ v


def heads(x: F64, count: int) -> list[F64]:
    """Return the heads of a matrix: `count` groups of consecutive columns of equal width.

    Raises:
        ValueError: the columns cannot be divided.
    """
    return list(np.split(x, count, axis=1))


def grouped_attention(
    q: list[F64], k: list[F64], v: list[F64], scale: float | None = None, causal: bool = False
) -> F64:
    """Return the heads' attentions side by side; query head i uses head i // (nq / nkv) of keys and values.

    Args:
        q: the query heads, (s, d) each.
        k: the heads of keys, whose number divides that of `q`.
        v: the heads of values, as many.
        scale: factor of the scores; None for 1 / sqrt(d).
        causal: see `attention`.

    Raises:
        ValueError: the number of heads cannot be divided.
    """
    group, rest = divmod(len(q), len(k))
    if rest:
        raise ValueError(f"{len(q)} query heads cannot share {len(k)} heads of keys and values evenly")
    factor = q[0].shape[1] ** -0.5 if scale is None else scale
    return np.concatenate(
        [attention(head, k[i // group], v[i // group], factor, causal) for i, head in enumerate(q)], axis=1
    )


# --- feed-forward networks -------------------------------------------------------------------------------------------


def swiglu(x: F64, up: F64, gate: F64, down: F64, gate_on: str = "gate") -> F64:
    """Return (silu(x gate) * (x up)) down; with `gate_on="up"` the other projection goes through silu.

    Source: Shazeer, GLU Variants Improve Transformer, arXiv 2002.05202, equation 6.
    """
    through, plain = (x @ gate, x @ up) if gate_on == "gate" else (x @ up, x @ gate)
    return (silu(through) * plain) @ down


# --- convolution -----------------------------------------------------------------------------------------------------


def _windows(x: F64, size: tuple[int, int], stride: int, padding: int) -> F64:
    """Return (OH, OW, channels, KH, KW): what the filter sees at every place of the result."""
    padded = np.pad(x, ((padding, padding), (padding, padding), (0, 0)))
    return sliding_window_view(padded, size, axis=(0, 1))[::stride, ::stride]


def conv2d(x: F64, f: F64, stride: int = 1, padding: int = 0) -> F64:
    """Return the cross-correlation that neural networks call convolution, (OH, OW, CO).

    Args:
        x: (H, W, CI).
        f: (KH, KW, CI, CO).
        stride: steps between windows, both ways.
        padding: zeros on each of the four sides.
    """
    windows = _windows(x, (f.shape[0], f.shape[1]), stride, padding)
    result: F64 = np.einsum("hwcij,ijco->hwo", windows, f)
    return result


def depthwise_conv(x: F64, f: F64, stride: int = 1, padding: int = 0) -> F64:
    """Return a convolution of each channel with its own filter, (OH, OW, C).

    Args:
        x: (H, W, C).
        f: (KH, KW, C).
        stride: steps between windows, both ways.
        padding: zeros on each of the four sides.
    """
    windows = _windows(x, (f.shape[0], f.shape[1]), stride, padding)
    result: F64 = np.einsum("hwcij,ijc->hwc", windows, f)
    return result


# --- sampling --------------------------------------------------------------------------------------------------------


def inverse_confidences(logits: F64) -> F64:
    """Return sum exp(l - max l) along the last axis: 1 over the softmax probability of the largest logit.

    The terms are added in order of size, so that rows with the same logits in another order give exactly the same sum.
    """
    total: F64 = np.sum(np.exp(np.sort(logits, axis=-1) - np.max(logits, axis=-1, keepdims=True)), axis=-1)
    return total
