"""A trial: a kernel evaluated on the development inputs, with what the tools can show of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen
from numpy.typing import NDArray

from kernelcraft_core.agent.episode import KERNEL, Episode, digest
from kernelcraft_core.evaluation import DEVELOPMENT, Evaluation
from kernelcraft_core.evaluation.evaluator import Run
from kernelcraft_core.sim.result import Profile, UndefinedRead

Arrays = Mapping[str, NDArray[Any]]


@frozen(eq=False)
class Trial:
    """One evaluation and the run that decides it: the one that failed, else the one that came nearest to failing.

    Attributes:
        text: the kernel. score: of all runs. family: input family of the deciding run; empty when nothing was run.
        got, expected: its results by output name; None when it did not reach its end.
        profile: where its cycles went; None when nothing was run.
        undefined: reads of memory that nothing had defined, the first 100. undefined_count: all of them.
    """

    text: str
    score: Evaluation
    family: str = ""
    got: Arrays | None = None
    expected: Arrays | None = None
    profile: Profile | None = None
    undefined: tuple[UndefinedRead, ...] = ()
    undefined_count: int = 0

    @property
    def sha256(self) -> str:
        """Digest of the kernel."""
        return digest(self.text)


def attempt(episode: Episode, text: str) -> Trial:
    """Return the trial of a kernel on the episode's development inputs; nothing is counted or kept.

    Raises:
        KernelCraftError: the workload is not fit for scoring.
    """
    runs: list[Run] = []
    workload, draws = episode.workload, episode.record["draws"]
    score = episode.evaluator.evaluate(
        workload, text, salt=DEVELOPMENT, draws=draws, filename=KERNEL, on_run=runs.append
    )
    run = _deciding(runs, score)
    if run is None:
        return Trial(text, score)
    expected = None
    if run.outputs is not None and run.score.comparison is not None:
        expected = episode.evaluator.case(workload, run.score.draw).goldens[run.score.comparison.variant]
    result = run.result
    return Trial(
        text,
        score,
        run.score.draw.family,
        run.outputs,
        expected,
        result.profile,
        result.undefined_reads,
        result.undefined_count,
    )


def _deciding(runs: list[Run], score: Evaluation) -> Run | None:
    if not runs:
        return None
    if runs[-1].score.comparison is None:
        return runs[-1]
    return next(run for run in runs if run.score.comparison is score.comparison)


def baseline(episode: Episode) -> tuple[str, int] | None:
    """Return kind and cycles of the baseline on the development inputs, run once per episode; None without one.

    Raises:
        KernelCraftError: the target's compiler fails. OSError: the episode's record cannot be written.
    """
    known = episode.record["baseline"]
    if known is None:
        kernels = episode.evaluator.catalogue.kernels(episode.workload)
        if not kernels:
            return None
        score = episode.evaluator.evaluate(
            episode.workload, kernels[0].source(), salt=DEVELOPMENT, draws=episode.record["draws"]
        )
        episode.note_baseline(kernels[0].kind, score.cycles if score.passed else None)
        known = episode.record["baseline"]
    return None if known["cycles"] is None else (known["kind"], known["cycles"])
