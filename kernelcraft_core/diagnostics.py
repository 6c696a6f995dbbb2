"""Diagnostics: what KernelCraft tells a person (or an agent) about their input.

Every error a user can cause is a `KernelCraftError` that carries one or more `Diagnostic` records; text and JSON are two
renderings of the same record. Codes never change meaning:

| family | raised by |
| --- | --- |
| KC01 | describing an ISA: records, encodings, semantics, extensions |
| KC02 | assembling and disassembling |
| KC03 | plug-ins and targets |
| KC04 | running a program: traps and limits |
| KC05 | machine parameters, state presets and memory images |
| KC06 | tasks, workloads and scoring |
| KC07 | agents: episodes, tools, models |
| KC08 | run folders |
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve, field, frozen

ERROR = "error"
WARNING = "warning"
MAX_DIAGNOSTICS = 20
"""How many errors one file reports before the assembler stops collecting."""
_MAX_SHOWN_LINE = 200


@frozen
class Span:
    """A piece of one line of one file. `line` and `column` count from 1; `length` is in characters, at least 1."""

    file: str
    line: int
    column: int = 1
    length: int = 1
    text: str | None = field(default=None, repr=False)
    """The whole source line, when it is known: rendering shows it with a caret."""


@frozen
class Diagnostic:
    """One finding: a stable `code`, a severity (`error` or `warning`), the message, and where and how to go on."""

    code: str
    message: str
    span: Span | None = None
    hint: str | None = None
    notes: tuple[str, ...] = ()
    severity: str = ERROR

    @property
    def line(self) -> int | None:
        """Line of the finding, counted from 1, or None when it has no place."""
        return self.span.line if self.span else None

    @property
    def column(self) -> int | None:
        """Column of the finding, counted from 1, or None when it has no place."""
        return self.span.column if self.span else None

    @property
    def file(self) -> str | None:
        """Name of the file the finding is in, or None."""
        return self.span.file if self.span else None

    def at(self, span: Span) -> Diagnostic:
        """Return the same finding placed at `span`."""
        return evolve(self, span=span)

    def render(self) -> str:
        """Return the text form: `file:line:column: severity[code]: message`, the source line with a caret, the hint."""
        where = ""
        if self.span:
            where = f"{self.span.file}:{self.span.line}:{self.span.column}: "
        out = [f"{where}{self.severity}[{self.code}]: {self.message}"]
        if self.span and self.span.text is not None:
            out += _excerpt(self.span)
        if self.hint:
            out.append(f"       = hint: {self.hint}")
        out += [f"       = note: {note}" for note in self.notes]
        return "\n".join(out)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: plain types only, keys that have no value left out."""
        entry: dict[str, Any] = {"code": self.code, "severity": self.severity, "message": self.message}
        if self.span:
            entry |= {"file": self.span.file, "line": self.span.line, "column": self.span.column}
            entry["length"] = self.span.length
        if self.hint:
            entry["hint"] = self.hint
        if self.notes:
            entry["notes"] = list(self.notes)
        return entry


def _excerpt(span: Span) -> list[str]:
    """Return the source line and its caret line; a very long line is cut around the caret."""
    text = span.text or ""
    start = max(0, span.column - 1)
    length = max(1, span.length)
    if len(text) > _MAX_SHOWN_LINE:
        cut = max(0, start - _MAX_SHOWN_LINE // 2)
        text = "..." + text[cut : cut + _MAX_SHOWN_LINE - 6] + "..."
        start = start - cut + 3
    length = max(1, min(length, len(text) - start))
    shown = "".join(ch if ch == "\t" or (ch.isprintable() and ch != "\x7f") else "?" for ch in text)
    pad = "".join("\t" if ch == "\t" else " " for ch in shown[:start]).ljust(start)
    return [f"{span.line:>6} | {shown}", f"       | {pad}{'^' * length}"]


class KernelCraftError(Exception):
    """Base of every error that a user can cause; carries its findings in `diagnostics`."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = (
            (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        )
        super().__init__("\n".join(d.render() for d in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.diagnostics,))

    @property
    def code(self) -> str:
        """Code of the first finding."""
        return self.diagnostics[0].code if self.diagnostics else "KC0000"


class IsaError(KernelCraftError):
    """An ISA description or extension is wrong (KC01xx)."""


class AssemblyError(KernelCraftError):
    """A program cannot be assembled or disassembled (KC02xx)."""


class PluginError(KernelCraftError):
    """A plug-in or target is missing, broken or clashes (KC03xx)."""


class SimulationError(KernelCraftError):
    """A run cannot start as asked (KC04xx). Traps of the simulated program are results, not exceptions."""


class MachineError(KernelCraftError):
    """A machine parameter, state preset or memory image is wrong (KC05xx)."""


class EvaluationError(KernelCraftError):
    """A task or workload is missing or not fit for scoring (KC06xx). A wrong kernel is a result, not an exception."""


class ResultsError(KernelCraftError):
    """A run folder cannot be read, written or resumed (KC08xx)."""


def nearest(word: str, candidates: Iterable[str], *, count: int = 3) -> list[str]:
    """Return up to `count` candidates that look like `word`, best first, case-insensitively."""
    pool: dict[str, str] = {}
    for candidate in candidates:
        pool.setdefault(candidate.lower(), candidate)
    if len(word) > 64:  # difflib is quadratic; a name this long has no sensible neighbour
        return []
    return [pool[match] for match in difflib.get_close_matches(word.lower(), list(pool), n=count, cutoff=0.6)]


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return a hint naming the nearest candidates, or None when nothing is near."""
    found = nearest(word, candidates)
    return f"did you mean {' or '.join(found)}?" if found else None


def printable(text: str, limit: int = 60) -> str:
    """Return `text` shortened to `limit` characters with unprintable characters escaped, for messages."""
    cut = text if len(text) <= limit else text[: limit - 3] + "..."
    return "".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in cut)


def sort_key(diagnostic: Diagnostic) -> tuple[int, int, str]:
    """Order findings of one file by place, then code."""
    return (diagnostic.line or 0, diagnostic.column or 0, diagnostic.code)


def render_all(diagnostics: Sequence[Diagnostic]) -> str:
    """Return the text of several findings, one after the other."""
    return "\n".join(d.render() for d in diagnostics)
