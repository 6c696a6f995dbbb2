"""What vector instructions do: one primitive per shape of an operation, with a number that selects the operation.

The vector unit's rules are checked here and not in the instruction records, since only a primitive knows what `vtype` makes of
a register number. A violation is a trap of kind `illegal_operands` that states the rule; the hardware would hang.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc_coral.primitives import arithmetic, fixed, masks, memory, permute, widening
from kc_coral.primitives.bank import planned
from kc_coral.primitives.groups import vlmax
from kernelcraft_core.isa import Primitive, pure

_STOPS = ("illegal_instruction", "illegal_operands")
_READS = ("illegal_instruction", "illegal_operands", "out_of_bounds")


def _numbered(names: Any) -> str:
    return ", ".join(f"{i} {name if isinstance(name, str) else name[0]}" for i, name in enumerate(names))


def _vector(name: str, build: Callable[..., Any], keys: str, doc: str, result: str = "", more: str = "") -> Primitive:
    """Return a primitive over the vector registers: a value, then whole numbers, one per word of `keys`.

    Args:
        name: as semantics call it.
        build: makes the plan.
        keys: what identifies a plan.
        doc: what it does.
        result: its type; empty for an effect on `v`.
        more: further state it changes.
    """
    states = (f"{'r' if result else 'rw'}:v", *((f"rw:{more}",) if more else ()))
    words = keys.split()
    shown = ", ".join(("v", *((more,) if more else ()), "value", *words))
    return Primitive(
        name, (*states, "int", *("int" for _ in words)), result, planned(build), f"{name}({shown}): {doc}", _STOPS
    )


def _access(name: str, build: Callable[..., Any], keys: str, doc: str) -> Primitive:
    load = name.startswith("load")
    words = keys.split()
    states = ("rw:v", "r:mem") if load else ("r:v", "rw:mem")
    text = f"{name}(v, mem, address, stride, {', '.join(words)}): {doc}"
    return Primitive(name, (*states, "int", "int", *("int" for _ in words)), "", memory.bound(build), text, _READS)


_BINARY = "operation vtype vl vm vd vs2 source"
_FIXED = "operation vtype vl vxrm vm vd vs2 source"
_SOURCE = "source is a register, or 32 for the value"

PRIMITIVES: tuple[Primitive, ...] = (
    pure(
        "vlmax",
        ("int",),
        "int<0,128>",
        vlmax,
        "vlmax(vtype): elements of a register group; 0 if vtype is not supported",
    ),
    _vector(
        "vbinary",
        arithmetic.binary,
        _BINARY,
        f"{_numbered([row.name for row in arithmetic.BINARY])}; {_SOURCE}",
    ),
    _vector("vaccumulate", arithmetic.accumulate, _BINARY, _numbered(arithmetic.ACCUMULATE)),
    _vector("vfixed", fixed.fixed, _FIXED, _numbered([row.name for row in fixed.FIXED]), more="vxsat"),
    _vector("vclip", fixed.clip, _FIXED, _numbered(fixed.CLIPS), more="vxsat"),
    _vector("vwiden", widening.widen, _BINARY, _numbered([row.name for row in widening.WIDENING])),
    _vector(
        "vaccumulate_wide",
        widening.accumulate_wide,
        _BINARY,
        _numbered([row.name for row in widening.WIDE_ACCUMULATE]),
    ),
    _vector("vnarrow", widening.narrow, _BINARY, _numbered(widening.NARROWING)),
    _vector(
        "vextend", widening.extend, "signed factor vtype vl vm vd vs2", "elements that are SEW / factor wide, to SEW"
    ),
    _vector("vcompare", masks.compare, _BINARY, _numbered(masks.COMPARES)),
    _vector(
        "vcarry",
        masks.carry,
        "subtracts gives vtype vl vm vd vs2 source",
        "sum or difference with the carry in v0 (if vm = 0); gives 0: the result, 1: the carry as a mask",
    ),
    _vector("vlogic", masks.logic, "operation vtype vl vd vs2 vs1", f"{_numbered(masks.LOGIC)}, on all bits"),
    _vector("vscan", masks.scan, "operation vtype vl vm vd vs2", _numbered(masks.SCANS)),
    _vector(
        "vcount",
        masks.count,
        "first vtype vl vm vs2",
        "how many bits of a mask are set, or with first the number of the first one, -1 for none",
        result="int<-1,128>",
    ),
    _vector("viota", masks.iota, "vtype vl vm vd vs2", "for each element the number of bits set below it"),
    _vector("videntity", masks.identity, "vtype vl vm vd", "the number of each element"),
    _vector("vreduce", permute.reduce, "operation vtype vl vm vd vs2 vs1", _numbered(permute.REDUCTIONS)),
    _vector("vmove", permute.move, "vtype vl vd source", f"a copy; {_SOURCE}"),
    _vector("vmerge", permute.merge, "vtype vl vd vs2 source", "the source where v0 is set, vs2 elsewhere"),
    _vector("vmove_registers", permute.move_registers, "count vtype vl vd vs2", "whole registers"),
    _vector(
        "vfirst_element",
        permute.first_to_scalar,
        "vtype vl vs2",
        "element 0, zero-extended",
        result="int<0,4294967295>",
    ),
    _vector("vset_first", permute.scalar_to_first, "vtype vl vd", "the value into element 0"),
    _vector(
        "vslide", permute.slide, "operation vtype vl vm vd vs2", f"{_numbered(permute.SLIDES)}, by the value or with it"
    ),
    _vector(
        "vgather",
        permute.gather,
        "wide vtype vl vm vd vs2 source",
        f"the elements of vs2 that the source names; wide: by numbers of 16 bits; {_SOURCE}",
    ),
    _vector("vcompress", permute.compress, "vtype vl vd vs2 vs1", "the elements whose bit is set, side by side"),
    _access("load_unit", memory.load_unit, "width fields vtype vl vm vd", "elements one behind the other"),
    _access("store_unit", memory.store_unit, "width fields vtype vl vm vs3", "elements one behind the other"),
    _access("load_strided", memory.load_strided, "width fields vtype vl vm vd", "elements `stride` bytes apart"),
    _access("store_strided", memory.store_strided, "width fields vtype vl vm vs3", "elements `stride` bytes apart"),
    _access("load_indexed", memory.load_indexed, "width fields vtype vl vm vd vs2", "elements at offsets in vs2"),
    _access("store_indexed", memory.store_indexed, "width fields vtype vl vm vs3 vs2", "elements at offsets in vs2"),
    _access("load_whole", memory.load_whole, "count vtype vl vd", "whole registers; count 0: a mask of vl bits"),
    _access("store_whole", memory.store_whole, "count vtype vl vs3", "whole registers; count 0: a mask of vl bits"),
)
"""All primitives of the vector unit."""

__all__ = ["PRIMITIVES"]
