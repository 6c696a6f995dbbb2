"""Scoring one kernel on one workload.

| code | meaning |
| --- | --- |
| KC0405 | a kernel reaches a limit of instructions, cycles, time or loop rounds |
| KC0600 | the number of draws is not usable |
| KC0606 | a null result passes the workload, so that it cannot score anything |
| KC0608 | a result is below the lower bound of its workload: one of the two is wrong |
| KC0609 | scoring failed: a mistake of the harness or of the target's plug-in |
| KC0610 | a kernel whose mutants are to be run does not pass itself |
| KC0611 | a kernel did what the workload forbids, such as a store outside its result |
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from kernelcraft_core.diagnostics import AssemblyError, Diagnostic, EvaluationError, KernelCraftError
from kernelcraft_core.evaluation import model, wrapping
from kernelcraft_core.evaluation.compare import compare
from kernelcraft_core.evaluation.model import DrawResult, Evaluation
from kernelcraft_core.evaluation.nulls import passing_null
from kernelcraft_core.evaluation.seeds import DEVELOPMENT, MIN_DRAWS, Draw, plan
from kernelcraft_core.facade import Target, target
from kernelcraft_core.hooks import explain
from kernelcraft_core.hookspecs import CORE
from kernelcraft_core.isa import Extension, Program
from kernelcraft_core.sim.result import Limits, RunResult
from kernelcraft_core.tasks import Case, Workload
from kernelcraft_core.tasks.catalogue import Catalogue

KEPT_CASES = 8


@frozen(eq=False)
class Run:
    """One run of a program on one draw: its score, the simulator's result, and the outputs it left (None if it broke off)."""

    score: DrawResult
    result: RunResult
    outputs: Mapping[str, Any] | None


@define(eq=False)
class Evaluator:
    """Scores kernels; keeps opened targets and the last few cases.

    Attributes:
        catalogue: tasks and workloads. overrides: machine parameters to change on every target.
        extensions: to apply besides those a workload requires. backend: what kernels and their baselines run on.
    """

    catalogue: Catalogue
    overrides: Mapping[str, Any] = field(factory=dict)
    extensions: Sequence[str | Path | Extension] = ()
    backend: str = CORE
    _targets: dict[Any, Target] = field(factory=dict, init=False)
    _cases: OrderedDict[Any, Case] = field(factory=OrderedDict, init=False)
    _admitted: set[Any] = field(factory=set, init=False)

    def target(self, workload: Workload) -> Target:
        """Return the target a workload runs on, with its machine and extensions.

        Raises:
            KernelCraftError: as `kernelcraft_core.facade.target`.
        """
        key = (workload.target, workload.machine, workload.requires)
        if key not in self._targets:
            self._targets[key] = target(
                workload.target,
                machine=workload.machine,
                overrides=self.overrides,
                extensions=[*workload.requires, *self.extensions],
                registry=self.catalogue.registry,
            )
        return self._targets[key]

    def case(self, workload: Workload, draw: Draw) -> Case:
        """Return the case of a draw.

        Raises:
            ValueError: its golden results are not the workload's outputs.
            Exception: as the workload's `draw`.
        """
        key = (workload.target, workload.name, draw.seed, draw.family)
        if key not in self._cases:
            family = self.catalogue.task(workload.task).family(draw.family)
            self._cases[key] = _fitting(workload, workload.draw(draw.seed, family))
            while len(self._cases) > KEPT_CASES:
                self._cases.popitem(last=False)
        self._cases.move_to_end(key)
        return self._cases[key]

    def admit(self, workload: Workload) -> None:
        """Refuse a workload that a null result passes.

        Raises:
            EvaluationError: KC0606.
        """
        key = (workload.target, workload.name)
        if key in self._admitted:
            return
        first, second = (Draw(i, plan(workload, DEVELOPMENT, 2)[i].seed, workload.families[0]) for i in (0, 1))
        cases = self.case(workload, first), self.case(workload, second)
        name = passing_null(*cases, workload.tolerance, self.untouched(workload, first))
        if name is not None:
            message = f"{workload.target}: {name} passes the workload {workload.name}, so it cannot score anything"
            raise EvaluationError(Diagnostic("KC0606", message, hint="tighten its tolerance or spread its inputs"))
        self._admitted.add(key)

    def assemble(self, workload: Workload, source: str | bytes, filename: str = "<kernel>") -> Program:
        """Return the program of a kernel's text, with what the workload puts around it.

        Raises:
            AssemblyError: KC02xx. KernelCraftError: as `target`.
        """
        opened = self.target(workload)
        if workload.wrap is None:
            return opened.assemble(source, filename)
        return wrapping.assemble(opened, workload.wrap, source, filename)

    def untouched(self, workload: Workload, draw: Draw) -> Mapping[str, Any]:
        """Return the outputs that a kernel leaves which only halts: what its memories hold at the start.

        An empty program is run for that, on the core's simulator; how it ends, which differs between targets, does not matter.

        Raises:
            KernelCraftError: the workload's presets do not fit the machine.
            Exception: as the outputs' `read`.
        """
        opened = self.target(workload)
        result = opened.simulate(
            opened.assemble("", "<empty>"),
            self.case(workload, draw).state,
            workload.limits,
            fill="pattern",
            seed=draw.seed,
            strict=True,
            timing="none",
        )
        return {output.name: output.read(result.state) for output in workload.outputs}

    def run(
        self,
        workload: Workload,
        program: Program,
        draw: Draw,
        *,
        timing: str = "default",
        limits: Limits | None = None,
    ) -> Run:
        """Return one run of an assembled program on fresh memory, within the workload's limits or others.

        Raises:
            KernelCraftError: the workload's presets do not fit the machine.
        """
        case = self.case(workload, draw)
        result = self.target(workload).simulate(
            program,
            case.state,
            limits or workload.limits,
            fill="pattern",
            seed=draw.seed,
            strict=self.backend == CORE,  # what is reserved or in flight, hardware does not tell
            timing=timing,
            backend=self.backend,
        )
        made = DrawResult(draw, model.PASSED, result.cycles, result.instret, None, result.undefined_count)
        if not result.ok:
            return Run(evolve(made, status=model.TRAP if result.trap else model.LIMIT), result, None)
        outputs = {output.name: output.read(result.state) for output in workload.outputs}
        comparison = compare(outputs, case.goldens, workload.tolerance)
        problem = workload.inspect(case, result.state) if workload.inspect is not None else None
        if problem is not None and not isinstance(problem, str):
            raise TypeError(f"inspect returns {type(problem).__name__}, not str or None")
        status = model.PASSED if comparison.passed and problem is None else model.MISMATCH
        return Run(evolve(made, status=status, comparison=comparison, problem=problem), result, outputs)

    def evaluate(
        self,
        workload: Workload,
        source: str | bytes,
        *,
        salt: str = DEVELOPMENT,
        draws: int = MIN_DRAWS,
        filename: str = "<kernel>",
        baseline: Evaluation | None = None,
        baseline_kind: str | None = None,
        on_run: Callable[[Run], None] = lambda run: None,
    ) -> Evaluation:
        """Return the score of a kernel.

        Args:
            workload: what it must compute.
            source: assembly text.
            salt: secret salt of the inputs (`new_salt`), or `DEVELOPMENT`.
            draws: how many sets of inputs, or more where the workload needs more; the first that fails ends the evaluation.
            filename: for findings.
            baseline: score of the kernel that speedups are measured by.
            baseline_kind: the kind of that kernel.
            on_run: called with each run that is made.

        Raises:
            KernelCraftError: the target cannot be opened, the workload is not fit for scoring (KC0606), KC0600.
        """
        planned = plan(workload, salt, max(draws, workload.draws))
        opened = self.target(workload)
        label = opened.backend_label(self.backend)
        score = Evaluation(workload.target, workload.task, workload.config, model.HARNESS_ERROR, backend=label)
        try:
            self.admit(workload)
            score = evolve(score, bound=workload.bound(opened.machine.values))
            program = self.assemble(workload, source, filename)
        except AssemblyError as error:
            return evolve(score, status=model.SYNTAX_ERROR, diagnostics=error.diagnostics)
        except Exception as error:
            if isinstance(error, EvaluationError) and error.code == "KC0606":
                raise
            return _harness(score, error)
        score = evolve(score, **_static(opened, program), diagnostics=program.diagnostics)
        try:
            score = self._draws(workload, program, planned, score, on_run)
        except Exception as error:
            return _harness(score, error)
        if baseline is not None and baseline.passed:
            score = evolve(score, baseline_cycles=baseline.cycles, baseline_kind=baseline_kind)
        return score

    def _draws(
        self,
        workload: Workload,
        program: Program,
        planned: Iterable[Draw],
        score: Evaluation,
        on_run: Callable[[Run], None],
    ) -> Evaluation:
        """Return the score after running the draws until one fails."""
        runs: list[Run] = []
        for draw in planned:
            runs.append(self.run(workload, program, draw))
            on_run(runs[-1])
            if runs[-1].score.status != model.PASSED:
                break
        last = runs[-1]
        slowest = max(runs, key=lambda run: run.score.cycles).result
        first = runs[0].result.profile.counts
        score = evolve(
            score,
            status=last.score.status,
            draws=tuple(run.score for run in runs),
            cycles=slowest.cycles,
            latency_ns=slowest.latency_ns,
            instret=max(run.score.instret for run in runs),
            mix=_by_category(self.target(workload), first),
        )
        if last.result.trap is not None:
            return evolve(score, diagnostics=(*score.diagnostics, last.result.trap.diagnostic()))
        if last.result.limit is not None:
            info = last.result.limit
            found = Diagnostic("KC0405", f"{info.kind} limit at pc {info.pc}: {info.message}", program.span_at(info.pc))
            return evolve(score, diagnostics=(*score.diagnostics, found))
        if last.score.problem is not None:
            return evolve(score, diagnostics=(*score.diagnostics, Diagnostic("KC0611", last.score.problem)))
        if score.passed and score.bound is not None and slowest.cycles < score.bound.cycles:
            message = f"{slowest.cycles} cycles are below the lower bound of {score.bound.cycles}"
            finding = Diagnostic("KC0608", message, hint="the bound of the workload or the machine's timing is wrong")
            return evolve(score, status=model.HARNESS_ERROR, diagnostics=(*score.diagnostics, finding))
        return score


def _fitting(workload: Workload, case: Case) -> Case:
    """Return a case whose golden results all have the outputs, shapes and dtypes of the workload.

    Raises:
        ValueError: they have not.
    """
    wanted = {output.name: (output.shape, np.dtype(output.dtype).name) for output in workload.outputs}
    for variant, golden in case.goldens.items():
        found = {name: (array.shape, array.dtype.name) for name, array in golden.items()}
        if found != wanted:
            raise ValueError(f"the golden result {variant!r} is {found}, the workload's outputs are {wanted}")
    return case


def _static(opened: Target, program: Program) -> dict[str, Any]:
    """Return what is known of a program without running it."""
    words = Counter(word for index, word in enumerate(program.words) if index not in program.data_items)
    counts: dict[str, int] = {}
    for word, times in words.items():
        decoded = opened.isa.decode(word, strict=False)
        name = decoded.definition.record.category if decoded else "?"
        counts[name] = counts.get(name, 0) + times
    size = sum(program.lengths) if program.lengths is not None else program.unit * len(program)
    return {"instructions": len(program) - len(program.data_items), "code_bytes": size, "static_mix": counts}


def _by_category(opened: Target, counts: Mapping[str, int]) -> dict[str, int]:
    out: dict[str, int] = {}
    for mnemonic, count in counts.items():
        category = opened.isa.with_mnemonic(mnemonic)[0].record.category
        out[category] = out.get(category, 0) + count
    return out


def _harness(score: Evaluation, error: Exception) -> Evaluation:
    """Return a score that counts against us, with the error it ended by."""
    return evolve(score, status=model.HARNESS_ERROR, diagnostics=(*score.diagnostics, *blame(error)))


def blame(error: Exception) -> Sequence[Diagnostic]:
    """Return the findings of an error on our side: its own, or KC0609 with the place where it was raised."""
    if isinstance(error, KernelCraftError):
        return error.diagnostics
    tail = error.__traceback__
    while tail is not None and tail.tb_next is not None:
        tail = tail.tb_next
    where = f" ({Path(tail.tb_frame.f_code.co_filename).name}:{tail.tb_lineno})" if tail else ""
    return (Diagnostic("KC0609", f"{explain(error)}{where}"),)
