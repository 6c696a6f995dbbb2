"""Finding plug-ins: entry points of installed distributions, single files, a folder. Nothing is imported here.

Installed plug-ins are found with the standard library's `importlib.metadata`, through `distributions()` rather than
`entry_points()`: one distribution with damaged metadata must not hide the others, and only those that have entry points
of the group are looked at closely. A version is read when somebody asks.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable
from importlib import metadata
from importlib.machinery import SourceFileLoader
from pathlib import Path

from attrs import evolve, field, frozen

GROUP = "kernelcraft"
LOCAL_FOLDER = "kernelcraft_plugins"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@frozen(eq=False)
class Candidate:
    """A plug-in that was found and not loaded yet.

    Attributes:
        name: how it is listed. source: where it was found, for people.
        identity: equal for two candidates that are one and the same module.
        load: imports it and returns the module or object.
        distribution: what installed it, or None. version: reads that distribution's version.
        problem: why it cannot be loaded, when that is known already.
    """

    name: str
    source: str
    identity: str
    load: Callable[[], object] = field(repr=False)
    distribution: str | None = None
    version: Callable[[], str | None] = field(default=lambda: None, repr=False)
    problem: str | None = None


@frozen
class Installed:
    """What the installed distributions offer.

    Attributes:
        candidates: sorted by name, then distribution.
        shadowed: distributions that were found more than once on the path; the first one counts, as for imports.
        unreadable: distributions whose entry points cannot be read, with the reason.
    """

    candidates: tuple[Candidate, ...]
    shadowed: tuple[str, ...]
    unreadable: tuple[str, ...]


def installed() -> Installed:
    """Return every entry point of the group `kernelcraft`."""
    found: dict[str, list[Candidate]] = {}
    shadowed: list[str] = []
    unreadable: list[str] = []
    for distribution in metadata.distributions():
        try:
            text = distribution.read_text("entry_points.txt")
            if not text or GROUP not in text:
                continue
            points = distribution.entry_points.select(group=GROUP)
            name = distribution.metadata["Name"] or "?"
        except Exception as error:
            unreadable.append(f"{_place(distribution)}: {type(error).__name__}: {error}")
            continue
        if not points:
            continue
        if name in found:
            shadowed.append(name)
            continue
        found[name] = [_from_entry_point(point, name, distribution) for point in points]
    candidates = [c for entries in found.values() for c in entries]
    candidates.sort(key=lambda c: (c.name, c.distribution or ""))
    return Installed(tuple(candidates), tuple(sorted(shadowed)), tuple(sorted(unreadable)))


def _from_entry_point(point: metadata.EntryPoint, name: str, distribution: metadata.Distribution) -> Candidate:
    def version() -> str | None:
        return distribution.version

    source = f"entry point {point.name} = {point.value}"
    return Candidate(point.name, source, point.value.replace(" ", ""), point.load, name, version)


def _place(distribution: metadata.Distribution) -> str:
    return str(getattr(distribution, "_path", distribution))


def not_installed(name: str, known: Iterable[str]) -> Candidate:
    """Return the candidate that stands for a name somebody asked for and nobody installed."""
    listed = ", ".join(known) or "none"
    problem = f"no installed distribution has an entry point of that name in the group {GROUP!r}; there is: {listed}"
    return Candidate(name, f"asked for by name: {name}", f"name {name}", lambda: None, problem=problem)


def from_files(paths: Iterable[str | os.PathLike[str]]) -> list[Candidate]:
    """Return one candidate per one-file plug-in, in the order given."""
    return [_from_file(path) for path in paths]


def from_folder(folder: Path) -> list[Candidate]:
    """Return the one-file plug-ins of a folder, sorted by name; none when the folder does not exist."""
    try:
        paths = sorted(p for p in folder.iterdir() if p.suffix == ".py" and not p.name.startswith(("_", ".")))
    except OSError:
        return []
    return [_from_file(path) for path in paths]


def told_apart(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, files whose name another file has named by their whole path."""
    out: list[Candidate] = []
    identities: dict[str, str] = {}
    for candidate in candidates:
        if candidate.distribution is None and identities.get(candidate.name, candidate.identity) != candidate.identity:
            out.append(evolve(candidate, name=candidate.identity))
        else:
            identities.setdefault(candidate.name, candidate.identity)
            out.append(candidate)
    return out


def _from_file(path: str | os.PathLike[str]) -> Candidate:
    text = os.fspath(path)
    problem = None
    try:
        place = Path(text).expanduser().resolve()
        if place.is_dir():
            problem = "it is a folder; a one-file plug-in is a .py file"
        elif not place.exists():
            problem = "there is no such file"
        elif place.suffix != ".py" or not _NAME.fullmatch(place.name):
            problem = "the name of a one-file plug-in is made of letters, digits, `-`, `_` and ends in .py"
    except (OSError, ValueError, RuntimeError) as error:
        place, problem = Path("unusable.py"), f"the path cannot be used: {error}"
    return Candidate(place.name or text, f"file {text}", str(place), lambda: _import_file(place), problem=problem)


def _import_file(path: Path) -> object:
    """Import a file under a module name of its own, so that it cannot hide or be hidden by an installed module."""
    stem = re.sub(r"\W", "_", path.stem)
    name = f"kernelcraft_file_{stem}_{zlib.crc32(os.fsencode(path)):08x}"
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module
