"""FFN and SwiGLU: two or three products and the activation between them, all of it on the chip.

The products run on the engines of `matmul` (M_MV for four rows, M_BMM from 8 on). The activation is written where the
next product reads it: in place for M_MV, as operand of `spread` for M_BMM. The negation of SiLU is a multiplication
by -1.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, add, advance, li, set_scale, set_stride
from kc_plena.baseline.emitter import Emitter
from kc_plena.expert.elementwise import FACTOR, ONE, minus_one, sigmoid_product
from kc_plena.expert.matmul import ceil_tile, scale_from_zero
from kc_plena.expert.rows import load_rows, multiply_rows
from kc_plena.expert.selection import (
    RESULT,
    SPAN,
    WEIGHTS,
    fetch_rows,
    load_slices,
    make_selection,
    multiply,
    row_step,
    spread,
)
from kc_plena.layout import packed_bytes

_UNROLL = 8


def ffn(rows: int, width: int, hidden: int) -> str:
    """Return silu(X Wup) Wdown for X[rows, width]; the result is at VRAM 0. FP_MEM: 0, 1.0."""
    asm = Emitter(f"ffn [{rows}, {width}], hidden {hidden}")
    (_by_rows if rows == GROUP else _by_slices)(asm, rows, width, hidden, gated=False)
    return asm.text()


def swiglu(rows: int, width: int, hidden: int) -> str:
    """Return (silu(X Wup) * (X Wgate)) Wdown for X[rows, width]; the result is at VRAM 0. FP_MEM: 0, 1.0."""
    asm = Emitter(f"swiglu [{rows}, {width}], hidden {hidden}")
    (_by_rows if rows == GROUP else _by_slices)(asm, rows, width, hidden, gated=True)
    return asm.text()


def _weights(rows: int, width: int, hidden: int, gated: bool) -> list[tuple[int, int]]:
    """Return HBM address and SCALE_REG (from base 0) of the weights: up, gate if there is one, down."""
    size = packed_bytes(width, hidden)
    first = packed_bytes(rows, width)
    starts = [first + size * i for i in range(3 if gated else 2)]
    return [(start, scale_from_zero(start, width * hidden)) for start in starts]


def _by_rows(asm: Emitter, rows: int, width: int, hidden: int, *, gated: bool) -> None:
    """Append the program for four rows of 64 features; X is at 0, up and gate are behind it."""
    up, gate = rows * width, rows * (width + hidden)
    weights = _weights(rows, width, hidden, gated)
    set_scale(asm, "gp1", rows * width)
    asm.op("H_PREFETCH_V", "gp0", "gp0", "a0", 0, 0)
    load_rows(asm, 1, act=0)
    for (weight, scale), out in zip(weights[:-1], (up, gate), strict=False):
        asm.comment(f"product at {out}")
        multiply_rows(asm, width, hidden, weight=weight, scale=scale, out=out)
    asm.comment("activation")
    minus_one(asm)
    load_rows(asm, hidden // LANES, act=up)
    for i in range(rows * hidden // LANES):
        row = f"gp{4 + i}"
        sigmoid_product(asm, row, "gp0", row)  # X is not needed any more
        if gated:
            li(asm, "gp2", gate + LANES * i)
            asm.op("V_MUL_VV", row, row, "gp2", 0)
    asm.comment("result")
    weight, scale = weights[-1]
    multiply_rows(asm, hidden, width, weight=weight, scale=scale, out=0)


def _by_slices(asm: Emitter, rows: int, width: int, hidden: int, *, gated: bool) -> None:
    """Append the program for 8 to 64 rows."""
    const, acts = "gp4", "gp1"
    weights = _weights(rows, width, hidden, gated)
    source = ceil_tile(rows * width + SPAN)
    operands = source + SPAN * -(-hidden // (GROUP * LANES))
    scratch = operands + SPAN * (hidden // LANES)
    up = scratch + SPAN
    gate = up + ceil_tile(rows * hidden + SPAN)
    make_selection(asm, scratch=source, hbm=weights[-1][0] + packed_bytes(width, hidden))
    asm.op("S_SUB_FP", FACTOR, "f0", ONE)
    load_slices(asm)
    set_scale(asm, const, rows * width)
    fetch_rows(asm, rows, width, off=acts, dest=source)
    spread(asm, rows, width // LANES, src=source, dest=operands, scratch=scratch)
    set_stride(asm, const, hidden)
    for (weight, scale), out in zip(weights[:-1], (up, gate), strict=False):
        li(asm, WEIGHTS, weight)
        li(asm, RESULT, out)
        set_scale(asm, const, scale)
        multiply(asm, rows, width, hidden, operands=operands)
    _activate(asm, rows, hidden, up=up, gate=gate if gated else None, dest=source)
    spread(asm, rows, hidden // LANES, src=source, dest=operands, scratch=scratch)
    weight, scale = weights[-1]
    set_scale(asm, const, scale)
    set_stride(asm, const, width)
    li(asm, WEIGHTS, weight)
    li(asm, RESULT, 0)
    multiply(asm, rows, hidden, width, operands=operands)


def _activate(asm: Emitter, rows: int, hidden: int, *, up: int, gate: int | None, dest: int) -> None:
    """Append dest = silu(up), times gate if there is one: from column blocks to the operand of `spread`."""
    x, out, t, y, first = "gp4", "gp5", "gp6", "gp10", "gp11"
    asm.comment("activation")
    li(asm, x, up)
    if gate is not None:
        li(asm, y, gate)
    li(asm, t, 0)  # the result's first row is free until the last product
    li(asm, first, dest)
    with asm.loop("gp12", hidden // (GROUP * LANES)):
        with asm.loop("gp14", GROUP):
            add(asm, out, first)
            advance(asm, first, LANES)
            with asm.loop("gp15", rows // _UNROLL):
                for _ in range(_UNROLL):
                    sigmoid_product(asm, out, t, x)
                    advance(asm, x, LANES)
                    if gate is not None:
                        asm.op("V_MUL_VV", out, out, y, 0)
                        advance(asm, y, LANES)
                    advance(asm, out, row_step(rows))
        advance(asm, first, SPAN - GROUP * LANES)
