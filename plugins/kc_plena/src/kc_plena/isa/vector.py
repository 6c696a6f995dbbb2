"""Vector instructions: whole rows of VLEN lanes, computed in float32 and rounded once to bfloat16.

Source: AICrossSim/PLENA ecd5acb, behavioral_simulator/src/main.rs; the sign of V_SUB_VV is the emulator's, not the ISA
document's.
"""

from __future__ import annotations

from kc_plena.isa.layout import r_form
from kernelcraft_core.isa import Instr

_SOURCE = "AICrossSim/PLENA ecd5acb, behavioral_simulator"
_MASK = "With mask 1, lanes whose segment is off in V_MASK take the first source instead."
_NO_MASK = "this instruction has no mask: the third operand is 0 or left out"


def _lanewise(name: str, opcode: int, second: str, value: str, latency: str, doc: str) -> Instr:
    subtracts_scalar = name == "V_SUB_VF"
    order = ", order:flag=0" if subtracts_scalar else ""
    return Instr(
        f"{name} rd:gp, rs1:gp, rs2:{second}, rmask:flag=0{order}",
        encoding=r_form(
            opcode, rd="rd", rs1="rs1", rs2="rs2", rs3="rmask", funct1="order" if subtracts_scalar else "-{4}"
        ),
        semantics=f"vram[gp[rd]] = blend(v_mask, {value}, vram[gp[rs1]]) if rmask else {value}",
        category="vector",
        unit="vector",
        latency=latency,
        doc=f"{doc} {_MASK}",
        source=_SOURCE,
        examples=(f"{name} gp1, gp2, {'f' if second == 'f' else 'gp'}3, 0",),
    )


def _unary(name: str, opcode: int, call: str, latency: str, doc: str, *more: str) -> Instr:
    return Instr(
        f"{name} rd:gp, rs1:gp",
        encoding=r_form(opcode, rd="rd", rs1="rs1", rs3="0{4}"),
        semantics=f"vram[gp[rd]] = {call}(vram[gp[rs1]])",
        category="vector",
        unit="vector",
        latency=latency,
        also=(f"{name} rd:gp, rs1:gp, _:zero", *more),
        doc=doc,
        note=_NO_MASK,
        source=_SOURCE,
        examples=(f"{name} gp10, gp11, 0",),
    )


def _reduce(name: str, opcode: int, value: str, latency: str, doc: str, *more: str) -> Instr:
    return Instr(
        f"{name} rd:f, rs1:gp",
        encoding=r_form(opcode, rd="rd", rs1="rs1", rs3="0{4}"),
        semantics=f"if rd: f[rd] = {value}",
        category="vector",
        unit="vector",
        latency=f"{latency} if rd else 0",
        also=(f"{name} rd:f, rs1:gp, _:zero", *more),
        doc=f"{doc} Into f0 nothing happens and no time passes.",
        note=_NO_MASK,
        source=_SOURCE,
        examples=(f"{name} f4, gp10",),
    )


_A, _B = "vram[gp[rs1]]", "vram[gp[rs2]]"

VECTOR = (
    _lanewise("V_ADD_VV", 0x0D, "gp", f"{_A} + {_B}", "V_ADD_CYCLES", "Adds two rows."),
    _lanewise("V_ADD_VF", 0x0E, "f", f"{_A} + f[rs2]", "V_ADD_CYCLES", "Adds a scalar to every lane."),
    _lanewise("V_SUB_VV", 0x0F, "gp", f"{_A} - {_B}", "V_ADD_CYCLES", "Subtracts the second row from the first."),
    _lanewise(
        "V_SUB_VF",
        0x10,
        "f",
        f"(f[rs2] - {_A} if order else {_A} - f[rs2])",
        "V_ADD_CYCLES",
        "Subtracts a scalar from every lane; with order 1 every lane from the scalar.",
    ),
    _lanewise("V_MUL_VV", 0x11, "gp", f"{_A} * {_B}", "V_MUL_CYCLES", "Multiplies two rows."),
    _lanewise("V_MUL_VF", 0x12, "f", f"{_A} * f[rs2]", "V_MUL_CYCLES", "Multiplies every lane by a scalar."),
    _unary(
        "V_EXP_V",
        0x13,
        "v_exp",
        "V_EXP_CYCLES",
        "Exponential of every lane; large inputs give infinity.",
        "V_EXP_V rd:gp, rs1:gp, _:zero, _:zero",
    ),
    _unary("V_RECI_V", 0x14, "v_reci", "V_RECI_CYCLES", "Reciprocal of every lane."),
    _reduce(
        "V_RED_SUM",
        0x15,
        f"f[rd] + v_sum({_A})",
        "V_SUM_CYCLES",
        "Adds the sum of all lanes to the register (it accumulates).",
        "V_RED_SUM rd:f, rs1:gp, _:zero, _:zero",
    ),
    _reduce(
        "V_RED_MAX",
        0x16,
        f"f_max(f[rd], v_max({_A}))",
        "V_MAX_CYCLES",
        "Replaces the register by the maximum of itself and all lanes; a NaN maximum leaves it unchanged.",
    ),
)
