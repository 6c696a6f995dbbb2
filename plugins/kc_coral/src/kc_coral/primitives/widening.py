"""Widening, narrowing and extension: results or sources of twice the width (or a fraction of it).

Source: RVV 1.0, sections 11.2, 11.3, 11.7, 11.12 and 11.14.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from kc_coral.primitives.arithmetic import finish
from kc_coral.primitives.bank import SCALAR, Bank, Plan, dtype
from kc_coral.primitives.fixed import check_widening, narrowing_groups
from kc_coral.primitives.groups import Group, check, refuse, shape


@frozen
class Widening:
    """One row of the table: name, the numpy function, how vs2 and the second operand are read, whether vs2 is wide."""

    name: str
    ufunc: Any
    signed2: bool
    signed1: bool
    wide: bool = False

    @property
    def signed(self) -> bool:
        """How the result is read."""
        return self.signed1 or self.signed2


WIDENING: tuple[Widening, ...] = (
    Widening("vwaddu", np.add, False, False),
    Widening("vwadd", np.add, True, True),
    Widening("vwsubu", np.subtract, False, False),
    Widening("vwsub", np.subtract, True, True),
    Widening("vwmulu", np.multiply, False, False),
    Widening("vwmulsu", np.multiply, True, False),
    Widening("vwmul", np.multiply, True, True),
    Widening("vwaddu.w", np.add, False, False, wide=True),
    Widening("vwadd.w", np.add, True, True, wide=True),
    Widening("vwsubu.w", np.subtract, False, False, wide=True),
    Widening("vwsub.w", np.subtract, True, True, wide=True),
)
"""By number: operations with a result of twice the width; `.w` has a wide vs2."""
WIDE_ACCUMULATE: tuple[Widening, ...] = (
    Widening("vwmaccu", np.multiply, False, False),
    Widening("vwmacc", np.multiply, True, True),
    Widening("vwmaccus", np.multiply, True, False),
    Widening("vwmaccsu", np.multiply, False, True),
)
"""By number: products of twice the width that are added to vd."""
NARROWING = ("vnsrl", "vnsra")
"""By number: shifts to half the width."""


def widen(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of a widening sum, difference or product."""
    row, s = WIDENING[op], shape(vtype, vl)
    _widening_groups(row, vtype, vl, vm, vd, vs2, source)
    a = bank.elements(vs2, vl, s.size * (2 if row.wide else 1), row.signed2)
    b, put = bank.second(source, vl, s.size, row.signed1, wide=2 * s.size)
    out, active, ufunc = bank.elements(vd, vl, 2 * s.size, row.signed), bank.active(vm, vl), row.ufunc
    # copies are quicker than casts inside a ufunc
    x, y = np.empty(len(a), out.dtype), b.view(out.dtype) if put is not None else np.empty(len(b), out.dtype)

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        else:
            y[...] = b
        x[...] = a
        if active is None:
            ufunc(x, y, out)
        else:
            ufunc(x, y, out, where=active())

    return plan


def accumulate_wide(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of a widening multiply-add."""
    row, s = WIDE_ACCUMULATE[op], shape(vtype, vl)
    _widening_groups(row, vtype, vl, vm, vd, vs2, source)
    a, d = bank.elements(vs2, vl, s.size, row.signed2), bank.elements(vd, vl, 2 * s.size, row.signed)
    b, put = bank.second(source, vl, s.size, row.signed1, wide=2 * s.size)
    x, y = np.empty(vl, d.dtype), b.view(d.dtype) if put is not None else np.empty(len(b), d.dtype)
    active = bank.active(vm, vl)

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        else:
            y[...] = b
        x[...] = a
        np.multiply(x, y, x)
        if active is None:
            np.add(d, x, d)
        else:
            np.add(d, x, d, where=active())

    return plan


def _widening_groups(row: Widening, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> None:
    s = shape(vtype, vl)
    check_widening(s)
    double = 2 if row.wide else 1
    sources = [Group("vs2", vs2, double * s.lmul, double * s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    check(Group("vd", vd, 2 * s.lmul, 2 * s.bits), sources, masked=not vm)


def narrow(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of a shift to half the width."""
    signed, s = NARROWING[op] == "vnsra", shape(vtype, vl)
    narrowing_groups(s, vd, vs2, source, vm)
    a = bank.elements(vs2, vl, 2 * s.size, signed)
    low = 2 * s.bits - 1
    b, put = bank.second(source, vl, s.size, False, low.bit_length())
    wide = dtype(2 * s.size, signed)
    out = bank.elements(vd, vl, s.size, signed)
    return finish(lambda: a >> (b & low).astype(wide), out, put, bank.active(vm, vl))


def extend(bank: Bank, signed: int, factor: int, vtype: int, vl: int, vm: int, vd: int, vs2: int) -> Plan:
    """Return the plan of `vzext.vfN` and `vsext.vfN`; SEW is the width of the result."""
    s = shape(vtype, vl)
    if s.size % factor:
        raise refuse(
            f"SEW is {s.bits}: a {factor}th of it is less than 8 bits"
            if factor > 2
            else "SEW is 8: half of it is no element"
        )
    size = s.size // factor
    check(Group("vd", vd, s.lmul, s.bits), [Group("vs2", vs2, s.lmul // factor, 8 * size)], masked=not vm)
    a, out = bank.elements(vs2, vl, size, bool(signed)), bank.elements(vd, vl, s.size, bool(signed))
    active = bank.active(vm, vl)

    def plan(value: int) -> None:
        if active is None:
            out[...] = a
        else:
            np.copyto(out, a, where=active())

    return plan
