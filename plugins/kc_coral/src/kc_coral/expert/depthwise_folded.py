"""A plane of 8 x 8 pixels and 3 x 3 taps: a vector holds row r in its lower and row r + 4 in its upper half.

The sums of the whole plane, four vectors, fit the registers, and one requantisation serves it. Shifted to the side, a row
would run into the other half, so a mask clears one pixel of each. The rows that the filter reaches beyond the four
vectors are halves of the last and the first one: (outside, 3) and (4, outside).
"""

from __future__ import annotations

from kc_coral.expert.emit import Kernel, at, v

ROWS, TAPS = 4, 3
"""Vectors of a plane; rows and columns of the filter."""
COLUMNS = (0, -1, 1)
"""Columns of the filter, counted from its middle, in the order of their use."""
TEMPORARY = "x28"
_LANES, _HALF = 16, 8
_BYTES, _ABOVE, _BELOW, _OUTER, _INNER = 16, 22, 23, 24, 28
"""First registers of the pixels, of the rows beyond both ends, of rows 0 and 1 and of rows 2 and 3 as 16-bit numbers."""
_SHIFTED = (26, 27, 24, 25)
"""Registers of the rows, shifted: rows 0 and 1 in the upper half of the group that they will fill."""
_MASKS = {-1: 20, 1: 21}
"""Register of the mask for each shift."""


def masks(k: Kernel, pointer: str) -> None:
    """Append the load of the masks from `MASKS`."""
    k.op("vl2re8.v", v(_MASKS[-1]), at(pointer))


MASKS = (".word -256, -1, -256, -1", ".word -1, 0xffffff, -1, 0xffffff")
"""Data of the masks: pixel 0 of both halves, and pixel 7, are cleared."""


def load(k: Kernel, pointer: str, step: int) -> None:
    """Append the load of a plane; the pointer moves on to the next one."""
    k.op("vl4re8.v", v(_BYTES), at(pointer))
    k.op("addi", pointer, pointer, step)


def start(k: Kernel, bias: str) -> None:
    """Append the bias as the sums of a plane, and the first column's pixels. vtype ends as e16, m2. Changes x28."""
    _vtype(k, 2 * _LANES, "e32", "m8")
    k.op("vmv.v.x", v(0), bias)
    k.op("vmv.v.x", v(8), bias)
    k.op("vsetivli", "zero", _LANES, "e8", "m1", "ta", "ma")
    _beyond(k, _BYTES, _BYTES + ROWS - 1)
    extend(k, shifted=False)


def _vtype(k: Kernel, length: int, width: str, group: str) -> None:
    """Append a vtype for more than 31 elements. Changes x28."""
    k.op("li", TEMPORARY, length)
    k.op("vsetvli", "zero", TEMPORARY, width, group, "ta", "ma")


def _beyond(k: Kernel, first: int, last: int) -> None:
    """Append the rows beyond both ends, made of the first row and the last one."""
    k.op("vmv.v.i", v(_ABOVE), 0)
    k.op("vslidedown.vi", v(_BELOW), v(first), _HALF)
    k.op("vslideup.vi", v(_ABOVE), v(last), _HALF)


def extend(k: Kernel, *, shifted: bool) -> None:
    """Append the pixels of the four rows as 16-bit numbers. vtype ends as e16, m2. Changes x28."""
    _vtype(k, 2 * _LANES, "e16", "m4")
    k.op("vsext.vf2", v(_INNER), v(_SHIFTED[2] if shifted else _BYTES + 2))
    k.op("vsext.vf2", v(_OUTER), v(_SHIFTED[0] if shifted else _BYTES))
    k.op("vsetivli", "zero", _LANES, "e16", "m2", "ta", "ma")


def _products(k: Kernel, taps: tuple[str, ...], row: int, register: int) -> None:
    for line in range(TAPS):
        result = row + 1 - line
        if 0 <= result < ROWS:
            k.op("vwmacc.vx", v(4 * result), taps[line], v(register))


def outer(k: Kernel, taps: tuple[str, ...]) -> None:
    """Append the products of rows 0 and 1 and of those beyond the ends with a column of weights, from above."""
    _products(k, taps, 0, _OUTER)
    _products(k, taps, 1, _OUTER + 2)
    k.op("vsext.vf2", v(_OUTER), v(_ABOVE))
    k.op("vsext.vf2", v(_OUTER + 2), v(_BELOW))
    _products(k, taps, -1, _OUTER)
    _products(k, taps, ROWS, _OUTER + 2)


def shift(k: Kernel, column: int) -> None:
    """Append the shift of all rows to the side, and the rows beyond them. vtype is e16, m2 before and after."""
    k.op("vsetivli", "zero", _LANES, "e8", "m1", "ta", "ma")
    for row, register in enumerate(_SHIFTED):
        k.op("vslide1up.vx" if column < 0 else "vslide1down.vx", v(register), v(_BYTES + row), "zero")
    for register in _SHIFTED:
        k.op("vand.vv", v(register), v(register), v(_MASKS[column]))
    _beyond(k, _SHIFTED[0], _SHIFTED[-1])
    k.op("vsetivli", "zero", _LANES, "e16", "m2", "ta", "ma")


def inner(k: Kernel, taps: tuple[str, ...]) -> None:
    """Append the products of rows 2 and 3."""
    _products(k, taps, 2, _INNER)
    _products(k, taps, 3, _INNER + 2)


def finish(k: Kernel, factor: str, amount: int, pointer: str) -> None:
    """Append the requantisation and the store of a plane. Changes x28."""
    _vtype(k, 2 * _LANES, "e32", "m8")
    k.op("vsmul.vx", v(0), v(0), factor)
    k.op("vsmul.vx", v(8), v(8), factor)
    k.op("vsetvli", "zero", "zero", "e16", "m4", "ta", "ma")
    k.op("vnclip.wi", v(0), v(0), amount)
    k.op("vnclip.wi", v(4), v(8), amount)
    _vtype(k, 4 * _LANES, "e8", "m4")
    k.op("vnclip.wi", v(0), v(0), 0)
    k.op("vs4r.v", v(0), at(pointer))
