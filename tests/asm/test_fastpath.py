"""The fast path: the same words as line by line, exact places in long programs, little memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from kernelcraft_core.asm import Assembler, Dialect

COUNT = 1_000_000


@pytest.fixture(scope="module")
def long_text():
    """Return a million lines of which few repeat, as kernels are written: indented, some with comments, some empty."""
    rng = random.Random(7)
    lines = []
    for number in range(COUNT // 10):
        a, b, c, n = rng.randrange(32), rng.randrange(32), rng.randrange(32), rng.randrange(-2048, 2048)
        lines += [
            f"    addi x{a}, x{b}, {n}",
            f"    lui x{a}, {number}    ; step {number}",
            f"    add x{a}, x{b}, x{c}",
            f"    addi x{b}, x{c}, {abs(n) % 2048}",
            f"    slli x{a},x{b}, {n & 31} // comment, {number}",
            "",
            f"    lui x{b}, 0x{number:X}",
            f"    sw x{a}, {n}(x{b})" if number % 10 == 0 else "    fence",
            f"    addi x{a}, x{a}, {number % 2048}",
            f"    lui x{c}, {COUNT - number}",
        ]
    return "\n".join(lines)


def test_three_errors_in_a_million_lines(bare, findings, long_text):
    lines = long_text.split("\n")
    lines[10] = "    addi x1, x2, 2048"
    lines[COUNT // 2] = "    lui x1, 1_0"
    lines[-1] = "  add x1, x2, x32 ; last"
    found = findings(bare, "\n".join(lines))
    assert [(d.line, d.column, d.code) for d in found] == [
        (11, 18, "KC0203"),
        (COUNT // 2 + 1, 13, "KC0213"),
        (COUNT, 15, "KC0205"),
    ]
    assert found[2].span.text == lines[-1]


def test_memory_of_a_long_program_is_small(bare, long_text):
    fresh = Assembler(bare.isa, bare.dialect)
    text = "\n".join(long_text[: len(long_text) // 30].split("\n")[: COUNT // 40])
    tracemalloc.start()
    try:
        program = fresh.assemble(text)
        used, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(program) == 22_500
    assert used < 8_000_000  # what was learned included; that is bounded
    assert peak < 10_000_000


def test_same_words_as_line_by_line(bare, long_text):
    lines = long_text[:60_000].split("\n")[:-1]
    program = bare.assemble("\n".join(lines))
    assert list(program.lines) == [n for n, line in enumerate(lines, 1) if line]
    fresh = Assembler(bare.isa, bare.dialect)
    for number, line in list(enumerate(lines, 1))[:: len(lines) // 150]:
        if line:
            (word,) = fresh.assemble(line).words
            assert word == program.words[list(program.lines).index(number)]


TRICKY = [
    ("addi x1, x2, 5", "addi x1, x2, ٥"),
    ("addi x1, x2, 5", "addi x1, x2, 1_0"),
    ("addi x1, x2, 5", "addi x1, x2, +5"),
    ("addi x1, x2, 5", "addi x1, x2, ²"),
    ("addi x1, x2, 5", "addi x1, x2, 5."),
    ("addi x1, x2, 5", "addi x1, x2, 5\x0b"),
    ("addi x1, x2, 5", "addi x1, x2,\u00a05"),
    ("addi x1, x2, 5", "addi x1, x2, 99999999999999999999"),
    ("addi x1, x2, 5", "addi x1, x2, " + "9" * 10_000),
    ("addi x1, x2, 5", "addi x1, x2, 5, 5"),
    ("addi x1, x2, 5", "addi x1, x2, , 5"),
    ("addi x1, x2, 5", "addi x1, x2, "),
    ("addi x1, x2, 5", "addi x1, x2, x5"),
    ("add x1, x2, x3", "add x1, x2, x3é"),
    ("add x1, x2, x3", "add x1, x2, 3"),
    ("add x1, x2, x3", "add x1, x2, x03"),
    ("add x1, x2, x3", "add x1, x2, x3 x3"),
    ("fence", "fence,"),
    ("fence", "fence fence"),
    ("cfg none, c1", "cfg nones, c1"),
]


@pytest.mark.parametrize(("good", "bad"), TRICKY)
@pytest.mark.parametrize("comment", ["", " ; é"])
def test_what_was_learned_does_not_let_wrong_lines_through(bare, findings, good, bad, comment):
    found = findings(bare, f"{good}{comment}\n{good}\n{bad}{comment}\n{good}\n{bad}{comment}")
    assert [d.line for d in found] == [3, 5]


@pytest.mark.parametrize("text", ["addi x1, x2, 007", "addi x1, x2, 0x7", "addi x1, x2, 000000000000000000000000007"])
def test_numbers_in_other_notations(bare, text):
    program = bare.assemble(f"addi x1, x2, 7\n{text}\n  {text} ; c\n")
    assert set(program.words) == {0x00710093}


def test_words_that_depend_on_their_place_are_not_remembered(toy):
    program = toy.assemble("a: nop\n beq x0, x0, a\n beq x0, x0, a\n beq x0, x0, .\n beq x0, x0, .\n j a\n j a\n")
    offsets = [toy.assemble(f"beq x0, x0, {n}").words[0] for n in (-4, -8, 0, 0)]
    assert list(program.words[1:5]) == offsets
    assert program.words[5] != program.words[6]
    second = toy.assemble("nop\na: nop\n beq x0, x0, a")
    assert second.words[2] == offsets[0]


def test_symbols_are_not_remembered_between_programs(toy, findings):
    assert toy.assemble("k = 1\naddi x1, x2, k").words[0] == 0x00110093
    assert toy.assemble("k = 2\naddi x1, x2, k").words[0] == 0x00210093
    assert [d.code for d in findings(toy, "addi x1, x2, k")] == ["KC0220"]


def test_caches_stay_bounded(bare, monkeypatch):
    monkeypatch.setattr("kernelcraft_core.asm.fastpath._MAX_CACHED", 100)
    fresh = Assembler(bare.isa, bare.dialect)
    text = "\n".join(f"{' ' * (i % 7)}add x{i % 32}{' ' * (i // 224 + 1)}, x2, x3" for i in range(1_000))
    assert len(fresh.assemble(text)) == 1_000
    assert len(fresh.fast.heads) <= 100
    assert len(fresh.fast.seen) <= 100


def test_octal_dialect_reads_leading_zeros(toy):
    octal = Assembler(toy.isa, Dialect(octal=True))
    program = octal.assemble("addi x1, x2, 7\naddi x1, x2, 10\naddi x1, x2, 010\naddi x1, x2, 010")
    assert [w >> 20 for w in program.words] == [7, 10, 8, 8]


def test_number_before_a_bracket(bare, findings):
    program = bare.assemble("lw x1, 8(x2)\nlw x1, -8(x2)\nlw x1,  16 (x2)\nlw x1, 2047(x2) ; c")
    assert list(program.words) == [bare.assemble(f"lw x1, {n}(x2)").words[0] for n in (8, -8, 16, 2047)]
    found = findings(
        bare, "lw x1, 8(x2)\nlw x1(x2), 8\nlw x1, 2048(x2)\nlw x1, 8(x2\nlw x1, (x2)\nlw x1, 8 8(x2)\nlw x1 8(x2)"
    )
    assert [d.line for d in found] == [2, 3, 4, 5, 6, 7]
