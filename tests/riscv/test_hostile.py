"""Text that is not a program: findings, never an exception of another kind, and in reasonable time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Program

VECTORS = Path(__file__).parent / "vectors"
QUIET = settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
PIECES = (
    *(
        "addi",
        "lw",
        "li",
        "la",
        "j",
        "beqz",
        "csrr",
        "call",
        "sw",
        "fence",
        "1:",
        "x:",
        "1b",
        "1f",
        "0f",
        "99b",
        "a0",
        "x31",
    ),
    *(
        ".data",
        ".text",
        ".bss",
        ".section",
        ".word",
        ".byte",
        ".asciz",
        ".align",
        ".balign",
        ".comm",
        ".equ",
        ".org",
        ".space",
    ),
    *(
        "%hi",
        "%lo",
        "%pcrel_lo",
        "%",
        "(",
        ")",
        ",",
        ";",
        "\n",
        "/*",
        "*/",
        "//",
        "#",
        '"',
        "'",
        "'a'",
        '"s"',
        "\\",
        "=",
    ),
    *(
        "0",
        "-1",
        "08",
        "0x",
        "1e5",
        "4096",
        "99999999999999999999",
        ".",
        "x",
        "y",
        "+",
        "-",
        "*",
        "<<",
        "~",
        "@",
        "1@0",
        "\u00e9",
    ),
    *(
        "rw",
        "iorw",
        "mscratch",
        "zero",
        ".rodata.str1.1",
        ".size",
        ".cfi_x",
        ".globl",
        ".set",
        ".local",
        ".zero",
        ".half",
    ),
)


def attempt(rv: Target, text: str | bytes) -> Program | None:
    try:
        return rv.assemble(text)
    except AssemblyError as error:
        assert 1 <= len(error.diagnostics) <= 20
        assert all(d.line is None or d.line >= 1 for d in error.diagnostics)
        assert str(error)
        return None


@QUIET
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(("", " ", "\t", "\n", ", "))), max_size=25))
def test_any_mixture_of_words_gives_findings_or_a_program(rv: Target, parts: list[tuple[str, str]]) -> None:
    attempt(rv, "".join(a + b for a, b in parts))


@QUIET
@given(st.text(max_size=60))
def test_any_text_gives_findings_or_a_program(rv: Target, text: str) -> None:
    attempt(rv, text)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_program_gives_findings_or_a_program(rv: Target, seed: int) -> None:
    rng = random.Random(seed)
    text = list((VECTORS / "gnu_syntax.s").read_text())
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(text))
        match rng.randrange(3):
            case 0:
                del text[at : at + rng.randint(1, 5)]
            case 1:
                text.insert(at, rng.choice(PIECES))
            case _:
                text[at] = chr(rng.randrange(32, 127))
    program = attempt(rv, "".join(text))
    if program is not None:
        assert attempt(rv, rv.disassemble(program)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "li a0, " + "(" * 5000,
        "li a0, " + "-" * 5000 + "1",
        "li a0, " + "1+" * 5000 + "1",
        "1: j 1b;" * 5000,
        '.ascii "' + "\\n" * 20000 + '"',
        ".space 99999999999999999",
        ".balign 1073741824\nnop",
        ".data\n.balign 1073741824\n.byte 1\n.balign 1073741824",
        ".comm x, 99999999999",
        "a = b\nb = a\n.word a",
        "x = . + 1\n" * 3,
        ".data\n" + "x: .word . - x\n" * 2,
        "/*" * 5000,
        "'" * 5000,
        '"' * 5001,
        ".section " + "x" * 5000,
        "li a0, %hi(" * 1000,
        "\0",
        ".text\n.org 0x7fffffff",
        ".fill 3",
    ],
)
def test_extremes_are_met_with_findings(rv: Target, text: str) -> None:
    attempt(rv, text)


@pytest.mark.parametrize("seed", range(10))
def test_random_words_never_break_the_simulator(rv: Target, seed: int) -> None:
    rng = random.Random(seed)
    words = [rng.getrandbits(32) & ~3 | 3 for _ in range(200)]
    program = rv.assemble(".word " + ", ".join(map(hex, words)))
    for engine in ("closures", "generated"):
        assert rv.simulate(program, engine=engine, fill="pattern").status in ("trap", "halted", "limit")
