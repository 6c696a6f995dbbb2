"""Scoring the cell of a model: its episode, then the kernel that came of it on the run's secret inputs.

```text
episodes/<id>/              the folder of an episode
transcripts/<id>.jsonl      its transcript
*.aborted-N                 what is left of episodes that were cut off, of both kinds
```

| code | meaning |
| --- | --- |
| KC0770 | the service of a model gave no reply, so the episode does not count; it is run again when the run is continued |
| KC0771 | the model wrote no kernel |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from kernelcraft_core.agent.cells import context_of
from kernelcraft_core.agent.classify import EpisodeOutcome, after_scoring
from kernelcraft_core.agent.episode import LOCK, Episode
from kernelcraft_core.agent.limits import Limits
from kernelcraft_core.agent.loop import Person, run_episode
from kernelcraft_core.agent.models import open_model
from kernelcraft_core.agent.prompt import ALL, Prompt, build_prompt, example_of, template_of
from kernelcraft_core.agent.resume import begin_anew, completed
from kernelcraft_core.agent.spending import RunBudget
from kernelcraft_core.agent.toolbox import Toolbox
from kernelcraft_core.agent.transcript import Transcript
from kernelcraft_core.bench.plan import Cell
from kernelcraft_core.bench.scoring import Outcome, Scorer, without_run
from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError
from kernelcraft_core.evaluation import Evaluation, Evaluator
from kernelcraft_core.evaluation.model import HARNESS_ERROR, SYNTAX_ERROR
from kernelcraft_core.hooks import explain
from kernelcraft_core.results.files import Lock
from kernelcraft_core.results.transcripts import TRANSCRIPTS
from kernelcraft_core.tasks import Workload

EPISODES = "episodes"
PATIENCE = 20.0
"""Seconds to wait for the process that worked on an episode before to be gone."""


@define(eq=False)
class EpisodeScorer(Scorer):
    """Scores cells of models; a process has one, and it keeps what episodes share.

    Attributes:
        person: who answers between turns of a conversation.
    """

    person: Person | None = None
    _budget: RunBudget = field(init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._budget = RunBudget(self.folder, Limits.of(self.settings.agent["limits"]))

    def score(self, cell: Cell) -> Outcome:
        """Return the outcome of an episode; whatever goes wrong on our side is a `harness_error`, never an exception."""
        started = time.perf_counter()
        made: Outcome
        try:
            made = self._outcome(cell)
        except KernelCraftError as error:
            made = Outcome(without_run(cell, HARNESS_ERROR, *error.diagnostics))
        except Exception as error:
            made = Outcome(without_run(cell, HARNESS_ERROR, Diagnostic("KC0609", explain(error))))
        return evolve(made, seconds=time.perf_counter() - started)

    def _outcome(self, cell: Cell) -> Outcome:
        workload = self.catalogue.workload(cell.target, cell.task, cell.config)
        path, folder = self.folder / TRANSCRIPTS / f"{cell.id}.jsonl", self.folder / EPISODES / cell.id
        _wait_for(folder)
        outcome = self._earlier(path, folder)
        if outcome is None:
            begin_anew(path, folder)
            outcome = self._episode(cell, workload, path, folder)
        if not outcome.counts and outcome.failure != "provider":
            return Outcome({}, final=False)
        with Episode.open(folder, self.catalogue) as episode:
            return self._scored(cell, workload, episode, outcome)

    def _earlier(self, path: Path, folder: Path) -> EpisodeOutcome | None:
        """Return the outcome of an episode that came to its end and was not scored; None without one."""
        if not path.exists():
            return None
        try:
            with Episode.open(folder, self.catalogue) as episode:
                return completed(path, episode)
        except KernelCraftError:  # its files are damaged: it begins anew
            return None

    def _episode(self, cell: Cell, workload: Workload, path: Path, folder: Path) -> EpisodeOutcome:
        chosen = cell.agent["model"]
        context = context_of(self.catalogue, workload)
        model = open_model(chosen["name"], chosen["settings"], context=context, plugins=self.catalogue.registry)
        limits = Limits.of(cell.agent["limits"])
        prompt = prompt_of(self._evaluator, workload, cell.agent)
        documents = None if cell.agent["prompt"]["documents"] is None else list(prompt.documents)
        settings = {"documents": documents}
        conversation = self.person if prompt.conversation else None
        with (
            Episode.create(folder, self._evaluator, workload, settings=settings, budget=limits.iterations) as episode,
            Transcript(path) as transcript,
        ):
            toolbox = Toolbox(episode)
            return run_episode(
                episode, toolbox, model, prompt, limits, transcript, conversation=conversation, run_budget=self._budget
            )

    def _scored(self, cell: Cell, workload: Workload, episode: Episode, outcome: EpisodeOutcome) -> Outcome:
        """Return the sample's outcome: the best kernel on secret inputs."""
        text = episode.final_text
        if outcome.failure == "provider":
            error = outcome.error or {"kind": "unknown", "message": ""}
            finding = Diagnostic("KC0770", f"{cell.subject['model']}: {error['message']} ({error['kind']})")
            entry = without_run(cell, HARNESS_ERROR, finding)
        elif text is None:
            entry = without_run(cell, SYNTAX_ERROR, Diagnostic("KC0771", "the model wrote no kernel"))
        else:
            score = episode.score(self.settings.salt, self.settings.draws, baseline=False)
            entry = self._beside_baseline(workload, score).as_dict()
        failure = after_scoring(outcome.failure, str(entry["status"]))
        agent = {**outcome.as_dict(), "failure": failure, "transcript": f"{TRANSCRIPTS}/{cell.id}.jsonl"}
        kernel = None if text is None else text.encode("utf-8", "surrogatepass")
        return Outcome(entry, kernel, more={"agent": agent})

    def _beside_baseline(self, workload: Workload, score: Evaluation) -> Evaluation:
        """Return the score with its speedup, where it passed and there is a baseline that does."""
        kernels = self.catalogue.kernels(workload) if score.passed else ()
        baseline = self._baseline(workload) if kernels else None
        if baseline is None or not baseline.passed:
            return score
        return evolve(score, baseline_cycles=baseline.cycles, baseline_kind=kernels[0].kind)


def prompt_of(
    evaluator: Evaluator,
    workload: Workload,
    agent: Mapping[str, Any],
    template: Callable[..., Any] = template_of,
) -> Prompt:
    """Return the prompt of a cell.

    Args:
        evaluator: with machine and extensions of the run.
        workload: of the cell.
        agent: what the cell says its scorer needs.
        template: as `template_of`, which runs the kernel to be improved.

    Raises:
        PromptError: as `build_prompt`.
    """
    chosen, limits = agent["prompt"], agent["limits"]
    one_shot, documents = chosen["one_shot"], chosen["documents"]
    return build_prompt(
        evaluator.target(workload),
        evaluator.catalogue,
        workload,
        documents=ALL if documents is None else documents,
        example=None if one_shot is None else example_of(evaluator.catalogue, workload.target, one_shot),
        template=template(evaluator, workload) if chosen["template"] else None,
        conversation=chosen["conversation"],
        iterations=limits["iterations"],
        evaluations=limits["evaluations"],
    )


def _wait_for(folder: Path) -> None:
    """Wait until no process works on an episode: that of a run which was killed ends a moment later than the run."""
    if not (folder / LOCK).exists():
        return
    until = time.monotonic() + PATIENCE
    while True:
        try:
            Lock(folder / LOCK).release()
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
