"""Does a workload bite? Null results and mutants of a kernel that is right must fail it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, KernelCraftError
from kernelcraft_core.evaluation import model
from kernelcraft_core.evaluation.compare import compare
from kernelcraft_core.evaluation.evaluator import Evaluator, Run, blame
from kernelcraft_core.evaluation.mutants import Mutant, Mutator
from kernelcraft_core.evaluation.nulls import null_results
from kernelcraft_core.evaluation.seeds import Draw, plan
from kernelcraft_core.isa import Program
from kernelcraft_core.sim.result import Limits
from kernelcraft_core.tasks import Kernel, Workload

DRAWS = 3
"""Draws a mutant is run on at least, each of another family where the workload has as many; a score may need more."""


@frozen
class Bite:
    """What a workload caught.

    Attributes:
        target, task, config, kind: the workload and the kernel that was mutated.
        nulls: null results tried. passing_nulls: names of those that pass; there must be none.
        killed: mutants that fail. identical: mutants whose outputs equal the kernel's, bit by bit, wherever they were run.
        survivors: mutants that pass although their outputs differ somewhere: within the tolerance, or only on inputs that
            no draw of the score happened to hold.
    """

    target: str
    task: str
    config: str
    kind: str
    nulls: int
    passing_nulls: Sequence[str] = ()
    killed: int = 0
    identical: int = 0
    survivors: Sequence[Mutant] = field(factory=tuple)

    @property
    def mutants(self) -> int:
        """Mutants run."""
        return self.killed + self.identical + len(self.survivors)

    @property
    def kill_rate(self) -> float | None:
        """Killed / mutants whose outputs differ, 0..1; None when no mutant differs."""
        different = self.killed + len(self.survivors)
        return self.killed / different if different else None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "target": self.target,
            "task": self.task,
            "config": self.config,
            "kind": self.kind,
            "nulls": self.nulls,
            "passing_nulls": list(self.passing_nulls),
            "mutants": self.mutants,
            "killed": self.killed,
            "identical": self.identical,
            "kill_rate": self.kill_rate,
            "survivors": [
                {"kind": m.kind, "line": m.line, "before": m.before.strip(), "after": m.after.strip()}
                for m in self.survivors
            ],
        }


def check_nulls(evaluator: Evaluator, workload: Workload, salt: str) -> tuple[int, tuple[str, ...]]:
    """Return how many null results were tried and the names of those that pass on every draw."""
    draws = _draws(workload, salt)
    names: dict[str, bool] = {}
    for draw in draws:
        case, other = evaluator.case(workload, draw), evaluator.case(workload, _another(draw))
        for name, got in null_results(case, other, evaluator.untouched(workload, draw)):
            passes = compare(got, case.goldens, workload.tolerance).passed
            names[name] = names.get(name, True) and passes
    return len(names), tuple(name for name, passes in names.items() if passes)


def _draws(workload: Workload, salt: str) -> Sequence[Draw]:
    return plan(workload, salt, max(DRAWS, workload.draws))


def _another(draw: Draw) -> Draw:
    return Draw(draw.index, draw.seed ^ 1, draw.family)


def check(
    evaluator: Evaluator,
    workload: Workload,
    kernel: Kernel,
    mutants: int,
    salt: str,
    step: Callable[[], None] = lambda: None,
) -> Bite:
    """Return what the workload catches of null results and of mutants of a kernel.

    Args:
        evaluator: what runs them.
        workload: what is checked.
        kernel: a kernel that passes it.
        mutants: how many to run.
        salt: of the inputs; the same salt makes the same mutants.
        step: called after each mutant.

    Raises:
        EvaluationError: KC0610 the kernel itself does not pass on the draws used here; KC0609 the plug-in fails.
        KernelCraftError: as `Evaluator.run`, and as the plug-in's functions.
    """
    try:
        return _checked(evaluator, workload, kernel, mutants, salt, step)
    except KernelCraftError:
        raise
    except Exception as error:
        findings = [evolve(d, message=f"{workload.target} {workload.name}: {d.message}") for d in blame(error)]
        raise EvaluationError(findings) from error


def _checked(
    evaluator: Evaluator, workload: Workload, kernel: Kernel, mutants: int, salt: str, step: Callable[[], None]
) -> Bite:
    nulls, passing = check_nulls(evaluator, workload, salt)
    text = kernel.source()
    trial = _Trial.of(evaluator, workload, kernel, salt)
    seed = int.from_bytes(
        hashlib.sha256(f"{salt}/{workload.target}/{workload.name}".encode("utf-8", "surrogatepass")).digest()[:8], "big"
    )
    counts = {"killed": 0, "identical": 0}
    survivors: list[Mutant] = []
    opened = evaluator.target(workload)
    for mutant, changed in Mutator(opened, text, seed, partial(evaluator.assemble, workload)).mutants(mutants):
        outcome = trial.outcome(changed)
        if outcome == "survived":
            survivors.append(mutant)
        else:
            counts[outcome] += 1
        step()
    return Bite(
        workload.target,
        workload.task,
        workload.config,
        kernel.kind,
        nulls,
        passing,
        counts["killed"],
        counts["identical"],
        tuple(survivors),
    )


@frozen
class _Trial:
    """What mutants of a kernel are put through.

    Attributes:
        original: the kernel. kind: its kind.
        scored: draws as a score has them, with what the kernel gives.
        further: one more draw of every family, with other seeds: a score does not have them.
        limits: of a mutant's run.
    """

    evaluator: Evaluator
    workload: Workload
    original: Program
    kind: str
    scored: Sequence[Run]
    further: Sequence[Draw]
    limits: Limits
    _known: dict[Draw, Run] = field(factory=dict, init=False)

    @classmethod
    def of(cls, evaluator: Evaluator, workload: Workload, kernel: Kernel, salt: str) -> _Trial:
        """Return the trial. Raises: EvaluationError KC0610: the kernel itself does not pass."""
        program = evaluator.assemble(workload, kernel.source(), f"{workload.name}.asm")
        runs = [evaluator.run(workload, program, draw, timing="none") for draw in _draws(workload, salt)]
        for run in runs:
            _must_pass(workload, kernel.kind, run)
        further = plan(workload, f"{salt}/further", len(workload.families))
        limits = Limits(instructions=10_000 + 4 * max(run.score.instret for run in runs), wall_time=60.0)
        return cls(evaluator, workload, program, kernel.kind, runs, further, limits)

    def outcome(self, mutant: Program) -> str:
        """Return `killed`, `identical` or `survived`; the first draw that decides ends the mutant."""
        differs = False
        for original in self.scored:
            run = self._run(mutant, original.score.draw)
            if run.score.status != model.PASSED:
                return "killed"
            differs = differs or not _same(run, original)
        return "survived" if differs or any(map(partial(self._differs, mutant), self.further)) else "identical"

    def _run(self, mutant: Program, draw: Draw) -> Run:
        return self.evaluator.run(self.workload, mutant, draw, timing="none", limits=self.limits)

    def _differs(self, mutant: Program, draw: Draw) -> bool:
        """Return whether a mutant does something else than the kernel on a further draw."""
        if draw not in self._known:
            self._known[draw] = self.evaluator.run(self.workload, self.original, draw, timing="none")
            _must_pass(self.workload, self.kind, self._known[draw])
        return not _same(self._run(mutant, draw), self._known[draw])


def _must_pass(workload: Workload, kind: str, run: Run) -> None:
    if run.score.status != model.PASSED:
        message = f"{workload.target}: the {kind} kernel of {workload.name} fails: {run.score.status}"
        raise EvaluationError(Diagnostic("KC0610", message, hint=f"input family {run.score.draw.family}"))


def _same(run: Run, original: Run) -> bool:
    """Return whether a run ends as the kernel's, with the same outputs bit by bit."""
    if run.outputs is None or original.outputs is None or run.score.status != original.score.status:
        return False
    return _same_bits(run.outputs, original.outputs)


def _same_bits(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return all(np.array_equal(a[name].view(np.uint8), b[name].view(np.uint8)) for name in a)
