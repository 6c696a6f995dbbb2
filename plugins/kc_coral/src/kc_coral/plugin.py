"""Hook implementations of the Coral plug-in: delegation only, nothing heavy is imported before it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kernelcraft_core import TargetInfo, hookimpl

if TYPE_CHECKING:
    from kc_coral.rtl import Rtl
    from kernelcraft_core.asm import Assembler
    from kernelcraft_core.isa import Extension, Isa
    from kernelcraft_core.sim import Machine
    from kernelcraft_core.tasks import BaselineCompiler, Workload

KC_API = 1


@hookimpl
def kc_targets() -> Iterable[TargetInfo]:
    """Return the one target this plug-in provides."""
    return [TargetInfo("coral", "Coral NPU", "RV32IM core with 128-bit integer vectors (Zve32x)")]


@hookimpl
def kc_isa(target: str) -> Isa | None:
    """Return the Coral ISA."""
    if target != "coral":
        return None
    from kc_coral.isa import ISA

    return ISA


@hookimpl
def kc_machines(target: str) -> Sequence[Machine] | None:
    """Return the Coral machines, the benchmark's first."""
    if target != "coral":
        return None
    from kc_coral.machine import MACHINES

    return MACHINES


@hookimpl
def kc_isa_extensions() -> Iterable[Extension]:
    """Return the extensions that come with the plug-in."""
    from kc_coral.isa import EXTENSIONS

    return EXTENSIONS


@hookimpl
def kc_assembler(target: str, isa: Isa) -> Assembler | None:
    """Return the core's assembler with the GNU dialect and Coral's memory map."""
    if target != "coral":
        return None
    from kc_coral.assembler import make_assembler

    return make_assembler(isa)


@hookimpl
def kc_simulator(target: str, isa: Isa, machine: Machine, backend: str) -> Rtl | None:
    """Return the back end `rtl`: a simulator binary that the user built."""
    if (target, backend) != ("coral", "rtl"):
        return None
    from kc_coral.rtl import open_rtl

    return open_rtl(isa, machine)


@hookimpl
def kc_docs(target: str) -> Mapping[str, str] | None:
    """Return the hand-written pages about Coral."""
    if target != "coral":
        return None
    from kc_coral.docs import pages

    return pages()


@hookimpl
def kc_workloads(target: str) -> Iterable[Workload] | None:
    """Return the tasks of KernelCraft laid out on Coral."""
    if target != "coral":
        return None
    from kc_coral.workloads import workloads

    return workloads()


@hookimpl
def kc_baseline_compiler(target: str) -> BaselineCompiler | None:
    """Return what has Coral's kernels."""
    if target != "coral":
        return None
    from kc_coral.kernels import Kernels

    return Kernels()
