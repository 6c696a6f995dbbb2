"""Scaled dot-product attention with batched products, for the tasks `sdpa` and `flash_attention` alike."""

from __future__ import annotations

from kc_plena.baseline.blocks import LANES
from kc_plena.baseline.emitter import Emitter
from kc_plena.baseline.sdpa import compose
from kc_plena.expert.transformer_blocks import attend, prepare


def sdpa(positions: int, width: int) -> str:
    """Return softmax(Q K^T / sqrt(width)) V: Q, K, V [positions, width], result at VRAM 0 in place of Q.

    FP_MEM: 0, 1 / sqrt(width), -inf.
    """
    asm = Emitter(f"sdpa by batched products, {positions} positions, {width} features")
    if positions >= LANES:
        prepare(asm, positions)
    return compose(asm, positions, width, attend, spare=0)
