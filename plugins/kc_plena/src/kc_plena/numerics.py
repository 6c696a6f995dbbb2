"""Number formats of the PLENA vector and scalar units: bfloat16 rows, binary16 scalars, their functions and reductions.

A vector row is a float32 array whose values are exact in bfloat16; a scalar is a Python float exact in binary16. The
vector unit computes in binary32 and rounds once to bfloat16 on write; the scalar unit computes in binary32 and rounds
once to binary16. NaN made here is the quiet NaN 0x7FC00000 (as bfloat16 0x7FC0, as binary16 0x7E00).

Sums, differences and products of scalars need no function: `round_f16(a + b)` equals rounding to binary32 first,
because 24 bits are at least twice 11 plus 2. The exponential does not have this property and takes both steps.

Source: AICrossSim/PLENA at ecd5acb, behavioral_simulator/src/main.rs (machines, register file) and
behavioral_simulator/lib/quantize/src/dtype.rs (conversions). Where those leave an order of summation or the sign of a
zero open, the docstring states this project's choice.
"""

from __future__ import annotations

import math
import struct
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelcraft_core.sim.rounding import round_bf16_bits_into as round_bf16_bits_into
from kernelcraft_core.sim.rounding import round_bf16_into as round_bf16_into
from kernelcraft_core.sim.rounding import round_f16 as round_f16
from kernelcraft_core.sim.rounding import round_f32 as round_f32

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]

_U32 = np.dtype(np.uint32)
_SIXTEEN = np.array(16, np.uint32)

_E_PACK, _E_UNPACK = struct.Struct("<e").pack, struct.Struct("<e").unpack

# ---------------------------------------------------------------------------------------------------- bfloat16 rounding


def round_bf16(x: ArrayLike) -> F32:
    """Return `x` rounded to bfloat16, as a new float32 array of the same shape.

    Rules of `round_bf16_into`, and every NaN becomes 0x7FC00000 with its sign kept.

    Args:
        x: any shape; converted to float32 first (so a float64 input is rounded twice).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.array(x, np.float32)  # a copy
    bits = np.atleast_1d(rounded).view(_U32)  # a view: writing into it writes the copy
    is_nan = np.isnan(rounded)
    if is_nan.any():
        is_nan = np.atleast_1d(is_nan)
        bits[is_nan] = bits[is_nan] & np.uint32(0x80000000) | np.uint32(0x7FC00000)
    round_bf16_bits_into(bits, bits)
    return rounded


def bf16_bits(x: ArrayLike) -> U16:
    """Return the bfloat16 bit patterns of `x` (rounded as by `round_bf16`): uint16, same shape."""
    return np.asarray(round_bf16(x).view(_U32) >> _SIXTEEN, np.uint16)


def from_bf16_bits(bits: ArrayLike) -> F32:
    """Return the values of bfloat16 bit patterns (0..65535): float32, same shape; a NaN keeps its bits."""
    return np.asarray(np.left_shift(np.asarray(bits, np.uint16), _SIXTEEN, dtype=np.uint32)).view(np.float32)


# ------------------------------------------------------------------------------------------------------ scalar rounding


def f16_bits(x: float) -> int:
    """Return the binary16 bit pattern (0..65535) of `x` rounded to binary16; 0x7E00 for NaN."""
    return 0x7E00 if x != x else int.from_bytes(_E_PACK(round_f16(x)), "little")


def from_f16_bits(bits: int) -> float:
    """Return the value of a binary16 bit pattern (0..65535); every NaN pattern gives the quiet NaN."""
    value: float = _E_UNPACK(bits.to_bytes(2, "little"))[0]
    return value if value == value else math.nan


# ---------------------------------------------------------------------------------------------------------- scalar unit


def s_exp(x: float) -> float:
    """Return e**x of a binary16-exact `x`, rounded to binary32 and then to binary16 (infinity above about 11.09).

    Source: AICrossSim/PLENA at ecd5acb, `S_EXP_FP`; later revisions clamp the operand to [-88, 88] first.
    """
    if x > 100.0:  # math.exp raises when it overflows; binary16 has overflowed long before
        return math.inf
    return round_f16(round_f32(math.exp(x)))


def s_reci(x: float) -> float:
    """Return 1 / x of a binary16-exact `x`, rounded to binary16; 1 / +-0 is infinity of that sign.

    Source: AICrossSim/PLENA at ecd5acb, `S_RECI_FP`.
    """
    if x == 0.0:
        return math.copysign(math.inf, x)
    return round_f16(round_f32(1.0 / x))


def s_sqrt(x: float) -> float:
    """Return the square root of a binary16-exact `x`, rounded to binary16; NaN below zero, -0 for -0.

    Source: AICrossSim/PLENA at ecd5acb, `S_SQRT_FP`.
    """
    return math.nan if x < 0.0 else round_f16(round_f32(math.sqrt(x)))


def f_max(a: float, b: float) -> float:
    """Return the larger of two floats, without rounding: a NaN loses against a number, and +0 beats -0.

    `S_MAX_FP`, and the last step of `V_RED_MAX`. Source: AICrossSim/PLENA at ecd5acb uses Rust's `f32::max`, which
    leaves the sign of a zero open; +0 is this project's choice.
    """
    if a > b:
        return a
    if b > a:
        return b
    if a == b:
        return a if a or math.copysign(1.0, a) > 0.0 else b  # equal numbers differ at most in the sign of zero
    return b if a != a else a


# ---------------------------------------------------------------------------------------------------------- vector unit


def _all_bf16() -> F64:
    """Return the value of each bfloat16 bit pattern: (65536,) float64."""
    return from_bf16_bits(np.arange(1 << 16)).astype(np.float64)


def _table(values: F64) -> F32:
    """Return `values` rounded to bfloat16, read-only, NaN as 0x7FC00000.

    Rounding through float32 gives the bits of a single rounding here: no exponential or reciprocal of a bfloat16 lies
    within half a float32 step of a tie without being one (the tests compare all entries with exact arithmetic).
    """
    values[np.isnan(values)] = math.nan
    table = round_bf16(values)
    table.setflags(write=False)
    return table


@cache
def exp_table() -> F32:
    """Return e**x for each bfloat16 bit pattern x: (65536,) float32 of bfloat16-exact values, read-only.

    Built on first use, in float64. Overflow gives infinity, underflow goes through the subnormals to 0.
    """
    with np.errstate(all="ignore"):
        return _table(np.exp(_all_bf16()))


@cache
def reci_table() -> F32:
    """Return 1 / x for each bfloat16 bit pattern x: (65536,) float32 of bfloat16-exact values, read-only.

    Built on first use, in float64. 1 / +-0 is infinity of that sign; sizes above 2**126 give subnormal results.
    """
    with np.errstate(all="ignore"):
        return _table(1.0 / _all_bf16())


def exp_bf16(row: F32, out: F32 | None = None) -> F32:
    """Return e**x of each lane, bfloat16-exact: `V_EXP_V`.

    Args:
        row: float32, any shape, bfloat16-exact (lower bits are ignored).
        out: float32, contiguous, same shape; may be `row`. A new array when None.

    Source: AICrossSim/PLENA at ecd5acb (torch's float32 exponential, then the rounding of the vector SRAM).
    """
    return exp_table().take(np.right_shift(row.view(_U32), _SIXTEEN), None, out, "clip")


def reci_bf16(row: F32, out: F32 | None = None) -> F32:
    """Return 1 / x of each lane, bfloat16-exact: `V_RECI_V`. Arguments and source as for `exp_bf16`."""
    return reci_table().take(np.right_shift(row.view(_U32), _SIXTEEN), None, out, "clip")


def red_sum(row: F32) -> float:
    """Return the sum of all lanes, rounded to binary32.

    `V_RED_SUM` then adds the old register in binary32 and rounds to binary16: `round_f16(round_f32(f + red_sum(row)))`.
    The emulator's order of summation is torch's and unspecified. Here the sum is exact, rounded to float64 and then to
    binary32, so no order shows in the result. A NaN lane, or infinities of both signs, give NaN; no lanes give 0.

    Args:
        row: float32, one dimension, any length.
    """
    try:
        return round_f32(math.fsum(row.tolist()))
    except ValueError:  # infinities of both signs
        return math.nan


def red_max(row: F32) -> float:
    """Return the largest lane; NaN when any lane is NaN; +0 before -0.

    `V_RED_MAX` is `f_max(f, red_max(row))`: a row with a NaN leaves the register as it was, whatever the other lanes
    hold.
    Source: AICrossSim/PLENA at ecd5acb, `reduce_max`: torch's maximum of the row, in which NaN wins, then Rust's
    `f32::max` with the register, in which NaN loses.

    Args:
        row: float32, one dimension, at least one lane.
    """
    largest = float(np.maximum.reduce(row))
    if largest == 0.0:  # numpy, like torch, may return either zero
        return -0.0 if np.signbit(row[row == 0.0]).all() else 0.0
    return largest
