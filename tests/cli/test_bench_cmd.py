"""`kc bench` on the toy target, in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from kernelcraft_core.results import RunFolder

Kc = Callable[..., Result]

EXTENSION = """
schema = "kc.extension/1"
name = "Xfma"
extends = "toy"

[[instr]]
syntax = "fma rd:x, rs1:x, rs2:x"
encoding = "-{12} rs2 rs1 rd ---- 1001"
semantics = "x[rd] = x[rd] + x[rs1] * x[rs2]"
category = "mul"
unit = "alu"
"""


@pytest.fixture
def bench(kc: Kc) -> Kc:
    """Return a function that runs `kc bench` in one process."""

    def run(*args: str, exit_code: int = 0) -> Result:
        return kc("bench", "--jobs", "1", *args, exit_code=exit_code)

    return run


def summary(result: Result) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(result.stdout)
    return entry


# --- what comes out --------------------------------------------------------------------------------------------------


def test_without_options_the_baselines_of_all_targets_are_scored(bench: Kc) -> None:
    result = bench()
    assert result.stdout.splitlines() == [
        "toy (machine toy), compiler kernels: cycles, share of the lower bound",
        "",
        "                         C1        C2",
        "Level 1: primitive",
        "  Triple            35  34%  259  37%",
        "",
        "passed 2 of 2 (0 harness errors)",
    ]
    assert result.stderr == ""


def test_all_kinds_pass_because_the_wrong_one_is_known(bench: Kc) -> None:
    text = bench("--kind", "all", "--published").stdout
    assert "speedup 1.59 (geometric mean over 2 of 2)" in text
    assert "passed 0 of 2 (0 harness errors, 2 known to be wrong)" in text
    assert "<= 45" in text
    assert text.count("1 of 1 published cells at or below the best agent") == 2


def test_json_is_one_object_with_samples_and_totals(bench: Kc) -> None:
    entry = summary(bench("--kind", "baseline", "--kind", "published", "--config", "c1", "--published", "--json"))
    assert (entry["schema"], entry["version"], entry["ok"], entry["run"]) == ("kc.bench/1", "0.1.0", True, None)
    assert [(s["subject"]["kind"], s["status"]) for s in entry["samples"]] == [
        ("compiler", "passed"),
        ("published", "mismatch"),
    ]
    assert entry["totals"][0] == {
        "target": "toy",
        "kinds": ["compiler"],
        "total": 1,
        "passed": 1,
        "failed": 0,
        "harness_errors": 0,
        "known_wrong": 0,
        "speedup_geomean": 1.0,
        "speedup_count": 1,
        "published": [{"method": "the best agent", "reached": 1, "published": 1}],
    }
    assert entry["skipped"] == []


def test_jsonl_is_a_line_per_sample_and_the_summary(bench: Kc, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in bench("--jsonl", "--out", str(tmp_path / "r")).stdout.splitlines()]
    assert [line["schema"] for line in lines] == ["kc.sample/1", "kc.sample/1", "kc.bench/1"]
    assert "samples" not in lines[2]
    again = [json.loads(line) for line in bench("--jsonl", "--resume", str(tmp_path / "r")).stdout.splitlines()]
    assert again == lines


def test_json_and_jsonl_exclude_each_other(bench: Kc) -> None:
    assert "exclude each other" in bench("--json", "--jsonl", exit_code=2).output


def test_seed_repeats_a_run_and_without_one_each_run_is_secret(bench: Kc, tmp_path: Path) -> None:
    salts = []
    for name, seed in (("a", ["--seed", "x"]), ("b", ["--seed", "x"]), ("c", []), ("d", [])):
        bench(*seed, "--config", "C1", "--out", str(tmp_path / name))
        settings = RunFolder.open(tmp_path / name).record["settings"]
        assert settings["secret"] == (not seed)
        salts.append(settings["salt"])
    assert salts[:2] == ["x", "x"]
    assert len(set(salts[2:])) == 2
    assert all(len(salt) == 32 for salt in salts[2:])


def test_run_that_is_not_kept_leaves_nothing(bench: Kc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    bench()
    bench("--kernels", str(tmp_path / "missing"), exit_code=2)
    assert list(tmp_path.iterdir()) == []


# --- what is asked for wrongly ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "exit_code", "hint"),
    [
        (["--target", "toi"], "KC0305", 3, "did you mean toy?"),
        (["--task", "triplex"], "KC0603", 3, "did you mean triple?"),
        (["--config", "C7"], "KC0620", 3, "configurations: C1, C2"),
        (["--level", "2"], "KC0620", 3, ""),
        (["--kind", "compilr"], "KC0621", 3, "did you mean compiler?"),
        (["--set", "LOAD_CYCELS=1"], "KC0501", 2, "LOAD_CYCLES"),
        (["--extension", "Xnone"], "KC0153", 3, ""),
        (["--extension", "none.toml"], "KC0143", 2, ""),
        (["--kernels", "nowhere"], "KC0622", 2, ""),
        (["--resume", "nowhere"], "KC0801", 2, ""),
    ],
)
def test_wrong_words_are_findings_with_exit_codes(
    bench: Kc, args: list[str], code: str, exit_code: int, hint: str
) -> None:
    result = bench(*args, exit_code=exit_code)
    assert f"error[{code}]" in result.stderr
    assert hint in result.stderr
    assert result.stdout == ""
    entry = summary(bench(*args, "--json", exit_code=exit_code))
    assert (entry["ok"], entry["diagnostics"][0]["code"]) == (False, code)


@pytest.mark.parametrize(
    "args",
    [
        *(["--draws", "1"], ["--draws", "1001"], ["--jobs", "0"], ["--level", "4"], ["--set", "X"], ["extra"]),
        ["--kernels", ".", "--kind", "all"],
    ],
)
def test_impossible_options_are_usage_errors(bench: Kc, args: list[str]) -> None:
    bench(*args, exit_code=2)


def test_without_a_target_exit_code_is_three(bench: Kc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELCRAFT_PLUGINS", "none")
    assert "no target is installed" in bench(exit_code=3).stderr


# --- machines and extensions -----------------------------------------------------------------------------------------


def test_machine_parameter_changes_cycles(bench: Kc) -> None:
    plain, slow = (summary(bench("--config", "C1", "--json", *more)) for more in ([], ["--set", "LOAD_CYCLES=10"]))
    assert slow["samples"][0]["cycles"] == plain["samples"][0]["cycles"] + 4 * 8
    assert slow["samples"][0]["id"] != plain["samples"][0]["id"]


def test_extension_file_is_kept_with_the_run_and_used_on_resume(bench: Kc, kc: Kc, tmp_path: Path) -> None:
    (tmp_path / "Xfma.toml").write_text(EXTENSION)
    kernel = tmp_path / "mine" / "toy" / "triple" / "C1.asm"
    kernel.parent.mkdir(parents=True)
    body = "".join(
        f"lw x3, {4 * i}(x1)\nfma x0, x0, x0\nadd x4, x3, x3\nadd x4, x4, x3\nsw x4, {1024 + 4 * i}(x1)\n"
        for i in range(4)
    )
    kernel.write_text(f"lui x1, 1\n{body}halt\n")
    run = tmp_path / "r"
    args = ["--kernels", str(tmp_path / "mine"), "--extension", str(tmp_path / "Xfma.toml"), "--out", str(run)]
    first = summary(bench(*args, "--json"))
    assert (first["samples"][0]["status"], first["samples"][0]["extensions"]) == ("passed", ["Xfma"])
    (tmp_path / "Xfma.toml").unlink()
    (run / "samples.jsonl").unlink()
    for jobs in ("1", "2"):
        again = summary(kc("bench", "--jobs", jobs, "--resume", str(run), "--json"))
        assert again["samples"][0]["cycles"] == first["samples"][0]["cycles"]
    (run / "extensions" / "0-Xfma.toml").write_text(EXTENSION.replace("rs1] * x[rs2]", "rs2] * x[rs1]"))
    assert "toy has another ISA" in bench("--resume", str(run), exit_code=2).stderr


# --- folders of kernels ----------------------------------------------------------------------------------------------


def test_kernels_of_a_run_can_be_scored_again(bench: Kc, tmp_path: Path) -> None:
    bench("--kind", "expert", "--out", str(tmp_path / "one"))
    entry = summary(bench("--kernels", str(tmp_path / "one" / "kernels"), "--json"))
    assert [(s["subject"]["kind"], s["status"], s["cycles"]) for s in entry["samples"]] == [
        ("given", "passed", 22),
        ("given", "passed", 162),
    ]
    assert entry["diagnostics"] == []
    bench("--kind", "all", "--out", str(tmp_path / "all"))
    assert (
        "folders in it: compiler, expert, published"
        in bench("--kernels", str(tmp_path / "all" / "kernels"), exit_code=2).stderr
    )
    assert "passed 2 of 2" in bench("--kernels", str(tmp_path / "all" / "kernels" / "expert")).stdout


def test_wrong_missing_and_unknown_kernels_are_told_apart(bench: Kc, tmp_path: Path) -> None:
    folder = tmp_path / "k" / "toy" / "triple"
    folder.mkdir(parents=True)
    (folder / "C2.asm").write_bytes(b"frobnicate\n")
    (folder / "C9.asm").write_bytes(b"halt\n")
    result = bench("--kernels", str(tmp_path / "k"), exit_code=1)
    assert "warning[KC0623]: toy/triple/C9.asm belongs to no workload" in result.stderr
    assert "skipped, no kernel in the folder: 1 workloads" in result.stderr
    assert "syntax error" in result.stdout
    assert "triple/C2: line 1: KC0201" in result.stdout
    entry = summary(bench("--kernels", str(tmp_path / "k"), "--json", exit_code=1))
    assert entry["skipped"] == [{"target": "toy", "task": "triple", "config": "C1", "kind": "given"}]
    assert [d["code"] for d in entry["diagnostics"]] == ["KC0623"]


# --- keeping and continuing ------------------------------------------------------------------------------------------


def test_resume_finishes_a_run_and_takes_its_settings(bench: Kc, tmp_path: Path) -> None:
    run = str(tmp_path / "r")
    whole = summary(bench("--kind", "all", "--draws", "3", "--out", run, "--json"))
    assert whole["run"] == run
    file = tmp_path / "r" / "samples.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2]) + lines[2][:50])
    again = summary(bench("--resume", run, "--json", "--kind", "all", "--draws", "3"))
    volatile = ("seconds", "schema", "version")
    assert [{k: v for k, v in s.items() if k not in volatile} for s in again["samples"]] == [
        {k: v for k, v in s.items() if k not in volatile} for s in whole["samples"]
    ]
    assert len(file.read_bytes().splitlines()) == 6


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--config", "C1"], "--config"),
        (["--target", "toy"], "--target"),
        (["--kind", "expert"], "--kind"),
        (["--draws", "9"], "--draws"),
        (["--seed", "y"], "--seed"),
        (["--set", "LOAD_CYCLES=9"], "--set"),
        (["--level", "1"], "--level"),
        (["--kernels", "k"], "--kernels"),
        (["--extension", "X"], "--extension"),
        (["--out", "o"], "--out"),
    ],
)
def test_resume_refuses_other_settings(bench: Kc, tmp_path: Path, args: list[str], word: str) -> None:
    run = str(tmp_path / "r")
    bench("--out", run)
    result = bench("--resume", run, *args, exit_code=2)
    assert "error[KC0803]" in result.stderr
    assert word in result.stderr
    assert "passed 2 of 2" in bench("--resume", run).stdout


def test_out_that_exists_or_cannot_be_written_is_refused(bench: Kc, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    (tmp_path / "file").touch()
    assert "KC0805" in bench("--out", str(tmp_path / "full"), exit_code=2).stderr
    assert "KC0806" in bench("--out", str(tmp_path / "file"), exit_code=2).stderr
    assert "KC0806" in bench("--out", str(tmp_path / "file" / "r"), exit_code=2).stderr


def test_run_that_another_process_writes_is_refused(bench: Kc, tmp_path: Path) -> None:
    bench("--out", str(tmp_path / "r"))
    with RunFolder.resume(tmp_path / "r"):
        assert "KC0804" in bench("--resume", str(tmp_path / "r"), exit_code=2).stderr


def test_disk_that_fills_up_ends_the_run_and_keeps_what_is_finished(
    bench: Kc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, calls = os.fsync, 0

    def limited(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 6:
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", limited)
        result = bench("--out", str(tmp_path / "r"), exit_code=2)
    assert "KC0806" in result.stderr
    assert "No space left on device" in result.stderr
    kept = list(RunFolder.open(tmp_path / "r").samples())
    assert len(kept) == 1
    assert "passed 2 of 2" in bench("--resume", str(tmp_path / "r")).stdout
    assert list(RunFolder.open(tmp_path / "r").samples())[:1] == kept


# --- progress --------------------------------------------------------------------------------------------------------


def test_progress_is_a_line_now_and_then_without_a_terminal(bench: Kc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelcraft_core.cli.bench.INTERVAL", 0.0)
    result = bench("--json")
    assert result.stderr == "scored 1 of 2\nscored 2 of 2\n"
    assert summary(result)["ok"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_progress_is_a_bar_on_a_terminal() -> None:
    leader, follower = os.openpty()
    command = [sys.executable, "-m", "kernelcraft_core", "bench", "--jobs", "1", "--json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, timeout=60, check=True)
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert "scoring" in shown
    assert "2/2" in shown
    assert json.loads(result.stdout)["ok"]


@pytest.mark.parametrize(
    "command", ["kc bench --jobs 1 2>&-", "kc tasks check --mutants 1 2>&-", "rmdir ../gone; kc bench"]
)
def test_closed_stderr_or_a_removed_folder_changes_nothing(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    line = command.replace("kc ", f"{sys.executable} -P -m kernelcraft_core ")
    environment = {**os.environ, "KERNELCRAFT_PLUGINS": "toy"}
    result = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0
    assert "C1" in result.stdout
    assert "Traceback" not in result.stderr
