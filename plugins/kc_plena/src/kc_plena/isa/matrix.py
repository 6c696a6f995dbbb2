"""Matrix instructions. Source: AICrossSim/PLENA ecd5acb, behavioral_simulator/src/main.rs (operands, accumulators)."""

from __future__ import annotations

from kc_plena.isa.layout import i_form, r_form
from kernelcraft_core.isa import Instr

_SOURCE = "AICrossSim/PLENA ecd5acb, behavioral_simulator"


def _multiply(name: str, opcode: int, operands: str, call: str, doc: str) -> Instr:
    return Instr(
        f"{name} _:zero, {operands}",
        encoding=r_form(opcode, rs1="rs1", rs2="rs2"),
        semantics=call,
        category="matrix",
        unit="matrix",
        latency="M_MV_CYCLES" if name.endswith("V") else "M_MM_CYCLES",
        doc=doc,
        source=_SOURCE,
        examples=(f"{name} 0, gp2, gp4",),
    )


MATRIX = (
    _multiply(
        "M_MM",
        0x01,
        "rs1:gp, rs2:gp",
        "m_acc = m_acc + mm(vram, mram, gp[rs1], gp[rs2])",
        "Adds to m_acc the product of four vector rows from gp[rs2] and four columns of a matrix tile. gp[rs1] is "
        "tile * 4096 + first column, a multiple of 4 below 64.",
    ),
    _multiply(
        "M_TMM",
        0x02,
        "rs1:gp, rs2:gp",
        "m_acc = m_acc + tmm(vram, mram, gp[rs2], gp[rs1])",
        "As M_MM with the transposed tile, operands swapped: gp[rs1] names the vector rows, gp[rs2] is tile * 4096 + 64 * "
        "first tile row, a multiple of 256.",
    ),
    Instr(
        "M_BMM rd:gpz, rs1:gp, rs2:gp",
        encoding=r_form(0x03, rd="rd", rs1="rs1", rs2="rs2"),
        semantics="h_acc = h_acc + bmm(vram, mram, zext(gp[rs1] + gp[rd], 32), gp[rs2])",
        category="matrix",
        unit="matrix",
        latency="M_BMM_CYCLES",
        doc="Adds to h_acc, for each of four heads h, a quarter of the product of lanes 4d + h of 64 vector rows (every "
        "fourth row from gp[rs2]) and 16 rows of a matrix tile.",
        source=_SOURCE,
        examples=("M_BMM 0, gp1, gp2",),
    ),
    Instr(
        "M_BTMM rd:gpz, rs1:gp, rs2:gp",
        encoding=r_form(0x04, rd="rd", rs1="rs1", rs2="rs2"),
        semantics="h_acc = h_acc + btmm(vram, mram, zext(gp[rs1] + gp[rd], 32), gp[rs2])",
        category="matrix",
        unit="matrix",
        latency="M_BMM_CYCLES",
        doc="Adds to h_acc, for each of four heads h, a quarter of the product of lanes 16h..16h+15 of 64 vector rows (every "
        "fourth row from gp[rs2]) and the transpose of 16 columns of a matrix tile.",
        source=_SOURCE,
        examples=("M_BTMM 0, gp1, gp2",),
    ),
    Instr(
        "M_BMM_WO rd:gp, imm:i18",
        encoding=i_form(0x05, rs1="-{4}"),
        semantics="write_heads(vram, h_acc, zext(gp[rd] + imm, 32)); h_acc = 0",
        category="matrix",
        unit="matrix",
        latency="M_WO_CYCLES",
        also=("M_BMM_WO rd:gp, _:zero, imm:i18",),
        doc="Writes h_acc as 256 vector rows, head by head, from gp[rd] + imm on, and clears it.",
        source=_SOURCE,
        examples=("M_BMM_WO gp5, 64",),
    ),
    Instr(
        "M_MM_WO rd:gp, rs1:gp, imm:i18",
        encoding=i_form(0x06),
        semantics="write_block(vram, m_acc, zext(gp[rd] + imm, 32), gp[rs1] if rs1 else 1); m_acc = 0",
        category="matrix",
        unit="matrix",
        latency="M_WO_CYCLES",
        doc="Writes m_acc to four lanes of four vector rows and clears it. gp[rd] + imm names the first lane, a multiple of "
        "4; the rows are gp[rs1] rows apart, one row when rs1 is gp0.",
        note="the row step is a register: write gp0 for a step of one row",
        source=_SOURCE,
        examples=("M_MM_WO gp10, gp0, 0",),
    ),
    _multiply(
        "M_MV",
        0x07,
        "rs1:gp, rs2:gp",
        "v_acc = v_acc + mv(mram, vram[gp[rs1]], gp[rs2])",
        "Adds to v_acc the product of the vector row at gp[rs1] and the matrix tile at gp[rs2].",
    ),
    _multiply(
        "M_TMV",
        0x08,
        "rs1:gp, rs2:gp",
        "v_acc = v_acc + tmv(mram, vram[gp[rs1]], gp[rs2])",
        "Adds to v_acc the product of the vector row at gp[rs1] and the transpose of the matrix tile at gp[rs2].",
    ),
    Instr(
        "M_MV_WO rd:gp, imm:i18",
        encoding=i_form(0x0B, rs1="-{4}"),
        semantics="vram[zext(gp[rd] + imm, 32)] = v_acc; v_acc = 0",
        category="matrix",
        unit="matrix",
        latency="M_WO_CYCLES",
        also=("M_MV_WO rd:gp, _:zero, imm:i18",),
        doc="Writes v_acc to the vector row at gp[rd] + imm and clears it.",
        source=_SOURCE,
        examples=("M_MV_WO gp6, 128",),
    ),
)
