"""Simulation: machines, storage, two engines, timing, results.

Codes of what can be wrong; they never change meaning.

| code | meaning |
| --- | --- |
| KC0401 | the simulated program trapped |
| KC0402 | a program was assembled for another ISA |
| KC0403 | an option of a run is not known |
| KC0404 | a limit is not usable |
| KC0501 | a machine has no such parameter |
| KC0502 | the value of a machine parameter does not fit |
| KC0503 | a machine parameter is fixed |
| KC0504 | a memory cannot be reserved |
| KC0510 | there is no such state |
| KC0511 | a preset has the wrong shape or type |
| KC0512 | a preset value or index is out of range |
| KC0513 | more data than the memory holds |
| KC0514 | a section of a program does not lie in a memory |
"""

from kernelcraft_core.sim.machine import Machine, Param
from kernelcraft_core.sim.pipeline import PipelineModel, Placed, Watch
from kernelcraft_core.sim.preset import MemoryView
from kernelcraft_core.sim.result import LimitInfo, Limits, Profile, RunResult, Trap, TrapInfo
from kernelcraft_core.sim.simulator import Simulator, prepare
from kernelcraft_core.sim.timing import Rule, SequentialTiming, TimingModel

__all__ = [
    "LimitInfo",
    "Limits",
    "Machine",
    "MemoryView",
    "Param",
    "PipelineModel",
    "Placed",
    "Profile",
    "Rule",
    "RunResult",
    "SequentialTiming",
    "Simulator",
    "TimingModel",
    "Trap",
    "TrapInfo",
    "Watch",
    "prepare",
]
