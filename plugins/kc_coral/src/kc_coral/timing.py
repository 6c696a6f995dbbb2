"""Timing of the Coral NPU in the simulator: what the time-stamp model wants to know of each instruction.

The clock after an instruction is the cycle behind its dispatch, so a run takes D(mpause) + 2 cycles: the first instruction
dispatches in cycle 0, and mpause takes one more cycle to end.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), measured on the generated RTL to the cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from kc_coral.timing_access import (
    LINE,
    Access,
    Divider,
    divide_bits,
    scalar_access,
    vector_access,
)
from kc_coral.timing_model import Scoreboard
from kc_coral.timing_ops import BRANCH, DIV, LOAD, MPAUSE, STORE, VECTOR, VMEMORY, VSET, Op, describe
from kc_coral.timing_params import TimingParams
from kernelcraft_core.sim import Placed, Watch

_PLACE = 0xF000_0000 | LINE - 1
"""Bits of an address that its bus accesses depend on: which memory, and where in a line."""
_BYTES = {0: 1, 5: 2, 6: 4}
_UOPS = 16
"""No instruction has more micro-ops."""
_LINES = 256
"""No instruction accesses more lines: 128 elements that all cross one."""


class CoralTiming:
    """The time stamps of one run, as a pipeline model of the core."""

    def __init__(self, params: TimingParams) -> None:
        self._board = Scoreboard(params)
        self._params = params
        self.divider = Divider()
        self._watches: dict[Op, Watch] = {}
        self._line = max(params.read_latency + 1, params.write_latency + 2)
        # what is in flight: a window of instructions, and stores that left it but wait for the load/store unit
        self.backlog = (params.window + params.load_store_queue) * self._access_bound(_LINES)

    def watch(self, placed: Placed) -> Watch:
        """Return the timing record of an instruction and the values its cost depends on."""
        op = describe(placed.word, placed.pc)
        found = self._watches.get(op)
        if found is None:
            found = self._watches[op] = self._watch(op)
        return found

    def _watch(self, op: Op) -> Watch:
        values, states, digest = _asked(op.word)
        return Watch(op, self._bound(op), values, states, digest, live=op.kind == VECTOR and op.dynamic)

    def step(self, op: Op, value: Any) -> int:
        """Return by how many cycles the next instruction moves the clock."""
        board = self._board
        before = board.last
        cycles = board.step(op, value) - before
        return cycles + 1 if op.kind == MPAUSE else cycles

    def clock(self) -> int:
        """Return the dispatch cycle of the instruction stepped last; the CSRs add what mcycle counts before cycle 0."""
        return self._board.last

    def snapshot(self) -> Any:
        """Return the time stamps relative to the last dispatch."""
        return self._board.snapshot()

    def restore(self, snapshot: Any, now: int) -> None:
        """Take over time stamps, the last dispatch having been in the cycle before `now`."""
        self._board.restore(snapshot, now - 1)

    def _access_bound(self, lines: int) -> int:
        return lines * self._line + 16 * _UOPS

    def _bound(self, op: Op) -> int:
        """Return how long one instruction can keep the machine busy."""
        p = self._params
        bound = p.fetch_period + p.fetch_latency + p.redirect + 6
        if op.kind in (LOAD, STORE):
            bound += 2 * self._line
        elif op.kind == DIV:
            bound += max(p.scalar_div_latency + 31, p.scalar_div_zero)
        elif op.kind == VMEMORY:
            plain = op.word >> 26 & 3 == 0 and (not op.word >> 29 or op.word >> 20 & 31 == 8)
            bound += self._access_bound(_UOPS if plain else _LINES)
        elif op.kind == VECTOR:
            slowest = p.divide_latency + 32 // p.divide_bits + 1 if op.dynamic else 2
            bound += _UOPS * slowest + p.mul_latency + p.alu_latency + p.prc_latency + p.decode_latency + _UOPS
        return bound + p.scalar_mul_latency


Asked = tuple[tuple[str, ...], tuple[str, ...], Callable[..., Any] | None]
"""Values, states and digest of a `Watch`."""


@lru_cache(maxsize=1 << 14)
def _asked(word: int) -> Asked:
    """Return what must be known of an execution of an instruction (see `timing_model.Scoreboard`)."""
    op = describe(word, 0)
    if op.kind == BRANCH:
        return ("taken",), (), None
    if op.kind in (LOAD, STORE):
        return ("zext(x[rs1] + imm, 32)",), (), _scalar_accesses(op.size)
    if op.kind == DIV:
        return ("x[rs1]", "x[rs2]"), (), lambda a, b: divide_bits(a, b, op.signed)
    if op.kind == VSET:  # `length` is a value that its semantics names
        kind = "(x[rs2] & 255)" if op.word >> 25 == 0b1000000 else str(op.word >> 20 & 255)
        return (f"length << 8 | ({kind} if length else 0)",), (), None
    if op.kind == VMEMORY:
        return _vector_accesses(op)
    if op.dynamic:
        scalar = op.word >> 12 & 7 == 6
        values = ("vl << 8 | vtype & 255", *(("x[rs1]",) if scalar else ()))
        return values, ("v",), _divisions(op)
    return (), (), None


def _scalar_accesses(size: int) -> Callable[[int], int]:
    """Return what gives the bus accesses of a scalar load or store by its address."""
    known: dict[int, int] = {}

    def accesses(address: int) -> int:
        place = address & _PLACE
        if place not in known:
            known[place] = scalar_access(place, size)
        return known[place]

    return accesses


def _vector_accesses(op: Op) -> Asked:
    """Return what gives the bus accesses of each iteration of a vector load or store."""
    mop, masked = op.word >> 26 & 3, not op.word >> 25 & 1
    first, size = op.word >> 20 & 31, _BYTES[op.word >> 12 & 7]
    values = ("x[rs1]", "vl", "vtype", *(("x[rs2]",) if mop == 2 else ()))
    known: dict[tuple[int, ...], Access] = {}

    def regular(address: int, vl: int, vtype: int, stride: int = 0) -> Access:
        key = (address & _PLACE, vl, vtype, stride)
        found = known.get(key)
        if found is None:
            found = known[key] = vector_access(op, vl << 8 | vtype & 255, key[0], stride=_signed(stride))
        return found

    def irregular(v: Any, address: int, vl: int, vtype: int, stride: int = 0) -> Access:
        indices: list[int] = []
        if mop & 1:
            start = first * 16 // size
            indices = v.reshape(-1).view(f"u{size}")[start : start + vl].tolist()
        mask = int.from_bytes(v[0].tobytes(), "little") if masked else -1
        config = vl << 8 | vtype & 255
        return vector_access(op, config, address & _PLACE, stride=_signed(stride), indices=indices, mask=mask)

    return (values, ("v",), irregular) if masked or mop & 1 else (values, (), regular)


def _signed(stride: int) -> int:
    return stride - (1 << 32) if stride >> 31 else stride


def _divisions(op: Op) -> Callable[..., tuple[int, ...]]:
    """Return what gives the bits that each micro-op of a vector division works on.

    Contents count only here: what the timing model is told are a few small numbers.
    """
    signed, vs1, vs2 = op.word >> 26 & 1, op.word >> 15 & 31, op.word >> 20 & 31

    def divisions(model: CoralTiming, v: Any, config: int, *scalar: int) -> tuple[int, ...]:
        kind = np.dtype(f"{'i' if signed else 'u'}{1 << (config >> 3 & 3)}")
        size, found = kind.itemsize, []
        for k in range(len(op.template(config).uops)):
            dividends = v[(vs2 + k) % 32].view(kind).tolist()
            if scalar:
                one = int.from_bytes(scalar[0].to_bytes(4, "little")[:size], "little", signed=bool(signed))
                divisors = [one] * len(dividends)
            else:
                divisors = v[(vs1 + k) % 32].view(kind).tolist()
            found.append(model.divider.bits(dividends, divisors))
        return tuple(found)

    return divisions
