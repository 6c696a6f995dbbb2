"""Encoding space: which values of the fixed fields are taken, and which an extension may use.

The bits that *every* encoding of a word length fixes are its opcode field (bits 5:0 in one ISA, 6:0 in another).
A value of that field is free when no instruction of any length could be mistaken for a new one that fixes just these.
Where all instructions of a taken value share further fixed bits (a function field), the same is asked again below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import frozen

from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.encoding import Encoding
from kernelcraft_core.isa.isa import Isa

MAX_FIELD_BITS = 12
MAX_DEPTH = 3


@frozen
class Space:
    """The values of one fixed field of words of `width` bits.

    Attributes:
        mask: the bits of the field in the word. base_mask, base_match: what the levels above have fixed already.
        free: field values that a new instruction may take, ascending.
        taken: field value -> names of the instructions of this length that have it; none when the value would only be
            mistaken for the start of a word of another length.
        below: field value -> the space of further fixed bits that its instructions share.
    """

    width: int
    mask: int
    free: tuple[int, ...]
    taken: dict[int, tuple[str, ...]]
    below: dict[int, Space]
    base_mask: int = 0
    base_match: int = 0

    @property
    def total(self) -> int:
        """How many values the field has."""
        return 1 << self.mask.bit_count()

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The (high, low) bit ranges of the field, most significant first."""
        return bit_ranges(self.mask)

    def word(self, value: int) -> tuple[int, int]:
        """Return (mask, match) of an encoding with field value `value`, with what the levels above fix."""
        return self.base_mask | self.mask, self.base_match | _deposit(value, self.mask)

    def encoding(self, value: int) -> str:
        """Return an encoding text with field value `value`; the `-{n}` in it are where operands may go."""
        mask, match = self.word(value)
        tokens: list[str] = []
        for high, low in bit_ranges((1 << self.width) - 1, mask):
            if mask >> low & 1:
                tokens.append(format((match >> low) & ((1 << (high - low + 1)) - 1), f"0{high - low + 1}b"))
            else:
                tokens.append(f"-{{{high - low + 1}}}")
        return " ".join(tokens)

    def text(self, indent: str = "") -> str:
        """Return the space as lines for people."""
        bits = ", ".join(f"{h}:{low}" if h != low else str(h) for h, low in self.ranges)
        width = max(1, -(-self.mask.bit_count() // 4))
        out = [f"{indent}{self.width}-bit words, bits {bits}: {len(self.free)} of {self.total} values are free"]
        if self.free:
            out.append(f"{indent}  free: {_runs(self.free, width)}")
        for value, names in self.taken.items():
            out.append(f"{indent}  {value:#0{width + 2}x}: {_shorten(names)}")
            if value in self.below:
                out.append(self.below[value].text(indent + "    "))
        return "\n".join(out)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "width": self.width,
            "mask": self.mask,
            "bits": [list(pair) for pair in self.ranges],
            "total": self.total,
            "free": list(self.free),
            "taken": {str(value): list(names) for value, names in self.taken.items()},
            "below": {str(value): space.as_dict() for value, space in self.below.items()},
        }


def free_encodings(isa: Isa, *, mask: int | None = None) -> tuple[Space, ...]:
    """Return the encoding space of each word length of `isa`, shortest first.

    Args:
        isa: whose encodings are looked at.
        mask: the field to look at; by default the bits that every encoding of the length fixes. A field of more than 12
            bits is cut to the 12 that tell most instructions apart.
    """
    out = []
    encodings = [d.encoding for d in isa]
    for width in sorted({e.width for e in encodings}):
        members = [d for d in isa if d.encoding.width == width]
        field = _field(members, (1 << width) - 1) if mask is None else mask & ((1 << width) - 1)
        if field.bit_count() > MAX_FIELD_BITS:
            field = _narrow(field, members)
        if field:
            out.append(_space(width, field, 0, 0, members, encodings, 1))
    return tuple(out)


def _space(
    width: int,
    mask: int,
    base_mask: int,
    base_match: int,
    members: Sequence[Definition],
    encodings: Sequence[Encoding],
    depth: int,
) -> Space:
    free: list[int] = []
    taken: dict[int, tuple[str, ...]] = {}
    below: dict[int, Space] = {}
    relevant = [e for e in encodings if not _apart(e, width, base_mask, base_match)]
    for value in range(1 << mask.bit_count()):
        fixed, match = base_mask | mask, base_match | _deposit(value, mask)
        if all(_apart(e, width, fixed, match) for e in relevant):
            free.append(value)
            continue
        users = [d for d in members if (d.encoding.match ^ match) & d.encoding.mask & mask == 0]
        taken[value] = tuple(d.name for d in users)
        inner = _field(users, ((1 << width) - 1) & ~fixed)
        if len(users) > 1 and inner and depth < MAX_DEPTH:
            inner = _narrow(inner, users) if inner.bit_count() > MAX_FIELD_BITS else inner
            below[value] = _space(width, inner, fixed, match, users, relevant, depth + 1)
    return Space(width, mask, tuple(free), taken, below, base_mask, base_match)


def _apart(encoding: Encoding, width: int, mask: int, match: int) -> bool:
    """Return whether no word belongs to both `encoding` and a new one of `width` bits that fixes `mask`."""
    common = (1 << min(encoding.width, width)) - 1
    return (encoding.match ^ match) & encoding.mask & mask & common != 0


def _field(members: Iterable[Definition], within: int) -> int:
    """Return the bits inside `within` that all members fix."""
    mask = within
    for definition in members:
        mask &= definition.encoding.mask
    return mask


def _narrow(mask: int, members: Sequence[Definition]) -> int:
    """Return the bits of `mask` that tell most members apart, at most `MAX_FIELD_BITS`, low bits first when equal."""
    groups = [list(members)]
    chosen = 0
    while chosen.bit_count() < MAX_FIELD_BITS:
        best, best_bit = len(groups), -1
        for bit in (b for b in range(mask.bit_length()) if mask >> b & 1 and not chosen >> b & 1):
            count = sum(len({d.encoding.match >> bit & 1 for d in group}) for group in groups)
            if count > best:
                best, best_bit = count, bit
        if best_bit < 0:
            rest = [b for b in range(mask.bit_length()) if mask >> b & 1 and not chosen >> b & 1]
            return chosen | sum(1 << b for b in rest[: MAX_FIELD_BITS - chosen.bit_count()])
        chosen |= 1 << best_bit
        groups = [
            part
            for group in groups
            for bit in (0, 1)
            if (part := [d for d in group if d.encoding.match >> best_bit & 1 == bit])
        ]
    return chosen


def _deposit(value: int, mask: int) -> int:
    """Return `value` with its bits spread over the set bits of `mask`, lowest first."""
    out, at = 0, 0
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            out |= (value >> at & 1) << bit
            at += 1
    return out


def bit_ranges(mask: int, split: int = 0) -> tuple[tuple[int, int], ...]:
    """Return the (high, low) runs of set bits in `mask`, most significant first, also cut where `split` changes."""
    out: list[tuple[int, int]] = []
    for bit in reversed(range(mask.bit_length())):
        if not mask >> bit & 1:
            continue
        if out and out[-1][1] == bit + 1 and (split >> bit & 1) == (split >> (bit + 1) & 1):
            out[-1] = (out[-1][0], bit)
        else:
            out.append((bit, bit))
    return tuple(out)


def _runs(values: Sequence[int], width: int) -> str:
    """Return ascending values as `0x05, 0x10-0x1f`."""
    parts: list[list[int]] = []
    for value in values:
        if parts and parts[-1][1] == value - 1:
            parts[-1][1] = value
        else:
            parts.append([value, value])
    shown = [f"{a:#0{width + 2}x}" if a == b else f"{a:#0{width + 2}x}-{b:#0{width + 2}x}" for a, b in parts[:40]]
    return ", ".join(shown) + (", ..." if len(parts) > 40 else "")


def _shorten(names: Sequence[str]) -> str:
    if not names:
        return "(the start of a word of another length)"
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
