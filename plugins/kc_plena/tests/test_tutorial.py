"""The tutorial, followed from top to bottom: files written, commands and snippets run, output compared."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kernelcraft_core as kc
from kernelcraft_core.cli.main import main

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "tutorial" / "first-kernel.md").read_text(encoding="utf-8")
PIECES = list(re.finditer(r"^```([\w-]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def matches(wanted: str, given: str) -> bool:
    """Return whether `given` is what the page shows; a line `...` stands for anything."""
    pattern = ".*".join(re.escape(part.strip()) for part in re.split(r"^\.\.\.$", wanted.strip(), flags=re.MULTILINE))
    return re.fullmatch(pattern, given.strip(), re.DOTALL) is not None


def test_tutorial_holds_when_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    printed, done = "", []
    for piece in PIECES:
        language, text = piece.groups()
        if language.startswith("asm"):
            name = re.findall(r"`(\w+\.asm)`", PAGE[: piece.start()])[-1]
            (tmp_path / name).write_text(text)
        elif language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, "tutorial", "exec"), space)  # noqa: S102 - the page is ours
            printed = out.getvalue()
        elif language == "text":
            assert printed.strip() == text.strip()
        else:
            assert language == "console"
            for step in text.split("$ ")[1:]:
                command, _, wanted = step.partition("\n")
                words = shlex.split(command)
                assert words[0] == "kc"
                result = CliRunner().invoke(main, words[1:])
                assert isinstance(result.exception, SystemExit | None), result.exception
                assert matches(wanted, result.stderr + result.stdout), f"{command} printed\n{result.output}"
                assert result.exit_code == (1 if words[2] in ("mistakes.asm", "trap.asm") else 0)
        done.append(language)
    assert done.count("console") == 4
    assert done.count("python") == 6
    assert done.count("text") == 6


def test_kernels_of_the_tutorial_assemble() -> None:
    texts = [piece[2] for piece in PIECES if piece[1] == "asm"]
    assert len(texts) == 3
    for text in texts:
        assert len(kc.target("plena").assemble(text)) > 0
