"""RV32I and RV64I, M and Zifencei as tables: one row per instruction, one loop per format.

Meanings are written for registers of `XLEN` bits; `{x}` in a text is that width. Source: unprivileged manual, chapters RV32I,
RV64I, M, Zifencei and the instruction listings.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernelcraft_core.isa import Instr

_REGISTER = (  # mnemonic, funct7, funct3, value of rd, what it is
    ("add", "0000000", "000", "x[rs1] + x[rs2]", "the sum of rs1 and rs2"),
    ("sub", "0100000", "000", "x[rs1] - x[rs2]", "rs1 minus rs2"),
    ("sll", "0000000", "001", "x[rs1] << (x[rs2] & {m})", "rs1 shifted left by the low bits of rs2"),
    ("slt", "0000000", "010", "sext(x[rs1], {x}) < sext(x[rs2], {x})", "1 if rs1 < rs2 as signed numbers, else 0"),
    ("sltu", "0000000", "011", "x[rs1] < x[rs2]", "1 if rs1 < rs2 as unsigned numbers, else 0"),
    ("xor", "0000000", "100", "x[rs1] ^ x[rs2]", "the exclusive or of rs1 and rs2"),
    ("srl", "0000000", "101", "x[rs1] >> (x[rs2] & {m})", "rs1 shifted right by the low bits of rs2, zeros coming in"),
    (
        "sra",
        "0100000",
        "101",
        "sext(x[rs1], {x}) >> (x[rs2] & {m})",
        "rs1 shifted right by the low bits of rs2, with sign",
    ),
    ("or", "0000000", "110", "x[rs1] | x[rs2]", "the bitwise or of rs1 and rs2"),
    ("and", "0000000", "111", "x[rs1] & x[rs2]", "the bitwise and of rs1 and rs2"),
)
_IMMEDIATE = (  # mnemonic, funct3, value of rd, what it is
    ("addi", "000", "x[rs1] + imm", "the sum of rs1 and a sign-extended immediate"),
    ("slti", "010", "sext(x[rs1], {x}) < imm", "1 if rs1 < imm as signed numbers, else 0"),
    ("sltiu", "011", "x[rs1] < zext(imm, {x})", "1 if rs1 < the sign-extended imm, both as unsigned numbers, else 0"),
    ("xori", "100", "x[rs1] ^ imm", "the exclusive or of rs1 and a sign-extended immediate"),
    ("ori", "110", "x[rs1] | imm", "the bitwise or of rs1 and a sign-extended immediate"),
    ("andi", "111", "x[rs1] & imm", "the bitwise and of rs1 and a sign-extended immediate"),
)
_SHIFTS = (  # mnemonic, bits above the shift amount, funct3, value of rd, what it is
    ("slli", "00", "001", "x[rs1] << shamt", "rs1 shifted left"),
    ("srli", "00", "101", "x[rs1] >> shamt", "rs1 shifted right, zeros coming in"),
    ("srai", "01", "101", "sext(x[rs1], {x}) >> shamt", "rs1 shifted right, the sign coming in"),
)
_LOADS = (  # mnemonic, funct3, bytes, signed
    ("lb", "000", 1, True),
    ("lh", "001", 2, True),
    ("lw", "010", 4, True),
    ("lbu", "100", 1, False),
    ("lhu", "101", 2, False),
)
_STORES = (("sb", "000", 1), ("sh", "001", 2), ("sw", "010", 4))
_BRANCHES = (  # mnemonic, funct3, condition, in words
    ("beq", "000", "x[rs1] == x[rs2]", "rs1 = rs2"),
    ("bne", "001", "x[rs1] != x[rs2]", "rs1 and rs2 differ"),
    ("blt", "100", "sext(x[rs1], {x}) < sext(x[rs2], {x})", "rs1 < rs2 as signed numbers"),
    ("bge", "101", "sext(x[rs1], {x}) >= sext(x[rs2], {x})", "rs1 >= rs2 as signed numbers"),
    ("bltu", "110", "x[rs1] < x[rs2]", "rs1 < rs2 as unsigned numbers"),
    ("bgeu", "111", "x[rs1] >= x[rs2]", "rs1 >= rs2 as unsigned numbers"),
)
_SIGNED = "a = sext(x[rs1], {x}); b = sext(x[rs2], {x}); "
_MULTIPLY = (  # mnemonic, funct3, unit, meaning, what rd is
    ("mul", "000", "mul", "x[rd] = x[rs1] * x[rs2]", "the low half of the product"),
    (
        "mulh",
        "001",
        "mul",
        "x[rd] = sext(x[rs1], {x}) * sext(x[rs2], {x}) >> {x}",
        "the high half of the product of signed numbers",
    ),
    (
        "mulhsu",
        "010",
        "mul",
        "x[rd] = sext(x[rs1], {x}) * x[rs2] >> {x}",
        "the high half of the product of signed rs1 and unsigned rs2",
    ),
    ("mulhu", "011", "mul", "x[rd] = x[rs1] * x[rs2] >> {x}", "the high half of the product of unsigned numbers"),
    (
        "div",
        "100",
        "div",
        _SIGNED + "q = abs(a) // max(1, abs(b)); x[rd] = -1 if b == 0 else q if (a < 0) == (b < 0) else -q",
        "the signed quotient, rounded towards zero; -1 for a divisor of 0",
    ),
    (
        "divu",
        "101",
        "div",
        "x[rd] = -1 if x[rs2] == 0 else x[rs1] // max(1, x[rs2])",
        "the unsigned quotient; all ones for a divisor of 0",
    ),
    (
        "rem",
        "110",
        "div",
        _SIGNED + "r = abs(a) % max(1, abs(b)); x[rd] = a if b == 0 else -r if a < 0 else r",
        "the signed remainder, with the sign of rs1; rs1 for a divisor of 0",
    ),
    (
        "remu",
        "111",
        "div",
        "x[rd] = x[rs1] if x[rs2] == 0 else x[rs1] % max(1, x[rs2])",
        "the unsigned remainder; rs1 for a divisor of 0",
    ),
)


def integer(xlen: int, *, memory: str, compressed: bool = False) -> tuple[Instr, ...]:
    """Return the base integer instructions.

    Args:
        xlen: bits of a register.
        memory: name of the address space (or byte memory) that loads and stores use.
        compressed: whether instructions may stand at any multiple of 2: then no jump target is misaligned.
    """
    return (
        *_upper(xlen),
        *_jumps(xlen, compressed),
        *_branch_rows(xlen, compressed),
        *_memory(xlen, memory),
        *_arithmetic(xlen),
        *_system(),
    )


def _widths(text: str, xlen: int) -> str:
    return text.replace("{x}", str(xlen)).replace("{m}", str(xlen - 1))


def _upper(xlen: int) -> Iterator[Instr]:
    shifted = "imm << 12" if xlen == 32 else "sext(imm << 12, 32)"
    yield Instr(
        "lui rd:x, imm:u20",
        encoding="imm rd 0110111",
        semantics=f"x[rd] = {shifted}",
        category="alu",
        unit="alu",
        doc="Writes imm * 2**12 to rd.",
        examples=("lui a0, 0xfffff",),
    )
    yield Instr(
        "auipc rd:x, imm:u20",
        encoding="imm rd 0010111",
        semantics=f"x[rd] = pc + ({shifted})",
        category="alu",
        unit="alu",
        doc="Writes the address of the instruction plus imm * 2**12 to rd.",
        examples=("auipc t1, 0x12",),
    )


def _jumps(xlen: int, compressed: bool) -> Iterator[Instr]:
    def check(target: str, test: str) -> str:
        return "" if compressed else f"if {test} & 2: exception(0, zext({target}, {xlen}))\n"

    yield Instr(
        "jal rd:x, off:j21",
        encoding="off[20|10:1|11|19:12] rd 1101111",
        semantics=f"{check('pc + off', 'off')}x[rd] = next_pc; pc = pc + off",
        category="branch",
        unit="branch",
        doc="Jumps to off bytes from here and writes the address of the next instruction to rd.",
        examples=("jal ra, 16",),
    )
    yield Instr(
        "jalr rd:x, imm:s12(rs1:x)",
        encoding="imm rs1 000 rd 1100111",
        semantics=f"target = x[rs1] + imm & -2\n{check('target', 'target')}x[rd] = next_pc; pc = target",
        category="branch",
        unit="branch",
        doc="Jumps to rs1 + imm with the lowest bit cleared and writes the address of the next instruction to rd.",
        examples=("jalr ra, 12(a0)",),
    )


def _branch_rows(xlen: int, compressed: bool) -> Iterator[Instr]:
    for mnemonic, funct3, condition, words in _BRANCHES:
        test = _widths(condition, xlen)
        check = "" if compressed else f"if off & 2:\n  if {test}: exception(0, zext(pc + off, {xlen}))\n"
        yield Instr(
            f"{mnemonic} rs1:x, rs2:x, off:b13",
            encoding=f"off[12|10:5] rs2 rs1 {funct3} off[4:1|11] 1100011",
            semantics=f"{check}if {test}: pc = pc + off",
            category="branch",
            unit="branch",
            doc=f"Jumps to off bytes from here if {words}.",
            examples=(f"{mnemonic} a0, a1, 8",),
        )


def _memory(xlen: int, memory: str) -> Iterator[Instr]:
    for mnemonic, funct3, size, signed in _LOADS:
        value = f"load({memory}, zext(x[rs1] + imm, {xlen}), {size})"
        extended = signed and 8 * size < xlen
        yield Instr(
            f"{mnemonic} rd:x, imm:s12(rs1:x)",
            encoding=f"imm rs1 {funct3} rd 0000011",
            semantics=f"x[rd] = sext({value}, {8 * size})" if extended else f"x[rd] = {value}",
            category="load",
            unit="memory",
            doc=f"Loads {8 * size} bits at rs1 + imm into rd{'' if 8 * size == xlen else ', with sign' if signed else ''}.",
            examples=(f"{mnemonic} a0, -4(a1)",),
        )
    for mnemonic, funct3, size in _STORES:
        yield Instr(
            f"{mnemonic} rs2:x, imm:s12(rs1:x)",
            encoding=f"imm[11:5] rs2 rs1 {funct3} imm[4:0] 0100011",
            semantics=f"store({memory}, zext(x[rs1] + imm, {xlen}), {size}, x[rs2])",
            category="store",
            unit="memory",
            doc=f"Stores the low {8 * size} bits of rs2 at rs1 + imm.",
            examples=(f"{mnemonic} a0, 4(a1)",),
        )


def _arithmetic(xlen: int) -> Iterator[Instr]:
    for mnemonic, funct3, value, what in _IMMEDIATE:
        yield Instr(
            f"{mnemonic} rd:x, rs1:x, imm:s12",
            encoding=f"imm rs1 {funct3} rd 0010011",
            semantics=f"x[rd] = {_widths(value, xlen)}",
            category="alu",
            unit="alu",
            doc=f"Writes {what} to rd.",
            examples=(f"{mnemonic} a0, a1, -5",),
        )
    zeros = "0" * (12 - 2 - (xlen.bit_length() - 1))
    for mnemonic, head, funct3, value, what in _SHIFTS:
        yield Instr(
            f"{mnemonic} rd:x, rs1:x, shamt:shamt",
            encoding=f"{head}{zeros} shamt rs1 {funct3} rd 0010011",
            semantics=f"x[rd] = {_widths(value, xlen)}",
            category="alu",
            unit="alu",
            doc=f"Writes {what} by shamt to rd.",
            examples=(f"{mnemonic} a0, a1, 4",),
        )
    for mnemonic, funct7, funct3, value, what in _REGISTER:
        yield _three(mnemonic, funct7, funct3, f"x[rd] = {_widths(value, xlen)}", what, "alu", "alu")


def _three(mnemonic: str, funct7: str, funct3: str, semantics: str, what: str, category: str, unit: str) -> Instr:
    return Instr(
        f"{mnemonic} rd:x, rs1:x, rs2:x",
        encoding=f"{funct7} rs2 rs1 {funct3} rd 0110011",
        semantics=semantics,
        category=category,
        unit=unit,
        doc=f"Writes {what} to rd.",
        examples=(f"{mnemonic} a0, a1, a2",),
    )


def _system() -> Iterator[Instr]:
    yield Instr(
        "fence pred:order=15, succ:order=15",
        encoding="0000 pred succ -{5} 000 -{5} 0001111",
        semantics="",
        category="sync",
        unit="memory",
        doc="Orders memory accesses before it (pred) and after it (succ); accesses here are in order anyway.",
        examples=("fence", "fence rw, w"),
    )
    yield Instr(
        "fence.tso",
        encoding="1000 0011 0011 -{5} 000 -{5} 0001111",
        semantics="",
        category="sync",
        unit="memory",
        name="fence_tso",
        doc="Orders loads and stores before it, except stores before loads after it.",
        examples=("fence.tso",),
    )
    for mnemonic, number, cause, what in (
        ("ecall", "0", 11, "Asks the environment for a service"),
        ("ebreak", "1", 3, "Stops for a debugger"),
    ):
        yield Instr(
            mnemonic,
            encoding=f"0{{11}} {number} 00000 000 00000 1110011",
            semantics=f"exception({cause}, 0)",
            category="sync",
            unit="branch",
            doc=f"{what}: an exception with cause {cause}.",
            examples=(mnemonic,),
        )


def multiply(xlen: int) -> tuple[Instr, ...]:
    """Return the M extension."""
    return tuple(
        _three(mnemonic, "0000001", funct3, _widths(meaning, xlen), what, "mul", unit)
        for mnemonic, funct3, unit, meaning, what in _MULTIPLY
    )


def zifencei() -> tuple[Instr, ...]:
    """Return `fence.i`."""
    return (
        Instr(
            "fence.i",
            encoding="-{12} -{5} 001 -{5} 0001111",
            semantics="",
            category="sync",
            unit="memory",
            name="fence_i",
            doc="Makes stores to code visible to fetches; programs here are decoded once, so it does nothing.",
            examples=("fence.i",),
        ),
    )
