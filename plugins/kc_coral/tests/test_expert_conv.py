"""Expert kernels of the convolutions: exact on every family and at the ends of the ranges, and quicker than what is cited.

Cycles do not depend on the values, so one run tells both. Undefined memory holds noise in all runs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import kernelcraft_core as kc
from kc_coral.expert import program
from kc_coral.shapes import CONFIGS, EXTERNAL, Layout, layout
from kc_coral.start import wrap
from kc_coral.workloads import workloads
from kc_coral.workloads.cases import memory, read_output
from kc_coral.workloads.goldens import golden
from kc_tasks.suite import published
from kernelcraft_core.tasks import standard_families

FAMILIES = {family.name: family for family in standard_families()}
WORKLOADS = {(w.task, w.config): w for w in workloads()}
TASKS = ("conv2d", "conv_block", "depthwise_conv")
CELLS = [(task, config) for task in TASKS for config in CONFIGS]
SMALL = [(task, config) for task, config in CELLS if config in ("C1", "C2")]
HUMAN_EXPERT = {"C1": 33_327, "C2": 75_732, "C3": 87_470}
"""Cycles of depthwise_conv. Source: KernelCraft, arXiv 2603.08721, table 11."""


def cited(task: str, config: str) -> int:
    """Return the fewest cycles that anyone reports for a cell."""
    found = [p.cycles for p in published() if (p.target, p.task, p.config) == ("coral", task, config)]
    if task == "depthwise_conv" and config in HUMAN_EXPERT:
        found.append(HUMAN_EXPERT[config])
    return min(found)


@cache
def target() -> kc.Target:
    return kc.target("coral")


@cache
def assembled(task: str, config: str) -> Any:
    return target().assemble(wrap(layout(task, config), program(task, config)), filename=f"{task}.s")


def run(task: str, config: str, state: dict[str, Any], seed: int = 0) -> Any:
    """Return a run that ended without a fault and changed nothing around its output."""
    result = target().simulate(assembled(task, config), state=state, fill="pattern", seed=seed)
    assert result.status == "halted", result.trap
    output = layout(task, config).output
    end = output.address + output.size
    for first, last in ((EXTERNAL, output.address), (end, end + 4096)):
        before = state["external"][EXTERNAL][first - EXTERNAL : last - EXTERNAL]
        assert np.array_equal(np.asarray(result.state["external"].at(first, last - first)), before)
    return result


def extreme_values(place: Layout, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return inputs with the largest sums, and channels whose other values are anywhere in their ranges."""
    values = {}
    for array in place.inputs:
        if array.dtype == "int8":
            values[array.name] = np.full(array.shape, -128, np.int8)
        elif array.name == "shift":
            values[array.name] = rng.integers(0, 32, array.shape, dtype=np.int32)
        else:
            limit = 2**31 if array.name == "mult" else 2**30
            values[array.name] = rng.integers(-limit, limit, array.shape, dtype=np.int32)
    return values


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_is_exact_and_no_slower_than_the_best_cited_one(task: str, config: str) -> None:
    case = WORKLOADS[task, config].draw(1, FAMILIES["standard"])
    result = run(task, config, case.state, seed=1)
    assert np.array_equal(read_output(layout(task, config), result.state), case.goldens["exact"]["Y"])
    assert result.cycles <= cited(task, config)


@pytest.mark.parametrize(("task", "config"), SMALL)
def test_kernel_is_exact_on_every_family(task: str, config: str) -> None:
    workload = WORKLOADS[task, config]
    for seed, family in enumerate(workload.families[1:]):
        case = workload.draw(seed, FAMILIES[family])
        result = run(task, config, case.state, seed)
        assert np.array_equal(read_output(layout(task, config), result.state), case.goldens["exact"]["Y"]), family


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_is_exact_for_the_largest_sums_and_any_channel_values(task: str, config: str) -> None:
    place = layout(task, config)
    values = extreme_values(place, np.random.default_rng(CELLS.index((task, config))))
    result = run(task, config, {"external": {EXTERNAL: memory(place, values)}})
    assert np.array_equal(read_output(place, result.state), golden(task, values, place))


@pytest.mark.parametrize("task", TASKS)
def test_cycles_do_not_depend_on_the_values(task: str) -> None:
    workload = WORKLOADS[task, "C1"]
    cycles = {run(task, "C1", workload.draw(5, FAMILIES[family]).state, 5).cycles for family in workload.families}
    assert len(cycles) == 1


@pytest.mark.parametrize("task", TASKS)
def test_code_leaves_room_for_the_stub(task: str) -> None:
    for config in CONFIGS:
        code = next(section for section in assembled(task, config).sections if section.code)
        assert code.base == 0
        assert 4 * len(assembled(task, config).words) <= 8192
