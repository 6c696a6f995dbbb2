"""Arguments of a tool call, from whatever a model wrote to checked values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from kernelcraft_core.agent.signatures import PARAMETERS
from kernelcraft_core.diagnostics import did_you_mean, printable

MAX_RAW = 8 << 20
"""Longest text of arguments that is looked at, in characters."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Refused(Exception):
    """A call that cannot be carried out: its class of error and the answer."""

    def __init__(self, error_class: str, message: str) -> None:
        super().__init__(message)
        self.error_class = error_class
        self.message = message


def malformed(message: str) -> Refused:
    """Return the refusal of arguments that are no JSON object."""
    return Refused("malformed_arguments", message)


def invalid(message: str) -> Refused:
    """Return the refusal of arguments that the tool does not take."""
    return Refused("invalid_arguments", message)


def parse(raw: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as a dictionary; no text at all means none.

    Line breaks inside of strings are accepted as they are: models write programs that way.

    Raises:
        Refused: malformed_arguments; limit for a text that is too long.
    """
    if isinstance(raw, Mapping):
        return {str(key): value for key, value in raw.items()}
    if not isinstance(raw, str):
        raise malformed(f"the arguments are a {type(raw).__name__}, not a JSON object")
    if len(raw) > MAX_RAW:
        raise Refused("limit", f"the arguments have {len(raw):,} characters; at most {MAX_RAW:,} are accepted")
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw, strict=False)
    except json.JSONDecodeError as error:
        raise malformed(_explain(raw, error)) from None
    except (ValueError, RecursionError):
        raise malformed("the arguments hold a number that is too long or are nested too deeply") from None
    if not isinstance(value, dict):
        kind = {list: "list", str: "string", type(None): "null", bool: "boolean"}.get(type(value), "number")
        raise malformed(f"the arguments are a JSON {kind}, not a JSON object such as {{}}")
    return value


def _explain(raw: str, error: json.JSONDecodeError) -> str:
    """Return what is wrong with a text, and whether it looks cut off."""
    end = len(raw.rstrip())
    cut = error.pos >= end or error.msg.startswith("Unterminated")
    if cut:
        return f"the arguments are not complete: the JSON text ends after {len(raw):,} characters; send the whole call again"
    near = printable(raw[max(0, error.pos - 20) : error.pos + 20])
    return f"the arguments are not JSON: {error.msg} at line {error.lineno}, column {error.colno}, near {near!r}"


def check(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a tool, checked against its signature; those that are null are left out.

    Raises:
        Refused: invalid_arguments; limit for a string that is too long.
    """
    schema = PARAMETERS[tool]
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    for key in given:
        if key not in properties:
            takes = f"it takes {', '.join(properties)}" if properties else "it takes no arguments"
            hint = did_you_mean(key, properties)
            raise invalid(f"{tool} has no argument {printable(key)!r}; {hint or takes}")
    out = {key: value for key, value in given.items() if value is not None}
    for key in schema["required"]:
        if key not in out:
            raise invalid(f"{tool} needs the argument {key!r}")
    return {key: _value(tool, key, value, properties[key]) for key, value in out.items()}


def _value(tool: str, key: str, value: Any, schema: Mapping[str, Any]) -> str:
    if key in ("rows", "columns"):
        value = _range_text(value)
    if not isinstance(value, str):
        raise invalid(f"{tool}: {key} is a {_kind(value)}, not a string")
    most = schema.get("maxLength")
    if most is not None and len(value) > most:
        raise Refused("limit", f"{tool}: {key} has {len(value):,} characters; at most {most:,} are accepted")
    for what, found in (("NUL character", value.find("\0")), ("lone surrogate", _surrogate(value))):
        if found >= 0:
            line = value.count("\n", 0, found) + 1
            raise invalid(f"{tool}: {key} holds a {what} in line {line}; send plain text")
    if "enum" in schema and value not in schema["enum"]:
        raise invalid(f"{tool}: {key} = {printable(value)!r} is none of {', '.join(schema['enum'])}")
    return value


def _range_text(value: Any) -> Any:
    """Return a range that was given as a number or a pair of numbers in its text form."""
    if type(value) is int:
        return _digits(value)
    if isinstance(value, list | tuple) and len(value) == 2 and all(type(v) is int for v in value):
        return ":".join(_digits(v) for v in value)
    return value


def _digits(value: int) -> str:
    """Return a number in digits; one that no array has as an index in fewer than it has."""
    return str(max(-(1 << 62), min(1 << 62, value)))


def _surrogate(text: str) -> int:
    found = _SURROGATE.search(text)
    return found.start() if found else -1


def _kind(value: Any) -> str:
    kinds = {bool: "boolean", int: "number", float: "number", list: "list", dict: "object"}
    return kinds.get(type(value), type(value).__name__)
