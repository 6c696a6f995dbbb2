"""Functional interpreter of the Coral NPU: vector loads and stores; a test oracle.

Source: RVV 1.0; google-coral/coralnpu (early 2026) where the measured hardware differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coral_reference.decode import signed
from coral_reference.rules import Group, check_group, check_overlap, fail, reduced

if TYPE_CHECKING:
    from coral_reference.machine import Event
    from coral_reference.vector import Unit

VLENB = 16


def execute(u: Unit, event: Event) -> None:
    """Execute a vector load or store."""
    i, m = u.i, u.m
    event.address = base = m.x[i.rs1]
    if i.mode in ("whole", "mask"):
        count = i.nf * VLENB if i.mode == "whole" else (m.vl + 7) // 8
        check_group(Group(i.rd, 8 * i.nf, 8))
        for e in range(count):
            _move(u, i.rd, e, base + e, 1)
        return
    size = u.sew if i.mode == "indexed" else i.width
    emul = u.lmul * size // u.sew
    fields = _check(u, emul, size)
    active = list(u.active())
    if i.masked:
        event.mask = sum(1 << e for e in active)
    event.stride = stride = signed(m.x[i.rs2], 32) if i.mode == "strided" else i.nf * size
    offsets = [e * stride for e in range(m.vl)]
    if i.mode == "indexed":
        offsets = [u.get(i.rs2, e, False, i.width) for e in range(m.vl)]
        event.indices = tuple(offsets)
    for e in active:
        for f in range(i.nf):
            _move(u, i.rd + f * fields, e, base + offsets[e] + f * size, size)


def _move(u: Unit, register: int, element: int, address: int, size: int) -> None:
    if u.i.name == "vload":
        u.put(register, element, u.m.load(address, size), size)
    else:
        u.m.store(address, size, u.get(register, element, False, size))


def _check(u: Unit, emul: int, size: int) -> int:
    """Refuse what the rules forbid; return the registers of one field."""
    i = u.i
    data = Group(i.rd, emul, 8 * size)
    check_group(data)
    registers = data.count
    if i.nf > 1:
        scaled = max(1, reduced(u.m.vl, u.m.vtype) * size // u.sew // 8)
        if i.nf * registers > 8 or i.rd + i.nf * registers > 32:
            fail("segment fields do not fit")
        if scaled != registers:
            fail("vl leaves registers of a segment field unused")
    everything = Group(i.rd, 8 * registers * i.nf, 8 * size)
    if i.mode == "indexed":
        index = Group(i.rs2, u.lmul * i.width // u.sew, 8 * i.width)
        check_group(index)
        if i.name == "vload":
            if i.nf > 1 and everything.overlaps(index):
                fail("segments overlap the indices")
            check_overlap(data, index, never=False)
    if i.name == "vload" and i.masked and i.rd == 0:
        fail("masked result in v0")
    return registers
