"""What the tests of benchmark runs share: plans on the toy target, and one-file plug-ins that misbehave."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core import plugins
from kernelcraft_core.bench import Plan, Settings, Workers, make_plan, run, start
from kernelcraft_core.results import RunFolder
from kernelcraft_core.tasks.catalogue import Catalogue

PLUGIN = '''
"""A workload toy triple/{config} that runs `body` before it draws; MARK is the path of a file."""

import os
import signal
import time

import attrs

from kernelcraft_core import hookimpl

KC_API = 1
MARK = {mark!r}


def before():
{body}


@hookimpl
def kc_workloads(target):
    if target != "toy":
        return None
    from kc_toy.tasks import workloads

    first = next(iter(workloads()))

    def draw(seed, family):
        before()
        return first.draw(seed, family)

    return [attrs.evolve(first, config="{config}", draw=draw)]
'''


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a plug-in whose workload `triple/<config>` first runs some Python lines."""

    def write(body: str, config: str = "C0", mark: Path | None = None) -> Path:
        path = tmp_path / f"plugin_{config.lower()}.py"
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        path.write_text(PLUGIN.format(body=lines, config=config, mark=str(mark or tmp_path / "mark")))
        return path

    return write


@pytest.fixture
def catalogue() -> Catalogue:
    """Return the catalogue of the toy plug-in."""
    return Catalogue(plugins.registry())


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., tuple[Plan, Path, list[dict[str, Any]]]]:
    """Return a function that plans and runs; it gives the plan, the run folder's path and the samples."""

    def go(
        jobs: int = 1, files: tuple[Path, ...] = (), name: str = "run", **settings: Any
    ) -> tuple[Plan, Path, list[dict[str, Any]]]:
        paths = tuple(map(str, files))
        plugins.configure(paths)
        found = Catalogue(plugins.registry())
        plan = make_plan(found, Settings(**{"salt": "salt", **settings}), tmp_path)
        with start(tmp_path / name, plan, found, {}) as folder:
            samples = run(plan, folder, Workers(found, paths), jobs=jobs)
        return plan, tmp_path / name, samples

    return go


@pytest.fixture
def again() -> Callable[..., list[dict[str, Any]]]:
    """Return a function that continues a run."""

    def go(path: Path, jobs: int = 1, files: tuple[Path, ...] = (), seen: list[Any] | None = None) -> Any:
        from kernelcraft_core.bench import resume

        paths = tuple(map(str, files))
        plugins.configure(paths)
        found = Catalogue(plugins.registry())
        with RunFolder.resume(path) as folder:
            plan = resume(folder, found)
            news: list[Any] = [] if seen is None else seen
            return run(plan, folder, Workers(found, paths), jobs=jobs, on_sample=news.append)

    return go


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool], str], None]:
    """Return a function that waits for a condition, half a minute at most."""

    def wait(condition: Callable[[], bool], what: str) -> None:
        for _ in range(600):
            if condition():
                return
            time.sleep(0.05)
        pytest.fail(f"waited in vain: {what}")

    return wait
