"""Compares, carries, and everything that reads or makes masks.

Bits of a mask result at and above vl keep their old values here, except those of mask logic, which works on all 128 bits as the
hardware does; the standard leaves them open, and no program may use them. Source: RVV 1.0, sections 11.4, 11.8 and chapter 15.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kc_coral.primitives.arithmetic import finish
from kc_coral.primitives.bank import SCALAR, Array, Bank, Plan
from kc_coral.primitives.groups import VLENB, Group, check, mask_register, shape

COMPARES: tuple[tuple[str, bool, Any], ...] = (
    ("vmseq", False, np.equal),
    ("vmsne", False, np.not_equal),
    ("vmsltu", False, np.less),
    ("vmslt", True, np.less),
    ("vmsleu", False, np.less_equal),
    ("vmsle", True, np.less_equal),
    ("vmsgtu", False, np.greater),
    ("vmsgt", True, np.greater),
)
"""By number: operation, whether it compares signed numbers, the numpy function."""
LOGIC = ("vmandn", "vmand", "vmor", "vmxor", "vmorn", "vmnand", "vmnor", "vmxnor")
"""By number: operations on whole masks."""
SCANS = ("vmsbf", "vmsof", "vmsif")
"""By number: set the bits before, at, or up to the first one."""


def compare(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of a compare."""
    _, signed, ufunc = COMPARES[op]
    s = shape(vtype, vl)
    sources = [Group("vs2", vs2, s.lmul, s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    check(mask_register("vd", vd), sources)
    a = bank.elements(vs2, vl, s.size, signed)
    b, put = bank.second(source, vl, s.size, signed)
    write = bank.put_bits(vd, vl, vm)

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        write(ufunc(a, b))

    return plan


def carry(bank: Bank, subtracts: int, gives: int, vtype: int, vl: int, vm: int, vd: int, vs2: int, source: int) -> Plan:
    """Return the plan of `vadc`, `vsbc` (`gives` = 0: the sum) and `vmadc`, `vmsbc` (1: its carry); v0 is added if vm = 0."""
    s = shape(vtype, vl)
    sources = [Group("vs2", vs2, s.lmul, s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    vd_group = mask_register("vd", vd) if gives else Group("vd", vd, s.lmul, s.bits)
    check(vd_group, sources, masked=not vm)
    a, (b, put) = bank.elements(vs2, vl, s.size), bank.second(source, vl, s.size, False)
    carried, bits = bank.active(vm, vl), s.bits

    def total() -> Array:
        more = b.astype(np.int64) if carried is None else b.astype(np.int64) + carried()
        return a - more if subtracts else a + more

    if not gives:
        return finish(total, bank.elements(vd, vl, s.size), put)
    write = bank.put_bits(vd, vl, 1)

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        write(total() >> bits != 0)

    return plan


def logic(bank: Bank, op: int, vtype: int, vl: int, vd: int, vs2: int, vs1: int) -> Plan:
    """Return the plan of mask logic."""
    shape(vtype, vl)
    name = LOGIC[op]
    a, b, out = (bank.elements(r, VLENB, 1) for r in (vs2, vs1, vd))
    ufunc = np.bitwise_xor if "x" in name else np.bitwise_and if "and" in name else np.bitwise_or
    inverts, negates = name in ("vmandn", "vmorn"), name in ("vmnand", "vmnor", "vmxnor")

    def plan(value: int) -> None:
        ufunc(a, ~b if inverts else b, out)
        if negates:
            np.invert(out, out)

    return plan


def scan(bank: Bank, op: int, vtype: int, vl: int, vm: int, vd: int, vs2: int) -> Plan:
    """Return the plan of `vmsbf`, `vmsof` and `vmsif`."""
    shape(vtype, vl)
    check(mask_register("vd", vd), [mask_register("vs2", vs2)], masked=not vm, apart=True)
    name, bits, active, write = SCANS[op], bank.bits(vs2, vl), bank.active(vm, vl), bank.put_bits(vd, vl, vm)
    numbers = np.arange(vl)

    def plan(value: int) -> None:
        given = bits() if active is None else bits() & active()
        first = int(given.argmax()) if given.any() else vl
        write(numbers < first if name == "vmsbf" else numbers == first if name == "vmsof" else numbers <= first)

    return plan


def count(bank: Bank, first: int, vtype: int, vl: int, vm: int, vs2: int) -> Plan:
    """Return the plan of `vcpop.m` (`first` = 0: how many bits are set) and `vfirst.m` (1: which is the first, -1: none)."""
    shape(vtype, vl, empty=not first)
    bits, active = bank.bits(vs2, vl), bank.active(vm, vl)

    def plan(value: int) -> int:
        given = bits() if active is None else bits() & active()
        if not first:
            return int(np.count_nonzero(given))
        return int(given.argmax()) if given.any() else -1

    return plan


def iota(bank: Bank, vtype: int, vl: int, vm: int, vd: int, vs2: int) -> Plan:
    """Return the plan of `viota.m`: the number of bits that are set below each element."""
    s = shape(vtype, vl)
    check(Group("vd", vd, s.lmul, s.bits), [mask_register("vs2", vs2)], masked=not vm, apart=True)
    bits, active = bank.bits(vs2, vl), bank.active(vm, vl)

    def numbers() -> Array:
        given = bits() if active is None else bits() & active()
        return np.cumsum(given) - given

    return finish(numbers, bank.elements(vd, vl, s.size), None, active)


def identity(bank: Bank, vtype: int, vl: int, vm: int, vd: int) -> Plan:
    """Return the plan of `vid.v`: the number of each element."""
    s = shape(vtype, vl)
    check(Group("vd", vd, s.lmul, s.bits), masked=not vm)
    numbers = np.arange(vl)
    return finish(lambda: numbers, bank.elements(vd, vl, s.size), None, bank.active(vm, vl))
