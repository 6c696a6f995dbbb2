"""Matrix-vector product, 64 rows of the matrix at a time.

Source: KernelCraft, arXiv 2603.08721, table 12 (shapes); the machine of AICrossSim/PLENA at ecd5acb, where M_TMV gives
the 64 dot products of a whole tile.
"""

from __future__ import annotations

from kc_plena.baseline.attention_blocks import repeat
from kc_plena.baseline.blocks import GROUP, LANES, advance, li, set_bases, set_scale, set_stride
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes


def gemv(rows: int, cols: int) -> str:
    """Return A[rows, cols] x: A, then x, in HBM; x stays at VRAM 0 and the result is at `cols`. FP_MEM: 0.

    Args:
        rows: a multiple of 64.
        cols: a multiple of 256, so that whole prefetches bring x.

    Raises:
        ValueError: sizes that the program cannot cut.
    """
    if rows < LANES or rows % LANES or cols < GROUP * LANES or cols % (GROUP * LANES):
        raise ValueError(f"[{rows}, {cols}] is not cut into blocks of {LANES} rows and {GROUP * LANES} columns")
    asm = Emitter(f"gemv [{rows}, {cols}] x [{cols}]")
    constant, dest, off, x, y = "gp1", "gp2", "gp3", "gp4", "gp5"
    set_bases(asm, packed_bytes(rows, cols))
    asm.comment("x, 4 x 64 elements per prefetch")
    set_scale(asm, constant, cols)
    li(asm, dest, 0)
    li(asm, off, 0)
    with repeat(asm, "gp6", cols // (GROUP * LANES)):
        asm.op("H_PREFETCH_V", dest, off, "a1", 0, 0)
        advance(asm, dest, GROUP * LANES)
        advance(asm, off, GROUP * LANES)
    asm.comment("64 results at a time")
    set_scale(asm, constant, rows * cols)
    set_stride(asm, constant, cols)
    li(asm, off, 0)
    li(asm, y, cols)
    with repeat(asm, "gp6", rows // LANES):
        li(asm, x, 0)
        with asm.loop("gp7", cols // LANES):
            asm.op("H_PREFETCH_M", "gp0", off, "a0", 1, 0)
            asm.op("M_TMV", 0, x, "gp0")
            advance(asm, x, LANES)
            advance(asm, off, LANES)
        asm.op("M_MV_WO", y, 0)
        advance(asm, y, LANES)
        asm.comment("the offset moved on by one row; 63 more lead to the next block")
        advance(asm, off, (LANES - 1) * cols)
    return asm.text()
