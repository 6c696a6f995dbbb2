"""The part of a report that is about models: tokens and price, tools, how long it took to be right, and what went wrong.

It has rows for samples with the key `agent` only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kernelcraft_core.reports.totals import HARNESS_ERROR, PASSED, Sample
from kernelcraft_core.results.checks import TOKENS, number

if TYPE_CHECKING:
    from kernelcraft_core.reports.data import Entry

Row = Mapping[str, Any]
CLASSES = ("syntax", "functional", "tool_use", "no_kernel")
"""Failures of a model. Source: KernelCraft, arXiv 2603.08721, table 9; `no_kernel` is what never was written."""
PROVIDER = "provider"
"""Failure of a service, which is never counted against a model."""
_BY_STATUS = {"syntax_error": "syntax", "trap": "functional", "limit": "functional", "mismatch": "functional"}


def sections(found: Sequence[Entry]) -> dict[str, Sequence[Row]]:
    """Return the sections `usage`, `effort`, `tools`, `events`, `failures` and `stopped`."""
    groups: dict[tuple[str, str], list[Sample]] = {}
    for entry in found:
        if entry.sample is not None and entry.sample["agent"] is not None:
            groups.setdefault((entry.target, entry.label), []).append(entry.sample)
    makers: dict[str, Callable[[Sequence[Sample]], Iterator[Row]]] = {
        "usage": _usage,
        "effort": _effort,
        "tools": _tools,
        "events": _events,
        "failures": _failures,
        "stopped": _stopped,
    }
    return {
        name: [
            {"target": target, "subject": label, **row}
            for (target, label), group in groups.items()
            for row in make(group)
        ]
        for name, make in makers.items()
    }


def of_cell(agent: Row | None) -> dict[str, Any]:
    """Return what the row of a sample says of its episode; every value None for a kernel without one."""
    row = {
        name: agent[name] if agent else None
        for name in ("iterations", "evaluations", "first_correct", "best_iteration", "stopped", "failure")
    }
    usage = {name: agent["usage"][name] if agent else None for name in (*TOKENS, "price_usd")}
    return {**row, "tool_calls": sum(agent["tool_calls"].values()) if agent else None, **usage}


def _usage(group: Sequence[Sample]) -> Iterator[Row]:
    """Yield the sums of what is known, None where nothing is, and the number of episodes for which it is unknown."""
    row: dict[str, Any] = {"episodes": len(group)}
    for name in (*TOKENS, "price_usd"):
        known = _known(sample["agent"]["usage"][name] for sample in group)
        row[name] = _sum(known, whole=name != "price_usd")
        row[f"{name}_unknown"] = len(group) - len(known)
    for name in ("model", "tools"):
        row[f"seconds_{name}"] = _sum(_known(sample["agent"]["seconds"].get(name) for sample in group))
    row["seconds"] = _sum(_known(sample["seconds"] for sample in group))
    yield row


def _effort(group: Sequence[Sample]) -> Iterator[Row]:
    agents = [sample["agent"] for sample in group]
    row: dict[str, Any] = {"episodes": len(group), "passed": sum(sample["status"] == PASSED for sample in group)}
    for name in ("iterations", "evaluations", "first_correct", "best_iteration"):
        values = _known(agent[name] for agent in agents)
        row[f"{name}_mean"] = math.fsum(values) / len(values) if values else None
        row[f"{name}_count"] = len(values)
    turns = [(a["usage"]["output_tokens"], a["iterations"]) for a in agents]
    known = [(tokens, count) for tokens, count in turns if tokens is not None and count]
    row["output_tokens_per_iteration"] = sum(t for t, _ in known) / sum(n for _, n in known) if known else None
    row["tool_calls_mean"] = sum(sum(agent["tool_calls"].values()) for agent in agents) / len(agents)
    yield row


def _tools(group: Sequence[Sample]) -> Iterator[Row]:
    yield from _counted(group, "tool_calls", "tool", "calls")


def _events(group: Sequence[Sample]) -> Iterator[Row]:
    yield from _counted(group, "events", "event", "times")


def _counted(group: Sequence[Sample], key: str, what: str, how: str) -> Iterator[Row]:
    """Yield the sum of each counter that is not 0, the largest first, and in how many episodes it is not 0."""
    sums: dict[str, list[int]] = {}
    for sample in group:
        for name, count in sample["agent"][key].items():
            if count:
                sums.setdefault(name, []).append(count)
    for name, values in sorted(sums.items(), key=lambda item: (-sum(item[1]), item[0])):
        mean = sum(values) / len(group)
        yield {what: name, how: sum(values), "episodes": len(values), "of": len(group), "per_episode": mean}


def failure_of(sample: Sample) -> str | None:
    """Return the class of a failure: as recorded, or by the status; None for a sample that passed."""
    if sample["status"] == PASSED:
        return None
    if sample["status"] == HARNESS_ERROR:
        return str(sample["agent"]["failure"] or "harness")
    return str(sample["agent"]["failure"] or _BY_STATUS[sample["status"]])


def _failures(group: Sequence[Sample]) -> Iterator[Row]:
    """Yield the number of failures by class; those of the harness and of the service do not count as attempted."""
    found = [failure_of(sample) for sample in group]
    aside = sum(sample["status"] == HARNESS_ERROR for sample in group)
    names = dict.fromkeys([*CLASSES, *sorted({name for name in found if name is not None})])
    for name in names:
        counted = sum(f == name and s["status"] != HARNESS_ERROR for f, s in zip(found, group, strict=True))
        uncounted = found.count(name) - counted
        if name in CLASSES or counted or uncounted:
            yield {"failure": name, "count": counted, "not_counted": uncounted, "attempted": len(group) - aside}


def _stopped(group: Sequence[Sample]) -> Iterator[Row]:
    reasons = [sample["agent"]["stopped"] or "unknown" for sample in group]
    for name in sorted(set(reasons), key=lambda name: (-reasons.count(name), name)):
        yield {"stopped": name, "episodes": reasons.count(name)}


def _known(values: Iterable[Any]) -> list[Any]:
    """Return the values that are finite numbers, whole ones as they are."""
    return [value for value in values if value is not None and math.isfinite(number(value) or 0)]


def _sum(values: Sequence[Any], whole: bool = False) -> float | None:
    if not values:
        return None
    return sum(values) if whole else math.fsum(values)
