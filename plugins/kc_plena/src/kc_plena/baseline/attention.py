"""Plain softmax attention for 64 positions and 64 features.

Source: KernelCraft, arXiv 2603.08721, section I (the attention trace, 37,573 ns).
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, TILE, add, advance, li, set_scale, set_stride
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes

SIZE = 64
"""Positions and features: one tile per matrix."""
SCORES = 4096
"""VRAM address of the scores."""


def _scale_of(address: int) -> int:
    """Return SCALE_REG for a 64x64 tensor at a byte address that is reached through a base register of 0.

    The hardware adds offset // 8 to it, which counts the scales from address 0.
    """
    return address + TILE - address // 8


def _product(asm: Emitter, mnemonic: str, *, src: int, tile: int, tile_step: int, dst: int) -> None:
    """Fill the 64x64 tile at VRAM `dst`, 4x4 elements per write-out."""
    rows, out_rows, column, out = "gp1", "gp2", "gp3", "gp4"
    li(asm, rows, src)
    li(asm, out_rows, dst)
    with asm.loop("gp5", SIZE // GROUP):
        li(asm, column, tile)
        add(asm, out, out_rows)
        with asm.loop("gp6", SIZE // GROUP):
            operands = (rows, column) if mnemonic == "M_TMM" else (column, rows)
            asm.op(mnemonic, 0, *operands)
            asm.op("M_MM_WO", out, "gp0", 0)
            advance(asm, column, tile_step)
            advance(asm, out, GROUP)
        advance(asm, rows, GROUP * LANES)
        advance(asm, out_rows, GROUP * LANES)


def attention() -> str:
    """Return softmax(Q K^T / 8) V: Q, K, V [64, 64] in HBM from 0, result at VRAM 0. FP_MEM: 0, 0.125, -inf."""
    asm = Emitter("attention, 64 positions, 64 features")
    packed = packed_bytes(SIZE, SIZE)
    constant, dest, off = "gp1", "gp2", "gp3"
    asm.comment("Q into VRAM 0, K into tile 0")
    set_stride(asm, constant, SIZE)
    set_scale(asm, constant, _scale_of(0))
    li(asm, dest, 0)
    li(asm, off, 0)
    with asm.loop("gp5", SIZE // GROUP):
        asm.op("H_PREFETCH_V", dest, off, "a0", 1, 0)
        advance(asm, dest, GROUP * LANES)
        advance(asm, off, GROUP * LANES)
    set_scale(asm, constant, _scale_of(packed))
    li(asm, dest, 0)
    li(asm, off, packed)
    asm.op("H_PREFETCH_M", dest, off, "a0", 1, 0)

    asm.comment("scores = Q K^T")
    _product(asm, "M_TMM", src=0, tile=0, tile_step=GROUP * LANES, dst=SCORES)

    asm.comment("V into tile 1; softmax of the scaled scores")
    set_scale(asm, constant, _scale_of(2 * packed))
    li(asm, dest, TILE)
    li(asm, off, 2 * packed)
    asm.op("H_PREFETCH_M", dest, off, "a0", 1, 0)
    row, factor, lowest, top, total = "gp1", "f1", "f2", "f3", "f4"
    asm.op("S_LD_FP", factor, "gp0", 1)
    li(asm, row, SCORES)
    with asm.loop("gp5", SIZE):
        asm.op("V_MUL_VF", row, row, factor, 0)
        advance(asm, row, LANES)
    asm.op("S_LD_FP", lowest, "gp0", 2)
    li(asm, row, SCORES)
    with asm.loop("gp5", SIZE):
        asm.op("S_ADD_FP", top, lowest, "f0")
        asm.op("V_RED_MAX", top, row, 0)
        asm.op("V_SUB_VF", row, row, top, 0, 0)
        asm.op("V_EXP_V", row, row, 0)
        asm.op("S_ADD_FP", total, "f0", "f0")
        asm.op("V_RED_SUM", total, row)
        asm.op("S_RECI_FP", total, total)
        asm.op("V_MUL_VF", row, row, total, 0)
        advance(asm, row, LANES)

    asm.comment("result = weights V")
    _product(asm, "M_MM", src=SCORES, tile=TILE, tile_step=GROUP, dst=0)
    return asm.text()
