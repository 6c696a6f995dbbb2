"""RMSNorm and LayerNorm: one reduction a row (two for LayerNorm), whatever the width.

- The blocks of a row are added lane by lane (2 cycles a block) before one V_RED_SUM (8 cycles) instead of reducing
  each. The lane sums are rounded to bfloat16, which costs at most 2**-9 of each lane's sum per addition; the errors
  of 64 lanes are independent, so the mean moves by about 2**-9 / 8 of a lane's size: a tenth of a bfloat16 step of
  the result.
- LayerNorm subtracts the mean first and takes the mean square of what is left: fewer scalar steps than E[x**2] -
  mean**2 and no cancellation.
- The sum starts at width * eps instead of 0, so that eps costs nothing: (width eps + sum) / width. A row of zeros gives
  0 / sqrt(eps) = 0.
"""

from __future__ import annotations

from kc_plena.baseline.emitter import Emitter
from kc_plena.expert.blocks import Row, whole_rows

INVERSE, START, SQUARE = "f1", "f2", "f3"
_MEANS = ("f4", "f5", "f6", "f7")
"""Registers of the means, in turn: they are 0 at start, so the first four rows clear none."""


def _constants(asm: Emitter) -> None:
    """Append INVERSE = 1 / width and START = width * eps."""
    asm.op("S_LD_FP", INVERSE, "gp0", 2)
    asm.op("S_LD_FP", START, "gp0", 1)
    asm.op("S_RECI_FP", SQUARE, INVERSE)
    asm.op("S_MUL_FP", START, START, SQUARE)


def _scale_by_root(asm: Emitter, row: Row) -> None:
    """Append result = x / sqrt(mean(x**2) + eps) for the pieces of a row as they are now."""
    asm.op("S_ADD_FP", SQUARE, START, "f0")
    asm.op("V_RED_SUM", SQUARE, row.square_up())
    asm.op("S_MUL_FP", SQUARE, SQUARE, INVERSE)
    asm.op("S_SQRT_FP", SQUARE, SQUARE)
    asm.op("S_RECI_FP", SQUARE, SQUARE)
    for block, x in enumerate(row.x):
        asm.op("V_MUL_VF", x if len(row.x) == 1 else row.result(block), x, SQUARE, 0)


def rmsnorm(rows: int, width: int) -> str:
    """Return x / sqrt(mean(x**2) + eps) over each row of [rows, width]. FP_MEM: 0, eps, 1 / width."""
    asm = Emitter(f"rmsnorm [{rows}, {width}]")
    _constants(asm)
    for row in whole_rows(asm, rows, width):
        _scale_by_root(asm, row)
    return asm.text()


def layernorm(rows: int, width: int) -> str:
    """Return (x - mean) / sqrt(var + eps) over each row of [rows, width]. FP_MEM: 0, eps, 1 / width."""
    asm = Emitter(f"layernorm [{rows}, {width}]")
    _constants(asm)
    for number, row in enumerate(whole_rows(asm, rows, width)):
        mean = _MEANS[number % len(_MEANS)]
        if number >= len(_MEANS):
            asm.op("S_ADD_FP", mean, "f0", "f0")
        asm.op("V_RED_SUM", mean, row.x[0] if len(row.x) == 1 else row.add_up(row.x))
        asm.op("S_MUL_FP", mean, mean, INVERSE)
        for x in row.x:
            asm.op("V_SUB_VF", x, x, mean, 0, 0)
        _scale_by_root(asm, row)
    return asm.text()
