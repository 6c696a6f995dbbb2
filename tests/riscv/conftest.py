"""The RV32 target of `kc_rv32.py`, one object for all tests."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.facade import Target, target
from kernelcraft_core.plugins import load
from kernelcraft_core.sim import Limits, RunResult

HERE = Path(__file__).parent


@cache
def rv32() -> Target:
    return target("rv32", registry=load(files=[HERE / "kc_rv32.py"], names=()))


@pytest.fixture
def rv() -> Target:
    return rv32()


@pytest.fixture
def run() -> Callable[..., RunResult]:
    """Return a function that assembles a program and runs it in both engines, which must agree on everything."""
    from kernelcraft_core.testing.compare import differences

    def both(text: str, state: dict[str, Any] | None = None, **options: Any) -> RunResult:
        program = rv32().assemble(text)
        options.setdefault("limits", Limits(instructions=100_000))
        runs = [rv32().simulate(program, state, engine=e, **options) for e in ("closures", "generated")]
        assert not differences(*runs)
        return runs[0]

    return both


@pytest.fixture
def encodings() -> list[tuple[str, list[int]]]:
    """Return (text, words) of the vectors; see their header for where they come from."""
    lines = [line for line in (HERE / "vectors" / "encodings.csv").read_text().splitlines() if line[:1] != "#"]
    return [(row[1], [int(word, 16) for word in row[2].split()]) for row in csv.reader(lines[1:])]
