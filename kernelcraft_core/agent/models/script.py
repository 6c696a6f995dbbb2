"""Script files (`kc.script/1`): turns of a model, written down; TOML or JSON.

    schema = "kc.script/1"
    then = "stop"                       # after the last turn: `stop` (says so and ends), `repeat` the last turn, `error`

    [[turn]]
    text = "A first try."
    requires = "kernel:expert"          # leave the turn out where the workload has no such kernel
    delay_s = 0.5
    usage = { input_tokens = 900, output_tokens = 40 }

    [[turn.call]]
    tool = "write_code"
    arguments = { assembly_code = "{{kernel:baseline}}" }       # or a text, as raw as a model might write it

    [[turn]]
    error = { kind = "server", message = "the service is down" }

`{{kernel:KIND}}`, `{{kernel:KIND.head(LINES)}}`, `{{target}}`, `{{task}}` and `{{config}}` are replaced in `text` and in
arguments. In raw arguments, which are meant to be JSON, what is filled in is escaped as inside a JSON string.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from kernelcraft_core.agent.models.context import BASELINE, ModelContext, check_template, fill
from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.agent.protocol import ERROR_KINDS, FINISHES, Attempt, Message, ModelError, Reply, ToolCall, Usage
from kernelcraft_core.diagnostics import printable
from kernelcraft_core.tasks import KERNEL_KINDS

SCHEMA = "kc.script/1"
MAX_BYTES = 16 * 2**20
THEN = ("stop", "repeat", "error")
_TURN = {"text", "call", "finish", "requires", "delay_s", "usage", "error", "attempts", "opaque"}
_CALL = {"tool", "arguments", "id"}
_USAGE = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "price_usd")


@frozen
class ScriptCall:
    """A tool call of a script: a table of arguments or raw text; without an `id` one is made up."""

    tool: str
    arguments: Any = ""
    id: str | None = None


@frozen
class Turn:
    """A turn of a script: a reply, or the `ModelError` (kind, message) that is raised in its place."""

    text: str = ""
    calls: tuple[ScriptCall, ...] = ()
    finish: str | None = None
    requires: str | None = None
    delay_s: float = 0.0
    usage: Usage = field(factory=Usage)
    error: tuple[str, str] | None = None
    attempts: tuple[Attempt, ...] = ()
    opaque: Mapping[str, Any] = field(factory=dict)

    def reply(self, number: int, context: ModelContext | None) -> Reply:
        """Return the turn as a reply; ids that the script leaves out are made from `number`.

        Raises:
            ModelError: the turn is one.
            ModelSetupError: KC0735 something to be filled in is missing.
        """
        if self.error is not None:
            raise ModelError(*self.error, attempts=self.attempts)
        calls = tuple(
            ToolCall(f"call-{number}-{i}" if c.id is None else c.id, c.tool, _arguments(c.arguments, context))
            for i, c in enumerate(self.calls, start=1)
        )
        message = Message("assistant", fill(self.text, context), calls, opaque=dict(self.opaque))
        finish = self.finish or ("tool_calls" if calls else "stop")
        return Reply(message, finish, self.usage, attempts=self.attempts)


@frozen
class Script:
    """A script: its turns, and what comes `then`."""

    turns: tuple[Turn, ...]
    then: str = "stop"


def _arguments(value: Any, context: ModelContext | None) -> str:
    if isinstance(value, str):
        return fill(value, context, quote=lambda text: json.dumps(text, ensure_ascii=False)[1:-1])
    return json.dumps(_filled(value, context), ensure_ascii=False)


def _filled(value: Any, context: ModelContext | None) -> Any:
    if isinstance(value, str):
        return fill(value, context)
    if isinstance(value, Mapping):
        return {key: _filled(entry, context) for key, entry in value.items()}
    if isinstance(value, list):
        return [_filled(entry, context) for entry in value]
    return value


def parse(text: str, name: str) -> Script:
    """Return the script of a file's text: JSON when it begins with a brace, TOML otherwise.

    Raises:
        ModelSetupError: KC0732.
    """
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        return _script(data)
    except (ValueError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        raise fail("KC0732", f"{name} is no script: {printable(reason, 300)}", "its format is kc.script/1") from None


def _script(data: Any) -> Script:
    entry = _table(data, "the script", {"schema", "then", "turn"})
    if entry.get("schema") != SCHEMA:
        raise ValueError(f"its schema is {entry.get('schema')!r}, not {SCHEMA!r}")
    then = entry.get("then", "stop")
    if then not in THEN:
        raise ValueError(f"`then` is {then!r}, not one of {', '.join(THEN)}")
    turns = entry.get("turn")
    if not isinstance(turns, list) or not turns:
        raise ValueError("it has no turns")
    return Script(tuple(_turn(turn, f"turn {i}") for i, turn in enumerate(turns, start=1)), then)


def _turn(data: Any, where: str) -> Turn:
    entry = _table(data, where, _TURN)
    text = _typed(entry, "text", str, "", where)
    finish = entry.get("finish")
    if finish is not None and finish not in FINISHES:
        raise ValueError(f"{where}: `finish` is {finish!r}, not one of {', '.join(FINISHES)}")
    calls = tuple(_call(call, f"{where}, call {i}") for i, call in enumerate(_typed(entry, "call", list, [], where), 1))
    for value in (text, *(c.arguments for c in calls)):
        _check(value, where)
    delay = entry.get("delay_s", 0)
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not 0 <= delay <= 86_400:
        raise ValueError(f"{where}: `delay_s` must be a number of seconds")
    return Turn(
        text,
        calls,
        finish,
        _requires(entry.get("requires"), where),
        float(delay),
        _usage(_table(entry.get("usage", {}), f"{where}: usage", set(_USAGE)), where),
        _error(entry["error"], where) if "error" in entry else None,
        tuple(_attempt(a, where) for a in _typed(entry, "attempts", list, [], where)),
        _typed(entry, "opaque", dict, {}, where),
    )


def _call(data: Any, where: str) -> ScriptCall:
    entry = _table(data, where, _CALL)
    tool = _typed(entry, "tool", str, None, where)
    arguments = entry.get("arguments", "")
    if not isinstance(arguments, str | dict | list):
        raise ValueError(f"{where}: `arguments` must be a table or a text")
    return ScriptCall(tool, arguments, _typed(entry, "id", str, "", where) if "id" in entry else None)


def _error(data: Any, where: str) -> tuple[str, str]:
    entry = _table(data, f"{where}: error", {"kind", "message"})
    if entry.get("kind") not in ERROR_KINDS:
        raise ValueError(f"{where}: kind of error {entry.get('kind')!r} is not one of {', '.join(ERROR_KINDS)}")
    return str(entry["kind"]), _typed(entry, "message", str, "scripted error", where)


def _attempt(data: Any, where: str) -> Attempt:
    entry = _table(data, f"{where}: attempt", {"kind", "message", "wait_s"})
    kind, message = _error({k: v for k, v in entry.items() if k != "wait_s"}, where)
    return Attempt(kind, message, _number(entry.get("wait_s", 0.0), f"{where}: wait_s"))


def _usage(entry: Mapping[str, Any], where: str) -> Usage:
    counts = {name: entry[name] for name in _USAGE[:4] if name in entry}
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ValueError(f"{where}: `{name}` must be a number of tokens")
    price = _number(entry["price_usd"], f"{where}: price_usd") if "price_usd" in entry else None
    return Usage(**counts, price_usd=price)


def _requires(value: Any, where: str) -> str | None:
    if value is None:
        return None
    kinds = (BASELINE, *KERNEL_KINDS)
    if not isinstance(value, str) or value.removeprefix("kernel:") not in kinds or not value.startswith("kernel:"):
        raise ValueError(f"{where}: `requires` must be kernel:KIND, KIND one of {', '.join(kinds)}")
    return value.removeprefix("kernel:")


def _check(value: Any, where: str) -> None:
    try:
        if isinstance(value, str):
            check_template(value)
        elif isinstance(value, Mapping | list):
            for entry in value.values() if isinstance(value, Mapping) else value:
                _check(entry, where)
        else:
            json.dumps(value)
    except (TypeError, ValueError) as error:
        raise ValueError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


def _table(data: Any, where: str, known: set[str]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ValueError(f"{where} is no table")
    unknown = sorted(set(data) - known)
    if unknown:
        raise ValueError(f"{where}: {unknown[0]!r} is not known (known: {', '.join(sorted(known))})")
    return data


def _typed(entry: Mapping[str, Any], name: str, kind: type, default: Any, where: str) -> Any:
    value = entry.get(name, default)
    if not isinstance(value, kind):
        words: dict[type, str] = {str: "text", list: "list", dict: "table"}
        raise ValueError(f"{where}: `{name}` must be a {words[kind]}")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise ValueError(f"{where} must be a number, at least 0")
    return float(value)


def playable(script: Script, context: ModelContext | None) -> Sequence[Turn]:
    """Return the turns that the workload can play: without those that require a kernel it does not have."""
    return [
        turn
        for turn in script.turns
        if turn.requires is None or (context is not None and context.kernel(turn.requires) is not None)
    ]
