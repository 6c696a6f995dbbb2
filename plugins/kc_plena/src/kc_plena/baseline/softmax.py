"""Softmax over the rows of an activation, in place in VRAM.

Source: KernelCraft, arXiv 2603.08721, table 12 (shapes) and section I (the steps for one row).
"""

from __future__ import annotations

from kc_plena.baseline.attention_blocks import softmax_rows
from kc_plena.baseline.blocks import preload
from kc_plena.baseline.emitter import Emitter

LOWEST = 2
"""FP_MEM index of -inf."""


def softmax(rows: int, width: int) -> str:
    """Return the softmax of each row of [rows, width]. FP_MEM: 0, 1.0, -inf."""
    asm = Emitter(f"softmax [{rows}, {width}]")
    preload(asm, rows, width)
    softmax_rows(asm, rows, width, src=0, lowest=LOWEST)
    return asm.text()
