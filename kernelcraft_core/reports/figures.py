"""Figures of a report, drawn with matplotlib, which is an optional dependency and imported when a figure is drawn.

| code | meaning |
| --- | --- |
| KC0833 | figures are wanted and matplotlib is not installed |
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelcraft_core.diagnostics import Diagnostic, PluginError, ResultsError
from kernelcraft_core.reports.data import Report, Row
from kernelcraft_core.reports.render import clean
from kernelcraft_core.reports.totals import PASSED
from kernelcraft_core.results.checks import number

FORMATS = ("svg", "png")
MARKS = "os^Dv<>PX*"
_PARTS = (("input, not cached", "#9ecae1"), ("cached", "#deebf7"), ("output", "#e6550d"), ("reasoning", "#fdae6b"))


def require() -> None:
    """Import matplotlib.

    Raises:
        PluginError: KC0833 it is not installed.
    """
    try:
        importlib.import_module("matplotlib.figure")
    except ImportError:
        hint = "pip install 'kernelcraft-core[reports]', or leave --figures out"
        raise PluginError(Diagnostic("KC0833", "figures need matplotlib, which is not installed", hint=hint)) from None


def draw(report: Report, folder: Path) -> list[Path]:
    """Write the figures that there is data for as SVG and PNG into a folder that exists, and return their files.

    Raises:
        PluginError: KC0833. ResultsError: KC0806 a file cannot be written.
    """
    require()
    matplotlib = importlib.import_module("matplotlib")
    with matplotlib.rc_context({"svg.hashsalt": "kernelcraft", "text.parse_math": False}):  # names are no formulas
        return _draw(report, folder)


def _draw(report: Report, folder: Path) -> list[Path]:
    out: list[Path] = []
    for target in dict.fromkeys(row["target"] for row in report.sections["totals"]):
        makers: Mapping[str, Callable[[Sequence[Row], str], Any]] = {"cells": _speedups, "usage": _tokens}
        for section, maker in makers.items():
            rows = [row for row in report.sections[section] if row["target"] == target]
            figure = maker(rows, target)
            name = "speedups" if section == "cells" else "tokens"
            safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in target)
            out += [] if figure is None else _save(figure, folder / f"{name}-{safe}")
    return out


def _save(figure: Any, stem: Path) -> list[Path]:
    """Write a figure so that the same data gives the same file."""
    files = []
    for form in FORMATS:
        path = stem.with_name(f"{stem.name}.{form}")
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        try:
            figure.savefig(path, format=form, metadata=metadata, dpi=150, bbox_inches="tight")
        except OSError as error:
            raise ResultsError(Diagnostic("KC0806", f"{path} cannot be written: {error.strerror}")) from None
        files.append(path)
    return files


def _figure(lines: int, title: str) -> tuple[Any, Any]:
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(8, 1.2 + 0.22 * max(lines, 4)))
    axes = figure.add_subplot()
    axes.set_title(clean(title, one_line=True))
    return figure, axes


def _names(axes: Any, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [clean(name, one_line=True) for name in names], fontsize=7)
    axes.invert_yaxis()


def _speedups(rows: Sequence[Row], target: str) -> Any:
    """Return a figure of one mark for each kernel that passed, on a logarithmic axis; None without any."""
    found = [(row, number(row["speedup"]) or 0.0) for row in rows if row["status"] == PASSED]
    found = [(row, value) for row, value in found if value > 0 and math.isfinite(value)]
    if not found:
        return None
    cells = list(dict.fromkeys(f"{row['task']}/{row['config']}" for row, _ in found))
    places = {cell: place for place, cell in enumerate(cells)}
    figure, axes = _figure(len(cells), f"{target}: speedup over the baseline, kernels that passed")
    for index, subject in enumerate(dict.fromkeys(row["subject"] for row, _ in found)):
        mine = [(v, places[f"{row['task']}/{row['config']}"]) for row, v in found if row["subject"] == subject]
        marks = {"marker": MARKS[index % len(MARKS)], "s": 16, "label": clean(subject, one_line=True).lstrip("_")}
        axes.scatter([v for v, _ in mine], [place for _, place in mine], **marks)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.axvline(1.0, color="gray", linewidth=0.8)
    axes.set_xlabel("baseline cycles / kernel cycles")
    _names(axes, cells)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    return figure


def _tokens(rows: Sequence[Row], target: str) -> Any:
    """Return a figure of one bar for each subject, made of its kinds of tokens; None where nothing is known."""
    rows = [row for row in rows if row["input_tokens"] is not None or row["output_tokens"] is not None]
    if not rows:
        return None
    figure, axes = _figure(len(rows), f"{target}: tokens of all episodes")
    left = [0] * len(rows)
    for part, (name, colour) in enumerate(_PARTS):
        widths = [_split(row)[part] for row in rows]
        axes.barh(range(len(rows)), widths, left=left, color=colour, label=name)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.set_xlabel("tokens")
    _names(axes, [row["subject"] for row in rows])
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    return figure


def _split(row: Row) -> tuple[int, int, int, int]:
    """Return tokens in parts that do not overlap: input not cached, cached, output without reasoning, reasoning."""
    total_in, cached, total_out, reasoning = (
        row[f"{name}_tokens"] or 0 for name in ("input", "cached", "output", "reasoning")
    )
    return max(0, total_in - cached), cached, max(0, total_out - reasoning), reasoning
