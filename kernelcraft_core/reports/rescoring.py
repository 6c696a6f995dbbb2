"""Scoring the kernels of a run again, without any model: other inputs, another machine, or a newer target.

A rescoring is a run folder below `scores/` of the run, without kernels: those stay where they are, and the run's own
samples stay as they are.

| code | meaning |
| --- | --- |
| KC0837 | a rescoring exists with other settings |
| KC0838 | a run has no kernel that can be scored again |
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, frozen

from kernelcraft_core.bench import Cell, Settings, Workers
from kernelcraft_core.bench.given import Given
from kernelcraft_core.bench.plan import Setup, cell_of
from kernelcraft_core.bench.pool import execute
from kernelcraft_core.bench.record import git_revision, settings_of
from kernelcraft_core.bench.runner import sample_of
from kernelcraft_core.diagnostics import WARNING, Diagnostic, KernelCraftError, ResultsError
from kernelcraft_core.evaluation import Evaluator, new_salt
from kernelcraft_core.reports.agents import PROVIDER
from kernelcraft_core.reports.totals import HARNESS_ERROR
from kernelcraft_core.results import KERNELS, SCORES, Run, RunFolder, canonical, plain
from kernelcraft_core.results.loading import NAME, scores_of
from kernelcraft_core.tasks.catalogue import Catalogue

DIGITS = 8
CARRIED = ("level", "agent")
"""What a sample of a rescoring has from the run's, besides what its cell says: it belongs to the episode."""


@frozen
class Wanted:
    """What is to be different: None and an empty mapping leave it as the run has it, but for the inputs.

    Attributes:
        name: of the rescoring; None: made of the settings. draws: sets of inputs. seed: of the inputs; None: a new secret.
        overrides: machine parameters, besides those of the run. tolerance: parts of every workload's tolerance.
    """

    name: str | None = None
    draws: int | None = None
    seed: str | None = None
    overrides: Mapping[str, str] | None = None
    tolerance: Mapping[str, float] | None = None


@frozen(eq=False)
class Rescoring:
    """A rescoring that can go on.

    Attributes:
        name: of its folder. settings: what it scores with. cells: one for each kernel, in the order of reports.
        carried: samples that have a score and no kernel: they keep it, so that they stay in the denominator.
        samples: id -> the run's own sample. setups: target -> what its workloads run on.
        findings: warnings about samples that cannot be scored again.
    """

    run: Run
    name: str
    settings: Settings
    cells: Sequence[Cell]
    carried: Sequence[Mapping[str, Any]]
    samples: Mapping[str, Mapping[str, Any]]
    setups: Mapping[str, Sequence[Setup]]
    findings: Sequence[Diagnostic]

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.run.path / SCORES / self.name

    def open(self, catalogue: Catalogue) -> RunFolder:
        """Return its folder, locked for writing: a new one, or the one that was begun.

        Raises:
            ResultsError: KC0804, KC0806.
        """
        if self.name in scores_of(self.run.path):
            return RunFolder.resume(self.path)
        versions = {record.name: record.version for record in catalogue.registry.plugins if record.ok}
        changed: dict[str, Any] = plain(
            {
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "python": platform.python_version(),
                "git": git_revision(),
                "plugins": {name: versions.get(catalogue.registry.targets[name].plugin) for name in self.setups},
                "suites": dict(sorted({cell.suite for cell in self.cells})),
                "targets": {name: [setup.as_dict() for setup in setups] for name, setups in self.setups.items()},
                "settings": asdict(self.settings),
                "rescored": {"name": self.name, "started": self.run.record["started"]},
            }
        )
        return RunFolder.create(self.path, {**self.run.record, **changed})


def prepare(run: Run, wanted: Wanted, catalogue: Catalogue) -> Rescoring:
    """Return the rescoring that is wanted; one that exists keeps its inputs.

    Raises:
        ResultsError: KC0801 the run's settings are not known, KC0837, KC0838.
        KernelCraftError: a machine parameter or extension is wrong.
    """
    settings, name = _settings(run, wanted)
    evaluator = settings.evaluator(catalogue, run.path)
    cells, carried, findings = [], [], []
    setups: dict[str, dict[str, Setup]] = {}
    for sample in run.samples:
        if _unfinished(sample):
            continue
        if sample["kernel"] is None:
            carried.append(sample)
            continue
        try:
            cell = _cell(run, sample, evaluator)
        except KernelCraftError as error:
            findings += [evolve(finding, severity=WARNING) for finding in error.diagnostics]
            continue
        cells.append(cell)
        setups.setdefault(cell.target, {}).setdefault(canonical(cell.setup.as_dict()), cell.setup)
    if not cells:
        message = f"{run.path} has no kernel that can be scored again"
        raise ResultsError([Diagnostic("KC0838", message), *dict.fromkeys(findings)])
    samples = {sample["id"]: sample for sample in run.samples}
    found = {target: tuple(of_target.values()) for target, of_target in setups.items()}
    return Rescoring(run, name, settings, cells, carried, samples, found, list(dict.fromkeys(findings)))


def _unfinished(sample: Mapping[str, Any]) -> bool:
    """Whether there is nothing to score: no kernel and no score, or an episode that a service broke off."""
    if sample["status"] != HARNESS_ERROR:
        return False
    return sample["kernel"] is None or (sample["agent"] is not None and sample["agent"]["failure"] == PROVIDER)


def _settings(run: Run, wanted: Wanted) -> tuple[Settings, str]:
    """Return the settings and the name of a rescoring: those it was begun with, when it was."""
    was = settings_of(RunFolder.open(run.path))
    overrides = {**was.overrides, **(wanted.overrides or {})}
    tolerance = {**was.tolerance, **(wanted.tolerance or {})}
    draws = was.draws if wanted.draws is None else wanted.draws
    name = wanted.name
    if name is None and wanted.seed is not None:
        name = hashlib.sha256(canonical([draws, wanted.seed, overrides, tolerance]).encode("ascii")).hexdigest()[
            :DIGITS
        ]
    if name is not None and NAME.fullmatch(name) is None:
        raise ResultsError(
            Diagnostic("KC0831", f"a rescoring cannot be called {name!r}", hint="letters, digits, . _ -")
        )
    if name is None or name not in scores_of(run.path):
        salt = new_salt() if wanted.seed is None else wanted.seed
        settings = evolve(
            was, draws=draws, salt=salt, secret=wanted.seed is None, overrides=overrides, tolerance=tolerance
        )
        return settings, name or hashlib.sha256(salt.encode()).hexdigest()[:DIGITS]
    begun = settings_of(RunFolder.open(run.path / SCORES / name))
    reasons = [
        option
        for option, given, value in (
            ("--draws", wanted.draws, begun.draws),
            ("--seed", wanted.seed, begun.salt),
            ("--set", overrides if wanted.overrides else None, dict(begun.overrides)),
            ("tolerance", tolerance if wanted.tolerance else None, dict(begun.tolerance)),
        )
        if given is not None and given != value
    ]
    if reasons:
        message = f"rescoring {name} of {run.path} was begun with another {' and '.join(reasons)}"
        raise ResultsError(
            Diagnostic("KC0837", message, hint="leave the options out to continue it, or choose another --scores")
        )
    return begun, name


def _cell(run: Run, sample: Mapping[str, Any], evaluator: Evaluator) -> Cell:
    """Return the cell of a sample's kernel on what is installed now.

    Raises:
        KernelCraftError: the kernel is not in the run folder, the target or task is not installed, a setting is wrong.
    """
    catalogue = evaluator.catalogue
    path = run.file(sample["kernel"]["path"], KERNELS)
    workload = catalogue.workload(sample["target"], sample["task"], sample["config"])
    return cell_of(
        catalogue,
        workload,
        Setup.of(evaluator.target(workload), evaluator.backend),
        sample["subject"],
        sample["kernel"]["path"].removeprefix(f"{KERNELS}/"),
        identity=sample["id"],
        repeat=sample["repeat"],
        passes=sample["expected"] == "passed",
        given=Given(path, sample["kernel"]["sha256"]),
    )


def rescore(
    rescoring: Rescoring,
    folder: RunFolder,
    workers: Workers,
    *,
    jobs: int = 1,
    on_sample: Callable[[Mapping[str, Any]], None] = lambda sample: None,
) -> None:
    """Score what has no score yet in a rescoring's folder.

    Args:
        rescoring: what is scored.
        folder: its folder, open for writing.
        workers: how worker processes load plug-ins.
        jobs: number of processes.
        on_sample: called with each new sample once it is on the disk.

    Raises:
        ResultsError: KC0806.
    """
    for sample in rescoring.carried:
        if not folder.scored(sample["id"]):
            folder.append(sample)
    cells = [cell for cell in rescoring.cells if not folder.scored(cell.id)]
    jobs = max(1, min(jobs, len(cells)))
    with closing(execute(cells, rescoring.settings, rescoring.run.path, workers, jobs, lambda cell: True)) as outcomes:
        for cell, outcome in outcomes:
            was = rescoring.samples[cell.id]
            sample = {**sample_of(cell, outcome, folder), **{key: was[key] for key in CARRIED if was[key] is not None}}
            folder.append(sample)
            on_sample(sample)


def changes(before: Run, after: Run) -> list[dict[str, Any]]:
    """Return the samples whose status is not what it was, in the order of reports."""
    was = {sample["id"]: sample for sample in before.samples}
    names = ("id", "target", "task", "config", "repeat")
    return [
        {**{name: sample[name] for name in names}, "before": was[sample["id"]]["status"], "after": sample["status"]}
        for sample in after.samples
        if sample["id"] in was and was[sample["id"]]["status"] != sample["status"]
    ]
