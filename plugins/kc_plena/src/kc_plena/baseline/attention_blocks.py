"""Building blocks of attention: key and value tiles, score tiles, softmax over rows, and one head put together.

Query rows, scores and results are in column-block layout in VRAM; keys and values are row-major matrices in HBM, which
come into MSRAM 64x64 elements at a time. Fewer than 64 keys are padded: values with rows of zeros (`store_padded`), and
the score lanes of keys that do not exist are set to -inf (`exclusion_row`), whatever they held.

Blocks use gp1..gp8 and f1..f4, `attend` gp1..gp11; an address may be a constant or one of the registers above those.

Source: KernelCraft, arXiv 2603.08721, section I; flash attention templates of AICrossSim/PLENA at ecd5acb.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from kc_plena.baseline.blocks import GROUP, LANES, TILE, add, advance, li, set_scale, set_stride, store_act
from kc_plena.baseline.emitter import Emitter

Address = int | str
"""A constant, or the name of a gp register that holds the value."""
SEGMENT = 16
"""HLEN: lanes that one bit of V_MASK switches."""
ALL_SEGMENTS = (1 << LANES // SEGMENT) - 1
"""V_MASK that switches every lane on."""
MAX_BLOCKS = 4
"""Column blocks of a row that `softmax_rows` has registers for: rows of at most 256 elements."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A row-major matrix in HBM.

    Attributes:
        base: address register of its first element.
        stride: elements from one row to the next (STRIDE_REG).
        scale: bytes from its first element to its first scale byte (SCALE_REG): the elements of the whole tensor.
    """

    base: str
    stride: int
    scale: int


def point(asm: Emitter, reg: str, value: Address) -> None:
    """Set `reg` to a constant or to the value of another register."""
    if isinstance(value, str):
        add(asm, reg, value)
    else:
        li(asm, reg, value)


@contextmanager
def repeat(asm: Emitter, counter: str, count: int) -> Iterator[None]:
    """Run what is appended inside `count` times; once needs no loop."""
    if count == 1:
        yield
        return
    with asm.loop(counter, count):
        yield


def fetch_tiles(asm: Emitter, matrix: Matrix, count: int, *, step: int, offset: Address = 0) -> None:
    """Fetch `count` tiles of 64x64 elements into MSRAM, one behind the other from tile 0.

    Args:
        asm: where to append.
        matrix: where the tiles come from.
        count: number of tiles.
        step: elements from one tile to the next: 64 walks along the columns, 64 * stride along the rows.
        offset: element offset of the first tile, a multiple of 64.
    """
    off, dest = "gp1", "gp2"
    set_scale(asm, off, matrix.scale)
    set_stride(asm, off, matrix.stride)
    point(asm, off, offset)
    li(asm, dest, 0)
    with repeat(asm, "gp3", count):
        asm.op("H_PREFETCH_M", dest, off, matrix.base, 1, 0)
        if count > 1:
            advance(asm, dest, TILE)
            advance(asm, off, step)


def tile_product(
    asm: Emitter, mnemonic: str, rows: int, depth: int, *, src: Address, src_step: int, dst: Address
) -> None:
    """Multiply rows [rows, 64 * depth] by the first `depth` tiles of MSRAM: [rows, 64], 4x4 elements per write-out.

    Args:
        asm: where to append.
        mnemonic: M_TMM for rows x transposed tiles (scores), M_MM for rows x tiles.
        rows: a multiple of 4.
        depth: column blocks of the rows, and tiles.
        src: VRAM address of the first row.
        src_step: VRAM elements from one column block of the rows to the next.
        dst: VRAM address of the result, its rows one behind the other.
    """
    row, out_row, column, out, act, tile = "gp1", "gp2", "gp3", "gp4", "gp5", "gp6"
    slices, groups = "gp7", "gp8"
    asm.comment(f"{mnemonic}: [{rows}, {LANES * depth}] into [{rows}, {LANES}]")
    point(asm, row, src)
    point(asm, out_row, dst)
    with asm.loop(groups, rows // GROUP):
        li(asm, column, 0)
        add(asm, out, out_row)
        with asm.loop(slices, LANES // GROUP):
            add(asm, act, row)
            add(asm, tile, column)
            for k in range(depth):
                asm.op(mnemonic, 0, *((act, tile) if mnemonic == "M_TMM" else (tile, act)))
                if k < depth - 1:
                    advance(asm, act, src_step)
                    advance(asm, tile, TILE)
            asm.op("M_MM_WO", out, "gp0", 0)
            advance(asm, column, GROUP * LANES if mnemonic == "M_TMM" else GROUP)
            advance(asm, out, GROUP)
        advance(asm, row, GROUP * LANES)
        advance(asm, out_row, GROUP * LANES)


def zero_rows(asm: Emitter, dst: Address, rows: int) -> None:
    """Clear VRAM rows from `dst` on, by writing out the matrix-vector accumulator, which is 0 between products."""
    ptr = "gp1"
    point(asm, ptr, dst)
    with repeat(asm, "gp2", rows):
        asm.op("M_MV_WO", ptr, 0)
        advance(asm, ptr, LANES)


def store_padded(asm: Emitter, rows: int, *, src: int, base: str) -> Matrix:
    """Return the matrix [64, 64] at `base`: [rows, 64] from VRAM `src`, quantised, and rows of zeros behind it.

    A prefetch brings 64 rows. Where a tensor ends before that its scales follow, which read as elements may be NaN, and
    a NaN times the weight 0 of a key that does not exist is still NaN. VRAM up to `src` + 4096 is overwritten.
    """
    asm.comment(f"rows {rows}..{LANES - 1} become zeros")
    zero_rows(asm, src + rows * LANES, LANES - rows)
    store_act(asm, LANES, LANES, base=base, src=src)
    return Matrix(base, LANES, TILE)


def exclusion_row(asm: Emitter, at: int, valid: int, lowest: int) -> None:
    """Write 0 below lane `valid` and -inf from there on to the VRAM row at `at`; leave V_MASK on the lanes below.

    Then `V_ADD_VV row, at, row, 1` replaces the lanes from `valid` on by -inf, even NaN.

    Args:
        asm: where to append.
        at: VRAM address of the row.
        valid: lanes that count, a multiple of 16 below 64.
        lowest: FP_MEM index of -inf.
    """
    if valid % SEGMENT or not 0 < valid < LANES:
        raise ValueError(f"{valid} lanes are not a positive multiple of {SEGMENT} below {LANES}")
    row, mask, minus = "gp1", "gp2", "f1"
    inside = (1 << valid // SEGMENT) - 1
    asm.comment(f"mask: 0 in lanes 0..{valid - 1}, -inf in the others")
    zero_rows(asm, at, 1)
    li(asm, row, at)
    asm.op("S_LD_FP", minus, "gp0", lowest)
    li(asm, mask, ALL_SEGMENTS - inside)
    asm.op("C_SET_V_MASK_REG", mask)
    asm.op("V_ADD_VF", row, row, minus, 1)
    li(asm, mask, inside)
    asm.op("C_SET_V_MASK_REG", mask)


def exponentials(asm: Emitter, pointers: Sequence[str], scaled: bool, mask: str | None) -> None:
    """Replace one row, a register for each 64 lanes, by the exponentials of a softmax; f4 becomes 1 / their sum. Uses f3.

    Args:
        asm: where to append.
        pointers: registers with the VRAM addresses of the row's parts.
        scaled: whether the row is multiplied by f2 first. f1 holds -inf.
        mask: register with the address of an `exclusion_row` for the last part, or None.
    """
    minus, scale, top, total = "f1", "f2", "f3", "f4"
    asm.op("S_ADD_FP", top, minus, "f0")
    for x in pointers:
        if scaled:
            asm.op("V_MUL_VF", x, x, scale, 0)
        if mask is not None and x == pointers[-1]:
            asm.op("V_ADD_VV", x, mask, x, 1)
        asm.op("V_RED_MAX", top, x, 0)
    asm.op("S_ADD_FP", total, "f0", "f0")
    for x in pointers:
        asm.op("V_SUB_VF", x, x, top, 0, 0)
        asm.op("V_EXP_V", x, x, 0)
        asm.op("V_RED_SUM", total, x)
    asm.op("S_RECI_FP", total, total)


def softmax_rows(
    asm: Emitter,
    rows: int,
    width: int,
    *,
    src: int,
    lowest: int,
    factor: int | None = None,
    excluded: int | None = None,
) -> None:
    """Replace [rows, width] in VRAM by the softmax of each row.

    Args:
        asm: where to append.
        rows: number of rows, at least 1.
        width: 64, 128, 192 or 256.
        src: VRAM address.
        lowest: FP_MEM index of -inf.
        factor: FP_MEM index of a factor on all elements, applied first.
        excluded: VRAM address of an `exclusion_row` for the last column block.
    """
    blocks = width // LANES
    if width % LANES or not 1 <= blocks <= MAX_BLOCKS:
        raise ValueError(f"a row of {width} is not one to {MAX_BLOCKS} blocks of {LANES}")
    pointers, counter, mask = [f"gp{i}" for i in range(1, blocks + 1)], "gp5", "gp6"
    minus, scale, total = "f1", "f2", "f4"
    asm.comment(f"softmax over [{rows}, {width}]")
    asm.op("S_LD_FP", minus, "gp0", lowest)
    if factor is not None:
        asm.op("S_LD_FP", scale, "gp0", factor)
    if excluded is not None:
        li(asm, mask, excluded)
    for i, x in enumerate(pointers):
        li(asm, x, src + i * rows * LANES)
    with repeat(asm, counter, rows):
        exponentials(asm, pointers, factor is not None, mask if excluded is not None else None)
        for x in pointers:
            asm.op("V_MUL_VF", x, x, total, 0)
            advance(asm, x, LANES)


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
    """Put softmax(factor * Q K^T) V of one head into VRAM; `dst` may be `q`. Uses gp1..gp11.

    Args:
        asm: where to append.
        rows: query rows, a multiple of 4.
        keys: keys; a multiple of 64, or less than 64 with `excluded` and 64 rows behind `v_offset`.
        width: features of the head, a multiple of 64.
        q: VRAM address of the queries [rows, width].
        k: keys in HBM; rows past the last key may hold anything.
        v: values in HBM.
        dst: VRAM address of the result [rows, width].
        scores: VRAM address of scratch for [rows, max(keys, 64)].
        lowest: FP_MEM index of -inf.
        factor: FP_MEM index of the factor on the scores.
        k_offset: element offset of the head in `k`.
        v_offset: element offset of the head in `v`.
        excluded: VRAM address of an `exclusion_row`.
    """
    depth, key_tiles = width // LANES, -(-keys // LANES)
    counter, off, out = "gp9", "gp10", "gp11"
    block = rows * LANES
    asm.comment(f"scores of {rows} queries and {keys} keys")
    point(asm, off, k_offset)
    li(asm, out, scores)
    with repeat(asm, counter, key_tiles):
        fetch_tiles(asm, k, depth, step=LANES, offset=off)
        tile_product(asm, "M_TMM", rows, depth, src=q, src_step=block, dst=out)
        if key_tiles > 1:
            advance(asm, off, LANES * k.stride)
            advance(asm, out, block)
    softmax_rows(asm, rows, key_tiles * LANES, src=scores, lowest=lowest, factor=factor, excluded=excluded)
    asm.comment("weights x values, one column block after the other")
    point(asm, off, v_offset)
    point(asm, out, dst)
    with repeat(asm, counter, depth):
        fetch_tiles(asm, v, key_tiles, step=LANES * v.stride, offset=off)
        tile_product(asm, "M_MM", rows, key_tiles, src=scores, src_step=block, dst=out)
        if depth > 1:
            advance(asm, off, LANES)
            advance(asm, out, block)
