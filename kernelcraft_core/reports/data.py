"""The data of a report: flat rows by section, of which Markdown, text, CSV and JSON are renderings.

| code | meaning |
| --- | --- |
| KC0832 | a run has no such subject, or several and none is named |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic
from kernelcraft_core.reports import agents
from kernelcraft_core.reports.statistics import geometric_mean, pass_at_k, wilson
from kernelcraft_core.reports.subjects import Subject, key_of, labels, published_model
from kernelcraft_core.reports.tables import natural, reason
from kernelcraft_core.reports.totals import COMPILER, HARNESS_ERROR, PASSED, Sample, best_published, known_wrong
from kernelcraft_core.results import Run
from kernelcraft_core.results.checks import number

STEPS = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Values of k for which there is pass@k, besides the largest one there can be."""
NOT_RUN = "not_run"
"""Stands in a report for the status of a sample that the run does not have yet."""
Row = Mapping[str, Any]


@frozen
class Entry:
    """A sample that the run has or is to have: the latter has no `sample`."""

    target: str
    level: int
    task: str
    config: str
    repeat: int
    subject: Subject
    label: str
    sample: Sample | None

    @property
    def status(self) -> str:
        """The sample's status, or `NOT_RUN`."""
        return NOT_RUN if self.sample is None else str(self.sample["status"])


@frozen
class PublishedResults:
    """Cited results: `cycles` with target, task, config, method, cycles; `success` with target, task, model, counts."""

    cycles: Sequence[Row] = ()
    success: Sequence[Row] = ()


@frozen
class Report:
    """What a report says.

    Attributes:
        header: what was run. titles: slug -> title of the tasks.
        sections: name -> rows; all rows of a section have the same keys. findings: what is damaged.
    """

    header: Mapping[str, Any]
    titles: Mapping[str, str]
    sections: Mapping[str, Sequence[Row]]
    findings: Sequence[Diagnostic] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        findings = [finding.as_dict() for finding in self.findings]
        return {"header": dict(self.header), **self.sections, "titles": dict(self.titles), "diagnostics": findings}


def build(run: Run, published: PublishedResults | None = None) -> Report:
    """Return the report of a run.

    Args:
        run: as it was read.
        published: cited results to stand beside the run's; None leaves them out.
    """
    found = entries(run)
    cited = published or PublishedResults()
    titles = {cell["task"]: cell["title"] or cell["task"] for cell in run.cells}
    success = list(_success(found, cited))
    sections: dict[str, Sequence[Row]] = {
        "totals": list(_totals(found, success)),
        "success": success,
        "pass_at_k": list(_pass_at_k(found)),
        "speedups": list(_speedups(found)),
        **agents.sections(found),
        "cells": list(_cells(found, cited)),
    }
    if published is not None:
        shown = {(row["target"], row["task"]) for row in success}
        sections["published_success"] = [r for r in cited.success if (r["target"], r["task"]) in shown]
    return Report(_header(run, found), titles, sections, run.findings)


def entries(run: Run) -> list[Entry]:
    """Return what the run has and is to have, by target, level, task and configuration."""
    names = labels([*(cell["subject"] for cell in run.cells), *(sample["subject"] for sample in run.samples)])
    samples = {sample["id"]: sample for sample in run.samples}
    missing = [cell for cell in run.cells if cell["id"] not in samples]
    found = [_entry(sample, names, sample) for sample in run.samples] + [_entry(cell, names, None) for cell in missing]
    targets = list(dict.fromkeys(entry.target for entry in found))
    tasks = list(dict.fromkeys([*(cell["task"] for cell in run.cells), *(entry.task for entry in found)]))
    subjects = list(names.values())
    found.sort(
        key=lambda e: (
            targets.index(e.target),
            e.level,
            tasks.index(e.task),
            natural(e.config),
            subjects.index(e.label),
            e.repeat,
        )
    )
    return found


def _entry(row: Row, names: Mapping[str, str], sample: Sample | None) -> Entry:
    values = {name: row[name] for name in ("target", "level", "task", "config", "repeat", "subject")}
    return Entry(**values, label=names[key_of(row["subject"])], sample=sample)


def _header(run: Run, found: Sequence[Entry]) -> dict[str, Any]:
    record = run.record
    settings = {key: value for key, value in record["settings"].items() if key != "salt"}
    models = {
        e.label: {k: v for k, v in e.subject.items() if k != "kind"} for e in found if e.subject["kind"] == "model"
    }
    return {
        "run": str(run.path),
        "scores": run.scores,
        **{key: record[key] for key in ("started", "version", "python", "git", "plugins", "suites", "targets")},
        "settings": settings,
        "subjects": list(dict.fromkeys(entry.label for entry in found)),
        "models": models,
        "samples": sum(entry.sample is not None for entry in found),
        "planned": len(found),
    }


# --- counts -----------------------------------------------------------------------------------------------------------


def counts(found: Iterable[Entry]) -> dict[str, int]:
    """Return how many were solved of how many attempted, and what is counted in neither."""
    statuses = [entry.status for entry in found]
    aside = {"harness_errors": statuses.count(HARNESS_ERROR), "not_run": statuses.count(NOT_RUN)}
    return {"solved": statuses.count(PASSED), "attempted": len(statuses) - sum(aside.values()), **aside}


def _grouped(found: Iterable[Entry], *names: str) -> Iterator[tuple[tuple[Any, ...], list[Entry]]]:
    """Yield the entries that agree in some attributes, in the order in which each group begins."""
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in found:
        groups.setdefault(tuple(getattr(entry, name) for name in names), []).append(entry)
    yield from groups.items()


def _success(found: Sequence[Entry], cited: PublishedResults) -> Iterator[Row]:
    for (target, level, task, label), group in _grouped(found, "target", "level", "task", "label"):
        rows = {r["model"]: r for r in cited.success if (r["target"], r["task"]) == (target, task)}
        model = published_model(group[0].subject, rows)
        yield {
            "target": target,
            "level": level,
            "task": task,
            "subject": label,
            **counts(group),
            "published_model": model,
            "published_solved": None if model is None else rows[model]["solved"],
            "published_attempted": None if model is None else rows[model]["attempted"],
        }


def _totals(found: Sequence[Entry], success: Sequence[Row]) -> Iterator[Row]:
    """Yield the totals of each target and subject: of its levels, and of all (level None)."""
    for (target, label), of_subject in _grouped(found, "target", "label"):
        levels = [(level, list(group)) for level, group in groupby(of_subject, key=lambda entry: entry.level)]
        for level, group in [*levels, (None, of_subject)]:
            count = counts(group)
            interval = wilson(count["solved"], count["attempted"])
            cited = [
                row
                for row in success
                if (row["target"], row["subject"]) == (target, label)
                and level in (None, row["level"])
                and row["published_model"] is not None
            ]
            yield {
                "target": target,
                "level": level,
                "subject": label,
                **count,
                "rate": interval.estimate if count["attempted"] else None,
                "wilson_low": interval.low,
                "wilson_high": interval.high,
                "known_wrong": sum(entry.sample is not None and known_wrong(entry.sample) for entry in group),
                "published_solved": sum(row["published_solved"] for row in cited) if cited else None,
                "published_attempted": sum(row["published_attempted"] for row in cited) if cited else None,
            }


def _pass_at_k(found: Sequence[Entry]) -> Iterator[Row]:
    """Yield pass@k up to the most repeats, each over the cells that have as many; nothing without repeats."""
    for (target, label), group in _grouped(found, "target", "label"):
        cells = [counts(cell) for _, cell in _grouped(group, "task", "config")]
        most = max(cell["attempted"] for cell in cells)
        for k in sorted({*(k for k in STEPS if k < most), most}) if most > 1 else ():
            values = [pass_at_k(c["attempted"], c["solved"], k) for c in cells if c["attempted"] >= k]
            mean = sum(values) / len(values)
            row = {"target": target, "subject": label, "k": k, "pass_at_k": mean, "cells": len(values)}
            yield {**row, "left_out": len(cells) - len(values)}


def _speedups(found: Sequence[Entry]) -> Iterator[Row]:
    """Yield the geometric mean of the speedups of what passed, with how many that are of how many."""
    for (target, label), group in _grouped(found, "target", "label"):
        passed = [entry.sample for entry in group if entry.sample is not None and entry.status == PASSED]
        mean = geometric_mean(number(sample["speedup"]) for sample in passed)
        count = {"used": mean.used, "passed": len(passed), "attempted": counts(group)["attempted"]}
        yield {"target": target, "subject": label, "geomean": mean.value, **count}


def _cells(found: Sequence[Entry], cited: PublishedResults) -> Iterator[Row]:
    """Yield a row for each sample: everything the tables are made of."""
    models = {row["method"] for row in cited.cycles if not row["method"].startswith(COMPILER)}
    by_model = {model: [row for row in cited.cycles if row["method"] == model] for model in models}
    for target, of_target in groupby(found, key=lambda entry: entry.target):
        agents_best = best_published(cited.cycles, target)
        compilers_best = best_published(cited.cycles, target, compiler=True)
        of_models = {model: best_published(rows, target) for model, rows in by_model.items()}
        for entry in of_target:
            key = (entry.task, entry.config)
            model = published_model(entry.subject, models)
            yield {
                **_cell(entry),
                "published_cycles": None if model is None else of_models[model].get(key),
                "published_best": agents_best.get(key),
                "published_compiler": compilers_best.get(key),
            }


def _cell(entry: Entry) -> Row:
    sample = entry.sample or {}
    row: dict[str, Any] = {
        "id": sample.get("id"),
        "target": entry.target,
        "level": entry.level,
        "task": entry.task,
        "config": entry.config,
        "subject": entry.label,
        "repeat": entry.repeat,
        "status": entry.status,
    }
    names = (
        "expected",
        "cycles",
        "baseline_cycles",
        "baseline_kind",
        "speedup",
        "bound_share",
        "match_rate",
        "seconds",
    )
    row |= {name: sample.get(name) for name in names}
    row["reason"] = reason(sample) if sample and entry.status != PASSED else None
    return {**row, **agents.of_cell(sample.get("agent"))}
