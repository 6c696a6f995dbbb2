"""What the fields of records from plug-ins must be: a mistake is named where the record is made, not where it is used.

Functions of plug-ins are wrapped: they give what they promise or raise an `Exception`, and cannot end the process.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from attrs import frozen

from kernelcraft_core.diagnostics import printable

MAX_COUNT = 1 << 63
"""Cycles and other counts are below it."""
Validator = Callable[[Any, Any, Any], None]


def _refuse(record: Any, attribute: Any, value: Any, words: str) -> None:
    try:
        shown = printable(repr(value))
    except Exception:  # a value of a plug-in's own class
        shown = f"a {type(value).__name__}"
    raise ValueError(f"{type(record).__name__}.{attribute.name} is {shown}, not {words}")


def must_be(words: str, fits: Callable[[Any], bool]) -> Validator:
    """Return a validator that raises ValueError, in `words`, for a value that does not fit."""

    def validate(record: Any, attribute: Any, value: Any) -> None:
        if not fits(value):
            _refuse(record, attribute, value, words)

    return validate


def optional(validator: Validator) -> Validator:
    """Return a validator that takes None, too."""

    def validate(record: Any, attribute: Any, value: Any) -> None:
        if value is not None:
            validator(record, attribute, value)

    return validate


def matching(pattern: str, words: str) -> Validator:
    """Return a validator of texts that match a pattern whole."""
    form = re.compile(pattern)
    return must_be(words, lambda value: isinstance(value, str) and form.fullmatch(value) is not None)


def each(kind: type, words: str) -> Validator:
    """Return a validator of tuples of one kind."""
    return must_be(words, lambda value: isinstance(value, tuple) and all(isinstance(item, kind) for item in value))


def mapping(kind: type | None, words: str) -> Validator:
    """Return a validator of mappings from texts to one kind (None: anything)."""

    def fits(value: Any) -> bool:
        return isinstance(value, Mapping) and all(
            isinstance(key, str) and (kind is None or (isinstance(item, kind) and not isinstance(item, bool)))
            for key, item in value.items()
        )

    return must_be(words, fits)


def as_tuple(value: Any) -> Any:
    """Return lists and generators as tuples; a text, a mapping, and what cannot be gone through, as it is."""
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
        return value
    return tuple(value)


def as_int(value: Any) -> Any:
    """Return whole numbers of other types, such as numpy's, as int; everything else as it is."""
    return value if isinstance(value, bool) or not hasattr(value, "__index__") else value.__index__()


def as_ints(value: Any) -> Any:
    """Return a mapping with its values as by `as_int`."""
    return {key: as_int(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _line(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


def _encodable(value: Any) -> bool:
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0  # NaN is not


def is_count(value: Any) -> bool:
    """Whether a value is an int in 0..2**63-1."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_COUNT


def is_plain(value: Any) -> bool:
    """Whether a value is None, a text, a finite number or a flag."""
    return (
        value is None
        or isinstance(value, bool | int)
        or _encodable(value)
        or (isinstance(value, float) and math.isfinite(value))
    )


def are_plain(value: Any) -> bool:
    """Whether a value is a tuple of plain values."""
    return isinstance(value, tuple) and all(map(is_plain, value))


PLAIN = must_be("None, a text, a finite number or a flag", is_plain)
LINE = must_be("one line of text", _line)
TITLE = must_be("one line of text", lambda value: _line(value) and bool(value.strip()))
TEXT = must_be("text", _encodable)
SLUG = matching(r"[a-z][a-z0-9_]*", "a name of lower-case letters, digits and _")
CONFIG = matching(r"[A-Z][A-Z0-9_-]{0,31}", "a name of at most 32 upper-case letters, digits, - and _")
NUMBER = must_be("a number, 0 or more", _number)
COUNT = must_be("a whole number, 0 or more", is_count)
POSITIVE = must_be("a whole number, 1 or more", lambda value: is_count(value) and value > 0)
COUNTS = must_be(
    "a mapping from texts to whole numbers, 0 or more",
    lambda value: isinstance(value, Mapping) and all(_line(k) and is_count(v) for k, v in value.items()),
)
FLAG = must_be("True or False", lambda value: isinstance(value, bool))


@frozen
class Guarded:
    """A function of a plug-in.

    Attributes:
        name: what it is called. call: the function. result: the type it must return.
        item: of a sequence, the type of its members; it is then returned as a tuple.
    """

    name: str
    call: Callable[..., Any]
    result: type
    item: type | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Return what the function returns.

        Raises:
            RuntimeError: it would end the process.
            TypeError: it returns something else than it must.
            Exception: as the function.
        """
        # copies, so that it changes none of ours
        copies = [dict(a) if isinstance(a, dict | MappingProxyType) else a for a in arguments]
        try:
            value: Any = self.call(*copies)
            if self.item is not None:
                value = as_tuple(value)
        except SystemExit as error:
            raise RuntimeError(f"{self.name} calls sys.exit({error.code!r})") from None
        if not isinstance(value, self.result):
            raise TypeError(f"{self.name} returns {type(value).__name__}, not {self.result.__name__}")
        if self.item is not None and not all(isinstance(entry, self.item) for entry in as_tuple(value)):
            raise TypeError(f"{self.name} returns something else than {self.item.__name__} records")
        return value


def guarded(call: Any, name: str, result: type, item: type | None = None) -> Any:
    """Return a function wrapped as `Guarded`; what is no function stays, for the validator to refuse."""
    return call if isinstance(call, Guarded) or not callable(call) else Guarded(name, call, result, item)


FUNCTION = must_be("a function", lambda value: isinstance(value, Guarded))
