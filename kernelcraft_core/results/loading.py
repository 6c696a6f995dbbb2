"""Reading whole runs for reports: every value checked, and what is damaged named with its file and line.

| code | meaning |
| --- | --- |
| KC0830 | a record of a run folder lacks a value or has one of another type |
| KC0831 | the run has no such rescoring |
| KC0836 | a kernel or transcript that a sample names cannot be read, or is not in the run folder |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, ResultsError, Span
from kernelcraft_core.results import schema
from kernelcraft_core.results.checks import (
    AGENT_SHAPE,
    CELL_SHAPE,
    RUN_SHAPE,
    SAMPLE_SHAPE,
    USAGE_SHAPE,
    check,
)
from kernelcraft_core.results.lines import BROKEN, json_lines
from kernelcraft_core.results.store import KERNELS, RUN_FILE, SAMPLES_FILE, RunFolder, inside

SCORES = "scores"
"""Folder of the rescorings in a run folder."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What a rescoring may be called."""


@frozen(eq=False)
class Run:
    """A run as it is on the disk.

    Attributes:
        path: the folder that kernels and transcripts are in. scores: name of the rescoring that was read, else None.
        record: `run.json`. cells: its entries of `cells`.
        samples: those that count, in the order of `cells`, then of the file; `agent` is None or has all its keys.
        findings: what is damaged; those samples are left out.
    """

    path: Path
    record: Mapping[str, Any]
    cells: tuple[Mapping[str, Any], ...]
    samples: tuple[Mapping[str, Any], ...]
    findings: tuple[Diagnostic, ...] = ()
    scores: str | None = None

    def file(self, name: str, below: str) -> Path:
        """Return the file that a sample names, which must be below a folder of the run.

        Raises:
            ResultsError: KC0836.
        """
        problem = f"{name!r} is not below {below}/ in {self.path}"
        try:
            path = inside(self.path, name)
            if not name.startswith(f"{below}/") or not path.resolve().is_relative_to(self.path.resolve() / below):
                raise ResultsError(Diagnostic("KC0836", problem))
        except (ResultsError, OSError, ValueError, RuntimeError):
            raise ResultsError(Diagnostic("KC0836", problem)) from None
        return path

    def kernel(self, sample: Mapping[str, Any]) -> str | None:
        """Return the assembly text of a sample; None when it has none.

        Raises:
            ResultsError: KC0836.
        """
        if sample["kernel"] is None:
            return None
        path = self.file(sample["kernel"]["path"], KERNELS)
        try:
            return path.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            raise ResultsError(Diagnostic("KC0836", f"{path} cannot be read: {error.strerror}")) from None


def load(path: Path, scores: str | None = None) -> Run:
    """Return a run, or one of its rescorings.

    Raises:
        ResultsError: KC0801, KC0802 a record is of a newer major version, KC0831.
    """
    place = path if scores is None else scores_folder(path, scores)
    folder = RunFolder.open(place)
    findings: list[Diagnostic] = []
    record, wrong = check(folder.record, RUN_SHAPE)
    cells = []
    for index, entry in enumerate(record["cells"]):
        cell, bad = check(entry, CELL_SHAPE, f"cells[{index}].")
        wrong += bad
        if not bad:
            cells.append(cell)
    file = place / RUN_FILE
    findings += [_damaged(file, 1, words) for words in wrong]
    latest: dict[str, Mapping[str, Any]] = {}
    for sample in _samples(place / SAMPLES_FILE, findings):
        latest[sample["id"]] = sample
    order = {cell["id"]: number for number, cell in enumerate(cells)}
    samples = sorted(latest.values(), key=lambda sample: order.get(sample["id"], len(order)))
    return Run(path, record, tuple(cells), tuple(samples), tuple(findings), scores)


def scores_folder(path: Path, name: str) -> Path:
    """Return the folder of a rescoring that exists. Raises: ResultsError KC0831."""
    if NAME.fullmatch(name) is None or not (path / SCORES / name / RUN_FILE).is_file():
        known = scores_of(path)
        hint = f"there is {', '.join(known)}" if known else "`kc rescore` makes one"
        raise ResultsError(Diagnostic("KC0831", f"{path} has no rescoring {name!r}", hint=hint))
    return path / SCORES / name


def scores_of(path: Path) -> list[str]:
    """Return the names of a run's rescorings, sorted."""
    return sorted(
        file.parent.name for file in (path / SCORES).glob(f"*/{RUN_FILE}") if NAME.fullmatch(file.parent.name)
    )


def _samples(file: Path, findings: list[Diagnostic]) -> Iterator[Mapping[str, Any]]:
    """Yield the samples of a file that are in order; the others become findings."""
    try:
        for number, value in json_lines(file):
            if value is BROKEN or not isinstance(value, dict):
                message = "the line is not JSON" if value is BROKEN else "the line is no object"
                hint = "remove it; its sample is then run again"
                findings.append(Diagnostic("KC0807", message, Span(str(file), number), hint))
                continue
            schema.readable(value.get("schema"), schema.SAMPLE, f"{file}:{number}")
            sample, wrong = _sample(value)
            findings += [_damaged(file, number, words) for words in wrong]
            if not wrong:
                yield sample
    except FileNotFoundError:
        return
    except OSError as error:
        raise ResultsError(Diagnostic("KC0801", f"{file} cannot be read: {error.strerror}")) from None


def _sample(value: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    sample, wrong = check(value, SAMPLE_SHAPE)
    if sample["status"] == "passed" and sample["cycles"] is None and not wrong:
        wrong.append("it passed, and has no `cycles`")
    if sample["agent"] is not None:
        agent, bad = check(sample["agent"], AGENT_SHAPE, "agent.")
        usage, worse = check(agent["usage"], USAGE_SHAPE, "agent.usage.")
        sample["agent"] = {**agent, "usage": usage}
        wrong += [*bad, *worse]
    return sample, wrong


def _damaged(file: Path, number: int, words: str) -> Diagnostic:
    return Diagnostic("KC0830", words, Span(str(file), number))
