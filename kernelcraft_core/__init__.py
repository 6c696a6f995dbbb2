"""KernelCraft: describe a processor once; assemble, simulate and score kernels for it.

The names below are the stable interface for scripts and plug-ins. Those that need more than this module are imported
when they are first used, so `import kernelcraft_core` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pluggy import HookimplMarker

if TYPE_CHECKING:
    from kernelcraft_core.diagnostics import AssemblyError as AssemblyError
    from kernelcraft_core.diagnostics import Diagnostic as Diagnostic
    from kernelcraft_core.diagnostics import IsaError as IsaError
    from kernelcraft_core.diagnostics import KernelCraftError as KernelCraftError
    from kernelcraft_core.diagnostics import MachineError as MachineError
    from kernelcraft_core.diagnostics import PluginError as PluginError
    from kernelcraft_core.diagnostics import SimulationError as SimulationError
    from kernelcraft_core.diagnostics import Span as Span
    from kernelcraft_core.facade import Limits as Limits
    from kernelcraft_core.facade import RunResult as RunResult
    from kernelcraft_core.facade import Target as Target
    from kernelcraft_core.facade import target as target
    from kernelcraft_core.target_info import TargetInfo as TargetInfo

__version__ = "0.1.0"

KC_API = 1
"""Version of the plug-in contract (hookspecs.py). A plug-in states the one it was written for as its own `KC_API`."""

hookimpl = HookimplMarker("kernelcraft")
"""Decorator that marks a function of a plug-in as the implementation of the hook it is named after."""

_HOMES = {
    "AssemblyError": "diagnostics",
    "Diagnostic": "diagnostics",
    "IsaError": "diagnostics",
    "KernelCraftError": "diagnostics",
    "Limits": "facade",
    "MachineError": "diagnostics",
    "PluginError": "diagnostics",
    "RunResult": "facade",
    "SimulationError": "diagnostics",
    "Span": "diagnostics",
    "Target": "facade",
    "TargetInfo": "target_info",
    "target": "facade",
}

__all__ = [
    "KC_API",
    "AssemblyError",
    "Diagnostic",
    "IsaError",
    "KernelCraftError",
    "Limits",
    "MachineError",
    "PluginError",
    "RunResult",
    "SimulationError",
    "Span",
    "Target",
    "TargetInfo",
    "__version__",
    "hookimpl",
    "target",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
