"""The instruction set in short: every fact a program writer needs, on few lines."""

from __future__ import annotations

import pytest

from kernelcraft_core.isa import Imm, Instr, Isa, Placeholder, Pseudo, Reg, RegFile, Rows
from kernelcraft_core.isa.compact import compact_family, compact_reference
from kernelcraft_core.isa.docs_costs import CostTable
from kernelcraft_core.isa.docs_families import Family
from kernelcraft_core.isa.primitives import pure

ISA = Isa(
    "tiny",
    width=16,
    params={"N": 4, "STEPS": 6},
    kinds=[
        Reg("r", bits=3, prefix="r", names={"acc": 7}),
        Imm("u4", bits=4, hint="no more"),
        Placeholder("none", ("z", "0")),
    ],
    state=[RegFile("r", bits=16, count=8, zero=0, doc="registers"), Rows("m", dtype="f32", shape=("N",), count=2)],
    primitives=[
        pure("twice", ("int",), "int<0,65535>", lambda x: 2 * x & 0xFFFF, "twice(value): two times the value"),
        pure("unused", ("int",), "int<0,1>", lambda x: x & 1, "never called"),
        pure("half", ("int",), "int<0,65535>", lambda x: x // 2, "rounded down"),
    ],
    instrs=[
        Instr(
            "dbl rd:r, ra:r, k:u4=3",
            encoding="0001 k -- ra rd",
            semantics="r[rd] = twice(r[ra]) + k",
            category="alu",
            unit="slow",
            latency="STEPS",
            interval="2",
            doc="Doubles.",
            note="adds k as well",
            examples=("dbl r1, r2", "dbl r3, r4, 5"),
        ),
        Instr(
            "hlv rd:r, _:none, ra:r",
            encoding="0010 -{6} ra rd",
            semantics="r[rd] = half(r[ra])",
            category="mul",
            unit="fast",
            delay=2,
            name="hlv_r",
            timing="port",
        ),
    ],
    pseudos=[
        Pseudo("two rd:r", ("dbl {rd}, {rd}", "dbl {rd}, {rd}"), doc="Times four."),
        Pseudo("set rd:r, k:u4", ("dbl {rd}, r0",), when="k == 3"),
        Pseudo("set rd:r, k:u4", ("dbl {rd}, r0, {k}",)),
    ],
)
COSTS = CostTable("All overlap.", ("result",), {"quick": ("1",)}, {"dbl": "quick", "hlv_r": "quick"})


def entry(name: str, costs: CostTable | None = None) -> list[str]:
    """Return the lines about one instruction."""
    return compact_family(ISA, Family((ISA[name],)), costs).splitlines()


def test_instruction_states_form_meaning_cost_example_and_note() -> None:
    assert entry("dbl") == [
        "**`dbl rd:r, ra:r, k:u4=3`** Doubles.",
        "`r[rd] = twice(r[ra]) + k`",
        "Unit slow, 6 cycles (`STEPS`), the next may start after 2. E.g. `dbl r1, r2`.",
        "Note: adds k as well",
    ]


def test_placeholder_name_and_timing_class_are_spelled_out() -> None:
    assert entry("hlv_r") == [
        "**`hlv rd:r, z, ra:r`** (hlv_r)",
        "`r[rd] = half(r[ra])`",
        "Unit fast, time by the machine's model `port`; the result is visible 2 cycles later, and nothing waits for it.",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- `r`: r0 to r7; `acc` = r7",
        "- `u4`: 0 to 15; no more",
        "- `r`: registers (count 8, bits 16, number 0 reads as 0)",
        "- `m`: rows (count 2, shape 4, dtype f32)",
        "Numbers that meanings and costs name: N = 4, STEPS = 6.",
        "- `twice(value)`: two times the value",
        "- `half(int)`: rounded down",
        "- `two rd:r` stands for `dbl {rd}, {rd}`, `dbl {rd}, {rd}`. Times four.",
        "- `set rd:r, k:u4` stands for `dbl {rd}, r0` when `k == 3`, else `dbl {rd}, r0, {k}`.",
        "## Instructions: mul",
    ],
)
def test_reference_has_the_line(line: str) -> None:
    assert line in compact_reference(ISA).splitlines()


def test_reference_leaves_out_operations_that_no_instruction_uses() -> None:
    assert "unused" not in compact_reference(ISA)
    assert "## Instructions: dma" not in compact_reference(ISA)


def test_costs_of_overlapping_instructions_stand_in_for_the_latencies() -> None:
    assert entry("dbl", COSTS)[2] == "Costs as `quick`. E.g. `dbl r1, r2`."
    text = compact_reference(ISA, COSTS)
    assert "All overlap.\n\n| class | result |\n| --- | --- |\n| quick | 1 |\n" in text
    assert "6 cycles" not in text
