"""Workloads: a task in one configuration, laid out on a target, with its golden results and what counts as right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen
from attrs.validators import in_
from numpy.typing import NDArray

from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, KernelCraftError
from kernelcraft_core.sim.result import Limits
from kernelcraft_core.tasks import fields
from kernelcraft_core.tasks.families import STANDARD, Family

KERNEL_KINDS = ("published", "naive", "compiler", "template", "expert")
"""Kinds of kernels a plug-in may ship."""
MAX_KERNEL = 64 << 20
"""Largest kernel in characters."""


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _named(value: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether a value is a mapping from printable names to values that fit."""
    if not isinstance(value, Mapping):
        return False
    return all(isinstance(key, str) and key.isprintable() and fits(item) for key, item in value.items())


_ARRAYS = fields.must_be("a mapping from names to arrays of numbers", lambda value: _named(value, _is_numeric))


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

    atol: float = field(default=0.0, validator=fields.NUMBER)
    rtol: float = field(default=0.0, validator=fields.NUMBER)
    rel_l2: float | None = field(default=None, validator=fields.optional(fields.NUMBER))
    max_ulp: int | None = field(default=None, validator=fields.optional(fields.COUNT))
    dtype: str = field(default="f32", validator=fields.TITLE)
    reason: str = field(default="", validator=fields.TEXT)


def _read_function(call: Any) -> Any:
    return fields.guarded(call, "read", np.ndarray)


@frozen(eq=False)
class Output:
    """A result and where it is found.

    Attributes:
        name: as in the task. shape, dtype: of the array that `read` returns (numpy dtype name).
        read: (final state of a run, by name) -> array of `shape`; no broadcasting, no conversion of values.
        where: for people: memory, address, layout.
    """

    name: str = field(validator=fields.TITLE)
    shape: tuple[int, ...] = field(converter=fields.as_tuple, validator=fields.each(int, "a sequence of int"))
    dtype: str = field(validator=fields.TITLE)
    read: Callable[[Mapping[str, Any]], NDArray[Any]] = field(
        repr=False, converter=_read_function, validator=fields.FUNCTION
    )
    where: str = field(default="", validator=fields.TEXT)


@frozen(eq=False)
class Case:
    """One draw: what the machine holds at the start and what it must hold at the end.

    Attributes:
        inputs: name -> values a kernel can see (after quantisation), in the task's own shapes.
        state: presets for `Target.simulate`; everything else is undefined memory.
        goldens: accepted results: variant name -> output name -> array. A run passes when all its outputs match those
            of one variant; the first is the one reported when none does better.
    """

    inputs: Mapping[str, NDArray[Any]] = field(validator=_ARRAYS)
    state: Mapping[str, Any] = field(validator=fields.mapping(None, "a mapping from names to presets"))
    goldens: Mapping[str, Mapping[str, NDArray[Any]]] = field(
        validator=fields.must_be(
            "a mapping from variants, at least one, to arrays of numbers by output",
            lambda value: _named(value, lambda golden: _named(golden, _is_numeric) and bool(golden)) and bool(value),
        )
    )


@frozen
class Bound:
    """A number of cycles that no correct program can go below.

    Attributes:
        cycles: the bound, at least 1. parts: what adds up (or is the largest) in it, by name.
        rates: other yardsticks, which programs may well beat: name -> cycles (`M_MM` -> MACs at the rate of M_MM).
        reason: how the bound is derived.
    """

    cycles: int = field(converter=fields.as_int, validator=fields.POSITIVE)
    parts: Mapping[str, int] = field(factory=dict, converter=fields.as_ints, validator=fields.COUNTS)
    rates: Mapping[str, int] = field(factory=dict, converter=fields.as_ints, validator=fields.COUNTS)
    reason: str = field(default="", validator=fields.TEXT)


def _are_outputs(value: Any) -> bool:
    if not isinstance(value, tuple) or not value or not all(isinstance(item, Output) for item in value):
        return False
    return len({output.name for output in value}) == len(value)


_OUTPUTS = fields.must_be("a sequence of Output, at least one, each with another name", _are_outputs)
_NAMES = fields.each(str, "a sequence of names")


def _limits() -> Limits:
    return Limits(instructions=200_000_000, wall_time=300.0)


def _draw_function(call: Any) -> Any:
    return fields.guarded(call, "draw", Case)


def _bound_function(call: Any) -> Any:
    return fields.guarded(call, "bound", Bound)


def _wrap_function(call: Any) -> Any:
    return fields.guarded(call, "wrap", str)


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
        draws: how many a score needs at least, where two would leave too many families out.
        layout: Markdown for people and agents: where the inputs lie, in which format, where the result is expected.
        wrap: makes the whole program of a kernel's text, where something must stand in front of it (a start stub). It must
            keep line numbers, and mutants are made of the kernel's own lines only. None: the text is the program.
        inspect: (case, final state) -> what the run did that it may not do, in words, or None; called after a run that
            reached its end (a store outside the result, where the machine itself allows it).
    """

    target: str = field(validator=fields.TITLE)
    task: str = field(validator=fields.SLUG)
    config: str = field(validator=fields.CONFIG)
    parameters: Mapping[str, int] = field(validator=fields.mapping(int, "a mapping from names to int"))
    outputs: Sequence[Output] = field(converter=fields.as_tuple, validator=_OUTPUTS)
    tolerance: Tolerance = field(validator=fields.must_be("a Tolerance", lambda value: isinstance(value, Tolerance)))
    draw: Callable[[int, Family], Case] = field(repr=False, converter=_draw_function, validator=fields.FUNCTION)
    bound: Callable[[Mapping[str, Any]], Bound] = field(
        repr=False, converter=_bound_function, validator=fields.FUNCTION
    )
    flags: Mapping[str, Any] = field(
        factory=dict,
        validator=fields.must_be("a mapping from names to plain values", lambda value: _named(value, fields.is_plain)),
    )
    machine: str | None = field(default=None, validator=fields.optional(fields.TITLE))
    requires: tuple[str, ...] = field(default=(), converter=fields.as_tuple, validator=_NAMES)
    families: tuple[str, ...] = field(default=(STANDARD,), converter=fields.as_tuple, validator=_NAMES)
    limits: Limits = field(factory=_limits, validator=fields.must_be("Limits", lambda value: isinstance(value, Limits)))
    draws: int = field(default=1, validator=fields.POSITIVE)
    layout: str = field(default="", repr=False, validator=fields.TEXT)
    wrap: Callable[[str], str] | None = field(
        default=None, repr=False, converter=_wrap_function, validator=fields.optional(fields.FUNCTION)
    )
    inspect: Callable[[Case, Mapping[str, Any]], str | None] | None = field(
        default=None, repr=False, validator=fields.must_be("a function", lambda value: value is None or callable(value))
    )

    @property
    def name(self) -> str:
        """`task/config`, for messages."""
        return f"{self.task}/{self.config}"

    def rng(self, seed: int) -> np.random.Generator:
        """Return the generator of a draw: its own stream per target, task and configuration."""
        words = f"{self.target}/{self.task}/{self.config}".encode()
        return np.random.default_rng([seed, *words])


@frozen
class _Source:
    """A function that makes the text of a kernel."""

    make: Callable[[], str]

    def __call__(self) -> str:
        """Return the text.

        Raises:
            KernelCraftError: as the function; KC0607 for anything else that goes wrong in it, or a text too large.
        """
        from kernelcraft_core.hooks import explain

        try:
            text = self.make()
        except KernelCraftError:
            raise
        except Exception as error:
            raise EvaluationError(Diagnostic("KC0607", f"a kernel cannot be made: {explain(error)}")) from error
        if len(text) > MAX_KERNEL:
            raise EvaluationError(Diagnostic("KC0607", f"a kernel is larger than {MAX_KERNEL} characters"))
        return text


def _source(make: Any) -> Any:
    guarded = fields.guarded(make, "source", str)
    return _Source(guarded) if isinstance(guarded, fields.Guarded) and not isinstance(make, _Source) else make


@frozen
class Kernel:
    """A kernel that a plug-in ships.

    Attributes:
        kind: one of `KERNEL_KINDS`. source: makes the assembly text.
        origin: where it comes from: compiler, flags, paper, method.
        passes: False for a published kernel that is known to compute something else; it is timed for the record only.
    """

    kind: str = field(validator=in_(KERNEL_KINDS))
    source: Callable[[], str] = field(repr=False, converter=_source, validator=fields.must_be("a function", callable))
    origin: str = field(default="", validator=fields.TEXT)
    passes: bool = field(default=True, validator=fields.FLAG)


class BaselineCompiler(Protocol):
    """What `kc_baseline_compiler` returns."""

    def kernels(self, workload: Workload) -> Sequence[Kernel]:
        """Return the kernels for a workload, at most one of each kind; the first is the baseline of speedups."""
        ...
