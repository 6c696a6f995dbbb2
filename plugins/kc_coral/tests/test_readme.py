"""What the README shows of Coral is what the command prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelcraft_core.cli.main import main

README = Path(__file__).resolve().parents[3] / "README.md"


def test_readme_shows_the_real_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cycles of tables that are looked up, such as softmax's, depend on the inputs; all others do not."""
    monkeypatch.setenv("KERNELCRAFT_PLUGINS", "coral,tasks")
    result = CliRunner().invoke(main, ["bench", "--target", "coral", "--config", "C1", "--level", "3", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    text = README.read_text(encoding="utf-8")
    assert "coral (machine rtl), compiler kernels" in text
    row = next(line for line in result.stdout.splitlines() if line.strip().startswith("ConvBlock"))
    assert next(line for line in text.splitlines() if line.strip().startswith("ConvBlock")).split() == row.split()
