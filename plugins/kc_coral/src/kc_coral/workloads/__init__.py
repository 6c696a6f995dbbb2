"""Workloads of Coral: the tasks of KernelCraft that this target carries, in five configurations each.

The records are cheap; inputs and golden results are computed when a case is drawn, and the code for it is imported
then.

Source: KernelCraft, arXiv 2603.08721, table 14 (sizes, int8, exact match); see `kc_coral.shapes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from kc_coral.shapes import CONFIGS, TASKS, layout, parameters
from kc_coral.start import wrap
from kc_coral.workloads.bound import bound
from kc_coral.workloads.describe import describe
from kc_coral.workloads.families import FAMILIES
from kernelcraft_core.sim import Limits
from kernelcraft_core.tasks import Case, Family, Output, Tolerance, Workload

FLAGS: Mapping[str, Mapping[str, Any]] = {
    "layernorm": {"weight": True, "bias": True},
    "rmsnorm": {"weight": True},
    "conv2d": {"bias": True},
    "depthwise_conv": {"bias": True},
    "ffn": {"bias": True},
}
"""Task -> flags in which Coral's form differs from the task's default."""

EVERY_FAMILY = ("softmax", "layernorm", "rmsnorm")
"""Tasks whose score takes one draw of every family: a draw is one vector, and each can show one edge only."""
EXACT = Tolerance(dtype="i8", reason="integers, every rounding is stated: KernelCraft asks for an exact match on Coral")
LIMITS = Limits(instructions=20_000_000, cycles=5_000_000, wall_time=300.0)


def workloads() -> tuple[Workload, ...]:
    """Return every workload, by task and configuration."""
    return tuple(_workload(task, config) for task in TASKS for config in CONFIGS)


def _workload(task: str, config: str) -> Workload:
    place = layout(task, config)

    def draw(seed: int, family: Family) -> Case:
        from kc_coral.workloads.cases import draw as draw_case

        return draw_case(workload, place, seed, family)

    def read(state: Mapping[str, Any]) -> Any:
        from kc_coral.workloads.cases import read_output

        return read_output(place, state)

    def inspect(case: Case, state: Mapping[str, Any]) -> str | None:
        from kc_coral.workloads.cases import stray_store

        stray = stray_store(place, case.state, state)
        return None if stray is None else f"the kernel changed memory that is not its own, first at {stray:#x}"

    where = f"external memory from {place.output.address:#x} on, row-major"
    workload = Workload(
        target="coral",
        task=task,
        config=config,
        parameters=parameters(task, config),
        outputs=(Output("Y", place.output.shape, "int8", read, where),),
        tolerance=EXACT,
        draw=draw,
        bound=partial(bound, task, config),
        flags=FLAGS.get(task, {}),
        families=FAMILIES[task],
        limits=LIMITS,
        draws=len(FAMILIES[task]) if task in EVERY_FAMILY else 2,
        layout=describe(task, config),
        wrap=partial(wrap, place),
        inspect=inspect,
    )
    return workload
