"""The page on reports holds when it is followed, and the format page has the keys that are read."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from kernelcraft_core.results import checks

DOCS = Path(__file__).resolve().parents[2] / "docs"
HOW_TO = (DOCS / "how-to" / "report-and-compare.md").read_text(encoding="utf-8")
FORMAT = (DOCS / "reference" / "run-folder.md").read_text(encoding="utf-8")


def matches(wanted: str, given: str) -> bool:
    """Return whether `given` is what the page shows; `...` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in wanted.strip().split("..."))
    return re.fullmatch(pattern, given.strip(), re.DOTALL) is not None


def test_page_holds_when_followed(kc: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "matplotlib" not in sys.modules:
        monkeypatch.setattr("kernelcraft_core.reports.figures.require", lambda: None)
        monkeypatch.setattr("kernelcraft_core.reports.figures.draw", lambda report, folder: [])
    count = 0
    for session in re.findall(r"^```console\n(.*?)^```$", HOW_TO, re.MULTILINE | re.DOTALL):
        for step in session.split("$ ")[1:]:
            command, _, wanted = step.partition("\n")
            words = shlex.split(command)[1:]
            result = kc(*words, *(["--jobs", "1"] if words[0] in ("bench", "rescore") else []))
            assert not wanted or matches(wanted, result.stdout), f"{command} printed\n{result.stdout}"
            count += 1
    assert count >= 13
    assert {"report.md", "report.json", "cells.csv"} <= {path.name for path in (tmp_path / "report").iterdir()}


def test_format_page_lists_the_keys_of_an_episode() -> None:
    table = FORMAT.split("one key more, `agent`:\n\n", 1)[1].split("\n\n", 1)[0]
    listed = [set(re.findall(r"`(\w+)`", line.split(" | ")[0])) for line in table.splitlines()[2:]]
    assert set().union(*listed) == set(checks.AGENT_SHAPE)
    assert set(checks.USAGE_SHAPE) <= set(re.findall(r"`(\w+)`", table))
