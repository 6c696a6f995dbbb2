"""What all convolutions share: sizes, registers of bias, multipliers and shifts, and the requantisation of a block.

A block is 16 registers of sums of 32 bits, v0 to v15: 8 pixels of 8 channels or 4 of 16. Its result is 64 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc_coral.expert.emit import Kernel, at, v
from kc_coral.shapes import MUL, shift

SUMS = 16
"""Registers of sums, from v0 on."""
_SHIFTS, _FACTORS = {4: 22, 2: 28}, 24
"""First registers of shifts (by registers of the sums of a pixel; 16 bits each) and of multipliers."""
TEMPORARY, _FACTOR = "x8", "x6"


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a convolution and what follows from them.

    Attributes:
        side: rows and columns of the image, a multiple of 8. channels: of the input.
        results: channels of the result, 8 or a multiple of 16. taps: rows and columns of the filter.
        folded: whether multiplier and shift come with each channel (ConvBlock).
    """

    side: int
    channels: int
    results: int
    taps: int
    folded: bool

    @property
    def title(self) -> str:
        """A line of comment."""
        name = "conv_block" if self.folded else "conv2d"
        size = f"{self.side} x {self.side}, {self.channels} to {self.results} channels, {self.taps} x {self.taps} taps"
        return f"{name} {size}"

    @property
    def lanes(self) -> int:
        """Result channels of a block."""
        return min(self.results, 16)

    @property
    def group(self) -> int:
        """Registers of the sums of a pixel."""
        return self.lanes // 4

    @property
    def pixels(self) -> int:
        """Pixels of a block, side by side."""
        return SUMS // self.group

    @property
    def bias(self) -> int:
        """First register of the bias."""
        return 32 - self.group


def set_vtype(k: Kernel, length: int, width: str, group: int) -> None:
    """Append the vtype for a vector of any length. Changes x8."""
    k.op("li", TEMPORARY, length)
    k.op("vsetvli", "zero", TEMPORARY, width, f"m{group}", "ta", "ma")


def set_lanes(k: Kernel, s: Shape) -> None:
    """Append the vtype of the multiply-adds: 16 bits, the channels of a block."""
    k.op("vsetivli", "zero", s.lanes, "e16", f"m{s.lanes // 8}", "ta", "ma")


def load_channels(k: Kernel, s: Shape) -> None:
    """Append the load of bias, multipliers and shifts of the next channels (x16, x17, x18)."""
    k.op("vsetivli", "zero", s.lanes, "e32", f"m{s.group}", "ta", "ma")
    k.op("vle32.v", v(s.bias), at("x16"))
    k.op("addi", "x16", "x16", 4 * s.lanes)
    if s.folded:
        k.op("vle32.v", v(_FACTORS), at("x17"))
        k.op("vle32.v", v(0), at("x18"))
        k.op("addi", "x17", "x17", 4 * s.lanes)
        k.op("addi", "x18", "x18", 4 * s.lanes)
    k.op("vsetivli", "zero", s.lanes, "e16", f"m{s.lanes // 8}", "ta", "ma")
    if s.folded:
        shifts = _SHIFTS[s.group]
        k.op("vnsrl.wi", v(shifts), v(0), 0)
        if s.group == 2:
            k.op("vmv1r.v", v(shifts + 1), v(shifts))


def finish(k: Kernel, s: Shape) -> None:
    """Append the requantisation of a block: 64 bytes in v0 to v3. vtype ends as `set_lanes` makes it. Changes x6, x8."""
    (_finish_folded if s.folded else _finish)(k, s)
    set_lanes(k, s)


def _finish(k: Kernel, s: Shape) -> None:
    """Append the requantisation with one multiplier and shift: 64 bytes in v0 to v3."""
    k.op("li", _FACTOR, MUL)
    set_vtype(k, 32, "e32", 8)
    k.op("vsmul.vx", v(0), v(0), _FACTOR)
    k.op("vsmul.vx", v(8), v(8), _FACTOR)
    k.op("vsetvli", "zero", "zero", "e16", "m4", "ta", "ma")
    amount = shift(s.taps**2 * s.channels) - 1
    k.op("vnclip.wi", v(0), v(0), amount)
    k.op("vnclip.wi", v(4), v(8), amount)
    set_vtype(k, 64, "e8", 4)
    k.op("vnclip.wi", v(0), v(0), 0)


def _finish_folded(k: Kernel, s: Shape) -> None:
    """As `_finish`, with multiplier and shift of each channel, and nothing below 0."""
    k.op("vsetivli", "zero", 16, "e32", "m4", "ta", "ma")
    if s.group == 2:
        k.op("vmv2r.v", v(_FACTORS + 2), v(_FACTORS))
    for first in range(0, SUMS, 4):
        k.op("vsmul.vv", v(first), v(first), v(_FACTORS))
    k.op("vsetivli", "zero", 16, "e16", "m2", "ta", "ma")
    for first in range(0, SUMS, 4):
        k.op("vnclip.wv", v(first // 2), v(first), v(_SHIFTS[s.group]))
    set_vtype(k, 64, "e8", 4)
    k.op("vnclip.wi", v(0), v(0), 0)
    k.op("vmax.vx", v(0), v(0), "zero")
