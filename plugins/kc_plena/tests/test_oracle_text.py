"""Text and words with known outcomes: encodings, costs, lenient forms, rejected lines, warnings.

Source: AICrossSim/PLENA at ecd5acb (tools/assembler, behavioral_simulator), for dllm branch gm/dllm at c5c74f6;
KernelCraft, arXiv 2603.08721, section G.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelcraft_core as kc

VECTORS = Path(__file__).with_name("vectors")


def table(name: str, separator: str = "|") -> list[list[str]]:
    """Return the rows of a data file: stripped cells, comments dropped."""
    lines = (VECTORS / name).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split(separator)] for line in lines if line and not line.startswith("#")]


def unescape(text: str) -> str:
    """Return text of a data file with its escapes replaced."""
    return text.replace("\\n", "\n").replace("\\t", "\t")


# ---- encodings and costs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "word", "text"), [pytest.param(*cells, id=f"{cells[0]}-{cells[2]}") for cells in table("encodings.txt")]
)
def test_encoding(machine, word, text):
    target = kc.target("plena", machine=machine)
    source = f"C_LOOP_START gp5, 1\n{text}" if text.startswith("C_LOOP_END") else text
    source += "\nC_LOOP_END gp5" if text.startswith("C_LOOP_START") else ""
    words = target.assemble(source).words
    assert f"0x{words[1 if text.startswith('C_LOOP_END') else 0]:08X}" == word


@pytest.mark.parametrize(
    ("machine", "opcode", "cycles", "text"),
    [pytest.param(*cells, id=f"{cells[0]}-{cells[3]}") for cells in table("instructions.txt")],
)
def test_opcode_and_cycles(machine, opcode, cycles, text):
    target = kc.target("plena", machine=machine)
    program = target.assemble(text)
    assert program.words[0] & 0x3F == int(opcode, 16)
    result = target.simulate(program)
    assert result.status == "halted", result.trap
    assert result.instret == 1
    if cycles == "hbm":
        assert result.cycles > 0
    else:
        assert result.cycles == int(cycles)


def test_every_kc_opcode_is_in_the_tables():
    opcodes = {int(cells[1], 16) for cells in table("instructions.txt") if cells[0] == "kc"} | {0x2F, 0x30}
    assert opcodes == set(range(0x01, 0x31)) - {0x09, 0x0A, 0x0C}


def test_dllm_machine_is_the_base_with_its_extension():
    text = "V_SELECT_VVM gp1, gp2, gp3, gp4\nM_MM 0, gp1, gp2"
    extended = kc.target("plena", extensions=["Xdllm"]).assemble(text)
    assert list(extended.words) == list(kc.target("plena", machine="dllm").assemble(text).words)


# ---- what the assembler accepts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "canonical"), table("lenient.txt", " == "))
def test_lenient_form_encodes_like_canonical(plena, form, canonical):
    expected = plena.assemble(unescape(canonical)).words
    assert list(plena.assemble(unescape(form)).words) == list(expected)


@pytest.mark.parametrize("text", ["S_EXP_FP f1, f2, 1", "H_PREFETCH_V gp1, gp2, a1, 1, 0, 1", "M_MV_WO gp1, gp2, 0"])
def test_superfluous_operand_must_be_zero(plena, text):
    with pytest.raises(kc.AssemblyError):
        plena.assemble(text)


@given(st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=14))
@settings(deadline=None, max_examples=20)
def test_upper_and_lower_part_build_any_constant(values):
    target = kc.target("plena")
    lines = []
    for reg, value in enumerate(values, 1):
        lines.append(f"S_LUI_INT gp{reg}, {value >> 12}")
        lines += [f"S_ADDI_INT gp{reg}, gp{reg}, {value & 0xFFF}"] if value & 0xFFF else []
    result = target.simulate(target.assemble("\n".join(lines)))
    assert result.state["gp"][1 : 1 + len(values)].tolist() == values
    assert result.cycles == len(lines)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("S_ADDI_INT gp1, gp0, 262143", True),
        ("S_ADDI_INT gp1, gp0, 262144", False),
        ("S_LUI_INT gp1, 4194303", True),
        ("S_LUI_INT gp1, 4194304", False),
        ("C_LOOP_START gp1, 4194303\nC_LOOP_END gp1", True),
        ("C_LOOP_START gp1, 4194304\nC_LOOP_END gp1", False),
        ("M_MM_WO gp1, gp0, 262143", True),
        ("M_MM_WO gp1, gp0, 262144", False),
        ("S_LD_FP f1, gp0, 262144", False),
    ],
)
def test_immediate_range(plena, text, fits):
    if fits:
        assert plena.assemble(text).words
    else:
        with pytest.raises(kc.AssemblyError):
            plena.assemble(text)


# ---- what the assembler rejects -------------------------------------------------------------------------------------


def rejection(target, text: str):
    """Return the first finding about a program that must not assemble."""
    with pytest.raises(kc.AssemblyError) as caught:
        target.assemble(text, filename="bad.asm")
    first = caught.value.diagnostics[0]
    assert first.code.startswith("KC02")
    assert first.severity == "error"
    return first


@pytest.mark.parametrize(("text", "reason"), table("rejected.txt", " => "))
def test_rejected_with_line_and_reason(plena, text, reason):
    first = rejection(plena, f"; one good line first\nS_ADDI_INT gp1, gp0, 1\n  {unescape(text)}\n")
    assert first.line == 3
    assert first.column >= 3
    assert re.search(reason, f"{first.message}\n{first.hint or ''}", re.IGNORECASE)


BAD_LOOPS = [
    ("C_LOOP_END gp1", 1, r"unmatched|without|no (open|matching)|C_LOOP_START"),
    ("C_LOOP_START gp1, 2\nS_ADDI_INT gp2, gp2, 1", 1, r"closed|never|C_LOOP_END|without"),
    ("C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_LOOP_END gp1\nC_LOOP_END gp2", 3, r"cross|innermost|nest|gp2"),
    ("C_LOOP_START gp1, 2\nC_LOOP_START gp1, 2\nC_LOOP_END gp1\nC_LOOP_END gp1", 2, r"gp1|reus|enclosing|counter"),
]


@pytest.mark.parametrize(("text", "line", "reason"), BAD_LOOPS, ids=["end", "open", "crossed", "reused"])
def test_loop_structure_is_checked(plena, text, line, reason):
    with pytest.raises(kc.AssemblyError) as caught:
        plena.assemble(text)
    found = [f"{d.message}\n{d.hint or ''}" for d in caught.value.diagnostics if d.line == line]
    assert any(re.search(reason, message, re.IGNORECASE) for message in found)


def test_dllm_replaces_the_three_operand_map(dllm):
    assert rejection(dllm, "S_MAP_V_FP gp1, gp0, 3").line == 1
    assert rejection(dllm, "C_BREAK").line == 1


def test_all_errors_of_a_program_are_reported(plena):
    with pytest.raises(kc.AssemblyError) as caught:
        plena.assemble("S_ADDI_INT gp16, gp0, 1\nS_ADDI_INT gp1, gp0, 1\nS_FOO gp1\nM_MM_WO gp8, 0, 0")
    assert [found.line for found in caught.value.diagnostics] == [1, 3, 4]


WARNED = [
    ("S_ADDI_INT gp0, gp0, 5", 1, r"gp0"),
    ("S_ADDI_INT gp1, gp0, 1\nS_ADD_INT gp0, gp1, gp1", 2, r"gp0"),
    ("S_LUI_INT gp0, 1", 1, r"gp0"),
    ("S_ADD_FP f0, f1, f2", 1, r"f0"),
    ("V_RED_SUM f0, gp1", 1, r"f0"),
    ("C_LOOP_START gp1, 2\nS_ADDI_INT gp1, gp1, 1\nC_LOOP_END gp1", 2, r"gp1"),
]


@pytest.mark.parametrize(("text", "line", "reason"), WARNED)
def test_suspicious_line_gives_a_warning(plena, text, line, reason):
    (warning,) = plena.assemble(text).diagnostics
    assert warning.severity == "warning"
    assert warning.line == line
    assert re.search(reason, warning.message)


@pytest.mark.parametrize(
    "text", ["S_ADDI_INT gp0, gp0, 0", "C_LOOP_START gp1, 2\nS_ADD_INT gp2, gp1, gp1\nC_LOOP_END gp1"]
)
def test_harmless_line_gives_no_warning(plena, text):
    assert not plena.assemble(text).diagnostics
