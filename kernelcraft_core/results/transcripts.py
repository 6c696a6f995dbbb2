"""Reading transcripts: one event a line, of kinds that later versions may add to.

| code | meaning |
| --- | --- |
| KC0839 | a line of a transcript is damaged |
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelcraft_core.diagnostics import WARNING, Diagnostic, ResultsError, Span
from kernelcraft_core.results import schema
from kernelcraft_core.results.lines import json_lines

TRANSCRIPTS = "transcripts"
"""Folder of the transcripts in a run folder."""
TRANSCRIPT = "kc.transcript/1"


def read_transcript(file: Path) -> tuple[list[Mapping[str, Any]], list[Diagnostic]]:
    """Return the events of a transcript, and a warning for each line that is none; a torn last line is passed over.

    Raises:
        ResultsError: KC0802 it is of a newer major version, KC0836 it cannot be read.
    """
    events: list[Mapping[str, Any]] = []
    findings = []
    try:
        for number, value in json_lines(file):
            if isinstance(value, dict) and "schema" in value:
                schema.readable(value["schema"], TRANSCRIPT, f"{file}:{number}")
            if isinstance(value, dict) and isinstance(value.get("kind"), str):
                events.append(value)
            elif not (
                isinstance(value, dict) and number == 1 and "schema" in value
            ):  # a line that only states the schema
                message = "the line is no event: an object with a `kind`"
                findings.append(Diagnostic("KC0839", message, Span(str(file), number), severity=WARNING))
    except OSError as error:
        raise ResultsError(Diagnostic("KC0836", f"{file} cannot be read: {error.strerror}")) from None
    return events, findings
