"""Experiment files (`kc.experiment/1`): a study in one TOML file.

    schema = "kc.experiment/1"
    title = "Reasoning effort"
    repeats = 1                                             # these keys hold for all grids that say nothing else
    models = ["gpt-5.2", { name = "gpt-5.2", settings = { reasoning = "off" } }]

    [run_limits]                                            # of the whole run
    price = 200.0

    [[grid]]
    targets = ["plena"]
    levels = [2]

docs/reference/experiment-file.md describes all keys.

| code | meaning |
| --- | --- |
| KC0778 | an experiment file cannot be read, or is not in its format |
| KC0779 | there is no such experiment |
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import frozen

from kernelcraft_core.agent.grid import KEYS, Grid, GridError, Study, limits_of
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, ResultsError, Span, did_you_mean, printable
from kernelcraft_core.results import readable

SCHEMA = "kc.experiment/1"
MAX_BYTES = 1 << 20
_TOP = ("schema", "title", "description", "run_limits", "grid")
_PLACE = re.compile(r"\((?:at line (\d+), column (\d+)|at end of document)\)")


@frozen
class Experiment:
    """An experiment: its name, what it is about, and the study."""

    name: str
    title: str
    description: str
    study: Study


def shipped() -> dict[str, Experiment]:
    """Return name -> experiment, of those that come with the core."""
    folder = files("kernelcraft_core.agent") / "experiments"
    found = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda e: _natural(e.name)
    )
    return {e.name[:-5]: parse(e.read_text(encoding="utf-8"), e.name, e.name[:-5]) for e in found}


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def find(name: str) -> Experiment:
    """Return an experiment: of the file `name`, or the one of that name that comes with the core.

    Raises:
        EvaluationError: KC0778, KC0779.
    """
    known = shipped()
    if name.removesuffix(".toml") in known and not Path(name).exists():
        return known[name.removesuffix(".toml")]
    path = Path(name)
    if not path.exists() and path.suffix != ".toml":
        hint = did_you_mean(name, known) or f"experiments: {', '.join(known)}; or name a .toml file"
        raise EvaluationError(Diagnostic("KC0779", f"there is no experiment {printable(repr(name))}", hint=hint))
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise _fail(f"the file has more than {MAX_BYTES} bytes", name)
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise _fail("the file is not UTF-8 text", name) from None
    except (OSError, ValueError) as error:
        raise _fail(f"the file cannot be read: {getattr(error, 'strerror', None) or error}", name) from None
    return parse(text, name, path.stem)


def parse(text: str, file: str, name: str) -> Experiment:
    """Return the experiment in a text.

    Args:
        text: TOML.
        file: its name, for findings.
        name: of the experiment.

    Raises:
        EvaluationError: KC0778, with the line.
    """
    try:
        entry = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = _PLACE.search(str(error))
        last = max(1, len(text.splitlines()))
        line, column = (int(place[1] or last), int(place[2] or 1)) if place else (1, 1)
        message = _PLACE.sub("", str(error)).strip() or "it is nested too deeply"
        raise _fail(f"this is not TOML: {message}", file, line, column) from None
    try:
        readable(entry.get("schema"), SCHEMA, "the file")
    except ResultsError as error:
        hint = f'begin with: schema = "{SCHEMA}"'
        raise _fail(error.diagnostics[0].message, file, _line(text, None, ("schema",)), hint=hint) from None
    try:
        return _experiment(entry, name)
    except _InGrid as error:
        where, problem = error.index, error.problem
    except GridError as error:
        where, problem = None, error
    inside = f" of grid {where + 1}" if where is not None else ""
    at = ".".join(str(part) for part in problem.key)
    message = f"{problem.message} (key {at}{inside})" if at else problem.message
    raise _fail(message, file, _line(text, where, problem.key), hint=problem.hint)


class _InGrid(Exception):
    """A problem inside the grid of an index, from 0."""

    def __init__(self, index: int, problem: GridError) -> None:
        super().__init__(problem.message)
        self.index, self.problem = index, problem


def _experiment(entry: Mapping[str, Any], name: str) -> Experiment:
    for key in entry:
        if key not in (*_TOP, *KEYS):
            hint = did_you_mean(key, (*_TOP, *KEYS)) or f"keys: {', '.join((*_TOP, *KEYS))}"
            raise GridError(f"there is no key {printable(repr(key))}", (key,), hint)
    for key in ("title", "description"):
        if not isinstance(entry.get(key, ""), str):
            raise GridError(f"`{key}` must be a text", (key,))
    common = {key: entry[key] for key in KEYS if key in entry}
    Grid.of(common)
    tables = entry.get("grid", [{}])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, Mapping) for table in tables):
        raise GridError("`grid` must be one or more tables [[grid]]", ("grid",))
    grids = []
    for index, table in enumerate(tables):
        try:
            grid = Grid.of({**common, **table})
            if not grid.models:
                raise GridError("no model is named", ("models",) if "models" in table else (), 'models = ["NAME"]')
        except GridError as error:
            raise _InGrid(index, error) from None
        grids.append(grid)
    study = Study(tuple(grids), limits_of(entry, "run_limits"), lenient=True, name=name)
    return Experiment(name, entry.get("title", name), entry.get("description", ""), study)


def _line(text: str, grid: int | None, key: tuple[str | int, ...]) -> int:
    """Return the line of a key: where its innermost name is set in the grid, at the top, or where the grid begins."""
    names = [part for part in key if isinstance(part, str)]
    current: int | None = None
    begins = 1
    found: dict[tuple[bool, int], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*\[\[\s*grid\s*\]\]", line):
            current = 0 if current is None else current + 1
            begins = number if current == grid else begins
        if current not in (None, grid):
            continue
        for depth, name in enumerate(names):
            if re.search(rf"""(^|[\s{{,.\["']){re.escape(name)}["']?\s*(=|\]|\.)""", line):
                rank = (current == grid, depth)
                found[rank] = number if rank not in found else found[rank]
    return found[max(found)] if found else begins


def _fail(message: str, file: str, line: int = 1, column: int = 1, hint: str | None = None) -> EvaluationError:
    return EvaluationError(Diagnostic("KC0778", message, Span(file, line, column), hint))
