"""Fixed-point arithmetic: saturation, averages, scaling shifts, fractional products, clips.

Computed in 64 bits, then rounded as `vxrm` says and clipped; `vxsat` is set when an active element was clipped.
Source: RVV 1.0, chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen

from kc_coral.primitives.bank import SCALAR, Array, Bank, Plan
from kc_coral.primitives.groups import Group, Shape, check, refuse, shape

NEAREST_UP, NEAREST_EVEN, DOWN, TO_ODD = range(4)
"""Rounding modes, by the value of vxrm."""


def rounded(value: Array, shift: Array, mode: int) -> Array:
    """Return `value >> shift` rounded.

    Args:
        value: int64, magnitudes below 2**62. shift: int64, 0..62, of the same length or one for all.
        shift: see `value`.
        mode: 0 to nearest, halves up; 1 to nearest, halves to even; 2 down; 3 to odd.
    """
    if mode == NEAREST_UP:
        return value + ((1 << shift) >> 1) >> shift
    kept = value >> shift
    if mode == DOWN:
        return kept
    half = (1 << shift) >> 1
    below = value & (1 << shift) - 1  # what is shifted out
    if mode == NEAREST_EVEN:
        return kept + ((below > half) | (below == half) & (shift > 0) & (kept & 1 == 1))
    return kept | (below != 0)


Exact = Callable[[Array, Array, int, int], Array]
"""`exact(a, b, bits, vxrm)`: the result before it is clipped."""


@frozen
class Fixed:
    """One row of the table: name, how operands and result are read, the exact result, whether it can be too large."""

    name: str
    signed: bool
    exact: Exact
    clips: bool = True
    shift: bool = False


def _sum(a: Array, b: Array, bits: int, mode: int) -> Array:
    return a + b


def _difference(a: Array, b: Array, bits: int, mode: int) -> Array:
    return a - b


def _mean(a: Array, b: Array, bits: int, mode: int) -> Array:
    return rounded(a + b, np.int64(1), mode)


def _half_difference(a: Array, b: Array, bits: int, mode: int) -> Array:
    return rounded(a - b, np.int64(1), mode)


def _scaled(a: Array, b: Array, bits: int, mode: int) -> Array:
    return rounded(a, b & bits - 1, mode)


def _fraction(a: Array, b: Array, bits: int, mode: int) -> Array:
    return rounded(a * b, np.int64(bits - 1), mode)


FIXED: tuple[Fixed, ...] = (
    Fixed("vsaddu", False, _sum),
    Fixed("vsadd", True, _sum),
    Fixed("vssubu", False, _difference),
    Fixed("vssub", True, _difference),
    Fixed("vaaddu", False, _mean, clips=False),
    Fixed("vaadd", True, _mean, clips=False),
    Fixed("vasubu", False, _half_difference, clips=False),
    Fixed("vasub", True, _half_difference, clips=False),
    Fixed("vssrl", False, _scaled, clips=False, shift=True),
    Fixed("vssra", True, _scaled, clips=False, shift=True),
    Fixed("vsmul", True, _fraction),
)
"""By number: fixed-point operations on two operands."""
CLIPS = ("vnclipu", "vnclip")
"""By number: narrowing with saturation."""


def limits(bits: int, signed: bool) -> tuple[int, int]:
    """Return the smallest and the largest number of `bits` bits."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def _plan(
    compute: Callable[[], Array],
    out: Array,
    put: Callable[[int], None] | None,
    active: Callable[[], Array] | None,
    span: tuple[int, int] | None,
    vxsat: list[int],
) -> Plan:
    """Return a plan that computes, clips to `span` (if there is one), notes that, and writes the active elements."""

    def plan(value: int) -> None:
        if put is not None:
            put(value)
        result, mask = compute(), None if active is None else active()
        if span is not None:
            clipped = np.minimum(np.maximum(result, span[0]), span[1])
            differs = clipped != result
            if (differs if mask is None else differs & mask).any():
                vxsat[0] = 1
            result = clipped
        if mask is None:
            out[...] = result
        else:
            np.copyto(out, result, casting="unsafe", where=mask)

    return plan


def fixed(
    bank: Bank, vxsat: list[int], op: int, vtype: int, vl: int, vxrm: int, vm: int, vd: int, vs2: int, source: int
) -> Plan:
    """Return the plan of a fixed-point operation."""
    row, s = FIXED[op], shape(vtype, vl)
    sources = [Group("vs2", vs2, s.lmul, s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    check(Group("vd", vd, s.lmul, s.bits), sources, masked=not vm)
    a = bank.elements(vs2, vl, s.size, row.signed)
    b, put = bank.second(source, vl, s.size, row.signed and not row.shift)
    out, exact, bits = bank.elements(vd, vl, s.size, row.signed), row.exact, s.bits
    span = limits(bits, row.signed) if row.clips else None

    def compute() -> Array:
        return exact(a.astype(np.int64), b.astype(np.int64), bits, vxrm)

    return _plan(compute, out, put, bank.active(vm, vl), span, vxsat)


def narrowing_groups(s: Shape, vd: int, vs2: int, source: int, vm: int) -> None:
    """Check the groups of an instruction whose vs2 is twice as wide as its result.

    Raises:
        Trap: `illegal_operands`.
    """
    check_widening(s)
    sources = [Group("vs2", vs2, 2 * s.lmul, 2 * s.bits)]
    if source != SCALAR:
        sources.append(Group("vs1", source, s.lmul, s.bits))
    check(Group("vd", vd, s.lmul, s.bits), sources, masked=not vm)


def check_widening(s: Shape, *, groups: bool = True) -> None:
    """Refuse widening where the double width does not exist; with `groups` also where its group would be too large.

    Raises:
        Trap: `illegal_operands`.
    """
    if s.size > 2:
        raise refuse("SEW is 32: there are no elements of 64 bits to widen to or narrow from")
    if groups and s.lmul > 32:
        raise refuse("LMUL is 8: the group of twice the width would have 16 registers")


def clip(
    bank: Bank, vxsat: list[int], op: int, vtype: int, vl: int, vxrm: int, vm: int, vd: int, vs2: int, source: int
) -> Plan:
    """Return the plan of `vnclip` and `vnclipu`."""
    signed, s = CLIPS[op] == "vnclip", shape(vtype, vl)
    narrowing_groups(s, vd, vs2, source, vm)
    a = bank.elements(vs2, vl, 2 * s.size, signed)
    low = 2 * s.bits - 1
    b, put = bank.second(source, vl, s.size, False, low.bit_length())

    def compute() -> Array:
        return rounded(a.astype(np.int64), b.astype(np.int64) & low, vxrm)

    out = bank.elements(vd, vl, s.size, signed)
    return _plan(compute, out, put, bank.active(vm, vl), limits(s.bits, signed), vxsat)
