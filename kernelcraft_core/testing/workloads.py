"""The conformance kit for workloads: what every target that is scored must do.

```python
class TestMine(WorkloadConformance):
    target_name = "mine"
```
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import numpy as np
import pytest

from kernelcraft_core.evaluation import DEVELOPMENT, Evaluator, compare, new_salt, plan
from kernelcraft_core.evaluation.bite import check, check_nulls
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks import KERNEL_KINDS, Workload
from kernelcraft_core.tasks.catalogue import Catalogue


class WorkloadConformance:
    """Base class; see the class attributes for what a target states."""

    target_name: ClassVar[str]
    configs: ClassVar[tuple[str, ...]] = ("C1",)
    """Configurations whose kernels are run on every input family, and mutated."""
    mutants: ClassVar[int] = 20
    least_killed: ClassVar[float] = 0.75
    """Share of differing mutants that each kernel must lose; over all kernels ask `kc tasks check` for 97 %."""
    reference_error: ClassVar[float] = 0.02
    """Largest relative L2 distance of the best golden result from the task's reference, on standard inputs."""
    _evaluator: ClassVar[Evaluator]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Run a test once for each workload, or for each of the chosen configurations."""
        known = Catalogue(registry()).workloads(metafunc.cls.target_name)
        if "workload_name" in metafunc.fixturenames:
            metafunc.parametrize("workload_name", [w.name for w in known.values()])
        if "chosen_name" in metafunc.fixturenames:
            metafunc.parametrize("chosen_name", [w.name for w in known.values() if w.config in metafunc.cls.configs])

    @pytest.fixture
    def evaluator(self) -> Evaluator:
        """Return an evaluator; one per class."""
        cls = type(self)
        if "_evaluator" not in cls.__dict__:
            cls._evaluator = Evaluator(Catalogue(registry()))
        return cls._evaluator

    def _workload(self, evaluator: Evaluator, name: str) -> Workload:
        return evaluator.catalogue.workload(self.target_name, *name.split("/"))

    def test_workload_is_described(self, evaluator: Evaluator, workload_name: str) -> None:
        workload = self._workload(evaluator, workload_name)
        assert workload.tolerance.reason
        assert workload.layout.strip()
        assert all(output.where for output in workload.outputs)
        bound = workload.bound(evaluator.target(workload).machine.values)
        assert bound.cycles >= 1
        assert bound.reason

    def test_workload_has_a_baseline_and_kernels_of_known_kinds(self, evaluator: Evaluator, workload_name: str) -> None:
        workload = self._workload(evaluator, workload_name)
        kernels = evaluator.catalogue.kernels(workload)
        assert kernels, "no kernel is known to be right"
        assert kernels[0].passes
        assert all(kernel.kind in KERNEL_KINDS and kernel.origin for kernel in kernels)
        assert kernels[0].source() == kernels[0].source()

    def test_golden_result_is_near_the_reference(self, evaluator: Evaluator, chosen_name: str) -> None:
        workload = self._workload(evaluator, chosen_name)
        task = evaluator.catalogue.task(workload.task)
        case = evaluator.case(workload, plan(workload, "reference")[0])
        names = {tensor.name for tensor in task.inputs}
        inputs = {name: values for name, values in case.inputs.items() if name in names}
        expected = task.compute(inputs, workload.parameters, workload.flags)
        errors = []
        for golden in case.goldens.values():
            pairs = [(golden[name].astype(np.float64), expected[name].astype(np.float64)) for name in golden]
            assert all(a.shape == b.shape for a, b in pairs)
            errors.append(max(float(np.linalg.norm(a - b)) / max(float(np.linalg.norm(b)), 1e-30) for a, b in pairs))
        assert min(errors) <= self.reference_error

    def test_golden_result_passes_and_is_finite(self, evaluator: Evaluator, chosen_name: str) -> None:
        workload = self._workload(evaluator, chosen_name)
        case = evaluator.case(workload, plan(workload, DEVELOPMENT)[0])
        for golden in case.goldens.values():
            assert compare(golden, case.goldens, workload.tolerance).passed
            for output in workload.outputs:
                assert golden[output.name].shape == output.shape
                assert golden[output.name].dtype == np.dtype(output.dtype)
                assert np.isfinite(golden[output.name].astype(np.float64)).all()

    def test_null_results_fail(self, evaluator: Evaluator, chosen_name: str) -> None:
        tried, passing = check_nulls(evaluator, self._workload(evaluator, chosen_name), new_salt())
        assert tried >= 6
        assert passing == ()

    def test_kernels_pass_on_every_family_unless_known_to_be_wrong(
        self, evaluator: Evaluator, chosen_name: str
    ) -> None:
        workload = self._workload(evaluator, chosen_name)
        for kernel in evaluator.catalogue.kernels(workload):
            score = evaluator.evaluate(
                workload, kernel.source(), salt=new_salt(), draws=max(2, len(workload.families)), filename=kernel.kind
            )
            assert score.passed is kernel.passes, (kernel.kind, score.as_dict())
            if kernel.passes:
                assert score.bound_share is not None
                assert score.bound_share <= 1

    def test_mutants_of_the_baseline_die(self, evaluator: Evaluator, chosen_name: str) -> None:
        workload = self._workload(evaluator, chosen_name)
        bite = check(evaluator, workload, evaluator.catalogue.kernel(workload), self.mutants, DEVELOPMENT)
        assert bite.mutants >= min(self.mutants, 5)
        survivors = Counter(mutant.kind for mutant in bite.survivors)
        assert bite.kill_rate is not None
        assert bite.kill_rate >= self.least_killed, survivors
