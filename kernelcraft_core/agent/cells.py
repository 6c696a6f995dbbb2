"""The plan of a run of models: one cell for each episode.

| code | meaning |
| --- | --- |
| KC0773 | a target, task or configuration of an experiment is not there, and is left out (a warning) |
| KC0774 | a prompt cannot be built for a workload, which is left out (a warning) |
| KC0775 | there is nothing to run: no model is named, or no workload is left |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, define, evolve, field

from kernelcraft_core.agent.grid import Grid, GridError, ModelChoice, PromptChoice, Study
from kernelcraft_core.agent.limits import NAMES, LimitError, check_price
from kernelcraft_core.agent.models import ModelContext, call, open_model
from kernelcraft_core.agent.models.errors import ModelSetupError
from kernelcraft_core.agent.models.service import ServiceModel
from kernelcraft_core.agent.prompt import build_prompt, example_of
from kernelcraft_core.agent.protocol import Model
from kernelcraft_core.bench.given import Given, Key
from kernelcraft_core.bench.plan import Cell, Plan, Settings, Setup, all_workloads, cell_of, selected
from kernelcraft_core.diagnostics import (
    WARNING,
    Diagnostic,
    EvaluationError,
    KernelCraftError,
    ResultsError,
    did_you_mean,
)
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import PluginRegistry
from kernelcraft_core.results import canonical
from kernelcraft_core.tasks import Workload
from kernelcraft_core.tasks.catalogue import Catalogue, select

MODEL = "model"
AUTO = "auto"


def make_plan(catalogue: Catalogue, settings: Settings, folder: Path, given: Mapping[Key, Given] | None = None) -> Plan:
    """Return the plan of a run whose `settings.agent` is a `Study`; arguments are those of `bench.plan.make_plan`.

    The selection of the settings holds for all grids, besides their own.

    Raises:
        PluginError: KC0305. EvaluationError: KC0603, KC0620, KC0775. LimitError: KC0751. ResultsError: KC0801.
        KernelCraftError: a model, machine parameter or extension is wrong.
    """
    study = _study(settings, folder)
    planner = _Planner(catalogue, settings, Evaluator(catalogue, settings.overrides, settings.extension_items(folder)))
    chosen, findings = (
        selected(catalogue, settings)
        if any((settings.targets, settings.tasks, settings.levels, settings.configs)) or not study.lenient
        else all_workloads(catalogue, ())
    )
    planner.findings += findings
    for grid in study.grids:
        planner.add(grid, study, chosen)
    if not planner.cells:
        raise EvaluationError([Diagnostic("KC0775", "there is nothing to run"), *planner.findings])
    found = {target: tuple(of_target.values()) for target, of_target in planner.setups.items()}
    return Plan(settings, tuple(planner.cells.values()), found, (), tuple(dict.fromkeys(planner.findings)))


def _study(settings: Settings, folder: Path) -> Study:
    """Return the study of a run's settings, which may come from a record that somebody edited. Raises: ResultsError KC0801."""
    try:
        return Study.of(settings.agent)
    except (GridError, LimitError, KeyError, TypeError, AttributeError) as error:
        why = (
            error.diagnostics[0].message
            if isinstance(error, KernelCraftError)
            else "a part is missing or of another type"
        )
        message = f"{folder}: run.json does not say what the models are to do: settings.agent: {why}"
        raise ResultsError(Diagnostic("KC0801", message)) from None


@define(eq=False)
class _Planner:
    """Makes cells; keeps what several of them share."""

    catalogue: Catalogue
    settings: Settings
    evaluator: Evaluator
    cells: dict[str, Cell] = field(factory=dict)
    setups: dict[str, dict[str, Setup]] = field(factory=dict)
    findings: list[Diagnostic] = field(factory=list)
    _opened: dict[str, Model] = field(factory=dict)
    _folders: dict[str, str] = field(factory=dict)

    def add(self, grid: Grid, study: Study, pool: Sequence[Workload]) -> None:
        """Add the cells of a grid that are not there yet."""
        if not grid.models:
            raise EvaluationError(Diagnostic("KC0775", "no model is named", hint="--model NAME"))
        for choice in grid.models:
            for limits in (grid.limits, study.limits):
                check_price(limits, self.model(choice))
        workloads = self.workloads(grid, pool, study.lenient)
        for prompt in grid.prompts:
            self.check_documents(prompt, workloads)
            fitting = [(w, found) for w in workloads if (found := self.prompt(w, prompt)) is not None]
            for choice in grid.models:
                for workload, resolved in fitting:
                    for repeat in range(grid.repeats):
                        self.cell(grid, choice, prompt, resolved, workload, repeat)

    def workloads(self, grid: Grid, pool: Sequence[Workload], lenient: bool) -> list[Workload]:
        """Return the workloads of a grid; what it names and nobody has is a finding, or an error."""
        installed, tasks = self.catalogue.registry.targets, self.catalogue.tasks
        for name in grid.targets:
            if name not in installed and not self.settings.targets:
                self.missing(f"the target {name!r} is not installed", did_you_mean(name, installed), lenient)
        if grid.targets and not any(name in installed for name in grid.targets):
            return []
        strange = [name for name in grid.tasks if name not in tasks]
        if strange:
            names = ", ".join(map(repr, strange))
            self.missing(f"no suite has the task {names}", did_you_mean(strange[0], tasks), lenient)
        mine = [w for w in pool if not grid.targets or w.target in grid.targets]
        found = select(mine, self.catalogue, grid.tasks, grid.levels, grid.configs)
        for target in dict.fromkeys(w.target for w in mine):
            there = {w.task for w in found if w.target == target}
            lacking = [repr(name) for name in grid.tasks if name in tasks and name not in there]
            if lacking and not self.settings.tasks and not self.settings.levels:
                self.missing(f"{target} has no workload of {', '.join(lacking)} as selected", None, lenient)
        return found

    def missing(self, message: str, hint: str | None, lenient: bool) -> None:
        if not lenient:
            raise EvaluationError(Diagnostic("KC0775", message, hint=hint))
        self.findings.append(Diagnostic("KC0773", f"{message}; it is left out", hint=hint, severity=WARNING))

    def model(self, choice: ModelChoice) -> Model:
        """Return a model as it is opened without a workload, for its settings."""
        key = canonical(asdict(choice))
        if key not in self._opened:
            self._opened[key] = open_model(choice.name, choice.settings, plugins=self.catalogue.registry)
        return self._opened[key]

    def prompt(self, workload: Workload, prompt: PromptChoice) -> PromptChoice | None:
        """Return the prompt with its example named; None when the workload cannot have it, which is a finding."""
        try:
            return resolve(self.catalogue, workload, prompt)
        except KernelCraftError as error:
            message = f"{workload.target} {workload.name} is left out: {error.diagnostics[0].message}"
            self.findings.append(Diagnostic("KC0774", message, severity=WARNING))
            return None

    def check_documents(self, prompt: PromptChoice, workloads: Sequence[Workload]) -> None:
        """Refuse names of documents that a target does not have. Raises: PromptError KC0720."""
        if prompt.documents:
            for workload in {w.target: w for w in workloads}.values():
                opened = self.evaluator.target(workload)
                build_prompt(opened, self.catalogue, workload, documents=prompt.documents)

    def cell(
        self,
        grid: Grid,
        choice: ModelChoice,
        prompt: PromptChoice,
        resolved: PromptChoice,
        workload: Workload,
        repeat: int,
    ) -> None:
        setup = self.setup(workload)
        limits = {name: getattr(grid.limits, name) for name in NAMES if getattr(grid.limits, name) is not None}
        settings = {**self.model(choice).settings, **prompt.settings(), **({"limits": limits} if limits else {})}
        subject = {"kind": MODEL, "model": choice.name, "settings": settings}
        place = f"{self.folder(subject)}/r{repeat}/{workload.target}/{workload.task}/{workload.config}.asm"
        cell = cell_of(
            self.catalogue,
            workload,
            setup,
            subject,
            place,
            repeat=repeat,
            agent={
                "model": {"name": choice.name, "settings": dict(choice.settings)},
                "prompt": {**asdict(resolved), "documents": prompt.documents and list(prompt.documents)},
                "limits": grid.limits.as_dict(),
            },
        )
        self.cells.setdefault(cell.id, cell)

    def setup(self, workload: Workload) -> Setup:
        setup = Setup.of(self.evaluator.target(workload))
        return self.setups.setdefault(workload.target, {}).setdefault(canonical(setup.as_dict()), setup)

    def folder(self, subject: Mapping[str, Any]) -> str:
        """Return the folder of a subject's kernels: the model's name, numbered where it has several settings."""
        key = canonical(subject)
        if key not in self._folders:
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", subject["model"]).strip("-.") or MODEL
            taken = set(self._folders.values())
            names: Iterator[str] = (name if n == 1 else f"{name}-{n}" for n in range(1, len(taken) + 2))
            self._folders[key] = next(n for n in names if n not in taken)
        return self._folders[key]


def check_models(cells: Iterable[Cell], plugins: PluginRegistry) -> list[Diagnostic]:
    """Refuse cells whose models lack a library, a known service or a key, before any of them begins.

    Returns:
        Findings about models that cannot be called, as warnings, when others can.

    Raises:
        ModelSetupError: KC0733; KC0730, KC0736 when no model can be called. KernelCraftError: a model cannot be opened.
    """
    chosen = {canonical(cell.agent["model"]): cell.agent["model"] for cell in cells if cell.agent}
    findings: list[Diagnostic] = []
    for model in chosen.values():
        opened = open_model(model["name"], model["settings"], plugins=plugins)
        if isinstance(opened, ServiceModel):
            call.check_installed()
            try:
                opened.check()
            except ModelSetupError as error:
                if error.code == "KC0733":
                    raise
                findings += error.diagnostics
    if findings and len(findings) >= len(chosen):
        raise ModelSetupError(findings)
    return [evolve(finding, severity=WARNING) for finding in findings]


def context_of(catalogue: Catalogue, workload: Workload) -> ModelContext:
    """Return what models that play a part may know of a workload."""
    return ModelContext(workload.target, workload.task, workload.config, lambda: catalogue.kernels(workload))


def resolve(catalogue: Catalogue, workload: Workload, prompt: PromptChoice) -> PromptChoice:
    """Return a prompt that names its example, after everything it needs is known to be there.

    Raises:
        KernelCraftError: the example is of the task itself, or there is no such kernel.
    """
    if prompt.template:
        catalogue.kernel(workload)
    if prompt.one_shot is None:
        return prompt
    name = _auto(catalogue, workload) if prompt.one_shot == AUTO else prompt.one_shot
    if name is not None and name.partition("/")[0] == workload.task:
        name = None
    if name is None:
        why = "no other task has a kernel that is right" if prompt.one_shot == AUTO else "its task is the example's"
        raise EvaluationError(Diagnostic("KC0774", why))
    example = example_of(catalogue, workload.target, name)
    return evolve(prompt, one_shot=f"{example.workload.name}:{example.kernel.kind}")


def _auto(catalogue: Catalogue, workload: Workload) -> str | None:
    """Return the example for a workload: of the nearest level, then the first task, then the first configuration."""
    level = catalogue.task(workload.task).level
    others = [w for w in catalogue.workloads(workload.target).values() if w.task != workload.task]
    others.sort(key=lambda w: abs(catalogue.task(w.task).level - level))
    for other in others:
        if any(kernel.passes for kernel in catalogue.kernels(other)):
            return other.name
    return None
