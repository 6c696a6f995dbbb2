"""Going on with a run whose process was killed, whatever it was doing: no episode is lost, none counts twice.

An episode whose transcript has its end, and whose folder agrees with it, is complete: nothing is asked of the model again.
Any other one begins anew, and what there is of it is kept beside, as `<id>.aborted-N`. It is not continued in the middle: what
a service and the machine were doing at that moment is not known, wall time and caches would differ from those of an
undisturbed episode, and reasoning that must be sent back may have expired. What was spent still counts towards the limits of
the run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from kernelcraft_core.agent.classify import EpisodeOutcome, outcome_of
from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.limits import Budget
from kernelcraft_core.agent.protocol import Usage
from kernelcraft_core.agent.transcript import TranscriptError, read, set_aside
from kernelcraft_core.diagnostics import WARNING, Diagnostic, ResultsError
from kernelcraft_core.results.transcripts import read_transcript


def completed(transcript: Path, episode: Episode) -> EpisodeOutcome | None:
    """Return the outcome of an episode that needs no model any more; None when it must begin anew.

    Args:
        transcript: its file, which may be missing.
        episode: its folder, opened; it may have been scored already.

    Raises:
        TranscriptError: KC0757.
    """
    if not transcript.exists():
        return None
    entries = list(read(transcript))
    if not entries or entries[-1]["kind"] != "end":
        return None
    try:
        outcome = outcome_of(entries)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TranscriptError(
            Diagnostic("KC0757", f"{transcript}: an event lacks a value or has one of another type")
        ) from None
    agrees = (outcome.evaluations, outcome.best_cycles) == (episode.evaluations, episode.best_cycles)
    return outcome if outcome.counts and agrees else None


def begin_anew(transcript: Path, folder: Path) -> None:
    """Keep what there is of an episode under other names, so that it can begin anew.

    Args:
        transcript: its file, which may be missing.
        folder: of the episode, which may be missing.

    Raises:
        TranscriptError: KC0756.
    """
    set_aside(transcript)
    set_aside(folder)


def charge_earlier(budget: Budget, transcripts: Iterable[Path]) -> list[Diagnostic]:
    """Charge a run's budget for everything that transcripts of it say, those of aborted episodes included.

    What cannot be read counts as nothing: it must not keep the other episodes from going on. Returns warnings about it.
    """
    findings: list[Diagnostic] = []
    for path in transcripts:
        try:
            events, damaged = read_transcript(path)
        except ResultsError as error:
            findings += [evolve(found, severity=WARNING) for found in error.diagnostics]
            continue
        findings += damaged
        for entry in events:
            if entry["kind"] == "reply":
                budget.charge(_usage(entry), iterations=1)
            elif isinstance(entry.get("evaluation"), Mapping):
                budget.charge(evaluations=1)
    return findings


def _usage(entry: Mapping[str, Any]) -> Usage:
    """Return what a reply took: what the service said, else the estimate that limits went by; no number is unknown."""
    values: dict[str, Any] = {}
    for key in ("usage", "estimated"):
        found = entry.get(key)
        values |= found if isinstance(found, Mapping) else {}
    known = {name: values.get(name) for name in Usage().as_dict()}
    return Usage(**{name: value if _amount(value) else None for name, value in known.items()})


def _amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
