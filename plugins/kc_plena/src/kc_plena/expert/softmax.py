"""Softmax over the rows of an activation: two ways, by width.

Up to 128 columns the largest element of a row is subtracted first: scalar sums are binary16, and with it they lie in
1..width for any input. The exponentials of all blocks are added lane by lane before one V_RED_SUM; a lane sum is
rounded to bfloat16 once, and 64 independent roundings of at most 2**-9 move the sum by less than 2**-11.

With 256 columns the maximum costs 24 of 54 cycles a row, so there is none: nothing passes through binary16. One
M_BTMM with a tile of fours (0.25 * 4 = 1) adds up 16 lanes of each of 64 rows, in float32, and writes the sums to all
lanes of bfloat16 rows; three additions and a reciprocal row by row finish them. That is right while exp(x) and its
sums are normal bfloat16 numbers, |x| <= 80; inputs of standard deviation 8 stay below 45. A result bears nine
roundings at most (two exponentials, six of sums and reciprocal, the product), each of 2**-9 of its size or less:
together 0.0176 of a value of at most 1, within the tolerance of 0.012 + 0.01 of the value even if all of them point
the same way.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, TILE, advance, li, set_scale, set_stride
from kc_plena.baseline.emitter import Emitter
from kc_plena.expert.blocks import Row, place, whole_rows
from kc_plena.layout import packed_bytes

TOP, ONE = "f1", "f1"
_SUMS = ("f2", "f3", "f4", "f5", "f6", "f7")
"""Registers of the sums, in turn: they are 0 at start, so the first six rows clear none."""
_WIDE = 4 * LANES
_STEP = GROUP * LANES
"""Elements between the rows that M_BTMM takes."""


def softmax(rows: int, width: int) -> str:
    """Return exp(x) / sum(exp(x)) over each row of [rows, width]. FP_MEM: 0, 1.0, -inf."""
    asm = Emitter(f"softmax [{rows}, {width}]")
    if width == _WIDE:
        _by_tile(asm, rows, width)
    else:
        _by_row(asm, rows, width)
    return asm.text()


def _by_row(asm: Emitter, rows: int, width: int) -> None:
    """Append the program that subtracts maxima and sums with V_RED_SUM."""
    for number, row in enumerate(whole_rows(asm, rows, width)):
        asm.op("S_LD_FP", TOP, "gp0", 2)
        for x in row.x:
            asm.op("V_RED_MAX", TOP, x, 0)
        for x in row.x:
            asm.op("V_SUB_VF", x, x, TOP, 0, 0)
            asm.op("V_EXP_V", x, x, 0)
        total = _SUMS[number % len(_SUMS)]
        if number >= len(_SUMS):
            asm.op("S_ADD_FP", total, "f0", "f0")
        asm.op("V_RED_SUM", total, row.x[0] if len(row.x) == 1 else row.add_up(row.x))
        asm.op("S_RECI_FP", total, total)
        for block, x in enumerate(row.x):
            asm.op("V_MUL_VF", x if len(row.x) == 1 else row.result(block), x, total, 0)


def _by_tile(asm: Emitter, rows: int, width: int) -> None:
    """Append the program that sums with M_BTMM, for 32 or 64 rows of 256 columns."""
    sums = 2 * rows * width  # behind the pieces that `whole_rows` keeps behind the result
    heads = sums + _STEP * LANES
    for row in whole_rows(asm, rows, width):
        _exponentials(row, sums + _STEP * (row.addresses[0] // LANES))
    asm.comment("row sums")
    _tile_of_fours(asm, hbm=packed_bytes(rows, width), vram=heads)
    li(asm, "gp1", sums)
    li(asm, "gp2", heads)
    asm.op("M_BTMM", "gp0", "gp0", "gp1")
    asm.op("M_BMM_WO", "gp2", 0)
    parts, blocks = ("gp2", "gp3", "gp4", "gp5"), ("gp6", "gp7", "gp8", "gp9")
    for h in range(1, GROUP):
        li(asm, parts[h], heads + TILE * h)
    for k, block in enumerate(blocks):
        li(asm, block, place(rows, 0, k))
    total = parts[0]
    with asm.loop("gp10", rows // 8):
        for _ in range(8):
            asm.op("V_ADD_VV", total, total, parts[1], 0)
            asm.op("V_ADD_VV", parts[2], parts[2], parts[3], 0)
            asm.op("V_ADD_VV", total, total, parts[2], 0)
            asm.op("V_RECI_V", total, total, 0)
            for block in blocks:
                asm.op("V_MUL_VV", block, block, total, 0)
            for register in (*parts, *blocks):
                advance(asm, register, LANES)


def _exponentials(row: Row, total: int) -> None:
    """Append a row's exponentials, into the place of the result, and their sum over the blocks at `total`."""
    asm, spare, last = row.asm, row.x[0], row.x[3]
    for block in (0, 1):
        asm.op("V_EXP_V", row.result(block), row.x[block], 0)
    asm.op("V_ADD_VV", spare, *row.out, 0)
    for block in (2, 3):
        asm.op("V_EXP_V", row.result(block), row.x[block], 0)
    li(asm, last, total)  # its piece has been read
    asm.op("V_ADD_VV", last, *row.out, 0)
    asm.op("V_ADD_VV", last, last, spare, 0)


def _tile_of_fours(asm: Emitter, *, hbm: int, vram: int) -> None:
    """Append 4.0 in all of tile 0: four rows stored at HBM byte `hbm`, the last of which is fetched 64 times.

    The row stored last is still in the write queue when it is read back, which takes one ns a block instead of four:
    128 cycles for a tile with a stride of 0.
    """
    row, last, off = "gp1", "gp3", "gp2"
    li(asm, row, vram)
    li(asm, last, vram + LANES * (GROUP - 1))
    asm.op("M_BMM_WO", row, 0)  # the accumulator is zero: rows of zeros
    asm.op("S_LD_FP", ONE, "gp0", 1)
    for _ in range(2):
        asm.op("S_ADD_FP", ONE, ONE, ONE)
    asm.op("V_ADD_VF", last, last, ONE, 0)
    set_scale(asm, off, hbm + 512 - hbm // 8)
    set_stride(asm, off, 0)
    li(asm, off, hbm)
    asm.op("H_STORE_V", row, off, "a0", 0, 0)
    advance(asm, off, LANES * (GROUP - 1))
    asm.op("H_PREFETCH_M", "gp0", off, "a0", 1, 0)
