"""The how-to page on extensions: its files are written, its commands run, their output compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelcraft_core.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "propose-an-extension.md").read_text(encoding="utf-8")
TOY = ROOT / "tests" / "fixtures" / "kc_toy" / "src" / "kc_toy" / "plugin.py"


def kc(command: str) -> tuple[int, str, str]:
    """Run one command line of the page on the toy target and return (exit code, output, errors)."""
    words = shlex.split(command)
    assert words[0] == "kc"
    runner = CliRunner(env={"KERNELCRAFT_PLUGINS": "none"})
    result = runner.invoke(main, ["--plugin-file", str(TOY), *words[1:]])
    return result.exit_code, result.stdout, result.stderr


def matches(wanted: str, given: str) -> bool:
    """Return whether `given` is what the page shows; `...` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in wanted.strip().split("..."))
    return re.fullmatch(pattern, given.strip(), re.DOTALL) is not None


def test_page_holds_when_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"`(\w+\.\w+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["Xfma.toml", "base.asm", "fma.asm"]
    sessions = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    count = 0
    for session in sessions:
        for step in session.split("$ ")[1:]:
            command, _, wanted = step.partition("\n")
            code, output, errors = kc(command)
            assert code == 0, f"{command}: {errors}"
            assert matches(wanted, output), f"{command} printed\n{output}"
            count += 1
    assert count >= 7


def test_error_on_the_page_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "Xfma.toml").write_text(text.replace('x[rs2]"', 'x[rs3]"'))
    code, output, errors = kc("kc isa check Xfma.toml")
    (wanted,) = re.findall(r"^```text\n(Xfma.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert (code, output, errors) == (1, "", wanted)
