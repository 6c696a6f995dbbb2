"""What tests of the loop share: an episode of the toy target that any model can play."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field, frozen

from kernelcraft_core.agent.classify import EpisodeOutcome, outcome_of
from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.limits import Limits
from kernelcraft_core.agent.loop import run_episode
from kernelcraft_core.agent.prompt import build_prompt
from kernelcraft_core.agent.protocol import Message, Reply
from kernelcraft_core.agent.toolbox import Toolbox
from kernelcraft_core.agent.transcript import Transcript, read
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks.catalogue import Catalogue


@frozen
class Played:
    """An episode that is over.

    Attributes:
        outcome: as `run_episode` returned it. events: of the transcript, as a reader finds them.
        best, kernel: texts. path: of the transcript. folder: of the episode.
    """

    outcome: EpisodeOutcome
    events: list[dict[str, Any]]
    best: str | None
    kernel: str | None
    path: Path
    folder: Path

    def texts(self, why: str) -> list[str]:
        """Return the messages of one reason."""
        return [e["message"]["content"] for e in self.events if e["kind"] == "message" and e["why"] == why]

    def results(self) -> list[dict[str, Any]]:
        """Return the answers of tools."""
        return [e for e in self.events if e["kind"] == "tool_result"]


@define
class Actor:
    """A model for tests: each turn is a reply, an exception, or a function of the conversation; the last one is repeated.

    Attributes:
        seen: the conversation of each call.
    """

    turns: Sequence[Any]
    name: str = "actor"
    settings: dict[str, Any] = field(factory=dict)
    seen: list[tuple[Message, ...]] = field(factory=list)

    def reply(self, messages: Sequence[Message], tools: Sequence[Any]) -> Reply:
        turn = self.turns[min(len(self.seen), len(self.turns) - 1)]
        self.seen.append(tuple(messages))
        turn = turn(messages) if callable(turn) else turn
        if isinstance(turn, BaseException):
            raise turn
        return turn  # what is no reply is a test as well


class Stage:
    """Plays episodes of toy triple C1 in one folder, with one evaluator."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalogue = Catalogue(registry())
        self.evaluator = Evaluator(self.catalogue)
        self.workload = self.catalogue.workload("toy", "triple", "C1")
        self.prompt = build_prompt(self.evaluator.target(self.workload), self.catalogue, self.workload)
        self._numbers = itertools.count(1)

    def play(self, model: Any, limits: Limits | None = None, **more: Any) -> Played:
        """Return the episode that `model` plays; what the transcript comes to must be what the loop says."""
        number = next(self._numbers)
        folder, path = self.folder / f"episode-{number}", self.folder / f"transcript-{number}.jsonl"
        settings = more.pop("settings", None)
        with (
            Episode.create(folder, self.evaluator, self.workload, settings=settings) as episode,
            Transcript(path, lasting=False) as transcript,
        ):
            outcome = run_episode(episode, Toolbox(episode), model, self.prompt, limits or Limits(), transcript, **more)
            best, kernel = episode.best_text, episode.kernel_text
            assert (outcome.evaluations, outcome.best_cycles) == (episode.evaluations, episode.best_cycles)
        events = list(read(path))
        assert outcome_of(events) == outcome
        assert [e["kind"] for e in events].index("end") == len(events) - 1
        assert events[-1]["outcome"] == outcome.as_dict()
        return Played(outcome, events, best, kernel, path, folder)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Return a place where episodes are played."""
    return Stage(tmp_path)


@pytest.fixture
def actor() -> Callable[..., Actor]:
    """Return a maker of models that play the turns it is given."""
    return lambda *turns: Actor(turns)
