"""Statistics of scores: intervals, tests and means, each with the counts it rests on.

All of them are exact or in closed form but the bootstrap, which is seeded: the same data gives the same interval.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

LEVEL = 0.95
"""Confidence of all intervals unless another one is asked for."""
RESAMPLES = 10_000
_BLOCK = 1 << 20
"""Random numbers drawn at a time, so that many pairs need no more memory than few."""


@frozen
class Interval:
    """An estimate with the ends of its confidence interval."""

    estimate: float
    low: float
    high: float


def wilson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Return a share with its Wilson score interval, all in 0..1; without trials the interval is all of it.

    Args:
        successes: 0..trials.
        trials: 0 or more.
        level: confidence, above 0 and below 1.

    Raises:
        ValueError: the counts cannot be.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927).
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} successes")
    if trials == 0:
        return Interval(math.nan, 0.0, 1.0)
    z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    share = successes / trials
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / (1 + z2 / trials)
    low = 0.0 if successes == 0 else max(0.0, centre - half)  # exact at the ends, where rounding would show
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(share, low, high)


def mcnemar(first_only: int, second_only: int) -> float:
    """Return the two-sided p-value of the exact McNemar test: are the two discordant counts those of a fair coin?

    Args:
        first_only: pairs in which only the first succeeds, 0 or more.
        second_only: those in which only the second does.

    Raises:
        ValueError: a count is negative.

    Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12 (1947); the exact form is the binomial test on the discordant pairs.
    """
    if min(first_only, second_only) < 0:
        raise ValueError(f"{first_only} and {second_only} discordant pairs")
    trials = first_only + second_only
    term = tail = 1  # row `trials` of Pascal's triangle from its left end, in whole numbers
    for i in range(1, min(first_only, second_only) + 1):
        term = term * (trials - i + 1) // i
        tail += term
    return float(min(Fraction(1), Fraction(2 * tail, 2**trials)))


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """Return the chance that one of `k` samples is correct, estimated without bias from more of them.

    Args:
        samples: how many there are, at least `k`.
        correct: of these, 0..samples.
        k: 1 or more.

    Raises:
        ValueError: the counts cannot be.

    Source: M. Chen et al., "Evaluating large language models trained on code", arXiv 2107.03374, section 2.1.
    """
    if not (1 <= k <= samples and 0 <= correct <= samples):
        raise ValueError(f"pass@{k} of {correct} correct samples of {samples}")
    return float(1 - Fraction(math.comb(samples - correct, k), math.comb(samples, k)))


@frozen
class GeometricMean:
    """A geometric mean: None without values; how many values it is made of, and how many have none."""

    value: float | None
    used: int
    left_out: int


def geometric_mean(values: Iterable[float | None]) -> GeometricMean:
    """Return the geometric mean by logarithms; what is None, not finite, or not above 0 is left out and counted."""
    found = list(values)
    logs = [math.log(v) for v in found if v is not None and math.isfinite(v) and v > 0]
    mean = math.exp(math.fsum(logs) / len(logs)) if logs else None
    return GeometricMean(mean, len(logs), len(found) - len(logs))


def bootstrap_mean(
    values: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Return the mean with its percentile bootstrap interval; None for fewer than two groups, which vary in nothing.

    Args:
        values: finite numbers.
        groups: which values belong together (repeats of one cell) and are drawn together; None: each by itself.
        level: confidence.
        resamples: 1 or more.
        seed: of the draws.

    Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13.
    """
    sums: dict[Hashable, list[float]] = {}
    for group, value in zip(range(len(values)) if groups is None else groups, values, strict=True):
        sums.setdefault(group, []).append(value)
    if len(sums) < 2:
        return None
    total = np.array([math.fsum(part) for part in sums.values()])
    count = np.array([len(part) for part in sums.values()], dtype=np.float64)
    mean = math.fsum(values) / len(values)
    low, high = np.quantile(_means(total, count, resamples, seed), [0.5 - level / 2, 0.5 + level / 2])
    return Interval(mean, min(float(low), mean), max(float(high), mean))


def _means(total: NDArray[np.float64], count: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the mean of each resample of groups with these sums and sizes."""
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(total))
    out = []
    for start in range(0, resamples, rows):
        chosen = generator.integers(0, len(total), (min(rows, resamples - start), len(total)))
        out.append(total[chosen].sum(axis=1) / count[chosen].sum(axis=1))
    return np.concatenate(out)


def bootstrap_difference(
    first: Sequence[float], second: Sequence[float], groups: Sequence[Hashable] | None = None, *, seed: int = 0
) -> Interval | None:
    """Return the mean of second - first over pairs with its interval; as `bootstrap_mean` otherwise."""
    return bootstrap_mean([b - a for a, b in zip(first, second, strict=True)], groups, seed=seed)


def bootstrap_ratio(
    first: Sequence[float], second: Sequence[float], groups: Sequence[Hashable] | None = None, *, seed: int = 0
) -> Interval | None:
    """Return the geometric mean of first / second over pairs of positive numbers with its interval.

    None for fewer than two groups; as `bootstrap_mean` otherwise.
    """
    logs = [math.log(a) - math.log(b) for a, b in zip(first, second, strict=True)]
    found = bootstrap_mean(logs, groups, seed=seed)
    return None if found is None else Interval(*map(math.exp, (found.estimate, found.low, found.high)))
