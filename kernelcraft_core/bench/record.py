"""The record of a run: what `run.json` says, and whether a run can be continued as it was started.

| code | meaning |
| --- | --- |
| KC0803 | a run cannot be continued: the settings given, or what is installed now, differ from those it was started with |
"""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import asdict, fields

import kernelcraft_core
from kernelcraft_core.bench.given import Given, Key
from kernelcraft_core.bench.plan import Plan, Settings, make_plan
from kernelcraft_core.diagnostics import Diagnostic, ResultsError
from kernelcraft_core.results import KERNELS, RunFolder, plain
from kernelcraft_core.results.store import inside
from kernelcraft_core.tasks.catalogue import Catalogue

GIT_SECONDS = 10.0
Planner = Callable[[Catalogue, Settings, Path, Mapping[Key, Given] | None], Plan]
"""As `make_plan`."""


def start(path: Path, plan: Plan, catalogue: Catalogue, extension_files: Mapping[str, bytes]) -> RunFolder:
    """Return the run folder of a new run, ready to be written.

    Args:
        path: the folder, new or empty.
        plan: what will be scored.
        catalogue: what it was made of.
        extension_files: name in the run folder -> content.

    Raises:
        ResultsError: KC0804, KC0805, KC0806.
    """

    def files() -> Iterator[tuple[str, bytes]]:
        yield from extension_files.items()
        for cell in plan.cells:
            if cell.given is not None and cell.given.problem is None:
                yield f"{KERNELS}/{cell.kernel}", cell.given.read()

    record = {
        **stable(plan, catalogue),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "git": git_revision(),
        "model": _models(plan),
        "skipped": [list(entry) for entry in plan.skipped],
    }
    return RunFolder.create(path, record, files())


def _models(plan: Plan) -> list[dict[str, Any]] | None:
    """Return the models of a run with their settings; None for a run of kernels."""
    found = [dict(cell.subject) for cell in plan.cells if cell.agent]
    return [entry for i, entry in enumerate(found) if entry not in found[:i]] or None


def stable(plan: Plan, catalogue: Catalogue) -> dict[str, Any]:
    """Return the part of a record that must be the same when the run is continued."""
    registry = catalogue.registry
    versions = {record.name: record.version for record in registry.plugins if record.ok}
    used = sorted({cell.suite for cell in plan.cells})
    entry: dict[str, Any] = plain(
        {
            "settings": asdict(plan.settings),
            "plugins": {name: versions.get(registry.targets[name].plugin) for name in plan.setups},
            "suites": dict(used),
            "targets": {name: [setup.as_dict() for setup in setups] for name, setups in plan.setups.items()},
            "cells": [cell.as_dict() for cell in plan.cells],
        }
    )
    return entry


def settings_of(folder: RunFolder) -> Settings:
    """Return the settings a run was started with.

    Raises:
        ResultsError: KC0801 the record has none that this version understands, KC0806 an extension file lies outside.
    """
    try:
        given = folder.record["settings"]
        later = ("agent", "tolerance", "backend")  # records of earlier versions lack them
        names = [field.name for field in fields(Settings) if field.name not in later or field.name in given]
        known: dict[str, Any] = {name: given[name] for name in names}
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in known.items()}
        settings = Settings(**values)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(folder) from None
    for name in settings.extensions:
        if name.endswith(".toml"):
            inside(folder.path, name)  # an edited record may name a file elsewhere
    return settings


def resume(folder: RunFolder, catalogue: Catalogue, planner: Planner = make_plan) -> Plan:
    """Return the plan of a run that was started before; `planner` must be what it was planned with.

    Raises:
        ResultsError: KC0801, KC0803 what is installed differs from what the run was started with.
        KernelCraftError: as `make_plan`.
    """
    if "rescored" in folder.record:  # its kernels are those of another run, and no model is to be asked for them again
        raise refusal(folder, ["it is a rescoring, which `kc rescore` continues"])
    settings = settings_of(folder)
    if folder.record.get("version") != kernelcraft_core.__version__:
        was = folder.record.get("version")
        raise refusal(folder, [f"kernelcraft-core was {was} and is {kernelcraft_core.__version__}"])
    plan = planner(catalogue, settings, folder.path, _given(folder) if settings.given else None)
    differences = list(_differences(folder, folder.record, stable(plan, catalogue)))
    if differences:
        raise refusal(folder, differences)
    return plan


def refusal(folder: RunFolder, reasons: list[str]) -> ResultsError:
    """Return KC0803 with its reasons."""
    message = f"{folder.path} cannot be continued: {'; '.join(reasons)}"
    return ResultsError(Diagnostic("KC0803", message, hint="start a new run, or go back to what this one used"))


def _given(folder: RunFolder) -> dict[Key, Given]:
    """Return the kernels that a run was started with; the run folder holds them."""
    found: dict[Key, Given] = {}
    try:
        for cell in folder.record["cells"]:
            problem = cell["problem"]
            text = None if problem is None else Diagnostic(problem["code"], problem["message"])
            path = folder.path / KERNELS / cell["kernel"]
            found[cell["target"], cell["task"], cell["config"]] = Given(path, cell["subject"]["sha256"], text)
    except (KeyError, TypeError):
        raise _damaged(folder) from None
    return found


def _damaged(folder: RunFolder) -> ResultsError:
    return ResultsError(Diagnostic("KC0801", f"{folder.path}: run.json lacks what a run needs to be continued"))


def _differences(folder: RunFolder, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between two records, in words.

    Raises:
        ResultsError: KC0801 a part of the first one is not what it must be.
    """
    if not all(isinstance(was.get(part, {}), dict) for part in ("plugins", "suites", "targets")):
        raise _damaged(folder)
    for name in sorted({*was.get("plugins", {}), *now["plugins"]}):
        before, after = (entry.get("plugins", {}).get(name) for entry in (was, now))
        if before != after:
            yield f"the plug-in of {name} was {before} and is {after}"
    for name in sorted({*was.get("suites", {}), *now["suites"]}):
        before, after = (entry.get("suites", {}).get(name) for entry in (was, now))
        if before != after:
            yield f"suite {name} was {before} and is {after}"
    for name in sorted({*was.get("targets", {}), *now["targets"]}):
        before, after = (entry.get("targets", {}).get(name) for entry in (was, now))
        if before != after:
            yield f"{name} has another {' and '.join(_what_differs(before, after)) or 'set of machines'}"
    if was.get("cells") != now["cells"]:
        yield "its workloads or kernels are not the same"


def _what_differs(before: Any, after: Any) -> Iterator[str]:
    words = {"machine": "machine", "extensions": "set of extensions", "isa_digest": "ISA", "backend": "back end"}
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for key, word in words.items():
            if [setup.get(key) if isinstance(setup, dict) else None for setup in before] != [
                setup.get(key) for setup in after
            ]:
                yield word


def git_revision() -> dict[str, Any] | None:
    """Return the commit of the checkout this core runs from and whether files differ from it; None without a checkout."""
    package = Path(kernelcraft_core.__file__).resolve()

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-C", str(package.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=GIT_SECONDS, check=False)

    if shutil.which("git") is None:
        return None
    try:
        if git("ls-files", "--error-unmatch", package.name).returncode != 0:  # installed below somebody's repository
            return None
        revision = git("rev-parse", "HEAD")
        if revision.returncode != 0:
            return None
        return {"revision": revision.stdout.strip(), "changed": git("diff", "--quiet", "HEAD").returncode != 0}
    except (OSError, subprocess.TimeoutExpired):
        return None
