"""Cycle-exact timing of the Coral NPU: a forward model of time stamps.

Every executed instruction is visited once, in program order; all its event times follow from times already known. The model
knows no simulator: whoever executes a program gives it the static record of each instruction and the few dynamic values its
cost depends on. Cycle 0 is the cycle in which the first instruction dispatches.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), measured on the generated RTL to the cycle.
"""

from __future__ import annotations

from typing import Any

from kc_coral.timing_ops import (
    BRANCH,
    DIV,
    JUMP,
    LOAD,
    MPAUSE,
    MUL,
    STORE,
    SYSTEM,
    VECTOR,
    VMEMORY,
    VSET,
    VXSAT,
    Op,
)
from kc_coral.timing_params import TimingParams
from kc_coral.timing_state import NEVER, State
from kc_coral.timing_vector import execute, memory


class Scoreboard(State):
    """Time stamps of one run.

    `step` takes the instructions in program order. Its dynamic value depends on the class of the instruction:

    * branch: whether it was taken;
    * load or store: bus accesses (`timing_access.scalar_access`);
    * division: bits of the dividend (`timing_access.divide_bits`);
    * vset: the new configuration, `vl << 8 | vtype` (without the bit that marks an illegal one);
    * vector load or store: bus accesses per iteration (`timing_access.vector_access`);
    * vector division: bits that each micro-op works on (`timing_access.Divider`);
    * everything else: None.
    """

    def __init__(self, params: TimingParams) -> None:
        super().__init__(params)
        self._period, self._latency, self._redirect = params.fetch_period, params.fetch_latency, params.redirect
        self._width = params.dispatch
        self._read_line, self._write_line = params.read_latency + 1, params.write_latency + 2

    def step(self, op: Op, dyn: Any = None) -> int:
        """Return the cycle in which `op` dispatches, and take in all its effects."""
        before = t = self.last
        left = self.left
        if self.redirected:
            self.fetch = before + self._redirect
        elif self.cut or op.new_line:
            self.fetch = max(self.fetch + self._period, self.dispatched[0] + 1)
        available = self.fetch + self._latency
        if available > t:
            t = available
        if self.pending:  # the transfer before completes when this instruction could be dispatched
            completed = available if available > before else before + 1
            if completed > left[-1]:
                left[-1] = completed
        t = self._dispatch(op, t)
        if t != before:
            self.group, self.group_size = op.own, 1
            self.group_vset = self.group_mul = False
            self.last = t
        else:
            self.group |= op.own
            self.group_size += 1
        self.dispatched.append(t)
        self.group_ended = op.ends
        self.cut = self.redirected = self.pending = False
        if op.vector and t != self.vector_last:
            self.vector_before, self.vector_last = self.vector_last, t
        kind = op.kind
        if kind == VECTOR:
            completed = execute(self, op, dyn, t)
        elif kind == VMEMORY:
            completed = memory(self, op, dyn, t)
        elif kind:
            completed = self._complete(op, dyn, t)
        else:
            completed = t + 1
            if op.rd:
                self.ready[op.rd] = completed
        youngest = left[-1]
        left.append(completed if completed > youngest else youngest)
        return t

    def _dispatch(self, op: Op, t: int) -> int:
        """Return the dispatch cycle of `op`, not before `t`: when it is fetched and the one before was dispatched."""
        kind, ready = op.kind, self.ready
        for register in op.sources:
            if ready[register] > t:
                t = ready[register]
        for register in op.late:
            if ready[register] >= t:
                t = ready[register] + 1
        if ready[op.waits] > t:
            t = ready[op.waits]
        if self.starts[0] >= t:
            t = self.starts[0] + 1
        if kind == MPAUSE:
            return max(t, self.last + 1, self.memory_free, self.retire + 1, max(ready) + 1)
        if self.left[0] >= t:
            t = self.left[0] + 1
        if t == self.last and (
            self.group_ended
            or op.first
            or self.group_size >= self._width
            or (op.reads | op.own) & self.group
            or (kind == MUL and self.group_mul)
        ):
            t += 1
        if op.first:
            t = self._alone(op, t)
        if op.interlocked:
            if t == self.last and self.group_vset:
                t += 1
            while self.vector_last == t - 1 or self.vector_before == t - 1:
                t += 1
        return t

    def _alone(self, op: Op, t: int) -> int:
        """Return the dispatch cycle of an instruction that must be first in its group."""
        if op.kind == DIV:
            return max(t, self.divider)
        t = max(t, self.left[-1] + 1)
        if op.kind == SYSTEM:
            return max(t, self.memory_free, self.retire + 1)
        return max(t, self.retire + 1) if op.csr == VXSAT else t

    def _complete(self, op: Op, dyn: Any, t: int) -> int:
        """Return the completion cycle of the scalar instruction `op`, dispatched in cycle `t`."""
        kind = op.kind
        done: int = t + 1
        if kind == BRANCH:
            self.pending = True
            self.redirected = dyn != op.predicted
            self.cut = op.predicted
            return NEVER
        if kind == LOAD:
            start = self._start(t)
            done = start + 2 + (dyn if dyn > 0 else -dyn * self._read_line)
            self.memory_free = done + 1
        elif kind == STORE:
            start = self._start(t)
            self.memory_free = done = start + 1 + (dyn if dyn > 0 else -dyn * self._write_line)
            return done
        elif kind == VSET:
            self.group_vset = True
            self.config = dyn
        elif kind == MUL:
            self.group_mul = True
            done = t + self.params.scalar_mul_latency
        elif kind == DIV:
            done = t + (self.params.scalar_div_latency + dyn if dyn else self.params.scalar_div_zero)
            self.divider = done + 1
        elif kind == JUMP:
            self.pending = True
            self.cut = op.predicted
            self.redirected = not op.predicted
        if op.rd:
            self.ready[op.rd] = done
        return NEVER if kind == JUMP else done

    def _start(self, t: int) -> int:
        """Return the cycle in which a load or store dispatched in cycle `t` starts."""
        start = t + 1 if t >= self.memory_free else self.memory_free
        self.starts.append(start)
        return start

    def finish(self) -> int:
        """Return the cycles of the run, whose last instruction was mpause."""
        return self.last + 2
