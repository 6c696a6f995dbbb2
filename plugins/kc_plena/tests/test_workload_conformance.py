"""The conformance kit for workloads on PLENA."""

from __future__ import annotations

from kernelcraft_core.testing.workloads import WorkloadConformance


class TestPlenaWorkloads(WorkloadConformance):
    target_name = "plena"
