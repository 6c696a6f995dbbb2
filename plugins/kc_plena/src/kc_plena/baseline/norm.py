"""RMSNorm and LayerNorm over the rows of an activation, in place in VRAM, without weights.

Both are unrolled by row and column block. FP_MEM: 0, eps, 1 / width. Row sums are binary16, so keep inputs moderate.

Source: KernelCraft, arXiv 2603.08721, tables 12 and 15; templates of AICrossSim/PLENA at ecd5acb.
"""

from __future__ import annotations

from collections.abc import Iterator

from kc_plena.baseline.blocks import LANES, advance, li, preload, reset
from kc_plena.baseline.emitter import Emitter


def _start(kind: str, rows: int, width: int) -> Emitter:
    """Return a program that has the activation at VRAM 0 and gp2 at the scratch row behind it."""
    asm = Emitter(f"{kind} [{rows}, {width}]")
    reset(asm, ("gp1", "gp2", "gp3"))
    preload(asm, rows, width)
    reset(asm, ("gp1", "gp2", "gp3", "gp4"))
    asm.comment(kind)
    li(asm, "gp2", rows * width)
    return asm


def _each_row(asm: Emitter, rows: int) -> Iterator[None]:
    """Point gp1 (writing) and gp3 (reading) at the first block of each row in turn."""
    for row in range(rows):
        asm.comment(f"row {row}")
        li(asm, "gp1", LANES * row)
        li(asm, "gp3", LANES * row)
        yield


def _clear(asm: Emitter, reg: str) -> None:
    """Set a scalar register to +0."""
    asm.op("S_ADD_FP", reg, "f0", "f0")


def rmsnorm(rows: int, width: int) -> str:
    """Return x / sqrt(mean(x**2) + eps) over each row of [rows, width]."""
    asm = _start("rmsnorm", rows, width)
    write, scratch, read = "gp1", "gp2", "gp3"
    eps, acc, inverse = "f1", "f2", "f3"
    asm.op("S_LD_FP", eps, "gp0", 1)
    _clear(asm, acc)
    asm.op("S_LD_FP", inverse, "gp0", 2)
    for _ in _each_row(asm, rows):
        for _ in range(width // LANES):
            asm.op("V_MUL_VV", scratch, read, read, 0)
            asm.op("V_RED_SUM", acc, scratch)
            advance(asm, read, LANES * rows)
        asm.op("S_MUL_FP", acc, acc, inverse)
        asm.op("S_ADD_FP", acc, acc, eps)
        asm.op("S_SQRT_FP", acc, acc)
        asm.op("S_RECI_FP", acc, acc)
        for _ in range(width // LANES):
            asm.op("V_MUL_VF", write, write, acc, 0)
            advance(asm, write, LANES * rows)
        _clear(asm, acc)
    return asm.text()


def layernorm(rows: int, width: int) -> str:
    """Return (x - mean) / sqrt(mean(x**2) - mean**2 + eps) over each row of [rows, width]."""
    asm = _start("layernorm", rows, width)
    write, scratch, read = "gp1", "gp2", "gp3"
    eps, mean, square, inverse, deviation = "f1", "f2", "f3", "f4", "f5"
    asm.op("S_LD_FP", eps, "gp0", 1)
    _clear(asm, mean)
    _clear(asm, square)
    asm.op("S_LD_FP", inverse, "gp0", 2)
    for _ in _each_row(asm, rows):
        for _ in range(width // LANES):
            asm.op("V_RED_SUM", mean, read)
            asm.op("V_MUL_VV", scratch, read, read, 0)
            asm.op("V_RED_SUM", square, scratch)
            advance(asm, read, LANES * rows)
        asm.op("S_MUL_FP", mean, mean, inverse)
        asm.op("S_MUL_FP", square, square, inverse)
        asm.op("S_MUL_FP", deviation, mean, mean)
        asm.op("S_SUB_FP", deviation, square, deviation)
        asm.op("S_ADD_FP", deviation, deviation, eps)
        asm.op("S_SQRT_FP", deviation, deviation)
        asm.op("S_RECI_FP", deviation, deviation)
        for _ in range(width // LANES):
            asm.op("V_SUB_VF", scratch, write, mean, 0, 0)
            asm.op("V_MUL_VF", write, scratch, deviation, 0)
            advance(asm, write, LANES * rows)
        _clear(asm, mean)
        _clear(asm, square)
    return asm.text()
