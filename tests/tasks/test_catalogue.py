"""The catalogue: what plug-ins bring, checked together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.diagnostics import EvaluationError, KernelCraftError
from kernelcraft_core.plugins import load
from kernelcraft_core.tasks.catalogue import Catalogue, select

PLUGIN = """
from kernelcraft_core import TargetInfo, hookimpl
import attrs
KC_API = 1
{code}
"""
GOOD_SUITE = """
from kc_toy.tasks import TRIPLE
from kernelcraft_core.tasks import Suite
@hookimpl
def kc_tasks():
    return Suite("others", "2.0", (attrs.evolve(TRIPLE, slug="thrice", number=7, level=2),))
"""
MORE_WORKLOADS = """
@hookimpl
def kc_workloads(target):
    from kc_toy.tasks import workloads
    return [attrs.evolve(w, {change}) for w in workloads()] if target == "toy" else None
"""


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], Catalogue]:
    """Return a function that makes the catalogue of the toy plug-in and of a one-file plug-in."""

    def make(code: str) -> Catalogue:
        path = tmp_path / "more.py"
        path.write_text(PLUGIN.format(code=code))
        registry = load([path], ["toy"])
        assert not registry.broken, registry.broken
        return Catalogue(registry)

    return make


def test_tasks_of_all_suites_are_ordered_by_number(opened: Callable[[str], Catalogue]) -> None:
    catalogue = opened(GOOD_SUITE)
    assert list(catalogue.tasks) == ["thrice", "triple"]
    assert catalogue.suite_of("thrice").version == "2.0"
    assert catalogue.suite_of("triple").name == "toys"


def test_workloads_of_another_plugin_join_the_target(opened: Callable[[str], Catalogue]) -> None:
    catalogue = opened(GOOD_SUITE + MORE_WORKLOADS.format(change='task="thrice", config=w.config + "X"'))
    assert list(catalogue.workloads("toy")) == [
        ("thrice", "C1X"),
        ("thrice", "C2X"),
        ("triple", "C1"),
        ("triple", "C2"),
    ]


BROKEN = {
    "suite twice": ("from kc_toy.tasks import suite\n@hookimpl\ndef kc_tasks():\n    return suite()\n", "KC0601"),
    "no suite": ("@hookimpl\ndef kc_tasks():\n    return 5\n", "KC0601"),
    "workload twice": (MORE_WORKLOADS.format(change=""), "KC0602"),
    "other target": (MORE_WORKLOADS.format(change='target="toi"'), "KC0602"),
    "no workload": ("@hookimpl\ndef kc_workloads(target):\n    return [5]\n", "KC0602"),
    "no such task": (MORE_WORKLOADS.format(change='task="trible"'), "KC0605"),
    "unknown flag": (MORE_WORKLOADS.format(change='config="C9", flags={"a": 1}'), "KC0605"),
    "unknown family": (MORE_WORKLOADS.format(change='config="C9", families=("standard", "x")'), "KC0605"),
    "no standard family": (MORE_WORKLOADS.format(change='config="C9", families=("large",)'), "KC0605"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_does_not_fit_is_refused(opened: Callable[[str], Catalogue], name: str) -> None:
    code, expected = BROKEN[name]
    with pytest.raises(EvaluationError) as error:
        opened(code).workloads("toy")
    assert error.value.code == expected


@pytest.mark.parametrize(
    ("target", "task", "config", "code", "hint"),
    [
        ("toi", "triple", "C1", "KC0305", "toy"),
        ("toy", "tripel", "C1", "KC0603", "triple"),
        ("toy", "triple", "C3", "KC0604", "C1, C2"),
    ],
)
def test_workload_unknown_name_says_what_there_is(target: str, task: str, config: str, code: str, hint: str) -> None:
    catalogue = Catalogue(load((), ["toy"]))
    with pytest.raises(KernelCraftError) as error:
        catalogue.workload(target, task, config)
    assert error.value.code == code
    assert hint in (error.value.diagnostics[0].hint or "")


def test_task_without_any_suite_says_so() -> None:
    with pytest.raises(EvaluationError) as error:
        Catalogue(load((), [])).task("silu")
    assert "no task suite" in (error.value.diagnostics[0].hint or "")


def test_kernels_first_is_the_baseline() -> None:
    catalogue = Catalogue(load((), ["toy"]))
    workload = catalogue.workload("toy", "triple", "C1")
    assert [k.kind for k in catalogue.kernels(workload)] == ["compiler", "expert", "published"]
    assert catalogue.kernel(workload).kind == "compiler"
    assert catalogue.kernel(workload, "expert").kind == "expert"
    with pytest.raises(EvaluationError) as error:
        catalogue.kernel(workload, "naive")
    assert error.value.code == "KC0607"


def test_kernels_of_one_kind_twice_are_refused(opened: Callable[[str], Catalogue]) -> None:
    code = """
@hookimpl(tryfirst=True)
def kc_targets():
    return [TargetInfo("two", "Two", "")]
@hookimpl
def kc_baseline_compiler(target):
    if target == "two":
        from kernelcraft_core.tasks import Kernel
        class C:
            def kernels(self, workload):
                return [Kernel("expert", str), Kernel("expert", str)]
        return C()
"""
    catalogue = opened(code)
    workload = catalogue.workload("toy", "triple", "C1")
    import attrs

    with pytest.raises(EvaluationError) as error:
        catalogue.kernels(attrs.evolve(workload, target="two"))
    assert error.value.code == "KC0607"


def test_select_empty_choice_means_all() -> None:
    catalogue = Catalogue(load((), ["toy"]))
    all_of_them = list(catalogue.workloads("toy").values())
    assert select(all_of_them, catalogue) == all_of_them
    assert [w.config for w in select(all_of_them, catalogue, ["triple"], [1], ["C2"])] == ["C2"]
    assert select(all_of_them, catalogue, levels=[2]) == []


@pytest.mark.parametrize("kernels", [lambda *a: 1 / 0, lambda *a: None, lambda *a: 5, lambda *a: sys.exit(3)])
def test_compiler_that_fails_is_explained(
    opened: Callable[[str], Catalogue], monkeypatch: pytest.MonkeyPatch, kernels: Any
) -> None:
    monkeypatch.setattr("kc_toy.tasks.Kernels.kernels", kernels)
    catalogue = opened(GOOD_SUITE)
    with pytest.raises(EvaluationError, match="triple/C1") as error:
        catalogue.kernels(catalogue.workload("toy", "triple", "C1"))
    assert error.value.code == "KC0607"


@pytest.mark.parametrize("body", ["1 / 0", "[5]", "None", "[Published('toy', 'triple', 'C1', 'm', 'x')]"])
def test_suite_whose_published_results_fail_is_named(opened: Callable[[str], Catalogue], body: str) -> None:
    change = GOOD_SUITE.replace("level=2),)", f"level=2),), published=lambda: {body}").replace(
        "Suite\n", "Suite, Published\n"
    )
    catalogue = opened(change)
    with pytest.raises(EvaluationError, match="others") as error:
        catalogue.published()
    assert error.value.code == "KC0601"
