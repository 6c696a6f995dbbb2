"""What all core tests share: only the fixture plug-in `kc_toy` is loaded, whatever else is installed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kernelcraft_core import plugins

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(autouse=True)
def only_toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Load the toy plug-in only, and nothing that the environment of whoever runs the tests names."""
    for name in list(os.environ):
        if name.startswith("KERNELCRAFT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("KERNELCRAFT_PLUGINS", "toy")
    yield
    plugins.configure()


@pytest.fixture
def kc() -> Callable[..., Result]:
    """Return a function that runs `kc` in this process and fails on an exception that is not an exit."""
    from kernelcraft_core.cli.main import main

    def run(*args: str, exit_code: int | None = 0, env: dict[str, str | None] | None = None, **more: Any) -> Result:
        result = CliRunner().invoke(main, list(args), env=env, **more)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if exit_code is not None:
            assert result.exit_code == exit_code, (result.stdout, result.stderr)
        return result

    return run


@pytest.fixture
def fixtures() -> Path:
    """Return the folder with the fixture files."""
    return FIXTURES


class Distributions:
    """Makes distributions that importlib.metadata finds: metadata and modules in a folder that is put on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, points: dict[str, str], version: str = "1.0", **modules: str) -> Path:
        """Write the distribution's metadata, its entry points (name -> value) and its modules (name -> source)."""
        return self.write(name, "".join(f"{key} = {value}\n" for key, value in points.items()), version, **modules)

    def write(self, name: str, points: str, version: str = "1.0", **modules: str) -> Path:
        """Write them with the text of the entry-point group as it is."""
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[kernelcraft]\n{points}")
        for module, source in modules.items():
            (self.folder / f"{module}.py").write_text(source)
        return info


@pytest.fixture
def distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distributions]:
    """Return a maker of distributions; their modules are forgotten after the test."""
    import sys

    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delenv("KERNELCRAFT_PLUGINS")
    before = set(sys.modules)
    yield Distributions(folder)
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(sys.modules[name].__file__).startswith(str(folder)):
            del sys.modules[name]
