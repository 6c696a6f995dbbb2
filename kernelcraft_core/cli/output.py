"""What commands print: aligned tables and JSON. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from kernelcraft_core import __version__
from kernelcraft_core.results.schema import plain

HELP = {"help_option_names": ["-h", "--help"]}
"""Settings of every command: click remembers the names of its help option from the first use, so each states them."""


def table(rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> str:
    """Return rows as left-aligned columns, two blanks apart; the last column is not padded."""
    lines = [tuple(header), *map(tuple, rows)] if header else [tuple(row) for row in rows]
    columns = max(map(len, lines), default=0)
    widths = [max(len(line[i]) for line in lines if i < len(line)) for i in range(columns)]
    out = []
    for line in lines:
        out.append("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=False)).rstrip())
    return "\n".join(out)


def dump(schema: str, entry: Mapping[str, Any]) -> str:
    """Return one line of JSON with sorted keys that states its schema and the core's version."""
    return json.dumps(plain({"schema": schema, "version": __version__, **entry}), sort_keys=True, allow_nan=False)


def emit(schema: str, entry: Mapping[str, Any]) -> None:
    """Print one JSON object to standard output."""
    click.echo(dump(schema, entry))


def colour(wanted: bool = True) -> bool | None:
    """Return what click is to do with colours: None lets it colour terminals only, False never."""
    if not wanted or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return None
