"""Comparing results: every element counts, nothing is broadcast, nothing that is not finite slips through."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from kernelcraft_core.evaluation import compare
from kernelcraft_core.evaluation.compare import _ordinals
from kernelcraft_core.tasks import Tolerance

LOOSE = Tolerance(atol=0.012, rtol=0.01, rel_l2=0.02, dtype="bf16")
EXACT = Tolerance(dtype="i32")
INF, NAN = math.inf, math.nan


def check(got: Any, golden: Any, tolerance: Tolerance = LOOSE, dtype: Any = np.float32) -> bool:
    result = compare({"y": np.asarray(got, dtype)}, {"g": {"y": np.asarray(golden, dtype)}}, tolerance)
    return result.passed


@pytest.mark.parametrize(
    ("got", "golden", "right"),
    [
        ([1.0], [1.0], True),
        ([1.02], [1.0], True),  # within 0.012 + 0.01 * 1.0, and 2 % of the norm
        ([1.0221], [1.0], False),
        ([0.0115, 100.0], [0.0, 100.0], True),
        ([0.0125, 100.0], [0.0, 100.0], False),
        ([NAN, 100.0], [0.0, 100.0], False),
        ([NAN, 100.0], [NAN, 100.0], True),
        ([INF, 100.0], [INF, 100.0], True),
        ([-INF, 100.0], [INF, 100.0], False),
        ([3e38, 100.0], [INF, 100.0], False),
        ([INF, 100.0], [3e38, 100.0], False),
        ([NAN, 100.0], [INF, 100.0], False),
        ([-0.0], [0.0], True),
    ],
)
def test_compare_element_by_element(got: list[float], golden: list[float], right: bool) -> None:
    assert check(got, golden) is right


def test_compare_within_atol_but_far_in_norm_fails() -> None:
    golden = np.full(256, 0.004)
    assert not check(np.zeros(256), golden)  # every element is within atol; the whole is not there
    assert check(np.zeros(256), golden, Tolerance(atol=0.012, rtol=0.01, dtype="bf16"))


@pytest.mark.parametrize("shape", [(4,), (1, 4), (4, 4), (2, 2, 1), ()])
def test_compare_other_shape_is_a_problem_not_a_broadcast(shape: tuple[int, ...]) -> None:
    result = compare({"y": np.ones(shape, np.float32)}, {"g": {"y": np.ones((2, 2), np.float32)}}, LOOSE)
    assert not result.passed
    assert result.problem is not None
    assert "shape" in result.problem
    assert result.matching == 0


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32, np.bool_])
def test_compare_other_dtype_is_a_problem(dtype: Any) -> None:
    result = compare({"y": np.ones(4, dtype)}, {"g": {"y": np.ones(4, np.float32)}}, LOOSE)
    assert not result.passed
    assert "dtype" in (result.problem or "")


def test_compare_missing_output_is_a_problem() -> None:
    golden = {"g": {"x": np.ones(2, np.int32), "y": np.ones(2, np.int32)}}
    result = compare({"x": np.ones(2, np.int32)}, golden, EXACT)
    assert not result.passed
    assert "'y'" in (result.problem or "")


def test_compare_no_elements_is_no_pass() -> None:
    assert not check([], [])


def test_compare_without_goldens_is_refused() -> None:
    with pytest.raises(ValueError, match="golden"):
        compare({"y": np.ones(2)}, {}, EXACT)


def test_compare_integers_are_exact_up_to_64_bits() -> None:
    big = (1 << 63) - 1
    assert check([big], [big], EXACT, np.int64)
    assert not check([big - 1], [big], EXACT, np.int64)
    assert not check([0], [(1 << 64) - 1], EXACT, np.uint64)


def test_compare_all_outputs_must_match_the_same_variant() -> None:
    first = {"x": np.zeros(2, np.int32), "y": np.zeros(2, np.int32)}
    second = {"x": np.ones(2, np.int32), "y": np.ones(2, np.int32)}
    mixed = {"x": np.zeros(2, np.int32), "y": np.ones(2, np.int32)}
    goldens = {"first": first, "second": second}
    assert compare(first, goldens, EXACT).variant == "first"
    assert compare(second, goldens, EXACT).variant == "second"
    assert not compare(mixed, goldens, EXACT).passed


def test_compare_names_the_worst_elements_first() -> None:
    golden = np.zeros((3, 4), np.float32)
    golden[0, 0] = 100.0
    got = golden.copy()
    got[1, 2], got[2, 3], got[0, 1] = 0.5, -4.0, 0.02
    worst = compare({"y": got}, {"g": {"y": golden}}, LOOSE).worst
    assert [m.index for m in worst] == [(2, 3), (1, 2), (0, 1)]
    assert [m.got for m in worst] == [-4.0, 0.5, pytest.approx(0.02)]
    assert worst[0].abs_error == 4.0


def test_compare_ulp_limit_counts_in_the_stated_format() -> None:
    one = np.float32(1.0)
    up = np.array([0x3F81_0000], np.uint32).view(np.float32)[0]  # the next bfloat16
    tolerance = Tolerance(atol=1.0, max_ulp=1, dtype="bf16")
    assert check([up], [one], tolerance)
    two_up = np.array([0x3F82_0000], np.uint32).view(np.float32)[0]
    assert not check([two_up], [one], tolerance)


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32"])
def test_ordinals_neighbours_differ_by_one_across_zero(dtype: str) -> None:
    tiny = {"bf16": 2.0**-133, "f16": 2.0**-24, "f32": 2.0**-149}[dtype]
    values = np.array([-2 * tiny, -tiny, -0.0, 0.0, tiny, 2 * tiny])
    assert _ordinals(values, dtype).tolist() == [-2, -1, 0, 0, 1, 2]


finite = hnp.arrays(np.float32, hnp.array_shapes(max_dims=2, max_side=5), elements=st.floats(-1e3, 1e3, width=32))


@given(finite)
def test_compare_a_result_with_itself_passes(golden: Any) -> None:
    result = compare({"y": golden.copy()}, {"g": {"y": golden}}, LOOSE)
    assert result.passed
    assert result.match_rate == 1.0
    assert result.rel_l2 == 0.0


@given(finite, st.data())
def test_compare_one_element_outside_tolerance_fails(golden: Any, data: Any) -> None:
    index = data.draw(st.integers(0, golden.size - 1))
    got = golden.copy()
    allowed = 0.012 + 0.01 * abs(float(golden.flat[index]))
    got.flat[index] += np.float32(1.01 * allowed + 1e-3)
    result = compare({"y": got}, {"g": {"y": golden}}, LOOSE)
    assert not result.passed
    assert result.matching == golden.size - 1
    assert len(result.worst) == 1


@given(finite, st.sampled_from([NAN, INF, -INF]), st.data())
def test_compare_one_element_that_is_not_finite_fails(golden: Any, value: float, data: Any) -> None:
    got = golden.copy()
    got.flat[data.draw(st.integers(0, golden.size - 1))] = value
    assert not compare({"y": got}, {"g": {"y": golden}}, Tolerance(atol=INF, rtol=1.0)).passed
