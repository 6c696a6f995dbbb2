"""get_transfer_index against a search in plain Python."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kc_tasks.suite import SUITE

TASK = next(task for task in SUITE.tasks if task.slug == "get_transfer_index")


def brute_force(logits: Any, mask: Any, x: Any, k: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return x and x0 after the step; confidences are compared as exact fractions of exact sums of exponentials."""
    after, best = [], []
    for b, row in enumerate(x):
        lines = logits[b * len(row) : (b + 1) * len(row)]
        token, confidence = [], []
        for line in lines:
            top = max(line)
            token.append(next(v for v, value in enumerate(line) if value == top))
            confidence.append(1 / sum(Fraction(math.exp(value - top)) for value in line))
        x0 = [token[p] if mask[b][p] else row[p] for p in range(len(row))]
        left, new = {p for p in range(len(row)) if mask[b][p]}, list(row)
        for _ in range(min(k, len(left))):
            winner = min(left, key=lambda p: (-confidence[p], p))
            left.remove(winner)
            new[winner] = x0[winner]
        after.append(new)
        best.append(x0)
    return after, best


def run(logits: Any, mask: Any, x: Any, k: int) -> tuple[list[list[int]], list[list[int]]]:
    sizes = {"B": len(x), "L": len(x[0]), "V": len(logits[0]), "k": k}
    result = TASK.compute({"logits": logits, "mask": np.array(mask), "x": np.array(x)}, sizes)
    return result["x"].tolist(), result["x0"].tolist()


@st.composite
def cases(draw: Any) -> tuple[Any, Any, Any, int]:
    """Return logits in steps of 1/2 (so that ties are frequent), mask, tokens, k."""
    b, length, v = draw(st.integers(1, 2)), draw(st.integers(1, 6)), draw(st.integers(1, 5))
    line = st.lists(st.integers(-4, 4).map(lambda n: n / 2), min_size=v, max_size=v)
    logits = draw(st.lists(line, min_size=b * length, max_size=b * length))

    def rows(largest: int) -> Any:
        row = st.lists(st.integers(0, largest), min_size=length, max_size=length)
        return draw(st.lists(row, min_size=b, max_size=b))

    return logits, rows(1), rows(v - 1), draw(st.integers(1, 7))


@given(cases())
@settings(max_examples=200)
def test_step_equals_a_search_in_plain_python(case: tuple[Any, Any, Any, int]) -> None:
    assert run(*case) == brute_force(*case)


@pytest.mark.parametrize("family", TASK.families, ids=lambda family: family.name)
def test_step_at_the_published_size_equals_a_search(family: Any) -> None:
    rng = np.random.default_rng(7)
    logits = (3 * family.sample(rng, (2 * 64, 256))).tolist()
    mask, x = rng.integers(0, 2, (2, 64)).tolist(), rng.integers(0, 256, (2, 64)).tolist()
    assert run(logits, mask, x, 8) == brute_force(logits, mask, x, 8)


def test_hand_made_step_with_ties() -> None:
    logits = [
        [1.0, 1.0, 0.0],  # tie of tokens: 0
        [0.0, 0.0, 9.0],  # most confident, but not masked
        [0.0, 5.0, 0.0],
        [5.0, 0.0, 0.0],  # as confident as the line before: the lower position wins
        [-9.0, -7.0, -8.0],  # all negative
    ]
    x, x0 = run(logits, [[1, 0, 1, 1, 1]], [[2, 2, 2, 2, 2]], 1)
    assert (x, x0) == ([[2, 2, 1, 2, 2]], [[0, 2, 1, 0, 1]])
    assert run(logits, [[1, 0, 1, 1, 1]], [[2, 2, 2, 2, 2]], 3)[0] == [[2, 2, 1, 0, 1]]


def test_of_many_equal_confidences_the_lowest_positions_win() -> None:
    lines = np.random.default_rng(1).permuted(np.tile(np.linspace(-4, 4, 9), (64, 1)), axis=1)
    lines[::3] *= 2.0  # two levels of confidence, the higher one at every third position
    x, x0 = run(lines.tolist(), [[1] * 64], [[9] * 64], 30)
    chosen = [*range(0, 64, 3), *(p for p in range(64) if p % 3)][:30]
    assert x[0] == [x0[0][p] if p in chosen else 9 for p in range(64)]


def test_fewer_masked_positions_than_k_fixes_all_of_them() -> None:
    x, x0 = run([[0.0, 1.0]] * 3, [[0, 1, 0]], [[0, 0, 0]], 3)
    assert x == x0 == [[0, 1, 0]]


def test_rows_are_ranked_separately() -> None:
    logits = [[0.0, 9.0], [0.0, 8.0], [0.0, 2.0], [0.0, 1.0]]
    assert run(logits, [[1, 1], [1, 1]], [[0, 0], [0, 0]], 1)[0] == [[1, 0], [1, 0]]


def test_results_are_integers_and_inputs_stay_as_they_are() -> None:
    inputs = {"logits": np.array([[0.0, 1.0]]), "mask": np.array([[True]]), "x": np.array([[0]], np.int32)}
    result = TASK.compute(inputs, {"B": 1, "L": 1, "V": 2, "k": 1})
    assert [(name, value.dtype, value.tolist()) for name, value in result.items()] == [
        ("x", np.int64, [[1]]),
        ("x0", np.int64, [[1]]),
    ]
    assert inputs["x"].tolist() == [[0]]
