"""A kernel's text with what a workload puts around it; findings keep to the kernel's own text.

A start stub stands in front of the text, on its first line. Columns there count from where the kernel begins, and messages
show the kernel's line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import evolve

from kernelcraft_core.asm.source import SourceLines, read
from kernelcraft_core.diagnostics import AssemblyError, Diagnostic
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Program


def assemble(opened: Target, wrap: Callable[[str], str], source: str | bytes, filename: str) -> Program:
    """Return the program of a wrapped kernel.

    Args:
        opened: the target.
        wrap: makes the whole program of the kernel's text.
        source: the kernel's text.
        filename: its name, for messages.

    Raises:
        AssemblyError: KC02xx.
    """
    text = read(source, filename)
    whole = wrap(text)
    at = whole.rfind(text)
    lines = SourceLines(text)
    added = at if at >= 0 and "\n" not in whole[:at] else 0
    try:
        program = opened.assemble(whole, filename)
    except AssemblyError as error:
        raise AssemblyError(_own(error.diagnostics, added, lines)) from None
    return evolve(program, source=lines, diagnostics=tuple(_own(program.diagnostics, added, lines)))


def _own(found: Iterable[Diagnostic], added: int, lines: SourceLines) -> list[Diagnostic]:
    """Return findings as places of the kernel's text; what is before its first character is put at that."""
    out = []
    for finding in found:
        span = finding.span
        if span is not None and span.line == 1 and added:
            before = span.column <= added
            column, length = (1, 1) if before else (span.column - added, span.length)
            if before and finding.code == "KC0220":
                finding = evolve(finding, hint="the text that runs in front of a kernel calls it: define this label")
            finding = finding.at(evolve(span, column=column, length=length, text=lines[0]))
        out.append(finding)
    return out
