"""The 64-byte HBM blocks a transfer touches, and where a block lives in the DRAM.

A block is the four 16-byte beats of one access. They go to four of the eight channels, one each: channels 0..3 or 4..7,
called a quad here, always with the same pseudo-channel, bank group, bank and row.

Source: the address mapping of AICrossSim/PLENA at ecd5acb (behavioral_simulator) on CMU-SAFARI/ramulator2 e442c64.
"""

from __future__ import annotations


def row_blocks(element: int, scale: int, rows: int, step: int) -> list[tuple[int, int]]:
    """(element block, scale block) of each row; a block number is a byte address divided by 64.

    Row i takes the block at `element + i * step` and the block holding the byte `scale + (i * step) // 8`.
    """
    return [((element + i * step) >> 6, (scale + (i * step >> 3)) >> 6) for i in range(rows)]


def _unit(block: int) -> int:
    column = block >> 8 & 7
    quad = (block >> 2 ^ column) & 1
    pseudo = (block >> 3 ^ column >> 1) & 1
    group = (block >> 4 ^ column >> 2 & 1) & 3
    bank = block >> 6 & 3
    return quad << 5 | pseudo << 4 | group << 2 | bank


_UNITS = [_unit(block) for block in range(1 << 11)]


def unit_of(block: int) -> int:
    """Bank of a block in each channel of its quad, 0..63: {quad, pseudo-channel, group[1:0], bank[1:0]}.

    Column bits are XORed into quad, pseudo-channel and group, so rows are spread over all of them. The row of the block
    is `block >> 11`.
    """
    return _UNITS[block & 0x7FF]
