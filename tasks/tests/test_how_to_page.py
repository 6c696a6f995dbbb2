"""The how-to page on tasks: its plug-in is loaded, its Python executed, and what it promises is so."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kernelcraft_core.plugins import PluginRegistry, load
from kernelcraft_core.tasks import Task, Workload

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "add-a-task.md").read_text(encoding="utf-8")
PLUGIN, USE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PluginRegistry:
    (tmp_path / "vectors.py").write_text(PLUGIN)
    monkeypatch.chdir(tmp_path)
    return load(files=["vectors.py"], names=())


def workload_of(registry: PluginRegistry) -> tuple[Task, Workload]:
    (suite,) = registry.hook.kc_tasks()
    ((workload,),) = registry.hook.kc_workloads(target="mine")
    return suite.tasks[0], workload


@pytest.mark.usefixtures("registry")
def test_python_of_the_page_works() -> None:
    scope: dict[str, Any] = {}
    exec(USE, scope)  # noqa: S102
    assert (scope["registry"].broken, scope["suite"].name, scope["workload"].name) == ((), "vectors", "l2norm/C1")


def test_workload_of_the_page_belongs_to_its_target_only(registry: PluginRegistry) -> None:
    assert registry.hook.kc_workloads(target="other") == []


def test_workload_of_the_page_agrees_with_its_task(registry: PluginRegistry) -> None:
    task, workload = workload_of(registry)
    assert workload.task == task.slug
    assert set(workload.parameters) == set(task.parameters)
    assert set(workload.families) <= set(task.family_names)
    assert task.resolved(workload.flags) == {"eps": 1e-5}
    assert [(o.name, o.shape) for o in workload.outputs] == [
        (t.name, t.dimensions(workload.parameters)) for t in task.outputs
    ]


@pytest.mark.parametrize("family", ["standard", "small"])
def test_draw_of_the_page_is_reproducible_and_its_golden_is_found_in_memory(
    registry: PluginRegistry, family: str
) -> None:
    task, workload = workload_of(registry)
    case, again, other = (workload.draw(seed, task.family(family)) for seed in (5, 5, 6))
    assert case.state == again.state != other.state
    golden = case.goldens["float32"]["Y"]
    x = case.inputs["X"].astype(float)
    np.testing.assert_allclose(golden, x / np.sqrt((x**2).sum(axis=1, keepdims=True) + 1e-5), rtol=1e-6)
    memory = np.frombuffer(case.state["ram"][0] + golden.tobytes(), np.uint8)
    ram = SimpleNamespace(at=lambda address, length: memory[address : address + length])
    assert np.array_equal(workload.outputs[0].read({"ram": ram}), golden)
