"""Convolutions of 1 x 1 with 4 input channels and 8 of the result: a pixel of the input is one word.

The weights stay in four registers. The word of each pixel comes straight from the external memory, two shifts make a scalar
of each of its bytes, and two pixels take turns, since sums that were just added to are ready only three cycles later.
"""

from __future__ import annotations

from kc_coral.expert.conv_shared import SUMS, Shape, finish, load_channels, set_vtype
from kc_coral.expert.emit import Kernel, at, v

CHANNELS = 4
_WEIGHTS = 16
"""First register of the weights of the input channels, 16 bits each."""
_IMAGE, _OUT, _LEFT = "x10", "x12", "x14"
_WORDS = range(20, 28)
"""Scalar registers of the words of the pixels of a block."""
_SCALARS = ((3, 5, 7, 9), (11, 13, 15, 29))
"""Scalar registers of the channels of two pixels."""
_BYTE = 24


def _unpack(k: Kernel, word: int, scalars: tuple[int, ...]) -> None:
    """Append the sign extension of the four bytes of a word."""
    for channel, scalar in enumerate(scalars[:-1]):
        k.op("slli", f"x{scalar}", f"x{word}", _BYTE - 8 * channel)
    for scalar in scalars[:-1]:
        k.op("srai", f"x{scalar}", f"x{scalar}", _BYTE)
    k.op("srai", f"x{scalars[-1]}", f"x{word}", _BYTE)


def _block(k: Kernel, s: Shape) -> None:
    """Append the products of 8 pixels, whose words are loaded, and the loads of the next words."""
    for first in range(0, SUMS, s.group):
        k.op("vmv2r.v", v(first), v(s.bias))
    for pixel in range(0, s.pixels, 2):
        for one, scalars in enumerate(_SCALARS):
            word = _WORDS[pixel + one]
            _unpack(k, word, scalars)
            k.op("lw", f"x{word}", at(_IMAGE, CHANNELS * (pixel + one)))
        for channel in range(CHANNELS):
            for one, scalars in enumerate(_SCALARS):
                k.op("vwmacc.vx", v(s.group * (pixel + one)), f"x{scalars[channel]}", v(_WEIGHTS + channel))
    k.op("addi", _IMAGE, _IMAGE, CHANNELS * s.pixels)


def point(s: Shape) -> str:
    """Return the kernel of a shape: Y = requantised(X * W + bias). Words behind the image are read, but not used."""
    k = Kernel(s.title)
    k.op("csrwi", "vxrm", 0)
    for register, argument in (("x16", "a2"), ("x17", "a3"), ("x18", "a4"))[: 3 if s.folded else 1]:
        k.op("mv", register, argument)
    k.op("mv", _OUT, "a5" if s.folded else "a3")
    for pixel, word in enumerate(_WORDS):
        k.op("lw", f"x{word}", at(_IMAGE, CHANNELS * pixel))
    k.op("addi", _IMAGE, _IMAGE, CHANNELS * s.pixels)
    set_vtype(k, CHANNELS * s.results, "e16", 4)
    k.op("vle8.v", v(_WEIGHTS + 2), at("x11"))
    k.op("vsext.vf2", v(_WEIGHTS), v(_WEIGHTS + 2))
    load_channels(k, s)
    with k.loop(_LEFT, s.side**2 // s.pixels):
        _block(k, s)
        finish(k, s)
        k.op("vs4r.v", v(0), at(_OUT))
        k.op("addi", _OUT, _OUT, s.pixels * s.results)
    k.op("ret")
    return k.text()
