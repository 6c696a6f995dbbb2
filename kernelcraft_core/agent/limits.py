"""Limits of an episode and of a run, and what has been spent.

A limit is looked at before each call of a model, so what is spent may exceed it by one reply: of one episode, or of each
episode that is under way when the limit is one of a run.

| code | meaning |
| --- | --- |
| KC0750 | a limit has a value it cannot have, or there is no such limit |
| KC0751 | a limit on the price, and nobody knows the model's price |
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from attrs import asdict, define, evolve, field, fields, frozen

from kernelcraft_core.agent.protocol import Model, Usage
from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError, did_you_mean, printable

NAMES = ("iterations", "evaluations", "tokens", "output_tokens", "price", "wall_time")
"""What can be limited, as `stopped` names it; when several are reached the first one counts."""


class LimitError(KernelCraftError):
    """Limits that cannot be kept (KC0750, KC0751)."""


def _fail(code: str, message: str, hint: str | None = None) -> LimitError:
    return LimitError(Diagnostic(code, message, hint=hint))


@frozen
class Limits:
    """What may be spent; None: any amount.

    Attributes:
        iterations: replies of the model. evaluations: of kernels. tokens: read and written. output_tokens: written.
        price: US dollars. wall_time: seconds.
        unknown_price: go on where a price is limited and unknown; what is unknown then counts as nothing.
    """

    iterations: int | None = None
    evaluations: int | None = None
    tokens: int | None = None
    output_tokens: int | None = None
    price: float | None = None
    wall_time: float | None = None
    unknown_price: bool = False

    def __attrs_post_init__(self) -> None:
        for name in NAMES:
            value = getattr(self, name)
            whole = name not in ("price", "wall_time")
            kinds = (int,) if whole else (int, float)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value < math.inf:
                wanted = "a whole number" if whole else "a number"
                raise _fail("KC0750", f"the limit {name} must be {wanted}, at least 0, not {printable(repr(value))}")

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for records."""
        return asdict(self)

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Limits:
        """Return the limits of plain data, such as a table of a TOML file.

        Raises:
            LimitError: KC0750.
        """
        known = [a.name for a in fields(Limits)]
        for name in entry:
            if name not in known:
                hint = did_you_mean(str(name), known) or f"limits: {', '.join(known)}"
                raise _fail("KC0750", f"there is no limit {printable(repr(name))}", hint)
        if not isinstance(entry.get("unknown_price", False), bool):
            raise _fail("KC0750", "unknown_price must be true or false")
        return Limits(**entry)


@frozen
class Spent:
    """What has been spent; `price` is the sum of what is known, `unpriced` the number of replies without a price."""

    iterations: int = 0
    evaluations: int = 0
    tokens: int = 0
    output_tokens: int = 0
    price: float = 0.0
    wall_time: float = 0.0
    unpriced: int = 0


@define(eq=False)
class Budget:
    """Limits with what has been spent of them. Several threads may share one; time runs from when it is made.

    Attributes:
        limits: what may be spent. clock: seconds.
    """

    limits: Limits
    clock: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _spent: Spent = field(factory=Spent, init=False)
    _started: float = field(init=False)

    @_started.default
    def _now(self) -> float:
        return self.clock()

    @property
    def spent(self) -> Spent:
        """What has been spent up to now."""
        with self._lock:
            return evolve(self._spent, wall_time=self.clock() - self._started)

    def charge(self, usage: Usage | None = None, *, iterations: int = 0, evaluations: int = 0) -> None:
        """Add what was spent. Tokens that are unknown count as none: estimate them before."""
        with self._lock:
            now = self._spent
            found = Usage(0, 0, 0, 0, 0.0) if usage is None else usage
            self._spent = evolve(
                now,
                iterations=now.iterations + iterations,
                evaluations=now.evaluations + evaluations,
                tokens=now.tokens + (found.input_tokens or 0) + (found.output_tokens or 0),
                output_tokens=now.output_tokens + (found.output_tokens or 0),
                price=now.price + (found.price_usd or 0.0),
                unpriced=now.unpriced + (found.price_usd is None),
            )

    def reached(self) -> str | None:
        """Return the limit that is reached, one of `NAMES`; None when there is something left of all."""
        spent = self.spent
        if self.limits.price is not None and spent.unpriced and not self.limits.unknown_price:
            return "price"
        for name in NAMES:
            limit = getattr(self.limits, name)
            if limit is not None and getattr(spent, name) >= limit:
                return name
        return None

    def left(self, name: str) -> float | None:
        """Return what is left of a limit, at least 0; None when it is not limited."""
        limit = getattr(self.limits, name)
        return None if limit is None else max(0, limit - getattr(self.spent, name))

    @property
    def counts_tokens(self) -> bool:
        """Whether a limit goes by tokens."""
        return self.limits.tokens is not None or self.limits.output_tokens is not None


def check_price(limits: Limits, model: Model) -> None:
    """Refuse a limit on the price of a model that says of itself, by `price_known`, that its price is unknown.

    Models without that attribute are found out by their first reply without a price.

    Raises:
        LimitError: KC0751.
    """
    if limits.price is not None and not limits.unknown_price and getattr(model, "price_known", True) is False:
        hint = "give its price as a setting, limit tokens, or allow an unknown price"
        raise _fail("KC0751", f"the price is limited, and nobody knows the price of {printable(model.name)}", hint)
