"""The README's first command does what the README shows."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

import kernelcraft_core as kc
from kernelcraft_core.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "plena_silu.asm"


def test_the_readme_shows_the_real_output() -> None:
    arguments = ["sim", str(EXAMPLE), "--target", "plena", "--preset", "fp_mem[1]=1.0", "--profile"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    assert shown.strip() in result.stdout


def test_the_example_takes_the_published_cycles() -> None:
    unit = kc.target("plena")
    result = unit.simulate(unit.assemble(EXAMPLE.read_bytes(), str(EXAMPLE)), {"fp_mem": [0, 1.0]})
    assert (result.status, result.cycles) == ("halted", 92)
