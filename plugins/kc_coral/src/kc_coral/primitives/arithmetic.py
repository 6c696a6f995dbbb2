"""Element-wise integer arithmetic with results of the width of the elements.

Source: RVV 1.0, chapter 11.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

from kc_coral.primitives.bank import SCALAR, Array, Bank, Plan, dtype
from kc_coral.primitives.groups import Group, check, shape


@frozen
class Operation:
    """One row of the table.

    Attributes:
        name: the operation. signed: how vs2 and the result are read; also the second operand unless `mixed`.
        ufunc: one numpy function, or None. exact: computed in 64 bits by `exact(a, b, bits)`.
        shift: whether only the low bits of the second operand count. swapped: whether it comes first.
        mixed: whether the second operand is unsigned although vs2 is signed.
    """

    name: str
    signed: bool = False
    ufunc: Any = None
    exact: Callable[[Array, Array, int], Array] | None = None
    shift: bool = False
    swapped: bool = False
    mixed: bool = False


def _quotient(a: Array, b: Array, bits: int) -> Array:
    quotient = np.abs(a) // np.maximum(np.abs(b), 1)
    return np.where(b == 0, -1, np.where((a < 0) != (b < 0), -quotient, quotient))


def _remainder(a: Array, b: Array, bits: int) -> Array:
    rest = np.abs(a) % np.maximum(np.abs(b), 1)
    return np.where(b == 0, a, np.where(a < 0, -rest, rest))


def _high(a: Array, b: Array, bits: int) -> Array:
    return a * b >> bits


def _high_unsigned(a: Array, b: Array, bits: int) -> Array:
    return a.view(np.uint64) * b.view(np.uint64) >> np.uint64(bits)


BINARY: tuple[Operation, ...] = (
    Operation("vadd", ufunc=np.add),
    Operation("vsub", ufunc=np.subtract),
    Operation("vrsub", ufunc=np.subtract, swapped=True),
    Operation("vminu", ufunc=np.minimum),
    Operation("vmin", True, np.minimum),
    Operation("vmaxu", ufunc=np.maximum),
    Operation("vmax", True, np.maximum),
    Operation("vand", ufunc=np.bitwise_and),
    Operation("vor", ufunc=np.bitwise_or),
    Operation("vxor", ufunc=np.bitwise_xor),
    Operation("vsll", ufunc=np.left_shift, shift=True),
    Operation("vsrl", ufunc=np.right_shift, shift=True),
    Operation("vsra", True, np.right_shift, shift=True),
    Operation("vmul", ufunc=np.multiply),
    Operation("vmulh", True, exact=_high),
    Operation("vmulhu", exact=_high_unsigned),
    Operation("vmulhsu", True, exact=_high, mixed=True),
    Operation("vdiv", True, exact=_quotient),
    Operation("vdivu", exact=_quotient),
    Operation("vrem", True, exact=_remainder),
    Operation("vremu", exact=_remainder),
)
"""By number: operations on two operands."""
ACCUMULATE = ("vmacc", "vnmsac", "vmadd", "vnmsub")
"""By number: operations that also read vd."""


def binary(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of a single-width operation."""
    row, s = BINARY[op], shape(vtype, vl)
    sources = [Group("vs2", vs2, s.lmul, s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    check(Group("vd", vd, s.lmul, s.bits), sources, masked=not vm)
    a, out = bank.elements(vs2, vl, s.size, row.signed), bank.elements(vd, vl, s.size, row.signed)
    low = s.bits - 1 if row.shift else 0
    b, put = bank.second(source, vl, s.size, row.signed and not row.mixed, low.bit_length())
    active = bank.active(vm, vl)
    if row.exact is not None:
        exact, bits = row.exact, s.bits
        return finish(lambda: exact(a.astype(np.int64), b.astype(np.int64), bits), out, put, active)
    x, y = (b, a) if row.swapped else (a, b)
    ufunc, limited = row.ufunc, row.shift and put is None

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        second = y & low if limited else y
        if active is None:
            ufunc(x, second, out=out)
        else:
            ufunc(x, second, out=out, where=active())

    return plan


def finish(
    function: Callable[[], Array],
    out: Array,
    put: Callable[[int], None] | None = None,
    active: Callable[[], Array] | None = None,
) -> Plan:
    """Return the plan that puts the value in place, computes `function()` and writes its active elements to `out`."""

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        result = function()
        if active is None:
            out[...] = result
        else:
            np.copyto(out, result, casting="unsafe", where=active())

    return plan


def accumulate(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of a single-width multiply-add."""
    s = shape(vtype, vl)
    sources = [Group("vs2", vs2, s.lmul, s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    check(Group("vd", vd, s.lmul, s.bits), sources, masked=not vm)
    a, d = bank.elements(vs2, vl, s.size), bank.elements(vd, vl, s.size)
    b, put = bank.second(source, vl, s.size, False)
    x, z = (a, d) if ACCUMULATE[op] in ("vmacc", "vnmsac") else (d, a)
    add = np.add if ACCUMULATE[op] in ("vmacc", "vmadd") else np.subtract
    product = np.empty(vl, dtype(s.size, False))
    active = bank.active(vm, vl)

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        np.multiply(x, b, product)
        if active is None:
            add(z, product, d)
        else:
            add(z, product, d, where=active())

    return plan
