"""The pages are true: their examples assemble, their worked numbers follow from the code."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

import kernelcraft_core as kc
from kc_plena import mx
from kc_plena.docs import pages
from kc_plena.hbm import make_hbm
from kc_plena.machine import KC
from kc_plena.numerics import round_bf16
from kc_plena.packing import build_image, to_column_blocks

BLOCKS = [(name, text) for name, page in pages().items() for text in re.findall(r"```asm\n(.*?)```", page, re.DOTALL)]


@pytest.mark.parametrize(("name", "text"), BLOCKS)
def test_examples_assemble(name: str, text: str) -> None:
    assert len(kc.target("plena").assemble(text, filename=name)) > 0


def test_worked_addresses_are_right() -> None:
    image = build_image([("A", np.zeros((4, 64), np.float32)), ("B", np.zeros((64, 64), np.float32))])
    assert image.offsets == {"A": 0, "B": 320}
    assert image.scales == {"A": 256, "B": 4416}
    assert image.data.size == 4928


def test_every_parameter_named_in_the_pages_exists() -> None:
    named = set(re.findall(r"`([A-Z]+_[A-Z_]*CYCLES|HBM_MODEL|MAX_LOOP_INSTRUCTIONS)`", "\n".join(pages().values())))
    assert named
    assert named <= set(KC.params)


def test_cost_table_states_the_values_of_the_machine() -> None:
    rows = re.findall(r"\| .*? \| ([\d, ]+) \| (`.*?) \|", pages()["hardware.md"])
    checked = 0
    for values, names in rows:
        for value, name in zip(values.split(","), re.findall(r"`(\w+)`", names), strict=False):
            assert KC.number(name) == int(value)
            checked += 1
    assert checked >= 8


# --- worked numbers, page by page ------------------------------------------------------------------------------------


def table(name: str, *head: str) -> list[list[str]]:
    """Return the cells of every table of a page whose header starts with these columns."""
    out: list[list[str]] = []
    for part in re.findall(r"(?:^\|.*\n)+", pages()[name], re.MULTILINE):
        rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in part.splitlines()]
        if rows[0][: len(head)] == list(head):
            out += rows[2:]
    assert out, f"{name}: no table {head}"
    return out


def test_tensor_tables_follow_from_the_packer() -> None:
    rows = table("memory-layout.md", "tensor", "shape")
    for names in ("AB", "QKV"):
        chosen = {row[0]: row for row in rows if row[0] in names}
        shapes = {name: [int(n) for n in row[1].split("x")] for name, row in chosen.items()}
        image = build_image([(name, np.zeros(shape, np.float32)) for name, shape in shapes.items()])
        ends = [*list(image.offsets.values())[1:], image.data.size]
        for (name, row), end in zip(chosen.items(), ends, strict=True):
            assert [int(c) for c in row[2:]] == [image.offsets[name], image.scales[name], end]


def test_scale_register_of_a_shared_base_is_right() -> None:
    image = build_image([(name, np.zeros((64, 64), np.float32)) for name in "QKV"])
    for name, offset, scales, register in table("memory-layout.md", "tensor", "off_of_tensor"):
        assert (int(offset), int(scales)) == (image.offsets[name], image.scales[name])
        assert int(register) == image.scales[name] - image.offsets[name] // 8


def test_column_block_addresses_are_right() -> None:
    b, h = 8, 128
    numbers = np.arange(b * h, dtype=np.float32).reshape(b, h)
    flat = to_column_blocks(numbers).reshape(-1)
    for row, feature, address in table("memory-layout.md", "row", "feature"):
        assert flat[int(address)] == numbers[int(row), int(feature)]


def test_activation_example_loads_the_activation() -> None:
    image = build_image([("X", np.random.default_rng(1).standard_normal((8, 128)).astype(np.float32))])
    (text,) = [t for name, t in BLOCKS if name == "memory-layout.md" and "C_LOOP_START gp5" in t]
    unit = kc.target("plena")
    result = unit.simulate(unit.assemble(text), {"hbm": image.data})
    assert np.array_equal(result.state["vram"][:16], to_column_blocks(image.values["X"]))


@pytest.mark.parametrize("name", "BK")
def test_tile_examples_fetch_their_tensor(name: str) -> None:
    rng = np.random.default_rng(2)
    shapes = {"A": (4, 64), "B": (64, 64)} if name == "B" else dict.fromkeys("QKV", (64, 64))
    image = build_image([(n, rng.standard_normal(s).astype(np.float32)) for n, s in shapes.items()])
    mark = "C_SET_ADDR_REG a1" if name == "B" else "8128"
    (text,) = [t for page, t in BLOCKS if page == "memory-layout.md" and mark in t]
    unit = kc.target("plena")
    result = unit.simulate(unit.assemble(text), {"hbm": image.data})
    assert np.array_equal(result.state["mram"][0], image.values[name])


def test_matrix_example_of_the_guidance_multiplies() -> None:
    (text,) = [t for name, t in BLOCKS if name == "guidance.md" and "M_MM_WO" in t]
    rng = np.random.default_rng(3)
    rows, tile = rng.integers(-4, 5, (4, 64)), rng.integers(-1, 2, (64, 64))
    unit = kc.target("plena")
    result = unit.simulate(unit.assemble(text), {"vram": rows.astype(np.float32), "mram": {0: tile.astype(np.float32)}})
    assert np.array_equal(result.state["vram"][4:8], rows @ tile)


WRONG = re.findall(r"^```wrong\n; (error|trap|result) (.*?):.*\n((?:.*\n)*?)```$", pages()["guidance.md"], re.MULTILINE)


def test_every_wrong_example_is_checked() -> None:
    assert len(WRONG) == pages()["guidance.md"].count("```wrong")


@pytest.mark.parametrize(("how", "what", "text"), WRONG)
def test_wrong_examples_are_wrong_in_the_stated_way(how: str, what: str, text: str) -> None:
    unit = kc.target("plena")
    if how == "error":
        with pytest.raises(kc.AssemblyError) as caught:
            unit.assemble(text)
        assert what in [d.code for d in caught.value.diagnostics]
        return
    result = unit.simulate(unit.assemble(text))
    if how == "trap":
        assert result.trap is not None
        assert result.trap.kind == what
    else:
        assert result.ok
        assert result.state["a"][1] == 4 << 32


def test_every_instruction_has_its_cost_in_the_table() -> None:
    unit = kc.target("plena")
    listed = {}
    for names, cycles, _ in table("hardware.md", "instructions", "cycles each"):
        for name in names.replace("`", " ").split():
            assert name not in listed
            listed[name] = cycles
    assert set(listed) == {definition.mnemonic for definition in unit.isa}
    for definition in unit.isa:
        name, example = definition.mnemonic, definition.record.examples[0]
        if name.startswith("H_"):
            assert listed[name] == "HBM time"
            continue
        if name.startswith("C_LOOP"):
            example = "C_LOOP_START gp5, 1\nC_LOOP_END gp5"
        result = unit.simulate(unit.assemble(example))
        assert result.profile.by_mnemonic[name] == int(listed[name]), name


def test_sizes_are_those_of_the_machine() -> None:
    for name, value, _ in table("hardware.md", "parameter", "value"):
        assert KC.number(name) == int(value)


def test_tile_durations_are_those_of_the_exact_model() -> None:
    (row,) = table("hardware.md", "STRIDE_REG")
    assert len(row) == 6
    for stride, cycles in zip((64, 128, 256, 512, 1024), row[1:], strict=True):
        assert make_hbm("exact").prefetch(0, 0, 64 * stride, 64, stride) == int(cycles)


def test_rounding_tables_are_right() -> None:
    for value, rounded in table("numerics.md", "float32 value", "in VRAM"):
        assert float(round_bf16(np.array([float(value)], np.float32))[0]) == float(rounded)
    for value, rounded in table("numerics.md", "constant"):
        assert float(np.float16(float(value))) == pytest.approx(float(rounded), rel=1e-14)


def test_element_bytes_are_right() -> None:
    for byte, value in table("numerics.md", "element byte"):
        assert mx.E4M3[int(byte, 16)] == float(value)


def test_quantiser_table_is_right() -> None:
    for value, host, store in table("numerics.md", "value", "host", "store"):
        block = np.zeros((1, 8), np.float32)
        block[0, :2] = float(value), 1.0
        assert mx.dequantise(*mx.host_quantise(block))[0, 0] == float(host)
        assert mx.dequantise(*mx.store_quantise(block))[0, 0] == float(store)


EXPLANATION = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "plena-timing.md"


def test_timing_page_states_the_reproduced_counts() -> None:
    lines = Path(__file__).with_name("vectors").joinpath("table_4_7.csv").read_text(encoding="utf-8").splitlines()
    wanted: dict[str, list[str]] = {}
    for task, _, flavour, paper, cycles in csv.reader(line for line in lines if line and line[0] != "#"):
        if flavour == "published":
            wanted.setdefault(task, []).append(cycles if paper == cycles else f"{cycles} (paper: {paper})")
    page = EXPLANATION.read_text(encoding="utf-8")
    for task, cells in wanted.items():
        assert f"| {task} | {' | '.join(cells)} |" in page
