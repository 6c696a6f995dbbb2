"""Workloads: a task in one configuration, laid out on a target, with its golden results and what counts as right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen
from attrs.validators import in_
from numpy.typing import NDArray

from kernelcraft_core.sim.result import Limits
from kernelcraft_core.tasks.families import STANDARD, Family

KERNEL_KINDS = ("published", "naive", "compiler", "template", "expert")
"""Kinds of kernels a plug-in may ship."""


@frozen
class Tolerance:
    """How close a result must be to a golden one; with nothing set it must be equal.

    An element passes when |got - golden| <= atol + rtol * |golden|, or, where `max_ulp` is set, when it is within that
    many units in the last place of `dtype` as well.

    Attributes:
        atol, rtol: absolute and relative part.
        rel_l2: largest ||got - golden|| / ||golden|| over the whole output; None where it is not used.
        max_ulp: largest distance in units in the last place; None where it is not used.
        dtype: the format the numbers were chosen for (`bf16`, `f32`, `i8`, ...).
        reason: why these numbers, with their source.
    """

    atol: float = 0.0
    rtol: float = 0.0
    rel_l2: float | None = None
    max_ulp: int | None = None
    dtype: str = "f32"
    reason: str = ""


@frozen(eq=False)
class Output:
    """A result and where it is found.

    Attributes:
        name: as in the task. shape, dtype: of the array that `read` returns (numpy dtype name).
        read: (final state of a run, by name) -> array of `shape`; no broadcasting, no conversion of values.
        where: for people: memory, address, layout.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    read: Callable[[Mapping[str, Any]], NDArray[Any]] = field(repr=False)
    where: str = ""


@frozen(eq=False)
class Case:
    """One draw: what the machine holds at the start and what it must hold at the end.

    Attributes:
        inputs: name -> values a kernel can see (after quantisation), in the task's own shapes.
        state: presets for `Target.simulate`; everything else is undefined memory.
        goldens: accepted results: variant name -> output name -> array. A run passes when all its outputs match those
            of one variant; the first is the one reported when none does better.
    """

    inputs: Mapping[str, NDArray[Any]]
    state: Mapping[str, Any]
    goldens: Mapping[str, Mapping[str, NDArray[Any]]]


@frozen
class Bound:
    """A number of cycles that no correct program can go below.

    Attributes:
        cycles: the bound, at least 1. parts: what adds up (or is the largest) in it, by name.
        rates: other yardsticks, which programs may well beat: name -> cycles (`M_MM` -> MACs at the rate of M_MM).
        reason: how the bound is derived.
    """

    cycles: int
    parts: Mapping[str, int] = field(factory=dict)
    rates: Mapping[str, int] = field(factory=dict)
    reason: str = ""


def _limits() -> Limits:
    return Limits(instructions=200_000_000, wall_time=300.0)


@frozen(eq=False)
class Workload:
    """A task x configuration on a target.

    Attributes:
        target, task, config: names; `config` is upper case (`C1`).
        parameters: the task's parameters. flags: those that differ from the task's defaults.
        machine: preset it runs on; None for the target's first. requires: extensions it needs beyond the machine's own.
        outputs: results, in the task's order.
        tolerance: how close they must be.
        families: names of the task's input families that this target's formats can carry, `standard` first.
        draw: (seed, family) -> `Case`; the same arguments always give the same case. Seeds are 0..2**64-1.
        bound: (values of the machine's parameters) -> `Bound`.
        limits: what a run may use.
        layout: Markdown for people and agents: where the inputs lie, in which format, where the result is expected.
    """

    target: str
    task: str
    config: str
    parameters: Mapping[str, int]
    outputs: Sequence[Output]
    tolerance: Tolerance
    draw: Callable[[int, Family], Case] = field(repr=False)
    bound: Callable[[Mapping[str, Any]], Bound] = field(repr=False)
    flags: Mapping[str, Any] = field(factory=dict)
    machine: str | None = None
    requires: tuple[str, ...] = ()
    families: tuple[str, ...] = (STANDARD,)
    limits: Limits = field(factory=_limits)
    layout: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """`task/config`, for messages."""
        return f"{self.task}/{self.config}"

    def rng(self, seed: int) -> np.random.Generator:
        """Return the generator of a draw: its own stream per target, task and configuration."""
        words = f"{self.target}/{self.task}/{self.config}".encode()
        return np.random.default_rng([seed, *words])


@frozen
class Kernel:
    """A kernel that a plug-in ships.

    Attributes:
        kind: one of `KERNEL_KINDS`. source: makes the assembly text.
        origin: where it comes from: compiler, flags, paper, method.
        passes: False for a published kernel that is known to compute something else; it is timed for the record only.
    """

    kind: str = field(validator=in_(KERNEL_KINDS))
    source: Callable[[], str] = field(repr=False)
    origin: str = ""
    passes: bool = True


class BaselineCompiler(Protocol):
    """What `kc_baseline_compiler` returns."""

    def kernels(self, workload: Workload) -> Sequence[Kernel]:
        """Return the kernels for a workload, at most one of each kind; the first is the baseline of speedups."""
        ...
