"""HBM transfers: MXFP8 in HBM, bfloat16 on chip.

Source: AICrossSim/PLENA ecd5acb, behavioral_simulator/src/main.rs (addresses), lib/quantize (formats). All transfers block
the program until the last beat has arrived; their time comes from the machine's HBM model.
"""

from __future__ import annotations

from kc_plena.isa.layout import r_form
from kernelcraft_core.isa import Instr

_SOURCE = "AICrossSim/PLENA ecd5acb, behavioral_simulator"
_PLACES = (
    "element = a[rs2] + gp[rs1]; block_scale = a[rs2] + scale + gp[rs1] // 8; rows = {rows}; "
    "step = stride if rstride == 1 else MLEN\n"
)
_ADDRESSES = (
    "Row i has its elements at a[rs2] + gp[rs1] + i * step and its scales at a[rs2] + SCALE_REG + gp[rs1] // 8 + "
    "i * step // 8, where step is STRIDE_REG if rstride is 1 and 64 otherwise. Element addresses are multiples of 64."
)


def _transfer(name: str, opcode: int, rows: str, action: str, timing: str, category: str, doc: str) -> Instr:
    return Instr(
        f"{name} rd:gp, rs1:gp, rs2:a, rstride:flag, prec:flag",
        encoding=r_form(opcode, rd="rd", rs1="rs1", rs2="rs2", rs3="rstride", funct1="prec"),
        semantics=_PLACES.format(rows=rows) + action,
        category=category,
        unit="dma",
        timing=timing,
        latency=1,
        also=() if name == "H_STORE_V" else (f"{name} rd:gp, rs1:gp, rs2:a, rstride:flag, prec:flag, _:zero",),
        doc=f"{doc} {_ADDRESSES}",
        source=_SOURCE,
        examples=(f"{name} gp3, gp4, a1, 1, 0",),
    )


MEMORY = (
    _transfer(
        "H_PREFETCH_M",
        0x28,
        "HBM_M_Prefetch_Amount",
        "mram[gp[rd]] = mx_tile(hbm, element, block_scale, step)",
        "hbm_read",
        "dma",
        "Fetches 64 rows of 64 elements into the matrix tile at gp[rd], a multiple of 4096.",
    ),
    _transfer(
        "H_PREFETCH_V",
        0x29,
        "HBM_V_Prefetch_Amount",
        "fetch_rows(vram, hbm, gp[rd], element, block_scale, step)",
        "hbm_read",
        "dma",
        "Fetches four rows of 64 elements into the vector rows from gp[rd] on; always four, whatever is wanted.",
    ),
    _transfer(
        "H_STORE_V",
        0x2A,
        "HBM_V_Writeback_Amount",
        "store_rows(vram, hbm, gp[rd], element, block_scale, step)",
        "hbm_write",
        "dma",
        "Quantises the four vector rows from gp[rd] on and writes them to HBM.",
    ),
)
