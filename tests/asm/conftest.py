"""A small ISA that has what assemblers find hard: two word lengths, split and relative immediates, shared mnemonics."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from kernelcraft_core.asm import Assembler, Dialect
from kernelcraft_core.diagnostics import AssemblyError, Diagnostic
from kernelcraft_core.isa import Imm, Instr, Isa, Placeholder, Pseudo, Reg, RegFile

KINDS = (
    Reg("x", bits=5, prefix="x", count=32, names={"zero": 0, "ra": 1, "sp": 2, "t0": 5, "t1": 6}),
    Reg("c", bits=3, prefix="c", names={"z": 0}),
    Reg("low", bits=3, prefix="x", file="x"),
    Imm("s12", bits=12, signed=True, hint="build large constants with lui and addi"),
    Imm("u5", bits=5),
    Imm("u20", bits=20),
    Imm("b13", bits=13, signed=True, align=2, relative=True),
    Imm("j21", bits=21, signed=True, align=2, relative=True),
    Imm("i32", bits=33, signed=True, min=-(1 << 31), max=(1 << 32) - 1),
    Imm("cb9", bits=9, signed=True, align=2, relative=True),
    Imm("n6", bits=6, signed=True, min=-32, max=31),
    Placeholder("off", ("0", "none")),
)


def alu(name: str, funct: str, op: str = "+") -> Instr:
    return Instr(
        f"{name} rd:x, rs1:x, rs2:x",
        f"0{{7}} rs2 rs1 {funct} rd 0110011",
        f"x[rd] = x[rs1] {op} x[rs2]",
        category="alu",
        unit="alu",
    )


def branch(name: str, funct: str, test: str) -> Instr:
    return Instr(
        f"{name} rs1:x, rs2:x, target:b13",
        f"target[12|10:5] rs2 rs1 {funct} target[4:1|11] 1100011",
        f"if x[rs1] {test} x[rs2]: pc = pc + target",
        category="branch",
        unit="alu",
    )


INSTRS = (
    alu("add", "000"),
    alu("sub", "001", "-"),
    Instr(
        "addi rd:x, rs1:x, imm:s12",
        "imm rs1 000 rd 0010011",
        "x[rd] = x[rs1] + imm",
        category="alu",
        unit="alu",
        note="addi takes an immediate last",
    ),
    Instr("lui rd:x, imm:u20", "imm rd 0110111", "x[rd] = imm << 12", category="alu", unit="alu"),
    Instr(
        "lw rd:x, imm:s12(rs1:x)",
        "imm rs1 010 rd 0000011",
        "x[rd] = x[rs1] + imm",
        category="load",
        unit="alu",
        also=("lw rd:x, (rs1:x), imm:s12",),
    ),
    Instr(
        "sw rs2:x, imm:s12(rs1:x)",
        "imm[11:5] rs2 rs1 010 imm[4:0] 0100011",
        "x[0] = x[rs1] + imm + x[rs2]",
        "store",
        "alu",
    ),
    branch("beq", "000", "=="),
    branch("blt", "100", "<"),
    Instr(
        "jal rd:x, target:j21",
        "target[20|10:1|11|19:12] rd 1101111",
        "x[rd] = next_pc; pc = pc + target",
        category="branch",
        unit="alu",
    ),
    Instr("slli rd:x, rs1:x, n:u5=1", "0{7} n rs1 001 rd 0010011", "x[rd] = x[rs1] << n", category="alu", unit="alu"),
    Instr(
        "mad rd:x, rs1:x, rs2:x, n:u5=0, flip:u5=3",
        "flip[1:0] n rs2 rs1 flip[4:2] rd 1011011",
        "x[rd] = x[rs1] * x[rs2] + n + flip",
        category="mul",
        unit="alu",
        also=("mad rd:x, rs1:x, rs2:x, n:u5, flip:u5, _:off",),
    ),
    Instr("fence", "0{25} 0001111", "x[0] = 0", category="sync", unit="alu"),
    Instr("fence.i", "0{17} 001 0{5} 0001111", "x[0] = 0", category="sync", unit="alu"),
    Instr(
        "cfg _:off, rd:c",
        "-{20} 0 - rd 1111011",
        "x[0] = rd",
        category="config",
        unit="alu",
        note="the first operand is not used",
    ),
    Instr(
        "mix a:low, b:c", "b a -{14} 00000 1110111", "x[a] = b", category="alu", unit="alu", also=("mix b:c, a:low",)
    ),
    Instr("c.nop", "0{14} 01", "x[0] = 0", category="alu", unit="alu"),
    Instr("cadd rd:x, rs:x", "1001 rd rs 10", "x[rd] = x[rd] + x[rs]", category="alu", unit="alu"),
    Instr("inc rd:x, n:n6", "001 n[5] rd n[4:0] 01", "x[rd] = x[rd] + n", category="alu", unit="alu", name="inc.s"),
    Instr("inc rd:x, n:s12", "n 00000 101 rd 0010011", "x[rd] = x[rd] + n", category="alu", unit="alu", name="inc.l"),
    Instr(
        "bz rs:low, target:cb9",
        "110 target[8|4:3] rs target[7:6|2:1|5] 01",
        "if x[rs] == 0: pc = pc + target",
        "branch",
        "alu",
        name="bz.s",
    ),
    Instr(
        "bz rs:low, target:b13",
        "target[12|10:5] 00000 00 rs 110 target[4:1|11] 1100011",
        "if x[rs] == 0: pc = pc + target",
        "branch",
        "alu",
        name="bz.l",
    ),
)

PSEUDOS = (
    Pseudo("nop", ("addi x0, x0, 0",)),
    Pseudo("mv rd:x, rs:x", ("addi {rd}, {rs}, 0",)),
    Pseudo("li rd:x, imm:i32", ("addi {rd}, x0, {imm}",), when="imm >= -2048 and imm < 2048"),
    Pseudo("li rd:x, imm:i32", ("lui {rd}, {((imm + 0x800) >> 12) & 0xFFFFF}", "addi x{rd}, {rd}, {sext(imm, 12)}")),
    Pseudo("j target:j21", ("jal x0, {target}",)),
    Pseudo("jal target:j21", ("jal ra, {target}",)),
    Pseudo("bgt a:x, b:x, target:b13", ("blt {b}, {a}, {target}",)),
    Pseudo("far a:x, target:j21", ("beq {a}, x0, 8", "jal x0, {target - 4}")),
    Pseudo("small rd:x, imm:s12", ("addi {rd}, {rd}, {imm}",), when="imm > 0"),
)

TOY = Isa(
    "toy", kinds=KINDS, state=(RegFile("x", bits=32, count=32, zero=0),), instrs=INSTRS, pseudos=PSEUDOS, width=32
)

PLAIN_INSTRS = tuple(i for i in INSTRS if not i.syntax.startswith(("c.nop", "cadd", "inc", "bz")))

PLAIN = Isa(
    "plain", kinds=KINDS, state=(RegFile("x", bits=32, count=32, zero=0),), instrs=PLAIN_INSTRS, pc_unit=4, words=False
)
"""One word length, word addresses, no data."""

BARE = Dialect(comments=(";", "//"), labels=False, constants=False, expressions=False, directives=False, binary=False)
"""Mnemonics, registers and numbers only."""


FULL = Dialect(separator=";", padding="nop", elsewhere={"mul": "extension Xmul"})
"""Everything on."""


@pytest.fixture(scope="session")
def toy() -> Assembler:
    """Return an assembler of TOY in the full dialect."""
    return Assembler(TOY, FULL)


@pytest.fixture(scope="session")
def bare() -> Assembler:
    """Return an assembler of PLAIN in the smallest dialect."""
    return Assembler(PLAIN, BARE)


@pytest.fixture(scope="session")
def make() -> Callable[..., Isa]:
    """Return a function that builds TOY with some of its fields replaced."""
    return lambda **changes: attrs.evolve(TOY, **changes)


@pytest.fixture(scope="session")
def findings() -> Callable[..., list[Diagnostic]]:
    """Return a function that returns the findings about a program that must not assemble."""

    def run(assembler: Assembler, text: str | bytes) -> list[Diagnostic]:
        with pytest.raises(AssemblyError) as caught:
            assembler.assemble(text, "bad.asm")
        for found in caught.value.diagnostics:
            assert found.file == "bad.asm"
            assert found.code.startswith("KC02")
            assert "Traceback" not in found.render()
        return list(caught.value.diagnostics)

    return run


@pytest.fixture(scope="session", params=["toy", "bare"])
def either(request: pytest.FixtureRequest) -> Assembler:
    """Return the assemblers of both ISAs in turn."""
    assembler: Assembler = request.getfixturevalue(request.param)
    return assembler
