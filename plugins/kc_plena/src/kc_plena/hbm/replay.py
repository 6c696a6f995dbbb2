"""Outcomes of earlier prefetches, found again up to a renaming of banks and rows.

State. Call the device quiet when no write is queued and no command is so recent that it constrains the next tick. Then
the open rows are the whole state: read queues are empty between transfers, and the read/write preference is settled at
the first tick at which a lane has reads and no writes, whatever it was before. A prefetch that starts quiet ends quiet:
it issues only commands on behalf of its reads, the last of them an RD; every RD is delivered 11 ticks later, every ACT
precedes an RD of its bank by 7 or more and every PRE an ACT by 7 or more, so at the end all are at least 11, 18 and 25
ticks old, and no distance that starts with them (RD 11, ACT 19, PRE 7, seen from the next tick) is still open. The
caller leaves this cache alone while the device is not quiet, that is, after a store until its writes have drained.

Renaming. The rules compare lanes, pseudo-channels, groups, banks and rows for equality and nothing else; age and queue
order come from the order of the batch. So a one-to-one renaming of lanes, of pseudo-channels within a lane, of groups
within a pseudo-channel, of banks within a group and of rows within a bank changes no duration and renames the state.

Key. Distinct (bank, row) pairs of a batch, its slots, are numbered in order of first use. A batch is the slot number of
each of its blocks and, per slot, the place of its bank, each level numbered in order of first use; together with, per
slot, whether its bank is closed, open on this row, or open on another. Batches with equal keys from a quiet device are
renamings of each other in all that the rules can see: banks the batch does not touch never enter, and an open row that
is no slot is closed without being looked at. Hence equal keys give the same duration and the same slots open at the
end; a touched bank always ends open on one of its slots.

Addresses. Building the key costs more than looking it up, so it is kept per pair of addresses taken modulo the 128 KiB
that one row of all banks spans, with the distance of their rows where rows can coincide.

The cache may be shared by simulations and threads: entries are immutable facts, so what is found in it, and when it is
emptied, can change only the speed. Dictionary reads and writes are the only operations on it.
"""

from __future__ import annotations

from typing import NamedTuple

from kc_plena.hbm.blocks import row_blocks, unit_of

MAX_SHAPES = 4096
"""Address pairs after which a cache is emptied (some 20 MB)."""
MAX_OUTCOMES = 8192
"""Outcomes after which a cache is emptied (some 10 MB)."""

ROW_BITS = 17
"""log2 of the bytes one row of all banks spans."""
_ROW_MASK = (1 << ROW_BITS) - 1
_CLOSED, _SAME, _OTHER = 0, 1, 2


class Outcome(NamedTuple):
    """What a prefetch does to a quiet device: ticks from submission to the last delivery, slots open afterwards."""

    ticks: int
    open_slots: tuple[int, ...]


Plan = dict[bytes, Outcome]
"""Outcomes of one batch, up to renaming, by the state of its slots."""
_ShapeKey = tuple[int, int, int, int, int | None]
_PlanKey = tuple[tuple[int, ...], tuple[int, ...]]


class Shape(NamedTuple):
    """A batch up to translation by whole rows: unit and row of each slot, and the outcomes known for it.

    A slot's row is (0 for the element part or 1 for the scale part, offset to the row of that part's first byte).
    """

    units: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]
    plan: Plan

    def slot_rows(self, element: int, scale: int) -> list[int]:
        """The DRAM row of each slot for a batch at these byte addresses."""
        first = (element >> ROW_BITS, scale >> ROW_BITS)
        return [first[part] + offset for part, offset in self.rows]

    def state(self, slot_rows: list[int], open_row: list[int]) -> bytes:
        """Per slot, whether its bank is closed (open row < 0), open on the slot's row or open on another."""
        return bytes(
            [
                _CLOSED if (current := open_row[unit]) < 0 else _SAME if current == row else _OTHER
                for unit, row in zip(self.units, slot_rows, strict=True)
            ]
        )

    def apply(self, outcome: Outcome, slot_rows: list[int], open_row: list[int]) -> None:
        """Leave the open rows as the batch leaves them."""
        units = self.units
        for slot in outcome.open_slots:
            open_row[units[slot]] = slot_rows[slot]

    def observe(self, ticks: int, slot_rows: list[int], open_row: list[int]) -> Outcome:
        """The outcome of a batch that was just simulated and left these open rows."""
        pairs = zip(self.units, slot_rows, strict=True)
        return Outcome(ticks, tuple([slot for slot, (unit, row) in enumerate(pairs) if open_row[unit] == row]))


class ReplayCache:
    """Shapes and plans of one device configuration; bounded, and safe to share."""

    def __init__(self) -> None:
        self._shapes: dict[_ShapeKey, Shape] = {}
        self._plans: dict[_PlanKey, Plan] = {}
        self._held = 0

    def shape(self, element: int, scale: int, rows: int, step: int) -> Shape:
        """The shape of a batch; equal up to renaming means the same plan object."""
        apart: int | None = (scale >> ROW_BITS) - (element >> ROW_BITS)
        low, low_scale = element & _ROW_MASK, scale & _ROW_MASK
        if apart is not None and not -(low_scale + rows * step >> ROW_BITS) <= apart <= low + rows * step >> ROW_BITS:
            apart = None
        key = (low, low_scale, rows, step, apart)
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= MAX_SHAPES:
                self.clear()
            shape = self._shapes[key] = self._build(key)
        return shape

    def record(self, plan: Plan, state: bytes, outcome: Outcome) -> None:
        """Keep an outcome for later batches."""
        if self._held >= MAX_OUTCOMES:
            self.clear()
        self._held += 1
        plan[state] = outcome

    def clear(self) -> None:
        """Forget everything; shapes in use elsewhere stay valid."""
        self._shapes.clear()
        self._plans.clear()
        self._held = 0

    def outcomes(self) -> int:
        """Number of outcomes held."""
        return sum(len(plan) for plan in list(self._plans.values()))

    def _build(self, key: _ShapeKey) -> Shape:
        low, low_scale, rows, step, apart = key
        slots: dict[tuple[int, int, int], int] = {}
        order: list[int] = []
        for pair in row_blocks(low, low_scale, rows, step):
            for part, block in enumerate(pair):
                row = block >> ROW_BITS - 6
                unit = unit_of(block)
                slot = (unit, part, row) if apart is None else (unit, 0, row + part * apart)
                order.append(slots.setdefault(slot, len(slots)))
        units = tuple(unit for unit, _, _ in slots)
        plan = self._plans.setdefault((tuple(order), _canonical(units)), {})
        return Shape(units, tuple((part, row) for _, part, row in slots), plan)


def _canonical(units: tuple[int, ...]) -> tuple[int, ...]:
    """Units with lanes, pseudo-channels, groups and banks renumbered by first use, each within its parent."""
    children: dict[tuple[int, int], dict[int, int]] = {}
    names: dict[int, int] = {}
    for unit in units:
        if unit not in names:
            name = 0
            for shift, bits in ((5, 1), (4, 1), (2, 2), (0, 2)):
                siblings = children.setdefault((shift, unit >> shift + bits), {})
                name = name << bits | siblings.setdefault(unit >> shift, len(siblings))
            names[unit] = name
    return tuple([names[unit] for unit in units])


_shared: dict[int, ReplayCache] = {}


def shared_cache(beat_interval: int) -> ReplayCache:
    """The cache that all simulations of this process with this `beat_interval` share."""
    return _shared.setdefault(beat_interval, ReplayCache())
