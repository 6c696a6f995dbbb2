"""Rounding: single numbers and arrays, against numpy and exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from kernelcraft_core.sim.rounding import ARRAY, CELL, SCALAR, round_bf16, round_bf16_into, round_f16, round_f32

SPECIAL = [
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    5e-324,
    1e-45,
    2.0**-24,
    2.0**-25,
    65504.0,
    65519.99,
    65520.0,
    3.4028235e38,
    3.5e38,
    1e308,
]


def numbers(count: int = 20_000) -> list[float]:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 64, count, np.uint64, endpoint=False)
    wild = bits.view(np.float64)
    tame = rng.standard_normal(count) * 10.0 ** rng.integers(-46, 40, count)
    ties = (rng.integers(0, 1 << 13, count) * 2 + 1) * 2.0 ** rng.integers(-30, 5, count)
    return [*SPECIAL, *wild[np.isfinite(wild)].tolist(), *tame.tolist(), *ties.tolist()]


def test_f16_and_f32_agree_with_numpy() -> None:
    values = numbers()
    with np.errstate(all="ignore"):
        for function, dtype in ((round_f16, np.float16), (round_f32, np.float32)):
            expected = np.array(values).astype(dtype).astype(np.float64)
            assert np.array([function(v) for v in values]).tobytes() == expected.tobytes()


def nearest_bf16(value: float) -> float:
    """Return binary32 `value` rounded to 8 significant bits, by exact arithmetic."""
    if not math.isfinite(value) or value == 0:
        return value
    exponent = max(math.frexp(value)[1] - 8, -133)
    steps = round(Fraction(value) / Fraction(2) ** exponent)  # Python rounds ties to even
    rounded = steps * Fraction(2) ** exponent
    return math.copysign(math.inf if abs(rounded) >= 2**128 else float(rounded), value)


def test_bf16_single_numbers_and_arrays_agree_with_exact_arithmetic() -> None:
    values = [round_f32(v) for v in numbers(3000)]
    expected = np.array([nearest_bf16(v) for v in values], np.float32)
    assert np.array([round_bf16(v) for v in values], np.float32).tobytes() == expected.tobytes()
    found = np.array(values, np.float32)
    round_bf16_into(found, found)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
def test_extremes(dtype: str) -> None:
    function = SCALAR[dtype]
    assert math.isnan(function(math.nan))
    assert math.isnan(function(-math.nan))
    assert function(10**400) == math.inf
    assert function(-(10**400)) == -math.inf
    assert function(10**39) == math.inf
    assert math.copysign(1, function(-0.0)) == -1
    assert math.copysign(1, function(-1e-320)) == -1
    assert type(function(3)) is float


@pytest.mark.parametrize("dtype", sorted(ARRAY))
def test_arrays_may_overlap_and_keep_nan(dtype: str) -> None:
    source = np.linspace(-70000, 70000, 64, dtype=np.float32)
    source[::7] = np.nan
    expected = [SCALAR[dtype](v) for v in source.tolist()]
    with np.errstate(all="ignore"):
        ARRAY[dtype](source, source)
    assert np.array_equal(source, np.array(expected, np.float32), equal_nan=True)


def test_cells_of_integer_arrays_wrap() -> None:
    for dtype in ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"):
        info = np.iinfo(f"{'int' if dtype[0] == 'i' else 'uint'}{dtype[1:]}")
        assert CELL[dtype](info.max) == info.max
        assert CELL[dtype](info.max + 1) == info.min
        assert CELL[dtype](info.min - 1) == info.max
        assert info.min <= CELL[dtype](-(10**50)) <= info.max
