"""Reading a model's settings: known names, fitting values, and no secrets among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.agent.models.secrets import is_secret_name, scrub
from kernelcraft_core.diagnostics import did_you_mean, printable


@frozen
class Setting:
    """A setting of a kind of models.

    Attributes:
        check: returns the value to use; raises ValueError with a sentence about what it must be.
        meaning: for people. identity: whether it may change what the model answers, so that samples differ by it.
    """

    check: Callable[[Any], Any]
    meaning: str
    identity: bool = True


def number(low: float, high: float = math.inf) -> Callable[[Any], float]:
    """Return a check for numbers from `low` to `high`."""

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ValueError(
                f"must be a number, at least {low:g}" + (f" and at most {high:g}" if high < math.inf else "")
            )
        return float(value)

    return check


def integer(low: int, high: int | None = None) -> Callable[[Any], int]:
    """Return a check for integers from `low` to `high`."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
            raise ValueError(
                f"must be an integer, at least {low}" + (f" and at most {high}" if high is not None else "")
            )
        return value

    return check


def one_of(*values: str) -> Callable[[Any], str]:
    """Return a check for one of some words."""

    def check(value: Any) -> str:
        if value not in values or not isinstance(value, str):
            raise ValueError(f"must be one of {', '.join(values)}")
        return value

    return check


def flag(value: Any) -> bool:
    """Check a truth value."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def text(value: Any) -> str:
    """Check a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError("must be a text that is not empty")
    return value


def table(value: Any) -> dict[str, Any]:
    """Check a table of plain data without anything that is named like a secret."""
    if not isinstance(value, Mapping):
        raise ValueError("must be a table")
    return {_key(key): _plain(entry) for key, entry in value.items()}


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError("must have texts as its keys")
    if is_secret_name(key) or "header" in key.lower():
        raise ValueError(f"must not hold {printable(key)!r}: keys come from the environment only")
    return key


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return table(value)
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError("must hold texts, numbers, truth values, lists and tables only")


def read(known: Mapping[str, Setting], settings: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Return the checked settings; those that are None are left out.

    Raises:
        ModelSetupError: KC0731.
    """
    found: dict[str, Any] = {}
    for name, value in settings.items():
        setting = known.get(name)
        if setting is None:
            hint = did_you_mean(str(name), known) or f"settings: {', '.join(known) or 'none'}"
            if is_secret_name(str(name)):
                hint = "keys come from the environment only"
            raise fail("KC0731", f"{model} has no setting {printable(str(name))!r}", hint)
        if value is None:
            continue
        if scrub(str(value)) != str(value):
            raise fail("KC0731", f"{model}: the setting {name} holds a secret", "keys come from the environment only")
        try:
            found[name] = setting.check(value)
        except ValueError as error:
            raise fail("KC0731", f"{model}: the setting {name} {error}, not {printable(repr(value))}") from None
    return found


def identity(known: Mapping[str, Setting], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that may change what a model answers."""
    return {name: settings[name] for name in sorted(settings) if known[name].identity}
