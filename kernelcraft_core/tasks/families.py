"""Input families: how the values of an activation are drawn.

A kernel that is right for one distribution may be wrong for another: a sum that overflows binary16 when the inputs are
large, a maximum that starts at 0 and is wrong for rows of negative numbers. Every task names the families that matter
for it; a workload keeps those that its number formats can carry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from kernelcraft_core.tasks import fields

F64 = NDArray[np.float64]
STANDARD = "standard"
"""Name of the family every workload has: normal values, mean 0, standard deviation 1."""


def _sample_function(call: Any) -> Any:
    return fields.guarded(call, "sample", np.ndarray)


@frozen
class Family:
    """A distribution of activations.

    Attributes:
        name: short, lower case. description: one line for people.
        sample: (generator, shape) -> float64 of that shape, finite.
    """

    name: str = field(validator=fields.SLUG)
    description: str = field(validator=fields.LINE)
    sample: Callable[[np.random.Generator, tuple[int, ...]], F64] = field(
        repr=False,
        eq=False,
        converter=_sample_function,
        validator=fields.FUNCTION,
    )


def _scaled(factor: float) -> Callable[[np.random.Generator, tuple[int, ...]], F64]:
    return lambda rng, shape: factor * rng.standard_normal(shape)


def _sparse(rng: np.random.Generator, shape: tuple[int, ...]) -> F64:
    return np.where(rng.random(shape) < 0.75, 0.0, rng.standard_normal(shape))


def _spiked(rng: np.random.Generator, shape: tuple[int, ...]) -> F64:
    """One element in 32 is about 6 in size, the rest is normal."""
    values = rng.standard_normal(shape)
    spikes = np.copysign(6.0, rng.standard_normal(shape)) + 0.25 * rng.standard_normal(shape)
    return np.where(rng.random(shape) < 1 / 32, spikes, values)


_FAMILIES = (
    Family(STANDARD, "normal, mean 0, standard deviation 1", lambda rng, shape: rng.standard_normal(shape)),
    Family("offset", "normal around +2", lambda rng, shape: 2.0 + rng.standard_normal(shape)),
    Family("offset_negative", "normal around -2", lambda rng, shape: -2.0 + rng.standard_normal(shape)),
    Family("small", "normal, standard deviation 0.1", _scaled(0.1)),
    Family("large", "normal, standard deviation 8", _scaled(8.0)),
    Family("positive", "sizes of normal values", lambda rng, shape: np.abs(rng.standard_normal(shape))),
    Family("negative", "negated sizes of normal values", lambda rng, shape: -np.abs(rng.standard_normal(shape))),
    Family("sparse", "three of four elements are 0", _sparse),
    Family(
        "ties", "normal, rounded to multiples of 1/2", lambda rng, shape: np.round(2 * rng.standard_normal(shape)) / 2
    ),
    Family("extreme", "one element in 32 is about 6 or -6", _spiked),
)
_BY_NAME = {family.name: family for family in _FAMILIES}


def standard_families(*names: str) -> tuple[Family, ...]:
    """Return families by name, `standard` first; without names all of them.

    Raises:
        ValueError: an unknown name.
    """
    if not names:
        return _FAMILIES
    unknown = [name for name in names if name not in _BY_NAME]
    if unknown:
        raise ValueError(f"no input family {unknown[0]!r}; there is {', '.join(_BY_NAME)}")
    return tuple(_BY_NAME[name] for name in dict.fromkeys((STANDARD, *names)))
