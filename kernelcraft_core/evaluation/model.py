"""What scoring a kernel gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic
from kernelcraft_core.evaluation.compare import Comparison
from kernelcraft_core.evaluation.seeds import Draw
from kernelcraft_core.hookspecs import CORE
from kernelcraft_core.tasks import Bound

PASSED = "passed"
SYNTAX_ERROR = "syntax_error"
TRAP = "trap"
LIMIT = "limit"
MISMATCH = "mismatch"
HARNESS_ERROR = "harness_error"
STATUSES = (PASSED, SYNTAX_ERROR, TRAP, LIMIT, MISMATCH, HARNESS_ERROR)
"""Closed list. `harness_error` is a mistake of ours and never counted against a kernel or a model."""


@frozen
class DrawResult:
    """One run of the kernel. `comparison` is None when the run did not reach its end; `problem`: what it did that it may not."""

    draw: Draw
    status: str
    cycles: int
    instret: int
    comparison: Comparison | None = None
    undefined_reads: int = 0
    problem: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the seed, which is secret, is left out."""
        return {
            "draw": self.draw.index,
            "family": self.draw.family,
            "status": self.status,
            "cycles": self.cycles,
            "instret": self.instret,
            "comparison": None if self.comparison is None else self.comparison.as_dict(),
            "undefined_reads": self.undefined_reads,
            "problem": self.problem,
        }


@frozen
class Evaluation:
    """The score of one kernel on one workload.

    Attributes:
        target, task, config: the workload. status: one of `STATUSES`.
        draws: the runs made, in order; the first that fails is the last.
        diagnostics: what the assembler or the simulator found; KC0609 for a mistake of ours.
        cycles, latency_ns: the largest of all draws when the kernel passed, else of the runs made; latency_ns is None
            where no clock is given.
        instructions: static count. code_bytes: size of the program. instret: largest dynamic count.
        mix: category -> executed instructions of the first draw. static_mix: category -> instructions in the program.
        bound: lower bound of the cycles. baseline_cycles, baseline_kind: what speedup is measured by; None without one.
        backend: what ran the kernel, and its baseline: `Target.backend_label`.
    """

    target: str
    task: str
    config: str
    status: str
    draws: Sequence[DrawResult] = ()
    diagnostics: Sequence[Diagnostic] = ()
    cycles: int | None = None
    latency_ns: float | None = None
    instructions: int | None = None
    code_bytes: int | None = None
    instret: int | None = None
    mix: Mapping[str, int] = field(factory=dict)
    static_mix: Mapping[str, int] = field(factory=dict)
    bound: Bound | None = None
    baseline_cycles: int | None = None
    baseline_kind: str | None = None
    backend: str = CORE

    @property
    def passed(self) -> bool:
        """Whether every element of every draw is right."""
        return self.status == PASSED

    @property
    def comparison(self) -> Comparison | None:
        """The comparison that decides: that of the draw which failed, else the one that came nearest to failing."""
        found = [d.comparison for d in self.draws if d.comparison is not None]
        return min(found, key=lambda c: (c.passed, c.match_rate, -c.rel_l2)) if found else None

    @property
    def match_rate(self) -> float | None:
        """Smallest share of right elements of all draws, 0..1; None when nothing was compared."""
        found = [d.comparison.match_rate for d in self.draws if d.comparison is not None]
        return min(found) if found else None

    @property
    def rel_l2(self) -> float | None:
        """Largest relative L2 error of all draws; None when nothing was compared."""
        found = [d.comparison.rel_l2 for d in self.draws if d.comparison is not None]
        return max(found) if found else None

    @property
    def speedup(self) -> float | None:
        """Baseline cycles / cycles of a kernel that passed; None otherwise."""
        if not self.passed or not self.cycles or self.baseline_cycles is None:
            return None
        return self.baseline_cycles / self.cycles

    @property
    def bound_share(self) -> float | None:
        """Bound / cycles of a kernel that passed, 0..1: 1 is as fast as can be; None otherwise."""
        return self.bound.cycles / self.cycles if self.passed and self.bound and self.cycles else None

    def rate_shares(self) -> dict[str, float]:
        """Return name -> yardstick / cycles of a kernel that passed; may be above 1."""
        if not self.passed or not self.bound or not self.cycles:
            return {}
        return {name: cycles / self.cycles for name, cycles in self.bound.rates.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        comparison = self.comparison
        return {
            "target": self.target,
            "task": self.task,
            "config": self.config,
            "backend": self.backend,
            "status": self.status,
            "match_rate": self.match_rate,
            "rel_l2": self.rel_l2,
            "max_abs_error": None if comparison is None else comparison.max_abs_error,
            "worst": [] if comparison is None else [m.as_dict() for m in comparison.worst],
            "variant": None if comparison is None else comparison.variant,
            "cycles": self.cycles,
            "latency_ns": self.latency_ns,
            "instructions": self.instructions,
            "code_bytes": self.code_bytes,
            "instret": self.instret,
            "mix": dict(self.mix),
            "static_mix": dict(self.static_mix),
            "bound": None
            if self.bound is None
            else {"cycles": self.bound.cycles, "parts": dict(self.bound.parts), "rates": dict(self.bound.rates)},
            "bound_share": self.bound_share,
            "rate_shares": self.rate_shares(),
            "baseline_cycles": self.baseline_cycles,
            "baseline_kind": self.baseline_kind,
            "speedup": self.speedup,
            "draws": [d.as_dict() for d in self.draws],
            "diagnostics": [d.as_dict() for d in self.diagnostics],
        }
