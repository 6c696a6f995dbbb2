"""Flash attention: 64 queries against 64 keys at a time, with a running maximum and a running sum per query.

For every tile of keys the scores are reduced at once: the maximum so far m and the sum so far l of each query move on,
and what the result has gathered under the old maximum is corrected by exp(m_old - m_new). Only the last step divides.
No more than one tile of scores exists.

Source: Dao et al., arXiv 2205.14135, algorithm 1; KernelCraft, arXiv 2603.08721, table 12 (shapes); flash attention
templates of AICrossSim/PLENA at ecd5acb.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc_plena.baseline.attention_blocks import (
    Matrix,
    fetch_tiles,
    repeat,
    tile_product,
    zero_rows,
)
from kc_plena.baseline.blocks import LANES, add, advance, li
from kc_plena.baseline.emitter import Emitter
from kc_plena.baseline.sdpa import FACTOR, LOWEST, load_operands

MAXIMUM, CORRECTION, SUM = 64, 128, 192
"""FP_MEM indices of m, exp(m_old - m_new) and l of the queries in work, 64 words each."""


@dataclass(frozen=True, slots=True)
class _Scratch:
    """VRAM addresses and sizes of one query tile.

    Attributes:
        rows: queries of the tile. blocks: column blocks of the head.
        scores: [rows, 64] scores. update: [rows, 64] weights x values of one column block.
        result: [rows, 64 * blocks] result so far. mask: exclusion row, if there is one.
    """

    rows: int
    blocks: int
    scores: int
    update: int
    result: int
    mask: int | None


def _start(asm: Emitter, at: _Scratch) -> None:
    """Set m to -inf, l and the result to 0."""
    slot, minus = "gp1", "f1"
    asm.comment("m = -inf, l = 0, result = 0")
    asm.op("S_LD_FP", minus, "gp0", LOWEST)
    li(asm, slot, 0)
    with asm.loop("gp2", at.rows):
        asm.op("S_ST_FP", minus, slot, MAXIMUM)
        asm.op("S_ST_FP", "f0", slot, SUM)
        advance(asm, slot, 1)
    zero_rows(asm, at.result, at.rows * at.blocks)


def _online_softmax(asm: Emitter, at: _Scratch) -> None:
    """Turn scores into weights under the new maximum; move m and l on, and leave the correction in FP_MEM."""
    row, slot, mask = "gp1", "gp2", "gp3"
    scale, old, new, correction, total = "f1", "f2", "f3", "f4", "f5"
    asm.comment("online softmax: m, l and the correction of each query")
    asm.op("S_LD_FP", scale, "gp0", FACTOR)
    li(asm, row, at.scores)
    li(asm, slot, 0)
    if at.mask is not None:
        li(asm, mask, at.mask)
    with asm.loop("gp4", at.rows):
        asm.op("V_MUL_VF", row, row, scale, 0)
        if at.mask is not None:
            asm.op("V_ADD_VV", row, mask, row, 1)
        asm.op("S_LD_FP", old, slot, MAXIMUM)
        asm.op("S_ADD_FP", new, old, "f0")
        asm.op("V_RED_MAX", new, row, 0)
        asm.op("S_ST_FP", new, slot, MAXIMUM)
        asm.op("S_SUB_FP", correction, old, new)
        asm.op("S_EXP_FP", correction, correction)
        asm.op("S_ST_FP", correction, slot, CORRECTION)
        asm.op("V_SUB_VF", row, row, new, 0, 0)
        asm.op("V_EXP_V", row, row, 0)
        asm.op("S_LD_FP", total, slot, SUM)
        asm.op("S_MUL_FP", total, total, correction)
        asm.op("V_RED_SUM", total, row)
        asm.op("S_ST_FP", total, slot, SUM)
        advance(asm, slot, 1)
        advance(asm, row, LANES)


def _gather(asm: Emitter, at: _Scratch, v: Matrix, v_offset: str) -> None:
    """Correct the result so far and add weights x values, one column block after the other. Uses gp12..gp14."""
    counter, off, result = "gp12", "gp13", "gp14"
    add(asm, off, v_offset)
    li(asm, result, at.result)
    with repeat(asm, counter, at.blocks):
        fetch_tiles(asm, v, 1, step=0, offset=off)
        tile_product(asm, "M_MM", at.rows, 1, src=at.scores, src_step=0, dst=at.update)
        update, slot, correction = "gp1", "gp2", "f1"
        asm.comment("result = result * correction + update")
        li(asm, update, at.update)
        li(asm, slot, 0)
        with asm.loop("gp3", at.rows):
            asm.op("S_LD_FP", correction, slot, CORRECTION)
            asm.op("V_MUL_VF", result, result, correction, 0)
            asm.op("V_ADD_VV", result, result, update, 0)
            advance(asm, slot, 1)
            advance(asm, update, LANES)
            advance(asm, result, LANES)
        advance(asm, off, LANES)


def _finish(asm: Emitter, at: _Scratch, dst: str, dst_step: int) -> None:
    """Write result / l over the queries of the tile at `dst`, whose column blocks are `dst_step` apart."""
    src, slot, read, write, total = "gp1", "gp2", "gp3", "gp4", "f1"
    asm.comment("the queries of the tile become result / l")
    li(asm, src, at.result)
    li(asm, slot, 0)
    with asm.loop("gp5", at.rows):
        asm.op("S_LD_FP", total, slot, SUM)
        asm.op("S_RECI_FP", total, total)
        add(asm, read, src)
        add(asm, write, dst)
        for block in range(at.blocks):
            asm.op("V_MUL_VF", write, read, total, 0)
            if block < at.blocks - 1:
                advance(asm, read, at.rows * LANES)
                advance(asm, write, dst_step)
        advance(asm, slot, 1)
        advance(asm, src, LANES)
        advance(asm, dst, LANES)


def flash_attention(positions: int, width: int) -> str:
    """Return softmax(Q K^T / sqrt(width)) V: Q, K, V [positions, width], result at VRAM 0 in place of Q.

    FP_MEM: 0, 1 / sqrt(width), -inf.
    """
    asm = Emitter(f"flash attention, {positions} positions, {width} features")
    rows, blocks = min(positions, LANES), width // LANES
    tiles = positions // rows
    free = positions * width
    scratch = free + rows * (width + 2 * LANES)
    k, v, mask = load_operands(asm, positions, width, scratch)
    at = _Scratch(rows, blocks, free, free + rows * LANES, free + 2 * rows * LANES, mask)
    queries, off = "gp10", "gp11"
    li(asm, queries, 0)
    with repeat(asm, "gp15", tiles):
        asm.comment("next query tile")
        _start(asm, at)
        li(asm, off, 0)
        with repeat(asm, "gp9", tiles):
            asm.comment("next key tile")
            fetch_tiles(asm, k, blocks, step=LANES, offset=off)
            tile_product(asm, "M_TMM", rows, blocks, src=queries, src_step=positions * LANES, dst=at.scores)
            _online_softmax(asm, at)
            _gather(asm, at, v, off)
            advance(asm, off, LANES * width)
        _finish(asm, at, queries, positions * LANES)
    return asm.text()
