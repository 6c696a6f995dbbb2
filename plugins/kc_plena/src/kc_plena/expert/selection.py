"""Products on M_BMM: 64 rows times a 16-deep slice of a weight tile in one instruction, accumulated in float32.

M_BMM multiplies, for head h, lanes 4d + h (d < 16) of 64 VRAM rows, four rows apart, by tile rows o + d; an
activation row has its features in lane order, so those lanes do not meet the tile rows they belong to. One product on
M_BTMM repairs that. M_BTMM takes lanes 16h + d and tile columns d, so with the selection tile E[4d][d] = 16, zero
elsewhere in rows 4d and columns 0..15, head h yields rows whose lane 4d is 0.25 * 16 * x[16h + d]. Those lanes are
the ones head 0 of M_BMM reads, against tile rows 16h + d where they belong. So all of the sum over the depth gathers
in head 0, in float32, and is rounded once. Both factors 0.25 and the 16 cancel, and every value in between is exact:
a bfloat16 times a power of two.

Heads 1 to 3 and the other lanes hold whatever the other rows of E select. They reach no result: heads never mix, and
the 256 rows that M_BMM_WO writes begin with head 0; what lies behind is overwritten by later blocks or is scratch.

M_BMM_WO writes rows one apart, M_BMM reads rows four apart. Up to 16 rows of an activation are placed 16 rows apart, so
that what M_BTMM makes of them is four apart already; more rows are moved (2 cycles and a bit each).
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, TILE, add, advance, li, set_stride
from kc_plena.baseline.emitter import Emitter
from kc_plena.expert.blocks import Fetcher, quads

ONE = "f1"
STEP = GROUP * LANES
"""Elements from one row of an M_BMM operand to the next."""
SPAN = STEP * LANES
"""Elements that an operand, or a write-out, covers."""
SLICES = 4
"""16-deep slices of a tile."""
UNSPREAD = 16
"""Most rows that need no copy."""

WEIGHTS, RESULT, SELECTION = "gp2", "gp3", "gp13"
SLICE = ("gp0", "gp7", "gp8", "gp9")


def make_selection(asm: Emitter, *, scratch: int, hbm: int) -> None:
    """Append the making of E into the tile that SELECTION names, and ONE = 1.0; about 570 cycles.

    A lane counter t (one S_MAP_V_FP) gives the 16 rows as 16 exp(-225 (t - d)**2), which is 16 in lane d and 0 in the
    others; they go through HBM, exactly, as matrix operands must.

    Args:
        asm: where to append. FP_MEM[0] must be 0; words 1..15 are overwritten. gp4, gp5, gp15 and f1..f4 are used.
        scratch: VRAM address of 18 free rows.
        hbm: HBM byte address of 4,608 free bytes.
    """
    t, row, off = "gp4", "gp5", "gp15"
    number, steep, height = "f2", "f3", "f4"
    asm.comment("selection tile: lane counter")
    asm.op("S_EXP_FP", ONE, "f0")
    for d in range(1, 16):
        asm.op("S_ADD_FP", number, number, ONE)
        asm.op("S_ST_FP", number, "gp0", d)
    asm.op("S_MUL_FP", steep, number, number)
    asm.op("S_SUB_FP", steep, "f0", steep)
    asm.op("S_ADD_FP", height, number, ONE)
    li(asm, t, scratch)
    li(asm, row, scratch + LANES)
    asm.op("S_MAP_V_FP", t, "gp0", 0)
    asm.op("S_ADDI_INT", off, "gp0", 1)
    asm.op("C_SET_V_MASK_REG", off)
    asm.op("M_MV_WO", row, 0)  # the accumulator is zero: a row of zeros
    asm.op("V_ADD_VV", t, row, t, 1)  # keeps lanes 0..15 of the counter, zeros beside them
    asm.comment("its 16 rows")
    for d in range(16):
        asm.op("V_MUL_VV", row, t, t, 0)
        asm.op("V_MUL_VF", row, row, steep, 0)
        asm.op("V_EXP_V", row, row, 0)
        asm.op("V_MUL_VF", row, row, height, 0)
        if d < 15:
            asm.op("V_SUB_VF", t, t, ONE, 0, 0)
            advance(asm, row, LANES)
    asm.comment("through HBM: tile row 4d is 256 d bytes behind the first")
    li(asm, off, hbm + TILE - hbm // 8)
    asm.op("C_SET_SCALE_REG", off)
    set_stride(asm, off, STEP)
    li(asm, off, hbm)
    li(asm, row, scratch + LANES)
    for _ in range(0, 16, GROUP):
        asm.op("H_STORE_V", row, off, "a0", 1, 0)
        advance(asm, row, GROUP * LANES)
        advance(asm, off, GROUP * STEP)
    li(asm, off, hbm)
    li(asm, SELECTION, TILE)
    asm.op("H_PREFETCH_M", SELECTION, off, "a0", 0, 0)


def fetch_spread(asm: Emitter, rows: int, width: int, *, start: str, src: int, dest: int, scratch: int) -> None:
    """Append fetch and spread in one for 32 or 64 rows of 256 features.

    The rows are fetched in the order that suits the memory (see `blocks`), quad by quad, block behind block. The rows
    that M_BTMM takes at a time are then the j-th of all quads, of all blocks; where they belong is settled by the
    moves, which cost the same for any order.

    Args:
        asm: where to append; STRIDE_REG is changed, gp4, gp5, gp6, gp10 and gp11 are used. SCALE_REG must be set.
        rows: 32 or 64.
        width: 256.
        start: register with the HBM offset of the activation; it moves on by rows * width.
        src: VRAM address of rows * width free elements.
        dest: VRAM address of the operands, as in `spread`.
        scratch: VRAM address of a free row.
    """
    pointer, base = "gp11", "gp6"
    blocks, found = width // LANES, tuple(quads(rows))
    fetcher = Fetcher(asm, width, off="gp4", start=start)
    for n, quad in enumerate(found):
        for k in range(blocks):
            li(asm, pointer, src + LANES * (rows * k + GROUP * n))
            fetcher.fetch(quad, k, pointer)
    advance(asm, start, rows * width)
    asm.comment("slices of all blocks")
    li(asm, base, dest)
    li(asm, _SPARE, scratch)
    li(asm, pointer, src)
    for j in range(GROUP):
        asm.op("M_BTMM", "gp0", SELECTION, pointer)
        asm.op("M_BMM_WO", base, SPAN * j)
        advance(asm, pointer, LANES)
    moves = {
        SPAN // LANES * k + SLICES * row + h: SPAN // LANES * j + LANES * h + len(found) * k + n
        for n, quad in enumerate(found)
        for j, row in enumerate(quad.rows)
        for k in range(blocks)
        for h in range(SLICES)
    }
    move_rows(asm, moves, base)


def fetch_rows(asm: Emitter, rows: int, width: int, *, off: str, dest: int) -> None:
    """Append the fetch of [rows, width] as operand of `spread`; register `off` moves on by rows * width.

    Width is 128 or 256: one transfer moves a row, in blocks that follow each other (and for 128 two blocks too many).
    gp5 and gp15 are used. SCALE_REG must be set.
    """
    pointer = "gp5"
    li(asm, pointer, dest)
    with asm.loop("gp15", rows // GROUP):
        for _ in range(GROUP):
            asm.op("H_PREFETCH_V", pointer, off, "a0", 0, 0)
            advance(asm, pointer, row_step(rows))
            advance(asm, off, width)


def row_step(rows: int) -> int:
    """Return the elements between rows of the operand of `spread`."""
    return GROUP * STEP if rows <= UNSPREAD else STEP


def piece(rows: int, row: int, block: int) -> int:
    """Return where `spread` expects a piece: four blocks of a row follow each other."""
    return SPAN * (block // GROUP) + row_step(rows) * row + LANES * (block % GROUP)


def spread(asm: Emitter, rows: int, blocks: int, *, src: int, dest: int, scratch: int) -> None:
    """Append the making of M_BMM operands: that of slice h of block k is at `slice_address(rows, dest, k, h)`.

    Args:
        asm: where to append; gp4, gp5, gp6, gp10, gp11, gp12 and gp15 are used. SELECTION must name the tile, ONE
            hold 1.0.
        rows: up to 64.
        blocks: 64-wide blocks of a row; for more than 16 rows one to four or a multiple of four.
        src: VRAM address of the activation, piece (r, k) at `src + piece(rows, r, k)`.
        dest: VRAM address of `blocks` * SPAN elements.
        scratch: VRAM address of a free row.
    """
    source, target = "gp11", "gp6"
    asm.comment(f"slices of {blocks} blocks")
    if rows <= UNSPREAD:
        for k in range(blocks):
            li(asm, source, src + piece(rows, 0, k))
            asm.op("M_BTMM", "gp0", SELECTION, source)
            li(asm, target, dest + SPAN * k)
            asm.op("M_BMM_WO", target, 0)
        return
    groups, each = (1, blocks) if blocks <= GROUP else (blocks // GROUP, GROUP)
    li(asm, source, src)
    li(asm, target, dest)
    li(asm, _SPARE, scratch)
    with asm.loop("gp12", groups):
        with asm.loop("gp15", each):
            asm.op("M_BTMM", "gp0", SELECTION, source)
            asm.op("M_BMM_WO", target, 0)
            _interleave(asm, rows, target)
            advance(asm, source, LANES)
            advance(asm, target, SPAN)
        if groups > 1:
            advance(asm, source, SPAN - GROUP * LANES)


_SPARE = "gp10"


def _interleave(asm: Emitter, rows: int, base: str) -> None:
    """Append the move of rows 64 h + i to 4 i + h, i < `rows`, among the 256 rows at register `base`."""
    move_rows(asm, {SLICES * i + h: LANES * h + i for h in range(SLICES) for i in range(rows)}, base)


def move_rows(asm: Emitter, moves: dict[int, int], base: str) -> None:
    """Append copies target <- source of VRAM rows, all at once, counted from the row at register `base`.

    No row may be the source of two targets. In place, along the chains of the permutation: a row that was just copied
    away is the next target, so that a move takes one address instead of two. Chains that close begin and end in the
    row at gp10. gp4 and gp5 are used.
    """
    left = {target: source for target, source in moves.items() if target != source}
    sources = set(left.values())
    for first in sorted(left, key=lambda row: (row in sources, row)):  # open chains before closed ones
        if first in left:
            _move_chain(asm, left, first, base, closed=first in sources)


def _move_chain(asm: Emitter, left: dict[int, int], first: int, base: str, *, closed: bool) -> None:
    """Append the copies of the chain that begins with target `first`, and take them from `left`."""
    target, other = "gp4", "gp5"
    add(asm, target, base, LANES * first)
    if closed:
        asm.op("V_MUL_VF", _SPARE, target, ONE, 0)
    at = first
    while at in left:
        at = left.pop(at)
        source = _SPARE if at == first else other
        if at != first:
            add(asm, source, base, LANES * at)
        asm.op("V_MUL_VF", target, source, ONE, 0)
        target, other = other, target


def slice_address(rows: int, dest: int, block: int, h: int) -> int:
    """Return where `spread` left slice h (depth 64 block + 16 h .. + 15)."""
    return dest + SPAN * block + h * (TILE if rows <= UNSPREAD else LANES)


def load_slices(asm: Emitter) -> None:
    """Load the tile addresses of the slices."""
    for h in range(1, SLICES):
        li(asm, SLICE[h], LANES // SLICES * h)


def multiply(asm: Emitter, rows: int, inner: int, cols: int, *, operands: int) -> None:
    """Append the product of spread operands and a weight [inner, cols] at HBM offset WEIGHTS into VRAM at RESULT.

    Every tile is used once, so all go to slot 0. STRIDE_REG must be `cols`, SCALE_REG that of the weight from base 0.
    What is written reaches SPAN elements from the first of the last column block on. gp4 and gp5 are used.
    """
    off, pointer = "gp4", "gp5"
    for j in range(cols // LANES):
        asm.comment(f"columns {LANES * j}..{LANES * j + LANES - 1}")
        depth = range(inner // LANES)
        for k in reversed(depth) if j % 2 else depth:  # back and forth, where DRAM rows are open
            add(asm, off, WEIGHTS, LANES * (k * cols + j))
            asm.op("H_PREFETCH_M", "gp0", off, "a0", 1, 0)
            for h in range(SLICES):
                li(asm, pointer, slice_address(rows, operands, k, h))
                asm.op("M_BMM", "gp0", SLICE[h], pointer)
        asm.op("M_BMM_WO", RESULT, LANES * rows * j)
