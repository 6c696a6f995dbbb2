"""Scaled dot-product attention: softmax(Q K^T / sqrt(h)) V for one head as wide as the activation.

Source: KernelCraft, arXiv 2603.08721, table 12 (shapes) and section I (the structure, for 64 positions).
"""

from __future__ import annotations

from collections.abc import Callable

from kc_plena.baseline.attention_blocks import Matrix, attend, exclusion_row, store_padded
from kc_plena.baseline.blocks import LANES, TILE, preload, set_bases
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes

FACTOR, LOWEST = 1, 2
"""FP_MEM indices of 1 / sqrt(h) and -inf."""


def load_operands(asm: Emitter, positions: int, width: int, scratch: int) -> tuple[Matrix, Matrix, int | None]:
    """Return where keys and values lie, and the address of an exclusion row when there are fewer than 64 keys.

    Sets a1 to K, a2 to V and a3 to the free HBM behind the inputs, and loads Q into VRAM 0. Fewer than 64 values are
    copied to a3 with rows of zeros behind them; a copy of what came from HBM is exact.

    Args:
        asm: where to append.
        positions: 16, 32, 48 or a multiple of 64.
        width: features; 64 when there are fewer than 64 positions.
        scratch: VRAM address of 65 free rows.

    Raises:
        ValueError: sizes that attention cannot cut.
    """
    if positions > LANES and positions % LANES:
        raise ValueError(f"{positions} positions are more than {LANES}, but no multiple of it")
    if positions < LANES and width != LANES:
        raise ValueError(f"fewer than {LANES} positions come with {LANES} features, not {width}")
    packed = packed_bytes(positions, width)
    set_bases(asm, packed, 2 * packed, 3 * packed)
    preload(asm, positions, width)
    elements = positions * width
    keys = Matrix("a1", width, elements)
    if positions >= LANES:
        return keys, Matrix("a2", width, elements), None
    preload(asm, positions, LANES, base="a2", dest=scratch)
    values = store_padded(asm, positions, src=scratch, base="a3")
    exclusion_row(asm, scratch + TILE, positions, LOWEST)
    return keys, values, scratch + TILE


def sdpa(positions: int, width: int) -> str:
    """Return softmax(Q K^T / sqrt(width)) V: Q, K, V [positions, width], result at VRAM 0 in place of Q.

    FP_MEM: 0, 1 / sqrt(width), -inf.
    """
    asm = Emitter(f"sdpa, {positions} positions, {width} features")
    return compose(asm, positions, width, attend, spare=positions * max(positions, LANES))


def compose(asm: Emitter, positions: int, width: int, attend: Callable[..., None], *, spare: int) -> str:
    """Return the program that loads Q, K and V and attends.

    Args:
        asm: where to append.
        positions: rows of Q, K and V.
        width: their columns, a multiple of 64.
        attend: this module's, or another with the same arguments.
        spare: elements of VRAM behind Q that the scores take, before scratch for padding begins.
    """
    scores = positions * width
    k, v, excluded = load_operands(asm, positions, width, scores + spare)
    attend(
        asm,
        positions,
        positions,
        width,
        q=0,
        k=k,
        v=v,
        dst=0,
        scores=scores,
        lowest=LOWEST,
        factor=FACTOR,
        excluded=excluded,
    )
    return asm.text()
