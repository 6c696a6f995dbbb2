"""Bounded lists of findings: twenty are a batch to fix, a million are not."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from kernelcraft_core.diagnostics import ERROR, MAX_DIAGNOSTICS, WARNING, AssemblyError, Diagnostic, sort_key

MORE = "KC0290"
"""Code of the remark that says how many further warnings there are."""


class Stop(Exception):
    """Enough errors have been found."""


class Findings:
    """The errors of one program, in order of place, up to `MAX_DIAGNOSTICS`."""

    def __init__(self) -> None:
        """Begin with none."""
        self.errors: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        """Note an error.

        Raises:
            Stop: it was the last one that is reported.
        """
        self.errors.append(diagnostic)
        if len(self.errors) >= MAX_DIAGNOSTICS:
            raise Stop

    def fail(self) -> None:
        """Raise what was found, if anything was.

        Raises:
            AssemblyError: up to 20 errors; the last says so when there may be more.
        """
        if not self.errors:
            return
        found = sorted(self.errors, key=sort_key)
        if len(found) >= MAX_DIAGNOSTICS:
            note = f"stopped after {MAX_DIAGNOSTICS} errors; there may be more"
            found[-1] = attrs.evolve(found[-1], notes=(*found[-1].notes, note))
        raise AssemblyError(found)


def bounded(found: Iterable[Diagnostic], limit: int = MAX_DIAGNOSTICS, more: int = 0) -> list[Diagnostic]:
    """Return all errors and the first `limit` warnings of `found` by place, and a remark that counts the others.

    `more` warnings are counted that nobody wrote out. A remark that is in `found` already is summed up in the new one.
    """
    found = list(found)
    out = [d for d in found if d.severity == ERROR]
    warnings = sorted((d for d in found if d.severity != ERROR and d.code != MORE), key=sort_key)
    more += sum(int(d.message.split()[0]) for d in found if d.code == MORE) + max(0, len(warnings) - limit)
    out += warnings[:limit]
    if more:
        out.append(Diagnostic(MORE, f"{more} more warning{'s' * (more > 1)}", severity=WARNING))
    return out
