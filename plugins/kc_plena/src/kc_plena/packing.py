"""HBM images of workloads, and the layout of activations in VRAM.

An image is the concatenation of packed tensors. A packed tensor has its element bytes first, row-major, each row padded
with zeros to a multiple of 8 columns; then its scale bytes, one per 8 elements in the same order; both parts are padded
with zero bytes to a multiple of 64. Addresses are in bytes; an element is one byte.

Source: AICrossSim/PLENA at ecd5acb, tools/memory_mapping; AICrossSim/PLENA_Tools, memory_mapping.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kc_plena.layout import BLOCK
from kc_plena.layout import ceil64 as ceil64
from kc_plena.layout import packed_bytes as packed_bytes
from kc_plena.mx import dequantise, host_quantise

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

LANES = 64
"""Features per column block of an activation, lanes of a VRAM row."""


def _padded(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return rows and padded columns of a tensor; a tensor of one dimension is one row."""
    if not shape:
        raise ValueError("a tensor in HBM has at least one dimension")
    return math.prod(shape[:-1]), -(-shape[-1] // BLOCK) * BLOCK


def _quantise(x: ArrayLike) -> tuple[U8, U8, tuple[int, ...]]:
    values = np.asarray(x, np.float32)
    rows, columns = _padded(values.shape)
    padded = np.zeros((rows, columns), np.float32)
    padded[:, : values.shape[-1]] = values.reshape(rows, values.shape[-1])
    return (*host_quantise(padded), values.shape)


def _pack(codes: U8, scales: U8) -> U8:
    scale_start = ceil64(codes.size)
    data = np.zeros(packed_bytes(codes.size), np.uint8)
    data[: codes.size] = codes.ravel()
    data[scale_start : scale_start + scales.size] = scales.ravel()
    return data


def pack_tensor(x: ArrayLike) -> U8:
    """Return the packed bytes of a tensor, quantised by the host quantiser: (packed_bytes(n),) uint8.

    Args:
        x: float32, at least one dimension, finite. Blocks of 8 run along the last axis; leading axes are flattened.

    Raises:
        ValueError: no dimension, or a value that is not finite.
    """
    codes, scales, _ = _quantise(x)
    return _pack(codes, scales)


def unpack_tensor(data: U8, shape: tuple[int, ...]) -> F32:
    """Return the values of a tensor packed at the start of `data`: float32 of `shape`, bfloat16-exact.

    Args:
        data: (m,) uint8, at least as long as the packed tensor.
        shape: the tensor's shape, without row padding; at least one dimension.

    Raises:
        ValueError: `data` is too short, or `shape` is empty.
    """
    rows, columns = _padded(shape)
    n = rows * columns
    if data.size < packed_bytes(n):
        raise ValueError(f"a tensor of shape {shape} takes {packed_bytes(n)} bytes, there are {data.size}")
    start = ceil64(n)
    codes = data[:n].reshape(rows, columns)
    scales = data[start : start + n // BLOCK].reshape(rows, columns // BLOCK)
    return dequantise(codes, scales)[:, : shape[-1]].reshape(shape)


@dataclass(frozen=True)
class HbmImage:
    """Packed tensors from HBM address 0 on; the next free byte is `data.size`, a multiple of 64.

    Attributes:
        data: (m,) uint8.
        offsets: byte address of each tensor's first element, multiple of 64.
        scales: byte address of each tensor's first scale, multiple of 64. SCALE_REG is the difference to `offsets` when
            the tensor has an address register of its own, and `scales - offsets // 8` with base 0.
        values: what a prefetch reads back: float32 of the tensor's shape, bfloat16-exact.
    """

    data: U8
    offsets: Mapping[str, int]
    scales: Mapping[str, int]
    values: Mapping[str, F32]


def build_image(tensors: Iterable[tuple[str, ArrayLike]]) -> HbmImage:
    """Return the HBM image of named tensors, in their order.

    Args:
        tensors: (name, array) pairs; arrays as for `pack_tensor`, names unique.

    Raises:
        ValueError: a name occurs twice, or an array cannot be packed.
    """
    parts: list[U8] = []
    offsets: dict[str, int] = {}
    scale_offsets: dict[str, int] = {}
    values: dict[str, F32] = {}
    end = 0
    for name, x in tensors:
        if name in offsets:
            raise ValueError(f"tensor {name!r} occurs twice")
        codes, scales, shape = _quantise(x)
        offsets[name] = end
        scale_offsets[name] = end + ceil64(codes.size)
        values[name] = dequantise(codes, scales)[:, : shape[-1]].reshape(shape)
        parts.append(_pack(codes, scales))
        end += parts[-1].size
    data = np.concatenate(parts) if parts else np.zeros(0, np.uint8)
    return HbmImage(data, MappingProxyType(offsets), MappingProxyType(scale_offsets), MappingProxyType(values))


def to_column_blocks(x: ArrayLike) -> F32:
    """Return an activation as VRAM rows: all rows of features 0..63, then all rows of features 64..127, and so on.

    Element (r, c) lies at (c // 64) * b * 64 + r * 64 + c % 64 from the activation's address.

    Args:
        x: (b, h) float32, h a multiple of 64.

    Returns:
        (h / 64 * b, 64) float32, contiguous, a copy.

    Raises:
        ValueError: `x` has not two dimensions, or h is not a multiple of 64.
    """
    values = np.asarray(x, np.float32)
    if values.ndim != 2 or values.shape[1] % LANES:
        raise ValueError(f"an activation is (b, h) with h a multiple of {LANES}, not {values.shape}")
    b, h = values.shape
    return np.array(values.reshape(b, h // LANES, LANES).transpose(1, 0, 2)).reshape(-1, LANES)


def from_column_blocks(rows: ArrayLike, b: int, h: int) -> F32:
    """Return the activation (b, h) held by VRAM rows: the inverse of `to_column_blocks`.

    Args:
        rows: (h / 64 * b, 64) float32.
        b: rows of the activation.
        h: features, a multiple of 64.

    Returns:
        (b, h) float32, contiguous, a copy.

    Raises:
        ValueError: the shapes do not belong together.
    """
    values = np.asarray(rows, np.float32)
    if h % LANES or values.shape != (h // LANES * b, LANES):
        raise ValueError(f"VRAM rows {values.shape} do not hold an activation ({b}, {h})")
    return np.array(values.reshape(h // LANES, b, LANES).transpose(1, 0, 2)).reshape(b, h)
