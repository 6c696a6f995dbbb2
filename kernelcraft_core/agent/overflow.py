"""Making a conversation shorter when it no longer fits into what a model can read.

What the tools said first goes first; whole turns follow. Calls and their answers stay together: services refuse one without
the other. An assistant's turn is never changed, since some of them are signed.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from kernelcraft_core.agent.protocol import Message

KEPT = 200
"""Characters that stay of an answer that is shortened."""
_DROPPED = "[harness] To make room, earlier turns were left out: "
_SHORT = "\n[shortened: {count:,} more characters; call the tool again if you need them]"
_WORTH = 2 * KEPT
"""Answers that are not longer than this stay as they are."""


def shorten(messages: Sequence[Message]) -> tuple[list[Message], str] | None:
    """Return a shorter conversation and what was done to it; None when nothing is left that could go.

    Args:
        messages: the prompt, then turns: an assistant's message with what follows it.
    """
    prompt, turns = _turns(messages)
    older = [m for turn in turns[:-1] for m in turn]
    long = [m for m in older if _is_long(m)] or [m for turn in turns[-1:] for m in turn if _is_long(m)]
    if long and (len(turns) < 3 or any(_is_long(m) for m in older)):
        chosen = {id(m) for m in long[: (len(long) + 1) // 2]}
        out = [_cut(m) if id(m) in chosen else m for m in messages]
        return out, f"{len(chosen)} answers of tools shortened"
    if len(turns) < 2:
        return None
    count = len(turns) // 2
    before = sum(_dropped(m) for m in prompt)
    head = [m for m in prompt if not _dropped(m)]
    total = before + count
    remark = Message("user", f"{_DROPPED}{total}. The kernel is as you last wrote it.")
    return [*head, remark, *(m for turn in turns[count:] for m in turn)], f"{count} oldest turns left out"


def _turns(messages: Sequence[Message]) -> tuple[list[Message], list[list[Message]]]:
    prompt: list[Message] = []
    turns: list[list[Message]] = []
    for message in messages:
        if message.role == "assistant":
            turns.append([message])
        elif turns:
            turns[-1].append(message)
        else:
            prompt.append(message)
    return prompt, turns


def _is_long(message: Message) -> bool:
    return message.role == "tool" and len(message.content) > _WORTH


def _cut(message: Message) -> Message:
    rest = len(message.content) - KEPT
    return evolve(message, content=message.content[:KEPT] + _SHORT.format(count=rest))


def _dropped(message: Message) -> int:
    """Return how many turns a remark of ours says were left out; 0 for other messages."""
    if message.role != "user" or not message.content.startswith(_DROPPED):
        return 0
    return int(message.content[len(_DROPPED) :].partition(".")[0])
