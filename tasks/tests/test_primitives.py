"""Level 1 without convolutions, RoPE, and the feed-forward networks, against tables and identities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kc_tasks import reference
from kc_tasks.suite import SUITE

TASKS = {task.slug: task for task in SUITE.tasks}
MATRICES = arrays(np.float64, (3, 8), elements=st.floats(-30, 30))


def on_row(slug: str, values: list[float], **flags: Any) -> Any:
    """Return the result of a task on one row."""
    return TASKS[slug].compute({"X": [values]}, {"b": 1, "h": len(values)}, flags)["Y"][0]


def normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


# Computed by hand from e = 2.718281828459045 and tables of the normal distribution: Phi(1) = 0.8413447460685429,
# Phi(2) = 0.9772498680518208.
@pytest.mark.parametrize(
    ("slug", "flags", "x", "y"),
    [
        ("silu", {}, [0.0, 1.0, -1.0, 2.0], [0.0, 0.7310585786300049, -0.2689414213699951, 1.7615941559557649]),
        ("relu", {}, [-2.0, -0.0, 0.5, 3.0], [0.0, 0.0, 0.5, 3.0]),
        ("gelu", {}, [0.0, 1.0, -1.0, 2.0], [0.0, 0.8413447460685429, -0.15865525393145707, 1.9544997361036416]),
        (
            "gelu",
            {"approx": "tanh"},
            [0.0, 1.0, -1.0, 2.0],
            [0.0, 0.8411919906082768, -0.15880800939172324, 1.954597694087775],
        ),
        (
            "gelu",
            {"approx": "sigmoid"},
            [0.0, 1.0, -1.0, 2.0],
            [0.0, 0.8457957659328212, -0.1542042340671787, 1.9356586231442083],
        ),
        ("softmax", {}, [0.0, math.log(2), math.log(3), math.log(4)], [0.1, 0.2, 0.3, 0.4]),
        ("layernorm", {"eps": 0.0}, [1.0, 3.0, 1.0, 3.0], [-1.0, 1.0, -1.0, 1.0]),
        ("layernorm", {"eps": 3.0}, [1.0, 3.0, 1.0, 3.0], [-0.5, 0.5, -0.5, 0.5]),
        ("rmsnorm", {"eps": 0.0}, [3.0, -1.0, 1.0, 5.0], [1.0, -1 / 3, 1 / 3, 5 / 3]),
        ("rmsnorm", {"eps": 7.0}, [3.0, -1.0, 1.0, 5.0], [0.75, -0.25, 0.25, 1.25]),
    ],
)
def test_row_gives_the_table(slug: str, flags: dict[str, Any], x: list[float], y: list[float]) -> None:
    np.testing.assert_allclose(on_row(slug, x, **flags), y, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("slug", ["silu", "gelu"])
def test_activation_of_extreme_values_is_the_identity_or_zero(slug: str) -> None:
    with np.errstate(over="raise", invalid="raise"):
        assert on_row(slug, [-800.0, 800.0]).tolist() == [pytest.approx(0.0, abs=1e-300), 800.0]


@given(st.floats(-20, 20))
def test_silu_and_gelu_split_their_argument(x: float) -> None:
    for slug in ("silu", "gelu"):
        plus, minus = on_row(slug, [x, -x])
        assert plus - minus == pytest.approx(x, abs=1e-12)


def test_gelu_variants_lie_as_far_apart_as_is_known() -> None:
    x = np.linspace(-6, 6, 2401)
    exact, tanh, sigmoid = (on_row("gelu", list(x), approx=a) for a in ("erf", "tanh", "sigmoid"))
    assert 4e-4 < np.max(np.abs(tanh - exact)) < 5e-4
    assert 0.0195 < np.max(np.abs(sigmoid - exact)) < 0.0204
    np.testing.assert_allclose(exact, [v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x], rtol=1e-9, atol=1e-12)


@given(MATRICES, st.floats(-20, 20))
def test_softmax_is_positive_adds_up_to_1_and_ignores_a_shift(x: Any, shift: float) -> None:
    task, parameters = TASKS["softmax"], {"b": 3, "h": 8}
    y = task.compute({"X": x}, parameters)["Y"]
    assert (y > 0).all()
    np.testing.assert_allclose(y.sum(axis=1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(task.compute({"X": x + shift}, parameters)["Y"], y, rtol=1e-11)
    whole = task.compute({"X": x}, parameters, {"axis": "all"})["Y"]
    assert whole.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(whole / whole.sum(axis=1, keepdims=True), y, rtol=1e-11)


def test_softmax_of_large_values_does_not_overflow() -> None:
    np.testing.assert_allclose(on_row("softmax", [5000.0, 5000.0, -5000.0]), [0.5, 0.5, 0.0])


def test_layernorm_has_mean_0_and_variance_1_before_weight_and_bias() -> None:
    x, w, bias = 5 + 3 * normal(1, 4, 64), normal(2, 1, 64), normal(3, 1, 64)
    task, parameters = TASKS["layernorm"], {"b": 4, "h": 64}
    plain = task.compute({"X": x}, parameters, {"eps": 0.0})["Y"]
    np.testing.assert_allclose(plain.mean(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose(plain.var(axis=1), 1, rtol=1e-12)
    full = task.compute({"X": x, "w": w, "bias": bias}, parameters, {"eps": 0.0, "weight": True, "bias": True})["Y"]
    np.testing.assert_allclose(full, plain * w + bias, rtol=1e-13)
    unused = task.compute({"X": x, "w": w, "bias": bias}, parameters, {"eps": 0.0})["Y"]
    assert np.array_equal(unused, plain)


def test_rmsnorm_of_a_centred_row_is_layernorm() -> None:
    x = normal(4, 4, 64)
    x -= x.mean(axis=1, keepdims=True)
    results = [TASKS[slug].compute({"X": x}, {"b": 4, "h": 64})["Y"] for slug in ("rmsnorm", "layernorm")]
    np.testing.assert_allclose(*results, rtol=1e-10)


def triple_loop(a: Any, b: Any) -> Any:
    """Return a matrix product, the way it is taught."""
    return [[math.fsum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def test_gemm_linear_and_gemv_equal_a_triple_loop() -> None:
    a, b, bias = normal(5, 3, 5), normal(6, 5, 4), normal(7, 1, 4)
    product = np.array(triple_loop(a.tolist(), b.tolist()))
    sizes = {"M": 3, "K": 5, "N": 4}
    np.testing.assert_allclose(TASKS["gemm"].compute({"A": a, "B": b}, sizes)["Y"], product, rtol=1e-12)
    linear = {"n": 3, "in": 5, "out": 4}
    y = TASKS["linear"].compute({"X": a, "W": b, "bias": bias}, linear)["Y"]
    np.testing.assert_allclose(y, product + bias, rtol=1e-12)
    y = TASKS["linear"].compute({"X": a, "W": b}, linear, {"bias": False})["Y"]
    np.testing.assert_allclose(y, product, rtol=1e-12)
    y = TASKS["gemv"].compute({"A": a, "x": bias[:, :1] * np.arange(1.0, 6.0)}, {"M": 3, "N": 5})["Y"]
    np.testing.assert_allclose(y[0], [bias[0, 0] * sum(r[n] * (n + 1) for n in range(5)) for r in a], rtol=1e-12)


def test_batch_matmul_equals_one_gemm_for_every_batch() -> None:
    a, w = normal(8, 6, 5), normal(9, 10, 4)
    y = TASKS["batch_matmul"].compute({"A": a, "W": w}, {"B": 2, "M": 3, "K": 5, "N": 4})["Y"]
    sizes = {"M": 3, "K": 5, "N": 4}
    for i in range(2):
        factors = {"A": a[3 * i : 3 * i + 3], "B": w[5 * i : 5 * i + 5]}
        np.testing.assert_allclose(y[3 * i : 3 * i + 3], TASKS["gemm"].compute(factors, sizes)["Y"], rtol=1e-13)


# --- RoPE ------------------------------------------------------------------------------------------------------------


def turned(x: Any, s: int, d: int) -> Any:
    cos, sin = reference.rope_tables(s, d)
    return TASKS["rope"].compute({"X": x, "COS": cos, "SIN": sin}, {"s": s, "d": d})["Y"]


def test_rope_equals_multiplication_by_complex_units() -> None:
    x = normal(10, 6, 8)
    positions, pairs = np.arange(6)[:, None], np.arange(4)[None, :]
    y = (x[:, :4] + 1j * x[:, 4:]) * np.exp(1j * positions / 10000.0 ** (2 * pairs / 8))
    np.testing.assert_allclose(turned(x, 6, 8), np.concatenate([y.real, y.imag], axis=1), rtol=1e-12)


@given(arrays(np.float64, (5, 6), elements=st.floats(-10, 10)))
def test_rope_keeps_lengths_and_the_first_row(x: Any) -> None:
    y = turned(x, 5, 6)
    np.testing.assert_allclose(np.linalg.norm(y, axis=1), np.linalg.norm(x, axis=1), rtol=1e-12, atol=1e-300)
    assert np.array_equal(y[0], x[0])


def test_scores_after_rope_depend_on_the_distance_only() -> None:
    q, k = (turned(np.tile(normal(seed, 1, 8), (7, 1)), 7, 8) for seed in (11, 12))
    scores = q @ k.T
    for i in range(6):
        for j in range(6):
            assert scores[i + 1, j + 1] == pytest.approx(scores[i, j])


def test_rotation_matrix_turns_halves_and_rope_does_not_look_at_xrot() -> None:
    x = normal(13, 5, 6)
    np.testing.assert_array_equal(x @ reference.rotation_matrix(6), np.concatenate([-x[:, 3:], x[:, :3]], axis=1))
    cos, sin = reference.rope_tables(5, 6)
    given_xrot = {"X": x, "XROT": np.full((5, 6), np.nan), "COS": cos, "SIN": sin}
    assert np.array_equal(TASKS["rope"].compute(given_xrot, {"s": 5, "d": 6})["Y"], turned(x, 5, 6))


def test_rope_of_an_odd_number_of_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="5 columns have no two halves"):
        TASKS["rope"].compute({"X": np.ones((2, 5)), "COS": np.ones((2, 5)), "SIN": np.ones((2, 5))}, {"s": 2, "d": 5})


# --- feed-forward networks -------------------------------------------------------------------------------------------


def test_ffn_equals_linear_activation_linear() -> None:
    x, up, down, bup, bdown = normal(14, 3, 4), normal(15, 4, 6), normal(16, 6, 4), normal(17, 1, 6), normal(18, 1, 4)
    sizes = {"n": 3, "h": 4, "hi": 6}
    inputs = {"X": x, "Wup": up, "Wdown": down, "bup": bup, "bdown": bdown}
    hidden = TASKS["linear"].compute({"X": x, "W": up, "bias": bup}, {"n": 3, "in": 4, "out": 6})["Y"]
    for slug in ("silu", "relu", "gelu"):
        middle = TASKS[slug].compute({"X": hidden}, {"b": 3, "h": 6})["Y"]
        wanted = TASKS["linear"].compute({"X": middle, "W": down, "bias": bdown}, {"n": 3, "in": 6, "out": 4})["Y"]
        got = TASKS["ffn"].compute(inputs, sizes, {"activation": slug, "bias": True})["Y"]
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_swiglu_by_elements_and_the_other_gate() -> None:
    x, up, gate, down = [[2.0, 1.0]], [[1.0, 0.0], [0.0, 3.0]], [[0.0, 1.0], [1.0, -1.0]], [[1.0], [10.0]]
    sizes = {"n": 1, "h": 2, "hi": 2}
    # x up = [2, 3], x gate = [1, 1]
    silu = {v: v / (1 + math.exp(-v)) for v in (1.0, 2.0, 3.0)}
    inputs = {"X": x, "Wup": up, "Wgate": gate, "Wdown": np.hstack([down, np.zeros((2, 1))])}
    y = TASKS["swiglu"].compute(inputs, sizes)["Y"]
    np.testing.assert_allclose(y, [[silu[1.0] * 2 + 10 * silu[1.0] * 3, 0.0]])
    y = TASKS["swiglu"].compute(inputs, sizes, {"gate_on": "up"})["Y"]
    np.testing.assert_allclose(y, [[silu[2.0] * 1 + 10 * silu[3.0] * 1, 0.0]])
    swapped = {**inputs, "Wup": gate, "Wgate": up}
    assert np.array_equal(y, TASKS["swiglu"].compute(swapped, sizes)["Y"])
