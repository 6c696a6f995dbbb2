"""Conversations in the form of the OpenAI chat interface, which litellm takes for every service, and replies out of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from kernelcraft_core.agent.protocol import Message, ToolCall

OWN = "kc"
"""Key of `Message.opaque` for notes of ours, which no service gets back."""
KEPT = ("thinking_blocks", "reasoning_content", "provider_specific_fields")
"""What services add to a message and must or may get back with it."""
NOTHING = "(no answer)"
"""Stands for an empty turn: some services refuse a conversation with a text that is empty or blank."""
_FINISHES = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "safety": "refusal",
}


class BadReply(Exception):
    """What came is no reply: why."""


def to_wire(messages: Sequence[Message], *, reasoning: bool = True) -> list[dict[str, Any]]:
    """Return the messages as litellm takes them.

    An empty turn of the assistant goes back as `NOTHING`. Arguments that are no JSON object would make many services refuse the
    whole conversation for good; such arguments go back as the field `malformed_arguments` of one. Reasoning
    goes back as it came, where `reasoning` is False only what is signed.
    """
    return [_message(message, reasoning) for message in messages]


def _message(message: Message, reasoning: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        entry["tool_call_id"] = message.tool_call_id or ""
    if message.role != "assistant":
        return entry
    entry |= {key: message.opaque[key] for key in KEPT if key in message.opaque}
    if not reasoning:
        entry.pop("reasoning_content", None)
    if not message.content.strip():
        entry["content"] = None if message.tool_calls else NOTHING
    if message.tool_calls:
        extra = message.opaque.get("tool_calls", {})
        entry["tool_calls"] = [_call(call, extra.get(call.id, {})) for call in message.tool_calls]
    return entry


def _call(call: ToolCall, extra: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": call.name, "arguments": _object(call.arguments)}
    return {"id": call.id, "type": "function", "function": function, **extra}


def _object(arguments: str) -> str:
    """Return arguments as the JSON text of an object."""
    try:
        whole = isinstance(json.loads(arguments or "{}"), dict)
    except (ValueError, RecursionError):
        whole = False
    return (arguments or "{}") if whole else json.dumps({"malformed_arguments": arguments}, ensure_ascii=False)


def from_wire(message: Any, finish: Any, missing: Sequence[bool] = ()) -> tuple[Message, str]:
    """Return the message of a reply, and how it ended (one of `FINISHES`).

    Args:
        message: the service's, as plain data.
        finish: the service's word for the end.
        missing: per tool call, whether its id is made up already.

    Raises:
        BadReply: it is no message of an assistant.
    """
    if not isinstance(message, Mapping) or message.get("role") not in (None, "assistant"):
        raise BadReply("the reply has no message of an assistant")
    content, refusal = _text(message.get("content")), _text(message.get("refusal"))
    opaque = {key: plain(message[key]) for key in KEPT if message.get(key)}
    calls, extra, made_up = _calls(message, missing)
    if extra:
        opaque["tool_calls"] = extra
    if made_up:
        opaque[OWN] = {"missing_call_id": True}
    end = _FINISHES.get(str(finish).lower(), "stop")
    if refusal and not calls:
        end = "refusal"
    elif end in ("stop", "tool_calls"):
        end = "tool_calls" if calls else "stop"
    return Message("assistant", content or refusal, calls, opaque=opaque), end


def _text(content: Any) -> str:
    """Return the text of a content: a text, nothing, or a list of parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text"))
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        return "".join(_text(part) for part in content)
    raise BadReply(f"the content of the reply is a {type(content).__name__}")


def _calls(
    message: Mapping[str, Any], missing: Sequence[bool]
) -> tuple[tuple[ToolCall, ...], dict[str, dict[str, Any]], bool]:
    """Return the calls, what belongs to each besides, by id, and whether ids were made up."""
    given = message.get("tool_calls") or []
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise BadReply("the tool calls of the reply are no list")
    if not given and message.get("function_call"):
        given, missing = [{"function": message["function_call"]}], (True,)
    calls: list[ToolCall] = []
    extra: dict[str, dict[str, Any]] = {}
    made_up = False
    for index, entry in enumerate(given):
        function = entry.get("function") if isinstance(entry, Mapping) else None
        if not isinstance(function, Mapping):
            raise BadReply("a tool call of the reply has no function")
        identifier = entry.get("id")
        absent = (index < len(missing) and missing[index]) or any(identifier == call.id for call in calls)
        if absent or not identifier or not isinstance(identifier, str):
            identifier, made_up = f"call_{uuid.uuid4().hex[:24]}", True
        calls.append(ToolCall(identifier, str(function.get("name") or ""), _arguments(function.get("arguments"))))
        if entry.get("provider_specific_fields"):
            extra[identifier] = {"provider_specific_fields": plain(entry["provider_specific_fields"])}
    return tuple(calls), extra, made_up


def _arguments(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def plain(value: Any) -> Any:
    """Return data of plain types only: what is none becomes its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return str(value)
