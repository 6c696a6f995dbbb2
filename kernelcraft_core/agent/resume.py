"""Going on with a run whose process was killed, whatever it was doing: no episode is lost, none counts twice.

An episode whose transcript has its end, and whose folder agrees with it, is complete: nothing is asked of the model again.
Any other one begins anew, and what there is of it is kept beside, as `<id>.aborted-N`. It is not continued in the middle: what
a service and the machine were doing at that moment is not known, wall time and caches would differ from those of an
undisturbed episode, and reasoning that must be sent back may have expired. What was spent still counts towards the limits of
the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kernelcraft_core.agent.classify import EpisodeOutcome, outcome_of
from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.limits import Budget
from kernelcraft_core.agent.protocol import Usage
from kernelcraft_core.agent.transcript import read, set_aside


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
    outcome = outcome_of(entries)
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


def charge_earlier(budget: Budget, transcripts: Iterable[Path]) -> None:
    """Charge a run's budget for everything that transcripts of it say, those of aborted episodes included.

    Raises:
        TranscriptError: KC0757.
    """
    for path in transcripts:
        for entry in read(path):
            if entry["kind"] == "reply":
                known = Usage().as_dict()
                budget.charge(Usage(**{name: entry["usage"].get(name) for name in known}), iterations=1)
            elif "evaluation" in entry:
                budget.charge(evaluations=1)
