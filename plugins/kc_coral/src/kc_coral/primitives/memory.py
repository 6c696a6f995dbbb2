"""Vector loads and stores, in all addressing modes.

All addresses of a load are checked before a register changes, and those of a store before memory does; the trap names the
first element that is at fault. Elements are moved in order, so the last of several stores to a byte wins. Fault-only-first
loads are plain loads here: what faults behind element 0 stops the program too.

Source: RVV 1.0, chapter 7; google-coral/coralnpu (early 2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

from kc_coral.primitives.bank import Array, Bank, dtype
from kc_coral.primitives.groups import VLENB, Group, Shape, check_group, check_overlap, refuse, shape
from kernelcraft_core.isa import Trap

ADDRESSES = 0xFFFF_FFFF
WINDOW = 1 << 13
"""Accesses that lie within so many bytes are done together."""
Access = Callable[[int, int], None]
"""A plan: `access(address, stride)`."""


def bound(build: Callable[..., Access]) -> Callable[..., Callable[..., None]]:
    """Return what binds a primitive: `build(bank, memory, *key)` makes the access of a key."""

    def make(context: Any, v: Array, memory: Any) -> Callable[..., None]:
        bank = Bank(v)
        plans: dict[tuple[int, ...], Access] = {}

        def call(address: int, stride: int, *key: int) -> None:
            plan = plans.get(key)
            if plan is None:
                plan = plans[key] = build(bank, memory, *key)
            plan(address, stride)

        return call

    return make


# ------------------------------------------------------------------------------------------------------------- checking


def _check_fields(s: Shape, register: int, size: int, fields: int, operand: str) -> Group:
    """Refuse field groups that are not aligned, too many, or not where standard and hardware both have them.

    Raises:
        Trap: `illegal_operands`.
    """
    group = Group(operand, register, s.emul(size), 8 * size)
    check_group(group)
    if fields > 1:
        if fields * group.count > 8:
            raise refuse(f"{fields} fields of {group.count} registers: a segment access has at most 8 registers")
        if register + fields * group.count > 32:
            raise refuse(f"{fields} fields of {group.count} registers from v{register} on run past v31")
        needed = max(1, s.reduced * size // s.size // 8)
        if needed != group.count:
            rule = (
                f"vl = {s.vl} needs {needed} of the {group.count} registers of a field: the hardware puts the next field "
                f"{needed} behind, the standard {group.count}"
            )
            raise refuse(rule, "choose the LMUL that fits vl")
    return group


def _check_load(group: Group, fields: int, vm: int, index: Group | None) -> None:
    """Refuse a load over its mask or, where that is not allowed, over its indices.

    Raises:
        Trap: `illegal_operands`.
    """
    if not vm and group.register == 0:
        raise refuse(f"{group.text} holds v0, which masks this load")
    if index is not None:
        everything = Group("vd", group.register, 8 * fields * group.count, group.bits)
        check_overlap(everything if fields > 1 else group, index, apart=fields > 1)


# --------------------------------------------------------------------------------------------------------------- moving


@frozen(eq=False)
class Mover:
    """Moves elements of a group, or of the groups of a segment, between registers and addresses.

    Attributes:
        memory: the address space. size: bytes of an element.
        fields: a view of the elements of each field.
    """

    memory: Any
    size: int
    fields: tuple[Array, ...]

    @property
    def segment(self) -> int:
        """Bytes of one element of all fields."""
        return self.size * len(self.fields)

    def load(self, addresses: Array, elements: Array) -> None:
        """Load the segment at `addresses[i]` into element `elements[i]`; both int64."""
        if not len(addresses):
            return
        window, offsets = self._window(addresses, "load")
        if window is None:
            data = np.array([self._read(int(a)) for a in addresses], dtype(self.size, False))
        else:
            data = window[offsets].view(dtype(self.size, False))
        for f, field in enumerate(self.fields):
            field[elements] = data[:, f]

    def store(self, addresses: Array, elements: Array) -> None:
        """Store element `elements[i]` of all fields at `addresses[i]`."""
        if not len(addresses):
            return
        data = np.stack([field[elements] for field in self.fields], axis=1).view(np.uint8)
        window, offsets = self._window(addresses, "store")
        if window is None:
            places = [self._target(int(a)) for a in addresses]
            for place, segment in zip(places, data.reshape(len(places), len(self.fields), -1), strict=True):
                for f, part in enumerate(place):
                    part[...] = segment[f]
        else:
            window[offsets] = data

    def _window(self, addresses: Array, what: str) -> tuple[Array | None, Array]:
        """Return (bytes that all segments lie in, index of each byte of them), or no bytes: go one by one."""
        low, end = int(addresses.min()), int(addresses.max()) + self.segment
        window = self.memory.window(what, low, end - low) if end - low <= WINDOW else None
        if window is None:  # one may be at fault, they lie in different memories, or something is not defined
            return None, addresses
        return window, (addresses - low)[:, None] + np.arange(self.segment)

    def _read(self, address: int) -> list[int]:
        return [self.memory.load(address + f * self.size & ADDRESSES, self.size) for f in range(len(self.fields))]

    def _target(self, address: int) -> list[Array]:
        return [self.memory.target(address + f * self.size & ADDRESSES, self.size) for f in range(len(self.fields))]


def _mover(
    bank: Bank, memory: Any, s: Shape, register: int, size: int, fields: int, operand: str
) -> tuple[Mover, Group]:
    group = _check_fields(s, register, size, fields, operand)
    views = tuple(bank.elements(register + f * group.count, s.vl, size) for f in range(fields))
    return Mover(memory, size, views), group


def _chosen(bank: Bank, vm: int, vl: int) -> Callable[[], Array]:
    """Return a function that gives the numbers of the active elements."""
    everything, active = np.arange(vl), bank.active(vm, vl)
    return lambda: everything if active is None else np.flatnonzero(active())


# ---------------------------------------------------------------------------------------------------------- unit stride


def load_unit(bank: Bank, memory: Any, width: int, fields: int, vtype: int, vl: int, vm: int, vd: int) -> Access:
    """Return the plan of a unit-stride load of elements of `width` bits."""
    s, size = shape(vtype, vl), width // 8
    mover, group = _mover(bank, memory, s, vd, size, fields, "vd")
    _check_load(group, fields, vm, None)
    chosen, step = _chosen(bank, vm, vl), fields * size
    out, length = bank.elements(vd, vl * size, 1), vl * size
    plain, window = bool(vm) and fields == 1, memory.window

    def access(address: int, stride: int) -> None:
        if plain:
            place = window("load", address, length)
            if place is not None:
                out[...] = place
                return
        elements = chosen()
        mover.load(address + step * elements & ADDRESSES, elements)

    return access


def store_unit(bank: Bank, memory: Any, width: int, fields: int, vtype: int, vl: int, vm: int, vs3: int) -> Access:
    """Return the plan of a unit-stride store of elements of `width` bits."""
    s, size = shape(vtype, vl), width // 8
    mover, _ = _mover(bank, memory, s, vs3, size, fields, "vs3")
    chosen, step = _chosen(bank, vm, vl), fields * size
    data, length = bank.elements(vs3, vl * size, 1), vl * size
    plain = bool(vm) and fields == 1

    def access(address: int, stride: int) -> None:
        if plain:
            try:
                place = memory.target(address, length)
            except Trap:
                pass
            else:
                place[...] = data
                return
        elements = chosen()
        mover.store(address + step * elements & ADDRESSES, elements)

    return access


# -------------------------------------------------------------------------------------------------------------- strided


def load_strided(bank: Bank, memory: Any, width: int, fields: int, vtype: int, vl: int, vm: int, vd: int) -> Access:
    """Return the plan of a strided load; the stride in bytes is the second value, 32 bits with sign."""
    mover, group = _mover(bank, memory, shape(vtype, vl), vd, width // 8, fields, "vd")
    _check_load(group, fields, vm, None)
    chosen = _chosen(bank, vm, vl)

    def access(address: int, stride: int) -> None:
        elements = chosen()
        mover.load(address + _signed(stride) * elements & ADDRESSES, elements)

    return access


def store_strided(bank: Bank, memory: Any, width: int, fields: int, vtype: int, vl: int, vm: int, vs3: int) -> Access:
    """Return the plan of a strided store."""
    mover, _ = _mover(bank, memory, shape(vtype, vl), vs3, width // 8, fields, "vs3")
    chosen = _chosen(bank, vm, vl)

    def access(address: int, stride: int) -> None:
        elements = chosen()
        addresses = address + _signed(stride) * elements & ADDRESSES
        _check_segments(mover, addresses)
        mover.store(addresses, elements)

    return access


def _signed(stride: int) -> int:
    return stride - (1 << 32) if stride >> 31 else stride


def _check_segments(mover: Mover, addresses: Array) -> None:
    """Refuse segments that overlap in memory: the hardware writes them field by field, the standard has no order.

    Raises:
        Trap: `illegal_operands`.
    """
    if len(mover.fields) > 1 and len(addresses) > 1 and np.diff(np.sort(addresses)).min() < mover.segment:
        raise refuse(f"segments of {mover.segment} bytes overlap in memory: the order of their bytes is not defined")


# -------------------------------------------------------------------------------------------------------------- indexed


def _indices(bank: Bank, s: Shape, width: int, vs2: int) -> tuple[Group, Array]:
    group = Group("vs2", vs2, s.emul(width // 8), width)
    check_group(group)
    return group, bank.elements(vs2, s.vl, width // 8)


def load_indexed(
    bank: Bank, memory: Any, width: int, fields: int, vtype: int, vl: int, vm: int, vd: int, vs2: int
) -> Access:
    """Return the plan of an indexed load; `width` is that of the indices, elements are of SEW."""
    s = shape(vtype, vl)
    index, indices = _indices(bank, s, width, vs2)
    mover, group = _mover(bank, memory, s, vd, s.size, fields, "vd")
    _check_load(group, fields, vm, index)
    chosen = _chosen(bank, vm, vl)

    def access(address: int, stride: int) -> None:
        elements = chosen()
        mover.load(address + indices[elements].astype(np.int64) & ADDRESSES, elements)

    return access


def store_indexed(
    bank: Bank, memory: Any, width: int, fields: int, vtype: int, vl: int, vm: int, vs3: int, vs2: int
) -> Access:
    """Return the plan of an indexed store."""
    s = shape(vtype, vl)
    _, indices = _indices(bank, s, width, vs2)
    mover, _ = _mover(bank, memory, s, vs3, s.size, fields, "vs3")
    chosen = _chosen(bank, vm, vl)

    def access(address: int, stride: int) -> None:
        elements = chosen()
        addresses = address + indices[elements].astype(np.int64) & ADDRESSES
        _check_segments(mover, addresses)
        mover.store(addresses, elements)

    return access


# ------------------------------------------------------------------------------------------------ whole registers, masks


def _length(vtype: int, vl: int, count: int, register: int, operand: str) -> int:
    """Return the bytes of `count` whole registers, or of a mask where `count` is 0."""
    if not count:
        shape(vtype, vl)
        return (vl + 7) // 8
    shape(vtype, vl, empty=True)
    check_group(Group(operand, register, 8 * count, 8))
    return count * VLENB


def load_whole(bank: Bank, memory: Any, count: int, vtype: int, vl: int, vd: int) -> Access:
    """Return the plan of a load of `count` whole registers, or with 0 of the bytes of a mask of vl bits."""
    length = _length(vtype, vl, count, vd, "vd")
    out = bank.elements(vd, length, 1)
    mover, elements, window = Mover(memory, 1, (out,)), np.arange(length), memory.window

    def access(address: int, stride: int) -> None:
        place = window("load", address, length)
        if place is not None:
            out[...] = place
            return
        mover.load(address + elements & ADDRESSES, elements)

    return access


def store_whole(bank: Bank, memory: Any, count: int, vtype: int, vl: int, vs3: int) -> Access:
    """Return the plan of a store of `count` whole registers, or with 0 of the bytes of a mask of vl bits."""
    length = _length(vtype, vl, count, vs3, "vs3")
    data = bank.elements(vs3, length, 1)
    mover, elements, window = Mover(memory, 1, (data,)), np.arange(length), memory.window

    def access(address: int, stride: int) -> None:
        place = window("store", address, length)
        if place is not None:
            place[...] = data
            return
        mover.store(address + elements & ADDRESSES, elements)

    return access
