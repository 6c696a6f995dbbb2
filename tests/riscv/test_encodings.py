"""The assembler against the GNU assembler: words, sections, and what compilers write; and back through the disassembler."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.asm import Assembler
from kernelcraft_core.asm.fastpath import FastPath
from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.facade import Target

VECTORS = Path(__file__).parent / "vectors"
RV64_ONLY = {
    **{"ld": "lw", "sd": "sw", "lwu": "lw", "sext.w": "mv", "negw": "neg"},
    **{f"{name}w": name for name in "addi add sub sll srl sra slli srli srai mul div rem divu remu".split()},
}


def narrowed(text: str) -> str:
    """Return RV64 compiler output with each RV64 instruction replaced by the RV32 one that is written alike."""
    text = re.sub(r"^(\s+)([a-z.]+)(?=\s)", lambda m: m[1] + RV64_ONLY.get(m[2], m[2]), text, flags=re.M)
    return re.sub(r"^(\s+s[lr][la]i\s.*, )(\d+)$", lambda m: f"{m[1]}{int(m[2]) % 32}", text, flags=re.M)


def test_every_line_has_the_words_the_gnu_assembler_gives_it(
    rv: Target, encodings: list[tuple[str, list[int]]]
) -> None:
    wrong = []
    for text, words in encodings:
        found = list(rv.assemble(f".org 0x100\n{text}").words)[0x100 // 4 :]
        if found != words:
            wrong.append((text, [hex(word) for word in found]))
    assert len(encodings) == 95
    assert not wrong


def test_words_come_back_as_text_with_the_same_meaning(rv: Target, encodings: list[tuple[str, list[int]]]) -> None:
    words = [word for _, line in encodings for word in line]
    text = rv.disassemble(words)
    assert list(rv.assemble(text).words) == words
    assert ".word" not in text.replace(".word 0x08000073", "")


def test_sections_are_placed_and_filled_as_the_gnu_linker_does(rv: Target) -> None:
    program = rv.assemble((VECTORS / "gnu_syntax.s").read_text())
    expected = json.loads((VECTORS / "gnu_syntax.json").read_text())
    found = {section.name: section.data.hex() for section in program.sections}
    assert {name: found[name] for name in expected} == expected
    assert [(s.name, s.base % 16, s.code) for s in program.sections] == [
        (".text", 0, True),
        (".rodata", 0, False),
        (".data", 0, False),
        (".bss", 0, False),
    ]


@pytest.mark.parametrize("name", ["clang_qsort.s", "clang_towers.s", "clang_dhrystone.s"])
def test_compiler_output_assembles(rv: Target, name: str) -> None:
    program = rv.assemble(narrowed((VECTORS / name).read_text()), filename=name)
    assert len(program) > 50
    for word in program.words:
        assert rv.isa.decode(word) is not None


LINES: dict[str, Any] = {
    "li a0, 'A'": [0x04100513],
    "li a0, '\\n'": [0x00A00513],
    "li a0, 010": [0x00800513],
    "li a0, 1 + 2 * 3 << 1 | 4": [0x00D00513],
    "nop; nop # x; nop": [0x13, 0x13],
    "nop /* one */ ; /* two */ nop // three": [0x13, 0x13],
    "j .": [0x0000006F],
    "1: j 1b; 1: j 1b": [0x0000006F, 0x0000006F],
    "1: j 1f; nop; 1:": [0x0080006F, 0x13],
    "la a0, 0x20000000": [0x20000537],
    "call 0x100": [0x00000097, 0x100080E7],
    ".equ n, 3; addi a0, a0, n * (n + 1)": [0x00C50513],
    "n = 3\nlui a0, %hi(n << 12)\naddi a0, a0, %lo(0xfff)": [0x00003537, 0xFFF50513],
    ".balign 8, 0\nnop": [0x13],
    "nop\n.p2align 3": [0x13, 0x13],
    "nop\n.p2align 4,,4": [0x13],
    ".byte 1, 2\n.balign 4\nnop": [0x00000201, 0x13],
    '.ascii "ab\\"c"\n.half \'x\', -1': [0x63226261, 0xFFFF0078],
}


@pytest.mark.parametrize("text", LINES)
def test_syntax_has_the_words_it_should(rv: Target, text: str) -> None:
    assert list(rv.assemble(text).words) == LINES[text]


WRONG = {
    "lw a0, 4": ("KC0204", 1, 8),
    "addi a0, a0, 2048": ("KC0203", 1, 14),
    "nop\n j 3b": ("KC0220", 2, 4),
    "1: nop\n j 1f": ("KC0220", 2, 4),
    "csrr a0, mstatu": ("KC0220", 1, 10),
    ".section .foo": ("KC0235", 1, 10),
    "nop /* x\n": ("KC0229", 1, 5),
    "addi a0, a0, %pcrel_lo(x)\nx: nop": ("KC0228", 1, 14),
    ".byte 1\nnop": ("KC0236", 2, 1),
    ".space 8196": ("KC0232", 1, 1),
    ".data\n.space 0x7f01": ("KC0232", 2, 1),
    ".balign 3": ("KC0231", 1, 9),
    ".asciz 5": ("KC0231", 1, 8),
    '.asciz "abc': ("KC0231", 1, 8),
    ".comm x": ("KC0231", 1, 7),
    ".data\nx: .space y - x\ny:": ("KC0225", 2, 11),
    "x = %lo(3)": ("KC0224", 1, 5),
    "beq a0, a1, x\n.space 4100\nx: nop": ("KC0227", 1, 13),
    "vadd.vv v1, v2, v3": ("KC0201", 1, 1),
    ".macro x": ("KC0230", 1, 1),
    "lui a0, 0x100000": ("KC0203", 1, 9),
    "li a0, 0x100000000": ("KC0203", 1, 8),
    "addi a0, a0, \u00e9": ("KC0210", 1, 14),
}


@pytest.mark.parametrize("text", WRONG)
def test_mistakes_are_named_at_their_place(rv: Target, text: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        rv.assemble(text)
    first = caught.value.diagnostics[0]
    assert (first.code, first.line, first.column) == WRONG[text]


def test_a_label_of_another_section_may_stand_anywhere(rv: Target) -> None:
    program = rv.assemble(
        """
            .equ early, late_label - first
            .data
        first: .word code, late_label, early, . - first
            .byte late_label - first
        late_label:
            alias = late_label + 4
            .text
        code: la a0, alias
            li a1, early
            .rodata
        x:  .word alias
        """
    )
    base = program.symbols["first"]
    data = {s.name: s.data for s in program.data}
    words = [int.from_bytes(data[".data"][i : i + 4], "little") for i in (0, 4, 8, 12)]
    assert words == [0, base + 17, 17, 12]
    assert data[".data"][16] == 17
    assert int.from_bytes(data[".rodata"], "little") == base + 21


def test_relocations_give_the_parts_of_an_address(rv: Target) -> None:
    text = """
        lui a0, %hi(x)
        addi a0, a0, %lo(x)
        lw a1, %pcrel_lo(1f)(a2)
    1:  auipc a2, %pcrel_hi(x)
        sw a1, %pcrel_lo(1b)(a2)
        .data
        .space 0x1900
    x:  .word 0
    """
    program = rv.assemble(text)
    lines = rv.disassemble(program).splitlines()
    assert program.symbols["x"] == 0x11900
    assert [line.strip() for line in lines] == [
        "lui x10, 18",
        "addi x10, x10, -1792",
        "lw x11, -1804(x12)",
        "auipc x12, 18",
        "sw x11, -1804(x12)",
    ]


class Slow(FastPath):
    """Reads every line in general."""

    def run(self, run: Any) -> None:
        for number, line in enumerate(run.text.split("\n"), 1):
            run.line(line, number)


@pytest.mark.parametrize("name", ["clang_qsort.s", "clang_towers.s", "clang_dhrystone.s", "gnu_syntax.s"])
def test_the_fast_path_and_the_general_one_agree(rv: Target, name: str) -> None:
    text = narrowed((VECTORS / name).read_text())
    slow = Assembler(rv.isa, rv.assembler.dialect)
    slow.fast = Slow(slow.lexis, slow.shapes)
    fast = Assembler(rv.isa, rv.assembler.dialect)
    programs = [assembler.assemble(text) for assembler in (slow, fast, fast)]  # once more, with what it has learned
    for program in programs[1:]:
        assert list(program.words) == list(programs[0].words)
        assert list(program.lines) == list(programs[0].lines)
        assert (program.symbols, program.data) == (programs[0].symbols, programs[0].data)
