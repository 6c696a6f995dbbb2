"""Kernels that must score nothing on toy triple/C1: each states why in its first line and the status it earns."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelcraft_core.evaluation import DEVELOPMENT, Evaluator, new_salt
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks.catalogue import Catalogue

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.asm"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_cheat_scores_nothing(path: Path) -> None:
    text = path.read_text()
    expected = text.splitlines()[1].removeprefix("# expect: ")
    evaluator = Evaluator(Catalogue(registry()))
    workload = evaluator.catalogue.workload("toy", "triple", "C1")
    score = evaluator.evaluate(workload, text, salt=new_salt(), draws=len(workload.families))
    assert score.status == expected
    assert not score.passed
    assert score.speedup is None


def test_constants_of_a_development_run_are_right_there_only() -> None:
    """Otherwise the cheat of that name would show nothing."""
    evaluator = Evaluator(Catalogue(registry()))
    workload = evaluator.catalogue.workload("toy", "triple", "C1")
    text = (Path(__file__).parent / "kernels" / "constants_of_a_development_run.asm").read_text()
    assert evaluator.evaluate(workload, text, salt=DEVELOPMENT, draws=1).passed


def test_there_are_cheats() -> None:
    assert len(KERNELS) >= 21
