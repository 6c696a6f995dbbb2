"""Timing models: what each executed instruction costs.

The record of an instruction names default cycles; a machine may have a model of its own. A model is asked once per
instruction definition for a `Rule`: None means "what the record says" (an expression that is usually known as soon as the
instruction is decoded, so a block's cycles are added up when it is compiled); a rule names the values it wants to see and is
called for each execution. Where instructions overlap, a machine has a pipeline model in its place (`pipeline`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attrs import frozen

from kernelcraft_core.isa import Definition


@frozen(eq=False)
class Rule:
    """The price of an instruction that depends on what happens.

    Attributes:
        values: expressions of the semantics language, over the state before the instruction and the values it names.
        price: `price(now, *values)` -> cycles, where `now` is the cycle the instruction starts in. Called once for each
            execution, in order, after the instruction's writes.
        bound: no execution costs more cycles than this.
    """

    values: tuple[str, ...]
    price: Callable[..., int]
    bound: int


class TimingModel(Protocol):
    """Prices the instructions of one run; it may keep state (open DRAM rows), so every run gets a fresh one."""

    def rule(self, definition: Definition) -> Rule | None:
        """Return how `definition` is priced, or None for the latency its record states."""
        ...


class SequentialTiming:
    """Every instruction takes its record's latency and the next one starts after it: time is the sum of the latencies."""

    def rule(self, definition: Definition) -> Rule | None:
        """Return None: the records say it all."""
        return None
