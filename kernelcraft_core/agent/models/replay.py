"""Replaying the replies of an earlier transcript (`kc.transcript/1`), for looking again without a model."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.agent.models.scripted import read_text
from kernelcraft_core.agent.models.settings import Setting, one_of
from kernelcraft_core.agent.protocol import FINISHES, Message, ModelError, Reply, Usage
from kernelcraft_core.diagnostics import printable

MAX_BYTES = 512 * 2**20
SETTINGS = {
    "divergence": Setting(
        one_of("report", "stop"), "when the conversation is not the recorded one: `report` it and go on, or `stop`"
    )
}
log = logging.getLogger(__name__)


@frozen
class Recorded:
    """A reply of a transcript, and the conversation that it answers, as far as the transcript has it."""

    reply: Reply
    before: tuple[Message, ...]


@define(eq=False)
class ReplayModel:
    """Gives the replies of a transcript again, in their order.

    A conversation that is not the recorded one (another prompt, other tool results) is logged, and the reply's message says
    so: `opaque["kc"]["divergence"]` has the index of the first message that differs, and both beginnings.

    Attributes:
        divergences: index of the reply -> what differed.
    """

    name: str
    recorded: Sequence[Recorded] = field(repr=False)
    settings: Mapping[str, Any] = field(factory=dict)
    divergences: dict[int, dict[str, Any]] = field(factory=dict, init=False)

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """Return the recorded reply that follows as many replies as the conversation has.

        Raises:
            ModelError: `request` there is none, or the conversation diverges and the setting `divergence` is `stop`.
        """
        index = sum(m.role == "assistant" for m in messages)
        if index >= len(self.recorded):
            raise ModelError("request", f"the transcript has {len(self.recorded)} replies, and the episode goes on")
        found = self.recorded[index]
        difference = first_difference(found.before, messages)
        if difference is None:
            return found.reply
        self.divergences[index] = difference
        text = f"reply {index + 1}: the conversation is not the recorded one from message {difference['message']} on"
        log.warning("replay of %s: %s", self.name, text)
        if self.settings.get("divergence") == "stop":
            raise ModelError("request", text)
        opaque = dict(found.reply.message.opaque)
        opaque["kc"] = {**opaque.get("kc", {}), "divergence": difference}
        return evolve(found.reply, message=evolve(found.reply.message, opaque=opaque))


def first_difference(before: Sequence[Message], now: Sequence[Message]) -> dict[str, Any] | None:
    """Return where two conversations differ for their reader: index of the message, and how both begin; None: nowhere."""
    for index in range(max(len(before), len(now))):
        texts = [_visible(side[index]) if index < len(side) else "(nothing)" for side in (before, now)]
        if texts[0] != texts[1]:
            start = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
            cut = slice(max(0, start - 20), start + 60)
            return {"message": index, "recorded": printable(texts[0][cut]), "now": printable(texts[1][cut])}
    return None


def _visible(message: Message) -> str:
    """Return what a model sees of a message: not ids, which may be made up, and nothing opaque."""
    calls = "".join(f" [{call.name} {call.arguments}]" for call in message.tool_calls)
    return f"{message.role}: {message.content}{calls}"


def from_transcript(path: str) -> list[Recorded]:
    """Return the replies of a transcript with what came before each.

    The last line may be cut off (a killed run); every other line must be a record.

    Raises:
        ModelSetupError: KC0732.
    """
    found: list[Recorded] = []
    conversation: list[Message] = []
    try:
        for number, entry in _events(read_text(path, "transcript", MAX_BYTES)):
            if not isinstance(entry.get("message"), dict):
                continue
            message = Message.from_dict(entry["message"])
            if entry.get("kind") == "reply":
                found.append(Recorded(_reply(entry, message, number), tuple(conversation)))
            conversation.append(message)
    except (KeyError, TypeError, ValueError) as error:
        raise fail("KC0732", f"{path} is no transcript: {printable(str(error), 200)}") from None
    if not found:
        raise fail("KC0732", f"the transcript {path} has no replies")
    return found


def _events(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines):
                return
            raise ValueError(f"line {number} is not JSON") from None
        if not isinstance(entry, dict):
            raise ValueError(f"line {number} is no table")
        yield number, entry


def _reply(entry: Mapping[str, Any], message: Message, number: int) -> Reply:
    usage = entry.get("usage") or {}
    finish = entry.get("finish", "stop")
    if finish not in FINISHES or not isinstance(usage, dict) or message.role != "assistant":
        raise ValueError(f"line {number} is no reply")
    known = {name: usage.get(name) for name in Usage().as_dict()}
    return Reply(message, finish, Usage(**known), seconds=float(entry.get("seconds") or 0.0))
