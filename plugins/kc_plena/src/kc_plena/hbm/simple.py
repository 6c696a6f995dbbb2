"""A substitute for the exact DRAM model: bus occupancy plus one row latency. Not exact; name it when reporting cycles.

A pseudo-channel delivers one beat per `beat_interval` ns, a transfer lasts as long as its busiest pseudo-channel, and
only the first access of each sees the latency of its row. Queues, refusals, activation windows and write traffic are
left out. Measured against the exact model on the template programs of KernelCraft table 15 and an attention kernel:
total cycles within 0.7 % with the 4 ns bus and 0.8 % with the 2 ns bus, programs with matrix products within 0.2 % and
0.5 %. Single transfers are less faithful: vectors -7 % to +22 % and tiles -34 % to +9 % with the 4 ns bus, and tiles
down to -59 % with the 2 ns bus. Tiles whose rows are 512 bytes or more apart are worst, where blocked queues dominate.

Source of the machine: AICrossSim/PLENA at ecd5acb (behavioral_simulator) on CMU-SAFARI/ramulator2 e442c64.
"""

from __future__ import annotations

from collections.abc import Iterable

from kc_plena.hbm.blocks import row_blocks, unit_of

COLUMN = 11
"""ns from a column command to the data: 7 column access + 4 burst."""
ACTIVATE = 7
"""ns to open a row, and again to close another one first."""
RECENT = 16
"""ns for which the last scale block of a store is taken to wait in the write queue still, where reads find it."""


class SimpleHbm:
    """The substitute with the `HbmTiming` interface. `beat_interval` is the ns a beat holds its bus (4 or 2)."""

    def __init__(self, *, beat_interval: int = 4) -> None:
        self._beat_interval = beat_interval
        self._last_row: dict[int, int] = {}
        self._queued_block = -1
        self._queued_until = -1

    def prefetch(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Duration in ns of reading `rows` rows: max over pseudo-channels of 11 + penalty + B * (beats - 1)."""
        return self._read(block for pair in row_blocks(element, scale, rows, step) for block in pair)

    def store(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Duration in ns of storing `rows` rows one after the other.

        A write takes no time. A row costs its scale read plus 1 ns: 0 when the block was written just before (by the
        previous row, or by a store that ended at most `RECENT` ns ago), else 11 + penalty; one ns less in total,
        because only later rows start in an ns whose tick has passed. Four rows with one scale block: 18 + 3 cold, 14
        with an open row, 3 when just written.
        """
        blocks = row_blocks(element, scale, rows, step)
        queued = self._queued_block if now <= self._queued_until else -1
        duration = -1
        for _, scale_block in blocks:
            duration += 1 if scale_block == queued else 1 + self._read([scale_block])
            queued = scale_block
        for element_block, _ in blocks:
            self._last_row[unit_of(element_block)] = element_block >> 11
        self._queued_block, self._queued_until = queued, now + duration + RECENT
        return duration

    def _read(self, blocks: Iterable[int]) -> int:
        """One batch of reads. The four channels of a quad get one beat of each block, so one of them is counted."""
        finish: dict[int, int] = {}
        for block in blocks:
            unit, row = unit_of(block), block >> 11
            bus = unit >> 4
            if bus in finish:
                finish[bus] += self._beat_interval
            else:
                last = self._last_row.get(unit)
                finish[bus] = COLUMN + (ACTIVATE if last is None else 0 if last == row else 2 * ACTIVATE)
            self._last_row[unit] = row
        return max(finish.values())
