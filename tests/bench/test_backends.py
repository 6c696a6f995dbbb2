"""Back ends other than the core's: scores state them, and nothing of one meets anything of another in a ratio."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from kernelcraft_core import plugins
from kernelcraft_core.bench import Settings, make_plan
from kernelcraft_core.bench.record import settings_of
from kernelcraft_core.bench.scoring import Scorer
from kernelcraft_core.results import RunFolder
from kernelcraft_core.tasks.catalogue import Catalogue

Kc = Callable[..., Result]

PLUGIN = '''
"""A back end `slow` of the toy target that takes twice the cycles and refuses to be strict."""

import attrs

from kernelcraft_core import hookimpl

KC_API = 1


class Slow:
    build = "{build}"

    def __init__(self, isa, machine):
        self.isa, self.machine = isa, machine

    def run(self, program, state=None, limits=None, *, strict=False, **options):
        from kernelcraft_core.sim import Simulator

        if strict:
            raise ValueError("it cannot be strict")
        result = Simulator(self.isa, self.machine).run(program, state, limits, **options)
        return attrs.evolve(result, cycles=2 * result.cycles, instret=0)


@hookimpl
def kc_simulator(target, isa, machine, backend):
    return Slow(isa, machine) if (target, backend) == ("toy", "slow") else None
'''


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that installs a build of the back end `slow`."""

    def install(name: str) -> None:
        path = tmp_path / f"slow_{name}.py"
        path.write_text(PLUGIN.format(build=name))
        monkeypatch.setenv("KERNELCRAFT_PLUGIN_FILES", str(path))

    return install


@pytest.fixture
def bench(kc: Kc, build: Callable[[str], None], tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that runs `kc bench` on the toy target; it gives the summary with its samples."""
    build("b1")

    def run(name: str, *args: str, exit_code: int = 0) -> dict[str, Any]:
        out = ("--seed", "demo", "--out", str(tmp_path / name))
        entry: dict[str, Any] = json.loads(
            kc("bench", "--jobs", "1", *out, *args, "--json", exit_code=exit_code).stdout
        )
        return entry

    return run


def record(path: Path) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads((path / "run.json").read_text())
    return entry


# --- scores ----------------------------------------------------------------------------------------------------------


def test_kernel_and_baseline_run_on_the_back_end_that_is_named(bench: Any) -> None:
    core, slow = (bench(name, "--kind", "all", "--backend", name)["samples"] for name in ("core", "slow"))
    passed = [(a, b) for a, b in zip(core, slow, strict=True) if a["status"] == "passed"]
    assert passed
    for a, b in passed:
        assert (b["cycles"], b["baseline_cycles"]) == (2 * a["cycles"], 2 * a["baseline_cycles"])
        assert b["speedup"] == a["speedup"]
    assert {s["backend"] for s in core} == {"core"}
    assert {s["backend"] for s in slow} == {"slow@b1"}


def test_samples_of_other_back_ends_have_other_ids_and_those_of_the_core_theirs(bench: Any, tmp_path: Path) -> None:
    ids = [{s["id"] for s in bench(*args)["samples"]} for args in (("none",), ("core", "--backend", "core"))]
    assert ids[0] == ids[1]
    assert not ids[0] & {s["id"] for s in bench("slow", "--backend", "slow")["samples"]}
    setups = {name: record(tmp_path / name)["targets"]["toy"] for name in ("core", "slow")}
    assert [setup.get("backend") for setup in setups["core"]] == [None]
    assert [setup.get("backend") for setup in setups["slow"]] == ["slow@b1"]


def test_kernel_that_does_not_assemble_states_its_back_end(bench: Any, tmp_path: Path) -> None:
    place = tmp_path / "given" / "toy" / "triple"
    place.mkdir(parents=True)
    (place / "C1.asm").write_bytes(b"\xff")
    (sample,) = bench("run", "--backend", "slow", "--kernels", str(tmp_path / "given"), exit_code=1)["samples"]
    assert (sample["status"], sample["backend"]) == ("syntax_error", "slow@b1")


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("bench", "--backend", "nosuch"), 3, "KC0306"),
        (("sim", "-", "--target", "toy", "--backend", "nosuch"), 3, "KC0306"),
        (("eval", "--target", "toy", "--task", "triple", "--config", "C1", "--kind", "compiler", "--backend", "x"), 3, "KC0306"),
        (("bench", "--backend", "slow", "--model", "scripted:demo"), 2, "not of models"),
        (("sim", "-", "--target", "toy", "--backend", "slow", "--profile"), 2, "--profile"),
        (("sim", "-", "--target", "toy", "--backend", "slow", "--dump-code", "x"), 2, "--dump-code"),
    ],
)  # fmt: skip
def test_back_end_that_cannot_be_had_is_an_error_and_nothing_else_runs(
    kc: Kc, build: Any, args: tuple[str, ...], code: int, words: str
) -> None:
    build("b1")
    result = kc(*args, exit_code=code, input="halt")
    assert words in result.stderr
    assert not result.stdout


def test_sim_and_eval_say_what_they_ran_on(kc: Kc, build: Any) -> None:
    build("b1")
    sim = ("sim", "-", "--target", "toy", "--backend")
    results = [json.loads(kc(*sim, name, "--json", input="halt").stdout) for name in ("core", "slow")]
    assert [r["backend"] for r in results] == ["core", "slow@b1"]
    assert results[1]["cycles"] == 2 * results[0]["cycles"]
    assert "back end  slow@b1" in kc(*sim, "slow", input="halt").stdout
    assert "back end" not in kc(*sim, "core", input="halt").stdout
    score = ("eval", "--target", "toy", "--task", "triple", "--config", "C1", "--kind", "expert", "--seed", "demo")
    found = [json.loads(kc(*score, *more, "--json").stdout) for more in ((), ("--backend", "slow"))]
    assert [s["backend"] for s in found] == ["core", "slow@b1"]
    assert found[0]["speedup"] == found[1]["speedup"]
    assert "slow@b1" in kc(*score, "--backend", "slow").stdout


# --- continuing, scoring again ---------------------------------------------------------------------------------------


def test_run_is_continued_on_its_own_back_end_only(kc: Kc, bench: Any, tmp_path: Path) -> None:
    run = tmp_path / "slow"
    samples = bench("slow", "--backend", "slow")["samples"]
    lines = (run / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (run / "samples.jsonl").write_bytes(b"".join(lines[:1]))
    refused = kc("bench", "--resume", str(run), "--backend", "core", exit_code=2)
    assert "KC0803" in refused.stderr
    assert "--backend" in refused.stderr
    again = json.loads(kc("bench", "--resume", str(run), "--jobs", "1", "--json").stdout)["samples"]
    assert [(s["id"], s["cycles"], s["backend"]) for s in again] == [
        (s["id"], s["cycles"], s["backend"]) for s in samples
    ]


def test_run_is_not_continued_with_another_build(kc: Kc, bench: Any, build: Any, tmp_path: Path) -> None:
    bench("slow", "--backend", "slow")
    build("b2")
    refused = kc("bench", "--resume", str(tmp_path / "slow"), exit_code=2)
    assert "KC0803" in refused.stderr
    assert "back end" in refused.stderr


def test_build_that_changes_under_a_run_gives_no_score(bench: Any, build: Any, tmp_path: Path) -> None:
    catalogue, settings = Catalogue(plugins.registry()), Settings(backend="slow", salt="s")
    cell = make_plan(catalogue, settings, tmp_path).cells[0]
    assert Scorer(catalogue, settings, tmp_path).score(cell).entry["status"] == "passed"
    build("b2")
    rebuilt = Scorer(Catalogue(plugins.registry()), settings, tmp_path).score(cell).entry
    assert (rebuilt["status"], rebuilt["diagnostics"][0]["code"]) == ("harness_error", "KC0803")


def test_record_written_before_there_were_back_ends_is_one_of_the_core(kc: Kc, bench: Any, tmp_path: Path) -> None:
    run = tmp_path / "old"
    bench("old")
    entry = record(run)
    del entry["settings"]["backend"]
    (run / "run.json").write_text(json.dumps(entry))
    samples = [json.loads(line) for line in (run / "samples.jsonl").read_text().splitlines()]
    old = [{key: value for key, value in sample.items() if key != "backend"} for sample in samples]
    (run / "samples.jsonl").write_text("".join(json.dumps(sample) + "\n" for sample in old))
    assert settings_of(RunFolder.open(run)).backend == "core"
    kc("bench", "--resume", str(run))
    bench("new")
    compared = json.loads(kc("compare", str(run), str(tmp_path / "new"), "--json").stdout)
    assert compared["cycles"]["ratio_geomean"] == 1.0


def test_rescoring_stays_on_the_back_end_of_the_run(kc: Kc, bench: Any, tmp_path: Path) -> None:
    run = tmp_path / "slow"
    bench("slow", "--backend", "slow")
    kc("rescore", str(run), "--seed", "other", "--scores", "again", "--jobs", "1")
    samples = [json.loads(line) for line in (run / "scores" / "again" / "samples.jsonl").read_text().splitlines()]
    assert {sample["backend"] for sample in samples} == {"slow@b1"}


# --- reports ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["slow", "rebuilt"])
def test_cycles_of_two_back_ends_never_make_a_ratio(kc: Kc, bench: Any, build: Any, tmp_path: Path, other: str) -> None:
    bench("first", "--backend", "slow")
    if other == "rebuilt":
        build("b2")
    bench("second", "--backend", "slow" if other == "rebuilt" else "core")
    pair = (str(tmp_path / "first"), str(tmp_path / "second"))
    refused = kc("compare", *pair, exit_code=2)
    assert "KC0834" in refused.stderr
    assert "back end" in refused.stderr
    forced = json.loads(kc("compare", *pair, "--force", "--json").stdout)
    assert (forced["cycles"]["pairs"], forced["cycles"]["ratio_geomean"]) == (0, None)
    assert {cell["ratio"] for cell in forced["cells"]} == {None}
    assert forced["success"]["both"] == len(forced["cells"]) > 0


def test_report_and_table_name_the_back_end(kc: Kc, bench: Any, tmp_path: Path) -> None:
    bench("slow", "--backend", "slow")
    bench("core")
    assert "back end slow@b1" in kc("report", str(tmp_path / "slow")).stdout
    assert "back end" not in kc("report", str(tmp_path / "core")).stdout
    assert "back end slow@b1" in kc("bench", "--backend", "slow", "--jobs", "1").stdout
