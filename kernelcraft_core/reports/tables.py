"""Tables in the layout of the KernelCraft paper: tasks by level in rows, configurations in columns.

Source of the layout: KernelCraft, arXiv 2603.08721, the tables of results.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from kernelcraft_core.hookspecs import CORE
from kernelcraft_core.reports.totals import (
    PASSED,
    Group,
    Key,
    Sample,
    best_published,
    groups,
    known_wrong,
    reached,
    totals,
)

WIDTH = 120
_GAP = "  "
_NONE = "-"
LEVELS: Mapping[int, str] = {1: "primitive", 2: "composite", 3: "end-to-end"}


LEGEND = "<= and > compare a cell with the best published agent's cycles"
"""Explains the marks of published results."""


def report(
    samples: Sequence[Sample],
    titles: Mapping[str, str],
    published: Sequence[Mapping[str, object]] | None = None,
    width: int = WIDTH,
) -> str:
    """Return one table for each group of samples (see `groups`), with its totals and what failed.

    Args:
        samples: one per cell, in the order of rows.
        titles: slug -> title of the tasks; the slug stands for one that has none.
        published: published results to show beside the cells and to count; None leaves them out.
        width: characters a line may have, at least 60.
    """
    parts = []
    for group in groups(samples):
        target, found = group.target, group.samples
        lines = [_heading(group), "", *_table(target, found, titles, published, width), ""]
        if len(group.kinds) > 1:
            lines += [*_kinds(group, titles), ""]
        if any(map(known_wrong, found)):
            lines += ["* known to compute something else: timed for the record", ""]
        lines += totals(found).lines()
        lines += [entry.line() for entry in reached(found, published or (), target)]
        if published:
            lines.append(LEGEND)
        lines += _failures(found)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _heading(group: Group) -> str:
    machines = ", ".join(dict.fromkeys(s["machine"] for s in group.samples))
    extensions = list(dict.fromkeys(name for s in group.samples for name in s["extensions"]))
    more = f", extensions {', '.join(extensions)}" if extensions else ""
    backends = [label for label in dict.fromkeys(s.get("backend", CORE) for s in group.samples) if label != CORE]
    more += f", back end {', '.join(backends)}" if backends else ""
    kinds = " and ".join(group.kinds)
    return f"{group.target} (machine {machines}{more}), {kinds} kernels: cycles, share of the lower bound"


def _kinds(group: Group, titles: Mapping[str, str]) -> list[str]:
    """Return lines that say which tasks have kernels of a kind that is not the first one."""
    out = []
    for kind in group.kinds[1:]:
        tasks: dict[str, set[str]] = {}
        for sample in group.samples:
            tasks.setdefault(sample["task"], set())
            if sample["subject"]["kind"] == kind:
                tasks[sample["task"]].add(sample["config"])
        names = []
        for task, configs in tasks.items():
            every = {s["config"] for s in group.samples if s["task"] == task}
            some = f" ({', '.join(sorted(configs, key=natural))})" if configs != every else ""
            names += [titles.get(task, task) + some] if configs else []
        text = f"{kind} kernels: {', '.join(names)}"
        out += textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return out


def _table(
    target: str,
    samples: Sequence[Sample],
    titles: Mapping[str, str],
    published: Sequence[Mapping[str, object]] | None,
    width: int,
) -> list[str]:
    """Return the lines of a table; configurations that do not fit beside each other go below."""
    best = best_published(published or (), target)
    cells = {(s["task"], s["config"]): s for s in samples}
    configs = sorted({s["config"] for s in samples}, key=natural)
    columns = {c: _column(c, {key: s for key, s in cells.items() if key[1] == c}, best) for c in configs}
    rows = [(level, list(dict.fromkeys(s["task"] for s in found))) for level, found in _by_level(samples)]
    names = {task: "  " + titles.get(task, task) for _, tasks in rows for task in tasks}
    first = max(len(name) for name in [*names.values(), *map(level_name, dict(rows))])
    first = min(first, width // 3)
    out: list[str] = []
    for block in _blocks(configs, columns, width - first):
        if out:
            out.append("")
        widths = {c: max(map(len, columns[c].values())) for c in block}
        out.append(_line("", first, [columns[c][None].rjust(widths[c]) for c in block]))
        for level, tasks in rows:
            out.append(level_name(level))
            for task in tasks:
                texts = [columns[c].get(task, _NONE).rjust(widths[c]) for c in block]
                out.append(_line(_cut(names[task], first), first, texts))
    return out


def _by_level(samples: Sequence[Sample]) -> Iterable[tuple[int, list[Sample]]]:
    ordered = sorted(samples, key=lambda s: s["level"])
    return ((level, list(found)) for level, found in groupby(ordered, key=lambda s: s["level"]))


def level_name(level: int) -> str:
    """Return how a table calls a level."""
    return f"Level {level}: {LEVELS.get(level, '')}".rstrip(": ")


def natural(config: str) -> tuple[str, int, str]:
    """Order C2 before C10."""
    head = config.rstrip("0123456789")
    digits = config[len(head) :]
    return (head, int(digits or 0), config)


def _column(config: str, cells: Mapping[Key, Sample], best: Mapping[Key, int]) -> dict[str | None, str]:
    """Return task -> text of its cell, the parts aligned with those of the other cells; None -> the heading."""
    parts = {key[0]: (*_parts(sample), _beside(sample, best.get(key))) for key, sample in cells.items()}
    numbers = [p for p in parts.values() if p[1]]
    left = max((len(p[0]) for p in numbers), default=0)
    right = max((len(p[2]) for p in parts.values()), default=0)
    out: dict[str | None, str] = {None: config + " " * (right + len(_GAP) if right else 0)}
    for task, (main, share, beside) in parts.items():
        text = f"{main.rjust(left)} {share:>4}" if share else main
        out[task] = f"{text}{_GAP}{beside.ljust(right)}" if right else text
    return out


def _parts(sample: Sample) -> tuple[str, str]:
    """Return what a cell says: cycles and the share of the bound, or a word for what went wrong."""
    status = sample["status"]
    if status == PASSED or known_wrong(sample):
        share = sample["bound_share"]
        mark = "*" if status != PASSED else "" if share is None else f"{100 * share:.0f}%"
        return f"{sample['cycles']:,}", mark or " "
    if status == "mismatch" and isinstance(sample["match_rate"], float | int):
        return f"mismatch {_percent(sample['match_rate'])}", ""
    return status.replace("_", " "), ""


def _percent(share: float) -> str:
    """Return a share below 1 so that it does not read as all."""
    return f"{min(share * 100, 99.9) if share < 1 else 100:.1f} %"


def _beside(sample: Sample, published: int | None) -> str:
    """Return the published cycles with how those of the sample compare."""
    if published is None:
        return ""
    if sample["status"] != PASSED:
        return f"   {published:,}"
    return f"{'<=' if sample['cycles'] <= published else ' >'} {published:,}"


def _blocks(configs: Sequence[str], columns: Mapping[str, Mapping[str | None, str]], room: int) -> list[list[str]]:
    """Return the configurations in groups that fit into `room` characters, at least one in each."""
    out: list[list[str]] = []
    used = room + 1
    for config in configs:
        size = len(_GAP) + max(map(len, columns[config].values()))
        if used + size > room:
            out.append([])
            used = 0
        out[-1].append(config)
        used += size
    return out


def _line(name: str, first: int, texts: Sequence[str]) -> str:
    return _GAP.join([name.ljust(first), *texts]).rstrip()


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def _failures(samples: Sequence[Sample], shown: int = 20) -> list[str]:
    """Return a line for each kernel that failed: what the first finding says."""
    bad = [s for s in samples if s["status"] != PASSED and not known_wrong(s)]
    out = ["", "failed:"] if bad else []
    for sample in bad[:shown]:
        out.append(f"  {sample['task']}/{sample['config']}: {_cut(reason(sample), 200)}")
    if len(bad) > shown:
        out.append(f"  and {len(bad) - shown} more")
    return out


def reason(sample: Sample) -> str:
    """Return what the first finding of a kernel that failed says, or where it is wrong the most."""
    errors = [d for d in sample["diagnostics"] if d["severity"] == "error"]
    if errors:
        where = f"line {errors[0]['line']}: " if errors[0].get("line") else ""
        return f"{where}{errors[0]['code']} {errors[0]['message']}"
    if sample["worst"]:
        worst = sample["worst"][0]
        index = ", ".join(map(str, worst["index"]))
        return f"{worst['output']}[{index}] = {_number(worst['got'])}, not {_number(worst['expected'])}"
    return str(sample["status"]).replace("_", " ")


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | int) else str(value)
