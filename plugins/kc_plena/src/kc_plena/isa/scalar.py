"""Scalar instructions: binary16 arithmetic, 32-bit unsigned integers, their memories.

Source: AICrossSim/PLENA ecd5acb, behavioral_simulator/src/main.rs.
"""

from __future__ import annotations

from kc_plena.isa.layout import i_form, r_form, u_form
from kernelcraft_core.isa import Instr

_SOURCE = "AICrossSim/PLENA ecd5acb, behavioral_simulator"
_F0 = "Into f0 nothing happens and no time passes."


def _float2(name: str, opcode: int, value: str, doc: str) -> Instr:
    return Instr(
        f"{name} rd:f, rs1:f, rs2:f",
        encoding=r_form(opcode, rd="rd", rs1="rs1", rs2="rs2"),
        semantics=f"if rd: f[rd] = {value}",
        category="alu",
        unit="scalar",
        latency="S_FP_CYCLES if rd else 0",
        doc=f"{doc} {_F0}",
        source=_SOURCE,
        examples=(f"{name} f3, f2, f0",),
    )


def _float1(name: str, opcode: int, call: str, doc: str, *also: str) -> Instr:
    return Instr(
        f"{name} rd:f, rs1:f",
        encoding=r_form(opcode, rd="rd", rs1="rs1"),
        semantics=f"if rd: f[rd] = {call}(f[rs1])",
        category="alu",
        unit="scalar",
        latency="S_SFU_CYCLES if rd else 0",
        also=also,
        doc=f"{doc} {_F0}",
        source=_SOURCE,
        examples=(f"{name} f4, f4",),
    )


def _integer(name: str, opcode: int, operator: str, doc: str) -> Instr:
    return Instr(
        f"{name} rd:gp, rs1:gp, rs2:gp",
        encoding=r_form(opcode, rd="rd", rs1="rs1", rs2="rs2"),
        semantics=f"gp[rd] = gp[rs1] {operator} gp[rs2]",
        category="mul" if operator == "*" else "alu",
        unit="scalar",
        doc=f"{doc}, modulo 2**32.",
        note="all three operands are registers; S_ADDI_INT takes an immediate",
        source=_SOURCE,
        examples=(f"{name} gp3, gp1, gp2",),
    )


def _memory(name: str, opcode: int, first: str, semantics: str, category: str, doc: str) -> Instr:
    return Instr(
        f"{name} rd:{first}, rs1:gp, imm:i18",
        encoding=i_form(opcode),
        semantics=semantics,
        category=category,
        unit="scalar",
        doc=doc,
        source=_SOURCE,
        examples=(f"{name} {first}1, gp0, 1",),
    )


_ADDRESS = "zext(gp[rs1] + imm, 32)"

SCALAR = (
    _float2("S_ADD_FP", 0x17, "f[rs1] + f[rs2]", "Sum."),
    _float2("S_SUB_FP", 0x18, "f[rs1] - f[rs2]", "Difference, first minus second."),
    _float2("S_MAX_FP", 0x19, "f_max(f[rs1], f[rs2])", "Maximum; when one operand is NaN the other."),
    _float2("S_MUL_FP", 0x1A, "f[rs1] * f[rs2]", "Product."),
    _float1("S_EXP_FP", 0x1B, "s_exp", "Exponential.", "S_EXP_FP rd:f, rs1:f, _:zero"),
    _float1("S_RECI_FP", 0x1C, "s_reci", "Reciprocal.", "S_RECI_FP rd:f, rs1:f, _:zero"),
    _float1("S_SQRT_FP", 0x1D, "s_sqrt", "Square root; NaN for negative numbers."),
    _memory(
        "S_LD_FP", 0x1E, "f", f"f[rd] = fp_mem[{_ADDRESS}]", "load", "Loads FP_MEM[gp[rs1] + imm]; f0 is written too."
    ),
    _memory("S_ST_FP", 0x1F, "f", f"fp_mem[{_ADDRESS}] = f[rd]", "store", "Stores f[rd] to FP_MEM[gp[rs1] + imm]."),
    Instr(
        "S_MAP_V_FP rd:gp, rs1:gp, imm:i18",
        encoding=i_form(0x20),
        semantics=f"vram[gp[rd]] = fp_row(fp_mem, {_ADDRESS}, VLEN)",
        category="load",
        unit="scalar",
        latency="2 * VLEN",
        doc="Copies VLEN words of FP_MEM from gp[rs1] + imm on into the vector row at gp[rd].",
        source=_SOURCE,
        examples=("S_MAP_V_FP gp4, gp0, 16",),
    ),
    _integer("S_ADD_INT", 0x21, "+", "Sum"),
    Instr(
        "S_ADDI_INT rd:gp, rs1:gp, imm:i18",
        encoding=i_form(0x22),
        semantics="gp[rd] = gp[rs1] + imm",
        category="alu",
        unit="scalar",
        doc="Adds an unsigned immediate, modulo 2**32. There are no negative immediates.",
        source=_SOURCE,
        examples=("S_ADDI_INT gp1, gp0, 262143",),
    ),
    _integer("S_SUB_INT", 0x23, "-", "Difference, first minus second"),
    _integer("S_MUL_INT", 0x24, "*", "Product"),
    Instr(
        "S_LUI_INT rd:gp, imm:i22",
        encoding=u_form(0x25),
        semantics="gp[rd] = imm << 12",
        category="alu",
        unit="scalar",
        doc="Loads imm * 4096, modulo 2**32; the low 12 bits become 0.",
        source=_SOURCE,
        examples=("S_LUI_INT gp7, 128",),
    ),
    _memory("S_LD_INT", 0x26, "gp", f"gp[rd] = int_mem[{_ADDRESS}]", "load", "Loads INT_MEM[gp[rs1] + imm]."),
    _memory(
        "S_ST_INT", 0x27, "gp", f"int_mem[{_ADDRESS}] = gp[rd]", "store", "Stores gp[rd] to INT_MEM[gp[rs1] + imm]."
    ),
)
