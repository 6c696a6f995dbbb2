"""One step of a diffusion language model: choose tokens, and unmask the positions that are most confident.

Source: KernelCraft, arXiv 2603.08721, section G; AICrossSim/PLENA, branch gm/dllm at c5c74f6.
"""

from __future__ import annotations

from kc_plena.baseline.attention_blocks import repeat
from kc_plena.baseline.blocks import GROUP, LANES, advance, li, set_bases, set_scale
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes

VOCABULARY = GROUP * LANES
"""Logits of a position: what one vector prefetch brings."""
CONFIDENCE = 64
"""FP_MEM index of the confidences of a batch."""
PIECES = ("gp0", "gp1", "gp2", "gp3")
"""Registers with 0, 64, 128, 192: the first token of each row of logits, and as these start at VRAM 0, its address."""
LENGTH = PIECES[1]
"""Holds 64, the positions of a batch."""


def _choose(asm: Emitter, *, tokens: int, off: str, slot: str, token: str, lowest: str) -> None:
    """Put the choice for the position at `off` into INT_MEM and its probability into FP_MEM; move on by a position."""
    choice, top, total = "gp4", "f2", "f3"
    asm.op("H_PREFETCH_V", "gp0", off, "a0", 0, 0)
    asm.op("S_ADD_FP", top, lowest, "f0")
    for piece in PIECES:
        asm.op("V_RED_MAX_IDX", choice, piece, piece, top)
    asm.op("S_ADD_FP", total, "f0", "f0")
    for piece in PIECES:
        asm.op("V_SUB_VF", piece, piece, top, 0, 0)
        asm.op("V_EXP_V", piece, piece, 0)
        asm.op("V_RED_SUM", total, piece)
    asm.op("S_RECI_FP", total, total)
    asm.op("S_ST_FP", total, slot, CONFIDENCE)
    asm.op("S_ST_INT", choice, token, tokens)
    advance(asm, off, VOCABULARY)
    advance(asm, slot, 1)
    advance(asm, token, 1)


def get_transfer_index(batch: int, positions: int, vocabulary: int, unmasked: int) -> str:
    """Return the program for logits [batch * positions, vocabulary], then mask [batch, positions], in HBM.

    INT_MEM holds the tokens x at 0 and receives the choices x0 behind them: x0 = mask ? argmax : x, and x = x0 at the
    `unmasked` masked positions of each batch whose argmax has the highest softmax probability. FP_MEM: 0. Machine dllm.

    Args:
        batch: 1 to 4: one prefetch brings all masks.
        positions: 64, a row of VRAM.
        vocabulary: 256, one prefetch.
        unmasked: positions to transfer in each batch.

    Raises:
        ValueError: sizes that the program is not made for.
    """
    if vocabulary != VOCABULARY or positions != LANES or not 1 <= batch <= GROUP:
        raise ValueError(f"{batch} x {positions} x {vocabulary} is not (1 to {GROUP}) x {LANES} x {VOCABULARY}")
    asm = Emitter(f"get_transfer_index: {batch} x {positions} positions, {vocabulary} logits, {unmasked} to unmask")
    tokens = batch * positions
    off, slot, token, mask, x, x0 = "gp5", "gp6", "gp7", "gp8", "gp9", "gp10"
    confidence, transfer, wanted, lowest = "gp11", "gp12", "gp13", "f1"
    set_bases(asm, packed_bytes(tokens, vocabulary))
    asm.comment(
        "-inf = 0 - 1 / 0; the masks go behind the logits of a position, and of the 4 rows the others are unused"
    )
    asm.op("S_RECI_FP", lowest, "f0")
    asm.op("S_SUB_FP", lowest, "f0", lowest)
    set_scale(asm, mask, tokens)
    li(asm, mask, VOCABULARY)
    asm.op("H_PREFETCH_V", mask, "gp0", "a1", 0, 0)
    set_scale(asm, off, tokens * vocabulary)
    for i, piece in enumerate(PIECES[1:], 1):
        li(asm, piece, i * LANES)
    li(asm, confidence, 2 * VOCABULARY)
    li(asm, transfer, 2 * VOCABULARY + LANES)
    li(asm, wanted, unmasked)
    li(asm, x0, tokens)
    for pointer in (x, off, token):
        li(asm, pointer, 0)
    with repeat(asm, "gp15", batch):
        asm.comment("choice and probability of each position")
        li(asm, slot, 0)
        with asm.loop("gp14", positions):
            _choose(asm, tokens=tokens, off=off, slot=slot, token=token, lowest=lowest)
        asm.comment("choices at masked positions only, the most confident of them become tokens")
        asm.op("S_MAP_V_FP", confidence, "gp0", CONFIDENCE, LENGTH)
        asm.op("V_TOPK_MASK", transfer, confidence, mask, wanted, LENGTH)
        asm.op("S_SELECT_INT", x0, x0, x, mask, LENGTH)
        asm.op("S_SELECT_INT", x, x0, x, transfer, LENGTH)
        for pointer in (x, x0, mask):
            advance(asm, pointer, LANES)
    return asm.text()
