"""How the input families of the tasks become bytes.

`standard` draws every byte equally often, as the reference vectors do. The others take their samples times 32, rounded and
saturated: `large` (deviation 256) and the spikes of `extreme` (about 192) put many elements at -128 and 127, `offset`
lies around 64, `small` is within +-10, `ties` are multiples of 16.

Families whose results would be 0 nearly everywhere are left out: `negative` and `offset_negative` of relu, `small` of swiglu.

Weights, biases and tables do not follow the family. Every family but `standard` gets some values at the edges of the
arithmetic beside its own, see `edges.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kernelcraft_core.tasks import STANDARD, Family

_ELEMENTWISE = ("standard", "offset", "offset_negative", "small", "large", "negative", "sparse", "extreme")
_NORMS = ("standard", "offset", "offset_negative", "small", "large", "sparse", "extreme")
_PRODUCTS = ("standard", "offset", "offset_negative", "small", "negative", "sparse", "extreme")

FAMILIES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("silu", "gelu"), _ELEMENTWISE),
    "relu": ("standard", "offset", "small", "large", "sparse", "extreme"),
    "softmax": ("standard", "offset", "offset_negative", "small", "large", "negative", "ties", "extreme"),
    **dict.fromkeys(("layernorm", "rmsnorm"), _NORMS),
    **dict.fromkeys(("gemv", "gemm", "batch_matmul", "linear", "conv2d", "depthwise_conv"), _PRODUCTS),
    **dict.fromkeys(("ffn", "conv_block"), _PRODUCTS),
    "swiglu": ("standard", "offset", "offset_negative", "negative", "sparse", "extreme"),
}
"""Task -> names of its families, `standard` first."""
UNIT = 32
"""Byte value of a sample of 1."""


def activations(rng: np.random.Generator, family: Family, shape: tuple[int, ...]) -> NDArray[np.int8]:
    """Return int8 values of a shape from a family."""
    if family.name == STANDARD:
        return rng.integers(-128, 128, shape, dtype=np.int8)
    return np.clip(np.rint(UNIT * family.sample(rng, shape)), -128, 127).astype(np.int8)
