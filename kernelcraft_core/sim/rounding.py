"""Rounding on write: the formats that state is kept in, exact and fast.

bfloat16 is 1-8-7: round to nearest even on the upper 16 bits of a float32; subnormals and signed zeros are kept, overflow
gives infinity, NaN stays NaN. binary16 and binary32 are IEEE 754.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U32 = NDArray[np.uint32]
_E_PACK, _E_UNPACK = struct.Struct("<e").pack, struct.Struct("<e").unpack
_F_PACK, _F_UNPACK = struct.Struct("<f").pack, struct.Struct("<f").unpack
_I_PACK, _I_UNPACK = struct.Struct("<I").pack, struct.Struct("<I").unpack
_U32 = np.dtype(np.uint32)
# 0-d arrays: as operands of a small ufunc call they cost half as much as numpy scalars and a third of Python ints.
_SIXTEEN = np.array(16, np.uint32)
_ONE = np.array(1, np.uint32)
_BELOW_HALF = np.array(0x7FFF, np.uint32)
_HIGH_HALF = np.array(0xFFFF0000, np.uint32)


def round_f16(x: float) -> float:
    """Return `x` rounded once to binary16: ties to even, infinity from 65520 up, subnormals and signed zeros kept."""
    try:
        rounded: float = _E_UNPACK(_E_PACK(x))[0]
    except (OverflowError, struct.error):  # the latter for integers beyond binary64
        return math.inf if x > 0 else -math.inf
    return rounded


def round_f32(x: float) -> float:
    """Return `x` rounded once to binary32: ties to even, infinity when the rounded size exceeds 2**128 - 2**104."""
    try:
        rounded: float = _F_UNPACK(_F_PACK(x))[0]
    except (OverflowError, struct.error):  # the latter for integers beyond binary64
        return math.inf if x > 0 else -math.inf
    return rounded


def round_bf16(value: float) -> float:
    """Return `value`, first rounded to binary32, rounded to bfloat16; NaN stays NaN."""
    try:
        packed = _F_PACK(value)
    except (OverflowError, struct.error):  # the latter for integers beyond binary64
        return math.inf if value > 0 else -math.inf
    if value != value:
        return math.nan
    bits: int = _I_UNPACK(packed)[0]
    bits += 0x7FFF + (bits >> 16 & 1)
    rounded: float = _F_UNPACK(_I_PACK(bits & 0xFFFF0000))[0]
    return rounded


def round_bf16_bits_into(source: U32, target: U32) -> None:
    """Write float32 bit patterns, rounded to bfloat16, into `target`: `round_bf16_into` for callers that keep views.

    Args:
        source: uint32, one dimension or more; bits of float32 values. NaN as for `round_bf16_into`.
        target: uint32, same shape; may be `source`.
    """
    # No buffer is kept between calls: numpy's own cache of small blocks is as fast, and threads cannot meet in it.
    work = np.right_shift(source, _SIXTEEN)
    np.bitwise_and(work, _ONE, work)
    np.add(work, _BELOW_HALF, work)
    np.add(work, source, work)
    np.bitwise_and(work, _HIGH_HALF, target)


def round_bf16_into(source: F32, target: F32) -> None:
    """Write `source` rounded to bfloat16 into `target`; they may be the same array or overlap.

    Ties to even; overflow gives infinity; subnormals and signed zeros are kept. A NaN keeps its sign and upper bits.
    That holds for every NaN that arithmetic makes of values exact in bfloat16 and of canonical scalars; a NaN with bits set
    in its lower half, which no such value has, may come out as infinity or zero.

    Args:
        source: float32, one dimension or more.
        target: float32, same shape.
    """
    round_bf16_bits_into(source.view(_U32), target.view(_U32))


def round_f16_into(source: F32, target: F32) -> None:
    """Write `source` rounded to binary16 into `target` (float32 arrays)."""
    target[...] = source.astype(np.float16)


SCALAR: dict[str, Callable[[float], float]] = {"f16": round_f16, "f32": round_f32, "bf16": round_bf16}


def to_double(value: float) -> float:
    """Return a number as a float; integers beyond its range become infinities."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _wrap_to(bits: int, signed: bool) -> Callable[[int], int]:
    mask, half = (1 << bits) - 1, 1 << bits - 1 if signed else 0
    return lambda value: (value + half & mask) - half


CELL: dict[str, Callable[..., float]] = {
    **SCALAR,
    "f64": to_double,
    **{
        f"{'i' if signed else 'u'}{bits}": _wrap_to(bits, signed)
        for bits in (8, 16, 32, 64)
        for signed in (False, True)
    },
}
"""How one number becomes an element of an array of a format: rounded, or wrapped."""
ARRAY: dict[str, Callable[[F32, F32], None]] = {"bf16": round_bf16_into, "f16": round_f16_into}
NUMPY: dict[str, type[np.generic]] = {
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "u8": np.uint8,
    "i8": np.int8,
    "u16": np.uint16,
    "i16": np.int16,
    "u32": np.uint32,
    "i32": np.int32,
    "u64": np.uint64,
    "i64": np.int64,
}
"""numpy dtype that holds values of a format in an array (bfloat16 values live in float32)."""


def storage(dtype: str) -> type[np.generic]:
    """Return the numpy dtype of state arrays of format `dtype`: narrow floats are held in float32."""
    return np.float32 if dtype in ("f16", "bf16", "f32") else NUMPY[dtype]
