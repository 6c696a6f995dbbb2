"""Control instructions: configuration registers and hardware loops.

Source: AICrossSim/PLENA ecd5acb, behavioral_simulator/src/main.rs. C_SET_ADDR_REG takes the high half first, as the emulator
and every template do. C_BREAK is left out: its opcode cannot be assembled by the original tools, and it pops a loop without
leaving it, so that the C_LOOP_END which follows has no partner.
"""

from __future__ import annotations

from kc_plena.isa.layout import r_form, u_form
from kernelcraft_core.isa import Instr

_SOURCE = "AICrossSim/PLENA ecd5acb, behavioral_simulator"


def _setter(name: str, opcode: int, register: str, doc: str) -> Instr:
    return Instr(
        f"{name} rd:gp",
        encoding=r_form(opcode, rd="rd"),
        semantics=f"{register} = gp[rd]",
        category="config",
        unit="control",
        doc=doc,
        source=_SOURCE,
        examples=(f"{name} gp2",),
    )


CONTROL = (
    Instr(
        "C_SET_ADDR_REG rd:a, rs1:gp, rs2:gp",
        encoding=r_form(0x2B, rd="rd", rs1="rs1", rs2="rs2"),
        semantics="a[rd] = gp[rs1] << 32 | gp[rs2]",
        category="config",
        unit="control",
        doc="Sets an HBM base address: gp[rs1] is the high half, gp[rs2] the low half.",
        source=_SOURCE,
        examples=("C_SET_ADDR_REG a1, gp0, gp1",),
    ),
    _setter("C_SET_SCALE_REG", 0x2C, "scale", "Sets SCALE_REG, the distance in bytes from elements to scales."),
    _setter("C_SET_STRIDE_REG", 0x2D, "stride", "Sets STRIDE_REG, the HBM row stride in bytes."),
    _setter("C_SET_V_MASK_REG", 0x2E, "v_mask", "Sets V_MASK; bit h enables lanes 16h to 16h + 15."),
    Instr(
        "C_LOOP_START rd:gp, imm:count22",
        encoding=u_form(0x2F),
        semantics="gp[rd] = imm; loop_push(loops, pc, rd)",
        category="branch",
        unit="control",
        doc="Starts a loop whose body runs imm times; gp[rd] counts down from imm to 1 inside and is 0 afterwards.",
        source=_SOURCE,
        examples=("C_LOOP_START gp5, 16",),
    ),
    Instr(
        "C_LOOP_END rd:gp",
        encoding=r_form(0x30, rd="rd"),
        semantics=(
            "again = gp[rd] > 1; pc = loop_next(loops, rd, again, next_pc); gp[rd] = gp[rd] - 1 if again else 0"
        ),
        category="branch",
        unit="control",
        also=("C_LOOP_END rd:gp, _:zero",),
        doc="Ends the innermost loop that counts in gp[rd]: while gp[rd] is above 1, decrements it and runs the body again.",
        source=_SOURCE,
        examples=("C_LOOP_END gp5",),
    ),
)
