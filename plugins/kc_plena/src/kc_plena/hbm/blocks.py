"""The 64-byte HBM blocks a transfer touches."""

from __future__ import annotations


def row_blocks(element: int, scale: int, rows: int, step: int) -> list[tuple[int, int]]:
    """(element block, scale block) of each row; a block number is a byte address divided by 64.

    Row i takes the block at `element + i * step` and the block holding the byte `scale + (i * step) // 8`.
    """
    return [((element + i * step) >> 6, (scale + (i * step >> 3)) >> 6) for i in range(rows)]
