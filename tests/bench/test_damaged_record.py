"""Continuing a run whose record was edited by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.diagnostics import ResultsError


@pytest.mark.parametrize("value", [5, [1], "x", None, {"toy": [5]}])
@pytest.mark.parametrize("part", ["plugins", "suites", "targets"])
def test_resume_with_a_part_of_another_type_is_refused(
    bench: Callable[..., Any], again: Callable[..., Any], part: str, value: Any
) -> None:
    _, path, _ = bench(configs=("C1",))
    record = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps({**record, part: value}))
    with pytest.raises(ResultsError) as error:
        again(path)
    assert error.value.code in ("KC0801", "KC0803")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_resume_samples_that_are_no_file_are_refused(tmp_path: Path, kc: Callable[..., Any], kind: str) -> None:
    run = tmp_path / "run"
    kc("bench", "--config", "C1", "--jobs", "1", "--out", str(run))
    samples = run / "samples.jsonl"
    samples.unlink()
    if kind == "pipe":
        os.mkfifo(samples)
    else:
        samples.symlink_to("/dev/zero")
    result = kc("bench", "--resume", str(run), exit_code=None)
    assert result.exit_code != 0
    assert "not a regular file" in result.stderr


@pytest.mark.parametrize(
    ("key", "value"), [("cycles", "many"), ("bound_share", "half"), ("subject", 5), ("status", "fine")]
)
def test_resume_sample_of_another_shape_is_refused(
    tmp_path: Path, kc: Callable[..., Any], key: str, value: object
) -> None:
    run = tmp_path / "run"
    kc("bench", "--config", "C1", "--jobs", "1", "--out", str(run))
    samples = run / "samples.jsonl"
    sample = json.loads(samples.read_text())
    samples.write_text(json.dumps({**sample, key: value}) + "\n")
    result = kc("bench", "--resume", str(run), exit_code=None)
    assert result.exit_code != 0
    assert f"`{key}` is not" in result.stderr


def test_resume_extension_outside_the_run_folder_is_refused(tmp_path: Path, kc: Callable[..., Any]) -> None:
    run = tmp_path / "run"
    kc("bench", "--config", "C1", "--jobs", "1", "--out", str(run))
    record = json.loads((run / "run.json").read_text())
    record["settings"]["extensions"] = ["../elsewhere.toml"]
    (run / "run.json").write_text(json.dumps(record))
    result = kc("bench", "--resume", str(run), exit_code=None)
    assert result.exit_code != 0
    assert "not a name inside a run folder" in result.stderr
