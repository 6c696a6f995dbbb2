"""Conv2D and ConvBlock: 1 x 1 in `conv_point`, 3 x 3 in `conv_rows`."""

from __future__ import annotations

from kc_coral.expert.conv_point import point
from kc_coral.expert.conv_rows import RowShape, rows
from kc_coral.expert.conv_shared import Shape


def conv2d(side: int, channels: int, results: int, taps: int) -> str:
    """Return the kernel of a convolution of [side, side, channels] with results x taps x taps filters, one multiplier."""
    return _convolution(side, channels, results, taps, folded=False)


def conv_block(side: int, channels: int, results: int, taps: int) -> str:
    """Return the kernel of `conv2d` with multiplier and shift of each channel, and nothing below 0."""
    return _convolution(side, channels, results, taps, folded=True)


def _convolution(side: int, channels: int, results: int, taps: int, *, folded: bool) -> str:
    if taps == 1:
        return point(Shape(side, channels, results, taps, folded))
    return rows(RowShape(side, channels, results, taps, folded))
