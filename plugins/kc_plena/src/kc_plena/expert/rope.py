"""RoPE: x cos + xrot sin, from four tensors of the same shape.

The tensors have address registers of their own, so that one offset, one SCALE_REG and one STRIDE_REG serve all four
transfers of a group of rows. Transfers go to twelve fixed rows; only the row written needs an address. Rounding is that
of the reference, stage by stage.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, li, set_scale
from kc_plena.baseline.emitter import Emitter
from kc_plena.expert.blocks import Fetcher, place, quads
from kc_plena.layout import packed_bytes

_SPACINGS = {
    (32, 64): (3, 5),
    (64, 128): (14, 2),
    (128, 64): (28, 4),
    (128, 128): (14, 18),
    (256, 128): (14, 18, 14, 18),
}
"""Rows and width -> spacings of the rows of a transfer, the fastest of those tried; see `blocks`."""


def rope(rows: int, width: int) -> str:
    """Return x cos + xrot sin over [rows, width]; HBM: X, XROT, COS, SIN."""
    asm = Emitter(f"rope [{rows}, {width}]")
    off, out = "gp1", "gp2"
    x, y, z = ([f"gp{3 + GROUP * i + j}" for j in range(GROUP)] for i in range(3))
    for i in range(1, 4):
        li(asm, off, i * packed_bytes(rows, width))
        asm.op("C_SET_ADDR_REG", f"a{i}", "gp0", off)
    for i, register in enumerate((*x, *y, *z)):
        li(asm, register, rows * width + LANES * i)
    set_scale(asm, off, rows * width)
    fetcher = Fetcher(asm, width, off=off)
    for quad in quads(rows, _SPACINGS[rows, width]):
        for block in range(width // LANES):
            asm.comment(f"rows {', '.join(map(str, quad.rows))}, block {block}")
            fetcher.fetch(quad, block, x[0])
            fetcher.again(y[0], "a2")
            for a, b in zip(x, y, strict=True):
                asm.op("V_MUL_VV", a, a, b, 0)
            fetcher.again(y[0], "a1")
            fetcher.again(z[0], "a3")
            for j, row in enumerate(quad.rows):
                asm.op("V_MUL_VV", y[j], y[j], z[j], 0)
                at = place(rows, row, block)
                if at:
                    li(asm, out, at)
                asm.op("V_ADD_VV", out if at else "gp0", x[j], y[j], 0)
    return asm.text()
