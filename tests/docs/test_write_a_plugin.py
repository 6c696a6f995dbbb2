"""The how-to page on plug-ins: its file is written and loaded, its commands run, its Python executed."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.facade import target
from kernelcraft_core.testing.conformance import TargetConformance

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "write-a-plugin.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the page's files, which is also the working directory."""
    (tmp_path / "counter.py").write_text(blocks("python")[0])
    (tmp_path / "sum.asm").write_text(blocks("asm")[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERNELCRAFT_PLUGINS", "none")
    return tmp_path


def matches(wanted: str, given: str) -> bool:
    """Return whether `given` is what the page shows; `...` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in wanted.strip().split("..."))
    return re.fullmatch(pattern, given.strip(), re.DOTALL) is not None


@pytest.mark.usefixtures("folder")
def test_commands_of_the_page_work(kc: Callable[..., Any]) -> None:
    count = 0
    for session in blocks("console"):
        for step in session.split("$ ")[1:]:
            command, _, wanted = step.partition("\n")
            output = kc(*shlex.split(command)[1:]).stdout
            assert matches(wanted, output), f"{command} printed\n{output}"
            count += 1
    assert count >= 7


@pytest.mark.usefixtures("folder")
def test_python_of_the_page_works() -> None:
    scope: dict[str, Any] = {}
    exec(blocks("python")[1], scope)  # noqa: S102
    assert (scope["result"].status, scope["result"].cycles) == ("halted", 3 + 10 * 3 + 1)


@pytest.mark.usefixtures("folder")
def test_default_machine_is_the_slow_one() -> None:
    from kernelcraft_core.plugins import load

    counter = target("counter", registry=load(["counter.py"], names=()))
    program = counter.assemble(Path("sum.asm").read_text())
    assert counter.simulate(program).cycles == 3 + 10 * (4 + 4 + 1) + 1
    assert counter.disassemble(program).splitlines()[-1].strip() == "stop"


class TestCounter(TargetConformance):
    """What the page calls complete passes the conformance kit."""

    target_name = "counter"
    programs = 40

    @pytest.fixture(autouse=True)
    def _plugin(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KERNELCRAFT_PLUGIN_FILES", os.fspath(folder / "counter.py"))


def test_pyproject_of_the_page_is_like_those_here() -> None:
    text = next(block for block in blocks("toml") if "[project]" in block)
    shown = tomllib.loads(text)
    ours = tomllib.loads((ROOT / "plugins" / "kc_plena" / "pyproject.toml").read_text(encoding="utf-8"))
    assert shown["build-system"] == ours["build-system"]
    assert set(shown["project"]["entry-points"]) == {"kernelcraft"} == set(ours["project"]["entry-points"])
    assert shown["project"]["dependencies"][0] in ours["project"]["dependencies"]
