"""Integer registers with their ABI names, and the operand kinds of the scalar instructions.

Source: RISC-V psABI document, "Register Convention"; unprivileged manual, "Base Instruction Formats".
"""

from __future__ import annotations

from kernelcraft_core.isa import Imm, Reg, RegFile
from kernelcraft_core.isa.model import Kind, State

ABI_NAMES: dict[str, int] = {
    "zero": 0,
    "ra": 1,
    "sp": 2,
    "gp": 3,
    "tp": 4,
    "fp": 8,
    **{f"t{i}": i + 5 for i in range(3)},
    **{f"s{i}": i + 8 for i in range(2)},
    **{f"a{i}": i + 10 for i in range(8)},
    **{f"s{i}": i + 16 for i in range(2, 12)},
    **{f"t{i}": i + 25 for i in range(3, 7)},
}
"""ABI name -> register number."""

_SETS = [
    "".join(letter for bit, letter in enumerate("iorw") if value >> (3 - bit) & 1) or "none" for value in range(16)
]
FENCE_SETS = {name: value for value, name in enumerate(_SETS) if name != "none"}
"""What a fence orders: `rw` -> 3; `i`, `o`, `r`, `w` from the highest bit down."""


def kinds(xlen: int) -> tuple[Kind, ...]:
    """Return the operand kinds of the scalar instructions and pseudo-instructions for registers of `xlen` bits."""
    shift = xlen.bit_length() - 1
    return (
        Reg("x", bits=5, prefix="x", names=ABI_NAMES),
        Imm("s12", bits=12, signed=True, hint="build larger constants with li, addresses with la"),
        Imm("u20", bits=20, hint="lui and auipc take the upper 20 bits: 0..0xfffff, as %hi(symbol) gives them"),
        Imm("shamt", bits=shift),
        Imm("b13", bits=13, signed=True, align=2, relative=True, hint="jump with j over an inverted branch"),
        Imm("j21", bits=21, signed=True, align=2, relative=True, hint="use call or tail"),
        Imm("order", bits=4, names=FENCE_SETS),
        # of pseudo-instructions: the distance to anywhere
        Imm("far", bits=xlen + 2, signed=True, relative=True, numbers="address"),
        Imm("symbol", bits=xlen + 2, signed=True, relative=True, numbers="none", hint="an address is written 8(x0)"),
        Imm("constant", bits=xlen + 1, signed=True, min=-(1 << xlen - 1), max=(1 << xlen) - 1),
    )


def state(xlen: int) -> tuple[State, ...]:
    """Return the integer registers."""
    return (RegFile("x", bits=xlen, count=32, zero=0, doc=f"integer registers of {xlen} bits; x0 is zero"),)
