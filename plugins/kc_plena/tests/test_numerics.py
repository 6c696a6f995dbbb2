"""Rounding, scalar functions, tables and reductions, against facts and against exact arithmetic on fractions."""

import math
import struct
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kc_plena.numerics import (
    bf16_bits,
    exp_bf16,
    exp_table,
    f16_bits,
    f_max,
    from_bf16_bits,
    from_f16_bits,
    reci_bf16,
    reci_table,
    red_max,
    red_sum,
    round_bf16,
    round_bf16_bits_into,
    round_bf16_into,
    round_f16,
    round_f32,
    s_exp,
    s_reci,
    s_sqrt,
)

pytestmark = pytest.mark.filterwarnings("error")

INF, NAN = math.inf, math.nan
BF16, F16, F32 = (8, -126, 127), (11, -14, 15), (24, -126, 127)  # significant bits, exponents of the normal numbers


def exponent_of(value: Fraction) -> int:
    """Return floor(log2(value)) of a positive fraction."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def nearest(value: Fraction, form: tuple[int, int, int]) -> float:
    """Return the nearest number of a format, ties to even, as a float; the sign of a zero is lost."""
    digits, lowest, highest = form
    if value == 0:
        return 0.0
    step = Fraction(2) ** (max(exponent_of(abs(value)), lowest) - digits + 1)
    size = round(abs(value) / step) * step  # Python rounds fractions to even
    size = math.inf if size >= Fraction(2) ** (highest + 1) else float(size)
    return size if value > 0 else -size


def value_of(bits: int) -> float:
    """Return the float32 with the given bits."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(value: float) -> int:
    """Return the bits of a float32-exact float."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def slow_bf16(bits: int) -> int:
    """Return the 16 bits that float32 bits round to; NaN becomes quiet, without payload."""
    sign, size = bits >> 31 << 15, bits & 0x7FFFFFFF
    if size > 0x7F800000:
        return sign | 0x7FC0
    if size == 0x7F800000:
        return sign | 0x7F80
    return sign | bits_of(nearest(Fraction(value_of(size)), BF16)) >> 16


def same(a: float, b: float) -> bool:
    """Return whether two floats are the same, zeros by sign, all NaN alike."""
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def row(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


PATTERNS = st.one_of(
    st.integers(0, 2**32 - 1),
    st.builds(
        lambda high, low: high << 16 | low, st.integers(0, 65535), st.sampled_from([0, 1, 0x7FFF, 0x8000, 0x8001])
    ),
    st.sampled_from(
        [0x7F800000, 0xFF800000, 0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000, 0x7F7FFFFF, 0x80000000, 1]
    ),
)
F16_EXACT = st.integers(0, 65535).map(from_f16_bits)

# ------------------------------------------------------------------------------------------------------------- bfloat16


@pytest.mark.parametrize(
    ("value", "single", "rounded"),
    [
        (1.00390625, 0x3F808000, 0x3F80),
        (1.01171875, 0x3F818000, 0x3F82),
        (0.1, 0x3DCCCCCD, 0x3DCD),
        (1 / 3, 0x3EAAAAAB, 0x3EAB),
        (65504, 0x477FE000, 0x4780),
        (3.3895e38, 0x7F7EFF65, 0x7F7F),
        (3.4e38, 0x7F7FC99E, 0x7F80),
        (1e-40, 0x000116C2, 0x0001),
    ],
)
def test_bf16_examples(value, single, rounded):
    assert bits_of(round_f32(value)) == single
    assert bf16_bits(value) == rounded
    assert bf16_bits(-value) == rounded | 0x8000
    target = row(0)
    round_bf16_into(row(value), target)
    assert int(target.view(np.uint32)[0]) == rounded << 16


@given(st.lists(PATTERNS, min_size=1, max_size=40))
@settings(max_examples=200, deadline=None)
def test_round_bf16_agrees_with_exact_arithmetic(patterns):
    x = np.array(patterns, np.uint32).view(np.float32)
    before = x.tobytes()
    rounded = round_bf16(x)
    expected = [slow_bf16(p) for p in patterns]
    assert [int(u) for u in rounded.view(np.uint32)] == [e << 16 for e in expected]
    assert [int(u) for u in bf16_bits(x)] == expected
    assert x.tobytes() == before


@given(st.lists(PATTERNS.filter(lambda p: p & 0x7FFFFFFF <= 0x7F800000), min_size=1, max_size=80))
@settings(max_examples=150, deadline=None)
def test_round_bf16_into_agrees_and_may_work_in_place(patterns):
    x = np.array(patterns, np.uint32).view(np.float32)
    expected = round_bf16(x).tobytes()
    target = np.full(x.shape, NAN, np.float32)
    round_bf16_into(x, target)
    assert target.tobytes() == expected
    bits = x.view(np.uint32).copy()
    round_bf16_bits_into(bits, bits)
    assert bits.tobytes() == expected
    round_bf16_into(x, x)
    assert x.tobytes() == expected


@pytest.mark.parametrize("shape", [(64,), (4, 4), (4, 64), (64, 64), (3, 5, 7), (0,)])
def test_round_bf16_into_takes_any_shape(shape):
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32).reshape(shape)
    target = np.empty_like(x)
    round_bf16_into(x, target)
    np.testing.assert_array_equal(target, round_bf16(x))


def test_zero_dimensional_input():
    assert round_bf16(0.1).shape == bf16_bits(0.1).shape == from_bf16_bits(5).shape == ()
    assert round_bf16(0.1) == np.float32(0.10009765625)


def test_round_bf16_into_writes_lanes_of_rows_and_overlapping_views():
    vram = np.full((8, 64), 7, np.float32)
    block = np.random.default_rng(2).standard_normal((4, 4)).astype(np.float32)
    round_bf16_into(block, vram[4:8, 8:12])
    np.testing.assert_array_equal(vram[4:8, 8:12], round_bf16(block))
    assert np.count_nonzero(vram != 7) <= 16
    x = np.random.default_rng(3).standard_normal(65).astype(np.float32)
    expected = round_bf16(x[:-1])
    round_bf16_into(x[:-1], x[1:])
    np.testing.assert_array_equal(x[1:], expected)


def test_every_bf16_rounds_to_itself_and_every_midpoint_to_even():
    values = from_bf16_bits(np.arange(65536))
    numbers = ~np.isnan(values)
    np.testing.assert_array_equal(bf16_bits(values)[numbers], np.arange(65536)[numbers])
    low = np.arange(0x7F80, dtype=np.uint32)  # all non-negative finite values
    middle = (low << 16 | 0x8000).view(np.float32)
    np.testing.assert_array_equal(bf16_bits(middle), low + (low & 1))
    np.testing.assert_array_equal(bf16_bits(np.nextafter(middle, np.float32(0))), low)
    np.testing.assert_array_equal(bf16_bits(np.nextafter(middle, np.float32(INF))), low + 1)


def test_nan_of_arithmetic_stays_nan_on_the_fast_path():
    with np.errstate(all="ignore"):
        nans = from_bf16_bits([0x7F81, 0x7FC0, 0x7FFF, 0xFF81, 0xFFC0, 0xFFFF])
        made = np.concatenate([nans, nans * np.float32(0.3), nans + nans, row(INF) - row(INF), row(0) * row(INF)])
        scalars = np.array([from_f16_bits(0x7FFF), from_f16_bits(0xFC01), round_f16(NAN), s_sqrt(-1.0)], np.float32)
        made = np.concatenate([made, scalars, scalars * nans[2]])
    assert np.isnan(made).all()
    round_bf16_into(made, made)
    assert np.isnan(made).all()
    assert not (made.view(np.uint32) & 0xFFFF).any()


def test_round_bf16_makes_nan_canonical():
    patterns = np.array([0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF, 0xFF800001], np.uint32)
    assert [hex(u) for u in round_bf16(patterns.view(np.float32)).view(np.uint32)] == ["0x7fc00000"] * 2 + [
        "0xffc00000"
    ] * 2
    assert bf16_bits(NAN) == 0x7FC0


# -------------------------------------------------------------------------------------------------------------- scalars


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (0.0, 0x0000),
        (-0.0, 0x8000),
        (0.1, 0x2E66),
        (1.702, 0x3ECF),
        (1e-6, 0x0011),
        (65504.0, 0x7BFF),
        (65519.999, 0x7BFF),
        (65520.0, 0x7C00),
        (-65520.0, 0xFC00),
        (-INF, 0xFC00),
        (1e300, 0x7C00),
        (2.0**-24, 0x0001),
        (2.0**-25, 0x0000),
        (-(2.0**-25), 0x8000),
        (3 * 2.0**-25, 0x0002),
        (123.96875, 0x57C0),
        (NAN, 0x7E00),
    ],
)
def test_f16_examples(value, bits):
    assert f16_bits(value) == bits
    assert f16_bits(round_f16(value)) == bits
    assert same(round_f16(value), from_f16_bits(bits))


def test_f16_bits_round_trip():
    for bits in range(65536):
        value = from_f16_bits(bits)
        assert same(value, float(np.array(bits, np.uint16).view(np.float16)))
        assert f16_bits(value) == (bits if value == value else 0x7E00)


@given(st.one_of(st.floats(), st.floats(-70000, 70000), st.floats(-1e-4, 1e-4)))
@example(65520.0)
@example(math.nextafter(65520.0, 0))
@settings(max_examples=200, deadline=None)
def test_round_f16_is_numpys_cast(x):
    with np.errstate(over="ignore"):
        assert same(round_f16(x), float(np.float16(x)))
    if math.isfinite(x):
        assert round_f16(x) == nearest(Fraction(x), F16)


@given(st.one_of(st.floats(), st.floats(-1e-37, 1e-37)))
@example(2.0**128 - 2.0**103)
@example(math.nextafter(2.0**128 - 2.0**103, 0))
@example(-(2.0**-150))
@settings(max_examples=200, deadline=None)
def test_round_f32_is_numpys_cast(x):
    with np.errstate(over="ignore"):
        assert same(round_f32(x), float(np.float32(x)))
    if math.isfinite(x):
        assert round_f32(x) == nearest(Fraction(x), F32)


@given(F16_EXACT, F16_EXACT)
@settings(max_examples=200, deadline=None)
def test_sums_and_products_of_scalars_need_one_rounding(a, b):
    for result in (a + b, a - b, a * b):
        assert same(round_f16(result), round_f16(round_f32(result)))


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (round_f16(1000.0 + 3.0), 0x63D6),
        (round_f16(1000.0 - 3.0), 0x63CA),
        (round_f16(1000.0 * 1000.0), 0x7C00),
        (f_max(1000.0, 3.0), 0x63D0),
        (s_reci(3.0), 0x3555),
        (s_exp(3.0), 0x4D05),
        (s_sqrt(3.0), 0x3EEE),
    ],
)
def test_scalar_program_of_a_thousand_and_three(value, bits):
    assert f16_bits(value) == bits


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (s_reci(0.0), INF),
        (s_reci(-0.0), -INF),
        (s_reci(INF), 0.0),
        (s_reci(-INF), -0.0),
        (s_reci(2.0**-24), INF),
        (s_reci(-(2.0**-15)), -32768.0),
        (s_reci(65504.0), round_f16(1 / 65504)),
        (s_reci(NAN), NAN),
        (s_sqrt(-1.0), NAN),
        (s_sqrt(-(2.0**-24)), NAN),
        (s_sqrt(-INF), NAN),
        (s_sqrt(-0.0), -0.0),
        (s_sqrt(0.0), 0.0),
        (s_sqrt(INF), INF),
        (s_sqrt(NAN), NAN),
        (s_sqrt(2.0**-24), 2.0**-12),
        (s_exp(0.0), 1.0),
        (s_exp(-0.0), 1.0),
        (s_exp(11.09375), INF),
        (s_exp(11.0859375), 65248.0),
        (s_exp(0.007297515869140625), 1.0078125),  # a single rounding would give 1.0068359375
        (s_exp(0.0226898193359375), 1.0234375),
        (s_exp(800.0), INF),
        (s_exp(65504.0), INF),
        (s_exp(INF), INF),
        (s_exp(-INF), 0.0),
        (s_exp(-65504.0), 0.0),
        (s_exp(-17.0), 2.0**-24),
        (s_exp(-17.5), 0.0),
        (s_exp(NAN), NAN),
    ],
)
def test_scalar_special_cases(result, expected):
    assert same(result, expected)


@given(F16_EXACT.filter(math.isfinite))
@settings(max_examples=200, deadline=None)
def test_scalar_functions_agree_with_exact_arithmetic(x):
    def twice(value: Fraction) -> float:
        single = nearest(value, F32)
        return nearest(Fraction(single), F16) if math.isfinite(single) else single

    if x:
        assert s_reci(x) == twice(1 / Fraction(x))
    if x >= 0:  # far more digits than either format: the root is irrational or exact
        assert s_sqrt(x) == twice(Fraction(Context(prec=60).sqrt(Decimal(x))))
    if abs(x) < 100:
        assert s_exp(x) == twice(Fraction(Context(prec=60).exp(Decimal(x))))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1.0, 2.0, 2.0),
        (-1.0, -2.0, -1.0),
        (NAN, 1.0, 1.0),
        (1.0, NAN, 1.0),
        (-INF, NAN, -INF),
        (NAN, NAN, NAN),
        (0.0, -0.0, 0.0),
        (-0.0, 0.0, 0.0),
        (-0.0, -0.0, -0.0),
        (-INF, -65504.0, -65504.0),
        (INF, 3.0, INF),
    ],
)
def test_f_max(a, b, expected):
    assert same(f_max(a, b), expected)


# ---------------------------------------------------------------------------------------------------------- vector unit


@pytest.mark.parametrize(
    ("x", "bits"), [(0, 0x3F80), (1, 0x402E), (-1, 0x3EBC), (88.5, 0x7F4D), (100, 0x7F80), (-100, 0)]
)
def test_exp_range(x, bits):
    assert bf16_bits(exp_bf16(row(x))) == bits


@pytest.mark.parametrize(
    ("x", "bits"), [(0, 0x3F80), (1, 0x402E), (-1, 0x3EBC), (88.5, 0x7EF9), (100, 0x7EF9), (-100, 0x0042)]
)
def test_exp_range_of_a_clamped_row(x, bits):
    assert bf16_bits(exp_bf16(np.clip(row(x), -88, 88))) == bits


@pytest.mark.parametrize(
    "column",
    [
        "4100 453A 453A 39B0 BB30",
        "4080 425A 425E 3C94 BD94",
        "3F80 402E 406E 3E8A BE8A",
        "0000 3F80 4000 3F00 0000",
        "BF80 3EBC 3FAF 3F3B 3F3B",
        "C080 3C96 3F82 3F7C 407C",
        "C0F8 39E2 3F80 3F80 40F8",
    ],
)
def test_silu_pipeline(column):
    minus, power, plus, reciprocal, product = (from_bf16_bits([int(word, 16)]) for word in column.split())
    np.testing.assert_array_equal(exp_bf16(minus), power)
    np.testing.assert_array_equal(round_bf16(power + row(1)), plus)
    np.testing.assert_array_equal(reci_bf16(plus), reciprocal)
    np.testing.assert_array_equal(round_bf16(reciprocal * -minus), product)


def test_reductions_of_the_silu_pipeline():
    x = (np.arange(64) / 4 - 8).astype(np.float32)
    assert f16_bits(f_max(-INF, red_max(x))) == 0x47C0
    y = round_bf16(reci_bf16(round_bf16(exp_bf16(-x) + row(1))) * x)
    total = round_f16(round_f32(0.0 + red_sum(y)))
    assert total == 117.5625
    total = round_f16(round_f32(total + red_sum(np.full(64, 0.10009765625, np.float32))))
    assert f16_bits(total) == 0x57C0


def test_exp_table_is_exact():
    context, table = Context(prec=40), exp_table()
    for bits in range(65536):
        x = value_of(bits << 16)
        if x != x:
            expected = 0x7FC0
        elif abs(x) < 2.0**-10:  # within a quarter of a bfloat16 step of 1
            expected = 0x3F80
        elif x > 90:
            expected = 0x7F80
        elif x < -95:
            expected = 0
        else:
            expected = bits_of(nearest(Fraction(context.exp(Decimal(x))), BF16)) >> 16
        assert bits_of(table[bits]) == expected << 16, hex(bits)


def test_reci_table_is_exact():
    table = reci_table().view(np.uint32)
    for bits in range(0x7F81):
        x = value_of(bits << 16)
        size = math.inf if x == 0 else 0.0 if x == INF else nearest(1 / Fraction(x), BF16)
        assert table[bits] == bits_of(size)
        assert table[bits | 0x8000] == bits_of(size) | 0x80000000
    assert (table[0x7F81:0x8000] == 0x7FC00000).all()
    assert (table[0xFF81:] == 0x7FC00000).all()


@pytest.mark.parametrize("function", [exp_bf16, reci_bf16])
def test_table_functions_write_where_asked(function):
    x = round_bf16(np.random.default_rng(4).standard_normal((2, 64)))
    before, expected = x.copy(), function(x)
    np.testing.assert_array_equal(x, before)
    target = np.empty_like(x)
    assert function(x, target) is target
    np.testing.assert_array_equal(target, expected)
    function(x[0], x[0])
    np.testing.assert_array_equal(x[0], expected[0])
    np.testing.assert_array_equal(x[1], before[1])


@pytest.mark.parametrize("table", [exp_table, reci_table])
def test_tables_are_made_once_and_cannot_be_written(table):
    assert table() is table()
    assert (table().shape, table().dtype) == ((65536,), np.float32)
    with pytest.raises(ValueError, match="read-only"):
        table()[0] = 1


BF16_NUMBERS = st.integers(0, 65535).filter(lambda u: u & 0x7FFF < 0x7F80).map(lambda u: value_of(u << 16))


@given(st.lists(BF16_NUMBERS, min_size=1, max_size=64), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_red_sum_is_exact_in_any_order(values, random):
    exact = sum(map(Fraction, values))
    expected = round_f32(float(exact))
    assert red_sum(row(*values)) == expected
    random.shuffle(values)
    assert red_sum(row(*values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((INF, 1.0), INF),
        ((-INF, 1.0), -INF),
        ((INF, -INF), NAN),
        ((NAN, INF), NAN),
        ((3.3e38, 3.3e38), INF),
        ((-3.3e38, -3.3e38), -INF),
        ((3.3e38, 3.3e38, -3.3e38), 3.3e38),
        ((-0.0, -0.0), 0.0),
        ((), 0.0),
    ],
)
def test_red_sum_special_cases(values, expected):
    assert same(red_sum(row(*values)), round_f32(expected))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1.0, 3.0, -5.0), 3.0),
        ((1.0, NAN, 3.0), NAN),
        ((NAN, INF), NAN),
        ((-INF, -INF), -INF),
        ((0.0, -0.0), 0.0),
        ((-0.0, 0.0), 0.0),
        ((-0.0, -1.0), -0.0),
        ((-0.0,) * 63 + (0.0,), 0.0),
    ],
)
def test_red_max_special_cases(values, expected):
    assert same(red_max(row(*values)), expected)
    assert type(red_max(row(*values))) is float


def test_row_with_nan_leaves_the_register():
    assert f_max(-3.0, red_max(row(1.0, NAN, 5.0))) == -3.0


@given(st.lists(BF16_NUMBERS, min_size=1, max_size=64))
@settings(max_examples=100, deadline=None)
def test_red_max_is_the_maximum(values):
    assert red_max(row(*values)) == max(values)
