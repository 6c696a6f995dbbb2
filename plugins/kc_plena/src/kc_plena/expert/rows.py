"""Products of four rows on M_MV: 64 dot products of 64 in the 64 cycles in which M_MM makes 16.

Each row has an address register for all column blocks, results go to immediates: a row times a tile costs 64 cycles and
nothing else. v_acc is float32 and is rounded once.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, TILE, li, set_scale, set_stride
from kc_plena.baseline.emitter import Emitter


def load_rows(asm: Emitter, depth: int, *, act: int) -> None:
    """Load the addresses of a column-block activation of four rows at VRAM `act` into gp4..gp11; depth is 1 or 2."""
    for i in range(GROUP * depth):
        li(asm, f"gp{4 + i}", act + LANES * i)


def multiply_rows(asm: Emitter, inner: int, cols: int, *, weight: int, scale: int, out: int) -> None:
    """Append the product of the rows that `load_rows` names and a weight [inner, cols], into column blocks at `out`.

    Args:
        asm: where to append; gp1 and gp3 are used.
        inner: 64 or 128.
        cols: a multiple of 64.
        weight: HBM address of the weight, below 2**18 with all of it. Its base register is a0, which is 0.
        scale: SCALE_REG of the weight from base 0.
        out: VRAM address.
    """
    off = "gp1"
    slots = ("gp0", "gp3")[: inner // LANES]
    set_scale(asm, off, scale)
    if cols != LANES:
        set_stride(asm, off, cols)
    if len(slots) == 2:
        li(asm, slots[1], TILE)
    for j in range(cols // LANES):
        for k, slot in enumerate(slots):
            li(asm, off, weight + LANES * (k * cols + j))
            asm.op("H_PREFETCH_M", slot, off, "a0", int(cols != LANES), 0)
        for row in range(GROUP):
            for k, slot in enumerate(slots):
                asm.op("M_MV", 0, f"gp{4 + GROUP * k + row}", slot)
            asm.op("M_MV_WO", "gp0", out + LANES * (j * GROUP + row))
