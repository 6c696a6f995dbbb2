"""What is benchmarked: tasks, which know no target, and workloads, which lay a task out on a target.

A task suite plug-in returns a `Suite` from `kc_tasks`; a target's plug-in returns its `Workload` records from
`kc_workloads` and a `BaselineCompiler` from `kc_baseline_compiler`.
"""

from kernelcraft_core.tasks.families import STANDARD, Family, standard_families
from kernelcraft_core.tasks.model import BUDGETS, Flag, Published, PublishedSuccess, Suite, Task, Tensor
from kernelcraft_core.tasks.workload import (
    KERNEL_KINDS,
    BaselineCompiler,
    Bound,
    Case,
    Kernel,
    Output,
    Tolerance,
    Workload,
)

__all__ = [
    "BUDGETS",
    "KERNEL_KINDS",
    "STANDARD",
    "BaselineCompiler",
    "Bound",
    "Case",
    "Family",
    "Flag",
    "Kernel",
    "Output",
    "Published",
    "PublishedSuccess",
    "Suite",
    "Task",
    "Tensor",
    "Tolerance",
    "Workload",
    "standard_families",
]
