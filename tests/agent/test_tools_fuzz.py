"""Tool calls drawn at random: none raises, none reaches anything outside the folder of its episode."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.signatures import NAMES
from kernelcraft_core.agent.toolbox import Toolbox, ToolResult
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks.catalogue import Catalogue

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "fuzz_tools.py"
CALLS = 2000


@pytest.fixture(scope="module")
def fuzzer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernelcraft_fuzz_tools", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_random_calls_neither_raise_nor_leave_the_episode(fuzzer: ModuleType, tmp_path: Path) -> None:
    catalogue = Catalogue(registry())
    workload = catalogue.workload("toy", "triple", "C1")
    found = fuzzer.fuzz(tmp_path, Evaluator(catalogue), workload, CALLS, 7)
    assert found["raised"] == []
    assert found["escapes"] == []
    assert set(found["files"]) <= {"episode.json", "kernel.asm", "evaluated.asm", "best.asm", "lock"}
    answers = found["answers"]
    assert sum(answers.values()) == CALLS
    wanted = ("ok", "syntax", "functional", "limit", "unknown_tool", "malformed_arguments", "invalid_arguments")
    assert all(answers[name] >= 20 for name in wanted), answers


def test_watch_sees_what_must_not_happen(fuzzer: ModuleType, tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("x")
    watch = fuzzer.Watch(inside)
    with watch.watching():
        (inside / "fine").write_text("x")
        os.replace(inside / "fine", inside / "too")
    assert watch.escapes == []
    for act in (
        lambda: (outside / "new").write_text("x"),
        lambda: (outside / "secret.txt").read_text(),
        lambda: (inside / ".." / "out" / "new.py").write_text("x"),
        lambda: os.replace(inside / "too", outside / "moved"),
        lambda: os.remove(outside / "moved"),
        lambda: os.mkdir(outside / "folder"),
        lambda: os.symlink(outside, outside / "link"),
        lambda: os.system("true"),
        lambda: subprocess.run(["true"], check=True),
    ):
        watch.escapes.clear()
        with watch.watching():
            act()
        assert watch.escapes


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["assembly_code", "query", "rows", "columns", "what", "output"]) | st.text(max_size=8)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    with pytest.MonkeyPatch.context() as patch:  # the fixture that chooses the plug-ins is of one test only
        patch.setenv("KERNELCRAFT_PLUGINS", "toy")
        catalogue = Catalogue(registry())
    workload = catalogue.workload("toy", "triple", "C1")
    return Toolbox(Episode.create(tmp_path_factory.mktemp("fuzz") / "e", Evaluator(catalogue), workload))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(
    name=st.sampled_from(NAMES) | st.text(max_size=10) | JSON,
    arguments=st.dictionaries(KEYS, JSON, max_size=3) | st.text(max_size=50) | JSON,
)
def test_call_with_anything_gets_an_answer(tools: Toolbox, name: object, arguments: object) -> None:
    result = tools.call(name, arguments)  # type: ignore[arg-type]
    assert isinstance(result, ToolResult)
    assert result.text
    assert result.ok == (result.error_class is None)
