"""Two runs, or two subjects of one, compared cell by cell: the same target, task, configuration and repeat.

| code | meaning |
| --- | --- |
| KC0834 | two runs were scored under different conditions: suite, machine, instruction set, extensions or back end |
| KC0835 | two runs have no cell in common |
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from kernelcraft_core.diagnostics import WARNING, Diagnostic, ResultsError
from kernelcraft_core.reports.blocks import NONE, Block
from kernelcraft_core.reports.data import NOT_RUN, Entry, Row, entries
from kernelcraft_core.reports.statistics import (
    RESAMPLES,
    Interval,
    bootstrap_difference,
    bootstrap_ratio,
    geometric_mean,
    mcnemar,
)
from kernelcraft_core.reports.subjects import choose, key_of
from kernelcraft_core.reports.totals import HARNESS_ERROR, PASSED
from kernelcraft_core.results import Run, canonical

SEED = 0
"""Of the bootstrap."""
Key = tuple[str, str, str, int]


@frozen
class Side:
    """One side of a comparison: its run, the label of its subject, and its samples."""

    run: Run
    label: str
    found: Mapping[Key, Entry]

    @property
    def name(self) -> str:
        """How messages call it."""
        scores = f" ({self.run.scores})" if self.run.scores else ""
        return f"{self.run.path}{scores}: {self.label}"


@frozen
class Comparison:
    """What two sides have in common.

    Attributes:
        first, second: the sides. pairs: cells that both have scored, with both samples; in the order of reports.
        aside: why other cells are not compared -> how many.
        warnings: conditions that differ.
    """

    first: Side
    second: Side
    pairs: Sequence[tuple[Entry, Entry]]
    aside: Mapping[str, int]
    warnings: Sequence[Diagnostic]

    def counts(self) -> dict[str, int]:
        """Return the four counts of success."""
        solved = [(a.status == PASSED, b.status == PASSED) for a, b in self.pairs]
        words = {"both": (True, True), "first_only": (True, False), "second_only": (False, True)}
        return {word: solved.count(pair) for word, pair in words.items()} | {"neither": solved.count((False, False))}

    def success(self) -> dict[str, Any]:
        """Return the comparison of success: counts, the exact McNemar test, the difference of the shares."""
        counts = self.counts()
        solved = [(float(a.status == PASSED), float(b.status == PASSED)) for a, b in self.pairs]
        first, second = [a for a, _ in solved], [b for _, b in solved]
        difference = math.fsum(second) / len(second) - math.fsum(first) / len(first)
        interval = bootstrap_difference(first, second, self.cells(self.pairs), seed=SEED)
        p = mcnemar(counts["first_only"], counts["second_only"])
        return {**counts, "pairs": len(solved), "mcnemar_p": p, "difference": difference, **_ends(interval)}

    def cycles(self) -> dict[str, Any]:
        """Return the comparison of cycles over the pairs in which both passed: first / second, above 1 is faster."""
        both = [(a, b) for a, b in self.pairs if _ratio(a, b) is not None]
        mean = geometric_mean(_ratio(a, b) for a, b in both)
        first, second = [_cycles(a) for a, _ in both], [_cycles(b) for _, b in both]
        interval = bootstrap_ratio(first, second, self.cells(both), seed=SEED)
        return {"pairs": len(both), "of": len(self.pairs), "ratio_geomean": mean.value, **_ends(interval)}

    def rows(self) -> list[Row]:
        """Return a row for each pair."""
        return [
            {
                **dict(zip(("target", "task", "config", "repeat"), _key(a), strict=True)),
                "first_status": a.status,
                "second_status": b.status,
                "first_cycles": None if a.sample is None else a.sample["cycles"],
                "second_cycles": None if b.sample is None else b.sample["cycles"],
                "ratio": _ratio(a, b),
            }
            for a, b in self.pairs
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        sides = {
            name: {"run": str(side.run.path), "scores": side.run.scores, "subject": side.label}
            for name, side in (("first", self.first), ("second", self.second))
        }
        return {
            **sides,
            "success": self.success(),
            "cycles": self.cycles(),
            "cells": self.rows(),
            "not_compared": dict(self.aside),
            "bootstrap": {"resamples": RESAMPLES, "seed": SEED, "level": 0.95, "drawn": "cells"},
        }

    @staticmethod
    def cells(pairs: Sequence[tuple[Entry, Entry]]) -> list[Key]:
        """Return what is drawn as a whole: the repeats of one cell are not independent of each other."""
        return [(*_key(a)[:3], 0) for a, _ in pairs]


def compare(first: Run, second: Run, subjects: Sequence[str] = (), force: bool = False) -> Comparison:
    """Return the comparison of two runs.

    Args:
        first: a run.
        second: another one, or the same.
        subjects: label on either side; one label stands for both, none for the only subject.
        force: compare also what was scored under other conditions, with warnings.

    Raises:
        ResultsError: KC0832, KC0834, KC0835.
    """
    names = [None, None] if not subjects else [subjects[0], subjects[-1]]
    a, b = _side(first, names[0]), _side(second, names[1])
    common = [key for key in a.found if key in b.found]
    if not common:
        raise ResultsError(Diagnostic("KC0835", f"{a.name} and {b.name} have no cell in common"))
    pairs, aside = (
        [],
        {"in the first only": len(a.found) - len(common), "in the second only": len(b.found) - len(common)},
    )
    for key in common:
        pair = (a.found[key], b.found[key])
        statuses = {entry.status for entry in pair}
        reason = next((status for status in (HARNESS_ERROR, NOT_RUN) if status in statuses), None)
        if reason is None:
            pairs.append(pair)
        else:
            aside[reason] = aside.get(reason, 0) + 1
    if not pairs:
        raise ResultsError(Diagnostic("KC0835", f"{a.name} and {b.name} have no cell that both have a score for"))
    findings = _conditions(a, b, pairs)
    if findings and not force:
        hint = "--force compares them all the same"
        raise ResultsError([Diagnostic(f.code, f.message, hint=hint) for f in findings])
    pairs.sort(key=lambda pair: (pair[0].target, pair[0].level))
    return Comparison(a, b, pairs, {key: count for key, count in aside.items() if count}, findings)


def _side(run: Run, wanted: str | None) -> Side:
    found = entries(run)
    known = {key_of(entry.subject): entry.label for entry in found}
    label = known[choose(wanted, known, str(run.path))]
    return Side(run, label, {_key(entry): entry for entry in found if entry.label == label})


def _conditions(a: Side, b: Side, pairs: Sequence[tuple[Entry, Entry]]) -> list[Diagnostic]:
    """Return a warning for each condition that differs between the samples of a pair, or between the machines."""
    found: dict[str, None] = {}
    words = {
        "suite": "task suite",
        "machine": "machine",
        "extensions": "extensions",
        "isa_digest": "ISA",
        "backend": "back end",
    }
    for x, y in pairs:
        for key, word in words.items():
            values = [canonical((entry.sample or {}).get(key)) for entry in (x, y)]
            if values[0] != values[1]:
                found.setdefault(
                    f"{x.target}: {word} {_cut(values[0])} in the first and {_cut(values[1])} in the second"
                )
    for target in dict.fromkeys(x.target for x, _ in pairs):
        changed = _parameters(a.run, b.run, target)
        if changed:
            found.setdefault(f"{target}: the machines differ in {', '.join(changed)}")
    return [Diagnostic("KC0834", message, severity=WARNING) for message in found]


def _parameters(a: Run, b: Run, target: str) -> list[str]:
    """Return the parameters of machines of the same name whose values differ."""
    machines: list[dict[str, Any]] = []
    for run in (a, b):
        found = [setup.get("machine") for setup in run.record["targets"].get(target, ())]
        machines.append({str(m["name"]): m.get("values") for m in found if isinstance(m, Mapping) and "name" in m})
    out: dict[str, None] = {}
    for name in machines[0].keys() & machines[1].keys():
        one, other = (
            values if isinstance(values, Mapping) else {} for values in (machines[0][name], machines[1][name])
        )
        out |= dict.fromkeys(k for k in sorted({*one, *other}) if canonical(one.get(k)) != canonical(other.get(k)))
    return list(out)


def _key(entry: Entry) -> Key:
    return (entry.target, entry.task, entry.config, entry.repeat)


def _cycles(entry: Entry) -> int:
    return int((entry.sample or {}).get("cycles") or 0)


def _ratio(a: Entry, b: Entry) -> float | None:
    """Return cycles of the first / cycles of the second where both passed, on one back end: others count differently."""
    if (a.sample or {}).get("backend") != (b.sample or {}).get("backend"):
        return None
    if a.status != PASSED or b.status != PASSED or not _cycles(a) or not _cycles(b):
        return None
    return _cycles(a) / _cycles(b)


def _ends(interval: Interval | None) -> dict[str, float | None]:
    return {"low": interval.low if interval else None, "high": interval.high if interval else None}


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


# --- text -------------------------------------------------------------------------------------------------------------


def blocks(found: Comparison) -> Iterator[Block]:
    """Yield the comparison as tables."""
    success, cycles = found.success(), found.cycles()
    rows = [["first", found.first.name], ["second", found.second.name]]
    rows += [["not compared", f"{count} {reason.replace('_', ' ')}"] for reason, count in found.aside.items()]
    yield Block("Compared", (), rows)
    rows = [
        ["pairs", str(success["pairs"])],
        ["both solved", str(success["both"])],
        ["only the first", str(success["first_only"])],
        ["only the second", str(success["second_only"])],
        ["neither", str(success["neither"])],
        ["exact McNemar test, p", f"{success['mcnemar_p']:.4g}"],
        ["second - first", _percent(success)],
    ]
    repeats = len(found.pairs) - len(set(found.cells(found.pairs)))
    notes = ["The test takes the repeats of a cell as pairs of their own; the intervals do not."] if repeats else []
    yield Block("Success", (), rows, notes)
    mean, pairs = cycles["ratio_geomean"], f"over {cycles['pairs']} of {cycles['of']} pairs"
    ends = "" if cycles["low"] is None else f", 95 % bootstrap interval {cycles['low']:.3f} to {cycles['high']:.3f}"
    text = f"{NONE} {pairs}" if mean is None else f"{mean:.3f} {pairs}{ends}"
    yield Block("Cycles", (), [["first / second, geometric mean", text]], ["Above 1 the second is faster."])
    yield Block("Cells", ("", "first", "second", "first / second"), list(_lines(found.rows())))


def _percent(success: Row) -> str:
    share = f"{100 * success['difference']:+.1f} points"
    if success["low"] is None:
        return share
    return f"{share}, 95 % bootstrap interval {100 * success['low']:+.1f} to {100 * success['high']:+.1f}"


def _lines(rows: Sequence[Row]) -> Iterator[list[str]]:
    for row in rows:
        repeat = f" #{row['repeat']}" if row["repeat"] else ""
        cells = [
            f"{row[f'{side}_cycles']:,}" if row[f"{side}_status"] == PASSED else row[f"{side}_status"].replace("_", " ")
            for side in ("first", "second")
        ]
        ratio = NONE if row["ratio"] is None else f"{row['ratio']:.3f}"
        yield [f"{row['target']} {row['task']}/{row['config']}{repeat}", *cells, ratio]
