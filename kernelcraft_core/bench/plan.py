"""What a run scores: cells made of the catalogue and a selection.

| code | meaning |
| --- | --- |
| KC0620 | nothing is selected: no workload has this configuration or level, or no target has workloads |
| KC0621 | a kind of kernels that does not exist, or that no selected workload has |
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, field, frozen
from attrs.validators import deep_iterable, instance_of

from kernelcraft_core.bench.given import Given, Key
from kernelcraft_core.diagnostics import (
    WARNING,
    Diagnostic,
    EvaluationError,
    KernelCraftError,
    PluginError,
    did_you_mean,
)
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.facade import Target
from kernelcraft_core.hookspecs import CORE
from kernelcraft_core.results import canonical, sample_id
from kernelcraft_core.tasks import KERNEL_KINDS, Workload
from kernelcraft_core.tasks.catalogue import Catalogue, select

BASELINE = "baseline"
ALL = "all"
GIVEN = "given"
"""Kind of a kernel that somebody gives."""


def _each(kind: type) -> Any:
    return deep_iterable(instance_of(kind), instance_of(tuple))


def _sorted_names(values: Mapping[str, Any]) -> dict[str, Any]:
    return dict(sorted(values.items()))


TOLERANCES = ("atol", "rtol", "rel_l2")
"""Parts of a tolerance that a run may change."""


def _parts_of_tolerance(instance: object, attribute: object, value: Mapping[str, Any]) -> None:
    for name, part in value.items():
        if (
            name not in TOLERANCES
            or isinstance(part, bool)
            or not isinstance(part, int | float)
            or not 0 <= part < math.inf
        ):
            raise ValueError(f"{name} = {part!r} is no part of a tolerance")


@frozen
class Settings:
    """What is wanted; all of it is kept in the run's record.

    Attributes:
        targets, tasks, levels, configs: the selection; an empty one means all.
        kinds: kinds of kernels: `baseline` (the first of each workload), `all`, or of `KERNEL_KINDS`; not used when
            kernels are given.
        given: whether the kernels come from a folder.
        draws: sets of inputs a kernel is scored on. salt: of the inputs. secret: whether the salt was drawn for this run.
        overrides: machine parameters, by name. extensions: names, or paths of `.toml` files inside the run folder.
        tolerance: parts of every workload's tolerance to change, by name (`atol`, `rtol`, `rel_l2`).
        backend: name of what runs the kernels.
        agent: what models are to do, as plain data of whoever plans for them; empty for a run of kernels.
    """

    targets: tuple[str, ...] = field(default=(), validator=_each(str))
    tasks: tuple[str, ...] = field(default=(), validator=_each(str))
    levels: tuple[int, ...] = field(default=(), validator=_each(int))
    configs: tuple[str, ...] = field(default=(), validator=_each(str))
    kinds: tuple[str, ...] = field(default=(BASELINE,), validator=_each(str))
    given: bool = field(default=False, validator=instance_of(bool))
    draws: int = field(default=2, validator=instance_of(int))
    salt: str = field(default="", repr=False, validator=instance_of(str))
    secret: bool = field(default=True, validator=instance_of(bool))
    overrides: Mapping[str, str] = field(factory=dict, converter=_sorted_names)
    extensions: tuple[str, ...] = field(default=(), validator=_each(str))
    tolerance: Mapping[str, float] = field(factory=dict, converter=_sorted_names, validator=_parts_of_tolerance)
    agent: Mapping[str, Any] = field(factory=dict, validator=instance_of(dict))
    backend: str = field(default=CORE, validator=instance_of(str))

    def adjusted(self, workload: Workload) -> Workload:
        """Return the workload with the parts of its tolerance that are set."""
        if not self.tolerance:
            return workload
        parts: dict[str, Any] = dict(self.tolerance)
        return evolve(workload, tolerance=evolve(workload.tolerance, **parts))

    @property
    def layered(self) -> bool:
        """Whether kernels of several kinds lie in one run, each in its own folder."""
        return not self.given and (len(self.kinds) > 1 or ALL in self.kinds)

    def evaluator(self, catalogue: Catalogue, folder: Path) -> Evaluator:
        """Return what scores with these settings, extension files in `folder`."""
        return Evaluator(catalogue, self.overrides, self.extension_items(folder), self.backend)

    def extension_items(self, folder: Path) -> list[str | Path]:
        """Return the extensions as the facade takes them, files in `folder`."""
        return [folder / name if name.endswith(".toml") else name for name in self.extensions]


@frozen
class Setup:
    """What programs run on: a machine with its values, an ISA with its extensions, and the label of the back end."""

    machine: str
    values: Mapping[str, Any]
    extensions: tuple[str, ...]
    isa_digest: str
    backend: str = CORE

    @staticmethod
    def of(opened: Target, backend: str = CORE) -> Setup:
        """Return the setup of an opened target and a back end of it.

        Raises:
            PluginError: as `Target.simulator`.
        """
        label = opened.backend_label(backend)
        return Setup(opened.machine.name, dict(opened.machine.values), opened.extensions, opened.isa.digest, label)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        entry = {
            "machine": {"name": self.machine, "values": dict(self.values)},
            "extensions": list(self.extensions),
            "isa_digest": self.isa_digest,
        }
        return entry if self.backend == CORE else {**entry, "backend": self.backend}


@frozen
class Cell:
    """One kernel on one workload.

    Attributes:
        id: of its sample. level, title: of the task. suite: name and version.
        subject: whose kernel it is: `{"kind": "compiler"}`, `{"kind": "given", "sha256": ...}`, or a model's.
        passes: False for a kernel that is known to compute something else.
        kernel: name of its file below `kernels/`.
        limits: what a run may use. given: where the kernel comes from when it is not the target's own.
        repeat: which attempt of a model, from 0. agent: what its scorer needs, as plain data; empty for kernels.
    """

    id: str
    target: str
    task: str
    config: str
    level: int
    title: str
    suite: tuple[str, str]
    setup: Setup
    subject: Mapping[str, Any]
    kernel: str
    passes: bool = True
    limits: Mapping[str, Any] = field(factory=dict)
    given: Given | None = None
    repeat: int = 0
    agent: Mapping[str, Any] = field(factory=dict)

    @property
    def kind(self) -> str:
        """Kind of the kernel."""
        return str(self.subject["kind"])

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for the run's record."""
        problem = None if self.given is None or self.given.problem is None else self.given.problem.as_dict()
        entry = {
            "id": self.id,
            "target": self.target,
            "task": self.task,
            "config": self.config,
            "level": self.level,
            "title": self.title,
            "suite": {"name": self.suite[0], "version": self.suite[1]},
            "subject": dict(self.subject),
            "kernel": self.kernel,
            "passes": self.passes,
            "limits": dict(self.limits),
            "problem": problem,
        }
        return {**entry, "repeat": self.repeat, "agent": dict(self.agent)} if self.agent else entry


@frozen
class Plan:
    """What a run scores.

    Attributes:
        settings: what was wanted. cells: in the order of targets, tasks, configurations and kinds.
        setups: target -> the different setups its workloads run on. skipped: workloads without a kernel, as
            (target, task, config, kind). findings: warnings about targets that were left out.
    """

    settings: Settings
    cells: tuple[Cell, ...]
    setups: Mapping[str, tuple[Setup, ...]]
    skipped: tuple[tuple[str, str, str, str], ...] = ()
    findings: tuple[Diagnostic, ...] = ()


def make_plan(catalogue: Catalogue, settings: Settings, folder: Path, given: Mapping[Key, Given] | None = None) -> Plan:
    """Return the plan that settings ask for.

    Args:
        catalogue: tasks, workloads and kernels.
        settings: what is wanted.
        folder: where extension files of the settings lie.
        given: kernels by workload, when `settings.given`.

    Raises:
        PluginError: KC0305 no such target; as `Setup.of`. EvaluationError: KC0603 no such task, KC0620, KC0621; as `Catalogue`.
        KernelCraftError: a machine parameter or extension is wrong.
    """
    evaluator = settings.evaluator(catalogue, folder)
    cells: list[Cell] = []
    skipped: list[tuple[str, str, str, str]] = []
    setups: dict[str, dict[str, Setup]] = {}
    workloads, findings = selected(catalogue, settings)
    for workload in workloads:
        setup = Setup.of(evaluator.target(workload), settings.backend)
        setups.setdefault(workload.target, {}).setdefault(canonical(setup.as_dict()), setup)
        for subject, kernel in _subjects(catalogue, workload, settings, given or {}):
            if kernel is None:
                skipped.append((workload.target, workload.task, workload.config, str(subject["kind"])))
            else:
                place = f"{workload.target}/{workload.task}/{workload.config}.asm"
                name = f"{subject['kind']}/{place}" if settings.layered else place
                known: dict[str, Any] = {"passes": kernel} if isinstance(kernel, bool) else {"given": kernel}
                cells.append(cell_of(catalogue, workload, setup, subject, name, **known))
    if not cells:
        kinds = " or ".join(dict.fromkeys(kind for *_, kind in skipped))
        raise EvaluationError(Diagnostic("KC0621", f"no selected workload has a {kinds} kernel"))
    found = {target: tuple(of_target.values()) for target, of_target in setups.items()}
    return Plan(settings, tuple(cells), found, tuple(skipped), findings)


def all_workloads(catalogue: Catalogue, targets: Sequence[str]) -> tuple[list[Workload], tuple[Diagnostic, ...]]:
    """Return the workloads of targets (all targets when none is named), and warnings.

    A target that is not named cannot stop the others: what is wrong with it is a warning.

    Raises:
        PluginError: KC0305. EvaluationError: as `Catalogue.workloads`, for a target that is named.
    """
    workloads: list[Workload] = []
    findings: list[Diagnostic] = []
    for name in targets or tuple(catalogue.registry.targets):
        try:
            workloads += catalogue.workloads(name).values()
        except KernelCraftError as error:
            if targets:
                raise
            findings += [evolve(finding, severity=WARNING) for finding in error.diagnostics]
    return workloads, tuple(findings)


def selected(catalogue: Catalogue, settings: Settings) -> tuple[list[Workload], tuple[Diagnostic, ...]]:
    """Return the selected workloads, after every word of the selection is known to mean something, and warnings.

    Raises:
        PluginError: KC0305. EvaluationError: KC0603, KC0620, KC0621.
    """
    for kind in settings.kinds:
        if kind not in (known := (BASELINE, ALL, *KERNEL_KINDS)):
            hint = did_you_mean(kind, known) or f"kinds: {', '.join(known)}"
            raise EvaluationError(Diagnostic("KC0621", f"there are no kernels of the kind {kind!r}", hint=hint))
    names = settings.targets or tuple(catalogue.registry.targets)
    if not names:
        raise PluginError(Diagnostic("KC0305", "no target is installed", hint="`kc doctor` checks the installation"))
    for task in settings.tasks:
        catalogue.task(task)
    pool, findings = all_workloads(catalogue, settings.targets)
    where = f"target {', '.join(names)}"
    if not pool:
        raise EvaluationError([Diagnostic("KC0620", f"{where} has no workloads"), *findings])
    configs = sorted({workload.config for workload in pool})
    for config in settings.configs:
        if config not in configs:
            hint = did_you_mean(config, configs) or f"configurations: {', '.join(configs)}"
            raise EvaluationError(Diagnostic("KC0620", f"{where} has no configuration {config!r}", hint=hint))
    found = select(pool, catalogue, settings.tasks, settings.levels, settings.configs)
    if not found:
        raise EvaluationError(Diagnostic("KC0620", f"{where} has no workload of this task, level and configuration"))
    return found, findings


def _subjects(
    catalogue: Catalogue, workload: Workload, settings: Settings, given: Mapping[Key, Given]
) -> Iterator[tuple[dict[str, Any], Given | bool | None]]:
    """Yield (subject, its kernel) of a workload: the given one, whether a kernel of the target passes, or None."""
    if settings.given:
        kernel = given.get((workload.target, workload.task, workload.config))
        yield {"kind": GIVEN, **({"sha256": kernel.sha256} if kernel else {})}, kernel
        return
    kernels = {kernel.kind: kernel.passes for kernel in catalogue.kernels(workload)}
    wanted: dict[str, None] = {}
    for kind in settings.kinds:
        chosen: Sequence[str] = (kind,)
        if kind == ALL:
            chosen = tuple(kernels) or (kind,)
        elif kind == BASELINE:
            chosen = tuple(kernels)[:1] or (kind,)
        wanted |= dict.fromkeys(chosen)
    for kind in wanted:
        yield {"kind": kind}, kernels.get(kind)


def cell_of(
    catalogue: Catalogue,
    workload: Workload,
    setup: Setup,
    subject: Mapping[str, Any],
    kernel: str,
    *,
    identity: str | None = None,
    repeat: int = 0,
    **more: Any,
) -> Cell:
    """Return the cell of a subject on a workload.

    Args:
        catalogue: has the task and its suite.
        workload: what is scored.
        setup: what it runs on.
        subject: whose kernel it is.
        kernel: name of its file below `kernels/`.
        identity: id of its sample; None: made of all this.
        repeat: which attempt.
        more: `passes`, `given`, `agent` of the cell.
    """
    task, suite = catalogue.task(workload.task), catalogue.suite_of(workload.task)
    identity = identity or sample_id(
        target=workload.target,
        machine=setup.machine,
        values=setup.values,
        extensions=setup.extensions,
        isa_digest=setup.isa_digest,
        backend=setup.backend,
        task=task.slug,
        suite=suite.name,
        suite_version=suite.version,
        config=workload.config,
        subject=subject,
        repeat=repeat,
    )
    return Cell(
        id=identity,
        target=workload.target,
        task=task.slug,
        config=workload.config,
        level=task.level,
        title=task.title,
        suite=(suite.name, suite.version),
        setup=setup,
        subject=subject,
        kernel=kernel,
        limits=asdict(workload.limits),
        repeat=repeat,
        **more,
    )
