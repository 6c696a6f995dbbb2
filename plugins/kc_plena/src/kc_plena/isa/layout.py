"""Word formats of PLENA: 32 bits, opcode in bits 5..0, then rd, rs1, rs2, rs3 and funct1 of four bits each.

Source: AICrossSim/PLENA ecd5acb, src/definitions/configuration.svh and behavioral_simulator/src/op.rs. Immediates are
unsigned. Fields an instruction does not use are written as 0 and ignored by the decoder: setting them is reserved.
"""

from __future__ import annotations


def r_form(
    opcode: int, *, rd: str = "-{4}", rs1: str = "-{4}", rs2: str = "-{4}", rs3: str = "-{4}", funct1: str = "-{4}"
) -> str:
    """Return the encoding of format R: rd, rs1, rs2, rs3, funct1."""
    return f"-{{6}} {funct1} {rs3} {rs2} {rs1} {rd} {opcode:06b}"


def i_form(opcode: int, *, rs1: str = "rs1", imm: str = "imm") -> str:
    """Return the encoding of formats I (rd, rs1, imm18) and W (`rs1="-{4}"`)."""
    return f"{imm} {rs1} rd {opcode:06b}"


def u_form(opcode: int) -> str:
    """Return the encoding of format U: rd, imm22."""
    return f"imm rd {opcode:06b}"
