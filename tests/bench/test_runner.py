"""Scoring a plan: what samples hold, processes, workers that die, and continuing a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from kernelcraft_core import plugins
from kernelcraft_core.bench import Settings, Workers, find_kernels, make_plan, resume, run, start
from kernelcraft_core.bench.record import git_revision, settings_of
from kernelcraft_core.diagnostics import KernelCraftError, ResultsError
from kernelcraft_core.results import RunFolder
from kernelcraft_core.tasks.catalogue import Catalogue

DIE = "os.kill(os.getpid(), signal.SIGKILL)"
DIE_ONCE = f"""
if not os.path.exists(MARK):
    open(MARK, 'w').close()
    {DIE}
""".strip()
FAIL = "if not os.path.exists(MARK): raise RuntimeError('no luck')"


def timeless(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in sample.items() if k not in ("seconds", "schema", "version")} for sample in samples]


def outcome(samples: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(s["config"], s["subject"]["kind"], s["status"]) for s in samples]


# --- samples ---------------------------------------------------------------------------------------------------------


def test_samples_come_in_the_order_of_the_plan_with_their_scores(bench: Any) -> None:
    _, path, samples = bench(kinds=("all",))
    assert outcome(samples) == [
        (config, kind, status)
        for config in ("C1", "C2")
        for kind, status in (("compiler", "passed"), ("expert", "passed"), ("published", "mismatch"))
    ]
    assert [s["speedup"] for s in samples[:3]] == [1.0, pytest.approx(35 / 22), None]
    assert [(s["cycles"], s["baseline_cycles"], s["baseline_kind"]) for s in samples[:2]] == [
        (35, 35, "compiler"),
        (22, 35, "compiler"),
    ]
    assert [s["expected"] for s in samples[:3]] == ["passed", "passed", "mismatch"]
    expert = samples[1]
    assert (expert["bound"]["cycles"], expert["bound_share"]) == (12, pytest.approx(12 / 22))
    assert (expert["level"], expert["suite"], expert["machine"]) == (1, {"name": "toys", "version": "1.0"}, "toy")
    assert expert["kernel"]["path"] == "kernels/expert/toy/triple/C1.asm"
    assert (path / expert["kernel"]["path"]).read_text().startswith("lui x1")
    assert len(expert["draws"]) == 2
    assert "comparison" not in expert["draws"][0]


def test_no_sample_tells_the_salt(bench: Any) -> None:
    _, path, _ = bench(salt="a-secret-salt")
    assert "a-secret-salt" in (path / "run.json").read_text()
    assert b"a-secret-salt" not in (path / "samples.jsonl").read_bytes()


def test_record_names_everything_that_a_score_depends_on(bench: Any) -> None:
    plan, path, _ = bench(draws=3, overrides={"LOAD_CYCLES": "4"})
    record = json.loads((path / "run.json").read_text())
    (setup,) = record["targets"]["toy"]
    assert setup["machine"]["values"]["LOAD_CYCLES"] == 4
    assert len(setup["isa_digest"]) == 64
    assert (record["suites"], record["model"], record["plugins"]) == ({"toys": "1.0"}, None, {"toy": "0.1.0"})
    assert (record["settings"]["draws"], record["settings"]["salt"]) == (3, "salt")
    assert [cell["id"] for cell in record["cells"]] == [cell.id for cell in plan.cells]
    assert record["cells"][0]["limits"]["instructions"] == 100_000
    assert {"git", "python", "started", "version", "schema", "skipped"} <= set(record)


def test_same_salt_gives_the_same_samples_and_another_one_other_families(bench: Any) -> None:
    first, second = (bench(name=name, kinds=("all",), draws=3)[2] for name in ("a", "b"))
    assert timeless(first) == timeless(second)
    families = {
        tuple(draw["family"] for draw in bench(name=f"s{salt}", configs=("C1",), salt=str(salt))[2][0]["draws"])
        for salt in range(8)
    }
    assert families == {("standard", "large"), ("standard", "negative")}


def test_two_processes_give_what_one_gives_in_the_same_order(bench: Any) -> None:
    _, one, first = bench(jobs=1, name="one", kinds=("all",))
    _, two, second = bench(jobs=2, name="two", kinds=("all",))
    assert timeless(first) == timeless(second)
    assert sorted(p.relative_to(one) for p in one.rglob("*.asm")) == sorted(
        p.relative_to(two) for p in two.rglob("*.asm")
    )
    for path in one.rglob("*.asm"):
        assert path.read_bytes() == (two / path.relative_to(one)).read_bytes()


# --- given kernels ---------------------------------------------------------------------------------------------------


@pytest.fixture
def score(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Return a function that scores kernels by configuration as given ones."""

    def go(**kernels: bytes) -> list[dict[str, Any]]:
        for config, source in kernels.items():
            path = tmp_path / "mine" / "toy" / "triple" / f"{config}.asm"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source)
        catalogue = Catalogue(plugins.registry())
        known = [("toy", "triple", config) for config in ("C1", "C2")]
        found = find_kernels(tmp_path / "mine", known)
        plan = make_plan(catalogue, Settings(given=True, salt="s"), tmp_path, found.kernels)
        with start(tmp_path / "run", plan, catalogue, {}) as folder:
            return run(plan, folder, Workers(catalogue))

    return go


def test_given_kernels_are_measured_by_the_baseline(score: Any, bench: Any) -> None:
    _, path, _ = bench(kinds=("expert",), name="experts")
    sources = {c: (path / f"kernels/toy/triple/{c}.asm").read_bytes() for c in ("C1", "C2")}
    samples = score(**sources)
    assert [(s["status"], s["cycles"], s["baseline_cycles"]) for s in samples] == [
        ("passed", 22, 35),
        ("passed", 162, 259),
    ]
    assert samples[0]["subject"] == {"kind": "given", "sha256": samples[0]["kernel"]["sha256"]}
    assert samples[0]["kernel"]["path"] == "kernels/toy/triple/C1.asm"


@pytest.mark.parametrize(
    ("source", "status", "code"),
    [
        (b"halt", "mismatch", None),
        (b"", "trap", "KC0401"),
        (b"frobnicate x1\n", "syntax_error", "KC0201"),
        (b"\xff\xfe\x80 halt", "syntax_error", "KC0211"),
        (b"halt\0", "syntax_error", "KC0210"),
        (b"lw x1, 3(x0)\nhalt", "trap", "KC0401"),
        (b"here: jal x0, here\n", "limit", None),
    ],
)
def test_wrong_given_kernel_has_its_status_and_finding(score: Any, source: bytes, status: str, code: str) -> None:
    (sample,) = score(C1=source)
    assert sample["status"] == status
    codes = [d["code"] for d in sample["diagnostics"] if d["severity"] == "error"]
    assert codes[:1] == ([code] if code else codes[:1])
    assert (sample["speedup"], sample["bound_share"]) == (None, None)


def test_workload_without_a_given_kernel_is_skipped(score: Any, tmp_path: Path) -> None:
    assert [s["config"] for s in score(C2=b"halt")] == ["C2"]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["skipped"] == [["toy", "triple", "C1", "given"]]


def test_huge_given_kernel_is_a_syntax_error_and_stays_one_on_resume(
    score: Any, again: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kernelcraft_core.bench import given

    monkeypatch.setattr(given, "MAX_BYTES", 4)
    samples = score(C1=b"halt", C2=b"halt\n")
    assert [s["status"] for s in samples] == ["mismatch", "syntax_error"]
    assert (samples[1]["diagnostics"][0]["code"], samples[1]["kernel"]) == ("KC0624", None)
    drop_samples(tmp_path / "run", keep=1)
    assert timeless(again(tmp_path / "run")) == timeless(samples)


def test_given_kernels_of_a_run_do_not_depend_on_their_folder(score: Any, again: Any, tmp_path: Path) -> None:
    samples = score(C1=b"halt", C2=b"lw x1, 0(x0)\nhalt")
    (tmp_path / "mine" / "toy" / "triple" / "C1.asm").write_bytes(b"nonsense")
    (tmp_path / "mine" / "toy" / "triple" / "C2.asm").unlink()
    drop_samples(tmp_path / "run", keep=0)
    assert timeless(again(tmp_path / "run")) == timeless(samples)


def test_given_kernel_changed_inside_the_run_is_no_score(score: Any, again: Any, tmp_path: Path) -> None:
    score(C1=b"halt")
    drop_samples(tmp_path / "run", keep=0)
    (tmp_path / "run" / "kernels" / "toy" / "triple" / "C1.asm").write_bytes(b"halt\n")
    (sample,) = again(tmp_path / "run")
    assert (sample["status"], sample["diagnostics"][0]["code"]) == ("harness_error", "KC0622")


# --- resume ----------------------------------------------------------------------------------------------------------


def drop_samples(path: Path, keep: int) -> None:
    lines = (path / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (path / "samples.jsonl").write_bytes(b"".join(lines[:keep]))


@pytest.mark.parametrize("jobs", [1, 2])
def test_resume_runs_exactly_what_is_missing(bench: Any, again: Any, jobs: int) -> None:
    plan, path, samples = bench(kinds=("all",))
    for keep in (0, 2, 5, 6) if jobs == 1 else (3,):
        drop_samples(path, keep)
        seen: list[Mapping[str, Any]] = []
        assert timeless(again(path, jobs=jobs, seen=seen)) == timeless(samples)
        assert {s["id"] for s in seen} == {cell.id for cell in plan.cells[keep:]}
        assert len(seen) == len(plan.cells) - keep


def test_harness_error_is_run_again_on_resume(bench: Any, again: Any, plugin: Any, tmp_path: Path) -> None:
    file = plugin(FAIL)
    _, path, samples = bench(files=(file,))
    assert outcome(samples)[0] == ("C0", "compiler", "harness_error")
    assert "no luck" in samples[0]["diagnostics"][0]["message"]
    assert outcome(again(path, files=(file,)))[0] == ("C0", "compiler", "harness_error")
    (tmp_path / "mark").touch()
    seen: list[Mapping[str, Any]] = []
    assert outcome(again(path, files=(file,), seen=seen))[0] == ("C0", "compiler", "passed")
    assert [s["config"] for s in seen] == ["C0"]
    lines = [(s["config"], s["status"]) for s in RunFolder.open(path).samples() if s["config"] == "C0"]
    assert lines == [("C0", "harness_error"), ("C0", "harness_error"), ("C0", "passed")]


def edit(path: Path, *keys: Any, value: Any) -> None:
    record = json.loads((path / "run.json").read_text())
    inner = record
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    (path / "run.json").write_text(json.dumps(record))


@pytest.mark.parametrize(
    ("keys", "value", "reason"),
    [
        (("targets", "toy", 0, "isa_digest"), "00", "toy has another ISA"),
        (("targets", "toy", 0, "machine", "values", "LOAD_CYCLES"), 9, "toy has another machine"),
        (("targets", "toy", 0, "extensions"), ["X"], "toy has another set of extensions"),
        (("targets", "toy"), [], "toy has another set of machines"),
        (("suites", "toys"), "0.9", "suite toys was 0.9 and is 1.0"),
        (("plugins", "toy"), "0.0.1", "the plug-in of toy was 0.0.1 and is 0.1.0"),
        (("version",), "0.0.1", "kernelcraft-core was 0.0.1"),
        (("cells", 0, "id"), "0" * 16, "workloads or kernels are not the same"),
        (("cells", 0, "limits", "instructions"), 5, "workloads or kernels are not the same"),
    ],
)
def test_resume_refuses_when_something_else_is_installed(
    bench: Any, again: Any, keys: tuple[Any, ...], value: Any, reason: str
) -> None:
    _, path, _ = bench()
    edit(path, *keys, value=value)
    before = (path / "samples.jsonl").read_bytes()
    with pytest.raises(ResultsError) as info:
        again(path)
    assert info.value.code == "KC0803"
    assert reason in str(info.value)
    assert (path / "samples.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("settings",), None),
        (("settings",), {}),
        (("settings", "draws"), "2"),
        (("settings", "salt"), 5),
        (("settings", "targets"), [1]),
        (("settings", "kinds"), "all"),
        (("settings", "overrides"), []),
        (("settings", "given"), 1),
    ],
)
def test_resume_refuses_settings_it_cannot_read(bench: Any, again: Any, keys: tuple[Any, ...], value: Any) -> None:
    _, path, _ = bench(configs=("C1",))
    edit(path, *keys, value=value)
    with pytest.raises(KernelCraftError, match="KC0801"):
        again(path)


def test_settings_survive_the_record(bench: Any, tmp_path: Path) -> None:
    wanted = {"kinds": ("expert", "compiler"), "levels": (1, 2), "overrides": {"MUL_CYCLES": "2", "LOAD_CYCLES": "1"}}
    plan, path, _ = bench(**wanted)
    folder = RunFolder.open(path)
    assert settings_of(folder) == plan.settings
    assert attrs.asdict(resume(folder, Catalogue(plugins.registry()))) == attrs.asdict(plan)


def test_git_revision_is_a_commit_or_nothing() -> None:
    found = git_revision()
    assert found is None or (len(found["revision"]) == 40 and found["changed"] in (True, False))


# --- workers that die ------------------------------------------------------------------------------------------------


def test_worker_that_dies_costs_its_own_cell_only(bench: Any, plugin: Any) -> None:
    _, path, samples = bench(jobs=2, files=(plugin(DIE),))
    assert outcome(samples) == [
        ("C0", "compiler", "harness_error"),
        ("C1", "compiler", "passed"),
        ("C2", "compiler", "passed"),
    ]
    assert samples[0]["diagnostics"][0]["code"] == "KC0625"
    assert len(list(RunFolder.open(path).samples())) == 3


def test_worker_that_dies_once_costs_nothing(bench: Any, plugin: Any, tmp_path: Path) -> None:
    _, _, samples = bench(jobs=2, files=(plugin(DIE_ONCE),), kinds=("all",))
    assert (tmp_path / "mark").exists()
    assert [s["status"] for s in samples] == ["passed", "passed", "mismatch"] * 3


def test_plugin_that_is_gone_in_the_workers_gives_harness_errors(bench: Any, plugin: Any, tmp_path: Path) -> None:
    file = plugin("pass")
    text = file.read_text()
    file.write_text(f"import multiprocessing\nif multiprocessing.parent_process(): raise OSError\n{text}")
    _, _, samples = bench(jobs=2, files=(file,))
    assert outcome(samples)[0] == ("C0", "compiler", "harness_error")
    assert [s["status"] for s in samples[1:]] == ["passed", "passed"]
