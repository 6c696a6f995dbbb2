"""The DRAM model followed tick by tick: slow, literal, and the oracle of the fast engine.

Every 16-byte beat is an object, each of the eight channels is stepped on every tick, and each rule below is one
method. Use it to check `kc_plena.hbm.exact`, not to run kernels: a tile prefetch costs several milliseconds.

Source: HBM2 (8 Gb preset, 2 Gbps timings) under FR-FCFS with open rows, as set up by AICrossSim/PLENA at ecd5acb
(behavioral_simulator) on CMU-SAFARI/ramulator2 e442c64, restated in our own words. No refresh: the original's refresh
manager looks for a level this device does not have.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from kc_plena.hbm.blocks import row_blocks

CHANNELS = 8
QUEUE_CAPACITY = 33
"""Entries of each of the three queues of a channel."""
READ_LATENCY = 11
"""Ticks from RD to the last data of a beat: 7 column access + 4 burst."""
WRITE_HIGH, WRITE_LOW = 26, 6
"""Write queue lengths at which a channel starts and stops preferring writes over waiting reads."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a beat lives: channel, bank within the channel as (pseudo-channel, group, bank), row."""

    channel: int
    bank_key: tuple[int, int, int]
    row: int


def place_of(address: int) -> Place:
    """Map the 16-byte beat at byte `address` (>= 0) to its place; column bits are XORed into the upper levels."""
    a = address >> 4
    column = ((a >> 10) & 7) << 2 | a & 3
    return Place(
        channel=((a >> 2) & 7) ^ (column & 7),
        bank_key=(((a >> 5) & 1) ^ ((column >> 3) & 1), ((a >> 6) & 3) ^ ((column >> 4) & 3), (a >> 8) & 3),
        row=a >> 13,
    )


@dataclass(slots=True, eq=False)
class Beat:
    """A queued 16-byte access: its stamp is the tick at which its channel accepted it."""

    address: int
    write: bool
    stamp: int
    place: Place


class Scope:
    """A bank, bank group, pseudo-channel or channel: the earliest tick of each command as far as this scope cares."""

    def __init__(self, distances: dict[str, dict[str, int]]) -> None:
        self.earliest = {"ACT": 0, "PRE": 0, "RD": 0, "WR": 0}
        self._distances = distances

    def record(self, command: str, clk: int) -> None:
        """Note that `command` was issued inside this scope at tick `clk`."""
        for later, distance in self._distances.get(command, {}).items():
            self.earliest[later] = max(self.earliest[later], clk + distance)


class PseudoChannel(Scope):
    """A pseudo-channel also limits activations to four in any 15 ticks."""

    def __init__(self, distances: dict[str, dict[str, int]]) -> None:
        super().__init__(distances)
        self._activates: list[int] = []

    def record(self, command: str, clk: int) -> None:
        """As `Scope.record`, with the four-activate window."""
        super().record(command, clk)
        if command == "ACT":
            self._activates = [*self._activates[-3:], clk]
            if len(self._activates) == 4:
                self.earliest["ACT"] = max(self.earliest["ACT"], self._activates[0] + 15)


class Channel:
    """One channel: queues, open rows, timing scopes and the FR-FCFS choice of one command per tick."""

    def __init__(self, beat_interval: int) -> None:
        self.reads: list[Beat] = []
        self.writes: list[Beat] = []
        self.active: list[Beat] = []
        self.done: deque[int] = deque()
        self.write_mode = False
        self.open_rows: dict[tuple[int, int, int], int] = {}
        whole = Scope({"ACT": {"ACT": 2, "PRE": 2}})
        self._scopes: dict[tuple[int, int, int], list[Scope]] = {}
        for pseudo in range(2):
            bus = PseudoChannel(
                {"ACT": {"ACT": 2}, "RD": {"RD": beat_interval, "WR": 11}, "WR": {"WR": beat_interval, "RD": 9}}
            )
            for group in range(4):
                banks = Scope({"ACT": {"ACT": 3}, "RD": {"RD": 2}, "WR": {"WR": 2, "RD": 10}})
                for bank in range(4):
                    one = Scope(
                        {
                            "ACT": {"ACT": 19, "RD": 7, "WR": 7, "PRE": 17},
                            "PRE": {"ACT": 7},
                            "RD": {"PRE": 3},
                            "WR": {"PRE": 14},
                        }
                    )
                    self._scopes[pseudo, group, bank] = [one, banks, bus, whole]

    def accept(self, beat: Beat) -> bool:
        """Queue a beat, or serve a read from a queued write; False when the queue is full."""
        if not beat.write and any(other.address == beat.address for other in self.writes):
            self.done.append(beat.stamp + 1)
            return True
        queue = self.writes if beat.write else self.reads
        if len(queue) >= QUEUE_CAPACITY:
            return False
        queue.append(beat)
        return True

    def tick(self, clk: int) -> int:
        """Perform tick `clk`; returns the number of beats delivered (0 or 1)."""
        delivered = 0
        if self.done and self.done[0] <= clk:
            self.done.popleft()
            delivered = 1
        queue, beat = self._choose(clk)
        if beat is None:
            return delivered
        command = self._command(beat)
        if command == "PRE" and any(other.place.bank_key == beat.place.bank_key for other in self.active):
            return delivered
        self._issue(command, queue, beat, clk)
        return delivered

    def _choose(self, clk: int) -> tuple[list[Beat], Beat | None]:
        beat = self._best(self.active, clk)
        if beat is not None:
            return self.active, beat
        if not self.write_mode:
            if len(self.writes) >= WRITE_HIGH or not self.reads:
                self.write_mode = True
        elif len(self.writes) <= WRITE_LOW and self.reads:
            self.write_mode = False
        queue = self.writes if self.write_mode else self.reads
        return queue, self._best(queue, clk)

    def _best(self, queue: list[Beat], clk: int) -> Beat | None:
        """The oldest beat whose command can issue; among equal stamps the first in the queue."""
        best: Beat | None = None
        for beat in queue:
            if best is not None and beat.stamp >= best.stamp:
                continue
            command = self._command(beat)
            if all(clk >= scope.earliest[command] for scope in self._scopes[beat.place.bank_key]):
                best = beat
        return best

    def _command(self, beat: Beat) -> str:
        row = self.open_rows.get(beat.place.bank_key)
        if row is None:
            return "ACT"
        if row != beat.place.row:
            return "PRE"
        return "WR" if beat.write else "RD"

    def _issue(self, command: str, queue: list[Beat], beat: Beat, clk: int) -> None:
        for scope in self._scopes[beat.place.bank_key]:
            scope.record(command, clk)
        if command == "ACT":
            self.open_rows[beat.place.bank_key] = beat.place.row
            if len(self.active) < QUEUE_CAPACITY:
                queue.remove(beat)
                self.active.append(beat)
        elif command == "PRE":
            del self.open_rows[beat.place.bank_key]
        else:
            if command == "RD":
                self.done.append(clk + READ_LATENCY)
            queue.remove(beat)


class ReferenceHbm:
    """Tick-by-tick device with the `HbmTiming` interface. `beat_interval` is B: ticks a beat holds its bus (4 or 2)."""

    def __init__(self, *, beat_interval: int = 4) -> None:
        self.channels = [Channel(beat_interval) for _ in range(CHANNELS)]
        self.clk = 0
        self.next = 0
        self.pending = 0

    def prefetch(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Duration in ns of reading `rows` rows; see `HbmTiming.prefetch`."""
        blocks = [block for pair in row_blocks(element, scale, rows, step) for block in pair]
        return self._batch(now, blocks, write=False) - now

    def store(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Duration in ns of storing `rows` rows; see `HbmTiming.store`."""
        time = now
        for element_block, scale_block in row_blocks(element, scale, rows, step):
            time = self._batch(time, [element_block], write=True)
            time = self._batch(time, [scale_block], write=False)
            time = self._batch(time, [scale_block], write=True)
        return time - now

    def _batch(self, now: int, blocks: list[int], *, write: bool) -> int:
        """Submit four beats per block in order; returns when the last is accepted (writes) or delivered (reads)."""
        waiting = deque(64 * block + 16 * beat for block in blocks for beat in range(4))
        time = now
        while True:
            while self.pending == 0 and self.next < time:
                self._tick()
            while waiting and self._accept(waiting[0], write):
                waiting.popleft()
            if not waiting and self.pending == 0:
                return time
            if self.pending > 0 and self.next <= time:
                self._tick()
                if not waiting and self.pending == 0:
                    return time
            time += 1

    def _accept(self, address: int, write: bool) -> bool:
        place = place_of(address)
        accepted = self.channels[place.channel].accept(Beat(address, write, self.clk, place))
        if accepted and not write:
            self.pending += 1
        return accepted

    def _tick(self) -> None:
        self.clk += 1
        self.next += 1
        for channel in self.channels:
            self.pending -= channel.tick(self.clk)
