"""What a run is asked for and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic, Span
from kernelcraft_core.isa.traps import Trap as Trap

HALTED = "halted"
TRAP = "trap"
LIMIT = "limit"


@frozen
class Limits:
    """What a run may use.

    It stops before the instruction that would exceed `instructions`, after the one that takes the cycle count past `cycles`,
    and within a fraction of a second of `wall_time` (seconds).
    """

    instructions: int = 200_000_000
    cycles: int | None = None
    wall_time: float | None = None


@frozen
class TrapInfo:
    """Why and where a program was stopped. `kind` is of the closed list; `pc` in the target's own unit."""

    kind: str
    message: str
    pc: int
    line: int | None
    instruction: str | None = None
    hint: str | None = None
    registers: Mapping[str, int | float] = field(factory=dict)
    span: Span | None = None
    detail: Mapping[str, int] = field(factory=dict)
    """Numbers of the target's own, such as the cause and the value a hardware trap reports."""

    def diagnostic(self) -> Diagnostic:
        """Return the trap as a finding (KC0401), placed at its source line."""
        notes = []
        if self.registers:
            notes.append(
                ", ".join(
                    f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
                    for name, value in self.registers.items()
                )
            )
        return Diagnostic("KC0401", f"{self.kind} at pc {self.pc}: {self.message}", self.span, self.hint, tuple(notes))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "kind": self.kind,
            "message": self.message,
            "pc": self.pc,
            "line": self.line,
            "instruction": self.instruction,
            "hint": self.hint,
            "registers": dict(self.registers),
            **({"detail": dict(self.detail)} if self.detail else {}),
        }


@frozen
class LimitInfo:
    """Which limit ended the run: `instructions`, `cycles`, `wall_time` or `loop`."""

    kind: str
    message: str
    pc: int
    line: int | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"kind": self.kind, "message": self.message, "pc": self.pc, "line": self.line}


@frozen
class LineProfile:
    """One source line: how often its instruction ran and how many cycles it took in all."""

    line: int
    pc: int
    mnemonic: str
    count: int
    cycles: int


@frozen
class Profile:
    """Where the cycles went.

    Attributes:
        lines: by executed instruction, in program order.
        by_unit, by_category, by_mnemonic: name -> cycles.
        counts: mnemonic -> executed instructions.
    """

    lines: Sequence[LineProfile]
    by_unit: Mapping[str, int]
    by_category: Mapping[str, int]
    by_mnemonic: Mapping[str, int]
    counts: Mapping[str, int]

    def hottest(self, count: int = 10) -> list[LineProfile]:
        """Return the lines that took most cycles, most first."""
        return sorted(self.lines, key=lambda line: (-line.cycles, line.pc))[:count]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "by_unit": dict(self.by_unit),
            "by_category": dict(self.by_category),
            "by_mnemonic": dict(self.by_mnemonic),
            "counts": dict(self.counts),
            "lines": [[p.line, p.pc, p.mnemonic, p.count, p.cycles] for p in self.lines],
        }


@frozen
class UndefinedRead:
    """A read of memory that nothing had defined: reported, never silently zero, when `fill="pattern"`."""

    memory: str
    address: int
    pc: int
    line: int | None


@frozen(eq=False)
class RunResult:
    """The outcome of one run.

    Attributes:
        status: `halted`, `trap` or `limit`.
        cycles: cycles of the executed instructions, work in flight drained.
        instret: instructions retired (one that traps does not count); 0 of a halted run where a back end does not count them.
        latency_ns: cycles times the clock, or None where no clock is given.
        trap, limit: what stopped the run, when something did.
        state: name -> final registers and memories; large memories are lazy views.
        undefined_reads: reads of undefined memory (with `fill="pattern"`), first 100.
        trace: (start cycle, duration, pc) of executed instructions when asked for.
    """

    status: str
    cycles: int
    instret: int
    latency_ns: float | None
    trap: TrapInfo | None
    limit: LimitInfo | None
    _make_profile: Callable[[], Profile] = field(repr=False)
    state: Mapping[str, Any]
    undefined_reads: tuple[UndefinedRead, ...] = ()
    undefined_count: int = 0
    trace: Sequence[tuple[int, int, int]] | None = field(default=None, repr=False)
    _make_source: Callable[[], str] = field(default=lambda: "", repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a RunResult holds live memories and cannot be pickled; take the numbers and arrays you need")

    @cached_property
    def profile(self) -> Profile:
        """Cycles and counts by line, unit, category and mnemonic; made when first asked for."""
        return self._make_profile()

    @property
    def generated_source(self) -> str:
        """Python source of the blocks that were compiled, for debugging."""
        return self._make_source()

    @property
    def ok(self) -> bool:
        """Whether the program ran to its end."""
        return self.status == HALTED
