"""GEMM, Linear and batched GEMM.

Source: KernelCraft, arXiv 2603.08721, tables 12 and 15; templates of AICrossSim/PLENA at ecd5acb. The bias stage of
Linear is reconstructed from the published cycle counts; the batched programs have no published counterpart.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import (
    LANES,
    advance,
    gemm_loop,
    li,
    preload,
    projection,
    reset,
    set_bases,
    set_scale,
    set_stride,
)
from kc_plena.baseline.emitter import Emitter
from kc_plena.layout import packed_bytes


def gemm(rows: int, inner: int, cols: int) -> str:
    """Return A[rows, inner] x B[inner, cols]: A stays at VRAM 0, the result is at rows * inner."""
    asm = Emitter(f"gemm [{rows}, {inner}] x [{inner}, {cols}]")
    weight = packed_bytes(rows, inner)
    set_bases(asm, weight, weight + packed_bytes(inner, cols))
    reset(asm, ("gp1", "gp2", "gp3"))
    preload(asm, rows, inner)
    reset(asm, ("gp1", "gp2", "gp3", "gp4"))
    projection(asm, rows, inner, cols, base="a1", src=0, dst=rows * inner)
    return asm.text()


def linear(rows: int, inner: int, cols: int) -> str:
    """Return X[rows, inner] x W[inner, cols] + bias: the result is at VRAM rows * inner.

    The activation is fetched row by row, as in the published program: each prefetch moves 4 rows and the next one
    overwrites three of them, which is right but slow.
    """
    asm = Emitter(f"linear [{rows}, {inner}] x [{inner}, {cols}] + bias")
    weight = packed_bytes(rows, inner)
    set_bases(asm, weight, weight + packed_bytes(inner, cols))
    reset(asm, ("gp1", "gp2", "gp3"))
    preload(asm, rows, inner, 1)
    reset(asm, ("gp1", "gp2", "gp3", "gp4"))
    projection(asm, rows, inner, cols, base="a1", src=0, dst=rows * inner)
    bias, off, out = "gp1", "gp2", "gp3"
    asm.comment("bias: its row of each column block, added to every row of the block")
    set_scale(asm, bias, cols)
    li(asm, bias, rows * (inner + cols))
    li(asm, off, 0)
    li(asm, out, rows * inner)
    for _ in range(cols // LANES):
        asm.op("H_PREFETCH_V", bias, off, "a2", 0, 0)
        with asm.loop("gp4", rows):
            asm.op("V_ADD_VV", out, out, bias, 0)
            advance(asm, out, LANES)
        advance(asm, off, LANES)
    return asm.text()


def batch_matmul_unrolled(batch: int, rows: int, inner: int, cols: int) -> str:
    """Return A_i[rows, inner] x W_i[inner, cols] for each batch i, one unrolled projection per batch.

    HBM: A with all batches stacked, then W likewise. Result i is at VRAM i * rows * cols; the activation of the batch
    in work lies behind all results.
    """
    asm = Emitter(f"batch_matmul {batch} x [{rows}, {inner}] x [{inner}, {cols}], unrolled")
    src = batch * rows * cols
    set_bases(asm, packed_bytes(batch * rows, inner))
    for i in range(batch):
        asm.comment(f"batch {i}")
        preload(asm, rows, inner, dest=src, scale=batch * rows * inner, offset=i * rows * inner)
        projection(
            asm,
            rows,
            inner,
            cols,
            base="a1",
            src=src,
            dst=i * rows * cols,
            scale=batch * inner * cols,
            offset=i * inner * cols,
        )
    return asm.text()


def batch_matmul_looped(batch: int, rows: int, inner: int, cols: int) -> str:
    """Return the same as `batch_matmul_unrolled`, placed alike, with hardware loops around all but the depth."""
    asm = Emitter(f"batch_matmul {batch} x [{rows}, {inner}] x [{inner}, {cols}], looped")
    constant, counter, acts, weights, result, save = "gp1", "gp8", "gp9", "gp10", "gp11", "gp12"
    src = batch * rows * cols
    set_bases(asm, packed_bytes(batch * rows, inner))
    reset(asm, (acts, weights, result))
    with asm.loop(counter, batch):
        preload(asm, rows, inner, dest=src, scale=batch * rows * inner, offset=acts)
        advance(asm, acts, rows * inner)
        set_scale(asm, constant, batch * inner * cols)
        set_stride(asm, constant, cols)
        gemm_loop(asm, rows, inner, cols, base="a1", dst=result, off=weights, save=save, src=src)
        asm.comment("gemm_loop moved on by one row of the weight; the rest of it leads to the next batch")
        advance(asm, weights, (inner - 1) * cols)
    return asm.text()
