"""Attention tasks: against plain loops, hand-made cases, and each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kc_tasks import reference
from kc_tasks.suite import SUITE

TASKS = {task.slug: task for task in SUITE.tasks}
S, H, NH, D = 6, 12, 4, 3
SIZES = {"s": S, "h": H, "nh": NH}


def normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def by_loops(q: Any, k: Any, v: Any, scale: float, causal: bool) -> Any:
    """Return attention, one position and one column at a time."""
    rows = []
    for i, query in enumerate(q):
        seen = range(i + 1 if causal else len(k))
        weights = [math.exp(scale * sum(a * b for a, b in zip(query, k[j], strict=True))) for j in seen]
        total = math.fsum(weights)
        rows.append(
            [math.fsum(w / total * v[j][c] for w, j in zip(weights, seen, strict=True)) for c in range(len(v[0]))]
        )
    return np.array(rows)


def inputs_of(nkv: int) -> dict[str, Any]:
    shapes = {"X": (S, H), "Wq": (H, H), "Wk": (H, nkv * D), "Wv": (H, nkv * D), "Wo": (H, H)}
    return {name: normal(20 + i, *shape) / 2 for i, (name, shape) in enumerate(shapes.items())}


# --- one head --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ["sdpa", "flash_attention"])
@pytest.mark.parametrize(("flags", "scale"), [({}, 0.5), ({"scale": 0.3}, 0.3), ({"causal": True}, 0.5)])
def test_attention_equals_loops(slug: str, flags: dict[str, Any], scale: float) -> None:
    q, k, v = (normal(seed, 5, 4) for seed in (1, 2, 3))
    y = TASKS[slug].compute({"Q": q, "K": k, "V": v}, {"s": 5, "h": 4}, flags)["Y"]
    np.testing.assert_allclose(y, by_loops(q, k, v, scale, flags.get("causal", False)), rtol=1e-12)


def test_attention_with_equal_scores_is_the_mean_and_with_one_large_score_that_row() -> None:
    v = normal(4, 5, 4)
    task, sizes = TASKS["sdpa"], {"s": 5, "h": 4}
    y = task.compute({"Q": np.zeros((5, 4)), "K": normal(5, 5, 4), "V": v}, sizes)["Y"]
    np.testing.assert_allclose(y, np.tile(v.mean(axis=0), (5, 1)), rtol=1e-12)
    keys = np.zeros((5, 4))
    keys[3] = 1000.0
    y = task.compute({"Q": np.ones((5, 4)), "K": keys, "V": v}, sizes)["Y"]
    np.testing.assert_allclose(y, np.tile(v[3], (5, 1)), rtol=1e-12)


def test_causal_attention_starts_with_the_first_row_and_ends_like_the_other() -> None:
    inputs = {name: normal(seed, 5, 4) for name, seed in (("Q", 6), ("K", 7), ("V", 8))}
    causal, full = (TASKS["sdpa"].compute(inputs, {"s": 5, "h": 4}, {"causal": c})["Y"] for c in (True, False))
    np.testing.assert_array_equal(causal[0], inputs["V"][0])
    np.testing.assert_allclose(causal[-1], full[-1], rtol=1e-13)


@given(st.permutations(range(5)))
def test_order_of_keys_with_their_values_does_not_matter(order: list[int]) -> None:
    q, k, v = (normal(seed, 5, 4) for seed in (9, 10, 11))
    results = [
        TASKS["sdpa"].compute({"Q": q, "K": k[p], "V": v[p]}, {"s": 5, "h": 4})["Y"] for p in (list(range(5)), order)
    ]
    np.testing.assert_allclose(*results, rtol=1e-12)


# --- heads -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nkv", [1, 2, 4])
@pytest.mark.parametrize("causal", [False, True])
def test_gqa_equals_loops_over_heads(nkv: int, causal: bool) -> None:
    inputs = inputs_of(nkv)
    q, k, v = (inputs["X"] @ inputs[w] for w in ("Wq", "Wk", "Wv"))
    parts = []
    for i in range(NH):
        g = i * nkv // NH
        parts.append(
            by_loops(
                q[:, i * D : i * D + D], k[:, g * D : g * D + D], v[:, g * D : g * D + D], 1 / math.sqrt(D), causal
            )
        )
    wanted = np.hstack(parts)
    flags = {"causal": causal}
    y = TASKS["gqa"].compute(inputs, {**SIZES, "nkv": nkv}, flags)["Y"]
    np.testing.assert_allclose(y, wanted @ inputs["Wo"], rtol=1e-10)
    y = TASKS["gqa"].compute(inputs, {**SIZES, "nkv": nkv}, {**flags, "out_proj": False})["Y"]
    np.testing.assert_allclose(y, wanted, rtol=1e-11)


@pytest.mark.parametrize("flags", [{}, {"causal": True}, {"out_proj": False}, {"scale": 2.0}])
def test_gqa_with_as_many_key_heads_is_mha_and_with_one_is_mqa(flags: dict[str, Any]) -> None:
    for slug, nkv in (("mha", NH), ("mqa", 1)):
        inputs = inputs_of(nkv)
        y = TASKS[slug].compute(inputs, SIZES, flags)["Y"]
        assert np.array_equal(y, TASKS["gqa"].compute(inputs, {**SIZES, "nkv": nkv}, flags)["Y"])


def test_mqa_equals_mha_with_the_key_head_repeated() -> None:
    inputs = inputs_of(1)
    repeated = {**inputs, "Wk": np.tile(inputs["Wk"], (1, NH)), "Wv": np.tile(inputs["Wv"], (1, NH))}
    y = TASKS["mqa"].compute(inputs, SIZES)["Y"]
    np.testing.assert_allclose(y, TASKS["mha"].compute(repeated, SIZES)["Y"], rtol=1e-10)


def test_mha_with_one_head_and_identities_is_sdpa() -> None:
    x, one = normal(30, S, H), np.eye(H)
    y = TASKS["mha"].compute({"X": x, "Wq": one, "Wk": one, "Wv": one}, {**SIZES, "nh": 1}, {"out_proj": False})["Y"]
    assert np.array_equal(y, TASKS["sdpa"].compute({"Q": x, "K": x, "V": x}, {"s": S, "h": H})["Y"])


def test_rotary_turns_queries_and_keys_of_every_head_and_not_the_values() -> None:
    sizes = {"s": S, "h": 8, "nh": 2}
    inputs = {"X": normal(31, S, 8), **{w: normal(seed, 8, 8) for w, seed in (("Wq", 32), ("Wk", 33), ("Wv", 34))}}
    cos, sin = reference.rope_tables(S, 4)
    q, k, v = (inputs["X"] @ inputs[w] for w in ("Wq", "Wk", "Wv"))

    def turned(x: Any) -> Any:
        return TASKS["rope"].compute({"X": x, "COS": cos, "SIN": sin}, {"s": S, "d": 4})["Y"]

    parts = [by_loops(turned(q[:, c : c + 4]), turned(k[:, c : c + 4]), v[:, c : c + 4], 0.5, False) for c in (0, 4)]
    flags = {"rotary": True, "out_proj": False}
    y = TASKS["mha"].compute({**inputs, "COS": cos, "SIN": sin}, sizes, flags)["Y"]
    np.testing.assert_allclose(y, np.hstack(parts), rtol=1e-10)


def test_key_heads_that_cannot_be_shared_evenly_are_refused() -> None:
    with pytest.raises(ValueError, match="4 query heads cannot share 3 heads of keys and values evenly"):
        TASKS["gqa"].compute(inputs_of(3), {**SIZES, "nkv": 3})
