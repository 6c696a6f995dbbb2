"""PLENA's dialect and its checks of whole programs; see also the files in `bad_asm`, and `test_oracle.py`."""

from __future__ import annotations

import functools
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kc_plena import assembler as plena_assembler
from kc_plena.assembler import DIALECT, make_assembler
from kc_plena.extensions import EXTENSIONS
from kc_plena.isa import ISA
from kernelcraft_core.asm import Disassembler, grammar_text
from kernelcraft_core.asm.reference import parser
from kernelcraft_core.diagnostics import AssemblyError, Diagnostic
from kernelcraft_core.isa import Imm, Placeholder, Reg
from kernelcraft_core.isa.definition import fits

BAD = sorted(Path(__file__).with_name("bad_asm").glob("*.asm"))
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def plena():
    return make_assembler(ISA)


@pytest.fixture(scope="module")
def dllm():
    return make_assembler(ISA.extended(*EXTENSIONS))


def findings(assembler, text: str) -> list[Diagnostic]:
    """Return the findings about a program, errors or warnings."""
    try:
        return list(assembler.assemble(text, "k.asm").diagnostics)
    except AssemblyError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_file_of_wrong_lines(plena, path):
    text = path.read_text(encoding="utf-8")
    wanted = [
        (number, severity, code)
        for number, line in enumerate(text.split("\n"), 1)
        for severity, code in re.findall(r"(error|warning): (KC\d{4})", line)
    ]
    assert len(wanted) <= 20
    assert [(d.line, d.severity, d.code) for d in findings(plena, text)] == wanted


PLACES = [  # text, line, column, length, words of the message, words of the hint or notes
    ("M_MM_WO gp8, 0, 0", 1, 14, 1, "a register gp0-gp15 is required here, not the number 0", "write gp0"),
    ("S_MUL_INT gp1, gp2, 64", 1, 21, 2, "a register gp0-gp15 is required", "S_ADDI_INT takes an immediate"),
    ("S_ADDI_INT gp16, gp0, 1", 1, 12, 4, "register index out of range (gp0-gp15)", "usage: S_ADDI_INT"),
    ("S_ADDI_INT gp13_r, gp0, 1", 1, 12, 6, "'gp13_r' is not a register", "did you mean gp13"),
    ("S_ADDI_INT gp1, gp0, -1", 1, 22, 2, "negative immediates do not exist: 0..262143", "imm:0..262143"),
    ("S_ADDI_INT gp1, gp0, 262144", 1, 22, 6, "does not fit 18 bits (0..262143)", "S_LUI_INT gD, value >> 12"),
    ("V_EXP_V gp1, gp1, 1", 1, 19, 1, "only `0` or `gp0` may stand here", "no mask"),
    ("C_LOOP_START gp1, 0", 1, 19, 1, "imm = 0 is out of range (1..4194303)", "a loop runs its body 1"),
    (
        "  x: S_ADDI_INT gp1, gp0, 1",
        1,
        3,
        1,
        "labels and symbols are not supported",
        "gp0-gp15, f0-f7, a0-a7 or integers",
    ),
    ("S_ADDI_INT gp1, gp0, N", 1, 22, 1, "'N' is not an integer", "use gp0-gp15, f0-f7, a0-a7 or integers"),
    ("S_ADD_FP f1, gp2, f3", 1, 14, 3, "gp2 is the wrong kind of register; a register f0-f7", "usage"),
    ("V_TOPK gp1", 1, 1, 6, "not available in plena: it exists in profile head", ""),
    ("S_SELECT_INT gp1", 1, 1, 12, "extension Xdllm", ""),
    ("S_ADD_INT gp1, gp2", 1, 19, 1, "takes 3 operands; 2 given", "usage: S_ADD_INT"),
    ("\n C_LOOP_END gp4", 2, 2, 14, "C_LOOP_END gp4 without an open C_LOOP_START gp4", ""),
    ("C_LOOP_START gp4, 2 ; x", 1, 1, 19, "never closed", "C_LOOP_END gp4"),
    ("S_ADD_FP  f0, f1, f0", 1, 11, 2, "S_ADD_FP into f0 does nothing", ""),
    ("// gp0\nS_LUI_INT gp0, 1 // gp0", 2, 11, 3, "S_LUI_INT writes gp0", "write another register"),
]


@pytest.mark.parametrize(("text", "line", "column", "length", "message", "more"), PLACES)
def test_finding_points_and_explains(plena, text, line, column, length, message, more):
    (found,) = findings(plena, text)
    assert (found.line, found.column, found.span.length) == (line, column, length)
    assert message in found.message
    assert more in "\n".join((found.hint or "", *found.notes))


def test_extension_brings_its_instructions_and_its_checks(plena, dllm):
    text = "V_RED_MAX_IDX gp0, gp2, gp4, f1"
    assert [d.code for d in findings(plena, text)] == ["KC0214"]
    assert [d.code for d in findings(dllm, text)] == ["KC0266"]
    inside = "C_LOOP_START gp5, 2\nV_RED_MAX_IDX gp5, gp2, gp4, f1\nC_LOOP_END gp5"
    assert [(d.line, d.code) for d in findings(dllm, inside)] == [(2, "KC0264")]
    assert [d.code for d in findings(dllm, "S_MAP_V_FP gp1, gp0, 3")] == ["KC0202"]


def test_sequential_loops_may_share_a_counter(plena):
    text = "C_LOOP_START gp1, 2\nC_LOOP_END gp1\n" * 3 + "S_ADDI_INT gp1, gp0, 5\n"
    assert not findings(plena, text)


def test_loops_nest_as_deep_as_there_are_registers(plena):
    starts = [f"C_LOOP_START gp{n}, 2" for n in range(1, 16)]
    ends = [f"C_LOOP_END gp{n}" for n in range(15, 0, -1)]
    assert not findings(plena, "\n".join(starts + ends))


def reference_loops(events: list[tuple[str, int]]) -> set[int]:
    """Return the positions of wrong loop instructions, by the plainest method."""
    wrong: set[int] = set()
    stack: list[tuple[int, int]] = []
    for position, (kind, register) in enumerate(events):
        open_registers = [r for _, r in stack]
        if kind == "start":
            if register in open_registers:
                wrong.add(position)
            stack.append((position, register))
        elif register not in open_registers:
            wrong.add(position)
        else:
            if open_registers[-1] != register:
                wrong.add(position)
            at = max(i for i, r in enumerate(open_registers) if r == register)
            del stack[at]
    return wrong | {position for position, _ in stack}


@given(events=st.lists(st.tuples(st.sampled_from(["start", "end"]), st.integers(1, 3)), max_size=12))
@settings(RELAXED, max_examples=80)
def test_loop_checks_against_a_plain_model(plena, events):
    text = "".join(f"C_LOOP_START gp{r}, 2\n" if kind == "start" else f"C_LOOP_END gp{r}\n" for kind, r in events)
    found = findings(plena, text)
    assert {d.line - 1 for d in found if d.severity == "error"} == reference_loops(events)


def test_findings_of_checks_are_bounded(plena):
    found = findings(plena, "S_LUI_INT gp0, 1\nS_ADD_FP f0, f1, f1\n" * 5000)
    assert len(found) == 21
    assert [d.line for d in found[:20]] == list(range(1, 21))
    assert found[20].message == "9980 more warnings"
    assert len(findings(plena, "C_LOOP_END gp1\n" * 5000)) == 20
    assert len(findings(plena, "C_LOOP_START gp1, 2\n" * 5000)) == 20
    body = "C_LOOP_START gp1, 2\n" + "S_LUI_INT gp1, 1\n" * 5000 + "C_LOOP_END gp1"
    assert findings(plena, body)[20].message == "4980 more warnings"


def test_checks_of_a_long_program_are_cheap(plena):
    rng = random.Random(5)
    body = [
        f"C_LOOP_START gp{n % 14 + 2}, 4\nS_ADDI_INT gp1, gp1, {rng.randrange(999)}\nC_LOOP_END gp{n % 14 + 2}"
        for n in range(30_000)
    ]
    program = plena.assemble("\n".join(body))
    start = time.process_time()
    assert plena_assembler.check(program, plena.isa) == []
    assert time.process_time() - start < 1.5


@st.composite
def lines(draw: st.DrawFn, isa) -> str:
    """Draw a line: some form of an instruction with operands that are mostly right, then a few characters changed."""
    form = draw(st.sampled_from([form for definition in isa for form in definition.forms]))
    out = form.mnemonic + " "
    for item in form.items[: draw(st.sampled_from(form.lengths()))]:
        match item:
            case str():
                out += item + draw(st.sampled_from(["", " ", "\t"]))
            case _ if isinstance(item.kind, Reg):
                out += f"{item.kind.prefix}{draw(st.integers(0, item.kind.size))}"
            case _ if isinstance(item.kind, Placeholder):
                out += draw(st.sampled_from(["0", "gp0", "1"]))
            case _:
                limits = [item.kind.low, item.kind.high, item.kind.high + 1]
                out += draw(st.sampled_from([str, hex]))(draw(st.sampled_from(limits) | st.integers(0, item.kind.high)))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(out)))
        piece = draw(st.sampled_from([*" ,;/0123gpfa_x-+.:=#é", "gp0", ", 0", "//", ""]))
        out = out[:at] + piece + out[at + draw(st.integers(0, 2)) :]
    return out


@given(data=st.data())
@settings(RELAXED, max_examples=200)
def test_assembler_accepts_what_the_grammar_does(plena, data):
    from lark.exceptions import UnexpectedInput

    line = data.draw(lines(ISA))
    assume("C_LOOP" not in line)
    try:
        tree = parser_of_plena().parse(line)
    except UnexpectedInput:
        tree = None
    words = [str(token) for token in tree.scan_values(lambda _: True)] if tree is not None else []
    texts = [word for word in words if word != ","]
    legal = tree is not None and (not texts or any(takes(form, texts) for d in ISA for form in d.forms))
    try:
        assert len(plena.assemble(line)) == bool(texts)
        assert legal
    except AssemblyError:
        assert not legal


@functools.cache
def parser_of_plena():
    """Return one parser for all examples."""
    return parser(grammar_text(ISA, DIALECT))


def takes(form, texts: list[str]) -> bool:
    """Return whether operands that the grammar took are legal values of a form."""
    for length in form.lengths():
        operands = [item for item in form.items[:length] if not isinstance(item, str)]
        if form.mnemonic == texts[0] and len(operands) == len(texts) - 1:
            if all(legal(o.kind, text) for o, text in zip(operands, texts[1:], strict=True)):
                return True
    return False


def legal(kind, text: str) -> bool:
    """Return whether a text is a legal operand of a kind."""
    if isinstance(kind, Placeholder):
        return text in kind.spellings
    if isinstance(kind, Reg):
        m = re.fullmatch(rf"{kind.prefix}(\d+)", text)
        return text in kind.names or (m is not None and fits(kind, int(m[1])))
    return isinstance(kind, Imm) and text[0].isdigit() and fits(kind, int(text, 16 if "x" in text.lower() else 10))


@given(data=st.data())
@settings(RELAXED, max_examples=150)
def test_disassembly_assembles_to_the_same_words(dllm, data):
    isa = dllm.isa
    definition = data.draw(st.sampled_from([d for d in isa if not d.name.startswith("C_LOOP")]))
    values = {}
    for name, kind in definition.operands.items():
        low, high = (0, kind.size - 1) if isinstance(kind, Reg) else (kind.low, kind.high)
        values[name] = data.draw(st.sampled_from([low, high]) | st.integers(low, high))
    word = definition.encode(values)
    text = Disassembler(isa, DIALECT).disassemble([word])
    assert list(dllm.assemble(text).words) == [word]


def test_words_that_are_no_instructions_are_refused():
    with pytest.raises(AssemblyError) as caught:
        Disassembler(ISA, DIALECT).disassemble([0x00000085, 0x0000003F, 0x80000001, 0x00000050 | 1 << 18])
    assert [d.code for d in caught.value.diagnostics] == ["KC0250", "KC0251"]
    assert "word 1: 0x0000003F is no instruction of plena" in caught.value.diagnostics[0].message


def test_every_code_is_in_the_table():
    text = Path(plena_assembler.__file__).read_text(encoding="utf-8")
    used = set(re.findall(r'"(KC02\d\d)"', text))
    assert used == set(re.findall(r"^\| (KC02\d\d) \|", plena_assembler.__doc__, re.MULTILINE))
