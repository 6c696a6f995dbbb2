"""The core's own plug-in: the table-driven assembler and simulator, for targets that bring no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelcraft_core import hookimpl
from kernelcraft_core.hookspecs import CORE

if TYPE_CHECKING:
    from kernelcraft_core.asm import Assembler
    from kernelcraft_core.isa import Isa
    from kernelcraft_core.sim import Machine, Simulator

KC_API = 1


@hookimpl(trylast=True)
def kc_assembler(isa: Isa) -> Assembler:
    """Return the table-driven assembler in the default dialect."""
    from kernelcraft_core.asm import Assembler

    return Assembler(isa)


@hookimpl(trylast=True)
def kc_simulator(isa: Isa, machine: Machine, backend: str) -> Simulator | None:
    """Return the table-driven simulator, back end `core`."""
    if backend != CORE:
        return None
    from kernelcraft_core.sim import Simulator

    return Simulator(isa, machine)
