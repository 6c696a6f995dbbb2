"""The commands on the toy target, without the plug-in machinery: a stand-in registry in the click context."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kc_toy.isa import ISA, MACHINE
from kernelcraft_core.isa import Extension, Instr

DOUBLE = Extension(
    "Xdouble",
    "toy",
    instrs=(
        Instr(
            "dbl rd:x, rs1:x",
            encoding="-{20} rs1 rd 1001",
            semantics="x[rd] = x[rs1] << 1",
            category="alu",
            unit="alu",
            doc="Doubles a register.",
            examples=("dbl x1, x2",),
        ),
    ),
)


def _assembler(target: str, isa: Any) -> Any:
    from kernelcraft_core.asm import Assembler

    return Assembler(isa)


def _simulator(target: str, isa: Any, machine: Any, backend: str) -> Any:
    from kernelcraft_core.sim.simulator import Simulator

    return Simulator(isa, machine)


@pytest.fixture
def registry() -> Any:
    """Return a registry that knows the target `toy` and the extension `Xdouble`."""
    hook = SimpleNamespace(
        kc_isa=lambda target: ISA,
        kc_machines=lambda target: [MACHINE],
        kc_isa_extensions=lambda: [[DOUBLE]],
        kc_assembler=_assembler,
        kc_simulator=_simulator,
        kc_docs=lambda target: [{"guide.md": "# Guide\n\nRead me.\n"}],
    )
    return SimpleNamespace(targets={"toy": object()}, hook=hook)


Run = Callable[..., Result]


@pytest.fixture
def run(registry: Any) -> Run:
    """Return a function that runs a command and fails on a traceback."""

    def invoke(command: Any, *args: str, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(command, list(args), input=stdin, obj=registry)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke
