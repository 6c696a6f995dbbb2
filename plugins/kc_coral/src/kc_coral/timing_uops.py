"""Micro-ops of vector instructions: units, sources and results, for the registers that `vl` really needs.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations

from typing import NamedTuple

VLENB = 16
U_ALU, U_MUL, U_PRC, U_DIV, U_MEM = range(5)
"""Vector units; PRC executes permutations, reductions and compares."""
PIPE, WIDE_REDUCE, PERMUTE, DIVIDE, MEMORY = range(5)
"""How a unit takes the micro-ops: pipelined, two cycles each, all together, one at a time, by iterations."""


class Uop(NamedTuple):
    """One micro-op.

    Attributes:
        sources: vector registers that must be ready.
        reads: register reads that count against the read ports (v0 as mask does not).
        result: vector register written, -1 for none.
        entry: whether it takes a reorder entry.
    """

    sources: tuple[int, ...]
    reads: int
    result: int
    entry: bool = True


class Template(NamedTuple):
    """The micro-ops of an instruction under one vl and vtype.

    Attributes:
        uops: in order.
        unit: where they execute.
        style: how the unit takes them.
        scalar: the instruction writes a scalar register.
        store: the instruction is a store.
        extra: further cycles before each memory iteration (index registers).
        slow: cycles from start to result on top of the unit's latency.
    """

    uops: tuple[Uop, ...]
    unit: int
    style: int = PIPE
    scalar: bool = False
    store: bool = False
    extra: int = 0
    slow: int = 0


def reduced_eighths(vl: int, vtype: int) -> int:
    """Return the LMUL in eighths that `vl` elements need: a power of two, at most the LMUL of `vtype`."""
    lmul = 8 << (vtype & 7) if not vtype & 4 else 8 >> (8 - (vtype & 7))
    sew = 8 << (vtype >> 3 & 7)
    need = sew // 4  # the least legal LMUL of the element width: 1/4, 1/2, 1
    while need * VLENB < vl * sew and need < lmul:
        need *= 2
    return min(need, lmul)


def memory_registers(word: int, vl: int, vtype: int) -> tuple[int, int, int]:
    """Return (registers per field, fields, index registers per field) of the vector load or store `word`."""
    fields = (word >> 29) + 1
    lumop = word >> 20 & 31
    mop = word >> 26 & 3
    if mop == 0 and lumop == 8:
        return fields, 1, 0
    if mop == 0 and lumop == 11:
        return 1, 1, 0
    eighths = reduced_eighths(vl, vtype)
    sew, eew = 8 << (vtype >> 3 & 7), {0: 8, 5: 16, 6: 32}[word >> 12 & 7]
    scaled = max(1, eighths * eew // (sew * 8))
    if mop & 1:
        return max(1, eighths // 8), fields, scaled
    return scaled, fields, 0


def _memory(word: int, vl: int, vtype: int) -> Template:
    registers, fields, index = memory_registers(word, vl, vtype)
    vd, vs2, store = word >> 7 & 31, word >> 20 & 31, word & 0x7F == 0x27
    mask = () if word >> 25 & 1 else (0,)
    uops = []
    for m in range(registers):
        first, last = m * index // registers, max(m * index // registers + 1, (m + 1) * index // registers)
        indices = tuple(vs2 + k for k in range(first, last)) if index else ()
        for f in range(fields):
            register = vd + f * registers + m
            data = (register,) if store else ()
            uops.append(Uop(data + mask + indices, len(data) + (1 if index else 0), -1 if store else register))
    extra = max(0, index // registers - 1)
    return Template(tuple(uops), U_MEM, MEMORY, store=store, extra=extra)


class _Shape(NamedTuple):
    """Registers and fields of an arithmetic instruction."""

    n: int  # registers
    n2: int  # micro-ops of a widening or narrowing form
    vd: int
    vs1: tuple[int, ...]  # (register,) when the second source is a vector
    vs2: int
    mask: tuple[int, ...]

    def uop(self, sources: tuple[int, ...], result: int, entry: bool = True) -> Uop:
        return Uop(sources + self.mask, len(sources), result, entry)

    def second(self, k: int) -> tuple[int, ...]:
        return tuple(r + k for r in self.vs1)


def _pipe(s: _Shape, unit: int, accumulate: bool = False) -> Template:
    uops = []
    for k in range(s.n):
        sources = (s.vs2 + k, *s.second(k), *((s.vd + k,) if accumulate else ()))
        uops.append(s.uop(sources, s.vd + k))
    return Template(tuple(uops), unit)


def _widen(s: _Shape, unit: int, wide: bool = False, accumulate: bool = False) -> Template:
    uops = []
    for k in range(s.n2):
        sources = (s.vs2 + (k if wide else k // 2), *s.second(k // 2), *((s.vd + k,) if accumulate else ()))
        uops.append(s.uop(sources, s.vd + k))
    return Template(tuple(uops), unit)


def _compare(s: _Shape, always: bool) -> Template:
    uops = []
    for k in range(s.n):
        last = k == s.n - 1
        sources = (s.vs2 + k, *s.second(k), *((s.vd,) if last or always else ()))
        uops.append(s.uop(sources, s.vd if last else -1, last))
    return Template(tuple(uops), U_PRC)


def _reduce(s: _Shape, style: int) -> Template:
    uops = []
    for k in range(s.n):
        last = k == s.n - 1
        uops.append(s.uop((s.vs2 + k, *(s.vs1 if last else ())), s.vd if last else -1, last))
    return Template(tuple(uops), U_PRC, style)


def _permute(s: _Shape, *, up: bool = False, gather: bool = False) -> Template:
    uops = []
    for k in range(s.n):
        sources = (s.vs2 + k, *(s.second(k) if gather else ()), *((s.vd + k,) if up else ()))
        uops.append(s.uop(sources, s.vd + k))
    return Template(tuple(uops), U_PRC, PERMUTE)


def _gather16(s: _Shape, sew: int) -> Template:
    if sew == 8:
        uops = [s.uop((s.vs2 + k // 2, *s.second(k)), s.vd + k // 2) for k in range(s.n2)]
        return Template(tuple(uops), U_PRC, PERMUTE)
    ratio = sew // 16
    uops = [s.uop((s.vs2 + k, *s.second(k // ratio)), s.vd + k) for k in range(s.n)]
    return Template(tuple(uops), U_PRC, PERMUTE)


def _group_i(s: _Shape, word: int, sew: int) -> Template:
    funct6, function, vm = word >> 26, word >> 12 & 7, word >> 25 & 1
    if funct6 == 0b010111 and vm:  # vmv.v: vs2 is not read
        return Template(tuple(s.uop(s.second(k), s.vd + k) for k in range(s.n)), U_ALU)
    if funct6 == 0b100111 and function == 3:  # vmv<n>r.v
        registers = (word >> 15 & 7) + 1
        return Template(tuple(s.uop((s.vs2 + k,), s.vd + k) for k in range(registers)), U_ALU)
    if funct6 == 0b001110 and function == 0:
        return _gather16(s, sew)
    if funct6 in (0b001100, 0b001110, 0b001111):
        return _permute(s, up=funct6 == 0b001110, gather=True)
    if funct6 in (0b010001, 0b010011):
        return _compare(s, always=True)
    if 0b011000 <= funct6 <= 0b011111:
        return _compare(s, always=False)
    if funct6 in (0b110000, 0b110001):
        return _reduce(s, WIDE_REDUCE)
    if 0b101100 <= funct6 <= 0b101111:
        uops = [s.uop((s.vs2 + k, *s.second(k // 2)), s.vd + k // 2) for k in range(s.n2)]
        return Template(tuple(uops), U_ALU)
    return _pipe(s, U_MUL if funct6 == 0b100111 else U_ALU)


def _unary(s: _Shape, word: int) -> Template:
    """Return the forms that the field vs1 selects: vmv.x.s, mask scans, extensions."""
    funct6, selector = word >> 26, word >> 15 & 31
    if funct6 == 0b010000:
        # a population count takes a cycle longer than other results of the ALU
        return Template((s.uop((s.vs2,), -1),), U_ALU, scalar=True, slow=int(selector == 16))
    if funct6 == 0b010010:
        ratio = 4 if selector in (4, 5) else 2
        return Template(tuple(s.uop((s.vs2 + k // ratio,), s.vd + k) for k in range(s.n)), U_ALU)
    if selector == 17:
        return Template(tuple(s.uop((), s.vd + k) for k in range(s.n)), U_ALU)
    if selector == 16:
        return Template(tuple(s.uop((s.vs2,), s.vd + k) for k in range(s.n)), U_ALU)
    old = (s.vd,) if s.mask else ()
    return Template((s.uop((s.vs2, *old), s.vd),), U_ALU)


def _group_m(s: _Shape, word: int) -> Template:
    funct6, function = word >> 26, word >> 12 & 7
    if funct6 < 0b001000:
        return _reduce(s, PIPE)
    if funct6 in (0b001110, 0b001111):
        return _permute(s, up=funct6 == 0b001110)
    if funct6 == 0b010000 and function == 6:  # vmv.s.x
        return Template((s.uop((), s.vd),), U_ALU)
    if funct6 in (0b010000, 0b010010, 0b010100):
        return _unary(s, word)
    if funct6 == 0b010111:
        uops = [s.uop((s.vs2 + k, s.vd + k, *(s.vs1 if k == 0 else ())), s.vd + k) for k in range(s.n)]
        return Template(tuple(uops), U_PRC, PERMUTE)
    if 0b011000 <= funct6 <= 0b011111:
        return Template((s.uop((s.vs2, *s.vs1, s.vd), s.vd),), U_ALU)
    if 0b100000 <= funct6 <= 0b100011:
        return _pipe(s, U_DIV)._replace(style=DIVIDE)
    if 0b100100 <= funct6 <= 0b101111:
        return _pipe(s, U_MUL, accumulate=funct6 >= 0b101000)
    if funct6 >= 0b110000:
        if funct6 < 0b111000:
            return _widen(s, U_ALU, wide=funct6 >= 0b110100)
        return _widen(s, U_MUL, accumulate=funct6 >= 0b111100)
    return _pipe(s, U_ALU)


def template(word: int, vl: int, vtype: int) -> Template:
    """Return the micro-ops of the vector instruction `word` (not a vset) under `vl` and `vtype`."""
    if word & 0x7F in (0x07, 0x27):
        return _memory(word, vl, vtype)
    eighths = reduced_eighths(vl, vtype)
    n = max(1, eighths // 8)
    function = word >> 12 & 7
    vs1 = (word >> 15 & 31,) if function in (0, 2) else ()
    mask = () if word >> 25 & 1 else (0,)
    shape = _Shape(n, 2 * n if eighths >= 8 else 1, word >> 7 & 31, vs1, word >> 20 & 31, mask)
    if function in (2, 6):
        return _group_m(shape, word)
    return _group_i(shape, word, 8 << (vtype >> 3 & 7))
