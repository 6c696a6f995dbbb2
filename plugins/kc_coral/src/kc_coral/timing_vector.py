"""Timing of vector instructions: decode, issue, units, retirement, loads and stores.

Functions over `timing_state.State`, called by `timing_model.Scoreboard`.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), measured on the generated RTL to the cycle.
"""

from __future__ import annotations

from typing import Any

from kc_coral.timing_ops import Op
from kc_coral.timing_state import State
from kc_coral.timing_uops import PERMUTE, U_ALU, U_DIV, U_MEM, U_PRC, WIDE_REDUCE, Template, Uop


def _decode(s: State, n: int, t: int) -> list[int]:
    """Return the cycles in which the `n` micro-ops of an instruction dispatched in cycle `t` enter the queue."""
    p = s.params
    cycle, instructions, uops = s.decode, s.decode_instructions, s.decode_uops
    if t + p.decode_latency > cycle:
        cycle, instructions, uops = t + p.decode_latency, 0, 0
    elif instructions >= p.decode_instructions:
        cycle, instructions, uops = cycle + 1, 0, 0
    pushed: list[int] = []
    while n:
        take = min(n, p.decode_uops - uops)
        # nothing is pushed in a cycle in which the queue has not room for all
        free = s.issued[len(pushed) + take - 1] + 1 if take else cycle + 1
        if free > cycle:
            cycle, instructions, uops = free, 0, 0
            continue
        uops += take
        pushed += [cycle] * take
        n -= take
    s.decode, s.decode_instructions, s.decode_uops = cycle, instructions + 1, uops
    return pushed


def _issue(s: State, uop: Uop, unit: int, pushed: int, ahead: int = 0) -> int:
    """Return the issue cycle of a micro-op that entered the queue in cycle `pushed`.

    It needs a place in the reorder buffer even when it has no result, and one at its unit; `ahead` earlier micro-ops of the
    same instruction hold places of both that are not noted yet.
    """
    sources = uop.sources
    last = u = s.issue
    if pushed >= u:
        u = pushed + 1
    if s.station[unit][ahead] >= u:
        u = s.station[unit][ahead] + 1
    if s.retired[ahead] > u:
        u = s.retired[ahead]
    vready = s.vready
    for register in sources:
        if vready[register] > u:
            u = vready[register]
    if s.hold_any >= u:
        u = _held(s, sources, u)
    if u == last:
        p = s.params
        count, reads = s.issue_count + 1, s.issue_reads + uop.reads
        if count > p.issue or (count == p.issue and reads > p.issue_reads):
            u += 1
            if s.hold_any >= u:
                u = _held(s, sources, u)
        else:
            s.issue_count, s.issue_reads = count, reads
    if u != last:
        s.issue, s.issue_count, s.issue_reads = u, 1, uop.reads
    s.issued.append(u)
    return u


def _held(s: State, sources: tuple[int, ...], u: int) -> int:
    """Return the first cycle from `u` in which no source register is being stored."""
    moved = True
    while moved:
        moved = False
        for register in sources:
            if s.hold_from[register] < u <= s.hold_until[register]:
                u = s.hold_until[register] + 1
                moved = True
    return u


def _retire(s: State, register: int, ready: int, scalar: bool = False) -> int:
    """Return the cycle in which the next reorder entry retires, whose result is ready in cycle `ready`."""
    if register >= 0:
        s.vready[register] = ready
    if ready > s.retire:
        s.retire, s.retire_count = ready, 1
    elif scalar or s.retire_count >= s.params.retire:
        s.retire, s.retire_count = s.retire + 1, 1
    else:
        s.retire_count += 1
    s.retired.append(s.retire)
    return s.retire


def _among_oldest(s: State, ready: int) -> int:
    """Return when an instruction completes whose last result is ready in cycle `ready`."""
    return max(ready, s.retired[-1 - s.params.complete_depth] + 1)


def execute(s: State, op: Op, dyn: Any, t: int) -> int:
    """Return the completion cycle of a vector instruction that is no load or store, dispatched in cycle `t`."""
    work = op.template(s.config)
    pushes = _decode(s, len(work.uops), t)
    if work.style == PERMUTE:
        ready = _permute(s, work, pushes)
    elif work.unit == U_PRC:
        ready = _reduce(s, work, pushes)
    elif work.unit == U_DIV:
        ready = _divide(s, work, pushes, dyn)
    else:
        ready = _pipeline(s, work, pushes)
    if not work.scalar:
        return _among_oldest(s, ready)
    if op.rd:
        s.ready[op.rd] = s.retire
    return s.retire


def _pipeline(s: State, work: Template, pushes: list[int]) -> int:
    p, unit, ready = s.params, work.unit, 0
    width, latency = (p.alu_units, p.alu_latency) if unit == U_ALU else (p.mul_units, p.mul_latency)
    latency += work.slow
    start, count = s.start[unit], s.start_count[unit]
    for uop, pushed in zip(work.uops, pushes, strict=True):
        e = _issue(s, uop, unit, pushed) + 1
        if e > start:
            start, count = e, 1
        elif count >= width:
            start, count = start + 1, 1
        else:
            count += 1
        ready = start + latency
        s.station[unit].append(start)
        _retire(s, uop.result, ready, work.scalar)
    s.start[unit], s.start_count[unit] = start, count
    return ready


def _reduce(s: State, work: Template, pushes: list[int]) -> int:
    """Time reductions and compares, of which only the last micro-op has a result."""
    busy = 2 if work.style == WIDE_REDUCE else 1
    ready = 0
    for uop, pushed in zip(work.uops, pushes, strict=True):
        e = max(_issue(s, uop, U_PRC, pushed) + 1, s.prc_free)
        s.prc_free = e + busy
        s.station[U_PRC].append(e)
        ready = e + busy - 1 + s.params.prc_latency
        if uop.entry:
            _retire(s, uop.result, ready)
    return ready


def _permute(s: State, work: Template, pushes: list[int]) -> int:
    """Time slides and gathers, which start when all micro-ops have been issued."""
    n, u, ready = len(work.uops), 0, 0
    for k, uop in enumerate(work.uops):
        u = _issue(s, uop, U_PRC, pushes[k], k)
    start = max(u + 1, s.prc_free)
    s.prc_free = start + 2 * n - 1
    for k, uop in enumerate(work.uops):
        s.station[U_PRC].append(start + n - 1 + k)
        ready = start + k + s.params.prc_latency
        _retire(s, uop.result, ready)
    return ready


def _divide(s: State, work: Template, pushes: list[int], dyn: tuple[int, ...]) -> int:
    """Time divisions, given the bits each micro-op works on."""
    for uop, pushed, bits in zip(work.uops, pushes, dyn, strict=True):
        e = max(_issue(s, uop, U_DIV, pushed) + 1, s.div_free)
        s.div_free = e + s.params.divide_latency - (-bits // s.params.divide_bits)
        s.station[U_DIV].append(e)
        _retire(s, uop.result, s.div_free)
    return s.div_free


def memory(s: State, op: Op, dyn: tuple[int, ...], t: int) -> int:
    """Return the completion cycle of a vector load or store dispatched in cycle `t`."""
    p, work = s.params, op.template(s.config)
    pushes = _decode(s, len(work.uops), t)
    w = max(t + 1, s.memory_free)
    s.starts.append(w)
    base, line = (1, p.write_latency + 2) if work.store else (2, p.read_latency + 1)
    ready, events = 0, []
    for uop, pushed, n in zip(work.uops, pushes, dyn, strict=True):
        u = _issue(s, uop, U_MEM, pushed)
        v = max(u, w) + 1 + work.extra
        w = v + (base + n if n > 0 else base - n * line if n else 1)
        s.station[U_MEM].append(v)
        ready = w + 2
        retire = _retire(s, uop.result, ready)
        if work.store:
            register = uop.sources[0]
            s.hold_from[register], s.hold_until[register] = u, retire
            s.hold_any = max(s.hold_any, retire)
            events.append(w + 1)
    s.memory_free = w + 1
    if not work.store:
        return _among_oldest(s, ready)
    # Each iteration completes the oldest pass of this store that is in flight, which may be a later one than its own.
    waiting = [event for event in s.store_events.get(op.pc, ()) if event > t] + events
    s.store_events[op.pc] = waiting[1:]
    return waiting[0]
