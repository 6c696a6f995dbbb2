"""Convolutions of 3 x 3: the vector holds channels of the result, the scalars are pixels.

Where the cycles are. A widening multiply-add of 16-bit elements makes 4 products per micro-op, two micro-ops a cycle. Three
other limits are close by, and the loops are built around them:

- A vector load keeps its place in the reorder buffer (8 entries) until its data are there, so only 7 micro-ops run in its
  shadow: 2 to 3 cycles are lost even for one register from the tightly coupled memory. Scalar loads hold no such place.
- 8 instructions are in flight, each for 7 cycles or more: hardly more than one instruction a cycle is started.
- The load/store unit needs 4 cycles for a word of the tightly coupled memory.

Hence 16 registers of sums (8 pixels of 8 channels, or 4 of 16) stay put while all products of a block are added up. The
image lies in the tightly coupled memory as 16-bit numbers, so that one word load and one shift give the scalars of two
input channels; each scalar serves the three taps of a row. Weights are loaded as bytes, one register at a time, well
before they are needed. Columns of zeros between the rows are the padding; rows outside the image are left out.

A table says which rows of the image and of the filter a block begins with, so that the last round of a block can prefetch
for the next one.

Exact because 32 bits hold all sums; `vsmul` and two `vnclip` (to 16 bits by the shift, then to 8) are the requantisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kc_coral.expert.conv_shared import SUMS, TEMPORARY, Shape, finish, load_channels, set_vtype
from kc_coral.expert.emit import Kernel, at, v

TAPS, ROUND = 3, 8
"""Rows and columns of the filter; input channels of a round."""
COLUMN = 2 * ROUND
"""Bytes of the copy of a pixel in a round."""
_WEIGHTS = 16
"""First of the three pairs of registers with the weights of the taps of a row, 16 bits each."""

_IMAGE, _POINTERS, _LEFT, _TABLE, _OUT = "x10", ("x12", "x14", "x4"), "x29", "x30", "x31"
_NARROW = ((3, 5, 7, 9, 11, 13, 15, 16, 17, 18), (19, 20, 21, 22, 23, 24, 25, 26, 27, 28))
_WIDE = ((3, 5, 7, 9, 11, 13), (22, 23, 24, 25, 26, 27))
"""Scalar registers of the columns of two pairs of channels. A vector instruction waits for a pending load of the scalar
register with its destination's number, so none is the number of a register of sums or weights in use."""
_WAIT = 3
"""Multiply-adds from one scalar load to the next."""


@dataclass(frozen=True, slots=True)
class RowShape(Shape):
    """Sizes of a convolution of 3 x 3; channels of the input are a multiple of 8."""

    @property
    def rounds(self) -> int:
        """Rounds of a row of the filter."""
        return self.channels // ROUND

    @property
    def pitch(self) -> int:
        """Bytes from one round's row of the image's copy to the next: a column of zeros, then the pixels."""
        return (self.side + 1) * COLUMN

    @property
    def tap(self) -> int:
        """Bytes of the weights of a tap in a round."""
        return ROUND * self.results


# ------------------------------------------------------------------------------------------------------ multiply-adds


def _columns(s: RowShape, registers: tuple[int, ...], pair: int, last: bool) -> Iterator[tuple[str, str]]:
    """Yield the loads of the columns of the pair of channels behind `pair`, which may be in the next round."""
    ahead = (pair + 1) % (ROUND // 2)
    offset = 4 * ahead + (s.pitch if not ahead and not last else 0)
    for column in range(s.pixels + 2):
        yield f"x{registers[column]}", at(_IMAGE, offset + COLUMN * column)


def _load_weights(k: Kernel, s: RowShape, register: int, tap: int, ends: bool) -> None:
    """Append the load of 16 weights of a tap and the step to the next ones, in the next round if `ends`."""
    k.op("vl1re8.v", v(register), at(_POINTERS[tap]))
    k.op("addi", _POINTERS[tap], _POINTERS[tap], max(s.results, 16) + 2 * s.tap * ends)


def _multiply(
    k: Kernel, s: RowShape, columns: tuple[int, ...], loads: Iterator[tuple[str, str]], tap: int, half: int
) -> Iterator[int]:
    """Append the products of a tap with one of a pair of channels, and scalar work for the other and the next.

    Yields the number of each product within the pair before it is appended.
    """
    weights = _WEIGHTS + 2 * tap + (half if s.group == 2 else 0)
    for pixel in range(s.pixels):
        number = pixel + s.pixels * (tap + TAPS * half)
        yield number
        column = f"x{columns[pixel + tap]}"
        k.op("vwmacc.vx", v(s.group * pixel), column, v(weights))
        if not half and (tap == TAPS - 1 or not pixel):
            k.op("srai", column, column, 16)
        if number % _WAIT == _WAIT - 1:
            for register, place in loads:
                k.op("lw", register, place)
                break


def _wide_round(k: Kernel, s: RowShape, last: bool) -> None:
    """Append a round for 16 result channels. The weights of a channel are three loads, each two taps ahead of its use."""
    for channel in range(ROUND):
        pair, half = divmod(channel, 2)
        if not half:
            columns, other = _WIDE[pair % 2], _WIDE[1 - pair % 2]
            if last and pair == ROUND // 2 - 1:
                k.op("lw", _IMAGE, at(_TABLE))
            loads = _columns(s, other, pair, last)
        for tap in range(TAPS):
            ahead = (tap - 1) % TAPS
            loaded = channel + (tap > 0)
            if last and loaded == ROUND:
                k.op("lw", _POINTERS[ahead], at(_TABLE, 4 + 4 * ahead))
            _load_weights(k, s, _WEIGHTS + 1 + 2 * ahead, ahead, loaded == ROUND - 1)
            for _ in _multiply(k, s, columns, loads, tap, half):
                pass
            extended = _WEIGHTS + 2 * ((tap + 1) % TAPS)
            k.op("vsext.vf2", v(extended), v(extended + 1))
    if last:
        k.op("lw", _POINTERS[2], at(_TABLE, 12))


_RAW = (22, 23, 26)
"""Registers of weights that are still bytes, for 8 result channels."""
_SPOTS = (35, 40, 44)
"""Products of a pair of channels before which the next weights are loaded: the best of about a thousand choices."""


def _narrow_round(k: Kernel, s: RowShape, last: bool) -> None:
    """Append a round for 8 result channels: four pairs of channels, whose weights are one register for each tap."""
    for pair in range(ROUND // 2):
        ends = pair == ROUND // 2 - 1
        if last and ends:
            k.op("lw", _IMAGE, at(_TABLE))
            for tap in range(TAPS):
                k.op("lw", _POINTERS[tap], at(_TABLE, 4 + 4 * tap))
        columns, other = _NARROW[pair % 2], _NARROW[1 - pair % 2]
        loads = _columns(s, other, pair, last)
        for half in range(2):
            for tap in range(TAPS):
                for number in _multiply(k, s, columns, loads, tap, half):
                    if number in _SPOTS:
                        loaded = _SPOTS.index(number)
                        _load_weights(k, s, _RAW[loaded], loaded, pair == ROUND // 2 - 2)
        _extend_raw(k)


def _extend_raw(k: Kernel) -> None:
    k.op("vsetivli", "zero", 16, "e16", "m2", "ta", "ma")
    for tap, raw in enumerate(_RAW):
        k.op("vsext.vf2", v(_WEIGHTS + 2 * tap), v(raw))
    k.op("vsetivli", "zero", 8, "e16", "m1", "ta", "ma")


# ------------------------------------------------------------------------------------------------------------- blocks


def _block(k: Kernel, s: RowShape) -> None:
    """Append a block: all rounds, requantisation, store. Its first columns and weights are in registers."""
    do_round = _wide_round if s.lanes == 16 else _narrow_round
    for first in range(0, SUMS, s.group):
        k.op(f"vmv{s.group}r.v", v(first), v(s.bias))
    k.op("lw", _LEFT, at(_TABLE, -4))
    start = k.label(aligned=True)
    do_round(k, s, False)
    k.op("addi", _IMAGE, _IMAGE, s.pitch)
    k.op("addi", _LEFT, _LEFT, -1)
    k.op("bnez", _LEFT, start)
    do_round(k, s, True)
    k.op("addi", _TABLE, _TABLE, _ENTRY)
    finish(k, s)
    if s.results == s.lanes:
        k.op("vs4r.v", v(0), at(_OUT))
        k.op("addi", _OUT, _OUT, s.pixels * s.results)
    else:
        for pixel in range(s.pixels):
            k.op("vs1r.v", v(pixel), at(_OUT))
            k.op("addi", _OUT, _OUT, s.results)


_ENTRY = 20
"""Bytes of an entry of the table: image, weights of three taps, rounds before the last one."""


def _table(s: RowShape) -> list[str]:
    """Return the table of the blocks. The first entry stands once more behind the last: what it prefetches is not used."""
    rows = []
    for part in range(0, s.results, s.lanes):
        for row in range(s.side):
            above = int(row == 0)
            taps = TAPS - above - (row == s.side - 1)
            weights = [TAPS * s.tap * s.rounds * above + s.tap * tap + part for tap in range(TAPS)]
            for column in range(0, s.side, s.pixels):
                image = (row - 1 + above) * s.pitch * s.rounds + COLUMN * column
                places = (f"image + {image}", *(f"weights + {place}" for place in weights))
                rows.append(f".word {', '.join(places)}, {taps * s.rounds - 1}")
    return [*rows, rows[0]]


# ------------------------------------------------------------------------------------------------- before the blocks


def _copy_image(k: Kernel, s: RowShape) -> None:
    """Append the copy of the image (x10) as 16-bit numbers: rows, rounds, columns, channels of a round."""
    pointers = ("x28", "x29", "x30", "x31")[: s.rounds]
    for number, pointer in enumerate(pointers):
        k.op("la", pointer, f"image + {number * s.pitch}")
    set_vtype(k, 64, "e16", 8)
    k.op("vmv.v.i", v(16), 0)
    pixels = 64 // s.channels
    k.op("li", "x5", s.side)
    start = k.label(aligned=True)
    for pointer in pointers:
        k.op("vs1r.v", v(16), at(pointer))
        k.op("addi", pointer, pointer, COLUMN)
    for chunk in range(s.side // pixels):
        first = 8 * (chunk % 2)
        k.op("vle8.v", v(first + 4), at("x10"))
        k.op("addi", "x10", "x10", 64)
        k.op("vsext.vf2", v(first), v(first + 4))
        if s.rounds == 1:
            k.op("vse16.v", v(first), at(pointers[0]))
            k.op("addi", pointers[0], pointers[0], 128)
        else:
            for register in range(8):
                pointer = pointers[register % s.rounds]
                k.op("vs1r.v", v(first + register), at(pointer))
                k.op("addi", pointer, pointer, COLUMN)
    if s.rounds > 1:
        for pointer in pointers:
            k.op("addi", pointer, pointer, (s.rounds - 1) * s.pitch)
    k.op("addi", "x5", "x5", -1)
    k.op("bnez", "x5", start)
    k.op("vs1r.v", v(16), at(pointers[0]))


def _copy_weights(k: Kernel, s: RowShape) -> None:
    """Append the copy of the weights (x11): rows of the filter, rounds, columns of the filter, channels."""
    chunk = min(128, s.tap)
    set_vtype(k, chunk, "e8", 8)
    k.op("la", "x28", "weights")
    at_place, index = 0, 0
    for row in range(TAPS):
        for tap in range(TAPS):
            for number in range(s.rounds):
                for part in range(0, s.tap, chunk):
                    place = ((row * s.rounds + number) * TAPS + tap) * s.tap + part
                    register = v(8 * (index % 2))
                    k.op("vle8.v", register, at("x11"))
                    k.op("addi", "x11", "x11", chunk)
                    if place != at_place:
                        k.op("addi", "x28", "x28", place - at_place)
                    k.op("vse8.v", register, at("x28"))
                    at_place, index = place, index + 1


def _begin(k: Kernel, s: RowShape) -> None:
    """Append the loads of the first block's columns and weights."""
    k.op("la", _TABLE, "table")
    k.op("lw", _IMAGE, at(_TABLE))
    for tap, pointer in enumerate(_POINTERS):
        k.op("lw", pointer, at(_TABLE, 4 + 4 * tap))
    k.op("addi", _TABLE, _TABLE, _ENTRY)
    for column in range(s.pixels + 2):
        k.op("lw", f"x{(_WIDE if s.lanes == 16 else _NARROW)[0][column]}", at(_IMAGE, COLUMN * column))
    k.op("vsetivli", "zero", s.lanes, "e16", f"m{s.lanes // 8}", "ta", "ma")
    if s.lanes == 16:
        for tap in range(TAPS - 1):
            _load_weights(k, s, _WEIGHTS + 1 + 2 * tap, tap, False)
        k.op("vsext.vf2", v(_WEIGHTS), v(_WEIGHTS + 1))
    else:
        k.op("vsetivli", "zero", 16, "e16", "m2", "ta", "ma")
        for tap in range(TAPS):
            _load_weights(k, s, _RAW[tap], tap, False)
        _extend_raw(k)


def rows(s: RowShape) -> str:
    """Return the kernel of a shape: Y = requantised(X * W + bias), both images with zero padding."""
    k = Kernel(s.title)
    k.op("csrwi", "vxrm", 0)
    _copy_image(k, s)
    _copy_weights(k, s)
    for register, argument in (("x16", "a2"), ("x17", "a3"), ("x18", "a4"))[: 3 if s.folded else 1]:
        k.op("mv", register, argument)
    k.op("mv", _OUT, "a5" if s.folded else "a3")
    parts = s.results // s.lanes
    blocks = s.side * s.side // s.pixels
    for part in range(parts):
        load_channels(k, s)
        if not part:
            _begin(k, s)
        start = k.label()
        _block(k, s)
        k.op("la", TEMPORARY, f"table + {_ENTRY * (blocks * (part + 1) + 1)}")
        k.op("bne", _TABLE, TEMPORARY, start)
        if part + 1 < parts:
            k.op("li", TEMPORARY, s.lanes - s.side * s.side * s.results)
            k.op("add", _OUT, _OUT, TEMPORARY)
    k.op("ret")
    weights = TAPS * TAPS * s.channels * s.results
    image = (s.side * s.rounds * s.pitch) + COLUMN
    k.data(".data", "table:", *_table(s), ".bss", ".balign 16", f"image: .space {image}")
    k.data(".balign 16", f"weights: .space {weights}")
    return k.text()
