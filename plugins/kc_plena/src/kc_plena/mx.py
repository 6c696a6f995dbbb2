"""MXFP8 as PLENA keeps it in HBM: E4M3 elements with one E8M0 scale byte per 8 consecutive elements of a row.

The format differs from the OCP one: subnormal elements step by 2**-10 and end at 7 * 2**-10, half of what a reader of
OCP E4M3 expects, so nothing lies between 0.0068 and 2**-6; exponent 15 is infinity or NaN; scale byte 0 decodes to 0
and 255 to infinity.

Two quantisers write it. The *store* quantiser belongs to `H_STORE_V`; the *host* quantiser prepares HBM images. Both
scale a block by the power of two of its largest element and then choose an exponent before they round the fraction,
so rounding never carries into the next binade: 1.97 becomes 1.875.

Sources: AICrossSim/PLENA at ecd5acb, behavioral_simulator/lib/quantize (decoding, store quantiser) and tools/quant
(host quantiser); AICrossSim/PLENA_Tools, plena_quant; AICrossSim/PLENA_Simulator at f0703b2a for mode "head", and at
0a741bd, transactional_emulator/lib/quantize/src/tensor.rs, for what infinities and NaN become. The host quantiser works
in float32 here; the original sometimes works in the dtype of the tensor, where a logarithm can round up to the next
integer.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kc_plena.layout import BLOCK as BLOCK
from kc_plena.numerics import round_bf16

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

_U32 = np.dtype(np.uint32)
_EIGHT = np.array(8, np.uint16)
_TINY = np.array(1e-9, np.float32)
"""Added before each logarithm by both quantisers, so that zero has one."""
_EXPONENT = np.array(0x7F800000, np.uint32)
_NORMAL = np.array(0x3C800000, np.uint32)
"""Bits of 2**-6, the smallest normal element."""
_ZERO = np.array(0, np.float32)

# ------------------------------------------------------------------------------------------------------------- decoding


def _e4m3() -> F32:
    code = np.arange(256)
    exponent, fraction = code >> 3 & 15, code & 7
    size = np.where(exponent > 0, np.ldexp(1 + fraction / 8, exponent - 7), np.ldexp(fraction / 8, -7))
    size = np.where(exponent < 15, size, np.where(fraction == 0, np.inf, np.nan))
    signed = np.where((code >= 128) & ~np.isnan(size), -size, size)
    return signed.astype(np.float32)


def _e8m0() -> F32:
    byte = np.arange(256)
    value = np.ldexp(1.0, byte - 127)
    value[0], value[255] = 0.0, np.inf
    return value.astype(np.float32)


def _frozen(table: F32) -> F32:
    table.setflags(write=False)
    return table


E4M3 = _frozen(_e4m3())
"""Value of each element byte: (256,) float32, read-only; largest finite 240 (0x77), NaN is 0x7FC00000."""
E8M0 = _frozen(_e8m0())
"""Value of each scale byte: (256,) float32, read-only; 2**(t - 127) for 1..254."""


def _products() -> F32:
    with np.errstate(all="ignore"):
        product = E8M0[:, None] * E4M3[None, :]
    product[np.isnan(product)] = np.nan  # x86 makes 0 * infinity a negative NaN
    return _frozen(round_bf16(product).ravel())


_DECODED = _products()
"""Bfloat16-exact value by scale byte * 256 + element byte: one look-up does product, rounding and special cases."""


def decode_rows(elements: U8, scales: U8, out: F32 | None = None) -> F32:
    """Return the values of `n` rows: E4M3 times E8M0 in float32, rounded to bfloat16. What a prefetch writes.

    The rounding matters only for scale bytes below 4; 0 * infinity is NaN. Shapes are not checked: this is the fast
    path.

    Args:
        elements: (n, 64) uint8.
        scales: (n, 8) uint8, one per 8 elements.
        out: (n, 64) float32, contiguous; a new array when None.

    Returns:
        (n, 64) float32, bfloat16-exact.
    """
    rows, blocks = scales.shape
    upper = scales.astype(np.uint16)
    np.left_shift(upper, _EIGHT, upper)
    index = np.bitwise_or(upper.reshape(rows, blocks, 1), elements.reshape(rows, blocks, BLOCK))
    return _DECODED.take(index.reshape(rows, blocks * BLOCK), None, out, "clip")


def dequantise(codes: U8, scales: U8) -> F32:
    """Return the values of quantised data of any shape, bfloat16-exact.

    Args:
        codes: (..., 8 k) uint8 element bytes.
        scales: (..., k) uint8 scale bytes.

    Returns:
        (..., 8 k) float32.

    Raises:
        ValueError: the shapes do not belong together.
    """
    if scales.ndim == 0 or codes.shape != (*scales.shape[:-1], scales.shape[-1] * BLOCK):
        raise ValueError(f"element bytes {codes.shape} and scale bytes {scales.shape} do not belong together")
    return decode_rows(codes.reshape(-1, BLOCK), scales.reshape(-1, 1)).reshape(codes.shape)


# ----------------------------------------------------------------------------------------------------------- quantising


def _code_table(ties_away: bool) -> U8:
    """Return the magnitude code by the upper 13 bits of a non-negative float32: (8192,) uint8.

    Both roundings look only at whole quarter steps of the fraction, which are the upper five fraction bits of the
    float. A size of 2**-6 or more takes its own exponent (at most 7); a smaller one counts steps of 2**-10. NaN gets
    exponent 0 and fraction 0: in the original both come from converting NaN to an integer.
    """
    with np.errstate(invalid="ignore"):  # some of the patterns are signalling NaN
        size = np.left_shift(np.arange(1 << 13, dtype=np.uint32), 18).view(np.float32).astype(np.float64)
    finite = np.where(np.isfinite(size), size, 1e30)
    exponent = np.where(finite < 2.0**-6, -7, np.minimum(np.frexp(finite)[1] - 1, 7))
    steps = np.where(exponent > -7, np.ldexp(finite, 3 - exponent) - 8, np.ldexp(finite, 10))
    quarters = np.floor(np.clip(steps * 4, 0, 31))
    fraction = np.floor(quarters / 4 + 0.5) if ties_away else np.rint(quarters / 4)
    code = (exponent + 7) * 8 + np.minimum(fraction, 7)
    return np.where(np.isnan(size), 0x38, code).astype(np.uint8)


_AWAY = _code_table(ties_away=True)
_EVEN = _code_table(ties_away=False)
_INVERSE = _frozen(np.ldexp(1.0, 127 - np.arange(256)).astype(np.float32))
"""2**-E by the exponent field of a float32, exact also for E = 127; a product with it is the quotient by 2**E."""
_TOP_EXPONENT = np.array(254, np.uint32)
_EIGHTEEN = np.array(18, np.uint32)
_FRACTION_BITS = np.array(23, np.uint32)
_SEVEN = np.array(7, np.uint8)


def _quantise(x: F32, table: U8) -> tuple[U8, NDArray[np.bool_], U8, F32]:
    """Return magnitude codes, signs (m, 8), exponent fields and largest sizes (m,) of blocks `x`: (m, 8) float32."""
    largest = np.fmax.reduce(np.fabs(x), axis=1)  # fmax passes NaN by, as the original's fold of f32::max does
    # floor(log2(.)) + 127 is the exponent field, for the sum is 2**-30 or more and so never subnormal.
    field = np.add(largest, _TINY).view(_U32) >> _FRACTION_BITS
    np.minimum(field, _TOP_EXPONENT, out=field)
    scaled = np.multiply(x, _INVERSE.take(field)[:, None])
    size = np.fabs(scaled)
    # A size just below a power of two may reach it by the addition of 1e-9; its exponent is then the higher one and its
    # fraction negative, which the clamp makes 0. That is the code of the power itself. Below 2**-6 there is no exponent
    # to choose, and the size counts as it is.
    power = np.add(size, _TINY).view(_U32)
    np.bitwise_and(power, _EXPONENT, power)
    np.multiply(power, np.greater_equal(power, _NORMAL), power)
    index = np.maximum(size.view(_U32), power)
    np.right_shift(index, _EIGHTEEN, index)
    return table.take(index), np.less(scaled, _ZERO), field.astype(np.uint8), largest


def _blocks(x: ArrayLike) -> tuple[F32, tuple[int, ...], tuple[int, ...]]:
    """Return the blocks of `x`: (m, 8), and the shapes of its element bytes and its scale bytes."""
    values = np.asarray(x, np.float32)
    if values.ndim == 0 or values.shape[-1] % BLOCK:
        raise ValueError(f"the last axis must be a multiple of {BLOCK}, shape is {values.shape}")
    return values.reshape(-1, BLOCK), values.shape, (*values.shape[:-1], values.shape[-1] // BLOCK)


def store_quantise(x: ArrayLike, mode: Literal["kc", "head"] = "kc") -> tuple[U8, U8]:
    """Return element and scale bytes as `H_STORE_V` makes them.

    A block whose largest size is 0 gives scale byte 0 and element bytes 0. Else E = floor(log2(largest + 1e-9)) in
    float32, the scale byte is E + 127 (97..254), and each element divided by 2**E is coded; a negative one keeps its
    sign even when its magnitude code is 0.

    Infinities and NaN follow the emulator's conversions, without error or warning: an infinite element makes E 127
    and gets code 0x77 or 0xF7 (read back as infinity); NaN is ignored in the search for the largest and gets 0x38,
    that is +2**E; a block of nothing but NaN and zeros gives zeros.

    Args:
        x: (..., 8 k) float32, usually bfloat16-exact rows of VRAM.
        mode: "kc" rounds fractions to nearest, ties away from zero; "head" cuts them to quarter steps, then ties to
            even.

    Returns:
        (..., 8 k) uint8 element bytes and (..., k) uint8 scale bytes.

    Raises:
        ValueError: the last axis is not a multiple of 8.
    """
    blocks, shape, scale_shape = _blocks(x)
    with np.errstate(all="ignore"):
        codes, negative, field, largest = _quantise(blocks, _AWAY if mode == "kc" else _EVEN)
        live = np.greater(largest, _ZERO)
    np.bitwise_or(codes, np.left_shift(negative.view(np.uint8), _SEVEN), codes)
    np.multiply(codes, live[:, None], codes)
    np.multiply(field, live, field)
    return codes.reshape(shape), field.reshape(scale_shape)


def host_quantise(x: ArrayLike) -> tuple[U8, U8]:
    """Return element and scale bytes as the host tools make them for an HBM image.

    E = floor(log2(largest + 1e-9)) in float32, also for a block of zeros, whose scale byte is 97. Fractions are cut to
    quarter steps, then rounded to nearest, ties to even. A magnitude code of 0 has no sign.

    Args:
        x: (..., 8 k) float32, finite.

    Returns:
        (..., 8 k) uint8 element bytes and (..., k) uint8 scale bytes (97..254).

    Raises:
        ValueError: the last axis is not a multiple of 8, or a value is not finite.
    """
    blocks, shape, scale_shape = _blocks(x)
    if not np.isfinite(blocks).all():
        raise ValueError("the host quantiser takes finite values only")
    with np.errstate(all="ignore"):
        codes, negative, field, _ = _quantise(blocks, _EVEN)
    np.logical_and(negative, codes, negative)
    np.bitwise_or(codes, np.left_shift(negative.view(np.uint8), _SEVEN), codes)
    return codes.reshape(shape), field.reshape(scale_shape)
