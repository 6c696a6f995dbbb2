"""Expert kernels of ReLU and of the products: exact, within the ABI, and not slower than what the paper reports."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kernelcraft_core as kc
from kc_coral import expert
from kc_coral.shapes import CONFIGS, layout
from kc_coral.start import wrap
from kc_coral.workloads.cases import FROZEN_IDS, case, frozen, memory, read_output, stray_store
from kc_coral.workloads.families import FAMILIES
from kc_coral.workloads.goldens import golden
from kc_tasks.suite import published
from kernelcraft_core.tasks import standard_families

TASKS = ("relu", "gemv", "gemm", "batch_matmul", "linear", "ffn", "swiglu")
CELLS = [(task, config) for task in TASKS for config in CONFIGS]
PRODUCTS = TASKS[1:]
COMPARABLE = ("relu", "gemv", "gemm", "linear")
"""The published cycles of batch_matmul do not follow its sizes; ffn and swiglu have none."""
CODE_BYTES = 8192


TARGET = kc.target("coral")
"""One for all tests: it keeps what it made of a program."""


@cache
def assembled(task, config):
    return TARGET.assemble(wrap(layout(task, config), expert.program(task, config)))


def simulate(task, config, state):
    """Return the final state and the cycles of a run from `state`."""
    result = TARGET.simulate(assembled(task, config), state)
    assert result.status == "halted", result.trap
    return result.state, result.cycles


@cache
def run_frozen(task, config):
    return simulate(task, config, frozen(task, config).state)


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_on_the_reference_inputs_is_exact_and_stores_nothing_else(task, config):
    given, place = frozen(task, config), layout(task, config)
    state, _ = run_frozen(task, config)
    np.testing.assert_array_equal(read_output(place, state), given.goldens["exact"]["Y"])
    assert stray_store(place, given.state, state) is None
    assert 4 * len(assembled(task, config).words) <= CODE_BYTES


@pytest.mark.parametrize(("task", "config"), [cell for cell in CELLS if cell[0] in COMPARABLE])
def test_kernel_takes_no_more_cycles_than_the_best_published_one(task, config):
    rows = [row.cycles for row in published() if (row.target, row.task, row.config) == ("coral", task, config)]
    assert run_frozen(task, config)[1] <= min(rows)


@pytest.mark.parametrize("task", TASKS)
def test_kernel_of_c1_is_exact_for_every_family(task):
    place = layout(task, "C1")
    for family in standard_families(*FAMILIES[task]):
        given = case(task, place, np.random.default_rng(FROZEN_IDS[task]), family)
        state, _ = simulate(task, "C1", given.state)
        np.testing.assert_array_equal(read_output(place, state), given.goldens["exact"]["Y"], family.name)


@pytest.mark.parametrize("value", [-128, 127])
@pytest.mark.parametrize("task", PRODUCTS)
def test_kernel_is_exact_when_all_products_are_the_largest(task, value):
    """(-128)**2 is the one product of which two do not fit 16 bits."""
    place = layout(task, "C1")
    values = dict(frozen(task, "C1").inputs)
    for name, array in values.items():
        if array.dtype == np.int8 and name != "lut":
            values[name] = np.full_like(array, value)
    if task in ("ffn", "swiglu"):
        values["lut"] = np.full_like(values["lut"], value)
    state, _ = simulate(task, "C1", {"external": {place.inputs[0].address: memory(place, values)}})
    np.testing.assert_array_equal(read_output(place, state), golden(task, values, place))


@pytest.mark.parametrize("task", PRODUCTS)
def test_kernel_adds_sums_of_both_signs_exactly(task):
    """Results near zero, where no saturation hides an error in the last bit; sums far apart in the lanes of a register."""
    place = layout(task, "C1")
    rng = np.random.default_rng(1)
    values = dict(frozen(task, "C1").inputs)
    for name, array in values.items():
        if array.dtype == np.int8 and name != "lut":
            values[name] = rng.choice(np.array([-128, -127, 127], np.int8), array.shape)
    state, _ = simulate(task, "C1", {"external": {place.inputs[0].address: memory(place, values)}})
    np.testing.assert_array_equal(read_output(place, state), golden(task, values, place))


def test_program_of_a_task_without_a_kernel_names_those_with_one():
    with pytest.raises(ValueError, match="gemm"):
        expert.program("sdpa", "C1")


def test_program_of_an_unknown_configuration_is_refused():
    with pytest.raises(ValueError, match="C6"):
        expert.program("gemm", "C6")
