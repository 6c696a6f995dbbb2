"""Building blocks of projected attention and of decoder blocks: linear layers, many heads, norms, rotary embedding.

Activations are in column-block layout in VRAM: with heads of 64 features, head i of an activation [rows, 64 * heads] is
its column block i. Keys and values are computed in VRAM, but matrix operands come from HBM only: `store_heads` writes
them to HBM behind the inputs, quantised, and the attention fetches them as tiles.

What multiplies activations and tiles is a parameter (`Style`), so that other products can take the same programs.

Source: KernelCraft, arXiv 2603.08721, tables 12 and 15: the cycles of agent kernels show that multi-head attention has no
output projection. The stages of the decoder blocks are this project's definition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kc_plena.baseline.attention_blocks import (
    Matrix,
    attend,
    exclusion_row,
    fetch_tiles,
    point,
    repeat,
    store_padded,
    tile_product,
)
from kc_plena.baseline.blocks import LANES, advance, li, sigmoid_tail, store_act
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes


@dataclass(frozen=True, slots=True)
class Layer:
    """A linear layer: HBM address and columns of its weight, VRAM address of its result."""

    weight: int
    cols: int
    dst: int


@dataclass(frozen=True, slots=True)
class Style:
    """The products of a program; they may use all registers up to gp11, f1..f7 and a1.

    Attributes:
        prepare: appends what the products need once, for activations of a number of rows; nothing may be loaded yet.
        linear: multiplies an activation by weights; called like `linear`.
        attend: computes one head; called like `attention_blocks.attend`, `q` and the offsets in gp12..gp15.
        spill: VRAM rows behind a result or behind scores that may be overwritten.
    """

    prepare: Callable[[Emitter, int], None]
    linear: Callable[..., None]
    attend: Callable[..., None]
    spill: int


@dataclass(frozen=True, slots=True)
class Heads:
    """Where attention finds its operands and constants.

    Attributes:
        rows: query and key positions, 32 or a multiple of 64.
        count: query heads.
        shared: query heads that use the same head of keys and values; divides `count`.
        lowest: FP_MEM index of -inf.
        factor: FP_MEM index of the factor on the scores; None for none.
    """

    rows: int
    count: int
    shared: int
    lowest: int
    factor: int | None


class Space:
    """Hands out VRAM in whole rows from 0 on, with `gap` rows behind each area."""

    def __init__(self, gap: int = 0) -> None:
        """Start with everything free."""
        self._next, self._gap = 0, gap * LANES

    def take(self, rows: int, width: int = LANES) -> int:
        """Return the address of an area for an activation [rows, width]."""
        at = self._next
        self._next += rows * width + self._gap
        return at


def set_base(asm: Emitter, base: str, address: int) -> None:
    """Point an address register at an HBM byte address below 4 GiB."""
    li(asm, "gp1", address)
    asm.op("C_SET_ADDR_REG", base, "gp0", "gp1")


def linear(asm: Emitter, rows: int, inner: int, layers: Sequence[Layer], *, src: int) -> None:
    """Multiply the activation [rows, inner] at VRAM `src` by the weight [inner, cols] of each layer.

    The tiles of a 64-column block of the weight stay in MSRAM while all rows pass by. Uses gp1..gp11 and a1.
    """
    counter, off, out = "gp9", "gp10", "gp11"
    depth = inner // LANES
    for layer in layers:
        weight = Matrix("a1", layer.cols, inner * layer.cols)
        asm.comment(f"linear [{rows}, {inner}] x [{inner}, {layer.cols}], weight at {layer.weight}")
        set_base(asm, weight.base, layer.weight)
        li(asm, off, 0)
        li(asm, out, layer.dst)
        with repeat(asm, counter, layer.cols // LANES):
            fetch_tiles(asm, weight, depth, step=LANES * layer.cols, offset=off)
            tile_product(asm, "M_MM", rows, depth, src=src, src_step=rows * LANES, dst=out)
            advance(asm, off, LANES)
            advance(asm, out, rows * LANES)


TEMPLATE = Style(lambda asm, rows: None, linear, attend, spill=0)
"""4x4 blocks of M_MM and M_TMM."""


def store_heads(asm: Emitter, rows: int, width: int, *, src: int, base: str, address: int) -> Matrix:
    """Return the matrix that holds the activation [rows, width] of VRAM `src`, quantised, at HBM `address`.

    Fewer than 64 rows get rows of zeros behind them, for which VRAM up to `src` + 4096 is overwritten.
    """
    set_base(asm, base, address)
    if rows < LANES:
        return store_padded(asm, rows, src=src, base=base)
    store_act(asm, rows, width, base=base, src=src)
    return Matrix(base, width, rows * width)


def attend_heads(asm: Emitter, heads: Heads, style: Style, *, q: int, k: int, v: int, hbm: int, scratch: Space) -> None:
    """Replace each head of the queries at VRAM `q` by softmax(factor * Q K^T) V; keys and values pass through HBM.

    Args:
        asm: where to append.
        heads: shape and constants.
        style: products.
        q: VRAM address of the queries [rows, 64 * count], replaced by the result.
        k: VRAM address of the keys [rows, 64 * count / shared], with space for at least 64 rows.
        v: VRAM address of the values, likewise.
        hbm: byte address of free HBM, a multiple of 64.
        scratch: free VRAM.
    """
    rows = heads.rows
    groups = heads.count // heads.shared
    width = groups * LANES
    stored = max(rows, LANES)
    keys = store_heads(asm, rows, width, src=k, base="a2", address=hbm)
    values = store_heads(asm, rows, width, src=v, base="a3", address=hbm + packed_bytes(stored, width))
    excluded = None
    if rows < LANES:
        excluded = scratch.take(1)
        exclusion_row(asm, excluded, rows, heads.lowest)
    scores = scratch.take(rows, stored)
    head, off = "gp12", "gp13"
    asm.comment(f"{heads.count} heads, {heads.shared} to a head of keys and values")
    li(asm, head, q)
    li(asm, off, 0)
    with repeat(asm, "gp14", groups):
        with repeat(asm, "gp15", heads.shared):
            style.attend(
                asm,
                rows,
                rows,
                LANES,
                q=head,
                k=keys,
                v=values,
                dst=head,
                scores=scores,
                lowest=heads.lowest,
                factor=heads.factor,
                k_offset=off,
                v_offset=off,
                excluded=excluded,
            )
            advance(asm, head, rows * LANES)
        advance(asm, off, LANES)


def rms_rows(asm: Emitter, rows: int, width: int, *, src: int, dst: int, scratch: int, eps: int, inverse: int) -> None:
    """Write x / sqrt(mean(x**2) + eps) of each row of the activation at VRAM `src` to `dst`.

    `eps` and `inverse` are FP_MEM indices of eps and 1 / width; the VRAM row at `scratch` is used.
    """
    row, out_row, t, read, write = "gp1", "gp2", "gp3", "gp4", "gp5"
    small, acc, mean = "f1", "f2", "f3"
    blocks = width // LANES
    asm.comment(f"rmsnorm [{rows}, {width}]")
    li(asm, row, src)
    li(asm, out_row, dst)
    li(asm, t, scratch)
    asm.op("S_LD_FP", small, "gp0", eps)
    asm.op("S_LD_FP", mean, "gp0", inverse)
    with asm.loop("gp6", rows):
        asm.op("S_ADD_FP", acc, "f0", "f0")
        point(asm, read, row)
        with repeat(asm, "gp7", blocks):
            asm.op("V_MUL_VV", t, read, read, 0)
            asm.op("V_RED_SUM", acc, t)
            advance(asm, read, LANES * rows)
        asm.op("S_MUL_FP", acc, acc, mean)
        asm.op("S_ADD_FP", acc, acc, small)
        asm.op("S_SQRT_FP", acc, acc)
        asm.op("S_RECI_FP", acc, acc)
        point(asm, read, row)
        point(asm, write, out_row)
        with repeat(asm, "gp7", blocks):
            asm.op("V_MUL_VF", write, read, acc, 0)
            advance(asm, read, LANES * rows)
            advance(asm, write, LANES * rows)
        advance(asm, row, LANES)
        advance(asm, out_row, LANES)


def rotate(
    asm: Emitter,
    style: Style,
    rows: int,
    heads: int,
    *,
    x: int,
    cos: int,
    sin: int,
    rotation: int,
    scratch: int,
) -> None:
    """Replace each head of the activation [rows, 64 * heads] at VRAM `x` by x * cos + (x ROT) * sin.

    Args:
        asm: where to append.
        style: products.
        rows: positions.
        heads: heads, all rotated alike.
        x: VRAM address of the activation.
        cos: VRAM address of the cosines [rows, 64].
        sin: VRAM address of the sines [rows, 64].
        rotation: HBM address of ROT [64, 64]. Its product is exact, for each column has one element, 1 or -1.
        scratch: VRAM address of scratch as large as the activation.
    """
    style.linear(asm, rows * heads, LANES, [Layer(rotation, LANES, scratch)], src=x)
    row, t, c, s = "gp1", "gp2", "gp3", "gp4"
    asm.comment(f"rotate {heads} heads of {rows} rows")
    li(asm, row, x)
    li(asm, t, scratch)
    with repeat(asm, "gp5", heads):
        li(asm, c, cos)
        li(asm, s, sin)
        with asm.loop("gp6", rows):
            asm.op("V_MUL_VV", row, row, c, 0)
            asm.op("V_MUL_VV", t, t, s, 0)
            asm.op("V_ADD_VV", row, row, t, 0)
            for pointer in (row, t, c, s):
                advance(asm, pointer, LANES)


def add_rows(asm: Emitter, vectors: int, *, dst: int, src: int) -> None:
    """Add `vectors` VRAM rows from `src` on to those from `dst` on."""
    row, other = "gp1", "gp2"
    asm.comment(f"add {vectors} rows")
    li(asm, row, dst)
    li(asm, other, src)
    with asm.loop("gp3", vectors):
        asm.op("V_ADD_VV", row, row, other, 0)
        advance(asm, row, LANES)
        advance(asm, other, LANES)


def silu_gate(asm: Emitter, vectors: int, *, up: int, gate: int, scratch: int, one: int) -> None:
    """Replace `vectors` VRAM rows from `up` on by silu(up) * gate; `one` is the FP_MEM index of 1.0."""
    x, other, t = "gp1", "gp2", "gp3"
    asm.comment(f"silu and gate over {vectors} rows")
    li(asm, x, up)
    li(asm, other, gate)
    li(asm, t, scratch)
    asm.op("S_LD_FP", "f1", "gp0", one)
    with asm.loop("gp4", vectors):
        asm.op("V_SUB_VF", t, x, "f0", 0, 1)
        sigmoid_tail(asm, x, t, "f1")
        asm.op("V_MUL_VV", x, x, other, 0)
        advance(asm, x, LANES)
        advance(asm, other, LANES)


RELU_DOUBLINGS = 6
"""relu(x) is taken as x * sigmoid(64 x), off by at most 0.0044; there is no vector maximum."""


def relu_rows(asm: Emitter, vectors: int, *, src: int, scratch: int, one: int) -> None:
    """Replace `vectors` VRAM rows from `src` on by x * sigmoid(64 x), within 0.0044 of relu; FP_MEM[`one`] is 1.0."""
    x, t, steepness = "gp1", "gp2", "f2"
    asm.comment(f"relu over {vectors} rows")
    li(asm, x, src)
    li(asm, t, scratch)
    asm.op("S_LD_FP", "f1", "gp0", one)
    asm.op("S_SUB_FP", steepness, "f0", "f1")
    for _ in range(RELU_DOUBLINGS):
        asm.op("S_ADD_FP", steepness, steepness, steepness)
    with asm.loop("gp3", vectors):
        asm.op("V_MUL_VF", t, x, steepness, 0)
        sigmoid_tail(asm, x, t, "f1")
        advance(asm, x, LANES)
