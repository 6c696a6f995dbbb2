"""FFN and SwiGLU: layers (see `linear`) with a table or a product of two results in between, all of it in the DTCM.

The table is in 16 registers: `vrgather.vv` on a quarter of it takes 64 bytes in 7 cycles, where `vluxei8` would take a bus access
for each. An index outside the quarter reads 0, so that the four answers can be joined by `vor.vv`.
"""

from __future__ import annotations

from kc_coral.expert.emit import DTCM, Kernel, at, v
from kc_coral.expert.linear import Layer, append, copy, start

_QUARTER = 64
"""Entries of the table that four registers hold, and bytes that are looked up at a time."""
_TABLE, _INDEX, _PART, _FOUND, _OTHER = 0, 16, 20, 24, 28
"""First registers: the table (16), indices, entries of a quarter, all entries, the other factor (4 each)."""


def ffn(rows: int, width: int, hidden: int) -> str:
    """Return Y[rows, width] of two layers with a table in between: X, W1, b1, W2, b2, lut, Y in a0 to a6."""
    k = Kernel(f"ffn [{rows}, {width}], {hidden} in between")
    between, out, kept = _places(rows, width, hidden)
    start(k)
    append(k, Layer(rows, width, hidden, "a0", "a1", "a2", out=between[0], kept=kept))
    _activate(k, rows * hidden, between[0], None, "a5")
    k.op("li", "a0", between[0])
    append(k, Layer(rows, hidden, width, "a0", "a3", "a4", out=out, kept=kept))
    copy(k, out, "a6", rows * width)
    k.op("ret")
    return k.text()


def swiglu(rows: int, width: int, hidden: int) -> str:
    """Return Y[rows, width] of SwiGLU: X, Wg, Wu, Wd, lut, Y in a0 to a5."""
    k = Kernel(f"swiglu [{rows}, {width}], {hidden} in between")
    between, out, kept = _places(rows, width, hidden)
    start(k)
    for weights, target in zip(("a1", "a2"), between, strict=True):
        append(k, Layer(rows, width, hidden, "a0", weights, None, out=target, kept=kept))
    _activate(k, rows * hidden, *between, "a4")
    k.op("li", "a0", between[0])
    append(k, Layer(rows, hidden, width, "a0", "a3", None, out=out, kept=kept))
    copy(k, out, "a5", rows * width)
    k.op("ret")
    return k.text()


def _places(rows: int, width: int, hidden: int) -> tuple[tuple[int, int], int, int]:
    """Return addresses in the DTCM: two intermediate results, the result, sums that are kept."""
    kept = DTCM
    first = kept + 16 * max(width, hidden)
    size = rows * hidden
    return (first, first + size), first + 2 * size, kept


def _activate(k: Kernel, size: int, place: int, other: int | None, table: str) -> None:
    """Append y = lut[y + 128] for `size` bytes in the DTCM, or y = sat8(rnu(lut[y + 128] z, 7)) with z at `other`."""
    k.comment("table")
    k.op("li", "t0", _QUARTER)
    k.op("vsetvli", "zero", "t0", "e8", "m4", "ta", "ma")
    for quarter in range(4):
        k.op("vle8.v", v(_TABLE + 4 * quarter), at(table))
        k.op("addi", table, table, _QUARTER)
    k.op("li", "a7", -128)
    k.op("li", "t3", _QUARTER)
    k.op("li", "t5", place)
    if other is not None:
        k.op("li", "t6", other)
    with k.loop("t4", size // _QUARTER):
        k.op("vle8.v", v(_INDEX), at("t5"))
        if other is not None:
            k.op("vle8.v", v(_OTHER), at("t6"))
            k.op("addi", "t6", "t6", _QUARTER)
        k.op("vxor.vx", v(_INDEX), v(_INDEX), "a7")
        _look_up(k)
        if other is not None:
            k.op("vwmul.vv", v(_INDEX), v(_FOUND), v(_OTHER))
            k.op("vnclip.wi", v(_FOUND), v(_INDEX), 7)
        k.op("vse8.v", v(_FOUND), at("t5"))
        k.op("addi", "t5", "t5", _QUARTER)


def _look_up(k: Kernel) -> None:
    """Append the look-up of 64 indices. Those of a quarter are brought to 0..63, which puts all others above."""
    for quarter in range(4):
        found = _PART if quarter else _FOUND
        k.op("vrgather.vv", v(found), v(_TABLE + 4 * quarter), v(_INDEX))
        if quarter < 3:
            k.op("vsub.vx", v(_INDEX), v(_INDEX), "t3")
        if quarter:
            k.op("vor.vv", v(_FOUND), v(_FOUND), v(_PART))
