"""Totals of a set of samples: both numbers of every share, and what is not counted beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from kernelcraft_core.reports.statistics import geometric_mean

PASSED = "passed"
HARNESS_ERROR = "harness_error"
COMPILER = "compiler"
"""How the method of a published result begins that is a compiler (`compiler-O2`), not an agent."""

Sample = Mapping[str, Any]
Key = tuple[str, str]
"""Task, configuration."""


@frozen
class Group:
    """Samples that belong into one table: those of a target, or of one kind where a workload has several."""

    target: str
    kinds: tuple[str, ...]
    samples: tuple[Sample, ...]


def groups(samples: Sequence[Sample]) -> list[Group]:
    """Return the samples by target and, where a target has several for one workload, by kind of subject."""
    out = []
    for target in dict.fromkeys(s["target"] for s in samples):
        found = [s for s in samples if s["target"] == target]
        kinds = tuple(dict.fromkeys(s["subject"]["kind"] for s in found))
        if len({(s["task"], s["config"]) for s in found}) == len(found):
            out.append(Group(target, kinds, tuple(found)))
        else:
            out += [Group(target, (k,), tuple(s for s in found if s["subject"]["kind"] == k)) for k in kinds]
    return out


def as_expected(sample: Sample) -> bool:
    """Whether the status is right: passed, or what a kernel known to be wrong is expected to give."""
    return bool(sample["status"] in (PASSED, sample["expected"]))


def known_wrong(sample: Sample) -> bool:
    """Whether the kernel is known to compute something else and does: its cycles are for the record only."""
    return bool(sample["expected"] != PASSED and sample["status"] == sample["expected"])


@frozen
class Totals:
    """Counts over samples.

    Attributes:
        total: all of them. passed, harness_errors: with this status. known_wrong: as expected of a kernel that is known to
            compute something else; neither these nor harness errors count as failed.
        speedup: geometric mean over those that passed and have a baseline; None without one. speedups: how many these are.
    """

    total: int
    passed: int
    harness_errors: int
    known_wrong: int
    speedup: float | None
    speedups: int

    @property
    def failed(self) -> int:
        """Samples whose kernel is wrong, and was not known to be."""
        return self.total - self.passed - self.harness_errors - self.known_wrong

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "total": self.total,
            "passed": self.passed,
            "failed": self.failed,
            "harness_errors": self.harness_errors,
            "known_wrong": self.known_wrong,
            "speedup_geomean": self.speedup,
            "speedup_count": self.speedups,
        }

    def lines(self) -> list[str]:
        """Return the totals as text."""
        errors = f"{self.harness_errors} harness error{'' if self.harness_errors == 1 else 's'}"
        known = f", {self.known_wrong} known to be wrong" if self.known_wrong else ""
        out = [f"passed {self.passed} of {self.total} ({errors}{known})"]
        if self.speedup is not None and not math.isclose(self.speedup, 1.0, abs_tol=5e-5):
            out.append(f"speedup {self.speedup:.2f} (geometric mean over {self.speedups} of {self.total})")
        return out


def totals(samples: Sequence[Sample]) -> Totals:
    """Return the totals of samples."""
    speedups = [s["speedup"] for s in samples if s["status"] == PASSED and s["speedup"]]
    mean = geometric_mean(speedups)
    return Totals(
        total=len(samples),
        passed=sum(s["status"] == PASSED for s in samples),
        harness_errors=sum(s["status"] == HARNESS_ERROR for s in samples),
        known_wrong=sum(map(known_wrong, samples)),
        speedup=mean.value,
        speedups=mean.used,
    )


@frozen
class Reached:
    """How many of the published results were reached: passed with at most as many cycles."""

    who: str
    reached: int
    published: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"method": self.who, "reached": self.reached, "published": self.published}

    def line(self) -> str:
        """Return it as text."""
        return f"{self.reached} of {self.published} published cells at or below {self.who}"


def best_published(published: Iterable[Mapping[str, Any]], target: str, compiler: bool = False) -> dict[Key, int]:
    """Return (task, config) -> fewest published cycles of a target: of agents, or of the published compiler."""
    best: dict[Key, int] = {}
    for entry in published:
        if entry["target"] == target and entry["method"].startswith(COMPILER) == compiler:
            key = (entry["task"], entry["config"])
            best[key] = min(entry["cycles"], best.get(key, entry["cycles"]))
    return best


def reached(samples: Sequence[Sample], published: Sequence[Mapping[str, Any]], target: str) -> list[Reached]:
    """Return the comparison with published agents and with the published compiler, where there are results of either."""
    out = []
    for who, compiler in (("the best agent", False), ("the compiler", True)):
        best = best_published(published, target, compiler)
        cells = [s for s in samples if (s["task"], s["config"]) in best]
        if cells:
            good = sum(s["status"] == PASSED and s["cycles"] <= best[s["task"], s["config"]] for s in cells)
            out.append(Reached(who, good, len(cells)))
    return out
