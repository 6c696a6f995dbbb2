"""Zbb, basic bit manipulation, as tables.

Source: unprivileged manual, chapter "B" extension, section Zbb.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernelcraft_core.isa import Instr, pure

LEADING_ZEROS = pure(
    "leading_zeros",
    ("int", "int"),
    "int<0,64>",
    lambda value, bits: bits - value.bit_length(),
    "leading_zeros(value, bits): zeros above the highest 1 of an unsigned number of that many bits",
)
TRAILING_ZEROS = pure(
    "trailing_zeros",
    ("int", "int"),
    "int<0,64>",
    lambda value, bits: (value & -value).bit_length() - 1 if value else bits,
    "trailing_zeros(value, bits): zeros below the lowest 1 of a number of that many bits",
)
ONES = pure("ones", ("int",), "int<0,64>", int.bit_count, "ones(value): how many bits of an unsigned number are 1")
BIT_PRIMITIVES = (LEADING_ZEROS, TRAILING_ZEROS, ONES)
"""The primitives that Zbb needs."""

_A, _B = "sext(x[rs1], {x})", "sext(x[rs2], {x})"
_PAIRS = (  # mnemonic, funct7, funct3, value of rd, what it is
    ("andn", "0100000", "111", "x[rs1] & ~x[rs2]", "rs1 and not rs2"),
    ("orn", "0100000", "110", "x[rs1] | ~x[rs2]", "rs1 or not rs2"),
    ("xnor", "0100000", "100", "~(x[rs1] ^ x[rs2])", "the complement of the exclusive or of rs1 and rs2"),
    ("min", "0000101", "100", f"min({_A}, {_B})", "the smaller of rs1 and rs2 as signed numbers"),
    ("minu", "0000101", "101", "min(x[rs1], x[rs2])", "the smaller of rs1 and rs2 as unsigned numbers"),
    ("max", "0000101", "110", f"max({_A}, {_B})", "the larger of rs1 and rs2 as signed numbers"),
    ("maxu", "0000101", "111", "max(x[rs1], x[rs2])", "the larger of rs1 and rs2 as unsigned numbers"),
    (
        "rol",
        "0110000",
        "001",
        "x[rs1] << (x[rs2] & {m}) | x[rs1] >> (-x[rs2] & {m})",
        "rs1 rotated left by the low bits of rs2",
    ),
    (
        "ror",
        "0110000",
        "101",
        "x[rs1] >> (x[rs2] & {m}) | x[rs1] << (-x[rs2] & {m})",
        "rs1 rotated right by the low bits of rs2",
    ),
)
_SINGLES = (  # mnemonic, upper 12 bits, funct3, value of rd, what it is
    ("clz", "011000000000", "001", "leading_zeros(x[rs1], {x})", "the number of zeros above the highest 1 of rs1"),
    ("ctz", "011000000001", "001", "trailing_zeros(x[rs1], {x})", "the number of zeros below the lowest 1 of rs1"),
    ("cpop", "011000000010", "001", "ones(x[rs1])", "the number of bits of rs1 that are 1"),
    ("sext.b", "011000000100", "001", "sext(x[rs1], 8)", "the low byte of rs1 with sign"),
    ("sext.h", "011000000101", "001", "sext(x[rs1], 16)", "the low 16 bits of rs1 with sign"),
)


def zbb(xlen: int) -> tuple[Instr, ...]:
    """Return the Zbb extension for registers of `xlen` bits (without the 32-bit forms of RV64)."""
    return (*_pairs(xlen), *_singles(xlen))


def _fill(text: str, xlen: int) -> str:
    return text.replace("{x}", str(xlen)).replace("{m}", str(xlen - 1))


def _pairs(xlen: int) -> Iterator[Instr]:
    for mnemonic, funct7, funct3, value, what in _PAIRS:
        yield _instr(mnemonic, "rs2:x", f"{funct7} rs2 rs1 {funct3} rd 0110011", _fill(value, xlen), what, "a2")
    rotated = f"x[rs1] >> shamt | x[rs1] << ({xlen} - shamt)"
    zeros = "0" * (6 - (xlen.bit_length() - 1))
    yield _instr(
        "rori",
        "shamt:shamt",
        f"011000{zeros} shamt rs1 101 rd 0010011",
        rotated,
        "rs1 rotated right by shamt",
        "4",
    )


def _singles(xlen: int) -> Iterator[Instr]:
    count = xlen // 8
    joined = " | ".join(f"(255 << {8 * i} if x[rs1] & {255 << 8 * i} else 0)" for i in range(count))
    swapped = " | ".join(f"(x[rs1] >> {8 * i} & 255) << {xlen - 8 - 8 * i}" for i in range(count))
    rows = (
        *_SINGLES,
        ("orc.b", "001010000111", "101", joined, "rs1 with all bits set in each byte that is not 0"),
        ("rev8", f"011010{'11' if xlen == 64 else '01'}1000", "101", swapped, "rs1 with its bytes in reverse order"),
    )
    for mnemonic, upper, funct3, value, what in rows:
        yield _instr(mnemonic, "", f"{upper} rs1 {funct3} rd 0010011", _fill(value, xlen), what, "")
    major = "0110011" if xlen == 32 else "0111011"
    yield _instr("zext.h", "", f"000010000000 rs1 100 rd {major}", "zext(x[rs1], 16)", "the low 16 bits of rs1", "")


def _instr(mnemonic: str, operand: str, encoding: str, value: str, what: str, example: str) -> Instr:
    return Instr(
        f"{mnemonic} rd:x, rs1:x{', ' if operand else ''}{operand}",
        encoding=encoding,
        semantics=f"x[rd] = {value}",
        category="alu",
        unit="alu",
        name=mnemonic.replace(".", "_"),
        doc=f"Writes {what} to rd.",
        examples=(f"{mnemonic} a0, a1{', ' if example else ''}{example}",),
    )
