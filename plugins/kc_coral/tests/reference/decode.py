"""Decoder of 32-bit words: tables of its own, written from the public specifications; a test oracle, not part of the target.

Source: the RISC-V unprivileged specification (RV32IM, Zicsr, Zifencei) and RVV 1.0 (integer, EEW up to 32).
"""

from __future__ import annotations

from dataclasses import dataclass

MPAUSE = 0x0800_0073


class IllegalWordError(Exception):
    """The word is no instruction of the subset."""


@dataclass(frozen=True)
class Instr:
    """A decoded instruction; vector forms: v (vector-vector), x (vector-scalar), i (immediate), m (memory), c (configuration)."""

    name: str
    word: int
    rd: int = 0
    rs1: int = 0
    rs2: int = 0
    imm: int = 0
    form: str = ""
    masked: bool = False
    width: int = 0  # bytes of a memory element
    nf: int = 1
    mode: str = ""  # memory: unit, strided, indexed, whole, mask


R_TYPE = {
    (0, 0): "add", (0, 32): "sub", (1, 0): "sll", (2, 0): "slt", (3, 0): "sltu", (4, 0): "xor", (5, 0): "srl",
    (5, 32): "sra", (6, 0): "or", (7, 0): "and", (0, 1): "mul", (1, 1): "mulh", (2, 1): "mulhsu", (3, 1): "mulhu",
    (4, 1): "div", (5, 1): "divu", (6, 1): "rem", (7, 1): "remu",
}  # fmt: skip
I_TYPE = {0: "addi", 2: "slti", 3: "sltiu", 4: "xori", 6: "ori", 7: "andi"}
BRANCHES = {0: "beq", 1: "bne", 4: "blt", 5: "bge", 6: "bltu", 7: "bgeu"}
LOADS = {0: ("lb", 1), 1: ("lh", 2), 2: ("lw", 4), 4: ("lbu", 1), 5: ("lhu", 2)}
STORES = {0: ("sb", 1), 1: ("sh", 2), 2: ("sw", 4)}
CSRS = {1: "csrrw", 2: "csrrs", 3: "csrrc", 5: "csrrwi", 6: "csrrsi", 7: "csrrci"}
WIDTHS = {0: 1, 5: 2, 6: 4}

GROUP_I = {  # funct6: name, forms
    0: "vadd vxi", 2: "vsub vx", 3: "vrsub xi", 4: "vminu vx", 5: "vmin vx", 6: "vmaxu vx", 7: "vmax vx", 9: "vand vxi",
    10: "vor vxi", 11: "vxor vxi", 12: "vrgather vxi", 14: "vslideup xi", 15: "vslidedown xi", 16: "vadc vxi",
    17: "vmadc vxi", 18: "vsbc vx", 19: "vmsbc vx", 23: "vmerge vxi", 24: "vmseq vxi", 25: "vmsne vxi", 26: "vmsltu vx",
    27: "vmslt vx", 28: "vmsleu vxi", 29: "vmsle vxi", 30: "vmsgtu xi", 31: "vmsgt xi", 32: "vsaddu vxi", 33: "vsadd vxi",
    34: "vssubu vx", 35: "vssub vx", 37: "vsll vxi", 39: "vsmul vx", 40: "vsrl vxi", 41: "vsra vxi", 42: "vssrl vxi",
    43: "vssra vxi", 44: "vnsrl vxi", 45: "vnsra vxi", 46: "vnclipu vxi", 47: "vnclip vxi", 48: "vwredsumu v",
    49: "vwredsum v",
}  # fmt: skip
GROUP_M = {
    0: "vredsum v", 1: "vredand v", 2: "vredor v", 3: "vredxor v", 4: "vredminu v", 5: "vredmin v", 6: "vredmaxu v",
    7: "vredmax v", 8: "vaaddu vx", 9: "vaadd vx", 10: "vasubu vx", 11: "vasub vx", 14: "vslide1up x",
    15: "vslide1down x", 23: "vcompress v", 24: "vmandn v", 25: "vmand v", 26: "vmor v", 27: "vmxor v", 28: "vmorn v",
    29: "vmnand v", 30: "vmnor v", 31: "vmxnor v", 32: "vdivu vx", 33: "vdiv vx", 34: "vremu vx", 35: "vrem vx",
    36: "vmulhu vx", 37: "vmul vx", 38: "vmulhsu vx", 39: "vmulh vx", 41: "vmadd vx", 43: "vnmsub vx", 45: "vmacc vx",
    47: "vnmsac vx", 48: "vwaddu vx", 49: "vwadd vx", 50: "vwsubu vx", 51: "vwsub vx", 52: "vwaddu.w vx",
    53: "vwadd.w vx", 54: "vwsubu.w vx", 55: "vwsub.w vx", 56: "vwmulu vx", 58: "vwmulsu vx", 59: "vwmul vx",
    60: "vwmaccu vx", 61: "vwmacc vx", 62: "vwmaccus x", 63: "vwmaccsu vx",
}  # fmt: skip
SELECTED = {  # funct6, field vs1
    (16, 0): "vmv.x.s", (16, 16): "vcpop", (16, 17): "vfirst", (18, 4): "vzext.vf4", (18, 5): "vsext.vf4",
    (18, 6): "vzext.vf2", (18, 7): "vsext.vf2", (20, 1): "vmsbf", (20, 2): "vmsof", (20, 3): "vmsif", (20, 16): "viota",
    (20, 17): "vid",
}  # fmt: skip
UNSIGNED_IMMEDIATE = {
    "vsll", "vsrl", "vsra", "vssrl", "vssra", "vnsrl", "vnsra", "vnclip", "vnclipu", "vslideup", "vslidedown", "vrgather",
}  # fmt: skip
NEVER_MASKED = {
    "vcompress",
    "vmandn",
    "vmand",
    "vmor",
    "vmxor",
    "vmorn",
    "vmnand",
    "vmnor",
    "vmxnor",
    "vmv.x.s",
    "vmv.s.x",
}


def signed(value: int, bits: int) -> int:
    """Return the low `bits` of `value` as a two's complement number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def decode(word: int) -> Instr:
    """Return the instruction in `word`; raise IllegalWordError when the subset has none."""
    opcode, rd, rs1, rs2 = word & 0x7F, word >> 7 & 31, word >> 15 & 31, word >> 20 & 31
    funct3, funct7 = word >> 12 & 7, word >> 25
    imm = signed(word >> 20, 12)
    if opcode == 0x57:
        return _vector(word, rd, rs1, rs2, funct3)
    if opcode in (0x07, 0x27):
        return _vector_memory(word, rd, rs1, rs2, funct3)
    if opcode == 0x33 and (funct3, funct7) in R_TYPE:
        return Instr(R_TYPE[funct3, funct7], word, rd, rs1, rs2)
    if opcode == 0x13:
        if funct3 in I_TYPE:
            return Instr(I_TYPE[funct3], word, rd, rs1, imm=imm)
        name = {(1, 0): "slli", (5, 0): "srli", (5, 32): "srai"}.get((funct3, funct7))
        if name:
            return Instr(name, word, rd, rs1, imm=rs2)
    if opcode in (0x37, 0x17):
        return Instr("lui" if opcode == 0x37 else "auipc", word, rd, imm=word & 0xFFFFF000)
    if opcode == 0x6F:
        parts = word >> 31 << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
        return Instr("jal", word, rd, imm=signed(parts, 21))
    if opcode == 0x67 and funct3 == 0:
        return Instr("jalr", word, rd, rs1, imm=imm)
    if opcode == 0x63 and funct3 in BRANCHES:
        parts = word >> 31 << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1
        return Instr(BRANCHES[funct3], word, 0, rs1, rs2, signed(parts, 13))
    if opcode == 0x03 and funct3 in LOADS:
        name, width = LOADS[funct3]
        return Instr(name, word, rd, rs1, imm=imm, width=width)
    if opcode == 0x23 and funct3 in STORES:
        name, width = STORES[funct3]
        return Instr(name, word, 0, rs1, rs2, signed(funct7 << 5 | rd, 12), width=width)
    if opcode == 0x0F and funct3 in (0, 1):
        return Instr("fence.i" if funct3 else "fence", word)
    if opcode == 0x73:
        if funct3 in CSRS:
            return Instr(CSRS[funct3], word, rd, rs1, imm=word >> 20)
        name = {0x73: "ecall", 0x100073: "ebreak", MPAUSE: "mpause"}.get(word)
        if name:
            return Instr(name, word)
    raise IllegalWordError(f"{word:08x}")


def _vector(word: int, rd: int, rs1: int, rs2: int, funct3: int) -> Instr:
    vm, funct6 = word >> 25 & 1, word >> 26
    masked = not vm
    if funct3 == 7:
        if not word >> 31:
            return Instr("vsetvli", word, rd, rs1, imm=word >> 20 & 0x7FF, form="c")
        if word >> 30 == 3:
            return Instr("vsetivli", word, rd, rs1, imm=word >> 20 & 0x3FF, form="c")
        if word >> 25 == 0b1000000:
            return Instr("vsetvl", word, rd, rs1, rs2, form="c")
        raise IllegalWordError(f"{word:08x}")
    form = {0: "v", 3: "i", 4: "x", 2: "v", 6: "x"}.get(funct3)
    if form is None:
        raise IllegalWordError(f"{word:08x}")
    name = _group_i(funct6, form, rs1, rs2, vm) if funct3 in (0, 3, 4) else _group_m(funct6, form, rs1, rs2)
    if not name or (masked and name in NEVER_MASKED) or (vm and name in ("vadc", "vsbc")):
        raise IllegalWordError(f"{word:08x}")
    imm = rs1 if name in UNSIGNED_IMMEDIATE else signed(rs1, 5)
    return Instr(name, word, rd, rs1, rs2, imm, form, masked)


def _group_i(funct6: int, form: str, rs1: int, rs2: int, vm: int) -> str:
    if funct6 == 14 and form == "v":
        return "vrgatherei16"
    if funct6 == 39 and form == "i":
        return "vmvr" if vm and rs1 in (0, 1, 3, 7) else ""
    if funct6 == 23 and vm:
        return "vmv.v" if rs2 == 0 else ""
    name, forms = GROUP_I.get(funct6, "- -").split()
    return name if form in forms else ""


def _group_m(funct6: int, form: str, rs1: int, rs2: int) -> str:
    if funct6 == 16 and form == "x":
        return "vmv.s.x" if rs2 == 0 else ""
    if funct6 in (16, 18, 20):
        name = SELECTED.get((funct6, rs1), "")
        return name if form == "v" and not (name == "vid" and rs2) else ""
    name, forms = GROUP_M.get(funct6, "- -").split()
    return name if form in forms else ""


def _vector_memory(word: int, rd: int, rs1: int, rs2: int, funct3: int) -> Instr:
    width, store = WIDTHS.get(funct3), word & 0x7F == 0x27
    if width is None or word >> 28 & 1:
        raise IllegalWordError(f"{word:08x}")
    mop, masked, nf = word >> 26 & 3, not word >> 25 & 1, (word >> 29) + 1
    mode = {0: "unit", 1: "indexed", 2: "strided", 3: "indexed"}[mop]
    if mop == 0:
        if rs2 == 8 and nf in (1, 2, 4, 8) and not masked and (width == 1 or not store):
            mode = "whole"
        elif rs2 == 11 and nf == 1 and not masked and width == 1:
            mode = "mask"
        elif rs2 != 0 and not (rs2 == 16 and not store):
            raise IllegalWordError(f"{word:08x}")
    return Instr(
        "vstore" if store else "vload", word, rd, rs1, rs2, form="m", masked=masked, width=width, nf=nf, mode=mode
    )
