"""Statistics against published tables, closed forms, brute force and their own symmetries."""

from __future__ import annotations

import math
from itertools import combinations, product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelcraft_core.reports import statistics as s

QUICK = settings(max_examples=30, deadline=None)
COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# --- Wilson ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3 (score, no continuity correction)
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_newcombes_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    found = s.wilson(successes, trials)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert found.estimate == successes / trials


@pytest.mark.parametrize("n", [1, 4, 25, 1000])
def test_wilson_without_successes_ends_at_its_closed_form(n: int) -> None:
    z2 = NormalDist().inv_cdf(0.975) ** 2
    found = s.wilson(0, n)
    assert found.low == 0
    assert found.high == pytest.approx(z2 / (n + z2), rel=1e-12)


@QUICK
@given(COUNTS, st.floats(0.5, 0.999))
def test_wilson_ends_are_where_the_score_test_just_rejects(counts: tuple[int, int], level: float) -> None:
    c, n = counts
    z = NormalDist().inv_cdf(0.5 + level / 2)
    found = s.wilson(c, n, level)
    for end in (found.low, found.high):
        assert abs(c / n - end) == pytest.approx(z * math.sqrt(end * (1 - end) / n), abs=1e-9)


@QUICK
@given(COUNTS)
def test_wilson_contains_the_share_is_symmetric_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    c, n = counts
    found, mirror = s.wilson(c, n), s.wilson(n - c, n)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low == pytest.approx(1 - mirror.high, abs=1e-12)
    assert s.wilson(c, n, 0.5).low >= found.low


def test_wilson_without_trials_is_everything_and_wrong_counts_are_refused() -> None:
    found = s.wilson(0, 0)
    assert math.isnan(found.estimate)
    assert (found.low, found.high) == (0, 1)
    for counts in ((-1, 3), (4, 3)):
        with pytest.raises(ValueError, match="successes"):
            s.wilson(*counts)


# --- McNemar ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (0, 5, 2 / 2**5),
        (0, 6, 2 / 2**6),
        (1, 7, 2 * (1 + 8) / 2**8),
        (2, 8, 2 * (1 + 10 + 45) / 2**10),
        (3, 3, 1.0),
        (59, 6, 2 * (1 + 65 + 2080 + 43_680 + 677_040 + 8_259_888 + 82_598_880) / 2**65),
    ],
)
def test_mcnemar_is_the_two_sided_binomial_tail(b: int, c: int, p: float) -> None:
    assert s.mcnemar(b, c) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("n", range(11))
def test_mcnemar_is_the_share_of_coin_tosses_that_are_as_lopsided(n: int) -> None:
    heads = [toss.bit_count() for toss in range(2**n)]
    for b in range(n + 1):
        as_far = sum(abs(2 * h - n) >= abs(2 * b - n) for h in heads)
        assert s.mcnemar(b, n - b) == pytest.approx(as_far / 2**n, rel=1e-12)


@QUICK
@given(st.integers(0, 500), st.integers(0, 500))
def test_mcnemar_is_symmetric_and_a_probability(b: int, c: int) -> None:
    assert s.mcnemar(b, c) == s.mcnemar(c, b)
    assert 0 <= s.mcnemar(b, c) <= 1


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="discordant"):
        s.mcnemar(-1, 2)


# --- pass@k ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_at_k_is_the_share_of_choices_with_a_correct_one(n: int) -> None:
    for c, k in product(range(n + 1), range(1, n + 1)):
        choices = list(combinations([i < c for i in range(n)], k))
        assert s.pass_at_k(n, c, k) == pytest.approx(sum(map(any, choices)) / len(choices), rel=1e-12)


@QUICK
@given(COUNTS, st.data())
def test_pass_at_k_for_one_is_the_share_and_grows_with_k(counts: tuple[int, int], data: st.DataObject) -> None:
    c, n = counts
    assert s.pass_at_k(n, c, 1) == c / n
    k = data.draw(st.integers(1, n))
    assert s.pass_at_k(n, c, 1) <= s.pass_at_k(n, c, k) <= s.pass_at_k(n, c, n) == (c > 0)


@pytest.mark.parametrize("counts", [(3, 1, 4), (3, 4, 1), (3, 1, 0), (3, -1, 1)])
def test_pass_at_k_refuses_impossible_counts(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="pass@"):
        s.pass_at_k(*counts)


# --- geometric mean --------------------------------------------------------------------------------------------------


def test_geometric_mean_counts_what_it_leaves_out() -> None:
    assert s.geometric_mean([2.0, 8.0]) == s.GeometricMean(pytest.approx(4.0), 2, 0)
    assert s.geometric_mean([3.0, None, 0.0, math.inf, math.nan, -1.0]) == s.GeometricMean(pytest.approx(3.0), 1, 5)
    assert s.geometric_mean([None]) == s.GeometricMean(None, 0, 1)


@QUICK
@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=50))
def test_geometric_mean_lies_between_and_turns_over_with_the_ratio(values: list[float]) -> None:
    found = s.geometric_mean(values)
    assert found.used == len(values)
    assert found.value is not None
    assert min(values) * (1 - 1e-9) <= found.value <= max(values) * (1 + 1e-9)
    back = s.geometric_mean([1 / v for v in values]).value
    assert back is not None
    assert found.value * back == pytest.approx(1, rel=1e-9)


# --- bootstrap -------------------------------------------------------------------------------------------------------

FLOATS = st.floats(-1e6, 1e6)


@QUICK
@given(st.lists(FLOATS, min_size=2, max_size=30))
def test_bootstrap_contains_the_mean_is_seeded_and_turns_over_with_the_sign(values: list[float]) -> None:
    found, again = s.bootstrap_mean(values, resamples=500, seed=7), s.bootstrap_mean(values, resamples=500, seed=7)
    assert found is not None
    assert found == again
    assert found.low <= found.estimate <= found.high
    assert min(values) - 1e-6 <= found.low
    assert found.high <= max(values) + 1e-6
    mirror = s.bootstrap_mean([-v for v in values], resamples=500, seed=7)
    assert mirror is not None
    assert (mirror.low, mirror.high) == (pytest.approx(-found.high, abs=1e-6), pytest.approx(-found.low, abs=1e-6))


def test_bootstrap_of_three_values_has_the_quantiles_of_all_27_resamples() -> None:
    values = [0.0, 3.0, 12.0]
    exact = np.quantile([sum(choice) / 3 for choice in product(values, repeat=3)], [0.1, 0.9], method="inverted_cdf")
    found = s.bootstrap_mean(values, level=0.8, resamples=20_000)
    assert found is not None
    assert (found.low, found.estimate, found.high) == pytest.approx((exact[0], 5.0, exact[1]))


def test_bootstrap_of_normal_values_is_near_the_interval_of_the_normal_distribution() -> None:
    values = np.random.default_rng(1).normal(10, 2, 400)
    found = s.bootstrap_mean(list(values))
    assert found is not None
    half = 1.96 * values.std() / 20
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.05)


def test_bootstrap_draws_groups_as_a_whole() -> None:
    values, groups = [0.0] * 5 + [1.0] * 5, ["a"] * 5 + ["b"] * 5
    together, apart = s.bootstrap_mean(values, groups), s.bootstrap_mean(values)
    assert together is not None
    assert apart is not None
    assert (together.low, together.estimate, together.high) == (0.0, 0.5, 1.0)
    assert apart.low > 0.1
    uneven = s.bootstrap_mean([0.0, 1.0, 1.0, 1.0], ["a", "b", "b", "b"])
    assert uneven is not None
    assert uneven.estimate == 0.75


def test_bootstrap_of_one_group_has_no_interval() -> None:
    assert s.bootstrap_mean([1.0]) is None
    assert s.bootstrap_mean([]) is None
    assert s.bootstrap_mean([1.0, 2.0], ["a", "a"]) is None


def test_bootstrap_works_in_blocks_without_changing_its_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [1.0, 5.0, 9.0, 2.0]
    whole = s.bootstrap_mean(values, resamples=1000)
    monkeypatch.setattr(s, "_BLOCK", 100)
    assert s.bootstrap_mean(values, resamples=1000) == whole


def test_paired_difference_and_ratio_of_constant_pairs_are_exact() -> None:
    assert s.bootstrap_difference([0, 1, 0], [1, 2, 1]) == s.Interval(1, 1, 1)
    assert s.bootstrap_ratio([10, 20, 30], [5, 10, 15]) == s.Interval(*[pytest.approx(2.0)] * 3)
    with pytest.raises(ValueError, match="shorter"):
        s.bootstrap_difference([0, 1], [1])


@QUICK
@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(1, 1e6)), min_size=2, max_size=20))
def test_ratio_turns_over_when_the_sides_change(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    one, other = s.bootstrap_ratio(first, second), s.bootstrap_ratio(second, first)
    assert one is not None
    assert other is not None
    assert one.estimate == pytest.approx(s.geometric_mean([a / b for a, b in pairs]).value)
    assert one.low * other.high == pytest.approx(1)
    assert one.estimate * other.estimate == pytest.approx(1)
