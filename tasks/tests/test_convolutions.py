"""Convolutions and the block made of one: against loops, matrix products and each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kc_tasks.suite import SUITE

TASKS = {task.slug: task for task in SUITE.tasks}


def normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def window(h: int, w: int, kh: int, kw: int, stride: int, padding: int) -> dict[str, int]:
    return {"H": h, "W": w, "KH": kh, "KW": kw, "stride": stride, "padding": padding}


def by_loops(x: Any, f: Any, stride: int, padding: int) -> Any:
    """Return a convolution, one product at a time; what lies outside of x is skipped."""
    height, width, channels = x.shape
    kh, kw, _, outputs = f.shape
    rows = [y for y in range(-padding, height + padding - kh + 1) if (y + padding) % stride == 0]
    columns = [c for c in range(-padding, width + padding - kw + 1) if (c + padding) % stride == 0]
    result = np.zeros((len(rows), len(columns), outputs))
    for a, top in enumerate(rows):
        for b, left in enumerate(columns):
            for i in range(kh):
                for j in range(kw):
                    if 0 <= top + i < height and 0 <= left + j < width:
                        for c in range(channels):
                            for o in range(outputs):
                                result[a, b, o] += x[top + i, left + j, c] * f[i, j, c, o]
    return result


SHAPES = [
    ((6, 5, 3, 3, 1, 1), (6, 5)),
    ((6, 5, 3, 3, 1, 0), (4, 3)),
    ((7, 6, 3, 2, 2, 1), (4, 4)),
    ((5, 5, 5, 5, 1, 2), (5, 5)),
    ((8, 4, 1, 1, 3, 0), (3, 2)),
]


@pytest.mark.parametrize(("sizes", "result"), SHAPES)
def test_conv2d_equals_loops(sizes: tuple[int, ...], result: tuple[int, int]) -> None:
    h, w, kh, kw, stride, padding = sizes
    x, f, bias = normal(1, h, w, 2), normal(2, kh, kw, 2, 3), normal(3, 1, 3)
    parameters = {**window(*sizes), "CI": 2, "CO": 3}
    task = TASKS["conv2d"]
    y = task.compute({"X": x, "F": f}, parameters)["Y"]
    assert y.shape == (*result, 3) == task.outputs[0].dimensions(parameters)
    np.testing.assert_allclose(y, by_loops(x, f, stride, padding), rtol=1e-12, atol=1e-13)
    y2 = task.compute({"X": x, "F": f, "bias": bias}, parameters, {"bias": True})["Y"]
    np.testing.assert_allclose(y2, y + bias.reshape(3), rtol=1e-13)


def test_conv2d_of_a_counted_image_gives_hand_computed_sums() -> None:
    x = np.arange(1.0, 10.0).reshape(3, 3, 1)  # 1 2 3 / 4 5 6 / 7 8 9
    f = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], float).reshape(3, 3, 1, 1)
    parameters = {**window(3, 3, 3, 3, 1, 1), "CI": 1, "CO": 1}
    y = TASKS["conv2d"].compute({"X": x, "F": f}, parameters)["Y"]
    assert y.reshape(3, 3).tolist() == [[2, 1, -4], [-3, 0, -7], [-16, -11, -22]]


def test_filter_is_not_flipped() -> None:
    x = np.arange(1.0, 5.0).reshape(1, 4, 1)
    f = np.array([1.0, 0.0]).reshape(1, 2, 1, 1)
    parameters = {**window(1, 4, 1, 2, 1, 0), "CI": 1, "CO": 1}
    assert TASKS["conv2d"].compute({"X": x, "F": f}, parameters)["Y"].ravel().tolist() == [1, 2, 3]


def test_conv2d_with_a_1_by_1_filter_is_gemm() -> None:
    x, f = normal(4, 8, 8, 4), normal(5, 1, 1, 4, 6)
    y = TASKS["conv2d"].compute({"X": x, "F": f}, {**window(8, 8, 1, 1, 1, 0), "CI": 4, "CO": 6})["Y"]
    product = TASKS["gemm"].compute({"A": x.reshape(64, 4), "B": f[0, 0]}, {"M": 64, "K": 4, "N": 6})["Y"]
    np.testing.assert_allclose(y.reshape(64, 6), product, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("sizes", "result"), SHAPES)
def test_depthwise_conv_is_conv2d_with_diagonal_filters(sizes: tuple[int, ...], result: tuple[int, int]) -> None:
    h, w, kh, kw, _, _ = sizes
    x, f, bias = normal(6, h, w, 3), normal(7, kh, kw, 3), normal(8, 1, 3)
    diagonal = f[:, :, :, None] * np.eye(3)
    parameters = {**window(*sizes), "C": 3}
    y = TASKS["depthwise_conv"].compute({"X": x, "F": f, "bias": bias}, parameters, {"bias": True})["Y"]
    full = {**window(*sizes), "CI": 3, "CO": 3}
    wanted = TASKS["conv2d"].compute({"X": x, "F": diagonal, "bias": bias}, full, {"bias": True})["Y"]
    assert y.shape == (*result, 3) == TASKS["depthwise_conv"].outputs[0].dimensions(parameters)
    np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-14)


# --- the block -------------------------------------------------------------------------------------------------------

BLOCK = {**window(6, 5, 3, 3, 1, 1), "CI": 2, "CO": 3}


def test_conv_block_equals_conv2d_scale_shift_relu() -> None:
    x, f, scale, shift = normal(9, 6, 5, 2), normal(10, 3, 3, 2, 3), normal(11, 1, 3), normal(12, 1, 3)
    y = TASKS["conv_block"].compute({"X": x, "F": f, "scale": scale, "shift": shift}, BLOCK)["Y"]
    wanted = by_loops(x, f, 1, 1) * scale[0] + shift[0]
    assert (wanted < 0).any()
    np.testing.assert_allclose(y, np.where(wanted > 0, wanted, 0), rtol=1e-12, atol=1e-14)


def test_conv_block_with_batch_norm_equals_the_folded_one() -> None:
    gamma, beta, mean = (normal(seed, 1, 3) for seed in (13, 14, 15))
    var = np.array([[0.5, 1.0, 2.0]])
    scale = gamma / np.sqrt(var + 0.25)
    image = {"X": normal(9, 6, 5, 2), "F": normal(10, 3, 3, 2, 3)}
    batch = {**image, "gamma": gamma, "beta": beta, "mean": mean, "var": var}
    y = TASKS["conv_block"].compute(batch, BLOCK, {"norm": "batch", "eps": 0.25})["Y"]
    folded = TASKS["conv_block"].compute({**image, "scale": scale, "shift": beta - mean * scale}, BLOCK)["Y"]
    np.testing.assert_allclose(y, folded, rtol=1e-11, atol=1e-13)


def test_batch_norm_with_the_moments_of_the_convolution_centres_it() -> None:
    image = {"X": normal(9, 6, 5, 2), "F": normal(10, 3, 3, 2, 3)}
    plain = TASKS["conv2d"].compute(image, BLOCK)["Y"].reshape(-1, 3)
    moments = {"mean": plain.mean(axis=0, keepdims=True), "var": plain.var(axis=0, keepdims=True)}
    batch = {**image, **moments, "gamma": np.ones((1, 3)), "beta": np.full((1, 3), 10.0)}
    y = TASKS["conv_block"].compute(batch, BLOCK, {"norm": "batch", "eps": 0.0})["Y"].reshape(-1, 3)
    np.testing.assert_allclose(y.mean(axis=0), 10.0)  # nothing is cut off by ReLU, so mean and variance show
    np.testing.assert_allclose(y.var(axis=0), 1.0)
