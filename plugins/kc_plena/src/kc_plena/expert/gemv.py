"""GEMV: one M_TMV for each 64x64 tile of A, fetched in an order that suits the memory.

- The vector's blocks have an address register each, the tile's slot is 0 for all, and M_MV_WO takes the place of its
  result as an immediate: a tile costs its transfer, 64 cycles and one for its HBM offset.
- Tiles side by side use the same two of four buses for their elements, until 256 bytes (a bit of the bus number)
  further on. Taking block k and then k + 4 (k + 8 where rows are 1024 bytes apart) finds the DRAM rows open that the
  other left: C3 7,084 + setup instead of 7,300. Measured with `kc_plena.hbm`.
- The products of a row are added in float32 in v_acc, so the order of the blocks changes no rounding to bfloat16.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, li, set_scale, set_stride
from kc_plena.baseline.emitter import MAX_IMM18, Emitter
from kc_plena.layout import packed_bytes

_QUAD = GROUP * LANES
_FIXED = 13
"""Blocks of the vector that keep an address register, besides block 0 at gp0."""


def gemv(m: int, n: int) -> str:
    """Return A[m, n] x for x[1, n], which is kept at VRAM 0: the result is at VRAM n. n is a multiple of 256."""
    asm = Emitter(f"gemv [{m}, {n}]")
    off, spare = "gp14", "gp15"
    blocks = n // LANES
    held = {k: f"gp{k}" for k in range(min(blocks, _FIXED + 1))}
    _vector(asm, m, n, off, held)
    set_scale(asm, off, m * n)
    set_stride(asm, off, n)
    base, start = "a0", 0
    apart = blocks // 2
    order = [k for first in range(apart) for k in (first, first + apart)]
    for row in range(0, m, LANES):
        if (row + LANES) * n - start > MAX_IMM18 + 1:
            base, start = "a1", row * n
            _move_base(asm, off, m * n, start)
        for k in order:
            at = row * n + LANES * k - start
            if at:
                li(asm, off, at)
            asm.op("H_PREFETCH_M", "gp0", off if at else "gp0", base, 1, 0)
            if k not in held:
                li(asm, spare, LANES * k)
            asm.op("M_TMV", 0, held.get(k, spare), "gp0")
        asm.op("M_MV_WO", "gp0", n + row)
    return asm.text()


def _vector(asm: Emitter, m: int, n: int, off: str, held: dict[int, str]) -> None:
    """Fetch x to VRAM 0 through a0, whose scale offset counts from address 0; load the block addresses."""
    start = packed_bytes(m, n)
    set_scale(asm, off, start + n - start // 8)
    li(asm, off, start)
    for k in held:
        if k:
            li(asm, held[k], LANES * k)
    for first in range(0, n, _QUAD):
        if first:
            asm.op("S_ADDI_INT", off, off, _QUAD)
        asm.op("H_PREFETCH_V", held[first // LANES], off, "a0", 0, 0)


def _move_base(asm: Emitter, register: str, scales: int, start: int) -> None:
    """Let a1 begin at byte `start` of the matrix, so that offsets stay immediates."""
    li(asm, register, start)
    asm.op("C_SET_ADDR_REG", "a1", "gp0", register)
    set_scale(asm, register, scales + start // 8 - start)
