"""The conformance kit for workloads on the toy target, and what it catches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks import Case, Tolerance
from kernelcraft_core.tasks.catalogue import Catalogue
from kernelcraft_core.testing.workloads import WorkloadConformance


class TestToyWorkloads(WorkloadConformance):
    target_name = "toy"
    configs = ("C1", "C2")


def _halved(case: Case) -> Case:
    golden = {"y": case.goldens["exact"]["y"] // np.uint32(2)}
    return attrs.evolve(case, goldens={"exact": golden})


DEFECTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a golden result that is not the task's": (
        "test_golden_result_is_near_the_reference",
        lambda w: attrs.evolve(w, draw=lambda seed, family: _halved(w.draw(seed, family))),
    ),
    "no reason for the tolerance": ("test_workload_is_described", lambda w: attrs.evolve(w, tolerance=Tolerance())),
    "a tolerance that lets everything pass": (
        "test_null_results_fail",
        lambda w: attrs.evolve(w, tolerance=Tolerance(atol=1e12, reason="none")),
    ),
    "another shape than the output says": (
        "test_golden_result_passes_and_is_finite",
        lambda w: attrs.evolve(w, outputs=[attrs.evolve(w.outputs[0], shape=(5,))]),
    ),
    "a task nobody has a kernel for": (
        "test_workload_has_a_baseline_and_kernels_of_known_kinds",
        lambda w: attrs.evolve(w, target="other"),
    ),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_kit_catches_a_defect(name: str) -> None:
    test, change = DEFECTS[name]
    evaluator = Evaluator(Catalogue(registry()))
    kit = TestToyWorkloads()
    broken = change(evaluator.catalogue.workload("toy", "triple", "C1"))
    kit._workload = lambda *args: broken  # type: ignore[method-assign]
    with pytest.raises((AssertionError, KeyError, ValueError)):
        getattr(kit, test)(evaluator, "triple/C1")
