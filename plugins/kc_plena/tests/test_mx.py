"""MXFP8 decoding and the quantisers, against facts and a per-element implementation on fractions."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kc_plena.mx import E4M3, E8M0, decode_rows, dequantise, host_quantise, store_quantise
from kc_plena.numerics import bf16_bits, round_bf16

pytestmark = pytest.mark.filterwarnings("error")

INF, NAN = math.inf, math.nan


def hexes(text: str) -> list[int]:
    return [int(word, 16) for word in text.split()]


def block(*values: float) -> np.ndarray:
    """Return a block of 8 float32, filled up with zeros."""
    return np.array([*values, *[0.0] * (8 - len(values))], np.float32)


# ------------------------------------------------------------------ the rules once more, one element at a time, exactly


def exponent_of(value: Fraction) -> int:
    """Return floor(log2(value)) of a positive fraction."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def nearest(value: Fraction, digits: int) -> Fraction | float:
    """Return the nearest number with 8 exponent bits and so many significant bits; ties to even."""
    if value == 0:
        return Fraction(0)
    step = Fraction(2) ** (max(exponent_of(abs(value)), -126) - digits + 1)
    size = round(abs(value) / step) * step
    if size >= Fraction(2) ** 128:
        return math.copysign(math.inf, value)
    return size if value > 0 else -size


def single(value: Fraction) -> Fraction:
    """Return the nearest float32, which must be finite."""
    result = nearest(value, 24)
    assert isinstance(result, Fraction)
    return result


TINY = single(Fraction(1e-9))


def hwround(x: Fraction) -> int:
    return round(Fraction(math.floor(4 * x), 4))


def away(x: Fraction) -> int:
    return math.floor(x + Fraction(1, 2))


def element_code(y: Fraction, rounding) -> int:
    a = abs(y)
    ex = min(max(exponent_of(single(a + TINY)), -7), 7)
    scaled = a / Fraction(2) ** ex
    k = min(max(rounding((scaled - 1 if ex > -7 else scaled) * 8), 0), 7)
    return (ex + 7) << 3 | k


def slow_host(values: list[float]) -> tuple[list[int], int]:
    xs = [Fraction(v) for v in values]
    e = min(max(exponent_of(single(max(map(abs, xs)) + TINY)), -128), 127)
    codes = []
    for x in xs:
        y = single(x / Fraction(2) ** e)
        code = element_code(y, hwround)
        codes.append(code | 0x80 if y < 0 and code else code)
    return codes, e + 127


def slow_store(values: list[float], rounding) -> tuple[list[int], int]:
    xs = [Fraction(v) for v in values]
    largest = max(map(abs, xs))
    if largest == 0:
        return [0] * 8, 0
    e = min(max(exponent_of(single(largest + TINY)), -127), 127)
    codes = []
    for x in xs:
        y = single(x / Fraction(2) ** e)
        codes.append(element_code(y, rounding) | (0x80 if y < 0 else 0))
    return codes, e + 127


def slow_value(code: int, scale: int) -> float:
    """Return the float32 a prefetch writes."""
    sign, e, m = -1 if code >> 7 else 1, code >> 3 & 15, code & 7
    if e == 15:
        element = NAN if m else sign * INF
    else:
        element = sign * float((1 + Fraction(m, 8)) * Fraction(2) ** (e - 7) if e else Fraction(m, 8) / 128)
    factor = 0.0 if scale == 0 else INF if scale == 255 else 2.0 ** (scale - 127)
    product = element * factor  # exact in float64
    if not math.isfinite(product) or 8 < scale < 240:  # then far from both ends of the range, so nothing to round
        return product
    in_single = nearest(Fraction(product), 24)
    result = nearest(in_single, 8) if isinstance(in_single, Fraction) else in_single
    return math.copysign(float(result), product)


def value_of(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def finite(bits: int) -> bool:
    return bits & 0x7F800000 != 0x7F800000


EDGES = [
    0,
    0x80000000,
    1,
    0x7F7FFFFF,
    0x7F7F0000,
    0x00800000,
    0x3089705F,
    0x30800000,
    0x3F7FFFFF,
    0x3C7FFFFF,
    0x3CFFFFFF,
]
SINGLES = st.one_of(
    st.integers(0, 2**32 - 1).filter(finite).map(value_of),  # any exponent
    st.floats(-4, 4, width=32),
    st.floats(-(2.0**-20), 2.0**-20, width=32),  # where the 1e-9 matters
    st.sampled_from(EDGES).map(value_of),
)
NEAR_STEPS = st.builds(  # beside the quarter steps and the powers of two
    lambda steps, ulps, e: value_of(((e + 127) << 23 | steps << 18) + ulps),
    st.integers(0, 31),
    st.integers(-1, 1),
    st.integers(-12, 3),
)
BF16_VALUES = st.integers(0, 65535).map(lambda u: u << 16).filter(finite).map(value_of)
BLOCKS = st.one_of(
    *[st.lists(values, min_size=8, max_size=8) for values in (SINGLES, NEAR_STEPS, BF16_VALUES)],
    st.lists(st.integers(0x3A80, 0x4180).map(lambda u: value_of(u << 16)), min_size=8, max_size=8),
)

# ------------------------------------------------------------------------------------------------------------- decoding


@pytest.mark.parametrize(
    ("code", "value"),
    [
        (0x00, 0.0),
        (0x80, -0.0),
        (0x01, 2.0**-10),
        (0x04, 0.00390625),
        (0x07, 0.0068359375),
        (0x87, -0.0068359375),
        (0x08, 2.0**-6),
        (0x38, 1.0),
        (0x39, 1.125),
        (0x3F, 1.875),
        (0xB8, -1.0),
        (0x77, 240.0),
        (0x78, INF),
        (0xF8, -INF),
        (0x79, NAN),
        (0xFF, NAN),
    ],
)
def test_e4m3(code, value):
    np.testing.assert_array_equal(E4M3[code], np.float32(value))
    assert np.signbit(E4M3[code]) == (math.copysign(1, value) < 0)


@pytest.mark.parametrize(
    ("byte", "value"), [(0, 0.0), (1, 2.0**-126), (127, 1.0), (128, 2.0), (254, 2.0**127), (255, INF)]
)
def test_e8m0(byte, value):
    assert E8M0[byte] == value


def test_every_product_of_element_and_scale():
    codes = np.tile(np.arange(256, dtype=np.uint8), 256).reshape(256, 32, 8)
    scales = np.repeat(np.arange(256, dtype=np.uint8), 32).reshape(256, 32)
    values = dequantise(codes.reshape(256, 256), scales)
    expected = np.array([[slow_value(c, s) for c in range(256)] for s in range(256)], np.float32)
    nans = np.isnan(expected)
    np.testing.assert_array_equal(values.view(np.uint32)[~nans], expected.view(np.uint32)[~nans])
    assert (values.view(np.uint32)[nans] == 0x7FC00000).all()
    assert nans.sum() == 254 * 14 + 2 * 16  # NaN elements; with scale 0 the infinities, with 255 the zeros as well
    assert not (values.view(np.uint32) & 0xFFFF).any()


@pytest.mark.parametrize("rows", [1, 4, 64])
def test_decode_rows_agrees_with_dequantise(rows):
    rng = np.random.default_rng(rows)
    elements = rng.integers(0, 256, (rows, 64), np.uint8)
    scales = rng.integers(0, 256, (rows, 8), np.uint8)
    expected = dequantise(elements.reshape(rows, 8, 8), scales.reshape(rows, 8, 1)).reshape(rows, 64)
    np.testing.assert_array_equal(decode_rows(elements, scales), expected)
    target = np.zeros((rows, 64), np.float32)
    assert decode_rows(elements, scales, target) is target
    np.testing.assert_array_equal(target, expected)
    wide = np.zeros((rows, 128), np.uint8)  # rows of a larger tensor, as a strided transfer reads them
    wide[:, 64:] = elements
    np.testing.assert_array_equal(decode_rows(wide[:, 64:], scales), expected)


def test_strided_vector_prefetch():
    r, c = np.indices((4, 128))
    elements = (0x38 + (r + c) % 8).astype(np.uint8)
    scales = (0x7F + np.arange(64) % 4).astype(np.uint8).reshape(4, 16)
    rows = decode_rows(elements[:, 64:], scales[:, 8:])
    assert rows[0, :10].tolist() == [1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875, 2, 2.25]
    assert rows[0, 62:].tolist() == [14, 15]
    assert rows[1, :10].tolist() == [1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875, 1, 2.25, 2.5]
    assert rows[1:, 63].tolist() == [8, 9, 10]
    assert bf16_bits(rows[0, :4]).tolist() == [0x3F80, 0x3F90, 0x3FA0, 0x3FB0]
    assert rows.sum(axis=1).tolist() == [345] * 4


def test_tile_prefetch_strided_and_contiguous():
    hbm = np.zeros((64, 128), np.uint8)
    hbm[np.arange(64), np.arange(64)] = 0x38
    scales = np.full((64, 8), 0x80, np.uint8)
    np.testing.assert_array_equal(decode_rows(hbm[:, :64], scales), 2 * np.eye(64, dtype=np.float32))
    tile = decode_rows(hbm.ravel()[:4096].reshape(64, 64), scales)
    expected = np.zeros((64, 64), np.float32)
    expected[2 * np.arange(32), np.arange(32)] = 2
    np.testing.assert_array_equal(tile, expected)


# ----------------------------------------------------------------------------------------------------------- quantising

ELEMENTS = [
    (1.0, 0x38, 0x38),
    (1.0625, 0x38, 0x39),
    (1.0859375, 0x38, 0x39),
    (1.09375, 0x39, 0x39),
    (1.1875, 0x3A, 0x3A),
    (1.3125, 0x3A, 0x3B),
    (1.328125, 0x3A, 0x3B),
    (1.9375, 0x3F, 0x3F),
    (1.96875, 0x3F, 0x3F),
    (-1.0625, 0xB8, 0xB9),
    (0.015625, 0x08, 0x08),
    (0.0117, 0x07, 0x07),
    (0.0078125, 0x07, 0x07),
    (0.00390625, 0x04, 0x04),
    (0.0004, 0x00, 0x00),
    (1.34, 0x3A, 0x3B),  # 2.72 eighths: cut to 2.5, then to 2
    (1.999, 0x3F, 0x3F),  # no carry into the next binade
]


@pytest.mark.parametrize(("y", "cut", "away_code"), ELEMENTS)
def test_scaled_value_to_code(y, cut, away_code):
    x = block(1.0, y)
    assert [int(a[1]) for a, _ in (host_quantise(x), store_quantise(x, "head"), store_quantise(x))] == [
        cut,
        cut,
        away_code,
    ]


def test_sign_of_a_magnitude_of_zero():
    x = block(1.0, -0.0004, -0.0, -1e-40)
    assert host_quantise(x)[0].tolist() == [0x38, 0, 0, 0, 0, 0, 0, 0]
    for mode in ("kc", "head"):
        assert store_quantise(x, mode)[0].tolist() == [0x38, 0x80, 0, 0x80, 0, 0, 0, 0]
    x = block(
        2.0**127, -(2.0**-24), -(2.0**-20)
    )  # the quotient by 2**127 of the first underflows to 0, of the second not
    assert store_quantise(x)[0].tolist() == [0x38, 0, 0x80, 0, 0, 0, 0, 0]


def test_block_of_zeros():
    assert [a.tolist() for a in host_quantise(block())] == [[0] * 8, [97]]
    assert [a.tolist() for a in store_quantise(block())] == [[0] * 8, [0]]
    assert [a.tolist() for a in store_quantise(-block())] == [[0] * 8, [0]]


WORKED = block(1.0, -0.5, 0.3125, 1.8984375, -2.0, 0.010986328125, 3.703125, -0.0263671875)


@pytest.mark.parametrize("quantise", [host_quantise, store_quantise, lambda x: store_quantise(x, "head")])
def test_worked_block(quantise):
    codes, scales = quantise(WORKED)
    assert codes.tolist() == hexes("30 A8 22 37 B8 06 3F 87")
    assert scales.tolist() == [0x80]
    assert (codes.dtype, scales.dtype) == (np.uint8, np.uint8)
    values = dequantise(codes, scales)
    assert values.tolist() == [1, -0.5, 0.3125, 1.875, -2, 0.01171875, 3.75, -0.013671875]
    assert bf16_bits(values).tolist() == hexes("3F80 BF00 3EA0 3FF0 C000 3C40 4070 BC60")


def test_store_of_four_rows():
    third = [1.0625, 1.09375, 1.1875, 1.3125, 1.328125, 1.96875, 1, -1.328125]
    v = [*WORKED, *[0] * 8, *third, *[0.001] * 8, 300, -300, 1, 2, 3, 4, 5, 6, *[0] * 24]
    rows = round_bf16(np.outer([1, 2, 4, 8], v))
    head = "30 a8 22 37 b8 06 3f 87  00 00 00 00 00 00 00 00 "
    tail = " 38 38 38 38 38 38 38 38  39 b9 04 07 07 08 0a 0c"
    zeros = [0] * 24
    codes, scales = store_quantise(rows)
    assert codes.tolist() == [hexes(head + "39 39 3a 3b 3b 3f 38 bb" + tail) + zeros] * 4
    assert scales.tolist() == [
        hexes("80 00 7f 75 87 00 00 00"),
        hexes("81 00 80 76 88 00 00 00"),
        hexes("82 00 81 77 89 00 00 00"),
        hexes("83 00 82 78 8a 00 00 00"),
    ]
    assert store_quantise(rows, "head")[0].tolist() == [hexes(head + "38 39 3a 3a 3a 3f 38 ba" + tail) + zeros] * 4
    first = decode_rows(codes, scales)[0]
    assert first[:8].tolist() == [1, -0.5, 0.3125, 1.875, -2, 0.01171875, 3.75, -0.013671875]
    assert first[8:24].tolist() == [0] * 8 + [1.125, 1.125, 1.25, 1.375, 1.375, 1.875, 1, -1.375]
    assert first[24:].tolist() == [0.0009765625] * 8 + [288, -288, 1, 1.75, 1.75, 4, 5, 6] + [0] * 24


@given(BLOCKS)
@example(
    [value_of(0x3C7FFFFF), 1.0, value_of(0x3CFFFFFF), -value_of(0x3C7FFFFF), 0, 0, 0, 0]
)  # the 1e-9 lifts into the next binade
@example([1.0, value_of(0x39FFFFFF), value_of(0x3BFFFFFF), 0, 0, 0, 0, 0])  # nor does it below the normal elements
@example([value_of(0x33FFFFFF)] * 8)
@example([float(np.float32(2.0**-23 - gap)) for gap in (1.003e-9, 0.997e-9)] + [0.0] * 6)
@example([float(np.float32(2.0**-23 - 1.003e-9))] * 8)
@example([value_of(0x7F7FFFFF), 2.0**-149, -(2.0**-149), -(2.0**-23), 2.0**-22, 0, 0, 0])
@example(
    [1.0, value_of(0x3C7F0000), 0.0068359374, 0.00732421875, 0.007324218, 0.000244140625, 0.00024414062, -(2.0**-11)]
)
@settings(max_examples=300, deadline=None)
def test_quantisers_agree_with_the_rules(values):
    x = np.array(values, np.float32)
    for result, expected in (
        (host_quantise(x), slow_host(values)),
        (store_quantise(x), slow_store(values, away)),
        (store_quantise(x, "head"), slow_store(values, hwround)),
    ):
        assert (result[0].tolist(), result[1].tolist()) == (expected[0], [expected[1]])


@pytest.mark.parametrize("e", range(-14, 2))
def test_every_bf16_fraction_agrees_with_the_rules(e):
    values = [value_of((e + 127) << 23 | m << 16) for m in range(128)]
    x = np.zeros((128, 8), np.float32)
    x[:, 0], x[:, 1], x[:, 2] = 1.0, values, np.negative(values)
    stored, hosted = store_quantise(x)[0], host_quantise(x)[0]
    for i, v in enumerate(values):
        assert stored[i].tolist() == slow_store([1.0, v, -v, 0, 0, 0, 0, 0], away)[0]
        assert hosted[i].tolist() == slow_host([1.0, v, -v, 0, 0, 0, 0, 0])[0]


@given(st.lists(BLOCKS, min_size=4, max_size=4))
@settings(max_examples=50, deadline=None)
def test_quantisers_work_block_by_block(blocks):
    x = np.array(blocks, np.float32)
    for quantise in (host_quantise, store_quantise):
        each = [quantise(b) for b in x]
        for shape in ((4, 8), (2, 16), (32,), (2, 1, 16)):
            codes, scales = quantise(x.reshape(shape))
            assert (codes.shape, scales.shape) == (shape, (*shape[:-1], shape[-1] // 8))
            assert codes.ravel().tolist() == [c for codes_, _ in each for c in codes_]
            assert scales.ravel().tolist() == [s for _, scales_ in each for s in scales_]


@given(
    st.lists(st.integers(0, 255).map(lambda c: c & 0xBF), min_size=7, max_size=7),
    st.integers(0x38, 0x3F),
    st.integers(102, 254),  # below, the 1e-9 may lift the largest element into the next binade
)
@settings(max_examples=300, deadline=None)
def test_decoded_codes_quantise_to_themselves(others, top, scale):
    codes = np.array([top, *[0 if c == 0x80 else c for c in others]], np.uint8)  # no minus zero: it decodes to zero
    scales = np.array([scale], np.uint8)
    values = dequantise(codes, scales)
    for quantise in (host_quantise, store_quantise):
        again = quantise(values)
        assert (again[0].tolist(), again[1].tolist()) == (codes.tolist(), [scale])


@given(st.lists(st.floats(-8, 8, width=32), min_size=8, max_size=8).filter(lambda v: max(map(abs, v)) > 0.01))
@settings(max_examples=200, deadline=None)
def test_error_is_bounded_and_second_time_harmless(values):
    x = np.array(values, np.float32)
    for quantise in (host_quantise, store_quantise):
        codes, scales = quantise(x)
        y = dequantise(codes, scales)
        unit = float(E8M0[scales[0]])
        assert unit <= np.abs(x).max() < 2 * unit
        step = np.maximum(2.0 ** np.floor(np.log2(np.maximum(np.abs(x) / unit, 2.0**-6))) / 8, 2.0**-10) * unit
        dead = np.abs(x) < unit * 2.0**-6
        assert (np.abs(x - y) <= np.where(dead, unit * 2.0**-6, step)).all()
        np.testing.assert_array_equal(dequantise(*quantise(y)), y)


# ------------------------------------------------------------------------------------------ infinities, NaN, bad shapes


@pytest.mark.parametrize("mode", ["kc", "head"])
@pytest.mark.parametrize(
    ("values", "codes", "scale"),
    [
        ((INF, -INF, 1.0, -1.0, 0.0), (0x77, 0xF7, 0, 0x80, 0), 254),
        ((INF, 2.0**127, 3e38), (0x77, 0x38, 0x3E), 254),
        ((NAN, 1.0, -1.0), (0x38, 0x38, 0xB8), 127),
        ((-NAN, 4.0), (0x38, 0x38), 129),
        ((NAN, INF), (0x38, 0x77), 254),
        ((NAN, 0.0, -0.0), (0, 0, 0), 0),
        ((NAN,) * 8, (0,) * 8, 0),
    ],
)
def test_store_of_values_that_are_not_finite(mode, values, codes, scale):
    result = store_quantise(block(*values), mode)
    assert result[0].tolist() == [*codes, *[0] * (8 - len(codes))]
    assert result[1].tolist() == [scale]


def test_store_of_any_nan_pattern_is_quiet():
    patterns = np.array(
        [0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F810000, 0xFF810000, 0, 0x3F800000], np.uint32
    )
    codes, scales = store_quantise(patterns.view(np.float32))
    assert (codes.tolist(), scales.tolist()) == ([0x38] * 6 + [0, 0x38], [127])


def test_stored_infinity_reads_back_as_infinity():
    assert dequantise(*store_quantise(block(INF, -INF, 1.0))).tolist() == [INF, -INF, *[0] * 6]


def test_no_floating_point_error_reaches_the_caller():
    x = np.array([INF, NAN, 3e38, 1e-45, -1e-45, 0.0, 1.0, -0.0], np.float32)
    with np.errstate(all="raise"):
        store_quantise(x)
        host_quantise(x[2:].repeat(4))
        decode_rows(np.full((1, 64), 0x78, np.uint8), np.arange(0, 256, 36, dtype=np.uint8).reshape(1, 8))


@pytest.mark.parametrize("bad", [INF, -INF, NAN])
def test_host_quantiser_refuses_values_that_are_not_finite(bad):
    with pytest.raises(ValueError, match="finite"):
        host_quantise(block(1.0, bad))


@pytest.mark.parametrize("quantise", [host_quantise, store_quantise])
@pytest.mark.parametrize("shape", [(), (7,), (8, 4)])
def test_last_axis_must_hold_whole_blocks(quantise, shape):
    with pytest.raises(ValueError, match="multiple of 8"):
        quantise(np.zeros(shape, np.float32))


@pytest.mark.parametrize("quantise", [host_quantise, store_quantise])
@pytest.mark.parametrize("shape", [(0, 8), (3, 0), (0,)])
def test_nothing_quantises_to_nothing(quantise, shape):
    codes, scales = quantise(np.zeros(shape, np.float32))
    assert (codes.shape, scales.shape) == (shape, (*shape[:-1], shape[-1] // 8))
    assert dequantise(codes, scales).shape == shape


@pytest.mark.parametrize(("codes", "scales"), [((8,), (2,)), ((2, 8), (1, 1)), ((), ()), ((8,), ())])
def test_dequantise_checks_shapes(codes, scales):
    with pytest.raises(ValueError, match="do not belong together"):
        dequantise(np.zeros(codes, np.uint8), np.zeros(scales, np.uint8))


def test_quantisers_leave_their_input_alone():
    x = np.random.default_rng(5).standard_normal((4, 64)).astype(np.float32)
    before = x.copy()
    for quantise in (host_quantise, store_quantise):
        codes, scales = quantise(x)
        codes[...] = 0
        scales[...] = 0
        np.testing.assert_array_equal(x, before)
