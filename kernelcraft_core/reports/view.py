"""Looking at samples: a list of them, and one with its score, kernel and transcript.

| code | meaning |
| --- | --- |
| KC0840 | a run has no such sample, or several |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernelcraft_core.diagnostics import Diagnostic, ResultsError
from kernelcraft_core.reports.blocks import NONE, Block
from kernelcraft_core.reports.data import Entry, entries
from kernelcraft_core.reports.render import clean
from kernelcraft_core.reports.tables import reason
from kernelcraft_core.results import Run, plain
from kernelcraft_core.results.checks import number

Event = Mapping[str, Any]
CHARACTERS = 2000
FACT = 200
"""How much of a text, and of any other value, is shown unless all is asked for."""
_SHOWN = ("kind", "schema", "version", "iteration")
_TEXTS = ("content", "text", "message", "reason", "note", "error", "result")
"""Keys of an event that hold what is to be read."""


def listing(run: Run) -> Block:
    """Return the samples of a run as a table."""
    rows = []
    for entry in entries(run):
        if entry.sample is not None:
            rows.append(_row(entry, entry.sample))
    header = ["id", "cell", "subject", "repeat", "status", "cycles", "speedup", "iterations"]
    return Block(f"{run.path}: {len(rows)} sample{'' if len(rows) == 1 else 's'}", header, rows)


def _row(entry: Entry, sample: Mapping[str, Any]) -> list[str]:
    speedup = number(sample["speedup"])
    agent = sample["agent"] or {}
    return [
        sample["id"],
        f"{entry.target} {entry.task}/{entry.config}",
        entry.label,
        str(entry.repeat),
        entry.status.replace("_", " "),
        NONE if sample["cycles"] is None else f"{sample['cycles']:,}",
        NONE if speedup is None else f"{speedup:.2f}",
        NONE if agent.get("iterations") is None else str(agent["iterations"]),
    ]


def find(run: Run, wanted: str) -> Entry:
    """Return the sample that is meant: by the start of its id, by `task/config`, or by `target/task/config`.

    Raises:
        ResultsError: KC0840.
    """
    found = [entry for entry in entries(run) if entry.sample is not None]
    for fits in (
        lambda e: e.sample["id"] == wanted,
        lambda e: bool(wanted) and e.sample["id"].startswith(wanted),
        lambda e: wanted in (f"{e.task}/{e.config}", f"{e.target}/{e.task}/{e.config}"),
    ):
        chosen = [entry for entry in found if fits(entry)]
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            names = ", ".join(f"{e.sample['id']} ({e.label} #{e.repeat})" for e in chosen[:10] if e.sample)
            raise ResultsError(Diagnostic("KC0840", f"{run.path} has several samples {wanted!r}", hint=names))
    raise ResultsError(Diagnostic("KC0840", f"{run.path} has no sample {wanted!r}", hint="`kc view RUN` lists them"))


def score(entry: Entry) -> Iterator[str]:
    """Yield lines that say what a sample is and what it scored."""
    sample = entry.sample or {}
    yield f"{entry.target} {entry.task}/{entry.config}, {entry.label}, repeat {entry.repeat} ({sample['id']})"
    yield f"status: {entry.status.replace('_', ' ')}"
    if entry.status != "passed":
        yield f"reason: {reason(sample)}"
    for name in ("match_rate", "cycles", "baseline_cycles", "speedup", "bound_share", "instructions", "seconds"):
        if (value := sample[name]) is not None:
            yield f"{name.replace('_', ' ')}: {f'{value:.4g}' if isinstance(value, float) else value}"
    agent = sample["agent"]
    if agent is not None:
        yield ""
        for name in ("iterations", "evaluations", "first_correct", "best_iteration", "stopped", "failure"):
            yield f"{name.replace('_', ' ')}: {NONE if agent[name] is None else agent[name]}"
        for name in ("tool_calls", "events", "usage", "seconds"):
            values = ", ".join(f"{key} {'unknown' if v is None else v}" for key, v in agent[name].items() if v != 0)
            yield f"{name.replace('_', ' ')}: {values or NONE}"


def findings(entry: Entry) -> Iterator[str]:
    """Yield a line for each finding of a sample."""
    for finding in (entry.sample or {})["diagnostics"]:
        where = f"line {finding['line']}: " if finding.get("line") else ""
        yield f"{finding['severity']}[{finding['code']}]: {where}{finding['message']}"


def transcript(events: Sequence[Event], limit: int | None = CHARACTERS) -> str:
    """Return a transcript for reading, turn by turn.

    Args:
        events: as `read_transcript` gives them; of an unknown kind, all that an event holds is shown.
        limit: characters of each text that are shown; None: all.
    """
    out, turn = [], 0
    for event in events:
        turn = _turn(event, turn)
        out.append("\n".join(_event(event, turn, limit)))
    return clean("\n\n".join(out))


def _turn(event: Event, last: int) -> int:
    """Return the number of a reply: as it says, or one more than the last; of another event, the last one."""
    if event["kind"] != "reply":
        return last
    stated = event.get("iteration")
    return stated if isinstance(stated, int) else last + 1


def _event(event: Event, turn: int, limit: int | None) -> Iterator[str]:
    inner = event.get("message")
    message = inner if isinstance(inner, Mapping) else event
    rest = {k: v for k, v in event.items() if k not in _SHOWN and not (k == "message" and message is inner)}
    rest = {k: v for k, v in rest.items() if k not in _TEXTS or not isinstance(v, str)}
    rest = {
        k: v for k, v in rest.items() if k not in ("role", "tool_calls", "opaque") and v not in (None, "", [], {}, ())
    }
    head = f"--- {event['kind'].replace('_', ' ')}" + (f" {turn}" if event["kind"] == "reply" else "")
    role = message.get("role")
    yield head + (f" ({role})" if isinstance(role, str) else "") + (f": {_facts(rest, limit)}" if rest else "")
    for name in _TEXTS:
        text = message.get(name)
        if isinstance(text, str) and text:
            yield _cut(text, limit)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        values = call if isinstance(call, Mapping) else {"name": call}
        yield f"> {values.get('name')}({_cut(_arguments(values.get('arguments')), limit)})"


def _arguments(value: Any) -> str:
    """Return the arguments of a call as the model wrote them; code in them with its line ends."""
    try:
        given = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return str(value)
    if isinstance(given, Mapping):
        parts = (f"{k}={v if isinstance(v, str) and chr(10) in v else json.dumps(plain(v))}" for k, v in given.items())
        return ", ".join(parts)
    return "" if given is None else str(given)


def _facts(values: Event, limit: int | None) -> str:
    short = None if limit is None else FACT
    return ", ".join(f"{key}={_cut(json.dumps(plain(value), sort_keys=True), short)}" for key, value in values.items())


def _cut(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}\n[{len(text) - limit:,} more characters; --full shows them]"
