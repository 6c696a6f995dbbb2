"""Scoring cells in one process: what a worker does, and what `--jobs 1` does in this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from attrs import define, evolve, field, frozen

from kernelcraft_core.bench.plan import Cell, Settings
from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError, ResultsError
from kernelcraft_core.evaluation import Evaluation, Evaluator
from kernelcraft_core.evaluation.model import HARNESS_ERROR, SYNTAX_ERROR
from kernelcraft_core.hooks import explain
from kernelcraft_core.results import KERNELS
from kernelcraft_core.tasks import Workload
from kernelcraft_core.tasks.catalogue import Catalogue


@frozen
class Outcome:
    """What scoring a cell gave.

    Attributes:
        entry: the score as plain data. kernel: the assembly text scored, None where it could not be had.
        seconds: wall-clock time, making the kernel and its baseline included.
        more: keys that the sample has besides those of a score.
        final: whether this is a sample; otherwise the cell was given up and stays without one.
    """

    entry: Mapping[str, Any]
    kernel: bytes | None = None
    seconds: float = 0.0
    more: Mapping[str, Any] = field(factory=dict)
    final: bool = True


@define(eq=False)
class Scorer:
    """Scores cells; keeps opened targets, the last few cases, and the baselines' scores.

    Attributes:
        catalogue: tasks, workloads and kernels. settings: of the run.
        folder: the run folder, which holds extension files and given kernels.
    """

    catalogue: Catalogue
    settings: Settings
    folder: Path
    _baselines: dict[tuple[str, str], Evaluation | None] = field(factory=dict, init=False)
    _evaluator: Evaluator = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._evaluator = self.settings.evaluator(self.catalogue, self.folder)

    def score(self, cell: Cell) -> Outcome:
        """Return the score of a cell; whatever goes wrong on our side is a `harness_error`, never an exception."""
        started = time.perf_counter()
        if cell.given is not None and cell.given.problem is not None:
            return Outcome(without_run(cell, SYNTAX_ERROR, cell.given.problem))
        source: bytes | None = None
        try:
            workload = self.settings.adjusted(self.catalogue.workload(cell.target, cell.task, cell.config))
            source = self._source(cell, workload)
            entry = self._evaluate(cell, workload, source).as_dict()
        except KernelCraftError as error:
            entry = without_run(cell, HARNESS_ERROR, *error.diagnostics)
        except Exception as error:
            entry = without_run(cell, HARNESS_ERROR, Diagnostic("KC0609", explain(error)))
        return Outcome(entry, source, time.perf_counter() - started)

    def _source(self, cell: Cell, workload: Workload) -> bytes:
        if cell.given is None:
            return self.catalogue.kernel(workload, cell.kind).source().encode("utf-8", "surrogatepass")
        return evolve(cell.given, path=self.folder / KERNELS / cell.kernel).read()

    def _evaluate(self, cell: Cell, workload: Workload, source: bytes) -> Evaluation:
        """Return the score with its speedup: 1 for the baseline itself."""
        kernels = self.catalogue.kernels(workload)
        score = self._evaluator.evaluate(
            workload, source, salt=self.settings.salt, draws=self.settings.draws, filename=cell.kernel
        )
        if score.backend != cell.setup.backend:
            message = f"the back end was {cell.setup.backend} when the run was planned and is {score.backend}"
            raise ResultsError(Diagnostic("KC0803", message, hint="start a new run"))
        if not score.passed or not kernels:
            return score
        if cell.kind == kernels[0].kind:
            return evolve(score, baseline_cycles=score.cycles, baseline_kind=cell.kind)
        baseline = self._baseline(workload)
        if baseline is None or not baseline.passed:
            return score
        return evolve(score, baseline_cycles=baseline.cycles, baseline_kind=kernels[0].kind)

    def _baseline(self, workload: Workload) -> Evaluation | None:
        """Return the score of a workload's baseline on the same draws; None when it cannot be had."""
        key = (workload.target, workload.name)
        if key not in self._baselines:
            kernel = self.catalogue.kernel(workload)
            try:
                self._baselines[key] = self._evaluator.evaluate(
                    workload, kernel.source(), salt=self.settings.salt, draws=self.settings.draws, filename=kernel.kind
                )
            except Exception:  # its own cell tells what is wrong with it
                self._baselines[key] = None
        return self._baselines[key]


class CellScorer(Protocol):
    """What makes an outcome of a cell. It never raises, except when its process is told to end."""

    def score(self, cell: Cell) -> Outcome:
        """Return the outcome."""
        ...


ScorerFactory = Callable[[Catalogue, Settings, Path], CellScorer]
"""(tasks, settings of the run, run folder) -> a scorer; a function or class that another process can import."""


@frozen
class Workers:
    """How cells are scored, here and in other processes, which load the same plug-ins.

    Attributes:
        catalogue: of this process, used when cells are scored in it.
        files, local: as `kernelcraft_core.plugins.configure` takes them.
        scorer: what scores a cell.
    """

    catalogue: Catalogue
    files: tuple[str, ...] = ()
    local: bool = False
    scorer: ScorerFactory = Scorer


def without_run(cell: Cell, status: str, *diagnostics: Diagnostic) -> dict[str, Any]:
    """Return the score of a kernel that was not run."""
    return Evaluation(cell.target, cell.task, cell.config, status, diagnostics=diagnostics).as_dict()
