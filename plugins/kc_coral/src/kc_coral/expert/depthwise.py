"""Depthwise convolution: planes of one channel each, so that the vector holds pixels and the scalars are weights.

Channels last, the weights would have to be vectors: 18 registers for 3 x 3 taps of 16 channels and 50 for 5 x 5. As scalars
they take none, so that the sums of all rows that a row of the image adds to stay in registers, and each row of a plane is
loaded once. Its neighbours to the left and right come from slides, which bring in the zeros of the padding. All rows of a
plane are unrolled: rows outside the image are left out, sums rotate through KS + 1 groups of registers without moves, and the
weights of the next channel are loaded as soon as the last rows no longer need those of this one.

A transposition before and another one behind make and undo the planes: taking the even bytes of an array first and the odd
ones behind them turns the bits of each byte's index by one place, so 4 turns exchange 16 pixels with the channels.

Exact because 32 bits hold all sums; `vsmul` and two `vnclip` (to 16 bits by the shift, then to 8) are the requantisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kc_coral.expert import depthwise_folded as folded
from kc_coral.expert.emit import Kernel, at, v
from kc_coral.shapes import MUL, shift

PIXELS = 16
"""Pixels of a channel that one register holds."""
HEADER = 16
"""Bytes in front of each plane: the bias of its channel is the first word."""

_IN, _OUT, _WEIGHT, _FACTOR, _BIAS = "x10", "x11", "x12", "x13", "x14"
_TAPS = (1, *range(3, 10), *range(15, 32))
"""Scalar registers of the weights; the return address is on the stack."""
_CENTRE, _OTHERS = 24, (26, 28, 30)
"""First registers of the pixels of a row as 16-bit numbers, and of those slid to the side."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a depthwise convolution.

    Attributes:
        side: rows and columns of the image, 16 (or 8 with 16 channels and 3 taps). channels: 8, 16 or 32.
        taps: rows and columns of the filter, 3 or 5.
    """

    side: int
    channels: int
    taps: int

    @property
    def edge(self) -> int:
        """Rows and columns of padding on each side."""
        return (self.taps - 1) // 2

    @property
    def plane(self) -> int:
        """Bytes from a plane to the next."""
        return HEADER + self.side**2

    @property
    def block(self) -> int:
        """Channels, and registers, of a transposition."""
        return min(self.channels, 16)

    @property
    def folded(self) -> bool:
        """Whether a register holds halves of two rows, four apart (see `depthwise_folded`)."""
        return self.side == PIXELS // 2

    def slot(self, row: int) -> str:
        """Return the group of registers with the sums of a row of the result."""
        return v(4 * (row % (self.taps + 1)))


# ---------------------------------------------------------------------------------------------------- transpositions


def _turn(k: Kernel, registers: int, times: int) -> int:
    """Append turns of the bytes in v0 on and return the first register of the result. vtype is e8, m4, vl 64."""
    first = 0
    for _ in range(times):
        other = 16 - first
        for odd in range(2):
            for part in range(0, registers, 8):
                k.op("vnsrl.wi", v(other + odd * registers // 2 + part // 2), v(first + part), 8 * odd)
        first = other
    return first


def _move(k: Kernel, mnemonic: str, first: int, count: int, pointer: str, step: int) -> None:
    """Append loads or stores of single registers, `step` bytes apart from the pointer on."""
    k.op("mv", "x8", pointer)
    for number in range(count):
        k.op(mnemonic, v(first + number), at("x8"))
        k.op("addi", "x8", "x8", step)


def _transpose(k: Kernel, s: Shape, *, back: bool, image: str, planes: str) -> None:
    """Append the way of all pixels from an image to the planes, or back. Both pointers are used up."""
    group, count = s.block, s.channels // s.block
    k.op("li", "x5", 64)
    k.op("vsetvli", "zero", "x5", "e8", "m4", "ta", "ma")
    for part in range(count):
        with k.loop("x6", s.side**2 // PIXELS):
            if back:
                _move(k, "vl1re8.v", 0, group, planes, s.plane)
            else:
                _bulk(k, s, "vl8re8.v", "vl1re8.v", 0, image)
            first = _turn(k, group, 4 if back else group.bit_length() - 1)
            if back:
                _bulk(k, s, "vs8r.v", "vs1r.v", first, image)
            else:
                _move(k, "vs1r.v", first, group, planes, s.plane)
            k.op("addi", planes, planes, PIXELS)
        if part + 1 < count:
            _far(k, planes, planes, group * s.plane - s.side**2)
            _far(k, image, image, group - s.side**2 * s.channels)


def _bulk(k: Kernel, s: Shape, eight: str, single: str, first: int, pointer: str) -> None:
    """Append the loads or stores of 16 pixels of the image."""
    if s.folded:
        _far(k, "x9", pointer, s.side**2 * s.channels // 2)
        k.op(eight, v(first), at(pointer))
        k.op(eight, v(first + 8), at("x9"))
        k.op("addi", pointer, pointer, s.side * s.channels)
        return
    if s.channels > s.block:
        for number in range(PIXELS):
            k.op(single, v(first + number), at(pointer))
            k.op("addi", pointer, pointer, s.channels)
        return
    for part in range(0, s.block, 8):
        k.op(eight, v(first + part), at(pointer))
        k.op("addi", pointer, pointer, 8 * PIXELS)


def _far(k: Kernel, register: str, base: str, amount: int) -> None:
    """Append register = base + any amount. Changes x28."""
    k.op("li", "x28", amount)
    k.op("add", register, base, "x28")


# ------------------------------------------------------------------------------------------------------------ planes


def _set(k: Kernel, width: int) -> None:
    """Append the vtype for a row of elements of this many bits."""
    k.op("vsetvli", "zero", "zero", f"e{width}", f"m{width // 8}", "ta", "ma")


def _load_taps(k: Kernel, s: Shape, row: int, channel: int) -> Iterator[None]:
    """Append the loads of a row of the filter, one a step; `channel` counts from that of the pointer."""
    for column in range(s.taps):
        tap = row * s.taps + column
        k.op("lb", f"x{_TAPS[tap]}", at(_WEIGHT, tap * s.channels + channel))
        yield


def _pending_taps(k: Kernel, s: Shape, row: int) -> Iterator[None]:
    """Append the loads of weights that belong into a row of the image."""
    for line in range(s.taps):
        if line > s.edge and row == line - s.edge - 1:
            yield from _load_taps(k, s, line, 0)
        if line < s.edge and row == s.side - s.edge + line:
            yield from _load_taps(k, s, line, 1)


_ORDER = {
    3: "left centre1 start centre2 right centre0 load left0 clip left1 extend right2 narrow right0 right1 store left2",
    5: "right centre4 start centre3 left clip centre1 left2 left+ centre0 left4 left3 centre2 left1 load right1 left0"
    " left+4 right+ left+3 left+2 narrow right3 right4 left+1 store left+0 right2 right0 extend right+3 right+1 right+4"
    " right+0 right+2",
}
"""Steps of a row by taps of the filter, in the order that was the fastest of those tried: no name with a number is a product
with a column of the filter (`left+` is two to the left) in that line of it; the others are functions or slides."""
_COLUMNS = {"left+": (-2, _OTHERS[2]), "left": (-1, _OTHERS[0]), "centre": (0, _CENTRE), "right": (1, _OTHERS[1])}
_COLUMNS["right+"] = (2, _OTHERS[0])
"""Name of a step -> column of the filter, from its middle, and first register of the pixels that it takes."""
_SLIDES = {"left": "centre", "right": "centre", "left+": "left", "right+": "right"}


def _row(k: Kernel, s: Shape, row: int) -> None:
    """Append the products of a row of the plane, whose pixels are in `_CENTRE`, and the end of the sums behind it."""
    loads = _pending_taps(k, s, row)
    done = row - 1 - s.edge
    if not row:
        _start(k, s, row, done)
    for step in _ORDER[s.taps].split():
        if step[-1].isdigit():
            _product(k, s, row, step[:-1], int(step[-1]), loads)
        elif step in _SLIDES:
            column, register = _COLUMNS[step]
            slide = "vslide1up.vx" if column < 0 else "vslide1down.vx"
            k.op(slide, v(register), v(_COLUMNS[_SLIDES[step]][1]), "zero")
        elif step == "load":
            _load_row(k, s, row)
        elif step == "extend":
            k.op("vsext.vf2", v(_CENTRE), v(_CENTRE + 1))
        elif step == "start" and row:
            _start(k, s, row, done)
        elif done >= 0:
            _end(k, s, done, step)
    for _ in loads:
        pass


def _product(k: Kernel, s: Shape, row: int, name: str, line: int, loads: Iterator[None]) -> None:
    """Append a product if there is such a row of the result, and a load of a weight for lines that are odd."""
    result = row + s.edge - line
    if 0 <= result < s.side:
        column, pixels = _COLUMNS[name]
        k.op("vwmacc.vx", s.slot(result), f"x{_TAPS[line * s.taps + s.edge + column]}", v(pixels))
        if line % 2:
            next(loads, None)


def _start(k: Kernel, s: Shape, row: int, done: int) -> None:
    """Append the first step of the end of row `done`, and the bias as sums of the rows that begin here."""
    fresh = range(row + s.edge if row else 0, min(row + s.edge + 1, s.side))
    if done < 0 and not fresh:
        return
    _set(k, 32)
    if done >= 0:
        k.op("vsmul.vx", s.slot(done), s.slot(done), _FACTOR)
    for result in fresh:
        k.op("vmv.v.x", s.slot(result), _BIAS)
    _set(k, 16)


def _end(k: Kernel, s: Shape, row: int, step: str) -> None:
    """Append a later step of the end of a row of the result."""
    if step == "clip":
        k.op("vnclip.wi", s.slot(row), s.slot(row), shift(s.taps**2) - 1)
    elif step == "narrow":
        _set(k, 8)
        k.op("vnclip.wi", s.slot(row), s.slot(row), 0)
        _set(k, 16)
    else:
        _store(k, s, row)


def _load_row(k: Kernel, s: Shape, row: int) -> None:
    """Append the load of the bytes of the next row, which may be the first one of the next plane."""
    if row + 1 == s.side:
        k.op("lw", _BIAS, at(_IN))
        k.op("addi", _IN, _IN, HEADER)
    k.op("vle8.v", v(_CENTRE + 1), at(_IN))
    k.op("addi", _IN, _IN, s.side)


def _store(k: Kernel, s: Shape, row: int) -> None:
    k.op("vse8.v", s.slot(row), at(_OUT))
    k.op("addi", _OUT, _OUT, s.side + (HEADER if row + 1 == s.side else 0))


def _plane(k: Kernel, s: Shape) -> None:
    """Append all rows of a plane; the results take their places."""
    for row in range(s.side):
        _row(k, s, row)
    for _ in _load_taps(k, s, s.edge, 1):
        pass
    k.op("addi", _WEIGHT, _WEIGHT, 1)
    rest = range(s.side - 1 - s.edge, s.side)
    for width, amount in ((32, None), (16, shift(s.taps**2) - 1), (8, 0)):
        _set(k, width)
        for result in rest:
            if amount is None:
                k.op("vsmul.vx", s.slot(result), s.slot(result), _FACTOR)
            else:
                k.op("vnclip.wi", s.slot(result), s.slot(result), amount)
    _set(k, 16)
    for result in rest:
        _store(k, s, result)


def _folded_plane(k: Kernel, s: Shape) -> None:
    """Append a plane of two rows in a register. Bytes and weights are loaded; those of the next one follow."""
    folded.start(k, _BIAS)
    for number, column in enumerate(folded.COLUMNS):
        taps = [line * s.taps + s.edge + column for line in range(s.taps)]
        names = tuple(f"x{_TAPS[tap]}" for tap in taps)
        last = number + 1 == len(folded.COLUMNS)
        folded.outer(k, names)
        if last:
            folded.load(k, _IN, s.plane)
            k.op("lw", _BIAS, at(_IN, -s.plane - HEADER))
        else:
            folded.shift(k, folded.COLUMNS[number + 1])
        folded.inner(k, names)
        for name, tap in zip(names, taps, strict=True):
            k.op("lb", name, at(_WEIGHT, tap * s.channels + 1))
        if not last:
            folded.extend(k, shifted=True)
    k.op("addi", _WEIGHT, _WEIGHT, 1)
    folded.finish(k, _FACTOR, shift(s.taps**2) - 1, _OUT)
    k.op("addi", _OUT, _OUT, s.plane)


def _planes(k: Kernel, s: Shape) -> None:
    """Append the loop over the planes. Changes all vector registers."""
    for line in range(s.taps if s.folded else s.edge + 1):
        for _ in _load_taps(k, s, line, 0):
            pass
    if s.folded:
        k.op("la", folded.TEMPORARY, "masks")
        folded.masks(k, folded.TEMPORARY)
        k.op("addi", _IN, _IN, HEADER)
        folded.load(k, _IN, s.plane)
        k.op("lw", _BIAS, at(_IN, -s.plane - HEADER))
    else:
        k.op("vsetivli", "zero", PIXELS, "e16", "m2", "ta", "ma")
        _load_row(k, s, s.side - 1)
        k.op("vsext.vf2", v(_CENTRE), v(_CENTRE + 1))
    start = k.label(aligned=True)
    (_folded_plane if s.folded else _plane)(k, s)
    end = folded.TEMPORARY if s.folded else f"x{_TAPS[-1]}"
    k.op("la", end, f"planes + {HEADER + s.channels * s.plane}")
    k.op("beq", _OUT, end, ". + 8")
    k.op("j", start)


def _prepare(k: Kernel, s: Shape) -> None:
    """Append the copies of weights (x11) and biases (x12)."""
    k.op("la", "x7", "weights")
    for start in range(0, s.taps**2 * s.channels, 128):
        k.op("li", "x5", min(128, s.taps**2 * s.channels - start))
        k.op("vsetvli", "zero", "x5", "e8", "m8", "ta", "ma")
        k.op("vle8.v", v(8 * (start // 128 % 2)), at("x11"))
        k.op("addi", "x11", "x11", 128)
        k.op("vse8.v", v(8 * (start // 128 % 2)), at("x7"))
        k.op("addi", "x7", "x7", 128)
    k.op("li", "x5", s.channels)
    k.op("vsetvli", "zero", "x5", "e32", "m8", "ta", "ma")
    k.op("la", "x7", "planes")
    k.op("li", "x5", s.plane)
    k.op("vle32.v", v(16), at("x12"))
    k.op("vsse32.v", v(16), at("x7"), "x5")


def depthwise(side: int, channels: int, taps: int) -> str:
    """Return the kernel of Y = requantised(X * W + bias) of each channel; both images [side, side, channels]."""
    s = Shape(side, channels, taps)
    k = Kernel(f"depthwise_conv {side} x {side}, {channels} channels, {taps} x {taps} taps")
    k.op("csrwi", "vxrm", 0)
    k.op("sw", "ra", at("sp", -4))
    k.op("sw", "a3", at("sp", -8))
    _prepare(k, s)
    k.op("la", "x7", f"planes + {HEADER}")
    _transpose(k, s, back=False, image="x10", planes="x7")
    k.op("la", _IN, "planes")
    k.op("addi", _OUT, _IN, HEADER)
    k.op("la", _WEIGHT, "weights")
    k.op("li", _FACTOR, MUL)
    _planes(k, s)
    k.op("lw", "x10", at("sp", -8))
    k.op("la", "x7", f"planes + {HEADER}")
    _transpose(k, s, back=True, image="x10", planes="x7")
    k.op("lw", "ra", at("sp", -4))
    k.op("ret")
    if s.folded:
        k.data(".data", ".balign 16", "masks:", *folded.MASKS)
    k.data(".bss", ".balign 16", f"planes: .space {channels * s.plane + 2 * HEADER + 16}")
    k.data(".balign 16", f"weights: .space {taps**2 * channels + 16}")
    return k.text()
