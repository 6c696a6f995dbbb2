"""What the scoreboard remembers between two instructions, absolute or relative to the last dispatch.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), measured on the generated RTL to the cycle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from kc_coral.timing_params import TimingParams

NEVER = -1000
"""A time before everything."""
UNITS = 5

Snapshot = tuple[Any, ...]


def _ring(size: int) -> deque[int]:
    return deque([NEVER] * size, maxlen=size)


class State:
    """Time stamps, in cycles. A ring holds the last times of its kind, the oldest first.

    Attributes:
        last: dispatch of the last instruction.
        config: `vl << 8 | vtype`.
        fetch: start of the last fetch.
        cut: the next instruction starts a fetch line, wherever it is.
        redirected: the last instruction was mispredicted.
        pending: the last instruction is a control transfer: it completes when the next one is fetched.
        dispatched: ring of dispatch cycles.
        group: bit set of the fields 11:7 of the dispatch group of cycle `last`.
        group_size: its instructions.
        group_ended: it takes no more.
        group_vset: it has a vset.
        group_mul: it has a multiplication.
        vector_last: the last cycle that dispatched a vector instruction.
        vector_before: the one before.
        ready: per scalar register, the first cycle in which it can be used; -1 when never written.
        left: ring of the cycles in which instructions left the window.
        divider: first cycle in which the scalar divider is free.
        memory_free: first cycle in which the load/store unit is free.
        starts: ring of the start cycles of loads and stores.
        store_events: per address of a vector store, the times at which its iterations complete some pass.
        decode: cycle in which the last vector instruction was decoded, with counts of instructions and micro-ops.
        issued: ring of issue cycles.
        issue: cycle of the last issue, with counts of micro-ops and register reads.
        vready: per vector register, the first cycle in which it can be used.
        hold_from: per vector register, issue of the micro-op that stores it ...
        hold_until: ... and its retirement; `hold_any` is the latest.
        retired: ring of retirements.
        retire: cycle of the last retirement, with a count.
        station: per unit, ring of the cycles in which micro-ops left its waiting places.
        start: per unit, the last start cycle, with a count in `start_count`.
        prc_free: first cycle in which PRC is free.
        div_free: the same for the vector divider.
    """

    def __init__(self, params: TimingParams) -> None:
        self.params = p = params
        self.last = -1
        self.config = 0
        self.fetch = -p.fetch_latency - p.fetch_period
        self.cut, self.redirected, self.pending = True, False, False
        self.dispatched = _ring(p.fetch_back)
        self.group = self.group_size = 0
        self.group_ended, self.group_vset, self.group_mul = True, False, False
        self.vector_last = self.vector_before = NEVER
        self.ready = [-1] * 32
        self.left = _ring(p.window)
        self.divider = self.memory_free = 0
        self.starts = _ring(p.load_store_queue)
        self.store_events: dict[int, list[int]] = {}
        self.decode, self.decode_instructions, self.decode_uops = NEVER, 0, 0
        self.issued = _ring(p.uop_queue)
        self.issue, self.issue_count, self.issue_reads = NEVER, 0, 0
        self.vready = [NEVER] * 32
        self.hold_from = [NEVER] * 32
        self.hold_until = [NEVER] * 32
        self.hold_any = NEVER
        self.retired = _ring(p.reorder)
        self.retire, self.retire_count = NEVER, 0
        self.station = [_ring(p.station) for _ in range(UNITS)]
        self.start = [NEVER] * UNITS
        self.start_count = [0] * UNITS
        self.prc_free = self.div_free = NEVER

    def snapshot(self) -> Snapshot:
        """Return the state relative to `last`; two states that no future can tell apart mostly give equal tuples.

        Times that lie too far back to delay anything are raised to a common floor: scalar times to the cycle of the last
        dispatch, vector times to the first cycle a later micro-op could be issued or started in, and fetch times to where
        the instruction buffer hides them.
        """
        base, p = self.last, self.params
        u = p.decode_latency + 1  # no later micro-op issues before
        f = -p.fetch_latency - p.fetch_period * (p.fetch_back + 2)

        def at(time: int, low: int) -> int:
            return time - base if time - base > low else low

        def all_at(times: Iterable[int], low: int) -> tuple[int, ...]:
            bound = base + low
            return tuple([t - base if t > bound else low for t in times])

        held = tuple(
            (r, at(self.hold_from[r], u - 1), self.hold_until[r] - base)
            for r in range(32)
            if self.hold_until[r] - base >= u
        )
        events = tuple(
            (pc, tuple(e - base for e in times if e > base)) for pc, times in sorted(self.store_events.items())
        )
        return (
            (self.config, self.cut, self.redirected, self.pending),
            (self.group, self.group_size, self.group_ended, self.group_vset, self.group_mul),
            (at(self.fetch, f), at(self.vector_last, -2), at(self.vector_before, -2), at(self.divider, 0)),
            (at(self.memory_free, 0), at(self.prc_free, u + 1), at(self.div_free, u + 1)),
            (self.decode - base, self.decode_instructions, self.decode_uops) if self.decode - base >= u - 1 else None,
            (self.issue - base, self.issue_count, self.issue_reads) if self.issue - base >= u else None,
            (at(self.retire, -1), self.retire_count if self.retire - base >= u else 0),
            all_at(self.dispatched, f),
            all_at(self.ready, -1),
            all_at(self.left, -1),
            all_at(self.starts, -1),
            all_at(self.issued, u - 2),
            all_at(self.vready, u),
            all_at(self.retired, u),
            tuple([all_at(ring, u - 1) for ring in self.station]),
            tuple(
                [(t - base, n) if t - base > u else (u, 0) for t, n in zip(self.start, self.start_count, strict=True)]
            ),
            held,
            tuple([event for event in events if event[1]]),
        )

    def restore(self, snapshot: Snapshot, last: int) -> None:
        """Take over a snapshot, with the last dispatch in cycle `last`."""

        def back(times: Iterable[int]) -> list[int]:
            return [t + last for t in times]

        self.last = last
        (flags, group, free, units, decode, issue, retire, *rings, station, start, held, events) = snapshot
        self.config, self.cut, self.redirected, self.pending = flags
        self.group, self.group_size, self.group_ended, self.group_vset, self.group_mul = group
        self.fetch, self.vector_last, self.vector_before, self.divider = back(free)
        self.memory_free, self.prc_free, self.div_free = back(units)
        self.decode, self.decode_instructions, self.decode_uops = (
            (decode[0] + last, *decode[1:]) if decode else (NEVER, 0, 0)
        )
        self.issue, self.issue_count, self.issue_reads = (issue[0] + last, *issue[1:]) if issue else (NEVER, 0, 0)
        self.retire, self.retire_count = retire[0] + last, retire[1]
        for ring, times in zip(
            (self.dispatched, self.left, self.starts, self.issued, self.retired), _pick(rings), strict=True
        ):
            ring.extend(back(times))
        self.ready, self.vready = back(rings[1]), back(rings[5])
        for ring, times in zip(self.station, station, strict=True):
            ring.extend(back(times))
        self.start = [t + last for t, _ in start]
        self.start_count = [n for _, n in start]
        self.hold_from, self.hold_until = [NEVER] * 32, [NEVER] * 32
        for register, first, until in held:
            self.hold_from[register], self.hold_until[register] = first + last, until + last
        self.hold_any = max(self.hold_until)
        self.store_events = {pc: back(times) for pc, times in events}


def _pick(rings: list[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Return the rings among `rings`: dispatched, left, starts, issued, retired."""
    dispatched, _, left, starts, issued, _, retired = rings
    return dispatched, left, starts, issued, retired
