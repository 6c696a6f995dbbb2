"""The README's first command prints what the README shows, and the example kernel takes the published time."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelcraft_core as kc
from kernelcraft_core.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "plena_silu.asm"


README = ROOT / "README.md"


def _shown(start: str) -> list[str]:
    """Return the lines of the README's text block after a sentence."""
    return (
        README.read_text(encoding="utf-8").split(start, 1)[1].split("```text\n", 1)[1].split("```", 1)[0].splitlines()
    )


def _bench(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the README's first command prints where only what it installs is there."""
    monkeypatch.setenv("KERNELCRAFT_PLUGINS", "plena,tasks")
    result = CliRunner().invoke(main, ["bench", "--config", "C1", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    return result.stdout.rstrip().splitlines()


def test_the_readme_shows_the_real_output(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = _bench(monkeypatch)
    assert "\n".join(printed) in "\n".join(_shown("It verifies and times"))
    cells = {line.rsplit(None, 2)[0].strip(): line.split()[-2:] for line in printed if line.endswith("%")}
    whole = _shown("prints, in cycles:")
    for name, cell in cells.items():
        row = next(line for line in whole if line.strip().startswith(f"{name}  "))
        assert row.strip().removeprefix(name).split()[:2] == cell, name
    assert "passed 101 of 101 (0 harness errors)" in whole


def test_the_example_takes_the_published_cycles() -> None:
    unit = kc.target("plena")
    result = unit.simulate(unit.assemble(EXAMPLE.read_bytes(), str(EXAMPLE)), {"fp_mem": [0, 1.0]})
    assert (result.status, result.cycles) == ("halted", 92)
