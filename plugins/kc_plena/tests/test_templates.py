"""The template compiler: instruction counts, closed forms of the cycles, hygiene of the text, and results.

Counts and closed forms are checked by expanding the loops of the text here, without the simulator; results are compared
with a NumPy reference that rounds to bfloat16 where the hardware stores to VRAM (KernelCraft, arXiv 2603.08721,
section C: atol 0.012, rtol 0.01).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelcraft_core as kc
from kc_plena.baseline import (
    ATTENTION_KERNEL,
    CONFIGS,
    KINDS,
    PUBLISHED,
    SHAPES,
    attention_kernel,
    blocks,
    flavours,
    layout,
    program,
)
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes
from kc_plena.packing import build_image, from_column_blocks

COST = {
    **dict.fromkeys(("M_MM", "M_TMM"), 64),
    **dict.fromkeys(("V_ADD_VV", "V_ADD_VF", "V_SUB_VF", "V_RECI_V"), 2),
    **dict.fromkeys(("M_MM_WO", "V_MUL_VV", "V_MUL_VF", "V_EXP_V"), 1),
    **dict.fromkeys(("S_ADD_FP", "S_SUB_FP", "S_MUL_FP", "S_RECI_FP", "S_SQRT_FP", "S_LD_FP"), 1),
    **dict.fromkeys(("S_ADD_INT", "S_ADDI_INT", "S_LUI_INT"), 1),
    **dict.fromkeys(("C_SET_ADDR_REG", "C_SET_SCALE_REG", "C_SET_STRIDE_REG", "C_LOOP_START", "C_LOOP_END"), 1),
    "V_RED_SUM": 8,
    "V_RED_MAX": 4,
    **dict.fromkeys(("H_PREFETCH_M", "H_PREFETCH_V", "H_STORE_V"), 0),
}
"""Cycles of an instruction; HBM transfers count nothing here."""

TASKS = (*PUBLISHED, "batch_matmul")
"""Tasks of this file; those without a published program or a closed form have tests of their own."""
ALL = [(task, config, flavour) for task in TASKS for config in CONFIGS for flavour in flavours(task)]


def instructions(text: str) -> list[str]:
    """Return the instructions of a program, comments and indentation removed."""
    bare = (line.split(";")[0].strip() for line in text.splitlines())
    return [line for line in bare if line]


@dataclass
class Count:
    """What a program executes with all loops expanded."""

    dynamic: int = 0
    cycles: int = 0
    mnemonics: Counter = field(default_factory=Counter)


def count(text: str) -> Count:
    """Expand the loops of a program; they nest properly and no body writes its counter (see the hygiene test)."""
    stack = [(1, Count())]
    for line in instructions(text):
        mnemonic, _, operands = line.partition(" ")
        if mnemonic == "C_LOOP_START":
            stack[-1][1].dynamic += 1
            stack[-1][1].cycles += 1
            stack.append((int(operands.split(",")[1]), Count()))
            continue
        top = stack[-1][1]
        top.dynamic += 1
        top.cycles += COST[mnemonic]
        top.mnemonics[mnemonic] += 1
        if mnemonic == "C_LOOP_END":
            times, body = stack.pop()
            outer = stack[-1][1]
            outer.dynamic += times * body.dynamic
            outer.cycles += times * body.cycles
            for name, n in body.mnemonics.items():
                outer.mnemonics[name] += times * n
    ((_, total),) = stack
    return total


# ---- counts ---------------------------------------------------------------------------------------------------------

DYNAMIC = {
    "gemm": (178, 769, 2_787, 8_547, 33_439),
    "ffn": (610, 2_891, 10_215),
    "swiglu": (1_363, 5_404),
}


@pytest.mark.parametrize(
    ("task", "config", "expected"),
    [(task, config, n) for task, counts in DYNAMIC.items() for config, n in zip(CONFIGS, counts, strict=False)],
)
def test_dynamic_instructions(task, config, expected):
    assert count(program(task, config)).dynamic == expected


def test_dynamic_instructions_of_attention_kernel():
    counted = count(attention_kernel())
    assert counted.dynamic == 3_677
    assert counted.cycles == 36_619
    assert counted.mnemonics["H_PREFETCH_V"] == 16
    assert counted.mnemonics["H_PREFETCH_M"] == 2


def test_batch_matmul_c5_executes_about_as_much_looped_as_unrolled():
    looped = count(program("batch_matmul", "C5", "looped"))
    unrolled = count(program("batch_matmul", "C5", "unrolled"))
    assert looped.mnemonics["M_MM"] == unrolled.mnemonics["M_MM"] == 32 * 64 * 256 * 512 // (4 * 4 * 64)
    assert 1_050_000 < unrolled.dynamic < looped.dynamic < 1_200_000
    assert len(instructions(program("batch_matmul", "C5", "looped"))) < 100


def _preload(b: int, h: int, per_call: int = 4) -> int:
    more = b > per_call
    return 7 + h // 64 * (1 + more + -(-b // per_call) * (1 + 2 * more) + 2)


def _li(value: int) -> int:
    return 1 if value < 1 << 18 or value % 4096 == 0 else 2


def _bases(*addresses: int) -> int:
    return sum(1 + _li(address) for address in addresses)


def _projection(b: int, inner: int, out: int) -> int:
    k, n, r = inner // 64, out // 64, b // 4
    return 6 + (n - 1) + n * (4 + 2 * k + 30 + 16 * r * (4 + 66 * k))


def _gemm_loop(b: int, inner: int, out: int, *, through_register: bool = False) -> int:
    k, n, r = inner // 64, out // 64, b // 4
    group = 2 + 66 * k - 1 + 4
    return 1 + n * (2 + 2 * k + 3 + 16 * (2 + through_register + r * group + 4) + 3)


def _closed_form(task: str, config: str, flavour: str) -> int:
    """Return the cycles of a program without its HBM transfers."""
    p = tuple(SHAPES[task][config].values())
    match task:
        case "silu" | "gelu":
            b, h = p
            body = (4, 10) if task == "silu" else (5, 11)
            return 7 + _preload(b, h, b if flavour == "published" else 4) + body[0] + body[1] * b * h // 64
        case "rmsnorm":
            b, h = p
            return 7 + _preload(b, h) + 4 + b * (7 + 12 * h // 64)
        case "layernorm":
            b, h = p
            return 7 + _preload(b, h) + 5 + b * (11 + 22 * h // 64)
        case "gemm":
            m, k, n = p
            return 4 + 7 + _preload(m, k) + _projection(m, k, n)
        case "linear":
            m, k, n = p
            return 4 + 7 + _preload(m, k, 1) + _projection(m, k, n) + 5 + n // 64 * (2 + 4 * m)
        case "ffn":
            n, h, hi = p
            bases = _bases(packed_bytes(n, h), packed_bytes(n, h) + packed_bytes(h, hi))
            middle = _projection(n, h, hi) + 4 + 10 * n * hi // 64 + _projection(n, hi, h)
            return bases + 8 + _preload(n, h, 1) + middle
        case "swiglu":
            n, h, hi = p
            x, w = packed_bytes(n, h), packed_bytes(h, hi)
            bases = _bases(x, x + w, x + 2 * w)
            up = 9 + _gemm_loop(n, h, hi)
            gate = 3 + _gemm_loop(n, h, hi)
            act = 5 + n * hi // 64 * (2 + 1 + 2 + 2 + 1 + 1 + 3)
            down = 8 + _gemm_loop(n, hi, h, through_register=True)
            return bases + 3 + _preload(n, h) + up + gate + act + down
    raise KeyError(task)


@pytest.mark.parametrize(("task", "config", "flavour"), [row for row in ALL if row[0] != "batch_matmul"])
def test_cycles_without_hbm_equal_closed_form(task, config, flavour):
    assert count(program(task, config, flavour)).cycles == _closed_form(task, config, flavour)


@pytest.mark.parametrize(
    ("task", "expected"), [("silu", 62), ("gelu", 67), ("rmsnorm", 98), ("layernorm", 155), ("gemm", 1421 - 237)]
)
def test_cycles_without_hbm_of_c1(task, expected):
    assert count(program(task, "C1")).cycles == expected


@pytest.mark.parametrize(("task", "config"), [("gemm", "C1"), ("gemm", "C4"), ("ffn", "C3"), ("swiglu", "C3")])
def test_matrix_products_are_near_the_m_mm_bound(task, config):
    counted = count(program(task, config))
    busy = 64 * counted.mnemonics["M_MM"]
    assert 0.8 < busy / counted.cycles < 1


# ---- the text -------------------------------------------------------------------------------------------------------

REGISTER = re.compile(r"(gp|f|a)(\d+)")


def _check_hygiene(text: str) -> None:
    """Assert what holds for every template: closed loops, free counters, ranges, gp0 kept at zero."""
    assert text.isascii()
    assert text.endswith("\n")
    assert max(map(len, text.splitlines())) <= 120
    open_loops: list[str] = []
    for line in instructions(text):
        mnemonic, _, rest = line.partition(" ")
        operands = rest.split(", ")
        assert mnemonic in COST, line
        for operand in operands:
            if found := REGISTER.fullmatch(operand):
                assert int(found[2]) < (16 if found[1] == "gp" else 8), line
            else:
                assert operand.isdigit(), line
                assert int(operand) < (1 << 22 if mnemonic in ("S_LUI_INT", "C_LOOP_START") else 1 << 18), line
        if mnemonic == "C_LOOP_START":
            assert operands[0] not in open_loops, line
            assert int(operands[1]) >= 1, line
            open_loops.append(operands[0])
        elif mnemonic == "C_LOOP_END":
            assert operands == [open_loops.pop()], line
        elif mnemonic in ("S_ADDI_INT", "S_ADD_INT", "S_LUI_INT"):
            assert operands[0] != "gp0", line
            assert operands[0] not in open_loops, line
        elif mnemonic in ("S_ADD_FP", "S_MUL_FP", "S_LD_FP", "V_RED_SUM", "V_RED_MAX"):
            assert operands[0] != "f0", line
    assert not open_loops


@pytest.mark.parametrize(("task", "config", "flavour"), [row for row in ALL if row[1:] != ("C5", "unrolled")])
def test_text_is_clean_and_deterministic(task, config, flavour):
    text = program(task, config, flavour)
    _check_hygiene(text)
    assert text == program(task, config, flavour)


def test_attention_text_is_clean():
    _check_hygiene(attention_kernel())


def test_corrected_is_published_wherever_that_is_right():
    for task, config, flavour in ALL:
        if flavour == "published":
            same = program(task, config, "published") == program(task, config, "corrected")
            assert same == (task not in ("silu", "gelu") or config == "C1"), (task, config)


def test_default_flavour_is_corrected_or_looped():
    assert program("silu", "C2") == program("silu", "C2", "corrected") != program("silu", "C2", "published")
    assert program("batch_matmul", "C2") == program("batch_matmul", "C2", "looped")
    assert program("gemv", "C2") == program("gemv", "C2", "template")
    assert {*(flavour for _, _, flavour in ALL), "template"} == set(KINDS)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("gemw", "C1"), "no template for task 'gemw'"),
        (("gemv", "C1", "published"), "no flavour 'published' of gemv"),
        (("get_transfer_index", "C2"), "no config 'C2'"),
        (("silu", "C6"), "no config 'C6'"),
        (("silu", "C1", "looped"), "no flavour 'looped' of silu"),
        (("batch_matmul", "C1", "published"), "no flavour 'published' of batch_matmul"),
    ],
)
def test_unknown_names_are_refused(args, message):
    with pytest.raises(ValueError, match=message):
        program(*args)


def test_shapes_the_templates_cannot_cut_are_refused():
    asm = Emitter("test")
    with pytest.raises(ValueError, match="6 rows"):
        blocks.preload(asm, 6, 64)
    with pytest.raises(ValueError, match="width of 96"):
        blocks.projection(asm, 4, 96, 64, base="a1", src=0, dst=0)
    with pytest.raises(ValueError, match="1025 tiles"):
        blocks.projection(asm, 4, 65_600, 64, base="a1", src=0, dst=0)
    with pytest.raises(ValueError, match="18-bit"):
        blocks.advance(asm, "gp1", 1 << 18)
    with pytest.raises(ValueError, match="32 bits"):
        blocks.li(asm, "gp1", 1 << 32)
    with pytest.raises(ValueError, match="loop count 0"), asm.loop("gp1", 0):
        pass


@given(st.integers(0, (1 << 32) - 1))
@settings(deadline=None)
def test_li_builds_any_32_bit_constant(value):
    asm = Emitter("constant")
    blocks.li(asm, "gp1", value)
    total = 0
    for line in instructions(asm.text()):
        mnemonic, dst, *operands = line.replace(",", "").split()
        assert dst == "gp1"
        if mnemonic == "S_LUI_INT":
            total = int(operands[0]) << 12
        else:
            total = (total if operands[0] == "gp1" else 0) + int(operands[1])
    assert total == value


def test_import_is_light():
    code = "import sys, kc_plena.baseline; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_packed_bytes_rounds_elements_and_scales_to_64():
    assert packed_bytes(4, 64) == 320
    assert packed_bytes(64, 64) == 4608
    assert packed_bytes(1, 64) == 128
    assert packed_bytes(3, 5) == 128


# ---- results --------------------------------------------------------------------------------------------------------


def bf16(x: np.ndarray) -> np.ndarray:
    """Round finite float32 values to the nearest bfloat16, ties to even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a matrix product as the hardware stores it."""
    return bf16((a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32))


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x)) in float32."""
    return np.float32(1) / (np.float32(1) + np.exp(-x))


def golden(task: str, v: dict[str, np.ndarray], batch: int = 1) -> np.ndarray:
    """Return the expected result from dequantised float32 inputs."""
    match task:
        case "silu":
            return bf16(v["X"] * sigmoid(v["X"]))
        case "gelu":
            t = bf16(np.exp(bf16(-bf16(np.float32(1.702) * v["X"]))))
            return bf16(bf16(np.float32(1) / bf16(t + np.float32(1))) * v["X"])
        case "rmsnorm":
            x = v["X"].astype(np.float64)
            return bf16((x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-6)).astype(np.float32))
        case "layernorm":
            x = v["X"].astype(np.float64)
            scaled = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-6)
            return bf16(scaled.astype(np.float32))
        case "gemm":
            return product(v["A"], v["B"])
        case "linear":
            return bf16(product(v["X"], v["W"]) + v["bias"].reshape(1, -1))
        case "batch_matmul":
            pairs = zip(np.split(v["A"], batch), np.split(v["W"], batch), strict=True)
            return np.concatenate([product(a, w) for a, w in pairs])
        case "ffn":
            up = product(v["X"], v["Wup"])
            return product(bf16(up * sigmoid(up)), v["Wdown"])
        case "swiglu":
            up, gate = product(v["X"], v["Wup"]), product(v["X"], v["Wgate"])
            return product(bf16(up * sigmoid(up) * gate), v["Wdown"])
        case "attention":
            scores = bf16(product(v["Q"], v["K"].T) * np.float32(0.125))
            e = np.exp(scores - scores.max(1, keepdims=True))
            return product(bf16(e / e.sum(1, keepdims=True)), v["V"])
    raise KeyError(task)


def draw(place, seed: int) -> list[tuple[str, np.ndarray]]:
    """Return inputs: activations N(0, 1), weights N(0, 1) / sqrt(rows), bias N(0, 0.1), norm weights 1."""
    rng = np.random.default_rng(seed)
    tensors = []
    for name, (rows, cols) in place.tensors:
        x = rng.standard_normal((rows, cols))
        if name == "w":
            x = np.ones((rows, cols))
        elif name == "bias":
            x = 0.1 * x
        elif name[0] in "BW":
            x = x / np.sqrt(rows // place.batch)
        tensors.append((name, bf16(x.astype(np.float32))))
    return tensors


@pytest.fixture(scope="module")
def plena():
    return kc.target("plena")


def execute(target, text: str, place, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Run a program on drawn inputs; return its result [batch * rows, cols] and the dequantised inputs."""
    tensors = draw(place, seed)
    image = build_image(tensors)
    assert {name: int(image.offsets[name]) for name, _ in tensors} == place.addresses
    result = target.simulate(target.assemble(text), state={"hbm": image.data, "fp_mem": list(place.fp_mem)})
    assert result.status == "halted", result.trap
    rows, cols = place.shape
    first, each = place.output // 64, rows * cols // 64
    vram = np.asarray(result.state["vram"][first : first + each * place.batch], np.float32)
    parts = [from_column_blocks(part, rows, cols) for part in np.split(vram, place.batch)]
    values = {name: np.asarray(image.values[name], np.float32).reshape(x.shape) for name, x in tensors}
    return np.concatenate(parts), values


def matching(result: np.ndarray, expected: np.ndarray) -> float:
    """Return the share of elements within the tolerance."""
    assert result.shape == expected.shape
    return float((np.abs(result - expected) <= 0.012 + 0.01 * np.abs(expected)).mean())


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("task", "config", "flavour"),
    [row for row in ALL if row[1] in ("C1", "C2") and (row[1:] == ("C1", "published") or row[2] != "published")],
)
def test_result_matches_reference(plena, task, config, flavour, seed):
    place = layout(task, config)
    result, values = execute(plena, program(task, config, flavour), place, seed)
    assert matching(result, golden(task, values, place.batch)) == 1.0


@pytest.mark.parametrize("seed", [1, 2])
def test_attention_kernel_matches_reference(plena, seed):
    result, values = execute(plena, attention_kernel(), ATTENTION_KERNEL, seed)
    expected = golden("attention", values)
    assert matching(result, expected) == 1.0
    assert np.abs(result - expected).max() < 0.01


@pytest.mark.parametrize("task", ["silu", "gelu"])
def test_published_elementwise_program_leaves_half_of_c2_out(plena, task):
    place = layout(task, "C2")
    result, values = execute(plena, program(task, "C2", "published"), place, 1)
    assert 0.4 < matching(result, golden(task, values)) < 0.7


def test_store_act_and_preload_return_the_activation(plena):
    rows, cols = 8, 128
    packed = packed_bytes(rows, cols)
    asm = Emitter("store and read back")
    blocks.set_bases(asm, packed)
    blocks.preload(asm, rows, cols)
    blocks.store_act(asm, rows, cols, base="a1")
    blocks.preload(asm, rows, cols, base="a1", dest=rows * cols)
    x = np.random.default_rng(3).standard_normal((rows, cols)).astype(np.float32)
    image = build_image([("X", bf16(x))])
    result = plena.simulate(plena.assemble(asm.text()), state={"hbm": image.data})
    assert result.status == "halted", result.trap
    vram = np.asarray(result.state["vram"][:32], np.float32)
    expected = np.asarray(image.values["X"], np.float32).reshape(rows, cols)
    np.testing.assert_array_equal(from_column_blocks(vram[:16], rows, cols), expected)
    np.testing.assert_array_equal(vram[16:], vram[:16])
    np.testing.assert_array_equal(
        np.asarray(result.state["hbm"][packed : packed + 1024]), np.asarray(image.data[:1024])
    )
