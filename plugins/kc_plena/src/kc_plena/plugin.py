"""Hook implementations of the PLENA plug-in: delegation only, nothing heavy is imported before it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kernelcraft_core import TargetInfo, hookimpl

if TYPE_CHECKING:
    from kernelcraft_core.isa import Extension, Isa
    from kernelcraft_core.sim import Machine
    from kernelcraft_core.tasks import BaselineCompiler, Workload

KC_API = 1


@hookimpl
def kc_targets() -> Iterable[TargetInfo]:
    """Return the one target this plug-in provides."""
    return [TargetInfo("plena", "PLENA NPU", "matrix/vector NPU with hardware loops and MXFP8 memory")]


@hookimpl
def kc_isa(target: str) -> Isa | None:
    """Return the PLENA ISA, profile kc."""
    if target != "plena":
        return None
    from kc_plena.isa import ISA

    return ISA


@hookimpl
def kc_machines(target: str) -> Sequence[Machine] | None:
    """Return the PLENA machines, `kc` first."""
    if target != "plena":
        return None
    from kc_plena.machine import MACHINES

    return MACHINES


@hookimpl
def kc_isa_extensions() -> Iterable[Extension]:
    """Return the extensions that come with the plug-in."""
    from kc_plena.extensions import EXTENSIONS

    return EXTENSIONS


@hookimpl
def kc_assembler(target: str, isa: Isa) -> Any:
    """Return the core's assembler with PLENA's dialect and static checks."""
    if target != "plena":
        return None
    from kc_plena.assembler import make_assembler

    return make_assembler(isa)


@hookimpl
def kc_docs(target: str) -> Mapping[str, str] | None:
    """Return the hand-written pages about PLENA."""
    if target != "plena":
        return None
    from kc_plena.docs import pages

    return pages()


@hookimpl
def kc_workloads(target: str) -> Iterable[Workload] | None:
    """Return the tasks of KernelCraft laid out on PLENA."""
    if target != "plena":
        return None
    from kc_plena.workloads import workloads

    return workloads()


@hookimpl
def kc_baseline_compiler(target: str) -> BaselineCompiler | None:
    """Return what makes PLENA's kernels."""
    if target != "plena":
        return None
    from kc_plena.kernels import Kernels

    return Kernels()
