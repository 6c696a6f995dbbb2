"""Kernels of tasks without a published baseline: results on noisy memory, cycles, structure, building blocks.

Results are compared with NumPy references that round to bfloat16 where the hardware must store to VRAM (KernelCraft,
arXiv 2603.08721, section C: atol 0.012, rtol 0.01).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kc_plena.baseline import attention_blocks as ab
from kc_plena.baseline import blocks, elementwise
from kc_plena.baseline.emitter import Emitter
from kc_plena.baseline.flash import flash_attention
from kc_plena.baseline.gemv import gemv
from kc_plena.baseline.rope import rope
from kc_plena.baseline.sdpa import sdpa
from kc_plena.baseline.softmax import softmax
from kc_plena.baseline.transfer_index import get_transfer_index
from kc_plena.numerics import round_bf16
from kc_plena.packing import build_image, from_column_blocks, to_column_blocks
from kc_plena.shapes import CONFIGS, SHAPES, layout

KERNELS: dict[str, Callable[..., str]] = {
    "relu": elementwise.relu,
    "softmax": softmax,
    "gemv": gemv,
    "rope": rope,
    "sdpa": sdpa,
    "flash_attention": flash_attention,
}
CYCLES = {
    "relu": (100, 323, 606, 2_321, 4_553),
    "softmax": (128, 452, 879, 3_332, 6_588),
    "gemv": (1_733, 3_389, 7_396, 14_777, 31_168),
    "rope": (1_503, 5_133, 5_402, 10_134, 20_944),
    "sdpa": (20_319, 73_978, 145_323, 287_571, 565_462),
    "flash_attention": (21_292, 76_807, 149_948, 302_248, 591_425),
}
"""What the programs take with the exact HBM model: a record against unintended change, not a claim of anybody."""
CELLS = [(task, config) for task in KERNELS for config in CONFIGS]


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a matrix product as the hardware stores it."""
    return round_bf16((a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32))


def softmax_of(x: np.ndarray) -> np.ndarray:
    """Return the softmax of each row, rounded once."""
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return round_bf16((e / e.sum(1, keepdims=True)).astype(np.float32))


def attention_of(q: np.ndarray, k: np.ndarray, v: np.ndarray, factor: float) -> np.ndarray:
    """Return softmax(factor * q k^T) v, rounded after each step."""
    return product(softmax_of(round_bf16(product(q, k.T) * np.float32(factor))), v)


def golden(task: str, v: dict[str, np.ndarray], factor: float) -> np.ndarray:
    """Return the expected result from dequantised inputs."""
    match task:
        case "relu":
            return np.maximum(v["X"], np.float32(0))
        case "softmax":
            return softmax_of(v["X"])
        case "gemv":
            return product(v["x"].reshape(1, -1), v["A"].T)
        case "rope":
            return round_bf16(round_bf16(v["X"] * v["COS"]) + round_bf16(v["XROT"] * v["SIN"]))
    return attention_of(v["Q"], v["K"], v["V"], factor)


def run(target, text: str, state: dict, seed: int):
    """Return the result of a program on a machine whose undefined memory holds noise."""
    program = target.assemble(text)
    assert not program.diagnostics
    result = target.simulate(program, state=state, fill="pattern", seed=seed, strict=True)
    assert result.status == "halted", result.trap
    return result


def activation(result, address: int, rows: int, cols: int) -> np.ndarray:
    """Return an activation [rows, cols] from VRAM."""
    first = address // 64
    held = np.asarray(result.state["vram"][first : first + rows * cols // 64], np.float32)
    return from_column_blocks(held, rows, cols)


def execute(target, task: str, config: str, tensors: list[tuple[str, np.ndarray]], seed: int):
    """Run a kernel; return (result, expected result, cycles)."""
    place = layout(task, config)
    image = build_image(tensors)
    hbm = np.concatenate([image.data, np.zeros(place.padding, np.uint8)])
    text = KERNELS[task](*SHAPES[task][config].values())
    result = run(target, text, {"hbm": hbm, "fp_mem": list(place.fp_mem)}, seed)
    assert result.undefined_reads == ()
    values = {name: np.asarray(image.values[name], np.float32) for name, _ in tensors}
    factor = float(np.float16(place.fp_mem[1])) if len(place.fp_mem) > 1 else 1.0
    return activation(result, place.output, *place.shape), golden(task, values, factor), result.cycles


def draw(task: str, config: str, seed: int, scale: float = 1.0, offset: float = 0.0) -> list[tuple[str, np.ndarray]]:
    """Return normal inputs in bfloat16."""
    rng = np.random.default_rng(seed)
    shapes = layout(task, config).tensors
    return [(name, round_bf16((scale * rng.standard_normal(s) + offset).astype(np.float32))) for name, s in shapes]


def assert_close(got: np.ndarray, expected: np.ndarray) -> None:
    """Assert the criterion of the paper, and a small relative error of the whole."""
    assert got.shape == expected.shape
    assert (np.abs(got - expected) <= 0.012 + 0.01 * np.abs(expected)).all()
    assert np.linalg.norm(got - expected) <= 0.01 * np.linalg.norm(expected)


# ---- kernels --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_is_right_on_noisy_memory_and_takes_the_recorded_cycles(plena, task, config):
    for seed in (1, 2):
        got, expected, cycles = execute(plena, task, config, draw(task, config, seed), seed)
        assert_close(got, expected)
        assert cycles == CYCLES[task][CONFIGS.index(config)]


@pytest.mark.parametrize(("scale", "offset"), [(8, 0), (0.1, 0), (1, 2), (1, -2), (1, 24), (1, -24)])
@pytest.mark.parametrize("task", ["relu", "softmax"])
@pytest.mark.parametrize("config", ["C1", "C4"])
def test_row_kernels_are_right_for_large_small_and_shifted_inputs(plena, task, config, scale, offset):
    got, expected, _ = execute(plena, task, config, draw(task, config, 3, scale, offset), 3)
    assert_close(got, expected)


def test_relu_is_exact(plena):
    tensors = draw("relu", "C2", 4)
    tensors[0][1][:, ::7] = 0.0
    got, expected, _ = execute(plena, "relu", "C2", tensors, 4)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("task", ["sdpa", "flash_attention"])
@pytest.mark.parametrize("config", ["C1", "C4"])
@pytest.mark.parametrize("sign", [1, -1])
def test_attention_is_right_when_all_scores_have_one_sign(plena, task, config, sign):
    """A maximum that starts at 0 is wrong for negative scores."""
    tensors = [(name, np.abs(x) * (sign if name == "K" else 1)) for name, x in draw(task, config, 5)]
    assert_close(*execute(plena, task, config, tensors, 5)[:2])


@pytest.mark.parametrize("gap", [6.0, 12.0])
@pytest.mark.parametrize("larger", [0, 1])
@pytest.mark.parametrize("config", ["C4", "C5"])
def test_flash_attention_carries_its_maximum_over_key_tiles(plena, config, larger, gap):
    """Scores of one key tile lie `gap` above those of the other.

    At 6 both matter, because V is larger in the other tile; at 12 the ratio of their weights is no binary16 number.
    """
    tensors = dict(draw("flash_attention", config, 6))
    width = SHAPES["flash_attention"][config]["h"]
    tensors["Q"][:, 0] = 2.0
    tensors["K"][64 * larger : 64 * larger + 64, 0] += 0.5 * gap * width**0.5
    tensors["V"][64 * (1 - larger) : 64 * (1 - larger) + 64] += 32.0
    got, expected, _ = execute(plena, "flash_attention", config, list(tensors.items()), 6)
    assert_close(got, expected)


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_program_is_short_and_always_the_same(task, config):
    sizes = SHAPES[task][config].values()
    text = KERNELS[task](*sizes)
    assert text == KERNELS[task](*sizes)
    assert len(text.splitlines()) < 200
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    ("make", "sizes", "message"),
    [
        (gemv, (32, 256), r"\[32, 256\] is not cut"),
        (gemv, (64, 320), r"\[64, 320\] is not cut"),
        (softmax, (4, 320), "a row of 320"),
        (softmax, (4, 96), "a width of 96"),
        (rope, (6, 64), "6 rows"),
        (sdpa, (32, 128), "fewer than 64 positions"),
        (sdpa, (20, 64), "20 lanes"),
        (flash_attention, (96, 64), "96 positions"),
        (get_transfer_index, (2, 64, 512, 8), "2 x 64 x 512"),
        (get_transfer_index, (2, 32, 256, 8), "2 x 32 x 256"),
        (get_transfer_index, (5, 64, 256, 8), "5 x 64 x 256"),
    ],
)
def test_sizes_that_a_kernel_is_not_made_for_are_refused(make, sizes, message):
    with pytest.raises(ValueError, match=message):
        make(*sizes)


# ---- get_transfer_index ---------------------------------------------------------------------------------------------


def transfer_of(logits: np.ndarray, mask: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    """Return x, then x0 (2 * 128,): of equal logits and of equal confidences the first one counts."""
    exact = logits.astype(np.float64)
    x0 = np.where(mask, exact.argmax(1), x)
    confidence = np.where(mask, 1 / np.exp(exact - exact.max(1, keepdims=True)).sum(1), -1.0)
    after = x.copy()
    for batch in np.arange(x.size).reshape(-1, 64):
        best = batch[np.argsort(-confidence[batch], kind="stable")[:k]]
        best = best[mask[best]]
        after[best] = x0[best]
    return np.concatenate([after, x0])


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("offset", [0.0, -12.0])
def test_transfer_index_matches_reference(dllm, seed, offset):
    rng = np.random.default_rng(seed)
    mask = rng.random((2, 64)) < 0.5
    logits = (3 * rng.standard_normal((128, 256)) + offset).astype(np.float32)
    check_transfer(dllm, rng, logits, mask, seed)


@pytest.mark.parametrize("masked", [0, 3, 8, 64])
def test_transfer_index_with_few_or_all_positions_masked(dllm, masked):
    rng = np.random.default_rng(masked)
    mask = np.stack([rng.permutation(64) < masked for _ in range(2)])
    check_transfer(dllm, rng, (3 * rng.standard_normal((128, 256))).astype(np.float32), mask, 7)


def test_transfer_index_takes_the_first_of_equal_logits_and_positions(dllm):
    rng = np.random.default_rng(8)
    logits = np.full((128, 256), -1.0, np.float32)
    logits[:, [70, 130, 255]] = 2.0
    check_transfer(dllm, rng, logits, np.ones((2, 64), np.bool_), 8)


def check_transfer(target, rng: np.random.Generator, logits: np.ndarray, mask: np.ndarray, seed: int) -> None:
    """Run C1 on these inputs and assert both results, and the recorded cycles."""
    image = build_image([("logits", logits), ("mask", mask.astype(np.float32))])
    tokens = rng.integers(0, 256, 256)
    state = {"hbm": image.data, "fp_mem": [0.0], "int_mem": tokens}
    text = get_transfer_index(*SHAPES["get_transfer_index"]["C1"].values())
    result = run(target, text, state, seed)
    expected = transfer_of(np.asarray(image.values["logits"]), mask.ravel(), tokens[:128], 8)
    np.testing.assert_array_equal(np.asarray(result.state["int_mem"][:256]), expected)
    assert result.cycles == 13_281


# ---- building blocks ------------------------------------------------------------------------------------------------


@given(st.sampled_from([64, 128, 192, 256]), st.integers(1, 9), st.sampled_from([None, 0.25, -2.0]), st.integers(0, 99))
@settings(deadline=None, max_examples=25)
def test_softmax_rows_matches_reference_for_any_width_and_factor(width, rows, factor, seed):
    import kernelcraft_core as kc

    x = round_bf16(np.random.default_rng(seed).standard_normal((rows, width)).astype(np.float32) * 2)
    asm = Emitter("softmax rows")
    ab.softmax_rows(asm, rows, width, src=128, lowest=0, factor=None if factor is None else 1)
    vram = np.concatenate([np.zeros((2, 64), np.float32), to_column_blocks(x)])
    result = run(kc.target("plena"), asm.text(), {"vram": vram, "fp_mem": [-np.inf, factor or 0.0]}, seed)
    assert_close(activation(result, 128, rows, width), softmax_of(x * np.float32(factor or 1)))


@pytest.mark.parametrize("valid", [16, 32, 48])
def test_exclusion_row_replaces_the_other_lanes_whatever_they_hold(plena, valid):
    asm = Emitter("exclude")
    ab.exclusion_row(asm, 64, valid, 0)
    asm.op("V_ADD_VV", "gp0", "gp1", "gp0", 1)  # gp1 still points at the row
    row = np.arange(64, dtype=np.float32)
    expected = np.where(row < valid, row, -np.inf)
    row[valid:] = np.resize([np.nan, np.inf, 3.0], 64 - valid)
    result = run(plena, asm.text(), {"vram": row.reshape(1, 64), "fp_mem": [-np.inf]}, 1)
    np.testing.assert_array_equal(np.asarray(result.state["vram"][0]), expected)


@pytest.mark.parametrize("valid", [0, 8, 64, 80])
def test_exclusion_row_refuses_lanes_the_mask_cannot_cut(valid):
    with pytest.raises(ValueError, match=f"{valid} lanes"):
        ab.exclusion_row(Emitter("exclude"), 0, valid, 0)


@pytest.mark.parametrize("rows", [4, 32, 60])
def test_store_padded_keeps_the_rows_and_appends_zeros(plena, rows):
    x = build_image([("x", np.random.default_rng(rows).standard_normal((rows, 64)))]).values["x"]
    asm = Emitter("pad")
    matrix = ab.store_padded(asm, rows, src=64, base="a0")
    assert matrix == ab.Matrix("a0", 64, 4096)
    blocks.preload(asm, 64, 64, base=matrix.base, dest=8192)
    vram = np.concatenate([np.zeros((1, 64), np.float32), x])
    got = activation(run(plena, asm.text(), {"vram": vram}, 1), 8192, 64, 64)
    np.testing.assert_array_equal(got[:rows], x)
    assert not got[rows:].any()


def test_attend_works_on_heads_inside_matrices_with_addresses_in_registers(plena):
    """Two heads of width 64, 8 queries, 128 keys; head i has columns 64 i of K and V."""
    rng = np.random.default_rng(9)
    q = round_bf16(rng.standard_normal((8, 128)).astype(np.float32))
    image = build_image([(name, rng.standard_normal((128, 128))) for name in ("K", "V")])
    asm = Emitter("two heads")
    blocks.set_bases(asm, image.offsets["V"])
    k, v = (ab.Matrix(base, 128, 128 * 128) for base in ("a0", "a1"))
    pointer, off = "gp12", "gp13"
    blocks.li(asm, pointer, 0)
    blocks.li(asm, off, 0)
    with asm.loop("gp14", 2):
        args = {"q": pointer, "dst": pointer, "k_offset": off, "v_offset": off}
        ab.attend(asm, 8, 128, 64, k=k, v=v, scores=1024, lowest=1, factor=0, **args)
        blocks.advance(asm, pointer, 8 * 64)
        blocks.advance(asm, off, 64)
    state = {"hbm": image.data, "vram": to_column_blocks(q), "fp_mem": [0.125, -np.inf]}
    got = activation(run(plena, asm.text(), state, 1), 0, 8, 128)
    for head in (slice(0, 64), slice(64, 128)):
        keys, values = (np.asarray(image.values[name], np.float32)[:, head] for name in ("K", "V"))
        assert_close(got[:, head], attention_of(q[:, head], keys, values, 0.125))
