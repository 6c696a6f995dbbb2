"""Pseudo-instructions with the expansions GNU as and LLVM give them, and the relocation operators.

Source: RISC-V Assembly Programmer's Manual, "A listing of standard RISC-V pseudoinstructions"; psABI, "Relocations". Distances
are computed here: `off` of kind `far` is the distance to a symbol from the pseudo-instruction's own address.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernelcraft_core.isa import Pseudo, Relocation

_HIGH, _LOW = "{(off + 0x800 >> 12) & 0xfffff}", "{sext(off, 12)}"

_PLAIN = (
    ("nop", "addi x0, x0, 0"),
    ("mv rd:x, rs1:x", "addi {rd}, {rs1}, 0"),
    ("not rd:x, rs1:x", "xori {rd}, {rs1}, -1"),
    ("neg rd:x, rs2:x", "sub {rd}, x0, {rs2}"),
    ("seqz rd:x, rs1:x", "sltiu {rd}, {rs1}, 1"),
    ("snez rd:x, rs2:x", "sltu {rd}, x0, {rs2}"),
    ("sltz rd:x, rs1:x", "slt {rd}, {rs1}, x0"),
    ("sgtz rd:x, rs2:x", "slt {rd}, x0, {rs2}"),
    ("sgt rd:x, rs1:x, rs2:x", "slt {rd}, {rs2}, {rs1}"),
    ("sgtu rd:x, rs1:x, rs2:x", "sltu {rd}, {rs2}, {rs1}"),
    ("zext.b rd:x, rs1:x", "andi {rd}, {rs1}, 255"),
    ("beqz rs1:x, off:b13", "beq {rs1}, x0, {off}"),
    ("bnez rs1:x, off:b13", "bne {rs1}, x0, {off}"),
    ("blez rs1:x, off:b13", "bge x0, {rs1}, {off}"),
    ("bgez rs1:x, off:b13", "bge {rs1}, x0, {off}"),
    ("bltz rs1:x, off:b13", "blt {rs1}, x0, {off}"),
    ("bgtz rs1:x, off:b13", "blt x0, {rs1}, {off}"),
    ("bgt rs1:x, rs2:x, off:b13", "blt {rs2}, {rs1}, {off}"),
    ("ble rs1:x, rs2:x, off:b13", "bge {rs2}, {rs1}, {off}"),
    ("bgtu rs1:x, rs2:x, off:b13", "bltu {rs2}, {rs1}, {off}"),
    ("bleu rs1:x, rs2:x, off:b13", "bgeu {rs2}, {rs1}, {off}"),
    ("j off:j21", "jal x0, {off}"),
    ("jal off:j21", "jal x1, {off}"),
    ("jr rs1:x", "jalr x0, 0({rs1})"),
    ("jr (rs1:x)", "jalr x0, 0({rs1})"),
    ("jr imm:s12(rs1:x)", "jalr x0, {imm}({rs1})"),
    ("jalr rs1:x", "jalr x1, 0({rs1})"),
    ("jalr (rs1:x)", "jalr x1, 0({rs1})"),
    ("jalr imm:s12(rs1:x)", "jalr x1, {imm}({rs1})"),
    ("jalr rd:x, rs1:x", "jalr {rd}, 0({rs1})"),
    ("jalr rd:x, (rs1:x)", "jalr {rd}, 0({rs1})"),
    ("jalr rd:x, rs1:x, imm:s12", "jalr {rd}, {imm}({rs1})"),
    ("ret", "jalr x0, 0(x1)"),
    # an immediate where the mnemonic names the register form
    ("add rd:x, rs1:x, imm:s12", "addi {rd}, {rs1}, {imm}"),
    ("and rd:x, rs1:x, imm:s12", "andi {rd}, {rs1}, {imm}"),
    ("or rd:x, rs1:x, imm:s12", "ori {rd}, {rs1}, {imm}"),
    ("xor rd:x, rs1:x, imm:s12", "xori {rd}, {rs1}, {imm}"),
    ("slt rd:x, rs1:x, imm:s12", "slti {rd}, {rs1}, {imm}"),
    ("sltu rd:x, rs1:x, imm:s12", "sltiu {rd}, {rs1}, {imm}"),
    ("sll rd:x, rs1:x, shamt:shamt", "slli {rd}, {rs1}, {shamt}"),
    ("srl rd:x, rs1:x, shamt:shamt", "srli {rd}, {rs1}, {shamt}"),
    ("sra rd:x, rs1:x, shamt:shamt", "srai {rd}, {rs1}, {shamt}"),
)
_LOADS, _STORES = ("lb", "lh", "lw", "lbu", "lhu"), ("sb", "sh", "sw")


def pseudos(xlen: int) -> tuple[Pseudo, ...]:
    """Return the pseudo-instructions of the base integer instructions (`li` for 32-bit registers only)."""
    plain = (Pseudo(syntax, (line,)) for syntax, line in _PLAIN)
    return (*plain, *_addresses(xlen), *_accesses(), *(_constant_32("li") if xlen == 32 else ()))


def _addresses(xlen: int) -> Iterator[Pseudo]:
    for name in ("la", "lla"):
        doc = "The address of a symbol, always by two instructions relative to the program counter."
        yield Pseudo(f"{name} rd:x, off:symbol", (f"auipc {{rd}}, {_HIGH}", f"addi {{rd}}, {{rd}}, {_LOW}"), doc=doc)
        if xlen == 32:  # of a number it is li, as for GNU as
            yield from _constant_32(name)
    for name, link, through in (("call", "x1", "x1"), ("tail", "x0", "x6")):
        lines = (f"auipc {through}, {_HIGH}", f"jalr {link}, {_LOW}({through})")
        yield Pseudo(f"{name} off:far", lines, doc="A jump to anywhere, always by two instructions.")
    yield Pseudo("call rd:x, off:far", (f"auipc {{rd}}, {_HIGH}", f"jalr {{rd}}, {_LOW}({{rd}})"))


def _accesses() -> Iterator[Pseudo]:
    for name in _LOADS:
        yield Pseudo(f"{name} rd:x, (rs1:x)", (f"{name} {{rd}}, 0({{rs1}})",))
        yield Pseudo(f"{name} rd:x, off:symbol", (f"auipc {{rd}}, {_HIGH}", f"{name} {{rd}}, {_LOW}({{rd}})"))
    for name in _STORES:
        yield Pseudo(f"{name} rs2:x, (rs1:x)", (f"{name} {{rs2}}, 0({{rs1}})",))
        lines = (f"auipc {{rt}}, {_HIGH}", f"{name} {{rs2}}, {_LOW}({{rt}})")
        yield Pseudo(f"{name} rs2:x, off:symbol, rt:x", lines)


def _constant_32(name: str) -> Iterator[Pseudo]:
    """Yield the variants of `li` under a name: one instruction where that is enough, lui and addi otherwise."""
    doc = "A constant of 32 bits, signed or unsigned: addi, lui, or both."
    short = "-2048 <= sext(imm, 32) and sext(imm, 32) <= 2047"
    high = "{(imm + 0x800 >> 12) & 0xfffff}"
    yield Pseudo(f"{name} rd:x, imm:constant", ("addi {rd}, x0, {sext(imm, 12)}",), when=short, doc=doc)
    yield Pseudo(f"{name} rd:x, imm:constant", (f"lui {{rd}}, {high}",), when="imm & 0xfff == 0", doc=doc)
    yield Pseudo(f"{name} rd:x, imm:constant", (f"lui {{rd}}, {high}", "addi {rd}, {rd}, {sext(imm, 12)}"), doc=doc)


def csr_pseudos() -> tuple[Pseudo, ...]:
    """Return the pseudo-instructions of Zicsr."""
    reads = [Pseudo("csrr rd:x, csr:csr", ("csrrs {rd}, {csr}, x0",))]
    for name in ("w", "s", "c"):
        reads.append(Pseudo(f"csr{name} csr:csr, rs1:x", (f"csrr{name} x0, {{csr}}, {{rs1}}",)))
        reads.append(Pseudo(f"csr{name}i csr:csr, imm:u5", (f"csrr{name}i x0, {{csr}}, {{imm}}",)))
        reads.append(Pseudo(f"csr{name} csr:csr, imm:u5", (f"csrr{name}i x0, {{csr}}, {{imm}}",)))
    return tuple(reads)


def _high(value: int, here: int) -> int:
    return (value + 0x800 >> 12) & 0xFFFFF


def _low(value: int, here: int) -> int:
    return (value + 0x800 & 0xFFF) - 0x800


RELOCATIONS: tuple[Relocation, ...] = (
    Relocation("%hi", _high, doc="upper 20 bits for lui, rounded for the signed low part"),
    Relocation("%lo", _low, doc="low 12 bits, signed"),
    Relocation(
        "%pcrel_hi", lambda value, here: _high(value - here, here), doc="upper 20 bits of the distance, for auipc"
    ),
    Relocation(
        "%pcrel_lo", lambda value, at: _low(value - at, at), of="%pcrel_hi", doc="low 12 bits of the same distance"
    ),
)
"""Relocation operators of absolute and pc-relative addresses."""
