"""Making the kernels of a target's compiler again: what a plug-in offers for it, and finding it.

Codes of this module; they never change meaning.

| code | meaning |
| --- | --- |
| KC0630 | no compiler that makes a target's kernels is installed, or not the one asked for |
| KC0631 | a compiler fails on a kernel's source |
| KC0632 | the kernels of a target are not made by a compiler |
| KC0633 | a target's plug-in fails where it is asked for its compiler |
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError, PluginError, did_you_mean
from kernelcraft_core.hooks import explain
from kernelcraft_core.tasks.workload import BaselineCompiler, Workload

if TYPE_CHECKING:
    from kernelcraft_core.tasks.catalogue import Catalogue


class Builder(Protocol):
    """A compiler that is installed and makes the kernels of a target."""

    @property
    def name(self) -> str:
        """Return the compiler's name and version, for people."""
        ...

    @property
    def folder(self) -> Path:
        """Return where the target's package keeps what was made."""
        ...

    def file(self, workload: Workload) -> str:
        """Return the name of a kernel's file in the folder."""
        ...

    def make(self, workload: Workload) -> str:
        """Return the assembly of a kernel, with what made it in comments.

        Raises:
            EvaluationError: KC0631 the compiler fails.
        """
        ...


@runtime_checkable
class RebuildingCompiler(BaselineCompiler, Protocol):
    """A `BaselineCompiler` whose kernels can be made again from source."""

    @property
    def compilers(self) -> Sequence[str]:
        """Return the names that `builder` takes."""
        ...

    def builder(self, compiler: str | None = None) -> Builder:
        """Return an installed compiler: the one named, or the first that is there.

        Raises:
            PluginError: KC0630 there is none.
        """
        ...


def rebuilding(catalogue: Catalogue, target: str) -> RebuildingCompiler | None:
    """Return what makes a target's kernels again, None when nothing does.

    Raises:
        PluginError: KC0305 no such target.
    """
    catalogue.workloads(target)
    found: Any = catalogue.registry.hook.kc_baseline_compiler(target=target)
    return found if isinstance(found, RebuildingCompiler) else None


def builder_of(catalogue: Catalogue, target: str, compiler: str | None = None) -> Builder:
    """Return an installed compiler that makes a target's kernels.

    Raises:
        PluginError: KC0305 no such target, KC0630 no such compiler, KC0632 it has none, KC0633 its plug-in fails.
    """
    made_by = rebuilding(catalogue, target)
    if made_by is None:
        message = f"the kernels of {target} are not made by a compiler: there is nothing to build"
        raise PluginError(
            Diagnostic("KC0632", message, hint=f"`kc baseline list --target {target}` says what they are")
        )
    if compiler is not None and compiler not in made_by.compilers:
        known = ", ".join(made_by.compilers)
        hint = did_you_mean(compiler, made_by.compilers) or f"it takes {known}"
        raise PluginError(Diagnostic("KC0630", f"{target} has no use for a compiler called {compiler!r}", hint=hint))
    try:
        return made_by.builder(compiler)
    except KernelCraftError:
        raise
    except Exception as error:
        message = f"{target}: its compiler cannot be had: {explain(error)}"
        raise PluginError(Diagnostic("KC0633", message, hint="this is a mistake in the target's plug-in")) from error
