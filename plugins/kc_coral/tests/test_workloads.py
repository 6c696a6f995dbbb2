"""Workloads: what there is, that draws depend on their seed alone, and what is looked at after a run."""

from __future__ import annotations

import numpy as np
import pytest

from kc_coral.plugin import kc_workloads
from kc_coral.shapes import CONFIGS, EXTERNAL, EXTERNAL_BYTES, TASKS, layout
from kc_coral.start import STACK
from kc_coral.workloads import workloads
from kc_coral.workloads.cases import stray_store
from kc_coral.workloads.families import FAMILIES as OF_TASK
from kc_coral.workloads.families import activations
from kc_tasks.suite import SUITE
from kernelcraft_core.evaluation import DEVELOPMENT, plan
from kernelcraft_core.evaluation.nulls import passing_null
from kernelcraft_core.tasks import standard_families

WORKLOADS = {w.name: w for w in workloads()}
SLUGS = {task.slug: task for task in SUITE.tasks}
FAMILIES = {family.name: family for family in standard_families()}
STANDARD = FAMILIES["standard"]
SMALL = [name for name in WORKLOADS if name.endswith("/C1")]


class Memory:
    """Bytes of a memory, read as those of a final state."""

    def __init__(self, data, base=EXTERNAL):
        self.data = data
        self.base = base

    def at(self, address, length):
        return self.data[address - self.base : address - self.base + length]


def finished(workload, case):
    """Return the final state that a right kernel leaves."""
    place = layout(workload.task, workload.config)
    data = case.state["external"][EXTERNAL].copy()
    start = place.output.address - EXTERNAL
    data[start : start + place.output.size] = case.goldens["exact"]["Y"].view(np.uint8).ravel()
    return {"external": Memory(data), "dtcm": Memory(case.state["dtcm"][STACK].copy(), STACK)}


def test_there_is_a_workload_for_each_task_and_configuration():
    assert set(WORKLOADS) == {f"{task}/{config}" for task in TASKS for config in CONFIGS}
    assert len(WORKLOADS) == 75
    assert {w.target for w in WORKLOADS.values()} == {"coral"}
    assert kc_workloads(target="plena") is None
    assert len(tuple(kc_workloads(target="coral"))) == 75


@pytest.mark.parametrize("name", list(WORKLOADS))
def test_workload_fits_its_task(name):
    workload = WORKLOADS[name]
    task = SLUGS[workload.task]
    assert workload.families[0] == "standard"
    assert set(workload.families) <= set(task.family_names)
    assert dict(task.resolved(workload.flags)).items() >= dict(workload.flags).items()
    assert [o.shape for o in workload.outputs] == [t.dimensions(workload.parameters) for t in task.outputs]
    assert workload.limits.cycles == 5_000_000
    assert (workload.tolerance.atol, workload.tolerance.rtol, workload.tolerance.max_ulp) == (0, 0, None)


@pytest.mark.parametrize("name", list(WORKLOADS))
def test_layout_names_every_argument_and_symbol(name):
    workload = WORKLOADS[name]
    place = layout(workload.task, workload.config)
    for index, array in enumerate((*place.inputs, place.output)):
        assert f"| a{index} | {array.name}" in workload.layout
        assert f"| {array.address:#x} | {array.size} |" in workload.layout
    for symbol, value in place.symbols.items():
        assert f"{symbol} = {value}" in workload.layout


# ------------------------------------------------------------------------------------------------------------------ draws


@pytest.mark.parametrize("name", SMALL)
def test_draw_depends_on_seed_and_family_alone(name):
    workload = WORKLOADS[name]

    def drawn(seed, family):
        case = workload.draw(seed, FAMILIES[family])
        return case.state["external"][EXTERNAL].tobytes() + case.goldens["exact"]["Y"].tobytes()

    assert drawn(7, "standard") == drawn(7, "standard")
    assert drawn(8, "standard") != drawn(7, "standard")
    assert drawn(2**64 - 1, "standard") != drawn(7, "standard")
    assert drawn(7, workload.families[-1]) != drawn(7, "standard")


@pytest.mark.parametrize("name", SMALL)
def test_memory_holds_the_inputs_and_zeros(name):
    workload = WORKLOADS[name]
    place, case = layout(workload.task, workload.config), workload.draw(1, STANDARD)
    data = case.state["external"][EXTERNAL].copy()
    assert data.size == EXTERNAL_BYTES
    for array in place.inputs:
        part = data[array.address - EXTERNAL :][: array.size]
        assert part.view(f"<{np.dtype(array.dtype).str[1:]}").tolist() == case.inputs[array.name].ravel().tolist()
        part[:] = 0
    assert not data.any()


@pytest.mark.parametrize("name", SMALL)
def test_results_of_every_family_spread(name):
    workload = WORKLOADS[name]
    for family in workload.families:
        values, counts = np.unique(workload.draw(3, FAMILIES[family]).goldens["exact"]["Y"], return_counts=True)
        assert len(values) >= 3, family
        assert counts.max() <= 0.92 * counts.sum(), family


@pytest.mark.parametrize("name", SMALL)
def test_null_results_fail(name):
    workload = WORKLOADS[name]
    first, second = (workload.draw(d.seed, STANDARD) for d in plan(workload, DEVELOPMENT, 2))
    assert passing_null(first, second, workload.tolerance) is None


@pytest.mark.parametrize("family", sorted({name for names in OF_TASK.values() for name in names}))
def test_activations_are_bytes_of_their_family(family):
    values = activations(np.random.default_rng(1), FAMILIES[family], (100, 100)).astype(int)
    mean, deviation = values.mean(), values.std()
    expected = {
        "standard": (-0.5, 73.9, 0, 0.4),
        "offset": (64, 32, 0, 3),
        "offset_negative": (-64, 32, 0, 3),
        "small": (0, 3.2, 0, 0.2),
        "large": (0, 108, 0.6, 0.7),
        "negative": (-25.5, 19, 0, 0.1),
        "sparse": (0, 16, 0, 0.1),
        "extreme": (0, 38, 0.02, 0.05),
        "ties": (0, 32, 0, 0.2),
    }[family]
    assert mean == pytest.approx(expected[0], abs=2)
    assert deviation == pytest.approx(expected[1], rel=0.05)
    ends = np.isin(values, (-128, 127)).mean()
    assert expected[2] <= ends or family == "standard"
    assert ends <= expected[3]


# ---------------------------------------------------------------------------------------------------------------- results


@pytest.mark.parametrize("name", SMALL)
def test_result_is_read_from_the_output_array(name):
    workload = WORKLOADS[name]
    case = workload.draw(4, STANDARD)
    (output,) = workload.outputs
    values = output.read(finished(workload, case))
    assert (values.shape, values.dtype) == (output.shape, np.int8)
    assert np.array_equal(values, case.goldens["exact"]["Y"])


@pytest.mark.parametrize("name", ["relu/C1", "ffn/C2", "conv_block/C5"])
def test_stores_outside_the_result_are_found(name):
    workload = WORKLOADS[name]
    place, case = layout(workload.task, workload.config), workload.draw(4, STANDARD)
    state = finished(workload, case)
    assert stray_store(place, case.state, state) is None
    data = state["external"].data
    end = place.output.address + place.output.size
    for address in (EXTERNAL + EXTERNAL_BYTES - 1, end, place.output.address - 1, EXTERNAL):
        data[address - EXTERNAL] ^= 1
        assert stray_store(place, case.state, state) == address
        data[address - EXTERNAL] ^= 1
    for address in (STACK, STACK + 255):
        state["dtcm"].data[:] = case.state["dtcm"][STACK]
        state["dtcm"].data[address - STACK] = 0
        assert stray_store(place, case.state, state) == address
