"""What a model is: a function from a conversation and tools to one reply.

Providers turn these records into what their service wants. Tool arguments stay the text the model wrote, so that malformed
JSON can be recorded and answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from attrs import field, frozen
from attrs.validators import in_

ROLES = ("system", "user", "assistant", "tool")
FINISHES = ("stop", "tool_calls", "length", "refusal")
"""Why a reply ended: on its own, with tool calls, at a token limit, or because the model (or a filter) declined."""
ERROR_KINDS = ("context_overflow", "rate_limit", "server", "timeout", "connection", "bad_response", "auth", "request")
"""Why there is no reply. `bad_response`: it cannot be understood. `request`: the service refuses what was sent."""


@frozen
class ToolCall:
    """A call as the model wrote it: `arguments` is raw text, empty when it gave none; `id` may be made up by us."""

    id: str
    name: str
    arguments: str = ""


@frozen
class Message:
    """One turn of a conversation.

    Attributes:
        role: one of `ROLES`. content: text; empty when there is none.
        tool_calls: of an assistant's turn. tool_call_id: of a tool's turn: the call it answers.
        opaque: what the provider must get back unchanged with this turn (signed reasoning blocks), plain JSON data.
    """

    role: str = field(validator=in_(ROLES))
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    opaque: Mapping[str, Any] = field(factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for transcripts."""
        entry: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            entry["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in self.tool_calls]
        if self.tool_call_id is not None:
            entry["tool_call_id"] = self.tool_call_id
        if self.opaque:
            entry["opaque"] = dict(self.opaque)
        return entry

    @staticmethod
    def from_dict(entry: Mapping[str, Any]) -> Message:
        """Return the message of plain data made by `as_dict`. Raises: KeyError, TypeError, ValueError on other data."""
        calls = tuple(ToolCall(c["id"], c["name"], c["arguments"]) for c in entry.get("tool_calls", ()))
        return Message(entry["role"], entry["content"], calls, entry.get("tool_call_id"), dict(entry.get("opaque", {})))


@frozen
class Usage:
    """Tokens of one reply, and its price; None: the service did not say, or nobody knows.

    Attributes:
        input_tokens: of the whole request, cached ones included. cached_tokens: of those, read from a cache.
        output_tokens: of the reply, reasoning included. reasoning_tokens: of those.
        price_usd: in US dollars.
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    price_usd: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for transcripts."""
        return {
            "input_tokens": self.input_tokens,
            "cached_tokens": self.cached_tokens,
            "output_tokens": self.output_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "price_usd": self.price_usd,
        }


@frozen
class Attempt:
    """A call of the service that gave no reply and was tried again: its error kind, message and the wait in seconds."""

    kind: str = field(validator=in_(ERROR_KINDS))
    message: str
    wait_s: float


@frozen
class Reply:
    """What a model answered. `finish` is one of `FINISHES`; `seconds` counts the successful call only."""

    message: Message
    finish: str = field(default="stop", validator=in_(FINISHES))
    usage: Usage = field(factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


class ModelError(Exception):
    """There is no reply, and trying again is of no use (any more).

    Attributes:
        kind: one of `ERROR_KINDS`. message: for people, without secrets. attempts: what was tried before.
    """

    def __init__(self, kind: str, message: str, attempts: Sequence[Attempt] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.attempts = tuple(attempts)


class Model(Protocol):
    """A model with its settings. One object serves one episode at a time."""

    @property
    def name(self) -> str:
        """As the user gave it: `gpt-5.2`, `scripted:demo`, `baseline`."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What may change its answers, as plain data; part of a sample's identity. No keys, no secrets."""
        ...

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """Return the next turn of the assistant.

        Args:
            messages: the conversation so far; ends with a user's or a tool's turn.
            tools: JSON-schema signatures in the form of the OpenAI chat interface.

        Raises:
            ModelError: there is none.
        """
        ...
