"""Decoder blocks: composed from the tasks they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kc_tasks import reference
from kc_tasks.suite import SUITE

TASKS = {task.slug: task for task in SUITE.tasks}
S, H, NH, HI, D = 5, 8, 2, 12, 4
SIZES = {"s": S, "h": H, "nh": NH, "hi": HI}


def normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def compute(slug: str, inputs: dict[str, Any], sizes: dict[str, int], **flags: Any) -> Any:
    return TASKS[slug].compute(inputs, sizes, flags)["Y"]


def rms(x: Any, weight: Any = None, eps: float = 1e-6) -> Any:
    inputs = {"X": x} if weight is None else {"X": x, "w": weight}
    return compute("rmsnorm", inputs, {"b": S, "h": H}, eps=eps, weight=weight is not None)


def mha(x: Any, inputs: dict[str, Any], **flags: Any) -> Any:
    wanted = {name: inputs[name] for name in ("Wq", "Wk", "Wv", "Wo", "COS", "SIN") if name in inputs}
    return compute("mha", {"X": x, **wanted}, {"s": S, "h": H, "nh": NH}, **flags)


def square(seed: int, *names: str) -> dict[str, Any]:
    return {name: normal(seed + i, H, H) / np.sqrt(H) for i, name in enumerate(names)}


# --- LLaMA -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def llama() -> dict[str, Any]:
    cos, sin = reference.rope_tables(S, D)
    return {
        "X": normal(1, S, H),
        **square(2, "Wq", "Wk", "Wv", "Wo"),
        "Wup": normal(6, H, HI),
        "Wgate": normal(7, H, HI),
        "Wdown": normal(8, HI, H),
        "COS": cos,
        "SIN": sin,
    }


@pytest.mark.parametrize("gate_on", ["gate", "up"])
@pytest.mark.parametrize("flags", [{}, {"rotary": False}, {"causal": True}, {"scale": 0.9}])
def test_llama_block_is_composed_of_its_parts(llama: dict[str, Any], flags: dict[str, Any], gate_on: str) -> None:
    x = llama["X"]
    x1 = x + mha(rms(x), llama, **{"rotary": True, **flags})
    weights = {name: llama[name] for name in ("Wup", "Wgate", "Wdown")}
    wanted = x1 + compute("swiglu", {"X": rms(x1), **weights}, {"n": S, "h": H, "hi": HI}, gate_on=gate_on)
    np.testing.assert_allclose(compute("decoder_llama", llama, SIZES, gate_on=gate_on, **flags), wanted, rtol=1e-11)


def test_llama_norm_weights_and_eps_are_those_of_rmsnorm(llama: dict[str, Any]) -> None:
    x, w1, w2 = llama["X"], normal(9, 1, H), normal(10, 1, H)
    x1 = x + mha(rms(x, w1, 0.5), llama, rotary=True)
    weights = {name: llama[name] for name in ("Wup", "Wgate", "Wdown")}
    wanted = x1 + compute("swiglu", {"X": rms(x1, w2, 0.5), **weights}, {"n": S, "h": H, "hi": HI})
    y = compute("decoder_llama", {**llama, "w1": w1, "w2": w2}, SIZES, norm_weight=True, eps=0.5)
    np.testing.assert_allclose(y, wanted, rtol=1e-11)


def test_llama_block_with_rot_computes_the_same(llama: dict[str, Any]) -> None:
    # The form for targets without lane rotation: q * cos + (q ROT) * sin.
    q = rms(llama["X"]) @ llama["Wq"][:, :D]
    by_matrix = q * llama["COS"] + (q @ reference.rotation_matrix(D)) * llama["SIN"]
    np.testing.assert_allclose(by_matrix, reference.rope(q, llama["COS"], llama["SIN"]), rtol=1e-14)
    poisoned = {**llama, "ROT": np.full((D, D), np.nan)}
    assert np.array_equal(compute("decoder_llama", poisoned, SIZES), compute("decoder_llama", llama, SIZES))


# --- T5 --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def t5() -> dict[str, Any]:
    return {
        "X": normal(11, S, H),
        **square(12, "Wq", "Wk", "Wv", "Wo"),
        "Wi": normal(16, H, HI),
        "Wff": normal(17, HI, H),
    }


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("scale_scores", "scale"), [(False, 1.0), (True, 0.5)])
@pytest.mark.parametrize("activation", ["relu", "silu", "gelu", "gelu_tanh"])
def test_t5_block_is_composed_of_its_parts(
    t5: dict[str, Any], activation: str, scale_scores: bool, scale: float, causal: bool
) -> None:
    x = t5["X"]
    x1 = x + mha(rms(x), t5, scale=scale, causal=causal)
    network = {"X": rms(x1), "Wup": t5["Wi"], "Wdown": t5["Wff"]}
    wanted = x1 + compute("ffn", network, {"n": S, "h": H, "hi": HI}, activation=activation)
    flags = {"activation": activation, "scale_scores": scale_scores, "causal": causal}
    np.testing.assert_allclose(compute("decoder_t5", t5, SIZES, **flags), wanted, rtol=1e-11)


def test_t5_cross_attention_asks_the_encoder(t5: dict[str, Any]) -> None:
    x, e, cross = t5["X"], normal(18, S, H), square(19, "Cq", "Ck", "Cv", "Co")
    x1 = x + mha(rms(x), t5, scale=1.0, causal=True)
    q, k, v = rms(x1) @ cross["Cq"], e @ cross["Ck"], e @ cross["Cv"]
    columns = [slice(i * D, i * D + D) for i in range(NH)]
    heads = [compute("sdpa", {"Q": q[:, c], "K": k[:, c], "V": v[:, c]}, {"s": S, "h": D}, scale=1.0) for c in columns]
    x2 = x1 + np.hstack(heads) @ cross["Co"]
    network = {"X": rms(x2), "Wup": t5["Wi"], "Wdown": t5["Wff"]}
    wanted = x2 + compute("ffn", network, {"n": S, "h": H, "hi": HI}, activation="relu")
    # The encoder is seen as a whole even when the block's own positions are not.
    y = compute("decoder_t5", {**t5, "E": e, **cross}, SIZES, cross=True, causal=True)
    np.testing.assert_allclose(y, wanted, rtol=1e-11)


def test_t5_gated_network_with_silu_is_swiglu(t5: dict[str, Any]) -> None:
    x, linear = t5["X"], normal(23, H, HI)
    x1 = x + mha(rms(x), t5, scale=1.0)
    network = {"X": rms(x1), "Wup": linear, "Wgate": t5["Wi"], "Wdown": t5["Wff"]}
    wanted = x1 + compute("swiglu", network, {"n": S, "h": H, "hi": HI})
    y = compute("decoder_t5", {**t5, "Wlin": linear}, SIZES, gated=True, activation="silu")
    np.testing.assert_allclose(y, wanted, rtol=1e-11)


def test_t5_norm_weights_stand_at_their_norms(t5: dict[str, Any]) -> None:
    cross = {"E": normal(18, S, H), **square(19, "Cq", "Ck", "Cv", "Co")}
    ones = {name: np.ones((1, H)) for name in ("w1", "wc", "w2")}
    plain = compute("decoder_t5", {**t5, **cross}, SIZES, cross=True)
    flags = {"cross": True, "norm_weight": True}
    assert np.array_equal(compute("decoder_t5", {**t5, **cross, **ones}, SIZES, **flags), plain)
    # A weight on a norm is the same as that weight on the rows of the matrices behind it.
    w = {name: 0.5 + np.random.default_rng(i).random((1, H)) for i, name in enumerate(ones)}
    folded = {name: w["w1"].T * t5[name] for name in ("Wq", "Wk", "Wv")}
    folded |= {"Cq": w["wc"].T * cross["Cq"], "Wi": w["w2"].T * t5["Wi"]}
    wanted = compute("decoder_t5", {**t5, **cross, **folded}, SIZES, cross=True)
    np.testing.assert_allclose(compute("decoder_t5", {**t5, **cross, **w}, SIZES, **flags), wanted, rtol=1e-10)


@pytest.mark.parametrize("slug", ["decoder_llama", "decoder_t5"])
def test_block_whose_weights_are_0_hands_its_input_on(slug: str, llama: dict[str, Any], t5: dict[str, Any]) -> None:
    inputs = {"decoder_llama": llama, "decoder_t5": t5}[slug]
    zeros = {n: v * 0 for n, v in inputs.items() if n.startswith("W")}
    assert np.array_equal(compute(slug, {**inputs, **zeros}, SIZES), inputs["X"])
