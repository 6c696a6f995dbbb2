"""Simulation: machines, storage, two engines, timing, results."""

from kernelcraft_core.sim.machine import Machine, Param
from kernelcraft_core.sim.result import Limits, RunResult, Trap
from kernelcraft_core.sim.simulator import Simulator
from kernelcraft_core.sim.timing import Rule, SequentialTiming, TimingModel

__all__ = [
    "Limits",
    "Machine",
    "Param",
    "Rule",
    "RunResult",
    "SequentialTiming",
    "Simulator",
    "TimingModel",
    "Trap",
]
