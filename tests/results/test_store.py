"""Run folders: complete samples or none, one writer, and what a full disk or a foreign file does."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.diagnostics import ResultsError
from kernelcraft_core.results import RunFolder
from kernelcraft_core.results.schema import line


def sample(name: str, status: str = "passed", **more: Any) -> dict[str, Any]:
    return {"id": name, "status": status, **more}


def new(path: Path, *names: str) -> RunFolder:
    folder = RunFolder.create(path, {"settings": {}})
    for name in names:
        folder.append(sample(name))
    return folder


def ids(path: Path) -> list[str]:
    return [entry["id"] for entry in RunFolder.open(path).samples()]


def refused(code: str) -> Any:
    return pytest.raises(ResultsError, match=rf"error\[{code}\]")


# --- life of a run ---------------------------------------------------------------------------------------------------


def test_samples_are_read_back_in_order_with_schema_and_version(tmp_path: Path) -> None:
    with new(tmp_path / "runs" / "r", "a", "b") as folder:
        folder.append(sample("c", "mismatch", note="größer"))
    with RunFolder.resume(tmp_path / "runs" / "r") as folder:
        folder.append(sample("d"))
        assert [folder.scored(name) for name in "abcde"] == [True, True, True, True, False]
    found = list(RunFolder.open(tmp_path / "runs" / "r").samples())
    assert [(s["id"], s["status"], s["schema"]) for s in found] == [
        ("a", "passed", "kc.sample/1"),
        ("b", "passed", "kc.sample/1"),
        ("c", "mismatch", "kc.sample/1"),
        ("d", "passed", "kc.sample/1"),
    ]
    assert found[2]["note"] == "größer"
    assert json.loads((tmp_path / "runs" / "r" / "run.json").read_text())["schema"] == "kc.run/1"


def test_append_refuses_a_second_score(tmp_path: Path) -> None:
    with new(tmp_path / "r", "a") as folder:
        before = (tmp_path / "r" / "samples.jsonl").read_bytes()
        for status in ("passed", "harness_error"):
            with refused("KC0808"):
                folder.append(sample("a", status))
    with RunFolder.resume(tmp_path / "r") as folder, refused("KC0808"):
        folder.append(sample("a"))
    assert (tmp_path / "r" / "samples.jsonl").read_bytes() == before


def test_harness_error_may_be_followed_by_a_score_which_then_counts(tmp_path: Path) -> None:
    with new(tmp_path / "r") as folder:
        folder.append(sample("a", "harness_error"))
        assert not folder.scored("a")
    with RunFolder.resume(tmp_path / "r") as folder:
        folder.append(sample("a", "harness_error"))
        folder.append(sample("a", "trap"))
        assert folder.scored("a")
    assert ids(tmp_path / "r") == ["a", "a", "a"]
    assert RunFolder.open(tmp_path / "r").latest()["a"]["status"] == "trap"


def test_create_takes_an_empty_folder_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    new(tmp_path / "empty").close()
    with refused("KC0805") as info:
        new(tmp_path / "empty")
    assert "--resume" in str(info.value)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with refused("KC0805"):
        new(tmp_path / "full")
    assert (tmp_path / "full" / "notes.txt").read_text() == "mine"
    (tmp_path / "file").write_text("")
    with refused("KC0806"):
        new(tmp_path / "file")


def test_files_of_a_new_run_are_there_before_its_record(tmp_path: Path) -> None:
    def files() -> Any:
        yield "kernels/toy/a.asm", b"halt\n"
        assert (tmp_path / "r" / "kernels" / "toy" / "a.asm").read_bytes() == b"halt\n"
        assert not (tmp_path / "r" / "run.json").exists()

    RunFolder.create(tmp_path / "r", {}, files()).close()
    assert (tmp_path / "r" / "run.json").exists()


def test_kernel_is_written_whole_and_leaves_nothing_else(tmp_path: Path) -> None:
    with new(tmp_path / "r") as folder:
        made = folder.write_kernel("toy/triple/C1.asm", b"halt\n")
        folder.write_kernel("toy/triple/C1.asm", b"\xff\x00")
    digest = "3464fd1871ec6e74b0248c195c91bfe62435cf5675b11a63d8a8a3c030e493c2"  # sha256sum of "halt\n"
    assert made == {"path": "kernels/toy/triple/C1.asm", "sha256": digest}
    assert (tmp_path / "r" / made["path"]).read_bytes() == b"\xff\x00"
    assert [p.name for p in (tmp_path / "r" / "kernels" / "toy" / "triple").iterdir()] == ["C1.asm"]


@pytest.mark.parametrize("name", ["../x.asm", "a/../../x.asm", "/x.asm", "", "a\\b.asm", "a\0b.asm"])
def test_kernel_names_that_lead_out_of_the_run_are_refused(tmp_path: Path, name: str) -> None:
    with new(tmp_path / "r") as folder, refused("KC0806"):
        folder.write_kernel(name, b"")


# --- torn lines ------------------------------------------------------------------------------------------------------


def test_torn_last_line_is_passed_over_and_cut_off_at_every_byte(tmp_path: Path) -> None:
    with new(tmp_path / "r", "a", "b"):
        pass
    file = tmp_path / "r" / "samples.jsonl"
    whole = file.read_bytes()
    last = line({**sample("c", note="ü\U0001f600"), "schema": "kc.sample/1"})
    for cut in range(len(last)):
        file.write_bytes(whole + last[:cut])
        assert ids(tmp_path / "r") == ["a", "b"], cut
        with RunFolder.resume(tmp_path / "r") as folder:
            assert file.read_bytes() == whole, cut
            assert not folder.scored("c")
    file.write_bytes(whole + last)
    assert ids(tmp_path / "r") == ["a", "b", "c"]


def test_first_line_that_is_torn_leaves_nothing(tmp_path: Path) -> None:
    new(tmp_path / "r").close()
    file = tmp_path / "r" / "samples.jsonl"
    for junk in (b"{", b"\0" * 100_000, b"x" * 65536):
        file.write_bytes(junk)
        with RunFolder.resume(tmp_path / "r") as folder:
            folder.append(sample("a"))
        assert ids(tmp_path / "r") == ["a"]


def test_torn_line_longer_than_a_block_is_cut_off(tmp_path: Path) -> None:
    new(tmp_path / "r", "a").close()
    file = tmp_path / "r" / "samples.jsonl"
    whole = file.read_bytes()
    for size in (65535, 65536, 65537, 200_000):
        file.write_bytes(whole + b"x" * size)
        RunFolder.resume(tmp_path / "r").close()
        assert file.read_bytes() == whole


def test_reader_sees_the_complete_samples_of_a_running_writer(tmp_path: Path) -> None:
    with new(tmp_path / "r", "a") as folder:
        assert ids(tmp_path / "r") == ["a"]
        folder.append(sample("b"))
        assert ids(tmp_path / "r") == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"nonsense\n", "KC0807"),
        (b"\n", "KC0807"),
        (b"\xff\xfe\n", "KC0807"),
        (b"[" * 100_000 + b"\n", "KC0807"),
        (b'{"schema": "kc.sample/1"}\n', "KC0807"),
        (b'{"schema": "kc.sample/1", "id": 1, "status": "passed"}\n', "KC0807"),
        (b"[]\n", "KC0802"),
        (b'{"id": "x", "status": "passed"}\n', "KC0802"),
        (b'{"schema": "kc.sample/2", "id": "x", "status": "passed"}\n', "KC0802"),
    ],
)
def test_line_that_is_damaged_or_newer_is_named(tmp_path: Path, text: bytes, code: str) -> None:
    new(tmp_path / "r", "a").close()
    file = tmp_path / "r" / "samples.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + text + whole)
    with refused(code) as info:
        ids(tmp_path / "r")
    assert "samples.jsonl:2" in str(info.value)
    with refused(code):
        RunFolder.resume(tmp_path / "r")
    file.write_bytes(whole)
    RunFolder.resume(tmp_path / "r").close()  # the refusal has not kept the lock


# --- what is no run folder -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "KC0801"),
        (b"", "KC0801"),
        (b"{", "KC0801"),
        (b"\xff", "KC0801"),
        (b"[" * 100_000, "KC0801"),
        (b"[]", "KC0802"),
        (b"{}", "KC0802"),
        (b'{"schema": "kc.run/2"}', "KC0802"),
    ],
)
def test_folder_without_a_readable_record_is_refused(tmp_path: Path, text: bytes | None, code: str) -> None:
    (tmp_path / "r").mkdir()
    if text is not None:
        (tmp_path / "r" / "run.json").write_bytes(text)
    for use in (RunFolder.open, RunFolder.resume):
        with refused(code):
            use(tmp_path / "r")
    with refused("KC0801"):
        RunFolder.open(tmp_path / "missing")


# --- one writer ------------------------------------------------------------------------------------------------------

HOLD = """
import sys, pathlib
from kernelcraft_core.results import RunFolder
folder = RunFolder.resume(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_second_writer_is_refused_in_this_process_and_another(tmp_path: Path) -> None:
    with new(tmp_path / "r", "a"):
        with refused("KC0804"):
            RunFolder.resume(tmp_path / "r")
        with refused("KC0804"):
            RunFolder.create(tmp_path / "r", {})
    command = [sys.executable, "-c", HOLD, str(tmp_path / "r")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with refused("KC0804"):
            RunFolder.resume(tmp_path / "r")
        assert ids(tmp_path / "r") == ["a"]
        other.kill()
        other.wait()
    with RunFolder.resume(tmp_path / "r") as folder:  # a killed writer holds nothing
        folder.append(sample("b"))


def test_reader_cannot_write(tmp_path: Path) -> None:
    new(tmp_path / "r").close()
    folder = RunFolder.open(tmp_path / "r")
    with refused("KC0806"):
        folder.append(sample("a"))
    with refused("KC0806"):
        folder.write_kernel("a.asm", b"")


def test_closed_writer_cannot_write(tmp_path: Path) -> None:
    folder = new(tmp_path / "r")
    folder.close()
    folder.close()
    with refused("KC0806"):
        folder.append(sample("a"))


# --- the disk --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 1, 30, 60])
def test_full_disk_while_appending_loses_nothing_that_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    folder = new(tmp_path / "r", "a")
    file = tmp_path / "r" / "samples.jsonl"
    whole = file.read_bytes()
    write = os.write
    left = room

    def limited(descriptor: int, data: Any) -> int:
        nonlocal left
        if not left:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = write(descriptor, data[:left])
        left -= done
        return done

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", limited)
        with refused("KC0806") as info:
            folder.append(sample("b"))
    assert "No space left on device" in str(info.value)
    assert file.read_bytes() == whole
    folder.append(sample("b"))  # there is room again
    folder.close()
    assert ids(tmp_path / "r") == ["a", "b"]


def test_full_disk_while_writing_a_kernel_keeps_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with new(tmp_path / "r") as folder:
        folder.write_kernel("k.asm", b"old\n")

        def full(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with refused("KC0806"):
                folder.write_kernel("k.asm", b"new\n")
    assert (tmp_path / "r" / "kernels" / "k.asm").read_bytes() == b"old\n"
    assert len(list((tmp_path / "r" / "kernels").iterdir())) == 1


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with new(tmp_path / "r") as folder, monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
        folder.append(sample("a"))
    assert ids(tmp_path / "r") == ["a"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission_is_refused(tmp_path: Path) -> None:
    new(tmp_path / "r").close()
    (tmp_path / "r").chmod(0o500)
    try:
        with refused("KC0806"):
            new(tmp_path / "r" / "inner")
    finally:
        (tmp_path / "r").chmod(0o700)
