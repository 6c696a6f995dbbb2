"""The pages on runs say what runs hold: every key, every file, and the output of the commands they show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.evaluation import STATUSES
from kernelcraft_core.results import RunFolder

DOCS = Path(__file__).resolve().parents[2] / "docs"
FORMAT = (DOCS / "reference" / "run-folder.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to" / "run-the-benchmark.md").read_text(encoding="utf-8")


def keys(after: str) -> set[str]:
    """Return the keys of the first table behind a text."""
    table = next(part for part in FORMAT.split(after, 1)[1].split("\n\n") if part.startswith("| key"))
    first = (line.split(" | ")[0] for line in table.splitlines()[2:])
    return {key for cell in first for key in re.findall(r"`(\w+)`", cell)}


@pytest.fixture
def folder(kc: Any, tmp_path: Path) -> RunFolder:
    """Return a run of all kinds."""
    kc("bench", "--kind", "all", "--jobs", "1", "--out", str(tmp_path / "run"))
    return RunFolder.open(tmp_path / "run")


@pytest.mark.parametrize(
    ("after", "pick"),
    [
        ("## `run.json`", lambda r: r),
        ("\n`settings`:", lambda r: r["settings"]),
        ("entry of `cells`:", lambda r: r["cells"][0]),
    ],
)
def test_page_lists_exactly_the_keys_of_the_record(folder: RunFolder, after: str, pick: Any) -> None:
    assert keys(after) == set(pick(folder.record))


def test_page_lists_exactly_the_keys_of_a_sample(folder: RunFolder) -> None:
    for sample in folder.samples():
        assert keys("## Samples") == set(sample)
        for draw in sample["draws"]:
            assert all(f"`{key}`" in FORMAT for key in draw)


def test_page_names_all_statuses_and_files(folder: RunFolder) -> None:
    assert all(f"`{status}`" in FORMAT for status in STATUSES)
    tree = FORMAT.split("```text\n", 1)[1].split("```", 1)[0]
    assert {path.name for path in folder.path.iterdir()} <= set(re.findall(r"^([\w.]+)/? ", tree, re.MULTILINE))


def test_example_of_an_id_is_in_the_form_that_is_hashed() -> None:
    from kernelcraft_core.results import canonical

    text = FORMAT.split("```json\n", 1)[1].split("\n", 1)[0]
    assert canonical(json.loads(text)) == text


def test_output_on_the_how_to_page_is_what_the_command_prints(kc: Any) -> None:
    block = HOW_TO.split("```console\n", 1)[1].split("```", 1)[0]
    command, shown = block.split("\n", 1)
    shown, dots = shown.rsplit("...", 1)
    assert command.startswith("$ kc ")
    assert dots == "\n"
    assert kc(*command.split()[2:], "--jobs", "1").stdout.startswith(shown)
