"""SiLU and GELU: a table of 64 corrections in registers instead of one of 256 results in memory.

Both functions are f(v) = v s(v) with s(v) + s(-v) = 1, so f(v) = max(v, 0) - g(|v|) with g(u) = u s(-u). Rounding
half to even is symmetric, so the bytes obey the same: lut[q + 128] = max(q, 0) - G(|q|). G is small (0..4) and 0 from
|q| = 82 (silu) or 36 (gelu) on. A gather of 64 bytes (m4) takes 7 cycles and gives 0 beyond its table; indexed loads
take an access each.

The corrections of silu reach beyond 63. Their index is floor(192 u / 256): G changes only where this index does, too.
That a scale has this property is checked when the text is made. The table is the same for every draw of the inputs,
so it may be data of the program; `lut` is not read.

The load/store unit is the limit, 7 cycles for 16 bytes in or out. The reorder buffer takes 8 micro-ops in order, so at
most 6 of arithmetic between two accesses leave no gap: blocks of 64 move in pairs of registers, spread between the
arithmetic of the block before (loads) and the one before that (stores).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kc_coral.expert.emit import Kernel, at, v

BLOCK = 64
UNIT = 16
"""Byte value of 1 on both sides of the tables."""
_TABLE, _SIZE, _FOUND = 4, 24, 28
_X, _Y = (8, 12), (16, 20)
"""Vector registers, four each: corrections, |x|, gathered corrections; input and result of even and odd blocks."""


def _silu(u: float) -> float:
    return u / (1 + math.exp(u))


def _gelu(u: float) -> float:
    return u * math.erfc(u / math.sqrt(2)) / 2


def corrections(function: Callable[[float], float], scale: int) -> list[int]:
    """Return G by index floor(scale u / 256), below 64.

    Args:
        function: g on reals, for u >= 0.
        scale: 1..256.

    Raises:
        ValueError: two sizes with different corrections share an index, or one beyond the table is not 0.
    """
    table: dict[int, int] = {}
    for u in range(129):
        value = round(UNIT * function(u / UNIT))
        if table.setdefault(u * scale >> 8, value) != value:
            raise ValueError(f"scale {scale}: {u} has no index of its own")
    if any(value for index, value in table.items() if index >= BLOCK):
        raise ValueError(f"scale {scale}: corrections beyond {BLOCK} entries")
    return [table.get(index, 0) for index in range(BLOCK)]


def silu(n: int) -> str:
    """Return the program for n elements, a multiple of 128."""
    return _program("silu", n, 192, corrections(_silu, 192), "neg S size relu L scale S gather L sub")


def gelu(n: int) -> str:
    """Return the program for n elements, a multiple of 128."""
    return _program("gelu", n, 256, corrections(_gelu, 256), "neg S size S relu L gather L sub")


def _program(task: str, n: int, scale: int, table: list[int], order: str) -> str:
    """Return the program that takes the corrections off.

    Args:
        task: for the title.
        n: elements.
        scale: makes an index of |x|; 256 takes |x| itself.
        table: 64 corrections.
        order: of a block's arithmetic and accesses; L and S move two registers each.
    """
    k = Kernel(f"{task} of {n}: max(x, 0) less a correction that depends on |x|")
    k.op("li", "t0", BLOCK)
    k.op("vsetvli", "zero", "t0", "e8", "m4", "ta", "ma")
    for half in (0, 2):
        _load(k, _X[0] + half)
    k.op("la", "t1", "corrections")
    k.op("vl4re8.v", v(_TABLE), at("t1"))
    k.op("li", "t2", scale)
    _block(k, 0, order.replace("S ", ""))
    if n > 2 * BLOCK:
        with k.loop("t0", n // (2 * BLOCK) - 1):
            _block(k, 1, order)
            _block(k, 0, order)
    _block(k, 1, order.replace("L ", ""))
    for half in (0, 2):
        _store(k, _Y[1] + half)
    k.op("ret")
    k.data(".section .rodata", f"corrections: .byte {', '.join(map(str, table))}")
    return k.text()


def _load(k: Kernel, register: int) -> None:
    k.op("vl2re8.v", v(register), at("a0"))
    k.op("addi", "a0", "a0", BLOCK // 2)


def _store(k: Kernel, register: int) -> None:
    k.op("vs2r.v", v(register), at("a2"))
    k.op("addi", "a2", "a2", BLOCK // 2)


def _block(k: Kernel, parity: int, order: str) -> None:
    """Append a block's arithmetic among loads of the next block and stores of the one before."""
    size, (x, y) = v(_SIZE), (v(_X[parity]), v(_Y[parity]))
    loads, stores = iter((_X[1 - parity], _X[1 - parity] + 2)), iter((_Y[1 - parity], _Y[1 - parity] + 2))
    steps = {
        "L": lambda: _load(k, next(loads)),
        "S": lambda: _store(k, next(stores)),
        "neg": lambda: k.op("vneg.v", size, x),
        "size": lambda: k.op("vmax.vv", size, size, x),  # -128 stays, which is 128 as an unsigned index
        "relu": lambda: k.op("vmax.vx", y, x, "zero"),
        "scale": lambda: k.op("vmulhu.vx", size, size, "t2"),
        "gather": lambda: k.op("vrgather.vv", v(_FOUND), v(_TABLE), size),
        "sub": lambda: k.op("vsub.vv", y, y, v(_FOUND)),
    }
    for step in order.split():
        steps[step]()
