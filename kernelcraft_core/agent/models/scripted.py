"""Models that are no models: turns from a file, the baseline kernel, an earlier transcript."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from kernelcraft_core.agent.models.context import ModelContext
from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.agent.models.script import MAX_BYTES, Script, Turn, parse, playable
from kernelcraft_core.agent.protocol import Message, ModelError, Reply

SHIPPED = ("demo",)
"""Scripts that come with the core: `scripted:demo`."""
_END = "That was the last turn of the script."


@define(eq=False, slots=False)
class ScriptedModel:
    """Plays the turns of a script.

    A conversation that has replies in it already (a resumed episode) is continued behind as many turns with replies.

    Attributes:
        name: as the user gave it. settings: the script's name and digest: what its answers depend on.
    """

    name: str
    script: Script = field(repr=False)
    settings: Mapping[str, Any] = field(factory=dict)
    context: ModelContext | None = None
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    _next: int | None = field(default=None, init=False)

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """The turns that the workload can play."""
        return playable(self.script, self.context)

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """Return the next turn. Raises: ModelError the script says so. ModelSetupError: KC0735."""
        if self._next is None:
            self._next = self._behind(sum(m.role == "assistant" for m in messages))
        index = self._next
        turn = self._turn(index)
        self._next = index + 1
        if turn.delay_s:
            self.sleep(turn.delay_s)
        return evolve(turn.reply(index + 1, self.context), seconds=turn.delay_s)

    def _behind(self, replies: int) -> int:
        """Return the index of the turn behind the first `replies` turns with a reply."""
        index = 0
        while replies and index < len(self.turns):
            replies -= self.turns[index].error is None
            index += 1
        return index + replies

    def _turn(self, index: int) -> Turn:
        if index < len(self.turns):
            return self.turns[index]
        if self.script.then == "error":
            raise ModelError("request", f"the script has {len(self.turns)} turns, and the episode goes on")
        if self.script.then == "repeat" and self.turns:
            return self.turns[-1]
        return Turn(text=_END)


def shipped(name: str) -> Script:
    """Return a script that comes with the core: one of `SHIPPED`, or `baseline`."""
    text = (files("kernelcraft_core.agent.models") / "scripts" / f"{name}.toml").read_text(encoding="utf-8")
    return parse(text, f"{name}.toml")


def from_file(path: str) -> tuple[Script, str]:
    """Return the script of a file, and the SHA-256 of its text.

    Raises:
        ModelSetupError: KC0732.
    """
    text = read_text(path, "script")
    return parse(text, path), digest(text)


def digest(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal."""
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def read_text(path: str, what: str, largest: int = MAX_BYTES) -> str:
    """Return the text of a file of at most `largest` bytes.

    Raises:
        ModelSetupError: KC0732.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(largest + 1)
        if len(data) > largest:
            raise fail("KC0732", f"the {what} {path} has more than {largest} bytes")
        return data.decode()
    except UnicodeDecodeError:
        raise fail("KC0732", f"the {what} {path} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise fail("KC0732", f"the {what} {path} cannot be read: {reason}") from None
