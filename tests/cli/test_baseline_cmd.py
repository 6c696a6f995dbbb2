"""`kc baseline`: listing, printing and rebuilding the kernels that come with a target, on the toy target."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kc_toy.tasks import Kernels
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, PluginError

Kc = Callable[..., Any]


class Builder:
    """A compiler that makes what it is told to."""

    name = "fake 1"

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        self.text = text

    def file(self, workload: Any) -> str:
        return f"{workload.task}_{workload.config}.s"

    def make(self, workload: Any) -> str:
        if self.text == "fails":
            raise EvaluationError(Diagnostic("KC0631", "k.c:1: no such thing"))
        return f"{workload.name} {self.text}"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Any], Path]:
    """Return a function that gives the toy target a compiler that makes a text, or none when there is no text."""

    def give(text: Any) -> Path:
        def builder(self: Any, compiler: str | None = None) -> Builder:
            if text is None:
                raise PluginError(Diagnostic("KC0630", "no compiler is installed"))
            return Builder(tmp_path / "kept", text)

        monkeypatch.setattr(Kernels, "compilers", ("fake", "other"), raising=False)
        monkeypatch.setattr(Kernels, "builder", builder, raising=False)
        return tmp_path / "kept"

    return give


def test_list_names_kind_baseline_and_origin(kc: Kc) -> None:
    rows = json.loads(kc("baseline", "list", "--target", "toy", "--config", "c1", "--json").stdout)["kernels"]
    assert [(r["kind"], r["baseline"]) for r in rows] == [("compiler", True), ("expert", False), ("published", False)]
    assert all(r["origin"] for r in rows)
    shown = kc("baseline", "list", "--target", "toy").stdout.splitlines()
    assert shown[0].split() == ["TARGET", "TASK", "CONFIG", "KIND", "BASELINE", "ORIGIN"]
    assert len(shown) == 7


def test_show_prints_the_kernel_that_is_scored(kc: Kc, tmp_path: Path) -> None:
    cell = ("--target", "toy", "--task", "triple", "--config", "c1")
    text = kc("baseline", "show", *cell, "--kind", "expert").stdout
    assert text != kc("baseline", "show", *cell).stdout
    entry = json.loads(kc("baseline", "show", *cell, "--kind", "expert", "--json").stdout)
    assert (entry["kind"], entry["source"].rstrip("\n")) == ("expert", text.rstrip("\n"))
    kc("baseline", "show", *cell, "--kind", "expert", "--out", str(tmp_path / "k.s"))
    kc("eval", *cell, str(tmp_path / "k.s"))
    assert (tmp_path / "k.s").read_text(encoding="utf-8").rstrip("\n") == text.rstrip("\n")


def test_build_writes_compares_and_reports(kc: Kc, compiled: Callable[[Any], Path]) -> None:
    folder = compiled("a")
    build = ("baseline", "build", "--target", "toy")
    assert "differs: triple_C1.s" in kc(*build, "--check", exit_code=1).stdout
    assert not folder.exists()
    assert kc(*build, "--config", "C2").stdout.splitlines()[-1] == "1 kernels, 1 of them changed"
    assert [file.name for file in folder.iterdir()] == ["triple_C2.s"]
    kc(*build, "--config", "C2", "--check")
    written = (folder / "triple_C2.s").stat().st_mtime_ns
    assert kc(*build, "--config", "C2").stdout.splitlines()[-1] == "1 kernels, 0 of them changed"
    assert (folder / "triple_C2.s").stat().st_mtime_ns == written
    compiled("b")
    entry = json.loads(kc(*build, "--config", "C2", "--check", "--json", exit_code=1).stdout)
    assert [k["changed"] for k in entry["kernels"]] == [True]
    assert entry["compiler"] == "fake 1"
    kc(*build, "--out", str(folder.parent / "elsewhere"))
    assert len(list((folder.parent / "elsewhere").iterdir())) == 2


@pytest.mark.parametrize(
    ("text", "options", "code", "message"),
    [
        (None, (), 3, "KC0630"),
        ("a", ("--compiler", "othr"), 3, "other"),
        ("fails", (), 1, "no such thing"),
        ("a", ("--task", "nothing"), 3, "KC0603"),
        ("a", ("--config", "C9"), 3, "no workload is of these"),
    ],
)
def test_build_that_cannot_be_done_is_explained(
    kc: Kc, compiled: Callable[[Any], Path], text: Any, options: tuple[str, ...], code: int, message: str
) -> None:
    folder = compiled(text)
    done = kc("baseline", "build", "--target", "toy", *options, exit_code=code)
    assert message in done.stderr
    assert not folder.exists()


def test_build_of_a_target_without_a_compiler_says_so(kc: Kc) -> None:
    assert "KC0632" in kc("baseline", "build", "--target", "toy", exit_code=3).stderr


def test_build_where_the_plugin_fails_names_it(kc: Kc, compiled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled("a")
    monkeypatch.setattr(Kernels, "builder", lambda self, compiler=None: 1 / 0)
    assert "KC0633" in kc("baseline", "build", "--target", "toy", exit_code=3).stderr
