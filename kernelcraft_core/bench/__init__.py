"""Benchmark runs: which kernels are scored on which workloads, scoring them in processes, and recording what comes out.

`Settings` say what is wanted, `make_plan` makes cells of it, `start` or `resume` opens the run folder and `run` scores what
has no score yet.
"""

from kernelcraft_core.bench.given import find_kernels
from kernelcraft_core.bench.plan import ALL, BASELINE, Cell, Plan, Settings, all_workloads, make_plan
from kernelcraft_core.bench.record import resume, start
from kernelcraft_core.bench.runner import run
from kernelcraft_core.bench.scoring import Workers

__all__ = [
    "ALL",
    "BASELINE",
    "Cell",
    "Plan",
    "Settings",
    "Workers",
    "all_workloads",
    "find_kernels",
    "make_plan",
    "resume",
    "run",
    "start",
]
