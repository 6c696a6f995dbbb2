"""The page on episodes shows what the commands print, and names all files and tools."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.agent.signatures import NAMES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "work-an-episode.md").read_text(encoding="utf-8")
SHELL = re.compile(r"```console\n(.*?)```", re.DOTALL)


def steps() -> list[tuple[str, list[str]]]:
    """Return the commands of the page with the lines they show."""
    found: list[tuple[str, list[str]]] = []
    for block in SHELL.findall(PAGE):
        for line in block.splitlines():
            if line.startswith("$ kc "):
                found.append((line[5:], []))
            else:
                found[-1][1].append(line)
    return found


def test_commands_of_the_page_print_what_it_shows(kc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = PAGE.split("```asm\n", 1)[1].split("```", 1)[0]
    kernel = Path("kernel.asm")
    kernel.write_text(program)
    writes = 0
    for command, shown in steps():
        if "write_code" in command:
            writes += 1
            if writes == 2:
                kernel.write_text(program.replace("x2, 3", "x2, 4"))
        wrong = writes == 1 and "run_evaluation" in command
        printed = kc(*shlex.split(command), exit_code=int(wrong)).stdout.splitlines()
        if shown[-1:] == ["..."]:
            assert printed[: len(shown) - 1] == shown[:-1], command
            assert len(printed) >= len(shown) - 1
        else:
            assert printed == shown, command
    assert writes == 2
    assert len(steps()) > 8


def test_page_names_every_tool_and_file(kc: Any, tmp_path: Path) -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == {*NAMES, "lock"}
    files = set(re.findall(r"^\| `([\w.]+)/?` \|", PAGE, re.MULTILINE)) - set(NAMES)
    work = tmp_path / "work"
    kc("episode", "start", "--target", "toy", "--task", "triple", "--config", "C1", str(work))
    kc("tool", "write_code", "--episode", str(work), "--file", "-", input="halt")
    kc("tool", "run_evaluation", "--episode", str(work), exit_code=1)
    assert {path.name for path in work.iterdir()} < files
