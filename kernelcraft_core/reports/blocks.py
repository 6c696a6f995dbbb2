"""The tables of a report as people read them: rows of text made of the report's sections.

Source of the layout of success and failures: KernelCraft, arXiv 2603.08721, tables 5 and 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from kernelcraft_core.reports.agents import CLASSES, PROVIDER
from kernelcraft_core.reports.data import NOT_RUN, Report, Row
from kernelcraft_core.reports.statistics import wilson
from kernelcraft_core.reports.tables import level_name, natural
from kernelcraft_core.reports.totals import HARNESS_ERROR, PASSED
from kernelcraft_core.results.checks import TOKENS, number

NONE = "-"
UNKNOWN = "unknown"
Counts = tuple[int, int]
"""Solved, attempted."""
LONG = 300
"""How many characters of a setting are shown; JSON has all of them."""
SHOWN = 20
"""How many failed kernels are named."""


@frozen
class Block:
    """A table: its title, the texts of its cells, and notes below it. The first column is aligned to the left."""

    title: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = field(default=())


def blocks(report: Report) -> Iterator[Block]:
    """Yield the tables of a report, those without rows left out."""
    yield _header(report.header)
    targets = list(dict.fromkeys(row["target"] for row in report.sections["totals"]))
    for target in targets:
        of_target = {name: [row for row in rows if row["target"] == target] for name, rows in report.sections.items()}
        yield from (block for block in _of_target(target, of_target, report.titles) if block.rows)
    failed = [row for row in report.sections["cells"] if row["status"] not in (PASSED, NOT_RUN)]
    failed = [row for row in failed if row["status"] != row["expected"]]
    if failed:
        rows = [[_cell_name(row), row["subject"], _words(row["reason"] or "", 100)] for row in failed[:SHOWN]]
        more = (f"and {len(failed) - SHOWN} more",) if len(failed) > SHOWN else ()
        yield Block("What failed", ("cell", "subject", "first finding"), rows, more)


def _of_target(target: str, sections: Mapping[str, Sequence[Row]], titles: Mapping[str, str]) -> Iterator[Block]:
    yield _success(target, sections, titles)
    yield _pass_at_k(target, sections["pass_at_k"])
    yield _speedups(target, sections, titles)
    yield _published_cycles(target, sections["cells"])
    yield _usage(target, sections["usage"])
    yield _effort(target, sections["effort"])
    yield _counters(f"{target}: calls per tool", "tool", "calls", sections["tools"])
    yield _counters(f"{target}: events", "event", "times", sections["events"])
    yield _failures(target, sections["failures"])
    yield _stopped(target, sections["stopped"])


# --- what was run -----------------------------------------------------------------------------------------------------


def _header(header: Row) -> Block:
    """Return what was run, with which settings and versions."""
    git = header["git"] or {}
    changed = ", files changed" if git.get("changed") else ""
    samples = f"{header['samples']} of {header['planned']}"
    rows = [
        ["run", header["run"] + (f", rescored as {header['scores']}" if header["scores"] else "")],
        ["samples", samples],
        ["subjects", "; ".join(header["subjects"]) or NONE],
        ["started", _word(header["started"])],
        ["kernelcraft-core", f"{_word(header['version'])} ({_word(git.get('revision'))}{changed})"],
        ["Python", _word(header["python"])],
        ["plug-ins", _pairs(header["plugins"])],
        ["task suites", _pairs(header["suites"])],
    ]
    for target, setups in header["targets"].items():
        rows += [[f"target {target}", _setup(setup)] for setup in setups]
    settings = dict(header["settings"])
    settings.pop("backend", None)  # the targets say it, with its build
    rows.append(["inputs", f"{_word(settings.pop('draws', None))} draws, {_seed(settings.pop('secret', None))}"])
    study = settings.pop("agent", None)  # grids of models and limits: the rows of models say what came of them
    if isinstance(study, Mapping) and study:
        rows.append(["experiment", _value(study.get("name") or NONE)])
        settings.pop("kinds", None)
    rows += [
        [key, _words(_value(value), LONG)] for key, value in settings.items() if value not in ([], {}, None, False, "")
    ]
    rows += [
        [f"model {label}", _words(_pairs(model.get("settings") or {}), LONG)]
        for label, model in header["models"].items()
    ]
    return Block("What was run", (), rows)


def _seed(secret: Any) -> str:
    return {True: "secret", False: "from a given seed"}.get(secret, UNKNOWN) if isinstance(secret, bool) else UNKNOWN


def _setup(setup: Row) -> str:
    machine = setup.get("machine")
    name = machine.get("name") if isinstance(machine, Mapping) else None
    extensions = setup.get("extensions") or ()
    digest = str(setup.get("isa_digest", UNKNOWN))[:12]
    more = f", extensions {', '.join(map(str, extensions))}" if isinstance(extensions, list) and extensions else ""
    more += f", back end {_word(setup['backend'])}" if "backend" in setup else ""
    return f"machine {_word(name)}, ISA {digest}{more}"


def _pairs(values: Any) -> str:
    if not isinstance(values, Mapping):
        return _value(values)
    return ", ".join(f"{key} {_value(value)}" for key, value in values.items()) or NONE


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value)) or NONE
    if isinstance(value, Mapping):
        return _pairs(value)
    return _words(_word(value), 100)


def _word(value: Any) -> str:
    return UNKNOWN if value is None else str(value)


def _words(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


# --- success ----------------------------------------------------------------------------------------------------------


def _success(target: str, sections: Mapping[str, Sequence[Row]], titles: Mapping[str, str]) -> Block:
    """Return solved / attempted: tasks by level in rows, subjects in columns, published ones beside them."""
    success, totals = sections["success"], sections["totals"]
    subjects = list(dict.fromkeys(row["subject"] for row in totals))
    beside = {row["subject"]: row["published_model"] for row in success if row["published_model"] is not None}
    cited = sections.get("published_success", ())
    others = [m for m in dict.fromkeys(row["model"] for row in cited) if m not in beside.values()]
    header = [""]
    for subject in subjects:
        header += [subject, "reported"] if subject in beside else [subject]
    header += [f"reported {model}" for model in others]
    by_task = {(row["task"], row["subject"]): row for row in success}
    by_level = {(row["level"], row["subject"]): row for row in totals}
    levels = {row["task"]: row["level"] for row in success}
    rows = []
    for level in dict.fromkeys(levels.values()):
        tasks = [task for task, of in levels.items() if of == level]
        lines = [(level_name(level), {s: by_level.get((level, s)) for s in subjects}, tasks)]
        lines += [("  " + titles.get(t, t), {s: by_task.get((t, s)) for s in subjects}, [t]) for t in tasks]
        for name, found, of in lines:
            rows.append([name, *map(_counts, _line(found, beside, cited, others, of))])
    totals_of = {s: by_level[None, s] for s in subjects}
    total = _line(totals_of, beside, cited, others, list(levels))
    rows.append(["Total", *map(_counts, total)])
    rows.append(["Rate", *(_share(pair[0] / pair[1]) if pair and pair[1] else NONE for pair in total)])
    rows.append(["95 % Wilson interval", *(NONE if pair is None else _interval(*pair) for pair in total)])
    return Block(f"{target}: solved / attempted", header, rows, _aside(totals_of.values()))


def _line(
    found: Mapping[str, Row | None],
    beside: Mapping[str, str],
    cited: Sequence[Row],
    others: Sequence[str],
    tasks: Sequence[str],
) -> list[Counts | None]:
    """Return the counts of a line: of each subject and of the same published model, then of the other models."""
    out: list[Counts | None] = []
    for subject, row in found.items():
        out.append(None if row is None else (row["solved"], row["attempted"]))
        if subject in beside:
            known = row is not None and row["published_solved"] is not None
            out.append((row["published_solved"], row["published_attempted"]) if row is not None and known else None)
    for model in others:
        rows = [row for row in cited if row["model"] == model and row["task"] in tasks]
        out.append((sum(r["solved"] for r in rows), sum(r["attempted"] for r in rows)) if rows else None)
    return out


def _counts(pair: Counts | None) -> str:
    return NONE if pair is None else f"{pair[0]}/{pair[1]}"


def _interval(solved: int, attempted: int) -> str:
    if not attempted:
        return NONE
    interval = wilson(solved, attempted)
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %"


def _aside(totals: Any) -> list[str]:
    """Return a line for each subject that has samples which do not count as attempted, or are known to be wrong."""
    out = []
    for row in totals:
        named = {"harness_errors": "harness errors", "not_run": "not run", "known_wrong": "known to be wrong"}
        parts = [
            f"{row[key]} {words if row[key] > 1 else words.removesuffix('s')}"
            for key, words in named.items()
            if row[key]
        ]
        if parts:
            inside = "" if not row["known_wrong"] else "; those known to be wrong are attempted and not solved"
            out.append(f"{row['subject']}: {', '.join(parts)}{inside}")
    return [*out, "Harness errors and what was not run are neither solved nor attempted."] if out else []


def _pass_at_k(target: str, rows: Sequence[Row]) -> Block:
    columns = sorted({row["k"] for row in rows})
    found = {(row["subject"], row["k"]): row for row in rows}
    lines = [
        [s, *(_share(found[s, k]["pass_at_k"]) if (s, k) in found else NONE for k in columns)]
        for s in dict.fromkeys(row["subject"] for row in rows)
    ]
    short = [r for r in rows if r["left_out"]]
    notes = [f"{r['subject']}, k = {r['k']}: {r['left_out']} cells have fewer attempts and are left out" for r in short]
    return Block(f"{target}: pass@k over repeats", ["", *(f"k = {k}" for k in columns)], lines, notes)


# --- cycles -----------------------------------------------------------------------------------------------------------


def _speedups(target: str, sections: Mapping[str, Sequence[Row]], titles: Mapping[str, str]) -> Block:
    """Return the speedup of every cell: subjects below each other, configurations beside each other."""
    cells = sections["cells"]
    configs = sorted({row["config"] for row in cells}, key=natural)
    subjects = list(dict.fromkeys(row["subject"] for row in sections["totals"]))
    groups: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in cells:
        groups.setdefault((row["task"], row["subject"]), {}).setdefault(row["config"], []).append(row)
    lines = []
    for (task, subject), found in groups.items():
        name = titles.get(task, task) + (f", {subject}" if len(subjects) > 1 else "")
        lines.append([name, *(_speedup(found.get(config, ())) for config in configs)])
    notes = [_geomean(row) for row in sections["speedups"]]
    return Block(f"{target}: speedup over the baseline", ["", *configs], lines, notes)


def _speedup(rows: Sequence[Row]) -> str:
    """Return the speedup of a cell, or what went wrong; of several attempts the best one and how many passed."""
    if not rows:
        return NONE
    values = [value for row in rows if row["status"] == PASSED and (value := number(row["speedup"])) is not None]
    passed = sum(row["status"] == PASSED for row in rows)
    text = f"{max(values):.2f}" if values else PASSED if passed else rows[0]["status"].replace("_", " ")
    return f"{text} ({passed}/{len(rows)})" if len(rows) > 1 else text


def _geomean(row: Row) -> str:
    counts = f"over {row['used']} of {row['passed']} passed ({row['attempted']} attempted)"
    return f"{row['subject']}: geomean {_decimal(row['geomean'])} {counts}"


def _published_cycles(target: str, cells: Sequence[Row]) -> Block:
    """Return the cycles beside reported ones, where there are some."""
    rows = []
    for row in cells:
        cited = [row["published_cycles"], row["published_best"], row["published_compiler"]]
        if any(value is not None for value in cited):
            mine = f"{row['cycles']:,}" if row["status"] == PASSED else row["status"].replace("_", " ")
            name = f"{row['task']}/{row['config']}" + (f" #{row['repeat']}" if row["repeat"] else "")
            rows.append([name, row["subject"], mine, *(NONE if v is None else f"{v:,}" for v in cited)])
    header = ["cell", "subject", "cycles", "reported, this model", "reported, best agent", "reported, best compiler"]
    return Block(f"{target}: cycles beside reported ones", header, rows)


# --- models -----------------------------------------------------------------------------------------------------------


def _usage(target: str, rows: Sequence[Row]) -> Block:
    lines = []
    for row in rows:
        tokens = [_known(row, name, ",") for name in TOKENS]
        times = [_seconds(row[name]) for name in ("seconds_model", "seconds_tools", "seconds")]
        lines.append([row["subject"], str(row["episodes"]), *tokens, _known(row, "price_usd", ",.4f"), *times])
    header = [
        "",
        "episodes",
        "input",
        "cached",
        "output",
        "reasoning",
        "price in USD",
        "model time",
        "tool time",
        "time",
    ]
    notes = ["Input includes what was cached, output includes reasoning."] if lines else []
    return Block(f"{target}: tokens, price and time", header, lines, notes)


def _known(row: Row, name: str, form: str) -> str:
    """Return a sum; with how many episodes it lacks."""
    if row[name] is None:
        return UNKNOWN
    lacks = row[f"{name}_unknown"]
    return f"{row[name]:{form}}" + (f" + {lacks} {UNKNOWN}" if lacks else "")


def _effort(target: str, rows: Sequence[Row]) -> Block:
    names = ("iterations", "evaluations", "first_correct", "best_iteration")
    lines = []
    for row in rows:
        means = [f"{_decimal(row[f'{n}_mean'])} ({row[f'{n}_count']})" for n in names]
        written = row["output_tokens_per_iteration"]
        tokens = UNKNOWN if written is None else f"{written:,.0f}"
        lines.append([row["subject"], str(row["episodes"]), _decimal(row["tool_calls_mean"]), *means, tokens])
    header = ["", "episodes", "tool calls", "iterations", "evaluations", "first correct at", "best kernel at"]
    header.append("output per iteration")
    notes = ["Means; in parentheses over how many episodes. Output is in tokens."] if lines else []
    return Block(f"{target}: work per episode", header, lines, notes)


def _counters(title: str, what: str, how: str, rows: Sequence[Row]) -> Block:
    lines = [
        [f"{r[what]}, {r['subject']}", str(r[how]), _decimal(r["per_episode"]), f"{r['episodes']} of {r['of']}"]
        for r in rows
    ]
    return Block(title, [what, how, "per episode", "in episodes"], lines)


def _failures(target: str, rows: Sequence[Row]) -> Block:
    """Return failures by class in columns; those of services and of the harness stand apart."""
    extra = [name for name in dict.fromkeys(row["failure"] for row in rows) if name not in (*CLASSES, PROVIDER)]
    lines = []
    for subject in dict.fromkeys(row["subject"] for row in rows):
        found = {row["failure"]: row for row in rows if row["subject"] == subject}
        attempted = next(iter(found.values()))["attempted"]
        counted = [str(found[name]["count"]) if name in found else "0" for name in (*CLASSES, *extra)]
        aside = {name: row["not_counted"] for name, row in found.items() if row["not_counted"]}
        apart = ", ".join(f"{count} {name}" for name, count in aside.items()) or "0"
        solved = attempted - sum(row["count"] for row in found.values())
        lines.append([subject, f"{solved}/{attempted}", *counted, apart])
    header = ["", "solved", *(name.replace("_", " ") for name in (*CLASSES, *extra)), "not counted"]
    return Block(f"{target}: failures by class", header, lines)


def _stopped(target: str, rows: Sequence[Row]) -> Block:
    lines = [[f"{row['stopped'].replace('_', ' ')}, {row['subject']}", str(row["episodes"])] for row in rows]
    return Block(f"{target}: why episodes ended", ["", "episodes"], lines)


# --- values -----------------------------------------------------------------------------------------------------------


def _cell_name(row: Row) -> str:
    repeat = f" #{row['repeat']}" if row["repeat"] else ""
    mark = " (not counted)" if row["status"] == HARNESS_ERROR else ""
    return f"{row['target']} {row['task']}/{row['config']}{repeat}{mark}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _decimal(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.1f} s"
