"""SiLU, ReLU and GELU: pieces are fetched into four fixed rows and leave them as results in their final place.

- A negation is a multiplication by a negative scalar (1 cycle instead of the 2 of V_SUB_VF): x sigmoid(s x) takes 7
  cycles a row with -s in a register, made once.
- ReLU needs no sigmoid: exp(-b exp(-b x)) is 0 for x < 0 (the inner exponential is infinite) and 1 for x > 0, which
  with the product takes 5 cycles. b = exp(exp(2)) = 1618, so the step is 0 or 1 to bfloat16 accuracy from |x| = 0.01
  on, and below that x itself is below the tolerance. No lane becomes NaN: infinity meets the factor -b only.
- Four fixed source rows need no pointers, a fixed scratch row none either; only the row written does.
"""

from __future__ import annotations

from collections.abc import Callable

from kc_plena.baseline.blocks import GROUP, LANES, li, set_scale
from kc_plena.baseline.emitter import Emitter
from kc_plena.expert.blocks import Fetcher, place, quads

Body = Callable[[Emitter, str, str, str], None]
"""Appends the computation of one row: (asm, result, scratch, source)."""

ONE, FACTOR = "f1", "f2"


def sigmoid_product(asm: Emitter, out: str, t: str, x: str) -> None:
    """Append out = x / (1 + exp(FACTOR x)); ONE holds 1.0, FACTOR the negated slope."""
    asm.op("V_MUL_VF", t, x, FACTOR, 0)
    asm.op("V_EXP_V", t, t, 0)
    asm.op("V_ADD_VF", t, t, ONE, 0)
    asm.op("V_RECI_V", t, t, 0)
    asm.op("V_MUL_VV", out, t, x, 0)


def _step_product(asm: Emitter, out: str, t: str, x: str) -> None:
    """Append out = x exp(FACTOR exp(FACTOR x)) for a large negative FACTOR."""
    asm.op("V_MUL_VF", t, x, FACTOR, 0)
    asm.op("V_EXP_V", t, t, 0)
    asm.op("V_MUL_VF", t, t, FACTOR, 0)
    asm.op("V_EXP_V", t, t, 0)
    asm.op("V_MUL_VV", out, t, x, 0)


def minus_one(asm: Emitter) -> None:
    """Append ONE = 1.0 (from FP_MEM[1]) and FACTOR = -1."""
    asm.op("S_LD_FP", ONE, "gp0", 1)
    asm.op("S_SUB_FP", FACTOR, "f0", ONE)


def _minus_slope(asm: Emitter) -> None:
    asm.op("S_LD_FP", ONE, "gp0", 1)
    asm.op("S_LD_FP", FACTOR, "gp0", 2)
    asm.op("S_SUB_FP", FACTOR, "f0", FACTOR)


def _minus_steep(asm: Emitter) -> None:
    asm.op("S_LD_FP", FACTOR, "gp0", 1)
    asm.op("S_ADD_FP", FACTOR, FACTOR, FACTOR)
    asm.op("S_EXP_FP", FACTOR, FACTOR)
    asm.op("S_EXP_FP", FACTOR, FACTOR)
    asm.op("S_SUB_FP", FACTOR, "f0", FACTOR)


def _rowwise(title: str, rows: int, width: int, constants: Callable[[Emitter], None], body: Body) -> str:
    asm = Emitter(f"{title} [{rows}, {width}]")
    constants(asm)
    out, t, off = "gp1", "gp2", "gp3"
    end = rows * width
    set_scale(asm, t, end)  # `end` is the first row behind the result: t is the scratch row as it stands
    if end == GROUP * LANES:
        _in_place(asm, t, body)
        return asm.text()
    sources = ("gp4", "gp5", "gp6", "gp7")
    for j, source in enumerate(sources, 1):
        li(asm, source, end + LANES * j)
    fetcher = Fetcher(asm, width, off=off)
    for quad in quads(rows):
        for block in range(width // LANES):
            asm.comment(f"rows {', '.join(map(str, quad.rows))}, block {block}")
            fetcher.fetch(quad, block, sources[0])
            for row, source in zip(quad.rows, sources, strict=True):
                at = place(rows, row, block)
                if at:
                    li(asm, out, at)
                body(asm, out if at else "gp0", t, source)
    return asm.text()


def _in_place(asm: Emitter, t: str, body: Body) -> None:
    """One transfer holds everything: fetch it to VRAM 0 and overwrite it."""
    asm.op("H_PREFETCH_V", "gp0", "gp0", "a0", 0, 0)
    body(asm, "gp0", t, "gp0")
    for j in range(1, GROUP):
        li(asm, "gp1", LANES * j)
        body(asm, "gp1", t, "gp1")


def silu(rows: int, width: int) -> str:
    """Return x / (1 + exp(-x)) over [rows, width]. FP_MEM: 0, 1.0."""
    return _rowwise("silu", rows, width, minus_one, sigmoid_product)


def gelu(rows: int, width: int) -> str:
    """Return x / (1 + exp(-1.702 x)) over [rows, width]. FP_MEM: 0, 1.0, 1.702."""
    return _rowwise("gelu", rows, width, _minus_slope, sigmoid_product)


def relu(rows: int, width: int) -> str:
    """Return max(x, 0) over [rows, width]. FP_MEM: 0, 1.0."""
    return _rowwise("relu", rows, width, _minus_steep, _step_product)
