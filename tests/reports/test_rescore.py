"""`kc rescore` on the toy target: new scores of the same kernels, beside samples that stay as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from kernelcraft_core.results import RunFolder, load, scores_of

Kc = Callable[..., Result]
WRONG = "lui x1, 1\nlw x3, 0(x1)\nsw x3, 1024(x1)\nhalt\n"


@pytest.fixture
def run(kc: Kc, tmp_path: Path) -> Path:
    """Return a run of all kinds of kernels."""
    path = tmp_path / "run"
    kc("bench", "--jobs", "1", "--kind", "all", "--seed", "first", "--out", str(path))
    return path


@pytest.fixture
def rescore(kc: Kc, run: Path) -> Kc:
    """Return a function that rescores the run in this process."""

    def go(*options: str, exit_code: int = 0) -> Result:
        return kc("rescore", str(run), "--jobs", "1", *options, exit_code=exit_code)

    return go


def content(path: Path) -> dict[str, bytes]:
    """Return the files of a folder but for its rescorings."""
    names = {file: file.relative_to(path) for file in path.rglob("*") if file.is_file()}
    return {str(name): file.read_bytes() for file, name in names.items() if name.parts[0] != "scores"}


def add(path: Path, **changes: Any) -> dict[str, Any]:
    """Append a sample to a run: its first one, changed."""
    with RunFolder.resume(path) as folder:
        sample = {**next(iter(folder.samples())), **changes}
        folder.append(sample)
    return sample


def test_rescoring_stands_beside_the_run_which_stays_as_it_was(rescore: Kc, run: Path) -> None:
    before = content(run)
    text = rescore("--scores", "again").stdout
    assert content(run) == before
    assert text.splitlines() == [
        "passed 4 of 6 (0 harness errors, 2 known to be wrong)",
        f"details: kc report {run} --scores again",
    ]
    was, now = load(run), load(run, "again")
    assert [s["id"] for s in now.samples] == [s["id"] for s in was.samples]
    assert [s["cycles"] for s in now.samples] == [s["cycles"] for s in was.samples]
    assert [s["kernel"] for s in now.samples] == [s["kernel"] for s in was.samples]
    settings = now.record["settings"]
    assert (settings["secret"], len(settings["salt"]), settings["draws"]) == (True, 32, 2)
    assert settings["salt"] not in text


def test_inputs_are_other_ones_and_repeat_with_their_seed(rescore: Kc, run: Path) -> None:
    for name, seed in (("same", "first"), ("other", "x"), ("once-more", "x")):
        rescore("--scores", name, "--seed", seed, "--draws", "4")
    scores = {n: [[*s["worst"], *s["draws"]] for s in load(run, n).samples] for n in scores_of(run)}
    assert scores["other"] == scores["once-more"] != scores["same"]
    assert [len(s["draws"]) for s in load(run, "other").samples if s["status"] == "passed"] == [4] * 4


def test_same_seed_continues_its_rescoring_and_a_secret_one_begins_another(rescore: Kc, run: Path) -> None:
    for _ in range(2):
        rescore("--seed", "x")
    assert len(scores_of(run)) == 1
    rescore("--seed", "x", "--draws", "3")
    rescore()
    rescore()
    assert len(scores_of(run)) == 4


def test_broken_off_rescoring_is_continued_without_scoring_twice(rescore: Kc, run: Path) -> None:
    rescore("--scores", "a", "--seed", "x")
    file = run / "scores" / "a" / "samples.jsonl"
    whole = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(whole[:2]) + whole[2][:50])
    rescore("--scores", "a")
    found = file.read_bytes().splitlines(keepends=True)
    assert found[:2] == whole[:2]
    strip = [[{**json.loads(line), "seconds": 0} for line in lines] for lines in (found, whole)]
    assert strip[0] == strip[1]


@pytest.mark.parametrize("options", [["--draws", "5"], ["--seed", "y"], ["--set", "LOAD_CYCLES=9"]])
def test_rescoring_is_not_continued_with_other_settings(rescore: Kc, options: list[str]) -> None:
    rescore("--scores", "a", "--seed", "x", "--draws", "3")
    result = rescore("--scores", "a", *options, exit_code=2)
    assert "KC0837" in result.stderr
    assert options[0] in result.stderr
    rescore("--scores", "a", "--seed", "x", "--draws", "3")


def test_changed_machine_is_recorded_and_not_compared_by_accident(kc: Kc, rescore: Kc, run: Path) -> None:
    rescore("--scores", "slow", "--set", "LOAD_CYCLES=5")
    now = load(run, "slow")
    assert now.record["targets"]["toy"][0]["machine"]["values"]["LOAD_CYCLES"] == 5
    assert now.record["settings"]["overrides"] == {"LOAD_CYCLES": "5"}
    sides = [str(run), str(run / "scores" / "slow"), "--subject", "expert"]
    assert "LOAD_CYCLES" in kc("compare", *sides, exit_code=2).stderr
    assert json.loads(kc("compare", *sides, "--force", "--json").stdout)["cycles"]["ratio_geomean"] < 1


def test_changed_verdict_is_named_and_ends_with_1(rescore: Kc, run: Path) -> None:
    kernel = next(s for s in load(run).samples if s["subject"]["kind"] == "published")["kernel"]
    sample = add(run, id="lucky", status="passed", kernel=kernel, repeat=1)
    result = rescore("--scores", "a", exit_code=1)
    assert f"toy triple/{sample['config']} #1: passed -> mismatch" in result.stdout
    entry = json.loads(rescore("--scores", "a", "--json", exit_code=1).stdout)
    assert (entry["schema"], entry["ok"], entry["scores"]) == ("kc.rescore/1", False, "a")
    assert [(c["id"], c["before"], c["after"]) for c in entry["changed"]] == [("lucky", "passed", "mismatch")]


def test_rescoring_is_not_continued_as_a_run(kc: Kc, rescore: Kc, run: Path) -> None:
    rescore("--scores", "a")
    before = content(run / "scores" / "a")
    result = kc("bench", "--resume", str(run / "scores" / "a"), "--jobs", "1", exit_code=2)
    assert "KC0803" in result.stderr
    assert "`kc rescore` continues" in result.stderr
    assert content(run / "scores" / "a") == before


def test_report_of_a_rescoring_shows_its_scores(kc: Kc, rescore: Kc, run: Path) -> None:
    rescore("--scores", "a", "--draws", "3")
    text = kc("report", str(run), "--scores", "a").stdout
    assert f"{run}, rescored as a" in text
    assert "3 draws, secret" in text
    assert "geomean 1.59 over 2 of 2 passed" in text


# --- models ----------------------------------------------------------------------------------------------------------


def test_models_sample_keeps_its_episode_and_one_without_a_kernel_its_score(rescore: Kc, run: Path, make: Any) -> None:
    who = make.model("m")
    (run / "kernels" / "m.asm").write_text(WRONG)
    import hashlib

    kernel = {"path": "kernels/m.asm", "sha256": hashlib.sha256(WRONG.encode()).hexdigest()}
    add(run, id="a", subject=who, repeat=2, status="mismatch", kernel=kernel, agent=make.agent(failure="functional"))
    add(run, id="b", subject=who, repeat=3, status="syntax_error", kernel=None, agent=make.agent(failure="no_kernel"))
    add(run, id="c", subject=who, repeat=4, status="harness_error", kernel=kernel, agent=make.agent(failure="provider"))
    add(run, id="d", subject=who, repeat=5, status="harness_error", kernel=None, agent=None)
    rescore("--scores", "x")
    found = {s["id"]: s for s in load(run, "x").samples}
    assert (found["a"]["status"], found["a"]["repeat"], found["a"]["subject"]) == ("mismatch", 2, who)
    assert found["a"]["agent"]["tool_calls"] == make.agent()["tool_calls"]
    assert (found["b"]["status"], found["b"]["agent"]["failure"]) == ("syntax_error", "no_kernel")
    assert not {"c", "d"} & found.keys()
    rescore("--scores", "x")
    assert len(list(RunFolder.open(run / "scores" / "x").samples())) == 8


# --- what is wrong ---------------------------------------------------------------------------------------------------


def test_kernel_that_is_gone_or_changed_is_a_harness_error_of_its_own_sample(rescore: Kc, run: Path) -> None:
    samples = load(run).samples
    (run / samples[0]["kernel"]["path"]).unlink()
    (run / samples[1]["kernel"]["path"]).write_text("halt\n")
    rescore("--scores", "a", exit_code=1)
    found = load(run, "a").samples
    assert [s["status"] for s in found[:2]] == ["harness_error", "harness_error"]
    assert [s["diagnostics"][0]["code"] for s in found[:2]] == ["KC0622", "KC0622"]
    assert sum(s["status"] == "passed" for s in found) == 2


@pytest.mark.parametrize(
    "path", ["../outside.asm", "/etc/passwd", "run.json", "kernels/../run.json", "kernels/link.asm"]
)
def test_kernel_outside_of_the_run_is_not_read(rescore: Kc, run: Path, path: str) -> None:
    (run.parent / "outside.asm").write_text("halt\n")
    (run / "kernels" / "link.asm").symlink_to(run.parent / "outside.asm")
    add(run, id="x", repeat=1, kernel={"path": path, "sha256": "0" * 64})
    result = rescore("--scores", "a")
    assert "warning[KC0836]" in result.stderr
    assert "x" not in {s["id"] for s in load(run, "a").samples}


def test_task_that_is_not_installed_is_a_warning_and_the_rest_is_scored(rescore: Kc, run: Path) -> None:
    add(run, id="x", task="nothing", repeat=1)
    result = rescore("--scores", "a")
    assert "warning[KC0603]" in result.stderr
    assert len(load(run, "a").samples) == 6


def test_run_without_kernels_and_wrong_names_are_refused(kc: Kc, rescore: Kc, write_run: Any, make: Any) -> None:
    path = str(write_run([make.sample("silu", "C1")], name="empty"))
    assert "KC0838" in kc("rescore", path, exit_code=2).stderr
    for name in ("../x", "a/b", ".hidden", ""):
        assert "KC0831" in rescore("--scores", name, exit_code=2).stderr


def test_two_processes_score_the_same(kc: Kc, run: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        kc("rescore", str(run), "--jobs", jobs, "--seed", "x", "--scores", name)
    one, two = ([{**s, "seconds": 0} for s in load(run, name).samples] for name in ("one", "two"))
    assert one == two


def test_rescoring_with_another_tolerance_changes_what_passes(kc: Kc, rescore: Kc, run: Path, tmp_path: Path) -> None:
    """Off by one in one element: wrong on integers, right when a difference of 1 is allowed."""
    folder = tmp_path / "kernels" / "toy" / "triple"
    folder.mkdir(parents=True)
    lines = ["lui x1, 1"]
    for i in range(4):
        lines += [f"lw x3, {4 * i}(x1)", "add x4, x3, x3", "add x4, x4, x3", f"sw x4, {1024 + 4 * i}(x1)"]
    lines.insert(4, "addi x4, x4, 1")
    (folder / "C1.asm").write_text("\n".join([*lines, "halt"]))
    near = tmp_path / "near"
    kc("bench", "--jobs", "1", "--kernels", str(tmp_path / "kernels"), "--out", str(near), exit_code=1)
    result = kc("rescore", str(near), "--jobs", "1", "--scores", "loose", "--atol", "1", exit_code=1)
    assert "mismatch -> passed" in result.stdout
    assert kc("rescore", str(near), "--jobs", "1", "--scores", "same", "--atol", "0").stdout.startswith("passed 0 of 1")
    assert "KC0837" in kc("rescore", str(near), "--scores", "loose", "--atol", "2", exit_code=2).stderr
    assert load(near, "loose").samples[0]["status"] == "passed"


def test_rescoring_with_a_tolerance_that_null_results_pass_is_an_error_of_ours(rescore: Kc, run: Path) -> None:
    rescore("--scores", "open", "--atol", "1e10", exit_code=1)
    assert {s["status"] for s in load(run, "open").samples} == {"harness_error"}


@pytest.mark.parametrize("value", ["-1", "nan", "x"])
def test_rescoring_with_no_tolerance_at_all_is_wrong_use(rescore: Kc, value: str) -> None:
    rescore("--atol", value, exit_code=2)
