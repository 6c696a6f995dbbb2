"""Sizes of packed tensors in HBM. Kept apart from `packing.py`, so that kernels can be generated without numpy.

Source: AICrossSim/PLENA at ecd5acb, tools/memory_mapping. The oldest templates there take int(n * 1.125) bytes without
rounding up to 64, which misplaces the tensor after one of 256 elements; the packer rounds, and so does this module.
"""

from __future__ import annotations

import math

ALIGN = 64
"""Bytes of an HBM row: element and scale regions start on multiples of it."""
BLOCK = 8
"""Consecutive elements of a row that share a scale byte; rows are padded to a multiple of it."""


def ceil64(n: int) -> int:
    """Return the smallest multiple of 64 that is at least `n` (n >= 0)."""
    return -(-n // ALIGN) * ALIGN


def packed_bytes(*shape: int) -> int:
    """Return the bytes that a packed tensor of this shape takes: elements of one byte, then a scale byte for each eight.

    The last dimension is the row, padded to a multiple of 8.
    """
    elements = math.prod(shape[:-1]) * (-(-shape[-1] // BLOCK) * BLOCK)
    return ceil64(elements) + ceil64(elements // BLOCK)
