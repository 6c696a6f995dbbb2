"""Which cells a selection makes, and what kernels a folder holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.bench import Plan, Settings, find_kernels, given, make_plan
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, KernelCraftError
from kernelcraft_core.tasks.catalogue import Catalogue

KNOWN = [("toy", "triple", "C1"), ("toy", "triple", "C2"), ("other", "triple", "C1")]


def cells(plan: Plan) -> list[tuple[str, str, str]]:
    return [(cell.task, cell.config, cell.kind) for cell in plan.cells]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("baseline",), ["compiler"]),
        (("compiler",), ["compiler"]),
        (("expert",), ["expert"]),
        (("all",), ["compiler", "expert", "published"]),
        (("published", "baseline"), ["published", "compiler"]),
        (("baseline", "compiler", "all"), ["compiler", "expert", "published"]),
    ],
)
def test_kinds_make_one_cell_each_per_workload(
    catalogue: Catalogue, tmp_path: Path, kinds: tuple[str, ...], expected: list[str]
) -> None:
    plan = make_plan(catalogue, Settings(kinds=kinds), tmp_path)
    assert cells(plan) == [("triple", config, kind) for config in ("C1", "C2") for kind in expected]
    assert len({cell.id for cell in plan.cells}) == len(plan.cells)
    assert len({cell.kernel for cell in plan.cells}) == len(plan.cells)
    layered = len(kinds) > 1 or kinds == ("all",)
    assert all(cell.kernel.startswith(f"{cell.kind}/toy/" if layered else "toy/triple/C") for cell in plan.cells)
    assert [cell.passes for cell in plan.cells if cell.kind == "published"] == [False] * expected.count("published") * 2


def test_baseline_has_the_id_of_the_kind_it_is(catalogue: Catalogue, tmp_path: Path) -> None:
    first, second = (make_plan(catalogue, Settings(kinds=(kind,)), tmp_path) for kind in ("baseline", "compiler"))
    assert [cell.id for cell in first.cells] == [cell.id for cell in second.cells]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({}, ["C1", "C2"]), ({"configs": ("C2",)}, ["C2"]), ({"tasks": ("triple",), "levels": (1, 3)}, ["C1", "C2"])],
)
def test_selection_picks_workloads(
    catalogue: Catalogue, tmp_path: Path, settings: dict[str, Any], expected: list[str]
) -> None:
    assert [cell.config for cell in make_plan(catalogue, Settings(**settings), tmp_path).cells] == expected


@pytest.mark.parametrize(
    ("settings", "code", "hint"),
    [
        ({"targets": ("toi",)}, "KC0305", "did you mean toy?"),
        ({"tasks": ("triplex",)}, "KC0603", "did you mean triple?"),
        ({"configs": ("C3",)}, "KC0620", "C1"),
        ({"configs": ("X",)}, "KC0620", "configurations: C1, C2"),
        ({"levels": (3,)}, "KC0620", None),
        ({"kinds": ("exprt",)}, "KC0621", "did you mean expert?"),
        ({"kinds": ("naive",)}, "KC0621", None),
        ({"overrides": {"LOAD_CYCLE": "1"}}, "KC0501", "LOAD_CYCLES"),
        ({"overrides": {"LOAD_CYCLES": "x"}}, "KC0502", None),
        ({"extensions": ("Xno",)}, "KC0153", "known: none"),
    ],
)
def test_words_that_mean_nothing_are_refused_with_a_hint(
    catalogue: Catalogue, tmp_path: Path, settings: dict[str, Any], code: str, hint: str | None
) -> None:
    with pytest.raises(KernelCraftError) as info:
        make_plan(catalogue, Settings(**settings), tmp_path)
    finding = info.value.diagnostics[0]
    assert finding.code == code
    assert hint is None or hint in str(finding.hint)


def test_target_with_wrong_workloads_stops_only_those_who_name_it(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workloads = Catalogue.workloads

    def broken(self: Catalogue, target: str) -> Any:
        if target == "broken":
            raise EvaluationError(Diagnostic("KC0605", "broken: workload x/C1: no suite has the task 'x'"))
        return workloads(self, target)

    monkeypatch.setattr(Catalogue, "workloads", broken)
    targets = {**catalogue.registry.targets, "broken": catalogue.registry.targets["toy"]}
    monkeypatch.setattr(catalogue.registry, "targets", targets)
    plan = make_plan(catalogue, Settings(), tmp_path)
    assert [cell.target for cell in plan.cells] == ["toy", "toy"]
    assert [(f.code, f.severity) for f in plan.findings] == [("KC0605", "warning")]
    with pytest.raises(EvaluationError, match="KC0605"):
        make_plan(catalogue, Settings(targets=("toy", "broken")), tmp_path)


def test_workloads_without_a_kernel_of_the_kind_are_listed(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = catalogue.kernels
    monkeypatch.setattr(
        Catalogue, "kernels", lambda self, w: [k for k in kernels(w) if (w.config, k.kind) != ("C1", "expert")]
    )
    plan = make_plan(catalogue, Settings(kinds=("expert",)), tmp_path)
    assert cells(plan) == [("triple", "C2", "expert")]
    assert plan.skipped == (("toy", "triple", "C1", "expert"),)


def test_machine_parameters_change_setup_and_ids(catalogue: Catalogue, tmp_path: Path) -> None:
    plain = make_plan(catalogue, Settings(), tmp_path)
    changed = make_plan(catalogue, Settings(overrides={"LOAD_CYCLES": "5"}), tmp_path)
    assert changed.setups["toy"][0].values["LOAD_CYCLES"] == 5
    assert changed.setups["toy"][0].isa_digest == plain.setups["toy"][0].isa_digest
    assert not {cell.id for cell in plain.cells} & {cell.id for cell in changed.cells}


# --- folders of kernels ----------------------------------------------------------------------------------------------


def lay(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_asm", ".asm")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_kernels_are_found_by_workload_and_the_rest_is_warned_about(tmp_path: Path) -> None:
    lay(tmp_path, toy__triple__C1_asm="halt", other__triple__C1_asm="halt", toy__triple__c2_asm="x", notes="x")
    lay(tmp_path, **{".hidden": "x", ".git__config": "x"})
    found = find_kernels(tmp_path, KNOWN)
    assert sorted(found.kernels) == [("other", "triple", "C1"), ("toy", "triple", "C1")]
    assert [(f.code, f.severity) for f in found.findings] == [("KC0623", "warning")] * 2
    assert "notes belongs to no workload" in found.findings[0].message
    assert found.findings[1].hint is not None
    assert "toy/triple/C2.asm" in found.findings[1].hint


def test_many_strange_files_make_twenty_warnings(tmp_path: Path) -> None:
    lay(tmp_path, toy__triple__C1_asm="halt", **{f"file{i}": "" for i in range(100)})
    findings = find_kernels(tmp_path, KNOWN).findings
    assert len(findings) == 20
    assert findings[-1].message == "81 more files belong to no workload"


@pytest.mark.parametrize(
    ("files", "hint"),
    [
        ({}, "<target>/<task>/<config>.asm"),
        ({"triple__C1_asm": "halt"}, "<target>/<task>/<config>.asm"),
        ({"expert__toy__triple__C1_asm": "halt", "naive__toy__triple__C1_asm": "x"}, "folders in it: expert, naive"),
    ],
)
def test_folder_without_kernels_is_refused_with_a_hint(tmp_path: Path, files: dict[str, str], hint: str) -> None:
    lay(tmp_path / "k", **files)
    (tmp_path / "k").mkdir(exist_ok=True)
    with pytest.raises(EvaluationError) as info:
        find_kernels(tmp_path / "k", KNOWN)
    assert info.value.code == "KC0622"
    assert hint in str(info.value.diagnostics[0].hint)


def test_places_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    lay(tmp_path, file="x")
    lay(tmp_path / "k", toy__triple__C1_asm="halt")
    os.mkfifo(tmp_path / "k" / "toy" / "triple" / "C2.asm")
    (tmp_path / "link" / "toy" / "triple").mkdir(parents=True)
    (tmp_path / "link" / "toy" / "triple" / "C1.asm").symlink_to("nowhere")
    for folder in ("file", "missing", "k", "link"):
        with pytest.raises(EvaluationError, match="KC0622"):
            find_kernels(tmp_path / folder, KNOWN)


def test_file_that_changes_after_it_was_found_is_refused(tmp_path: Path) -> None:
    lay(tmp_path, toy__triple__C1_asm="halt")
    kernel = find_kernels(tmp_path, KNOWN).kernels["toy", "triple", "C1"]
    assert kernel.read() == b"halt"
    lay(tmp_path, toy__triple__C1_asm="halt\n")
    with pytest.raises(EvaluationError, match="KC0622"):
        kernel.read()


def test_huge_file_is_found_with_its_problem_and_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "MAX_BYTES", 4)
    lay(tmp_path, toy__triple__C1_asm="halt", toy__triple__C2_asm="halt\n")
    found = find_kernels(tmp_path, KNOWN).kernels
    assert found["toy", "triple", "C1"].problem is None
    problem = found["toy", "triple", "C2"].problem
    assert problem is not None
    assert problem.code == "KC0624"
