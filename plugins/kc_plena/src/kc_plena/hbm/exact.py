"""Event-driven DRAM model: the durations of the tick-by-tick reference at a small fraction of its cost.

Three facts carry the speed; the tests compare the result with `kc_plena.hbm.reference` on random sequences.

1. Quads. The four beats of a 64-byte block differ only in the two low column bits, which are XORed into the two low
   channel bits, and nothing else depends on those bits. So a block sends exactly one beat to each of the four channels
   0..3 or 4..7, with the same pseudo-channel, group, bank and row. By induction over accepted blocks the four channels
   of a quad hold the same queues at every tick: the first beat of a block is refused or all four are accepted at one
   tick, and a block is forwarded from the write queue for all four or for none. One `Lane` stands for four channels.

2. Lanes meet only at admission. A block that finds its read queue full blocks all later blocks, so the order in which
   blocks enter is global; nothing else is shared, and durations are the latest delivery of any lane. A lane therefore
   runs on its own, up to the tick at which the next block enters it.

3. Nothing changes between commands. With no command and no arrival, ready times are constants, so the next command and
   its tick follow from one scan of the queues.

Time. Ticks happen at every ns, so after the tick of time t the tick count is t + 1. A submission at `now` sees
clk = now, or now + 1 when the previous transfer ended at that very ns (its tick has been performed). Beats accepted at
clk are first looked at in tick clk + 1.

Source: HBM2 (8 Gb preset, 2 Gbps timings), FR-FCFS, open rows, as set up by AICrossSim/PLENA at ecd5acb
(behavioral_simulator) on CMU-SAFARI/ramulator2 e442c64, restated in our own words.
"""

from __future__ import annotations

from kc_plena.hbm.blocks import row_blocks, unit_of
from kc_plena.hbm.replay import ReplayCache, shared_cache

UNITS = 64
"""Banks of the two lanes together: 2 lanes x 2 pseudo-channels x 4 groups x 4 banks."""
QUEUE_CAPACITY = 33
"""Entries of a read queue and of a write queue; the third queue of a lane holds one entry per open bank, at most 32."""
READ_LATENCY = 11
"""Ticks from RD to delivery: 7 column access + 4 burst."""
WRITE_HIGH, WRITE_LOW = 26, 6
"""Write queue lengths at which a lane starts and stops preferring writes over waiting reads."""
QUIET = 19
"""Largest minimum distance between two commands in ticks: older commands constrain nothing."""
CLOSED = -1
"""`open_row` of a bank without an open row."""
_FOREVER = 1 << 62

Request = tuple[int, int, int, bool, int]
"""(stamp: clk of acceptance, unit 0..63, row, is a write, block number)"""


class Banks:
    """Open rows and earliest ticks of commands, indexed by unit (0..63) or pseudo-channel (unit >> 4).

    Two minimum distances of the device never bind and are left out: ACT to ACT of one bank (19), because the PRE in
    between waits 17 and then 7; column to column in one group (2), because the bus of the pseudo-channel is held for
    `beat_interval` >= 2. Distances within a group are written to its four banks when the command issues.
    """

    def __init__(self) -> None:
        self.open_row = [CLOSED] * UNITS
        self.act = [0] * UNITS
        self.pre = [0] * UNITS
        self.read = [0] * UNITS
        self.write = [0] * UNITS
        self.pseudo_act = [0] * 4
        self.pseudo_read = [0] * 4
        self.pseudo_write = [0] * 4
        self.activates = [(-_FOREVER,) * 4] * 4


class Lane:
    """Four channels in lockstep: queues in units of 64-byte blocks, and one command per tick."""

    def __init__(self, banks: Banks, beat_interval: int) -> None:
        self.clk = 0
        self.reads: list[Request] = []
        self.writes: list[Request] = []
        self.active: dict[int, Request] = {}
        """Activated requests by unit (a bank is never closed while one waits here), in order of activation."""
        self.waiting = 0
        """Reads not yet issued, in `reads` and `active`."""
        self.delivered = 0
        """Tick of the last delivery, including deliveries to come: data return in order, one per tick."""
        self.last_command = -QUIET
        self._banks = banks
        self._beat_interval = beat_interval
        self._write_mode = False
        self._channel_act = 0
        self._channel_pre = 0

    def advance(self, limit: int) -> None:
        """Perform all ticks up to and including `limit`."""
        while self.clk < limit:
            self.step(limit)

    def read(self, clk: int, unit: int, row: int, block: int) -> None:
        """Accept a read (the caller has checked the room), or serve it from a write still in the queue."""
        if self.writes and any(write[4] == block for write in self.writes):
            self.delivered = max(self.delivered, clk) + 1
            return
        self.reads.append((clk, unit, row, False, block))
        self.waiting += 1

    def step(self, limit: int = _FOREVER) -> None:
        """Issue the next command if it falls at or before `limit`, else only advance to `limit`."""
        floor = self.clk + 1
        tick, unit = self._best_active(floor)
        position = -1
        queue = self.reads
        if tick > floor:
            self._update_mode()
            if self._write_mode:
                queue = self.writes
            queued, found = self._best_queued(queue, floor)
            if queued < tick:
                tick, position = queued, found
        if tick > limit:
            self.clk = limit
            return
        self.clk = self.last_command = tick
        if position < 0:
            self._access(self.active.pop(unit), tick)
            return
        request = queue[position]
        row = self._banks.open_row[request[1]]
        if row == request[2]:
            del queue[position]
            self._access(request, tick)
        elif row == CLOSED:
            del queue[position]
            self.active[request[1]] = request
            self._activate(request[1], request[2], tick)
        else:
            self._banks.open_row[request[1]] = CLOSED
            self._banks.act[request[1]] = max(self._banks.act[request[1]], tick + 7)

    def _update_mode(self) -> None:
        """Choose between reads and writes; idempotent while the queues stand still, so once per change is enough."""
        if not self._write_mode:
            self._write_mode = len(self.writes) >= WRITE_HIGH or not self.reads
        elif len(self.writes) <= WRITE_LOW and self.reads:
            self._write_mode = False

    def _best_active(self, floor: int) -> tuple[int, int]:
        """(tick, unit) of the next activated request: the earliest tick >= floor, then the oldest stamp."""
        banks = self._banks
        best, oldest, chosen = _FOREVER, 0, -1
        for unit, request in self.active.items():
            if request[3]:
                tick = max(floor, banks.write[unit], banks.pseudo_write[unit >> 4])
            else:
                tick = max(floor, banks.read[unit], banks.pseudo_read[unit >> 4])
            if tick < best or (tick == best and request[0] < oldest):
                best, oldest, chosen = tick, request[0], unit
        return best, chosen

    def _best_queued(self, queue: list[Request], floor: int) -> tuple[int, int]:
        """(tick, position) of the next command of a queue whose stamps ascend.

        At tick t the choice is the first request with ready time <= t. A PRE of a bank that an activated request waits
        for is chosen all the same and then not issued, so from its ready time on it shuts out all requests behind it:
        `bound` keeps the earliest ready time seen so far, whether or not that request may issue.
        """
        banks = self._banks
        open_row, pseudo_read = banks.open_row, banks.pseudo_read
        ready_read = banks.read
        bound = best = _FOREVER
        chosen = -1
        for position, (_, unit, row, write, _) in enumerate(queue):
            current = open_row[unit]
            blocked = False
            if current == row:
                if write:
                    tick, other = banks.write[unit], banks.pseudo_write[unit >> 4]
                else:
                    tick, other = ready_read[unit], pseudo_read[unit >> 4]
            elif current == CLOSED:
                tick, other = max(banks.act[unit], banks.pseudo_act[unit >> 4]), self._channel_act
            else:
                tick, other = banks.pre[unit], self._channel_pre
                blocked = unit in self.active
            if other > tick:
                tick = other
            if tick < bound:
                bound = tick if tick > floor else floor
                if not blocked:
                    best, chosen = bound, position
                if tick <= floor:
                    break
        return best, chosen

    def _activate(self, unit: int, row: int, tick: int) -> None:
        banks, pseudo, group = self._banks, unit >> 4, unit & ~3
        banks.open_row[unit] = row
        banks.read[unit] = max(banks.read[unit], tick + 7)
        banks.write[unit] = tick + 7
        banks.pre[unit] = tick + 17
        for bank in range(group, group + 4):
            banks.act[bank] = max(banks.act[bank], tick + 3)
        window = banks.activates[pseudo] = (*banks.activates[pseudo][1:], tick)
        banks.pseudo_act[pseudo] = window[0] + 15
        self._channel_act = self._channel_pre = tick + 2

    def _access(self, request: Request, tick: int) -> None:
        banks, unit = self._banks, request[1]
        pseudo, group = unit >> 4, unit & ~3
        if request[3]:
            banks.pre[unit] = max(banks.pre[unit], tick + 14)
            banks.pseudo_write[pseudo] = max(banks.pseudo_write[pseudo], tick + self._beat_interval)
            banks.pseudo_read[pseudo] = max(banks.pseudo_read[pseudo], tick + 9)
            for bank in range(group, group + 4):
                banks.read[bank] = max(banks.read[bank], tick + 10)
            return
        banks.pre[unit] = max(banks.pre[unit], tick + 3)
        banks.pseudo_read[pseudo] = max(banks.pseudo_read[pseudo], tick + self._beat_interval)
        banks.pseudo_write[pseudo] = max(banks.pseudo_write[pseudo], tick + 11)
        self.waiting -= 1
        self.delivered = max(self.delivered + 1, tick + READ_LATENCY)


class ExactHbm:
    """The exact DRAM model with the `HbmTiming` interface.

    `beat_interval` (>= 2) is the number of ticks a beat holds the bus of its pseudo-channel. Outcomes of
    earlier prefetches are replayed from `cache`, by default one the process shares, unless `memo` is false. Neither
    changes a result. A cache serves one `beat_interval` only.
    """

    def __init__(self, *, beat_interval: int = 4, cache: ReplayCache | None = None, memo: bool = True) -> None:
        if beat_interval < 2:
            raise ValueError(f"beat_interval must be at least 2 ticks, not {beat_interval}")
        self._banks = Banks()
        self._lanes = (Lane(self._banks, beat_interval), Lane(self._banks, beat_interval))
        self._clk = 0
        self._quiet = True
        if memo and cache is None:
            cache = shared_cache(beat_interval)
        self._cache = cache if memo else None

    def prefetch(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Duration in ns of reading `rows` rows from `now` on; see `HbmTiming.prefetch`."""
        clk = max(now, self._clk)
        if self._cache is None or not self._is_quiet(clk):
            end = self._read_all(clk, element, scale, rows, step)
        else:
            open_row = self._banks.open_row
            shape = self._cache.shape(element, scale, rows, step)
            slot_rows = shape.slot_rows(element, scale)
            state = shape.state(slot_rows, open_row)
            outcome = shape.plan.get(state)
            if outcome is not None:
                end = clk + outcome.ticks
                shape.apply(outcome, slot_rows, open_row)
            else:
                end = self._read_all(clk, element, scale, rows, step)
                self._cache.record(shape.plan, state, shape.observe(end - clk, slot_rows, open_row))
        self._clk = end
        return end - 1 - now

    def store(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Duration in ns of storing `rows` rows from `now` on; see `HbmTiming.store`."""
        self._quiet = False
        time, clk = now, max(now, self._clk)
        for element_block, scale_block in row_blocks(element, scale, rows, step):
            time, clk = self._write(time, clk, element_block)
            unit = unit_of(scale_block)
            lane = self._lanes[unit >> 5]
            lane.advance(clk)
            lane.read(clk, unit, scale_block >> 11, scale_block)
            while lane.waiting:
                lane.step()
            clk = lane.delivered
            time, clk = self._write(clk - 1, clk, scale_block)
        self._clk = clk
        return time - now

    def _write(self, time: int, clk: int, block: int) -> tuple[int, int]:
        """Queue a write at `time`; returns the time and clk of its acceptance, later only when the queue is full."""
        unit = unit_of(block)
        lane = self._lanes[unit >> 5]
        lane.advance(clk)
        if len(lane.writes) >= QUEUE_CAPACITY:
            while len(lane.writes) >= QUEUE_CAPACITY:
                lane.step()
            time = clk = lane.clk
        lane.writes.append((clk, unit, block >> 11, True, block))
        return time, clk

    def _read_all(self, clk: int, element: int, scale: int, rows: int, step: int) -> int:
        """Simulate a batch of reads submitted at `clk`; returns the tick of the last delivery."""
        lanes = self._lanes
        for pair in row_blocks(element, scale, rows, step):
            for block in pair:
                unit = unit_of(block)
                lane = lanes[unit >> 5]
                lane.advance(clk)
                if len(lane.reads) >= QUEUE_CAPACITY:
                    while len(lane.reads) >= QUEUE_CAPACITY:
                        lane.step()
                    clk = lane.clk
                lane.read(clk, unit, block >> 11, block)
        for lane in lanes:
            while lane.waiting:
                lane.step()
        return max(lane.delivered for lane in lanes)

    def _is_quiet(self, clk: int) -> bool:
        """Whether open rows are all that is left of the past; see `kc_plena.hbm.replay` for why that is a state."""
        if not self._quiet:
            for lane in self._lanes:
                lane.advance(clk)
            self._quiet = all(
                not lane.writes and not lane.active and clk + 1 - lane.last_command >= QUIET for lane in self._lanes
            )
        return self._quiet
