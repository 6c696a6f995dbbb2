"""A person at the terminal in the place of a model."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from attrs import define, field

from kernelcraft_core.agent.models.errors import ModelSetupError
from kernelcraft_core.agent.models.scripted import read_text
from kernelcraft_core.agent.protocol import Message, ModelError, Reply, ToolCall

HELP = """\
A turn is some lines and an empty one:
  TOOL                 calls a tool without arguments; several calls make one turn
  TOOL {"a": "b"}      with arguments; the JSON may go on over several lines
  TOOL NAME < FILE     with the text of a file as the argument NAME
  anything else        is said as text
"""


def _stdin() -> TextIO:
    return sys.stdin


def _stderr() -> TextIO:
    return sys.stderr


@define(eq=False)
class HumanModel:
    """Shows what is new in the conversation, and reads a turn.

    Attributes:
        stdin, stdout: where turns come from and messages go to; standard error unless told, for results go to standard output.
    """

    name: str = "human"
    settings: Mapping[str, Any] = field(factory=dict)
    stdin: TextIO = field(factory=_stdin, repr=False)
    stdout: TextIO = field(factory=_stderr, repr=False)
    _shown: int = field(default=0, init=False)
    _turns: int = field(default=0, init=False)

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """Return what the person writes.

        Raises:
            ModelError: `connection` there is no more input.
        """
        if not self._turns:
            self._say(HELP + "".join(_signature(tool) for tool in tools))
        for message in messages[self._shown :]:
            if message.role != "assistant":
                self._say(f"--- {message.role}\n{message.content}\n")
        self._shown = len(messages)
        self._turns += 1
        started = time.monotonic()
        names = [str(tool["function"]["name"]) for tool in tools]
        calls, text = self._turn(names)
        message = Message("assistant", text, tuple(calls))
        return Reply(message, "tool_calls" if calls else "stop", seconds=time.monotonic() - started)

    def _say(self, text: str) -> None:
        self.stdout.write(text if text.endswith("\n") else text + "\n")
        self.stdout.flush()

    def _turn(self, names: Sequence[str]) -> tuple[list[ToolCall], str]:
        """Read lines up to an empty one behind something."""
        calls: list[ToolCall] = []
        text: list[str] = []
        self._say(f"--- turn {self._turns}")
        while True:
            line = self.stdin.readline()
            if not line and not (calls or text):
                raise ModelError("connection", "there is no more input from the terminal")
            if not line.strip():
                if calls or text or not line:
                    return calls, "".join(text).rstrip("\n")
                continue
            name, _, rest = line.strip().partition(" ")
            if name not in names:
                text.append(line)
                continue
            try:
                arguments = self._arguments(rest.strip())
            except ModelSetupError as error:
                self._say(error.diagnostics[0].message)
                continue
            calls.append(ToolCall(f"call-{self._turns}-{len(calls) + 1}", name, arguments))

    def _arguments(self, rest: str) -> str:
        """Return the arguments: text of a file by name, or JSON that goes on until it is whole or a line is empty."""
        key, redirected, path = (part.strip() for part in rest.partition("<"))
        if redirected and key.isidentifier():
            return json.dumps({key: read_text(path, "file")})
        while rest.startswith("{") and not _whole(rest):
            line = self.stdin.readline()
            if not line.strip():
                break
            rest += "\n" + line.rstrip("\n")
        return rest


def _whole(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _signature(tool: Mapping[str, Any]) -> str:
    function = tool["function"]
    names = ", ".join(function.get("parameters", {}).get("properties", {}))
    summary = str(function.get("description", "")).partition("\n")[0]
    return f"  {function['name']}({names}): {summary}\n"
