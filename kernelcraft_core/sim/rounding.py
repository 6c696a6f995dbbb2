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
_pack_e = struct.Struct("<e")
_pack_f = struct.Struct("<f")
_e_pack, _e_unpack = _pack_e.pack, _pack_e.unpack
_f_pack, _f_unpack = _pack_f.pack, _pack_f.unpack
_LOW = np.uint32(0x7FFF)
_ONE = np.uint32(1)
_SIXTEEN = np.uint32(16)
_HIGH = np.uint32(0xFFFF0000)
_scratch: dict[tuple[int, ...], NDArray[np.uint32]] = {}


def round_f16(value: float) -> float:
    """Return `value` rounded once to binary16 (ties to even; infinity from 65520 up)."""
    try:
        return _e_unpack(_e_pack(value))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return math.copysign(math.inf, value)


def round_f32(value: float) -> float:
    """Return `value` rounded once to binary32 (ties to even; infinity when too large)."""
    try:
        return _f_unpack(_f_pack(value))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return math.copysign(math.inf, value)


def round_bf16(value: float) -> float:
    """Return `value`, first rounded to binary32, rounded to bfloat16."""
    array = np.array([value], np.float32)
    round_bf16_into(array, array)
    return float(array[0])


def round_bf16_into(source: F32, target: F32) -> None:
    """Write `source` rounded to bfloat16 into `target` (same shape, float32; they may be the same array)."""
    bits = source.view(np.uint32)
    scratch = _scratch.get(bits.shape)
    if scratch is None:
        scratch = _scratch[bits.shape] = np.empty(bits.shape, np.uint32)
    np.right_shift(bits, _SIXTEEN, scratch)
    np.bitwise_and(scratch, _ONE, scratch)
    np.add(scratch, _LOW, scratch)
    np.add(scratch, bits, scratch)
    np.bitwise_and(scratch, _HIGH, target.view(np.uint32))


def round_f16_into(source: F32, target: F32) -> None:
    """Write `source` rounded to binary16 into `target` (float32 arrays)."""
    target[...] = source.astype(np.float16)


SCALAR: dict[str, Callable[[float], float]] = {"f16": round_f16, "f32": round_f32, "bf16": round_bf16}
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
