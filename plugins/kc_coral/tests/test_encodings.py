"""The assembler against the GNU assembler's words, against compilers' output, and back through the disassembler."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from functools import cache
from pathlib import Path

import pytest
from lark.exceptions import UnexpectedInput

from kc_coral import baseline
from kc_coral.assembler import make_assembler
from kc_coral.isa import ISA
from kc_coral.shapes import CONFIGS, TASKS, layout
from kc_coral.start import wrap
from kernelcraft_core.asm.grammar import Grammar
from kernelcraft_core.asm.lexis import Lexis
from kernelcraft_core.asm.reference import parser
from kernelcraft_core.asm.shapes import Shapes
from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.facade import Target, target

VECTORS = Path(__file__).parent / "vectors"
ORIGIN = 0x100
CELLS = [(task, config) for task in TASKS for config in CONFIGS if baseline.has(task, config)]


@cache
def coral() -> Target:
    return target("coral")


@cache
def rows() -> list[tuple[str, list[int]]]:
    lines = [line for line in (VECTORS / "encodings.csv").read_text().splitlines() if line[:1] != "#"]
    return [(row[1], [int(word, 16) for word in row[2].split()]) for row in csv.reader(lines[1:])]


def test_every_line_has_the_words_the_gnu_assembler_gives_it() -> None:
    wrong = []
    for text, words in rows():
        found = list(coral().assemble(f".org {ORIGIN:#x}\n{text}").words)[ORIGIN // 4 :]
        if found != words:
            wrong.append((text, [hex(word) for word in found]))
    assert len(rows()) == 507
    assert not wrong


def test_every_word_comes_back_as_text_with_the_same_meaning() -> None:
    words = [word for _, line in rows() for word in line]
    text = coral().disassemble(words)
    assert list(coral().assemble(text).words) == words
    assert ".word" not in text


@pytest.mark.parametrize(
    "path", sorted((VECTORS / "text").glob("*/*.s")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_measured_program_assembles_to_the_words_that_were_measured(path: Path) -> None:
    program = json.loads((VECTORS / f"{path.parent.name}.json").read_text())["programs"]
    words = next(row["words"] for row in program if row["name"] == path.stem)
    assert " ".join(f"{word:08x}" for word in coral().assemble(path.read_text(), filename=path.name).words) == words


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_compiled_kernel_assembles_unchanged_behind_the_start_stub(task: str, config: str) -> None:
    program = coral().assemble(wrap(layout(task, config), baseline.text(task, config)))
    assert program.entry == 0
    for address, word in zip(program.addresses, program.words, strict=True):
        assert ISA.decode(word) is not None, hex(address)


def test_address_without_an_offset_may_have_a_zero() -> None:
    forms = [
        example for d in ISA for example in d.record.examples if "(" in example and not re.search(r"\d\(", example)
    ]
    written = [re.sub(r"\(", "0(", example) for example in forms]
    assert len(forms) > 200
    assert list(coral().assemble("\n".join(written)).words) == list(coral().assemble("\n".join(forms)).words)
    for line in ("vle8.v v8, 4(a0)", "vle8.v v8, 0", "vle8.v 0(v8), (a0)", "lw a0, 5 0(a1)"):
        with pytest.raises(AssemblyError):
            coral().assemble(line)


@pytest.mark.parametrize("line", ["vle8.v v8, 0(a0)", "vle8.v v8, (a0)", "vse8.v v8, 0 (a0), v0.t", "lw a0, 0(a1)"])
def test_reference_grammar_has_both_ways_to_write_an_address(line: str) -> None:
    mnemonic = line.split()[0]
    dialect = make_assembler(ISA).dialect
    lexis = Lexis(ISA, dialect)
    grammar = parser(Grammar(ISA, dialect, lexis, Shapes(ISA, lexis)).text([mnemonic]))
    assert grammar.parse(line)
    for wrong in (line.replace("0", "00", 1), f"{mnemonic} v8, 4 0(a0)", f"{mnemonic} 0(v8), (a0)"):
        with pytest.raises(UnexpectedInput):
            grammar.parse(wrong)


def compiled_words() -> list[list[str]]:
    lines = (VECTORS / "compiled_words.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.reader(line for line in lines if line[:1] != "#"))[1:]


def test_every_line_of_the_compilers_output_has_the_words_clangs_assembler_gives_it() -> None:
    """But for addresses that a linker fills in."""
    found, expected = {}, {}
    for task, config, count, relocated, sha256 in compiled_words():
        words = list(coral().assemble(baseline.text(task, config)).words)[: int(count)]
        left = set(range(int(count))) - {int(index) for index in relocated.split()}
        found[task, config] = hashlib.sha256(b"".join(words[i].to_bytes(4, "little") for i in sorted(left))).hexdigest()
        expected[task, config] = sha256
        assert len(words) == int(count)
    assert found == expected
    assert set(found) == set(CELLS)


REFUSED = {
    "andn a0, a1, a2": "Xzbb",
    "flw fa0, 0(a0)": "the F extension",
    "fadd.s fa0, fa1, fa2": "the F extension",
    "lr.w a0, (a1)": "the A extension",
    "vfadd.vv v8, v9, v10": "vector floating point",
    "vle64.v v8, (a0)": "64 bits",
    "vsetvli t0, a0, e64, m1, ta, ma": "e64",
    "vsetvli t0, a0, e8, mf8, ta, ma": "mf8",
    "csrw vl, a0": "the hardware ignores it",
    "csrrs a0, vtype, a1": "the hardware ignores it",
    "addi a0, a0, 2048": "KC02",
    "vadd.vi v8, v9, 16": "KC02",
    "vsll.vi v8, v9, 32": "KC02",
    "mv t7, a0": "t7",
    "mret": "first trap",
}


@pytest.mark.parametrize("line", REFUSED)
def test_line_outside_the_subset_is_refused_with_the_reason(line: str) -> None:
    with pytest.raises(AssemblyError) as failed:
        coral().assemble(line)
    assert REFUSED[line] in str(failed.value)


@pytest.mark.parametrize(
    "line", ["csrr a0, vl", "csrrs a0, vtype, x0", "csrwi vxrm, 2", "csrw 0x123, a0", "csrwi vstart, 0"]
)
def test_line_that_reads_a_vector_csr_or_writes_another_is_accepted_without_a_finding(line: str) -> None:
    assert not coral().assemble(line).diagnostics


def test_write_to_vstart_is_a_warning() -> None:
    found = coral().assemble("csrw vstart, a0").diagnostics
    assert [(d.code, d.severity) for d in found] == [("KC0271", "warning")]


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("kernel: ret", True),
        (".data\nx: .word 1\n.text\nkernel: nop\nret", True),
        ("kernel: mpause", False),
        ("kernel: nop\n.word 0x08000073", False),
        ("_start: call kernel\nmpause\nkernel: ret", False),
        ("nop\nkernel: ret", False),
    ],
)
def test_kernel_without_a_start_is_a_warning(text: str, warned: bool) -> None:
    assert [d.code for d in coral().assemble(text).diagnostics] == ["KC0272"] * warned


def test_zbb_is_there_when_the_extension_is_asked_for() -> None:
    program = target("coral", extensions=["Xzbb"]).assemble("andn a0, a1, a2\nrev8 a0, a1")
    assert list(program.words) == [0x40C5F533, 0x6985D513]


def test_sections_lie_where_the_memory_map_says() -> None:
    text = ".data\nd: .word 1\n.bss\nb: .zero 4\n.section .srodata.x\nr: .byte 1\n.text\n_start: la a0, d\nmpause\n"
    program = coral().assemble(text)
    assert [(s.name, s.base) for s in program.sections] == [
        (".text", 0),
        (".rodata", 0x1_0000),
        (".data", 0x1_0010),
        (".bss", 0x1_0020),
    ]


@pytest.mark.parametrize(
    ("text", "area"),
    [("nop\n" * 2049, "itcm"), (".data\n.zero 0x7f01", "dtcm"), (".bss\n.zero 0x7ff0\n.data\n.byte 1", "dtcm")],
)
def test_program_that_does_not_fit_its_memory_is_refused(text: str, area: str) -> None:
    with pytest.raises(AssemblyError) as failed:
        coral().assemble(text)
    assert area in str(failed.value)


@pytest.mark.parametrize("text", ["nop\n" * 2048, ".data\n.zero 0x7f00"])
def test_program_that_just_fits_is_accepted(text: str) -> None:
    assert coral().assemble(text).sections
