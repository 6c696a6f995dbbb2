"""`kc view`: lists of samples, one sample, and transcripts of every shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Kc = Callable[..., Result]

EVENTS: list[dict[str, Any]] = [
    {"kind": "message", "message": {"role": "system", "content": "You write kernels."}},
    {
        "kind": "reply",
        "message": {
            "role": "assistant",
            "content": "First try.",
            "tool_calls": [{"id": "1", "name": "write_code", "arguments": '{"assembly_code": "addi x1\\nhalt"}'}],
        },
        "finish": "tool_calls",
        "usage": {"input_tokens": 7},
    },
    {"kind": "tool_result", "name": "write_code", "ok": True, "text": "2 lines"},
    {
        "kind": "reply",
        "message": {"role": "assistant", "content": "", "tool_calls": [{"id": "2", "name": "oops", "arguments": "{"}]},
    },
    {"kind": "note", "note": "the arguments are no JSON"},
    {"kind": "error", "error": "rate_limit", "wait_s": 2.5},
    {"kind": "telepathy", "strength": 3, "content": "a kind of the future"},
    {"kind": "end", "stopped": "finished"},
]


@pytest.fixture
def run(write_run: Any, make: Any) -> Path:
    finding = {"code": "KC0201", "severity": "error", "message": "no such mnemonic", "line": 3}
    samples = make.experiment()
    samples[1] |= {
        "agent": make.agent(transcript="transcripts/t.jsonl"),
        "kernel": {"path": "kernels/k.asm", "sha256": "0"},
    }
    samples[1]["diagnostics"] = [finding]
    path: Path = write_run(samples)
    (path / "kernels").mkdir()
    (path / "kernels" / "k.asm").write_text("".join(f"line {i}\n" for i in range(100)))
    write(path, EVENTS)
    return path


def write(path: Path, events: Sequence[Any], tail: str = "") -> None:
    (path / "transcripts").mkdir(exist_ok=True)
    lines = "".join(json.dumps(event) + "\n" for event in events)
    (path / "transcripts" / "t.jsonl").write_text(lines + tail)


def the_id(run: Path) -> str:
    found: str = json.loads((run / "samples.jsonl").read_text().splitlines()[1])["id"]
    return found


def test_list_has_a_line_for_each_sample(kc: Kc, run: Path) -> None:
    lines = kc("view", str(run)).stdout.splitlines()
    assert lines[0] == f"{run}: 9 samples"
    assert len(lines) == 12
    assert lines[3].split()[1:] == [
        "npu",
        "silu/C1",
        "acme/gpt-5.2",
        "(reasoning=low)",
        "0",
        "passed",
        "100",
        "2.00",
        "5",
    ]


def test_sample_shows_score_findings_kernel_and_transcript(kc: Kc, run: Path) -> None:
    text = kc("view", str(run), the_id(run)).stdout
    assert text.startswith("npu silu/C2, acme/gpt-5.2 (reasoning=low), repeat 0 (")
    for part in (
        "status: mismatch\nreason: line 3: KC0201 no such mnemonic\nmatch rate: 0.5\n",
        "tool calls: write_code 3, run_evaluation 2\n",
        "findings:\nerror[KC0201]: line 3: no such mnemonic\n",
        "kernel:\nline 0\n",
        "line 59\n[40 more lines; --full shows them]\n",
    ):
        assert part in text
    assert "line 99\n" in kc("view", str(run), the_id(run), "--full").stdout


def test_transcript_is_shown_turn_by_turn(kc: Kc, run: Path) -> None:
    text = kc("view", str(run), the_id(run)).stdout.split("transcript:\n\n", 1)[1]
    assert text.split("\n\n") == [
        "--- message (system)\nYou write kernels.",
        '--- reply 1 (assistant): finish="tool_calls", usage={"input_tokens": 7}\nFirst try.\n'
        "> write_code(assembly_code=addi x1\nhalt)",
        '--- tool result: name="write_code", ok=true\n2 lines',
        "--- reply 2 (assistant)\n> oops({)",
        "--- note\nthe arguments are no JSON",
        "--- error: wait_s=2.5\nrate_limit",
        "--- telepathy: strength=3\na kind of the future",
        '--- end: stopped="finished"\n',
    ]


def test_long_texts_are_cut_unless_all_is_wanted(kc: Kc, run: Path) -> None:
    write(run, [{"kind": "message", "message": {"role": "user", "content": "x" * 5000}}])
    assert "[3,000 more characters; --full shows them]" in kc("view", str(run), the_id(run)).stdout
    assert "x" * 5000 in kc("view", str(run), the_id(run), "--full").stdout


def test_json_holds_sample_kernel_and_events(kc: Kc, run: Path) -> None:
    entry = json.loads(kc("view", str(run), the_id(run), "--json").stdout)
    assert (entry["schema"], entry["ok"], entry["transcript"]) == ("kc.view/1", True, EVENTS)
    assert entry["kernel"].startswith("line 0\n")
    assert entry["sample"]["id"] == the_id(run)
    assert len(json.loads(kc("view", str(run), "--json").stdout)["samples"]) == 9


def test_sample_is_found_by_cell_where_there_is_one(kc: Kc, write_run: Any, make: Any) -> None:
    path = str(write_run([make.sample("silu", "C1"), make.sample("silu", "C2")]))
    for name in ("silu/C2", "npu/silu/C2", "npu-silu-C2"):
        assert kc("view", path, name).stdout.startswith("npu silu/C2")
    assert "KC0840" in kc("view", path, "npu-silu", exit_code=2).stderr
    assert "`kc view RUN` lists them" in kc("view", path, "gemm/C1", exit_code=2).stderr
    assert "KC0840" in kc("view", path, "", exit_code=2).stderr


# --- what is wrong ---------------------------------------------------------------------------------------------------


def test_torn_last_line_is_passed_over_and_a_damaged_one_is_named(kc: Kc, run: Path) -> None:
    write(run, EVENTS[:1], tail='not json\n[1]\n{"kind": 3}\n{"kind": "end"}\n{"kind": "to')
    result = kc("view", str(run), the_id(run), exit_code=1)
    for number in (2, 3, 4):
        assert f"t.jsonl:{number}:1: warning[KC0839]" in result.stderr
    assert "--- end" in result.stdout
    assert result.stderr.count("KC0839") == 3


def test_newer_transcript_is_refused_and_a_newer_minor_one_is_read(kc: Kc, run: Path) -> None:
    write(run, [{**EVENTS[0], "schema": "kc.transcript/1.7"}])
    assert "You write kernels." in kc("view", str(run), the_id(run)).stdout
    write(run, [{**EVENTS[0], "schema": "kc.transcript/2"}])
    assert "KC0802" in kc("view", str(run), the_id(run), exit_code=1).stderr


def test_missing_files_are_named_and_the_score_is_shown(kc: Kc, run: Path) -> None:
    (run / "kernels" / "k.asm").unlink()
    (run / "transcripts" / "t.jsonl").unlink()
    result = kc("view", str(run), the_id(run), exit_code=1)
    assert result.stderr.count("KC0836") == 2
    assert "status: mismatch" in result.stdout


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "transcripts/../../secret", "transcripts/link", "a\0b", ""]
)
def test_files_outside_of_the_run_are_not_read(kc: Kc, run: Path, make: Any, write_run: Any, name: str) -> None:
    (run.parent / "secret").write_text('{"kind": "note", "note": "SECRET"}\n')
    (run / "transcripts" / "link").symlink_to(run.parent / "secret")
    lines = (run / "samples.jsonl").read_text().splitlines()
    changed = json.loads(lines[1])
    changed["agent"]["transcript"] = name
    changed["kernel"]["path"] = name
    (run / "samples.jsonl").write_text(json.dumps(changed) + "\n")
    result = kc("view", str(run), changed["id"], exit_code=1)
    assert "SECRET" not in result.output
    assert result.stderr.count("KC0836") == 2


def test_what_steers_a_terminal_is_escaped(kc: Kc, run: Path) -> None:
    write(run, [{"kind": "note", "note": "a\x1b[2Jb\ud800c\x07"}])
    (run / "kernels" / "k.asm").write_bytes(b"halt \x1b[31m\xff\n")
    text = kc("view", str(run), the_id(run)).stdout
    assert "a\\x1b[2Jb\\ud800c\\x07" in text
    assert "halt \\x1b[31m\ufffd" in text
    assert "\x1b" not in text
