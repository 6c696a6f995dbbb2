"""The vector registers of a run as numpy views, and the frame of every primitive that works on them.

A primitive is called as `call(value, *key)`: the key holds everything that is fixed for one use of an instruction (operation,
vtype, vl, operand numbers), the value is a scalar register or an immediate. For each key a *plan* is made once: all checks are
done, all views are cut, and calling it does the work. Source number `SCALAR` means that the second operand is the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kc_coral.primitives.groups import VLENB

SCALAR = 32
"""Number of a second source that is no register: the value."""
Plan = Callable[[int], Any]
Array = Any  # numpy arrays of any integer type

SIGNED: dict[int, Any] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
UNSIGNED: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def dtype(size: int, signed: bool) -> Any:
    """Return the numpy type of integers of `size` bytes."""
    return (SIGNED if signed else UNSIGNED)[size]


class Bank:
    """The 32 registers, as arrays of elements of any width."""

    def __init__(self, v: Array) -> None:
        """`v` is the state: uint8, shape (32, 16)."""
        self.bytes = v.reshape(-1)
        self._views = {(s, sign): self.bytes.view(dtype(s, sign)) for s in (1, 2, 4) for sign in (False, True)}

    def elements(self, register: int, count: int, size: int, signed: bool = False) -> Array:
        """Return a view of the first `count` elements of the group that starts at `register`."""
        start = register * VLENB // size
        return self._views[size, signed][start : start + count]

    def bits(self, register: int, count: int) -> Callable[[], Array]:
        """Return a function that gives the first `count` bits of a mask register, as a fresh bool array."""
        row = self.elements(register, (count + 7) // 8, 1)
        return lambda: np.unpackbits(row, count=count, bitorder="little").view(np.bool_)

    def active(self, vm: int, count: int) -> Callable[[], Array] | None:
        """Return a function that gives the mask of the first `count` elements, or None when nothing is masked."""
        return None if vm else self.bits(0, count)

    def put_bits(self, register: int, count: int, vm: int) -> Callable[[Array], None]:
        """Return a function that writes the first `count` bits of a mask register; all others keep their values."""
        row = self.elements(register, (count + 7) // 8, 1)
        active, old, rest = self.active(vm, count), self.bits(register, count), count & 7
        keep = 0xFF << rest & 0xFF

        def put(bits: Array) -> None:
            if active is not None:
                bits = np.where(active(), bits, old())
            packed = np.packbits(bits, bitorder="little")
            if rest:
                packed[-1] |= row[-1] & keep
            row[...] = packed

        return put

    def second(
        self, source: int, count: int, size: int, signed: bool, low_bits: int = 0, wide: int = 0
    ) -> tuple[Array, Callable[[int], None] | None]:
        """Return the second operand and what puts the value of a call into it (None when it is a register group).

        Args:
            source: register number or `SCALAR`.
            count: elements of a group.
            size: bytes of an element.
            signed: how elements are read.
            low_bits: how many low bits of a scalar count, where not all do (shift amounts).
            wide: bytes of the elements that a scalar is held in, where that is not `size`.
        """
        if source != SCALAR:
            return self.elements(source, count, size, signed), None
        filled = np.zeros(count, dtype(wide or size, signed))  # numpy is slow where it has to stretch an operand
        mask = (1 << (low_bits or 8 * size)) - 1
        sign = 1 << 8 * size - 1 if signed else 0

        def put(value: int) -> None:
            filled.fill(((value & mask) ^ sign) - sign)

        return filled, put


def planned(build: Callable[..., Plan]) -> Callable[..., Callable[..., Any]]:
    """Return what binds a primitive: `build(bank, *others, *key)` makes the plan of a key, others being further state."""

    def make(context: Any, v: Array, *others: Any) -> Callable[..., Any]:
        bank = Bank(v)
        plans: dict[tuple[int, ...], Plan] = {}

        def call(value: int, *key: int) -> Any:
            plan = plans.get(key)
            if plan is None:
                plan = plans[key] = build(bank, *others, *key)
            return plan(value)

        return call

    return make
