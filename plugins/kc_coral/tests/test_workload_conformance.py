"""The conformance kit for workloads on Coral."""

from __future__ import annotations

from kernelcraft_core.testing.workloads import WorkloadConformance


class TestCoralWorkloads(WorkloadConformance):
    target_name = "coral"
    mutants = 4
    test_golden_result_is_near_the_reference = None  # type: ignore[assignment]
    """Golden results are integers in steps of their own; test_goldens.py compares them with the references in reals."""
