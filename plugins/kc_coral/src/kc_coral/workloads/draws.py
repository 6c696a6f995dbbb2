"""Inputs of the Coral workloads: what a draw puts into each array, and the tables that tasks come with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kc_coral.shapes import Layout, shift
from kc_coral.workloads.edges import plant
from kc_coral.workloads.families import activations
from kernelcraft_core.tasks import STANDARD, Family

I8 = NDArray[np.int8]
Ints = NDArray[np.integer]
TABLE_UNIT = 16
"""Byte value of 1 on both sides of an activation's table."""
EXP_UNIT = 32
"""Byte value of 1 in the exponents of softmax; the table holds e**(-d / 32) as a fraction of 2**15."""
EPS = 1e-5
"""Added to the variance where a batch normalisation is folded."""


def _silu(v: float) -> float:
    return v / (1 + math.exp(-v))


def _gelu(v: float) -> float:
    return v * (1 + math.erf(v / math.sqrt(2))) / 2


def activation_table(function: Callable[[float], float]) -> I8:
    """Return f as bytes: entry q + 128 is 16 f(q / 16), rounded half to even and saturated: (256,) int8."""
    values = [TABLE_UNIT * function(q / TABLE_UNIT) for q in range(-128, 128)]
    return np.clip(np.rint(values), -128, 127).astype(np.int8)


def exp_table() -> NDArray[np.uint16]:
    """Return 2**15 e**(-d / 32) for d = 0..255, rounded half to even: (256,) uint16."""
    return np.rint([32768 * math.exp(-d / EXP_UNIT) for d in range(256)]).astype(np.uint16)


def _bias(rng: np.random.Generator, size: int, s: int) -> NDArray[np.int32]:
    """Return biases up to a quarter of a result's range, for a requantisation by `s`."""
    return rng.integers(-(2 ** (s + 5)), 2 ** (s + 5), size, dtype=np.int32)


def folded(rng: np.random.Generator, channels: int, s: int) -> dict[str, NDArray[np.int32]]:
    """Return bias, multiplier and shift of each channel: a batch normalisation brought into integers.

    gamma, beta, mean and variance are drawn in this order. With sc = gamma / sqrt(var + eps), a result is
    sc (sum + bias) / 2**s, and sc = mult / 2**31 * 2**(s - shift).

    Args:
        rng: generator of the draw.
        channels: how many.
        s: shift of a sum of this many terms without the normalisation.
    """
    gamma, beta = rng.uniform(0.5, 1.5, channels), rng.uniform(-1, 1, channels)
    mean, variance = rng.uniform(-1, 1, channels), rng.uniform(0.5, 1.5, channels)
    scale = gamma / np.sqrt(variance + EPS)
    bias = np.rint((beta / scale - mean) * 2.0 ** (s + 5))
    fraction, exponent = np.frexp(scale)
    mult = np.rint(fraction * 2.0**31)
    carried = mult == 2.0**31
    mult, exponent = np.where(carried, mult / 2, mult), exponent + carried
    return {"bias": bias.astype(np.int32), "mult": mult.astype(np.int32), "shift": (s - exponent).astype(np.int32)}


def inputs(task: str, place: Layout, rng: np.random.Generator, family: Family) -> dict[str, Ints]:
    """Return the values of every input array by name; arrays take from the generator in argument order.

    Args:
        task: as in `shapes.TASKS`.
        place: its layout.
        rng: generator of the draw.
        family: distribution of the activations (`x`, `X`, and A of the products of two matrices).

    Raises:
        KeyError: another task.
    """
    special = _SPECIAL[task]
    drawn: dict[str, Ints] = {}
    for array in place.inputs:
        if array.name in drawn:
            continue
        if array.name in special:
            drawn.update(special[array.name](rng, place, array.name))
        elif array.name in ("x", "X") or (array.name == "A" and task != "gemv"):
            drawn[array.name] = activations(rng, family, array.shape)
        else:
            drawn[array.name] = rng.integers(-128, 128, array.shape, dtype=np.int8)
    if family.name != STANDARD:
        plant(task, place, drawn, rng, family.name)
    return drawn


# ------------------------------------------------------------------------------------------------- what is not just bytes

Special = Callable[[np.random.Generator, Layout, str], Mapping[str, Ints]]


def _table(function: Callable[[float], float]) -> Special:
    return lambda rng, place, name: {name: activation_table(function)}


def _exp(rng: np.random.Generator, place: Layout, name: str) -> Mapping[str, Ints]:
    return {name: exp_table()}


def _between(low: int, high: int) -> Special:
    return lambda rng, place, name: {name: rng.integers(low, high, place.symbols["N"], dtype=np.int8)}


def _biases(size: str, s: str = "S") -> Special:
    return lambda rng, place, name: {name: _bias(rng, place.symbols[size], place.symbols[s])}


def _folded(rng: np.random.Generator, place: Layout, name: str) -> Mapping[str, Ints]:
    n = place.symbols
    return folded(rng, n["CO"], shift(n["KS"] ** 2 * n["CI"]) - 1)


_SPECIAL: Mapping[str, Mapping[str, Special]] = {
    "silu": {"lut": _table(_silu)},
    "relu": {},
    "gelu": {"lut": _table(_gelu)},
    "softmax": {"exp": _exp},
    "layernorm": {"gamma": _between(64, 128), "beta": _between(-32, 32)},
    "rmsnorm": {"gamma": _between(64, 128)},
    "gemv": {},
    "gemm": {},
    "batch_matmul": {},
    "linear": {"bias": _biases("HO")},
    "conv2d": {"bias": _biases("CO")},
    "depthwise_conv": {"bias": _biases("C")},
    "ffn": {"b1": _biases("HI", "S1"), "b2": _biases("H", "S2"), "lut": _table(_silu)},
    "swiglu": {"lut": _table(_silu)},
    "conv_block": {"bias": _folded},
}
