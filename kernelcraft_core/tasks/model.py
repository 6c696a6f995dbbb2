"""Tasks: what is computed, without any target.

Source of levels, numbers and budgets: KernelCraft, arXiv 2603.08721, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from attrs.validators import in_
from numpy.typing import NDArray

from kernelcraft_core.tasks import fields
from kernelcraft_core.tasks.families import STANDARD, Family

F64 = NDArray[np.float64]
BUDGETS: Mapping[int, int] = {1: 15, 2: 20, 3: 25}
"""Level -> iterations an agent has."""
Reference = Callable[[Mapping[str, F64], Mapping[str, int], Mapping[str, Any]], Mapping[str, NDArray[Any]]]
"""(inputs by name, parameters, flags) -> outputs by name."""


@frozen
class Tensor:
    """An input or output of a task.

    Attributes:
        name: as the formula calls it.
        shape: names of parameters, or small expressions of them (`"nh * 64"`), outermost first.
        role: `activation` (drawn from the family in force), `weight`, `bias`, `table` (a fixed function of the
            parameters, such as cosines), `mask`, `tokens` or `result`.
        doc: one line, empty when the name says it.
    """

    name: str = field(validator=fields.TITLE)
    shape: tuple[str, ...] = field(converter=fields.as_tuple, validator=fields.each(str, "a sequence of texts"))
    role: str = field(
        default="activation", validator=in_(("activation", "weight", "bias", "table", "mask", "tokens", "result"))
    )
    doc: str = field(default="", validator=fields.LINE)

    def dimensions(self, parameters: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape in numbers. Raises: KeyError for a parameter that is not given."""
        return tuple(_product(part, parameters) for part in self.shape)


def _product(text: str, parameters: Mapping[str, int]) -> int:
    """Return the value of a product of names and integers, such as `nh * 64`."""
    value = 1
    for part in text.split("*"):
        name = part.strip()
        value *= int(name) if name.isdigit() else parameters[name]
    return value


@frozen
class Flag:
    """A choice in which the published forms of a task differ: its default, the choices, what they mean."""

    default: Any = field(validator=fields.PLAIN)
    choices: tuple[Any, ...] = field(
        converter=fields.as_tuple, validator=fields.must_be("a sequence of plain values", fields.are_plain)
    )
    doc: str = field(validator=fields.LINE)


def _reference_function(call: Any) -> Any:
    return fields.guarded(call, "the reference", Mapping)


@frozen(eq=False)
class Task:
    """One operator.

    Attributes:
        slug: the name code uses; lower case, underscores. title: the name people see. number: for display only.
        level: 1 primitive, 2 composite, 3 end-to-end. category: one word (`activation`, `norm`, `matmul`, ...).
        formula: one line of mathematics in text.
        parameters: name -> meaning. flags: name -> `Flag`.
        inputs, outputs: tensors by position.
        families: input families that matter, `standard` first.
        reference: float64 (or exact integer) results; knows no target.
    """

    slug: str = field(validator=fields.SLUG)
    title: str = field(validator=fields.TITLE)
    level: int = field(validator=in_(tuple(BUDGETS)))
    category: str = field(validator=fields.LINE)
    formula: str = field(validator=fields.TEXT)
    parameters: Mapping[str, str] = field(validator=fields.mapping(str, "a mapping from names to meanings"))
    inputs: Sequence[Tensor] = field(converter=fields.as_tuple, validator=fields.each(Tensor, "a sequence of Tensor"))
    outputs: Sequence[Tensor] = field(converter=fields.as_tuple, validator=fields.each(Tensor, "a sequence of Tensor"))
    families: Sequence[Family] = field(converter=fields.as_tuple, validator=fields.each(Family, "a sequence of Family"))
    reference: Reference = field(repr=False, converter=_reference_function, validator=fields.FUNCTION)
    flags: Mapping[str, Flag] = field(factory=dict, validator=fields.mapping(Flag, "a mapping from names to Flag"))
    number: int | None = field(default=None, validator=fields.optional(fields.COUNT))
    doc: str = field(default="", validator=fields.TEXT)

    @property
    def budget(self) -> int:
        """Iterations an agent has: 15, 20 or 25 by level."""
        return BUDGETS[self.level]

    def family(self, name: str) -> Family:
        """Return an input family by name. Raises: KeyError."""
        return next(f for f in self.families if f.name == name) if name in self.family_names else _no_family(name)

    @property
    def family_names(self) -> tuple[str, ...]:
        """Names of the input families, `standard` first."""
        return tuple(f.name for f in self.families)

    def resolved(self, flags: Mapping[str, Any]) -> dict[str, Any]:
        """Return all flags with their values: those given, defaults otherwise.

        Raises:
            ValueError: an unknown flag, or a value that is none of its choices.
        """
        for name, value in flags.items():
            if name not in self.flags:
                raise ValueError(f"{self.slug} has no flag {name!r}; there is {', '.join(self.flags) or 'none'}")
            if self.flags[name].choices and value not in self.flags[name].choices:
                raise ValueError(f"{self.slug}: {name} = {value!r} is none of {self.flags[name].choices}")
        return {name: flags.get(name, flag.default) for name, flag in self.flags.items()}

    def compute(
        self, inputs: Mapping[str, Any], parameters: Mapping[str, int], flags: Mapping[str, Any] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return the reference results by output name, shapes checked on both sides.

        Args:
            inputs: arrays of the shapes of `inputs`; converted to float64 unless they are integers.
            parameters: every parameter's value, 0 or more.
            flags: values that differ from the defaults.

        Raises:
            ValueError: an input is superfluous, an input or result has another shape, a flag is wrong.
            KeyError: an input or parameter that the reference needs is missing.
        """
        values = self.resolved(flags or {})
        given: dict[str, NDArray[Any]] = {}
        for tensor in self.inputs:
            if tensor.name not in inputs:
                continue  # an input that a flag makes optional; the reference raises KeyError when it needs it
            array = np.asarray(inputs[tensor.name])
            expected = tensor.dimensions(parameters)
            if array.shape != expected:
                raise ValueError(f"{self.slug}: {tensor.name} has shape {array.shape}, not {expected}")
            given[tensor.name] = array if array.dtype.kind in "iub" else array.astype(np.float64)
        unknown = [name for name in inputs if name not in {t.name for t in self.inputs}]
        if unknown:
            raise ValueError(f"{self.slug} has no input {unknown[0]!r}")
        results = dict(self.reference(given, parameters, values))
        for tensor in self.outputs:
            expected = tensor.dimensions(parameters)
            if results[tensor.name].shape != expected:
                raise ValueError(
                    f"{self.slug}: result {tensor.name} has shape {results[tensor.name].shape}, not {expected}"
                )
        return results


def _no_family(name: str) -> Family:
    raise KeyError(name)


@frozen
class Published:
    """A published result, for comparison: cycles a method reached on a task of a target. `method` names model or compiler."""

    target: str = field(validator=fields.TITLE)
    task: str = field(validator=fields.TITLE)
    config: str = field(validator=fields.TITLE)
    method: str = field(validator=fields.TITLE)
    cycles: int = field(converter=fields.as_int, validator=fields.POSITIVE)


@frozen
class PublishedSuccess:
    """A published result, for comparison: how many configurations of a task a model solved on a target."""

    target: str = field(validator=fields.TITLE)
    task: str = field(validator=fields.TITLE)
    model: str = field(validator=fields.TITLE)
    solved: int = field(converter=fields.as_int, validator=fields.COUNT)
    attempted: int = field(converter=fields.as_int, validator=fields.COUNT)


def _nothing() -> tuple[()]:
    return ()


def _published_function(call: Any) -> Any:
    return fields.guarded(call, "published", tuple, Published)


def _published_success_function(call: Any) -> Any:
    return fields.guarded(call, "published_success", tuple, PublishedSuccess)


@frozen(eq=False)
class Suite:
    """A set of tasks with a version: results of different versions are not comparable.

    Attributes:
        name: lower case. version: `major.minor`; the major one changes when scores may.
        published: returns cited results of others; method `compiler` is the published baseline.
        published_success: returns how often others are reported to have solved the tasks.
    """

    name: str = field(validator=fields.matching(r"[a-z][a-z0-9_.-]*", "a name in lower case"))
    version: str = field(validator=fields.matching(r"[0-9]+(\.[0-9]+)+", "a version such as '1.0'"))
    tasks: Sequence[Task] = field(converter=fields.as_tuple, validator=fields.each(Task, "a sequence of Task"))
    published: Callable[[], Sequence[Published]] = field(
        default=_nothing,
        repr=False,
        converter=_published_function,
        validator=fields.FUNCTION,
    )
    published_success: Callable[[], Sequence[PublishedSuccess]] = field(
        default=_nothing,
        repr=False,
        converter=_published_success_function,
        validator=fields.FUNCTION,
    )

    def __attrs_post_init__(self) -> None:
        slugs = [task.slug for task in self.tasks]
        twice = {slug for slug in slugs if slugs.count(slug) > 1}
        if twice:
            raise ValueError(f"suite {self.name} has two tasks {sorted(twice)[0]!r}")
        for task in self.tasks:
            if task.family_names[:1] != (STANDARD,):
                raise ValueError(f"{task.slug}: the first input family must be {STANDARD!r}")
