"""Golden results of the Coral workloads: exact integers.

All sums fit 32 bits for every input a workload can draw, so that int64 arithmetic here gives what the machine's 32-bit
arithmetic gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from kc_coral.shapes import Layout

I64 = NDArray[np.int64]
Values = Mapping[str, NDArray[np.integer]]
Sizes = Mapping[str, int]


def rounded(v: I64, s: int | I64) -> I64:
    """Return v / 2**s, rounded half up; s >= 0, one for all or one each. `vssra` with vxrm = 0 does this."""
    result: I64 = (v + ((np.int64(1) << s) >> 1)) >> s
    return result


def saturated(v: I64) -> I64:
    """Return v, limited to -128..127."""
    return np.clip(v, -128, 127)


def multiplied(v: I64, mult: int | I64) -> I64:
    """Return v mult / 2**31, rounded half up and limited to 32 bits. `vsmul` with vxrm = 0 does this.

    Args:
        v: within 32 bits.
        mult: within 32 bits, one for all or one for each channel (last axis).
    """
    product: I64 = (v * mult + 2**30) >> 31
    return np.clip(product, -(2**31), 2**31 - 1)


def requantised(v: I64, mult: int | I64, s: int | I64) -> I64:
    """Return v mult / 2**(31 + s), rounded in both steps."""
    return rounded(multiplied(v, mult), s)


def golden(task: str, values: Values, place: Layout) -> NDArray[np.int8]:
    """Return the result of a task, in the shape of its output.

    Args:
        task: as in `shapes.TASKS`.
        values: input arrays by name.
        place: the layout; its symbols are the sizes.

    Raises:
        KeyError: another task.
    """
    wide = {name: array.astype(np.int64) for name, array in values.items()}
    result = _GOLDENS[task](wide, place.symbols)
    return result.astype(np.int8).reshape(place.output.shape)


Wide = Mapping[str, I64]


def _relu(v: Wide, n: Sizes) -> I64:
    return np.maximum(v["x"], 0)


def _table(v: Wide, n: Sizes) -> I64:
    return v["lut"][v["x"] + 128]


def shares(e: I64) -> I64:
    """Return what part of its row's sum each element is, 0..1 as -128..127: (rows, columns)."""
    total = e.sum(axis=1, keepdims=True)
    result: I64 = (255 * e + total // 2) // total - 128
    return result


def _softmax(v: Wide, n: Sizes) -> I64:
    return shares(v["exp"][v["x"].max(axis=1, keepdims=True) - v["x"]])


def _normalised(d: I64, log2: int) -> I64:
    """Return 32 d / sqrt(mean d**2) in the integer steps of the norms."""
    variance = int(rounded((d * d).sum(), log2))
    q = max(1, math.isqrt(256 * variance))
    return rounded(d * (2**20 // q), 11)


def _layernorm(v: Wide, n: Sizes) -> I64:
    d = v["x"] - rounded(v["x"].sum(), n["L"])
    return saturated(rounded(_normalised(d, n["L"]) * v["gamma"], 7) + v["beta"])


def _rmsnorm(v: Wide, n: Sizes) -> I64:
    return saturated(rounded(_normalised(v["x"], n["L"]) * v["gamma"], 7))


def _gemv(v: Wide, n: Sizes) -> I64:
    return saturated(rounded(v["A"] @ v["x"], n["S"]))


def _gemm(v: Wide, n: Sizes) -> I64:
    return saturated(rounded(v["A"] @ v["B"], n["S"]))


def dense(x: I64, w: I64, bias: I64 | int, s: int, mult: int) -> I64:
    """Return a fully connected layer; rows of `w` belong to columns of the result."""
    return saturated(requantised(x @ w.T + bias, mult, s))


def _linear(v: Wide, n: Sizes) -> I64:
    return dense(v["X"], v["W"], v["bias"], n["S"], n["MUL"])


def _windows(x: I64, ks: int) -> I64:
    """Return the zero-padded windows of an image (H, H, C): (H, H, C, ks, ks)."""
    edge = (ks - 1) // 2
    return sliding_window_view(np.pad(x, ((edge, edge), (edge, edge), (0, 0))), (ks, ks), axis=(0, 1))


def convolved(v: Wide, n: Sizes) -> I64:
    """Return the sums of a convolution, the bias in them: (H, H, CO)."""
    sums: I64 = np.einsum("yxcrs,rsco->yxo", _windows(v["X"], n["KS"]), v["W"])
    return sums + v["bias"]


def _conv2d(v: Wide, n: Sizes) -> I64:
    return saturated(requantised(convolved(v, n), n["MUL"], n["S"]))


def depthwise(v: Wide, n: Sizes) -> I64:
    """Return the sums of a depthwise convolution, the bias in them: (H, H, C)."""
    sums: I64 = np.einsum("yxcrs,rsc->yxc", _windows(v["X"], n["KS"]), v["W"])
    return sums + v["bias"]


def _depthwise_conv(v: Wide, n: Sizes) -> I64:
    return saturated(requantised(depthwise(v, n), n["MUL"], n["S"]))


def _conv_block(v: Wide, n: Sizes) -> I64:
    return np.clip(requantised(convolved(v, n), v["mult"], v["shift"]), 0, 127)


def _ffn(v: Wide, n: Sizes) -> I64:
    inner = v["lut"][dense(v["X"], v["W1"], v["b1"], n["S1"], n["MUL"]) + 128]
    return dense(inner, v["W2"], v["b2"], n["S2"], n["MUL"])


def hidden(v: Wide, n: Sizes) -> I64:
    """Return the hidden layer of swiglu: (N, HI), bytes."""
    gate, up = (dense(v["X"], v[name], 0, n["S1"], n["MUL"]) for name in ("Wg", "Wu"))
    return saturated(rounded(v["lut"][gate + 128] * up, 7))


def _swiglu(v: Wide, n: Sizes) -> I64:
    return dense(hidden(v, n), v["Wd"], 0, n["S2"], n["MUL"])


_GOLDENS: Mapping[str, Callable[[Wide, Sizes], I64]] = {
    "silu": _table,
    "relu": _relu,
    "gelu": _table,
    "softmax": _softmax,
    "layernorm": _layernorm,
    "rmsnorm": _rmsnorm,
    "gemv": _gemv,
    "gemm": _gemm,
    "batch_matmul": _gemm,
    "linear": _linear,
    "conv2d": _conv2d,
    "depthwise_conv": _depthwise_conv,
    "ffn": _ffn,
    "swiglu": _swiglu,
    "conv_block": _conv_block,
}
