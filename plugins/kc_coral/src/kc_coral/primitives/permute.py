"""Moves, reductions, slides, gathers and compression.

Where the hardware reads zeros although the standard has elements there (behind the registers that vl needs), a program is
stopped, so that accepted programs are right on both readings. Source: RVV 1.0, chapters 14 and 16; google-coral/coralnpu (early
2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kc_coral.primitives.arithmetic import finish
from kc_coral.primitives.bank import SCALAR, Array, Bank, Plan
from kc_coral.primitives.fixed import check_widening
from kc_coral.primitives.groups import VLENB, Group, Shape, check, mask_register, refuse, shape

REDUCTIONS: tuple[tuple[str, bool, Any], ...] = (
    ("vredsum", False, np.add),
    ("vredand", False, np.bitwise_and),
    ("vredor", False, np.bitwise_or),
    ("vredxor", False, np.bitwise_xor),
    ("vredminu", False, np.minimum),
    ("vredmin", True, np.minimum),
    ("vredmaxu", False, np.maximum),
    ("vredmax", True, np.maximum),
    ("vwredsumu", False, np.add),
    ("vwredsum", True, np.add),
)
"""By number: operation, whether elements are signed, the numpy function; the last two sum to twice the width."""
SLIDES = ("vslideup", "vslidedown", "vslide1up", "vslide1down")
"""By number."""


def reduce(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, vs1: int) -> Plan:
    """Return the plan of a reduction into element 0 of vd."""
    name, signed, ufunc = REDUCTIONS[op]
    s = shape(vtype, vl)
    size = 2 * s.size if name.startswith("vw") else s.size
    if size != s.size:
        check_widening(s, groups=False)
    check(Group("vd", vd, 8, 8 * size), [Group("vs2", vs2, s.lmul, s.bits)], reduces=True)
    a, start = bank.elements(vs2, vl, s.size, signed), bank.elements(vs1, 1, size, signed)
    out, mask, active = bank.elements(vd, 1, size), (1 << 8 * size) - 1, bank.active(vm, vl)
    whole = np.empty(vl + 1, np.int64)
    elements = whole[1:]

    def plan(value: int) -> None:
        whole[0] = start[0]
        elements[...] = a
        out[0] = int(ufunc.reduce(whole if active is None else whole[np.append(True, active())])) & mask

    return plan


def move(bank: Bank, vtype: int, vl: int, vd: int, source: int) -> Plan:
    """Return the plan of `vmv.v.v`, `vmv.v.x` and `vmv.v.i`."""
    s = shape(vtype, vl)
    check(Group("vd", vd, s.lmul, s.bits), [] if source == SCALAR else [Group("vs1", source, s.lmul, s.bits)])
    b, put = bank.second(source, vl, s.size, False)
    return finish(lambda: b, bank.elements(vd, vl, s.size), put)


def merge(bank: Bank, vtype: int, vl: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of `vmerge`: the second operand where v0 is set, vs2 elsewhere."""
    s = shape(vtype, vl)
    sources = [Group("vs2", vs2, s.lmul, s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    check(Group("vd", vd, s.lmul, s.bits), sources, masked=True)
    a, chosen = bank.elements(vs2, vl, s.size), bank.bits(0, vl)
    b, put = bank.second(source, vl, s.size, False)
    return finish(lambda: np.where(chosen(), b, a), bank.elements(vd, vl, s.size), put)


def move_registers(bank: Bank, count: int, vtype: int, vl: int, vd: int, vs2: int) -> Plan:
    """Return the plan of `vmv1r.v` to `vmv8r.v`."""
    shape(vtype, vl, empty=True)
    check(Group("vd", vd, 8 * count, 8), [Group("vs2", vs2, 8 * count, 8)])
    a = bank.elements(vs2, count * VLENB, 1)
    return finish(lambda: a, bank.elements(vd, count * VLENB, 1))


def first_to_scalar(bank: Bank, vtype: int, vl: int, vs2: int) -> Plan:
    """Return the plan of `vmv.x.s`: element 0, zero-extended (the standard sign-extends, the hardware does not)."""
    s = shape(vtype, vl, empty=True)
    a = bank.elements(vs2, 1, s.size)
    return lambda value: int(a[0])


def scalar_to_first(bank: Bank, vtype: int, vl: int, vd: int) -> Plan:
    """Return the plan of `vmv.s.x`."""
    s = shape(vtype, vl)
    b, put = bank.second(SCALAR, 1, s.size, False)
    return finish(lambda: b, bank.elements(vd, 1, s.size), put)


def slide(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int) -> Plan:
    """Return the plan of a slide; its offset, or the element it moves in, is the value."""
    name, s = SLIDES[op], shape(vtype, vl)
    up = name in ("vslideup", "vslide1up")
    check(Group("vd", vd, s.lmul, s.bits), [Group("vs2", vs2, s.lmul, s.bits)], masked=not vm, apart=up)
    a, out = bank.elements(vs2, s.held, s.size), bank.elements(vd, vl, s.size)
    active, mask = bank.active(vm, vl), (1 << s.bits) - 1
    everywhere = np.ones(vl, np.bool_)

    def plan(value: int) -> None:
        where = everywhere if active is None else active()
        if name == "vslideup":
            if value < vl:
                np.copyto(out[value:], a[: vl - value], where=where[value:])
            return
        if name == "vslidedown":
            result = _below(s, a, value, where)
        elif name == "vslide1up":
            result = np.append(np.array(value & mask, a.dtype), a[: vl - 1])
        else:
            result = np.append(a[1:vl], np.array(value & mask, a.dtype))
        np.copyto(out, result, where=where)

    return plan


def _below(s: Shape, a: Array, offset: int, where: Array) -> Array:
    """Return the elements from `offset` on, zeros from VLMAX on."""
    result = np.zeros(s.vl, a.dtype)
    if offset >= s.vlmax:
        return result
    if s.held < s.vlmax and offset + s.vl > s.held and where[max(0, s.held - offset) : s.vlmax - offset].any():
        element = max(0, s.held - offset)
        element += int(where[element:].argmax())
        raise _beyond(s, offset + element)
    part = a[offset : offset + s.vl]
    result[: len(part)] = part
    return result


def _beyond(s: Shape, index: int) -> Exception:
    """Return the trap for reading an element that the hardware does not see."""
    rule = (
        f"element {index} of vs2 is read: vl = {s.vl} needs {s.reduced / 8:g} registers, and the hardware reads zeros "
        f"for elements {s.held}..{s.vlmax - 1}, where the standard has values"
    )
    return refuse(rule, "set vl so that the elements that are read lie in the registers it needs")


def gather(bank: Bank, wide: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of `vrgather`, and with `wide` of `vrgatherei16`."""
    s = shape(vtype, vl)
    sources, size = [Group("vs2", vs2, s.lmul, s.bits)], 2 if wide else s.size
    if source != SCALAR:
        sources.append(Group("vs1", source, s.emul(size), 8 * size))
    check(Group("vd", vd, s.lmul, s.bits), sources, masked=not vm, apart=True)
    a, out = bank.elements(vs2, s.held, s.size), bank.elements(vd, vl, s.size)
    active = bank.active(vm, vl)
    everywhere = np.ones(vl, np.bool_)
    if source == SCALAR:
        index: Callable[[int], Array] = lambda value: np.full(vl, min(value, s.vlmax), np.int64)  # noqa: E731
    else:
        b = bank.elements(source, vl, size)
        index = lambda value: b.astype(np.int64)  # noqa: E731
    held, top = s.held, s.vlmax

    def plan(value: int) -> None:
        where = everywhere if active is None else active()
        numbers = index(value)
        outside = numbers >= held
        if outside.any():
            hidden = outside & (numbers < top) & where
            if hidden.any():
                raise _beyond(s, int(numbers[hidden.argmax()]))
            result = np.where(outside, 0, a[np.where(outside, 0, numbers)])
        else:
            result = a[numbers]
        np.copyto(out, result, where=where, casting="unsafe")

    return plan


def compress(bank: Bank, vtype: int, vl: int, vd: int, vs2: int, vs1: int) -> Plan:
    """Return the plan of `vcompress.vm`: the elements of vs2 whose bit in vs1 is set, side by side."""
    s = shape(vtype, vl)
    check(Group("vd", vd, s.lmul, s.bits), [Group("vs2", vs2, s.lmul, s.bits), mask_register("vs1", vs1)], apart=True)
    a, chosen, out = bank.elements(vs2, vl, s.size), bank.bits(vs1, vl), bank.elements(vd, vl, s.size)

    def plan(value: int) -> None:
        taken = a[chosen()]
        out[: len(taken)] = taken

    return plan
