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
        killed: mutants that fail. identical: mutants whose outputs equal the kernel's, bit by bit, on every draw.
        survivors: mutants that pass although their outputs differ somewhere.
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
    draws = plan(workload, salt, max(DRAWS, workload.draws))
    names: dict[str, bool] = {}
    for draw in draws:
        case, other = evaluator.case(workload, draw), evaluator.case(workload, _another(draw))
        for name, got in null_results(case, other, evaluator.untouched(workload, draw)):
            passes = compare(got, case.goldens, workload.tolerance).passed
            names[name] = names.get(name, True) and passes
    return len(names), tuple(name for name, passes in names.items() if passes)


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
    opened = evaluator.target(workload)
    draws = plan(workload, salt, max(DRAWS, workload.draws))
    program = evaluator.assemble(workload, text, f"{workload.name}.asm")
    originals = [evaluator.run(workload, program, draw, timing="none") for draw in draws]
    for run in originals:
        if run.score.status != model.PASSED:
            message = f"{workload.target}: the {kernel.kind} kernel of {workload.name} fails: {run.score.status}"
            raise EvaluationError(Diagnostic("KC0610", message, hint=f"input family {run.score.draw.family}"))
    limits = Limits(instructions=10_000 + 4 * max(run.score.instret for run in originals), wall_time=60.0)
    seed = int.from_bytes(
        hashlib.sha256(f"{salt}/{workload.target}/{workload.name}".encode("utf-8", "surrogatepass")).digest()[:8], "big"
    )
    counts = {"killed": 0, "identical": 0}
    survivors: list[Mutant] = []
    for mutant, changed in Mutator(opened, text, seed, partial(evaluator.assemble, workload)).mutants(mutants):
        outcome = _outcome(evaluator, workload, changed, draws, originals, limits)
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


def _outcome(
    evaluator: Evaluator,
    workload: Workload,
    program: Program,
    draws: Sequence[Draw],
    originals: Sequence[Run],
    limits: Limits,
) -> str:
    """Return `killed`, `identical` or `survived`; the first draw that fails ends the mutant."""
    differs = False
    for draw, original in zip(draws, originals, strict=True):
        run = evaluator.run(workload, program, draw, timing="none", limits=limits)
        if run.score.status != model.PASSED:
            return "killed"
        assert run.outputs is not None
        assert original.outputs is not None
        differs = differs or not _same_bits(run.outputs, original.outputs)
    return "survived" if differs else "identical"


def _same_bits(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return all(np.array_equal(a[name].view(np.uint8), b[name].view(np.uint8)) for name in a)
