"""Rotary position embedding from rotated copies: x * cos + xrot * sin, in place in VRAM.

Source: KernelCraft, arXiv 2603.08721, table 12 (shapes); the RoPE template of AICrossSim/PLENA at ecd5acb.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import LANES, advance, li, preload, set_bases
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes


def rope(positions: int, width: int) -> str:
    """Return x * cos + xrot * sin for X, XROT, COS, SIN [positions, width] in HBM; result at VRAM 0. FP_MEM: 0."""
    asm = Emitter(f"rope [{positions}, {width}]")
    packed, elements = packed_bytes(positions, width), positions * width
    set_bases(asm, packed, 2 * packed, 3 * packed)
    for i in range(4):
        preload(asm, positions, width, base=f"a{i}", dest=i * elements)
    pointers = x, rotated, cos, sin = "gp1", "gp2", "gp3", "gp4"
    asm.comment("x = x * cos + xrot * sin")
    for i, pointer in enumerate(pointers):
        li(asm, pointer, i * elements)
    with asm.loop("gp5", elements // LANES):
        asm.op("V_MUL_VV", rotated, rotated, sin, 0)
        asm.op("V_MUL_VV", x, x, cos, 0)
        asm.op("V_ADD_VV", x, x, rotated, 0)
        for pointer in pointers:
            advance(asm, pointer, LANES)
    return asm.text()
