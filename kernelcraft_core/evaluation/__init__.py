"""Scoring: a kernel against a workload.

`Evaluator` runs a kernel on secret inputs and returns an `Evaluation`: its status, how near its results are to the golden
ones, its cycles, and the bound and baseline they are measured by.
"""

from kernelcraft_core.evaluation.compare import Comparison, Mismatch, compare
from kernelcraft_core.evaluation.evaluator import Evaluator
from kernelcraft_core.evaluation.model import STATUSES, DrawResult, Evaluation
from kernelcraft_core.evaluation.seeds import DEVELOPMENT, Draw, new_salt, plan

__all__ = [
    "DEVELOPMENT",
    "STATUSES",
    "Comparison",
    "Draw",
    "DrawResult",
    "Evaluation",
    "Evaluator",
    "Mismatch",
    "compare",
    "new_salt",
    "plan",
]
