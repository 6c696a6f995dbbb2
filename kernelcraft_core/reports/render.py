"""A report as Markdown, text and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kernelcraft_core.reports.blocks import Block
from kernelcraft_core.reports.tables import WIDTH
from kernelcraft_core.results import plain


def markdown(blocks: Iterable[Block], title: str = "Report") -> str:
    """Return the blocks as a Markdown page."""
    out = [f"# {_markdown(title)}"]
    for block in blocks:
        header = block.header or [""] * max(map(len, block.rows), default=1)
        rule = ["---", *["---:" if block.header else "---"] * (len(header) - 1)]
        rows = [list(map(_markdown, header)), rule, *(list(map(_markdown, row)) for row in block.rows)]
        out += ["", f"## {_markdown(block.title)}", ""]
        out += [f"| {' | '.join(row)} |" for row in rows]
        out += ["", *(f"- {_markdown(note)}" for note in block.notes)] if block.notes else []
    return clean("\n".join(out)) + "\n"


def _markdown(text: str) -> str:
    """Return text that stays in its cell and is shown as it is; leading blanks indent."""
    indent = len(text) - len(text.lstrip(" "))
    words = " ".join(text.split())
    for mark in "\\|<>*_`[]#":
        words = words.replace(mark, f"\\{mark}")
    return "&emsp;" * (indent // 2) + words


def text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """Return the blocks as aligned text; all columns but the first are aligned to the right where there is a header.

    Columns that do not fit into `width` characters go below, beside the first one again.
    """
    out = []
    for block in blocks:
        rows = [*([list(block.header)] if block.header else []), *map(list, block.rows)]
        cells = [[clean(cell, one_line=True) for cell in row] for row in rows]
        lines = [block.title]
        for part in _folded(cells, width) if block.header else [cells]:
            lines += ["", *_aligned(part, bool(block.header))]
        lines += ["", *map(clean, block.notes)] if block.notes else []
        out.append("\n".join(lines))
    return "\n\n".join(out)


def _folded(rows: Sequence[Sequence[str]], width: int) -> Iterator[list[list[str]]]:
    """Yield the rows with as many columns at a time as fit; the first column comes with each of them."""
    widths = _widths(rows)
    groups: list[list[int]] = []
    used = width + 1
    for column in range(1, len(widths)):
        if used + 2 + widths[column] > width:
            groups.append([0])
            used = widths[0]
        groups[-1].append(column)
        used += 2 + widths[column]
    for group in groups or [[0]]:
        yield [[row[column] for column in group] for row in rows]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows), default=0))]


def _aligned(rows: Sequence[Sequence[str]], to_the_right: bool) -> list[str]:
    widths = _widths(rows)
    out = []
    for row in rows:
        cells = [
            cell.ljust(width) if i == 0 or not to_the_right else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        out.append("  ".join(cells).rstrip())
    return out


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a header, empty for None; no rows give no text."""
    if not rows:
        return ""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(plain(row) for row in rows)
    return stream.getvalue().encode("utf-8", "backslashreplace").decode()


def clean(shown: str, one_line: bool = False) -> str:
    """Return text that is safe to print: what steers a terminal, and what is no character, is escaped."""
    keep = "" if one_line else "\n\t"
    safe = "".join(ch if ch.isprintable() or ch in keep else repr(ch)[1:-1] for ch in shown)
    return safe.encode("utf-8", "backslashreplace").decode()
