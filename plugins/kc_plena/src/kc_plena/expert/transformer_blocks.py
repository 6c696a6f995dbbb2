"""Linear layers and attention with batched products: the blocks of the expert programs.

M_BMM and M_BTMM make 4,096 multiplications per cycle, 256 times those of M_MM. They are meant for four heads of 16
features: head h multiplies 16 lanes of 64 vector rows (every fourth from an address on) by 16 rows or columns of a tile,
times 1/4. M_BMM takes lanes 4d + h (d < 16) and tile rows, M_BTMM lanes 16h + d and tile columns.

Here head 0 does the work. `compact` makes four rows of each row of an activation, with the lanes of head h where head 0
looks for them; this is itself a batched product, with a tile that moves lanes. Then every block of 16 features adds to
the same accumulator, in float32, and one write-out makes 64 x 64 results that are rounded once, like those of the
templates. That matters for keys and values, which are quantised afterwards, and for scores, whose errors the softmax
magnifies.

Attention weights times values use all four heads, which see a quarter of the keys each: four partial products are
written out and added by the vector unit.

Tile rows that belong to lanes 4d + h are every fourth row of a weight: a tile fetched with four times the row stride
holds those of 256 rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from kc_plena.baseline.attention_blocks import Address, Matrix, exponentials, fetch_tiles, point, repeat
from kc_plena.baseline.blocks import LANES, TILE, add, advance, li, set_scale, set_stride
from kc_plena.baseline.emitter import MAX_IMM18, Emitter
from kc_plena.baseline.transformer_blocks import Layer, Style, set_base

HEADS = 4
"""Heads of a batched product."""
SEGMENT = 16
"""HLEN: lanes and tile rows of a head."""
ROW = HEADS * LANES
"""VRAM elements from one row that a batched product reads to the next."""
WRITTEN = HEADS * LANES
"""VRAM rows that one write-out of a batched product fills."""
BATCH = HEADS * LANES
"""Rows that `compact` works on together."""
COMPACT = 1 << 20
"""VRAM address of the compacted activation, far behind all activations of a program."""
AREA = COMPACT + (1 << 20)
"""VRAM address where products are written out to be worked on."""
WEIGHTS = AREA + (1 << 20)
"""VRAM address of attention weights, a row in four."""
MOVER = 1023
"""MSRAM tile that moves lanes 4d + h to lanes 4d, times 16: that undoes the factor 1/4 of two batched products."""
SIDE = 1022
"""MSRAM tile that moves lanes 16h + d to lanes d, times 16."""
MOVER_AT = 1 << 24
"""HBM address of tiles that move lanes, far behind the data of all tasks."""
PATTERN = 512
"""FP_MEM index of scratch."""


def _store_tile(asm: Emitter, rows: int, tile: int) -> None:
    """Put `rows` VRAM rows from AREA on into an MSRAM tile; its other rows are undefined. Uses gp1..gp3 and a1."""
    src, off = "gp2", "gp3"
    set_base(asm, "a1", MOVER_AT)
    set_scale(asm, src, TILE)
    li(asm, src, AREA)
    li(asm, off, 0)
    with asm.loop("gp1", rows // 4):
        asm.op("H_STORE_V", src, off, "a1", 0, 0)
        advance(asm, src, 4 * LANES)
        advance(asm, off, 4 * LANES)
    li(asm, off, 0)
    li(asm, src, tile * TILE)
    asm.op("H_PREFETCH_M", src, off, "a1", 0, 0)


def _prepare_mover(asm: Emitter) -> None:
    """Make the tile MOVER: 16 in row d, lane 4d, for d < 16. Uses gp1..gp7, f1, V_MASK and what `_store_tile` uses.

    Rows with 16 in lanes 4r, 16 + 4r, 32 + 4r and 48 + 4r come from FP_MEM; row 4g + r of the tile is one of these in
    segment g and zero elsewhere. The other rows of the tile are not used.
    """
    index, mask, out, shifts = "gp1", "gp2", "gp3", ("gp4", "gp5", "gp6", "gp7")
    asm.comment("tile that moves lanes 4d + h to lanes 4d")
    asm.op("S_EXP_FP", "f1", "f0")
    for _ in range(4):
        asm.op("S_ADD_FP", "f1", "f1", "f1")
    li(asm, index, PATTERN)
    with asm.loop("gp2", (LANES + SEGMENT) // HEADS):
        for i in range(HEADS):
            asm.op("S_ST_FP", "f0", index, i)
        advance(asm, index, HEADS)
    first = SEGMENT - 4
    for segment in range(HEADS):
        asm.op("S_ST_FP", "f1", "gp0", PATTERN + first + SEGMENT * segment)
    for r, row in enumerate(shifts):
        li(asm, row, AREA + (WRITTEN + r) * LANES)
        asm.op("S_MAP_V_FP", row, "gp0", PATTERN + first - 4 * r)
    li(asm, out, AREA)
    asm.op("M_BMM_WO", out, 0)
    li(asm, mask, 1)
    with asm.loop("gp1", HEADS):
        asm.op("C_SET_V_MASK_REG", mask)
        for row in shifts:
            asm.op("V_ADD_VV", out, out, row, 1)
            advance(asm, out, LANES)
        asm.op("S_ADD_INT", mask, mask, mask)
    _store_tile(asm, SEGMENT, MOVER)


def _prepare_side(asm: Emitter) -> None:
    """Make the tile SIDE: 16 in row d, lane d, for d < 16, and 0 elsewhere. Uses gp1..gp4 and f1, f2.

    The first four rows of MOVER, times 1/16, and the same rows of its tile give 16 on the diagonal of a 4x4 block.
    """
    x, out, tile = "gp2", "gp3", "gp4"
    rows = AREA + WRITTEN * LANES
    asm.comment("tile that moves lanes 16h + d to lanes d")
    asm.op("S_RECI_FP", "f2", "f1")
    li(asm, x, AREA)
    li(asm, out, rows)
    with asm.loop("gp1", 4):
        asm.op("V_MUL_VF", out, x, "f2", 0)
        advance(asm, x, LANES)
        advance(asm, out, LANES)
    li(asm, x, rows)
    li(asm, out, AREA)
    li(asm, tile, MOVER * TILE)
    asm.op("M_BMM_WO", out, 0)
    with asm.loop("gp1", SEGMENT // 4):
        asm.op("M_TMM", 0, x, tile)
        asm.op("M_MM_WO", out, "gp0", 0)
        advance(asm, out, 4 * LANES + 4)
    _store_tile(asm, LANES, SIDE)


def prepare(asm: Emitter, rows: int) -> None:
    """Fetch the tiles that `linear` and `attend` need for activations of `rows` rows. Uses gp1..gp7, f1, f2, a1."""
    _prepare_mover(asm)
    if rows >= LANES:
        _prepare_side(asm)


def compact(asm: Emitter, vectors: int, *, src: Address, mnemonic: str) -> None:
    """Write four rows to COMPACT for each of `vectors` VRAM rows from `src` on, times 4.

    Row h has lanes 4d + h in lanes 4d for M_BMM, and lanes 16h + d in lanes d for M_BTMM; its other lanes are 0.

    Uses gp1..gp10 and f6.

    Raises:
        ValueError: `vectors` is neither a multiple of 256 nor a multiple of 8 below.
    """
    batches, count = -(-vectors // BATCH), min(vectors, BATCH) // HEADS
    if vectors % BATCH and (batches > 1 or vectors % 8):
        raise ValueError(f"{vectors} rows are neither a multiple of {BATCH} nor a multiple of 8 below")
    x, pointers, at, out, one = "gp1", ["gp2", "gp3", "gp4", "gp5"], "gp6", "gp7", "f6"
    asm.comment(f"compact {vectors} rows")
    asm.op("S_EXP_FP", one, "f0")
    point(asm, x, src)
    li(asm, at, COMPACT)
    with repeat(asm, "gp8", batches):
        with asm.loop("gp9", HEADS):
            li(asm, out, (MOVER if mnemonic == "M_BMM" else SIDE) * TILE)
            asm.op(mnemonic, 0, out, x)
            for h, pointer in enumerate(pointers):
                li(asm, pointer, AREA + h * TILE)
            asm.op("M_BMM_WO", pointers[0], 0)
            add(asm, out, at)
            with asm.loop("gp10", count // 2):
                for h in (0, 1, 2, 3, 0, 1, 2, 3):
                    asm.op("V_MUL_VF", out, pointers[h], one, 0)
                    advance(asm, pointers[h], LANES)
                    advance(asm, out, LANES if h < HEADS - 1 else HEADS * ROW - (HEADS - 1) * LANES)
            advance(asm, x, LANES)
            advance(asm, at, ROW)
        if batches > 1:
            advance(asm, x, (BATCH - HEADS) * LANES)
            advance(asm, at, (BATCH - HEADS) * ROW)


def _fetch_interleaved(asm: Emitter, blocks: int, *, base: str, off: str, stride: int) -> None:
    """Fetch tiles of every fourth row into MSRAM from tile 0 on: four for each 256 rows of a weight.

    STRIDE_REG is four times `stride`, the elements of a row. Rows past the end of the weight are fetched and not used.
    """
    dest, at = "gp1", "gp2"
    groups = -(-blocks // HEADS)
    li(asm, dest, 0)
    add(asm, at, off)
    for group in range(groups):
        for head in range(HEADS):
            asm.op("H_PREFETCH_M", dest, at, base, 1, 0)
            advance(asm, dest, TILE)
            if head < HEADS - 1:
                advance(asm, at, stride)
        if group < groups - 1:
            advance(asm, at, (BATCH - HEADS + 1) * stride)


def _offset(asm: Emitter, dst: str, base: str, amount: int) -> str:
    """Return a register that holds `base + amount`: `base` itself when there is nothing to add, else `dst`."""
    if not amount:
        return base
    if amount <= MAX_IMM18:
        add(asm, dst, base, amount)
    else:
        li(asm, dst, amount)
        asm.op("S_ADD_INT", dst, dst, base)
    return dst


def _products(asm: Emitter, mnemonic: str, rows: int, tiles: Sequence[int], *, out: str) -> None:
    """Multiply `rows` compacted rows by tiles: [rows, 64] to VRAM from `out` on, which moves on.

    A write-out spills over up to 256 rows from where the last 64 rows of the result start. Uses gp3, gp4, gp6 and gp7.

    Args:
        asm: where to append.
        mnemonic: M_BMM or M_BTMM, as for `compact`.
        rows: 32 or a multiple of 64.
        tiles: MSRAM addresses for rows h = 0..3 of column block 0, then for those of block 1, and so on.
        out: register with the VRAM address of the result.
    """
    base, vector, operand = "gp6", "gp3", "gp4"
    li(asm, base, COMPACT)
    with repeat(asm, "gp7", -(-rows // LANES)):
        for i, tile in enumerate(tiles):
            li(asm, operand, tile)
            x = _offset(asm, vector, base, i // HEADS * rows * ROW + i % HEADS * LANES)
            asm.op(mnemonic, 0, operand, x)
        asm.op("M_BMM_WO", out, 0)
        advance(asm, out, min(rows, LANES) * LANES)
        advance(asm, base, LANES * ROW)


def linear(asm: Emitter, rows: int, inner: int, layers: Sequence[Layer], *, src: int) -> None:
    """Multiply the activation [rows, inner] at VRAM `src` by each of the weights. Uses gp1..gp11, f6 and a1.

    Results spill over like those of `_products`.
    """
    counter, off, out = "gp9", "gp10", "gp11"
    blocks = inner // LANES
    tiles = [(b // HEADS * HEADS + h) * TILE + b % HEADS * SEGMENT for b in range(blocks) for h in range(HEADS)]
    compact(asm, rows * blocks, src=src, mnemonic="M_BMM")
    for layer in layers:
        asm.comment(f"linear [{rows}, {inner}] x [{inner}, {layer.cols}], weight at {layer.weight}")
        set_base(asm, "a1", layer.weight)
        set_scale(asm, off, inner * layer.cols)
        set_stride(asm, off, HEADS * layer.cols)
        li(asm, off, 0)
        li(asm, out, layer.dst)
        with repeat(asm, counter, layer.cols // LANES):
            _fetch_interleaved(asm, blocks, base="a1", off=off, stride=layer.cols)
            _products(asm, "M_BMM", rows, tiles, out=out)
            advance(asm, off, LANES)


def _score_rows(asm: Emitter, rows: int, blocks: int, *, q: Address, out: str) -> None:
    """Multiply the queries [rows, 64 * blocks] by transposed tiles from tile 0 on to VRAM from `out` on, which moves.

    With few rows this takes less time than the tile for `compact`. Uses gp1..gp4.
    """
    row, vector, tile = "gp1", "gp2", "gp3"
    point(asm, row, q)
    with asm.loop("gp4", rows):
        for block in range(blocks):
            li(asm, tile, block * TILE)
            asm.op("M_TMV", 0, _offset(asm, vector, row, block * rows * LANES), tile)
        asm.op("M_MV_WO", out, 0)
        advance(asm, row, LANES)
        advance(asm, out, LANES)


def _softmax(
    asm: Emitter, rows: int, key_tiles: int, *, scores: int, lowest: int, factor: int | None, excluded: Address | None
) -> None:
    """Write the softmax of each row of scores to WEIGHTS. Uses gp1..gp7 and f1..f4."""
    tiles = [f"gp{i + 1}" for i in range(key_tiles)]
    out, counter, mask = "gp5", "gp6", "gp7"
    minus, scale, total = "f1", "f2", "f4"
    asm.op("S_LD_FP", minus, "gp0", lowest)
    if factor is not None:
        asm.op("S_LD_FP", scale, "gp0", factor)
    for i, x in enumerate(tiles):
        li(asm, x, scores + i * rows * LANES)
    li(asm, out, WEIGHTS)
    if excluded is not None:
        point(asm, mask, excluded)
    with asm.loop(counter, rows):
        exponentials(asm, tiles, factor is not None, mask if excluded is not None else None)
        for x in tiles:
            asm.op("V_MUL_VF", out, x, total, 0)
            advance(asm, x, LANES)
            advance(asm, out, LANES if x != tiles[-1] else ROW - LANES * (key_tiles - 1))


def _weigh(asm: Emitter, rows: int, key_tiles: int, *, base: str, out: str) -> None:
    """Multiply up to 64 rows of weights from register `base` on by values: [rows, 64] to VRAM from `out` on, which moves.

    Uses gp1..gp5 and f7, which holds 4.0.
    """
    matrix, at, vector, operand = "gp1", "gp2", "gp4", "gp5"
    li(asm, matrix, 0)
    li(asm, at, AREA)
    with asm.loop("gp3", HEADS):
        for tile in range(key_tiles):
            x = _offset(asm, vector, base, tile * LANES)
            asm.op("M_BMM", 0, _offset(asm, operand, matrix, tile * SEGMENT), x)
        asm.op("M_BMM_WO", at, 0)
        advance(asm, matrix, TILE)
        advance(asm, at, WRITTEN * LANES)
    parts = ["gp1", "gp2", "gp3", "gp4"]
    for h, pointer in enumerate(parts):
        li(asm, pointer, AREA + h * (WRITTEN * LANES + TILE))
    a, b, c, d = parts
    with asm.loop("gp5", rows // 4):
        for _ in range(4):
            asm.op("V_ADD_VV", a, a, b, 0)
            asm.op("V_ADD_VV", c, c, d, 0)
            asm.op("V_ADD_VV", a, a, c, 0)
            asm.op("V_MUL_VF", out, a, "f7", 0)
            for pointer in (*parts, out):
                advance(asm, pointer, LANES)


def attend(
    asm: Emitter,
    rows: int,
    keys: int,
    width: int,
    *,
    q: Address,
    k: Matrix,
    v: Matrix,
    dst: Address,
    scores: int,
    lowest: int,
    factor: int | None = None,
    k_offset: Address = 0,
    v_offset: Address = 0,
    excluded: int | None = None,
) -> None:
    """Put softmax(factor * Q K^T) V of one head into VRAM: arguments as for the template's `attend`.

    Keys are at most 256. The scores spill over like results of `_products`. Uses gp1..gp11 and f1..f7.
    """
    blocks, key_tiles = width // LANES, -(-keys // LANES)
    base, counter, off, out = "gp6", "gp9", "gp10", "gp11"
    asm.comment(f"scores of {rows} queries and {keys} keys")
    if rows >= LANES:
        compact(asm, rows * blocks, src=q, mnemonic="M_BTMM")
    point(asm, off, k_offset)
    li(asm, out, scores)
    with repeat(asm, counter, key_tiles):
        fetch_tiles(asm, k, blocks, step=LANES, offset=off)
        if rows >= LANES:
            tiles = [b * TILE + h * SEGMENT for b in range(blocks) for h in range(HEADS)]
            _products(asm, "M_BTMM", rows, tiles, out=out)
        else:
            _score_rows(asm, rows, blocks, q=q, out=out)
        advance(asm, off, LANES * k.stride)
    _softmax(asm, rows, key_tiles, scores=scores, lowest=lowest, factor=factor, excluded=excluded)
    asm.comment("weights x values, one column block after the other")
    asm.op("S_EXP_FP", "f7", "f0")
    for _ in range(2):
        asm.op("S_ADD_FP", "f7", "f7", "f7")
    set_scale(asm, off, v.scale)
    set_stride(asm, off, HEADS * v.stride)
    point(asm, off, v_offset)
    point(asm, out, dst)
    with repeat(asm, counter, blocks):
        _fetch_interleaved(asm, 1, base=v.base, off=off, stride=v.stride)
        li(asm, base, WEIGHTS)
        with repeat(asm, "gp7", -(-rows // LANES)):
            _weigh(asm, min(rows, LANES), key_tiles, base=base, out=out)
            advance(asm, base, LANES * ROW)
        advance(asm, off, LANES)


EXPERT = Style(prepare, linear, attend, spill=WRITTEN)
