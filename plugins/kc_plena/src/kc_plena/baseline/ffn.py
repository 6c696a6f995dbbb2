"""Feed-forward blocks: FFN (unrolled) and SwiGLU (with hardware loops).

Source: KernelCraft, arXiv 2603.08721, section F and tables 12 and 15; templates of AICrossSim/PLENA at ecd5acb.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import (
    LANES,
    add,
    advance,
    gemm_loop,
    li,
    preload,
    projection,
    reset,
    set_bases,
    set_scale,
    set_stride,
    silu,
)
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes


def ffn(rows: int, width: int, hidden: int) -> str:
    """Return silu(X Wup) Wdown for X[rows, width]: the result replaces X at VRAM 0. FP_MEM: 0, 1.0."""
    asm = Emitter(f"ffn [{rows}, {width}], hidden {hidden}")
    up = packed_bytes(rows, width)
    set_bases(asm, up, up + packed_bytes(width, hidden))
    reset(asm, [f"gp{i}" for i in range(1, 9)])
    preload(asm, rows, width, 1)
    mid = rows * width
    projection(asm, rows, width, hidden, base="a1", src=0, dst=mid)
    silu(asm, mid, 0, rows * hidden // LANES)
    projection(asm, rows, hidden, width, base="a2", src=mid, dst=0)
    return asm.text()


def swiglu(rows: int, width: int, hidden: int) -> str:
    """Return (silu(X Wup) * (X Wgate)) Wdown for X[rows, width]: the result replaces X at VRAM 0. FP_MEM: 0, 1.0."""
    asm = Emitter(f"swiglu [{rows}, {width}], hidden {hidden}")
    weight = packed_bytes(width, hidden)
    first = packed_bytes(rows, width)
    set_bases(asm, first, first + weight, first + 2 * weight)
    reset(asm, ("gp1", "gp2", "gp3"))
    preload(asm, rows, width)

    constant, up, gate, off, result = "gp1", "gp8", "gp9", "gp10", "gp11"
    up_at, between = rows * width, rows * hidden

    asm.comment("up = X Wup, then gate = X Wgate behind it")
    set_scale(asm, constant, width * hidden)
    set_stride(asm, constant, hidden)
    li(asm, constant, 0)
    li(asm, up, up_at)
    li(asm, gate, between)
    asm.op("S_ADD_INT", gate, gate, up)
    li(asm, off, 0)
    gemm_loop(asm, rows, width, hidden, base="a1", dst=up, off=off, save=gate, src=0)
    li(asm, up, up_at)
    add(asm, gate, up, between)
    li(asm, off, 0)
    gemm_loop(asm, rows, width, hidden, base="a2", dst=gate, off=off, save=up, src=0)

    asm.comment("up = silu(up) * gate")
    t, one = "gp1", "f1"
    asm.op("S_LD_FP", one, "gp0", 1)
    li(asm, up, up_at)
    add(asm, gate, up, between)
    li(asm, t, 0)
    with asm.loop("gp5", rows * hidden // LANES):
        asm.op("V_SUB_VF", t, up, "f0", 0, 1)
        asm.op("V_EXP_V", t, t, 0)
        asm.op("V_ADD_VF", t, t, one, 0)
        asm.op("V_RECI_V", t, t, 0)
        asm.op("V_MUL_VV", t, t, up, 0)
        asm.op("V_MUL_VV", up, t, gate, 0)
        advance(asm, gate, LANES)
        advance(asm, up, LANES)

    asm.comment("result = up Wdown")
    set_scale(asm, constant, width * hidden)
    set_stride(asm, constant, width)
    li(asm, constant, 0)
    li(asm, result, 0)
    li(asm, up, up_at)
    li(asm, off, 0)
    gemm_loop(asm, rows, hidden, width, base="a3", dst=result, off=off, save=up, src=up_at, src_reg=up)
    return asm.text()
