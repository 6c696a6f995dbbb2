"""`kc eval`, `kc list-tasks` and `kc tasks check` on the toy target."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kc_toy.tasks import loop, unrolled

Kc = Callable[..., Any]
TRIPLE = ("eval", "--target", "toy", "--task", "triple", "--config", "C1")


@pytest.fixture
def kernel(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "k.asm"
        path.write_text(text)
        return str(path)

    return write


def test_eval_right_kernel_prints_its_figures(kc: Kc, kernel: Callable[[str], str]) -> None:
    out = kc(*TRIPLE, kernel(unrolled(4))).stdout
    for part in (
        "passed",
        "100.00 % (4 of 4)",
        "22 (22 ns)",
        "12, reached to 54.5 %",
        "1.591 over compiler (35 cycles)",
    ):
        assert part in out
    assert "alu 9, load 4, store 4, sync 1" in out


def test_eval_wrong_kernel_lists_the_worst_elements(kc: Kc, kernel: Callable[[str], str]) -> None:
    result = kc(*TRIPLE, kernel(loop(3)), exit_code=1)
    assert "mismatch" in result.stdout
    assert "75.00 % (3 of 4)" in result.stdout
    assert "OUTPUT  INDEX  EXPECTED" in result.stdout
    assert "baseline" in result.stdout


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [("hlt", "syntax_error", "KC0201"), ("lw x1, 0(x0)", "trap", "KC0401"), ("a: jal x0, a", "limit", "KC0405")],
)
def test_eval_finding_is_placed_in_the_file(
    kc: Kc, kernel: Callable[[str], str], text: str, status: str, code: str
) -> None:
    path = kernel(text)
    result = kc(*TRIPLE, path, exit_code=1)
    assert status in result.stdout
    assert f"{path}:1" in result.stderr
    assert code in result.stderr
    assert json.loads(kc(*TRIPLE, path, "--json", exit_code=1).stdout)["status"] == status


def test_eval_json_is_one_object_with_the_seed(kc: Kc, kernel: Callable[[str], str]) -> None:
    entry = json.loads(kc(*TRIPLE, kernel(unrolled(4)), "--json", "--draws", "3").stdout)
    assert entry["schema"] == "kc.eval/1"
    assert entry["ok"] is True
    assert (entry["status"], entry["cycles"], entry["instructions"]) == ("passed", 22, 18)
    assert len(entry["draws"]) == 3
    again = json.loads(kc(*TRIPLE, kernel(loop(3)), "--json", "--seed", entry["seed"], exit_code=1).stdout)
    twice = json.loads(kc(*TRIPLE, kernel(loop(3)), "--json", "--seed", entry["seed"], exit_code=1).stdout)
    assert again == twice


def test_eval_without_a_seed_draws_a_new_one(kc: Kc, kernel: Callable[[str], str]) -> None:
    path = kernel(unrolled(4))
    assert len({json.loads(kc(*TRIPLE, path, "--json").stdout)["seed"] for _ in range(3)}) == 3


def test_eval_no_baseline_gives_no_speedup(kc: Kc, kernel: Callable[[str], str]) -> None:
    assert json.loads(kc(*TRIPLE, kernel(unrolled(4)), "--no-baseline", "--json").stdout)["speedup"] is None


def test_eval_kernel_from_standard_input(kc: Kc) -> None:
    kc(*TRIPLE, "-", input=unrolled(4))


def test_eval_kernels_that_come_with_the_target(kc: Kc) -> None:
    assert "1.591" in kc(*TRIPLE, "--kind", "expert").stdout
    assert "mismatch" in kc(*TRIPLE, "--kind", "published", exit_code=1).stdout
    assert "KC0607" in kc(*TRIPLE, "--kind", "naive", exit_code=3).stderr


def test_eval_machine_parameters(kc: Kc) -> None:
    assert "54" in kc(*TRIPLE, "--kind", "expert", "--set", "LOAD_CYCLES=10").stdout
    assert "KC0501" in kc(*TRIPLE, "--kind", "expert", "--set", "LOAD=10", exit_code=2).stderr


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (("--target", "toi", "--task", "triple", "--config", "C1", "--kind", "expert"), 3, "did you mean toy"),
        (("--target", "toy", "--task", "tripel", "--config", "C1", "--kind", "expert"), 3, "did you mean triple"),
        (("--target", "toy", "--task", "triple", "--config", "C9", "--kind", "expert"), 3, "configurations: C1, C2"),
        (("--target", "toy", "--task", "triple", "--config", "C1"), 2, "name a FILE"),
        ((*TRIPLE, "--kind", "expert", "--draws", "1"), 2, "2<=x<=1000"),
        (("--target", "toy", "--task", "triple", "--config", "C1", "x.asm", "--kind", "expert"), 2, "name a FILE"),
        (("--target", "toy", "--task", "triple", "--config", "C1", "no-such.asm"), 2, "KC0291"),
    ],
)
def test_eval_wrong_use_is_explained(kc: Kc, args: tuple[str, ...], code: int, text: str) -> None:
    assert text in kc("eval", *args, exit_code=code).stderr


def test_list_tasks_table_has_a_column_per_target(kc: Kc) -> None:
    lines = kc("list-tasks").stdout.splitlines()
    assert lines[0].split() == ["LEVEL", "NO", "TASK", "TITLE", "TOY"]
    assert lines[1].split() == ["1", "triple", "Triple", "C1", "C2"]


def test_list_tasks_one_task_is_shown_whole(kc: Kc) -> None:
    out = kc("list-tasks", "--task", "triple").stdout
    for part in ("y = 3 x mod 2**32", "15 iterations", "standard deviation 8", "C2: n=32"):
        assert part in out


def test_list_tasks_with_a_configuration_prints_its_layout(kc: Kc) -> None:
    out = kc("list-tasks", "--task", "triple", "--config", "c2").stdout
    assert "toy triple/C2" in out
    assert "x: 32 words at 0x1000" in out
    assert "x: 4 words" not in out
    assert (
        "configurations: C1, C2"
        in kc("list-tasks", "--task", "triple", "--target", "toy", "--config", "C3", exit_code=3).stderr
    )
    assert "configurations: C1, C2" in kc("list-tasks", "--task", "triple", "--config", "C3", exit_code=3).stderr
    assert "goes with --task" in kc("list-tasks", "--config", "C1", exit_code=2).stderr


def test_list_tasks_json(kc: Kc) -> None:
    entry = json.loads(kc("list-tasks", "--json").stdout)
    assert entry["schema"] == "kc.tasks/1"
    assert entry["suites"] == [{"name": "toys", "version": "1.0"}]
    (task,) = entry["tasks"]
    assert task["targets"]["toy"]["C1"]["parameters"] == {"n": 4}


def test_list_tasks_unknown_name_is_explained(kc: Kc) -> None:
    assert "did you mean triple" in kc("list-tasks", "--task", "trile", exit_code=3).stderr
    assert "did you mean toy" in kc("list-tasks", "--target", "toi", exit_code=3).stderr


def test_list_tasks_nothing_chosen_says_so(kc: Kc) -> None:
    result = kc("list-tasks", "--level", "3")
    assert result.stdout == ""
    assert "no tasks" in result.stderr
