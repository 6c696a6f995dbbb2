"""The matrix unit: products of VRAM rows with MSRAM tiles, and write-outs.

`M_MM` takes four rows and four columns of a tile, and kernels walk over all columns of one tile with the same rows. So the
product with the whole tile is computed once and kept until a row or the tile is written: each further instruction is a
look-up. The dot products are the same float64 sums either way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kc_plena.numerics import round_bf16
from kernelcraft_core.sim import Trap
from kernelcraft_core.sim.rounding import round_bf16_bits_into, round_bf16_into

F32 = NDArray[np.float32]
MLEN, BLEN, HLEN, HEADS = 64, 4, 16, 4
TILE = MLEN * MLEN
_BMM_ROW_STEP = 4 * MLEN
_BMM_SCALE = 0.25
MOST_PRODUCTS = 1 << 14
"""Products of four rows with a tile that are kept at a time, about 4 KB each: any program stays within 64 MB."""


class _Products:
    """Products of four rows with a tile, by tile, first row and block; dropped when a source is written.

    `blocks[tile][vector][offset]` is the (4, 4) float32 block that an instruction with that offset in the tile adds: the
    offsets are columns (0, 4, ..., 60), or for the transposed product elements of whole rows (0, 256, ..., 3840).
    """

    def __init__(self, vram: Any, mram: Any, transposed: bool) -> None:
        self._vram, self._mram = vram, mram
        self._transposed = transposed
        self._wide: dict[int, Any] = {}
        self._left = np.empty((BLEN, MLEN), np.float64)
        self._offsets = range(0, TILE, BLEN * MLEN) if transposed else range(0, MLEN, BLEN)
        self.blocks: dict[int, dict[int, dict[int, F32]]] = {}
        self._kept = 0

    def make(self, tile: int, vector: int) -> dict[int, F32]:
        """Return the blocks of rows `vector` .. + 3 rows times the tile at element address `tile`."""
        rows, left = self._vram.R, self._left
        for i in range(BLEN):
            left[i] = rows[vector + i * MLEN]
        wide = self._wide.get(tile)
        if wide is None:
            held = self._mram.R[tile].astype(np.float64)
            wide = held.T if self._transposed else held
            if not self._mram.tracked or tile in self._mram.R:
                self._wide[tile] = wide
                self.blocks[tile] = {}
                self._mram.watch(tile, self._drop_tile)
        product = (left @ wide).astype(np.float32).reshape(BLEN, MLEN // BLEN, BLEN).swapaxes(0, 1)
        made = dict(zip(self._offsets, product, strict=True))
        by_vector = self.blocks.get(tile)
        if by_vector is None or (self._vram.tracked and any(vector + i * MLEN not in rows for i in range(BLEN))):
            return made  # undefined rows are reported again each time
        if self._kept >= MOST_PRODUCTS:
            for kept in self.blocks.values():
                kept.clear()
            self._kept = 0
        self._kept += 1
        by_vector[vector] = made
        for i in range(BLEN):
            self._vram.watch(vector + i * MLEN, self._drop_row)
        return made

    def _drop_tile(self, tile: int) -> None:
        self._wide.pop(tile, None)
        self.blocks.pop(tile, None)

    def _drop_row(self, address: int) -> None:
        for by_vector in self.blocks.values():
            for i in range(BLEN):
                by_vector.pop(address - i * MLEN, None)


def make_mm(context: Any, vram: Any, mram: Any) -> Callable[[int, int], F32]:
    """Bind `mm(matrix, vector)` -> (4, 4) float32: matrix = tile * 4096 + column, column a multiple of 4 below 64."""
    products = _Products(vram, mram, transposed=False)
    blocks = products.blocks

    def mm(matrix: int, vector: int) -> F32:
        column = matrix & (TILE - 1)
        try:
            return blocks[matrix - column][vector][column]
        except KeyError:
            pass
        if column & 3 or column >= MLEN:
            hint = (
                "column offsets count elements: 0, 4, ..., 60 (multiples of 256 belong to M_TMM and to newer machines)"
            )
            raise Trap("illegal_operands", f"M_MM column offset {column} is not a multiple of 4 below 64", hint)
        return products.make(matrix - column, vector)[column]

    return mm


def make_tmm(context: Any, vram: Any, mram: Any) -> Callable[[int, int], F32]:
    """Bind `tmm(matrix, vector)` -> (4, 4) float32: matrix = tile * 4096 + 64 * row, row a multiple of 4."""
    products = _Products(vram, mram, transposed=True)
    blocks = products.blocks

    def tmm(matrix: int, vector: int) -> F32:
        offset = matrix & (TILE - 1)
        try:
            return blocks[matrix - offset][vector][offset]
        except KeyError:
            pass
        if offset & 255:
            hint = "row offsets count the elements of whole rows: 0, 256, ..., 3840 (multiples of 4 are the convention of M_MM)"
            raise Trap("illegal_operands", f"M_TMM row offset {offset} is not a multiple of 256", hint)
        return products.make(matrix - offset, vector)[offset]

    return tmm


def _head_operands(vram: Any, mram: Any, matrix: int, vector: int, name: str) -> tuple[Any, Any, int]:
    offset = matrix & (TILE - 1)
    if offset >= MLEN or offset % HLEN:
        hint = "the offset picks 16 of 64: 0, 16, 32 or 48"
        raise Trap("illegal_operands", f"{name} offset {offset} is not a multiple of 16 below 64", hint)
    rows = vram.R
    left = np.array([rows[vector + i * _BMM_ROW_STEP] for i in range(MLEN)], np.float64)
    return left, mram.R[matrix - offset].astype(np.float64), offset


def make_bmm(context: Any, vram: Any, mram: Any) -> Callable[[int, int], F32]:
    """Bind `bmm(matrix, vector)` -> (4, 64, 64) float32; head h takes lanes 4d + h and tile rows offset + d, d < 16."""

    def bmm(matrix: int, vector: int) -> F32:
        left, tile, offset = _head_operands(vram, mram, matrix, vector, "M_BMM")
        heads = left.reshape(MLEN, HLEN, HEADS).transpose(2, 0, 1)
        product: F32 = (_BMM_SCALE * (heads @ tile[offset : offset + HLEN])).astype(np.float32)
        return product

    return bmm


def make_btmm(context: Any, vram: Any, mram: Any) -> Callable[[int, int], F32]:
    """Bind `btmm(matrix, vector)` -> (4, 64, 64) float32; head h takes lanes 16h + d and tile columns offset + d, d < 16."""

    def btmm(matrix: int, vector: int) -> F32:
        left, tile, offset = _head_operands(vram, mram, matrix, vector, "M_BTMM")
        heads = left.reshape(MLEN, HEADS, HLEN).transpose(1, 0, 2)
        product: F32 = (_BMM_SCALE * (heads @ tile[:, offset : offset + HLEN].T)).astype(np.float32)
        return product

    return btmm


class _Wide:
    """Tiles in float64, kept until they are written."""

    def __init__(self, mram: Any) -> None:
        self._mram = mram
        self._tiles: dict[int, Any] = {}

    def get(self, address: int) -> Any:
        tile = self._tiles.get(address)
        if tile is None:
            tile = self._mram.R[address].astype(np.float64)
            if not self._mram.tracked or address in self._mram.R:
                self._tiles[address] = tile
                self._mram.watch(address, self._drop)
        return tile

    def _drop(self, address: int) -> None:
        self._tiles.pop(address, None)


def make_mv(context: Any, mram: Any) -> Callable[[F32, int], F32]:
    """Bind `mv(row, matrix)` -> (64,) float32: row times tile; matrix is a multiple of 4096."""
    wide = _Wide(mram)

    def mv(row: F32, matrix: int) -> F32:
        product: F32 = (row.astype(np.float64) @ wide.get(matrix)).astype(np.float32)
        return product

    return mv


def make_tmv(context: Any, mram: Any) -> Callable[[F32, int], F32]:
    """Bind `tmv(row, matrix)` -> (64,) float32: tile times row; matrix is a multiple of 4096."""
    wide = _Wide(mram)

    def tmv(row: F32, matrix: int) -> F32:
        product: F32 = (wide.get(matrix) @ row.astype(np.float64)).astype(np.float32)
        return product

    return tmv


def make_write_block(context: Any, vram: Any, m_acc: F32) -> Callable[[int, int], None]:
    """Bind `write_block(address, step)`: m_acc rounded to lanes p..p+3 of four rows that are `step` rows apart."""
    writable, words = vram.W, vram.data.view(np.uint32)
    bits = m_acc.view(np.uint32)

    def write_block(address: int, step: int) -> None:
        lane = address & (MLEN - 1)
        if lane & 3:
            raise Trap("misaligned", f"M_MM_WO address {address}: lane {lane} is not a multiple of 4")
        first = address - lane
        apart = MLEN * step
        writable[first]
        writable[first + apart]
        writable[first + 2 * apart]
        writable[first + 3 * apart]
        if step == 0:
            writable[first][lane : lane + BLEN] = round_bf16(m_acc[BLEN - 1])  # the last row wins
            return
        row = first // MLEN
        round_bf16_bits_into(bits, words[row : row + 3 * step + 1 : step, lane : lane + BLEN])

    return write_block


def make_write_heads(context: Any, vram: Any, h_acc: F32) -> Callable[[int], None]:
    """Bind `write_heads(address)`: h_acc rounded to 256 rows from `address` on, head by head."""
    block = np.empty((HEADS, MLEN, MLEN), np.float32)

    def write_heads(address: int) -> None:
        rows = [vram.W[address + i * MLEN] for i in range(HEADS * MLEN)]
        round_bf16_into(h_acc, block)
        for row, values in zip(rows, block.reshape(-1, MLEN), strict=True):
            row[...] = values

    return write_heads
