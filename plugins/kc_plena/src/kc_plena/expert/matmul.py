"""GEMM, Linear and batched GEMM.

Two engines, by size: M_MV for four rows (see `rows`); from 8 rows on M_BMM by way of a selection tile (see
`selection`), which takes all rows at once. Both add in float32 and round once, like the reference.

Every tensor is reached through a0 = 0 with the offset of its first byte; SCALE_REG then counts from address 0, which
saves the address registers. Every tile is fetched once.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc_plena.baseline.blocks import GROUP, LANES, TILE, advance, li, set_scale, set_stride
from kc_plena.baseline.emitter import Emitter
from kc_plena.expert.rows import load_rows, multiply_rows
from kc_plena.expert.selection import (
    RESULT,
    SPAN,
    UNSPREAD,
    WEIGHTS,
    fetch_rows,
    fetch_spread,
    load_slices,
    make_selection,
    multiply,
    spread,
)
from kc_plena.layout import packed_bytes


def scale_from_zero(start: int, elements: int) -> int:
    """Return SCALE_REG for a tensor at byte `start` that is reached through a base of 0."""
    return start + elements - start // 8


def ceil_tile(address: int) -> int:
    """Return the next multiple of 4096: as a constant it takes one instruction whatever its size."""
    return -(-address // TILE) * TILE


@dataclass(frozen=True, slots=True)
class Shape:
    """A product [rows, inner] x [inner, cols], `batch` times, and the HBM image it comes in."""

    rows: int
    inner: int
    cols: int
    batch: int = 1

    @property
    def depth(self) -> int:
        """Blocks of the inner dimension."""
        return self.inner // LANES

    @property
    def blocks(self) -> int:
        """64-column blocks of the result."""
        return self.cols // LANES

    @property
    def act_scale(self) -> int:
        """SCALE_REG of the activations."""
        return self.batch * self.rows * self.inner

    @property
    def weight(self) -> int:
        """HBM address of the weights, behind the activations."""
        return packed_bytes(self.batch * self.rows, self.inner)

    @property
    def weight_scale(self) -> int:
        """SCALE_REG of the weights."""
        return scale_from_zero(self.weight, self.batch * self.inner * self.cols)

    @property
    def end(self) -> int:
        """HBM address behind the weights."""
        return self.weight + packed_bytes(self.batch * self.inner, self.cols)


def gemm(rows: int, inner: int, cols: int) -> str:
    """Return A[rows, inner] x B[inner, cols]; the result is at VRAM rows * inner."""
    asm = Emitter(f"gemm [{rows}, {inner}] x [{inner}, {cols}]")
    shape = Shape(rows, inner, cols)
    _multiply(asm, shape, out=rows * inner, scratch_hbm=shape.end)
    return asm.text()


def linear(rows: int, inner: int, cols: int) -> str:
    """Return X[rows, inner] x W[inner, cols] + bias; the result is at VRAM rows * inner.

    The bias is added to the rounded product, as in the reference. A transfer fetches four blocks of it.
    """
    asm = Emitter(f"linear [{rows}, {inner}] x [{inner}, {cols}] + bias")
    shape = Shape(rows, inner, cols)
    _multiply(asm, shape, out=rows * inner, scratch_hbm=shape.end + packed_bytes(1, cols))
    off, bias, row = "gp1", "gp2", "gp3"
    asm.comment("bias")
    set_scale(asm, off, scale_from_zero(shape.end, cols))
    li(asm, off, shape.end)
    li(asm, row, rows * inner)
    at = ceil_tile(rows * (inner + cols))
    for block in range(shape.blocks):
        li(asm, bias, at + LANES * (block % GROUP))
        if block % GROUP == 0:
            asm.op("H_PREFETCH_V", bias, off, "a0", 0, 0)
            if block + GROUP < shape.blocks:
                advance(asm, off, GROUP * LANES)
        unroll = min(rows, 16)
        with asm.loop("gp4", rows // unroll):
            for _ in range(unroll):
                asm.op("V_ADD_VV", row, row, bias, 0)
                advance(asm, row, LANES)
    return asm.text()


def batch_matmul(batch: int, rows: int, inner: int, cols: int) -> str:
    """Return A_i[rows, inner] x W_i[inner, cols] for each batch i; result i is at VRAM i * rows * cols."""
    asm = Emitter(f"batch_matmul {batch} x [{rows}, {inner}] x [{inner}, {cols}]")
    shape = Shape(rows, inner, cols, batch)
    _multiply(asm, shape, out=0, scratch_hbm=shape.end)
    return asm.text()


def _multiply(asm: Emitter, shape: Shape, *, out: int, scratch_hbm: int) -> None:
    if shape.rows > GROUP:
        _by_slices(asm, shape, out, scratch_hbm)
        return
    for i in range(shape.batch):
        _by_rows(asm, shape, i, out + i * shape.rows * shape.cols)


def _by_rows(asm: Emitter, shape: Shape, index: int, out: int) -> None:
    """Append one product of four rows of one block on M_MV; its activation lies behind the result."""
    off, act = "gp1", out + GROUP * shape.cols
    asm.comment(f"product {index}")
    set_scale(asm, off, shape.act_scale)
    load_rows(asm, 1, act=act)
    at = index * GROUP * LANES
    if at:
        li(asm, off, at)
    asm.op("H_PREFETCH_V", "gp4", off if at else "gp0", "a0", 0, 0)
    weight = shape.weight + index * shape.inner * shape.cols
    multiply_rows(asm, shape.inner, shape.cols, weight=weight, scale=shape.weight_scale, out=out)


def _by_slices(asm: Emitter, shape: Shape, out: int, scratch_hbm: int) -> None:
    """Append all products on M_BMM."""
    acts, const, counter = "gp1", "gp4", "gp14"
    rows = shape.rows
    free = ceil_tile(out + shape.batch * rows * shape.cols + SPAN)
    operands = free + SPAN
    make_selection(asm, scratch=free, hbm=scratch_hbm)
    load_slices(asm)
    li(asm, WEIGHTS, shape.weight)
    li(asm, RESULT, out)

    def product() -> None:
        set_scale(asm, const, shape.act_scale)
        scratch = operands + shape.depth * SPAN
        if rows > UNSPREAD:
            fetch_spread(asm, rows, shape.inner, start=acts, src=free, dest=operands, scratch=scratch)
        else:
            fetch_rows(asm, rows, shape.inner, off=acts, dest=free)
            spread(asm, rows, shape.depth, src=free, dest=operands, scratch=scratch)
        set_stride(asm, const, shape.cols)
        set_scale(asm, const, shape.weight_scale)
        multiply(asm, rows, shape.inner, shape.cols, operands=operands)

    if shape.batch == 1:
        product()
        return
    with asm.loop(counter, shape.batch):
        product()
        advance(asm, WEIGHTS, shape.inner * shape.cols)
        advance(asm, RESULT, rows * shape.cols)
