"""HBM transfers: gather MXFP8 rows and decode them, quantise rows and scatter them.

Source: AICrossSim/PLENA ecd5acb, behavioral_simulator/src/main.rs. The eight scale bytes of a row come from one 64-byte
block: bytes past its end read as 0 and are not written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kc_plena import mx
from kernelcraft_core.sim import Trap

WIDTH = 64
"""Bytes of an HBM block, elements of a row."""
SCALES = 8
TILE_ROWS, VECTOR_ROWS = 64, 4


def _check(element: int, step: int) -> None:
    if element % WIDTH or step % WIDTH:
        at = element if element % WIDTH else element + step
        hint = "offsets, bases and strides of HBM rows are multiples of 64"
        raise Trap("misaligned", f"HBM element address {at} is not a multiple of {WIDTH}", hint)


def _scales(hbm: Any, scale: int, step: int, rows: int) -> NDArray[np.uint8]:
    """Return (rows, 8) uint8 scale bytes."""
    if scale % SCALES == 0 and step % WIDTH == 0:  # then no row's scales leave their block
        grid: NDArray[np.uint8] = hbm.grid(scale, rows, step // 8, SCALES)
        return grid
    out = np.zeros((rows, SCALES), np.uint8)
    for i in range(rows):
        start = scale + i * step // 8
        there = min(SCALES, WIDTH - start % WIDTH)
        out[i, :there] = hbm.span(start, there)
    return out


def _decode(hbm: Any, element: int, scale: int, step: int, rows: int) -> NDArray[np.float32]:
    _check(element, step)
    return mx.decode_rows(hbm.grid(element, rows, step, WIDTH), _scales(hbm, scale, step, rows))


def make_mx_tile(context: Any, hbm: Any) -> Callable[[int, int, int], NDArray[np.float32]]:
    """Bind `mx_tile(element, scale, step)` -> (64, 64) float32 of bfloat16-exact values."""
    return lambda element, scale, step: _decode(hbm, element, scale, step, TILE_ROWS)


def make_fetch_rows(context: Any, vram: Any, hbm: Any) -> Callable[[int, int, int, int], None]:
    """Bind `fetch_rows(address, element, scale, step)`: four rows into VRAM; rows past its end are dropped."""
    end = vram.count * WIDTH

    def fetch_rows(address: int, element: int, scale: int, step: int) -> None:
        values = _decode(hbm, element, scale, step, VECTOR_ROWS)
        for i in range(VECTOR_ROWS):
            place = address + i * WIDTH
            if place < end or i == 0:
                vram.W[place][...] = values[i]

    return fetch_rows


def make_store_rows(context: Any, vram: Any, hbm: Any) -> Callable[[int, int, int, int], None]:
    """Bind `store_rows(address, element, scale, step)`: four rows of VRAM, elements then scales, row by row."""

    def store_rows(address: int, element: int, scale: int, step: int) -> None:
        _check(element, step)
        rows = np.array([vram.R[address + i * WIDTH] for i in range(VECTOR_ROWS)], np.float32)
        codes, scales = mx.store_quantise(rows)
        for i in range(VECTOR_ROWS):
            start = scale + i * step // 8
            there = min(SCALES, WIDTH - start % WIDTH)
            hbm.target(element + i * step, WIDTH)[...] = codes[i]
            hbm.target(start, there)[...] = scales[i, :there]

    return store_rows
