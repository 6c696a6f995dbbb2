"""`kc episode` and `kc tool`: working on a kernel from the shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kc_toy.tasks import loop, unrolled


@pytest.fixture
def work(kc: Any, tmp_path: Path) -> str:
    folder = str(tmp_path / "work")
    kc("episode", "start", "--target", "toy", "--task", "triple", "--config", "c1", folder)
    return folder


def write(kc: Any, work: str, text: str) -> None:
    kc("tool", "write_code", "--episode", work, "--file", "-", input=text)


def test_episode_goes_from_start_to_finish(kc: Any, work: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.asm"
    for text, exit_code in ((loop(3), 1), (loop(4), 0), (unrolled(4), 0)):
        file.write_text(text)
        assert "kernel.asm written" in kc("tool", "write_code", "--episode", work, "--file", str(file)).stdout
        assert "assembles" in kc("tool", "check_syntax", "--episode", work).stdout
        assert "status: " in kc("tool", "run_evaluation", "--episode", work, exit_code=exit_code).stdout
    status = kc("episode", "status", work).stdout
    assert "22 cycles, of evaluation 3" in status
    assert "1           mismatch  75.00 %" in status
    score = kc("episode", "finish", work).stdout
    assert "speedup       1.591 over compiler (35 cycles)" in score
    assert "is finished" in kc("tool", "run_evaluation", "--episode", work, exit_code=1).stdout
    assert "scored with secret inputs" in kc("episode", "status", work).stdout


def test_json_answers_hold_text_data_and_class(kc: Any, work: str) -> None:
    write(kc, work, "foo")
    entry = json.loads(kc("tool", "check_syntax", "--episode", work, "--json", exit_code=1).stdout)
    assert (entry["schema"], entry["ok"], entry["error_class"]) == ("kc.tool/1", False, "syntax")
    assert entry["data"]["diagnostics"][0]["line"] == 1
    status = json.loads(kc("episode", "status", work, "--json").stdout)
    assert (status["target"], status["evaluations"], status["budget"], status["best"]) == ("toy", 0, 15, None)


def test_finish_prints_what_eval_prints_and_its_seed(kc: Any, work: str, tmp_path: Path) -> None:
    write(kc, work, loop(4))
    entry = json.loads(kc("episode", "finish", work, "--json", "--draws", "3").stdout)
    (tmp_path / "k.asm").write_text(loop(4))
    args = ("--target", "toy", "--task", "triple", "--config", "C1", "--seed", entry["seed"], "--draws", "3", "--json")
    assert json.loads(kc("eval", str(tmp_path / "k.asm"), *args).stdout) == entry


def test_finish_of_a_wrong_kernel_ends_with_1_and_of_none_with_2(kc: Any, work: str) -> None:
    assert "KC0705" in kc("episode", "finish", work, exit_code=2).stderr
    write(kc, work, "halt")
    assert "mismatch" in kc("episode", "finish", work, exit_code=1).stdout


def test_speedup_is_shown_when_the_start_asked_for_it(kc: Any, tmp_path: Path) -> None:
    folder = str(tmp_path / "work")
    kc("episode", "start", "--target", "toy", "--task", "triple", "--config", "C1", "--baseline", folder)
    write(kc, folder, loop(4))
    assert "speedup: 1.000" in kc("tool", "run_evaluation", "--episode", folder).stdout


def test_evaluations_are_limited_when_the_start_asked_for_it(kc: Any, tmp_path: Path) -> None:
    folder = str(tmp_path / "work")
    kc("episode", "start", "--target", "toy", "--task", "triple", "--config", "C1", "--max-evaluations", "1", folder)
    write(kc, folder, loop(4))
    kc("tool", "run_evaluation", "--episode", folder)
    assert "all 1 evaluations" in kc("tool", "run_evaluation", "--episode", folder, exit_code=1).stdout
    assert "1 of 1" in kc("episode", "status", folder).stdout


def test_machine_settings_last(kc: Any, tmp_path: Path) -> None:
    folder = str(tmp_path / "work")
    kc("episode", "start", "--target", "toy", "--task", "triple", "--config", "C1", "--set", "LOAD_CYCLES=9", folder)
    write(kc, folder, loop(4))
    assert "cycles: 63" in kc("tool", "run_evaluation", "--episode", folder).stdout


@pytest.mark.parametrize(
    ("args", "exit_code", "part"),
    [
        (("view_output", "--rows", "9:"), 2, "names none of the 1 rows"),
        (("view_output", "--what", "got", "--columns", "0:2"), 0, "columns 0:2"),
        (("view_output", "--output", "z"), 2, "there is y"),
        (("grep_docs", "--query", "ldd"), 0, "isa.md"),
        (("grep_docs",), 2, "needs the argument 'query'"),
        (("grep_docs", "--arguments", '{"query": "ldd"}'), 0, "isa.md"),
        (("grep_docs", "--arguments", '{"query": "ld'), 2, "not complete"),
        (("get_instruction_size",), 0, "instructions: 10"),
        (("profile_kernel",), 0, "cycles by line"),
    ],
)
def test_tools_answer_with_their_exit_code(
    kc: Any, work: str, args: tuple[str, ...], exit_code: int, part: str
) -> None:
    write(kc, work, loop(3))
    kc("tool", "run_evaluation", "--episode", work, exit_code=1)
    name, *rest = args
    assert part in kc("tool", name, "--episode", work, *rest, exit_code=exit_code).stdout


def test_tool_that_is_not_there_is_a_usage_error_with_a_hint(kc: Any, work: str) -> None:
    assert "did you mean view_output?" in kc("tool", "view_out", "--episode", work, exit_code=2).stderr


def test_program_file_is_read_here_and_must_be_text(kc: Any, work: str, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert (
        "not UTF-8"
        in kc("tool", "write_code", "--episode", work, "--file", str(tmp_path / "binary"), exit_code=2).stderr
    )
    assert "KC0291" in kc("tool", "write_code", "--episode", work, "--file", "nowhere.asm", exit_code=2).stderr
    both = ("--file", "-", "--assembly-code", "halt")
    kc("tool", "write_code", "--episode", work, *both, exit_code=2, input="halt")
    assert not (Path(work) / "kernel.asm").exists()


def test_folder_without_episode_is_told(kc: Any, tmp_path: Path) -> None:
    for args in (("tool", "check_syntax", "--episode", str(tmp_path)), ("episode", "status", str(tmp_path))):
        assert "KC0701" in kc(*args, exit_code=2).stderr
    entry = json.loads(kc("episode", "finish", str(tmp_path / "nowhere"), "--json", exit_code=2).stdout)
    assert entry["diagnostics"][0]["code"] == "KC0701"


def test_start_refuses_what_is_not_there(kc: Any, tmp_path: Path) -> None:
    start = ("episode", "start", str(tmp_path / "new"), "--task", "triple", "--config")
    kc(*start, "C1", "--target", "nothing", exit_code=3)
    kc(*start, "C9", "--target", "toy", exit_code=3)
    assert not (tmp_path / "new").exists()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").touch()
    assert "KC0700" in kc(*start, "C1", "--target", "toy", exit_code=2).stderr


def test_help_of_every_tool_has_an_example(kc: Any) -> None:
    from kernelcraft_core.agent.signatures import NAMES

    for name in NAMES:
        assert f"kc tool {name} --episode work" in kc("tool", name, "--help").stdout
    for name in ("start", "status", "finish"):
        assert f"kc episode {name} " in kc("episode", name, "--help").stdout
