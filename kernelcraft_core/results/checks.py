"""What the values of records must be, so that reports can rely on it whoever wrote the file.

A `Shape` is a table of keys. What a shape does not name is kept as it is: newer minor versions add keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from kernelcraft_core.hookspecs import CORE

STATUSES = ("passed", "syntax_error", "trap", "limit", "mismatch", "harness_error")
MAX_COUNT = 1 << 63
"""No count is as large: cycles, tokens and lines are below it, and below it a number fits where it has to go."""
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@frozen
class Kind:
    """What a value must be: in words, and as a test."""

    words: str
    fits: Callable[[Any], bool]


@frozen
class Key:
    """One key of a record. `default` stands for a value that is missing; a key that is `required` has none."""

    kind: Kind
    default: Any = None
    required: bool = False


Shape = Mapping[str, Key]


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_COUNT


def _number(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < MAX_COUNT
    return isinstance(value, float) or (isinstance(value, str) and value in _NOT_FINITE)


def number(value: Any) -> float | None:
    """Return a number that fits `NUMBER` as float, NaN and infinity included; None for None."""
    return None if value is None else float(_NOT_FINITE.get(value, value) if isinstance(value, str) else value)


def optional(kind: Kind) -> Kind:
    """Return the kind that also takes null."""
    return Kind(f"{kind.words} or null", lambda value: value is None or kind.fits(value))


def list_of(kind: Kind) -> Kind:
    """Return the kind of a list of such values."""
    return Kind(f"a list, each {kind.words}", lambda v: isinstance(v, list) and all(map(kind.fits, v)))


def map_of(kind: Kind) -> Kind:
    """Return the kind of an object whose values are such."""
    return Kind(
        f"an object, each value {kind.words}", lambda v: isinstance(v, dict) and all(map(kind.fits, v.values()))
    )


def one_of(*words: str) -> Kind:
    """Return the kind of a closed list of words."""
    return Kind(f"one of {', '.join(words)}", lambda value: isinstance(value, str) and value in words)


TEXT = Kind("text", lambda value: isinstance(value, str))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
COUNT = Kind("a whole number, 0 or more", _count)
NUMBER = Kind("a number", _number)
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
SUBJECT = Kind("an object with a `kind`", lambda value: isinstance(value, dict) and isinstance(value.get("kind"), str))
FINDING = Kind(
    "an object with `code`, `severity` and `message`",
    lambda v: isinstance(v, dict) and all(isinstance(v.get(k), str) for k in ("code", "severity", "message")),
)
WORST = Kind(
    "an object with `output`, `index`, `got` and `expected`",
    lambda v: isinstance(v, dict) and isinstance(v.get("index"), list) and {"output", "got", "expected"} <= v.keys(),
)
KERNEL = Kind(
    "an object with `path` and `sha256`",
    lambda v: isinstance(v, dict) and isinstance(v.get("path"), str) and isinstance(v.get("sha256"), str),
)


def check(entry: Mapping[str, Any], shape: Shape, where: str = "") -> tuple[dict[str, Any], list[str]]:
    """Return a record with its defaults, and what is wrong with it, in words; what is wrong has its default, too.

    Args:
        entry: the record.
        shape: its keys.
        where: what to write before a key, such as `agent.`.
    """
    out, wrong = dict(entry), list(_wrong(entry, shape, where))
    for name, key in shape.items():
        if name not in entry or not key.kind.fits(entry[name]):
            out[name] = key.default
    return out, wrong


def _wrong(entry: Mapping[str, Any], shape: Shape, where: str) -> Iterator[str]:
    for name, key in shape.items():
        if name not in entry:
            if key.required:
                yield f"it has no `{where}{name}`"
        elif not key.kind.fits(entry[name]):
            yield f"`{where}{name}` is not {key.kind.words}"


_ID = Key(TEXT, "", required=True)

RUN_SHAPE: Shape = {
    "started": Key(optional(TEXT)),
    "python": Key(optional(TEXT)),
    "version": Key(optional(TEXT)),
    "git": Key(optional(OBJECT)),
    "plugins": Key(map_of(optional(TEXT)), {}),
    "suites": Key(map_of(TEXT), {}),
    "targets": Key(map_of(list_of(OBJECT)), {}),
    "settings": Key(OBJECT, {}),
    "cells": Key(list_of(OBJECT), ()),
}
"""Keys of `run.json` that reports use."""

CELL_SHAPE: Shape = {
    "id": _ID,
    "target": _ID,
    "task": _ID,
    "config": _ID,
    "subject": Key(SUBJECT, {"kind": ""}, required=True),
    "level": Key(COUNT, 0),
    "title": Key(optional(TEXT)),
    "repeat": Key(COUNT, 0),
}
"""Keys of an entry of `cells` in `run.json` that reports use."""

SAMPLE_SHAPE: Shape = {
    "id": _ID,
    "target": _ID,
    "task": _ID,
    "config": _ID,
    "status": Key(one_of(*STATUSES), "", required=True),
    "subject": Key(SUBJECT, {"kind": ""}, required=True),
    "level": Key(COUNT, 0),
    "repeat": Key(COUNT, 0),
    "expected": Key(one_of("passed", "mismatch"), "passed"),
    "suite": Key(map_of(TEXT), {}),
    "machine": Key(TEXT, ""),
    "backend": Key(TEXT, CORE),
    "extensions": Key(list_of(TEXT), ()),
    "isa_digest": Key(TEXT, ""),
    "cycles": Key(optional(COUNT)),
    "baseline_cycles": Key(optional(COUNT)),
    "baseline_kind": Key(optional(TEXT)),
    "instructions": Key(optional(COUNT)),
    "speedup": Key(optional(NUMBER)),
    "bound_share": Key(optional(NUMBER)),
    "match_rate": Key(optional(NUMBER)),
    "rel_l2": Key(optional(NUMBER)),
    "max_abs_error": Key(optional(NUMBER)),
    "diagnostics": Key(list_of(FINDING), ()),
    "worst": Key(list_of(WORST), ()),
    "kernel": Key(optional(KERNEL)),
    "seconds": Key(optional(NUMBER)),
    "agent": Key(optional(OBJECT)),
}
"""Keys of a sample that reports use."""

AGENT_SHAPE: Shape = {
    "iterations": Key(optional(COUNT)),
    "evaluations": Key(optional(COUNT)),
    "tool_calls": Key(map_of(COUNT), {}),
    "stopped": Key(optional(TEXT)),
    "failure": Key(optional(TEXT)),
    "events": Key(map_of(COUNT), {}),
    "first_correct": Key(optional(COUNT)),
    "best_iteration": Key(optional(COUNT)),
    "best_cycles": Key(optional(COUNT)),
    "error": Key(optional(OBJECT)),
    "run_limit": Key(FLAG, False),
    "usage": Key(OBJECT, {}),
    "seconds": Key(map_of(optional(NUMBER)), {}),
    "transcript": Key(optional(TEXT)),
}
"""Keys of `agent` in a sample."""

TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
USAGE_SHAPE: Shape = {**{name: Key(optional(COUNT)) for name in TOKENS}, "price_usd": Key(optional(NUMBER))}
"""Keys of `agent.usage`."""
