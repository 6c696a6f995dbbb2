"""Noticing kernels and tool calls that a model writes into its text, where they have no effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kernelcraft_core.agent.signatures import NAMES

FENCED_LINES, BARE_LINES = 2, 3
"""Lines of assembly that make a program: within a fence, and in running text, where single words may look like it."""
_MOST = 200
"""Lines of running text that are tried with the assembler."""
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+.-]*)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_ASSEMBLY = ("asm", "assembly", "s", "nasm", "armasm", "riscv", "mips", "gas", "plena")
_LABEL = re.compile(r"^[A-Za-z_.$][\w.$]*:\s*")
_TOOL = "|".join(map(re.escape, NAMES))
_CALLS = (
    re.compile(rf"""["'](?:name|tool|function)["']\s*:\s*["'](?:{_TOOL})["']"""),
    re.compile(rf"<(?:tool_call|function_call|invoke|function)\b[^>]*>?\s*[^<]{{0,80}}?\b(?:{_TOOL})\b"),
    re.compile(rf"^\s*`*(?:print\()?(?:functions\.)?(?:{_TOOL})\s*\(.*\)?`*;?\s*$", re.MULTILINE),
)
_COMMENTS = ("#", ";", "//")


def call_as_text(text: str) -> bool:
    """Return whether a text holds something that was meant as a call of a tool."""
    return any(pattern.search(text) for pattern in _CALLS)


def pasted_code(text: str, mnemonics: Sequence[str], assembles: Callable[[str], bool]) -> str | None:
    """Return the longest program in a text; None when there is none.

    Args:
        text: what the model said.
        mnemonics: of the target's ISA.
        assembles: whether a single line is assembly of the target.
    """
    known = {name.casefold() for name in mnemonics}
    found = [body for language, body in _fences(text) if _is_program(language, body, known)]
    bare = [line for line in _FENCE.sub("\n", text).splitlines() if _mnemonic(line) in known]
    right = [line for line in bare[:_MOST] if assembles(_LABEL.sub("", line.strip()))]
    if len(right) >= BARE_LINES:
        found.append("\n".join(bare))
    return max(found, key=len, default=None)


def same_code(one: str, other: str) -> bool:
    """Return whether two programs are the same but for blanks and empty lines."""
    return [line.split() for line in one.splitlines() if line.strip()] == [
        line.split() for line in other.splitlines() if line.strip()
    ]


def _fences(text: str) -> Iterator[tuple[str, str]]:
    for match in _FENCE.finditer(text):
        yield match[2].lower(), match[3]


def _is_program(language: str, body: str, known: set[str]) -> bool:
    lines = [line for line in body.splitlines() if line.strip() and not line.strip().startswith(_COMMENTS)]
    if len(lines) < FENCED_LINES:
        return False
    return language in _ASSEMBLY or sum(_mnemonic(line) in known for line in lines) >= FENCED_LINES


def _mnemonic(line: str) -> str:
    words = _LABEL.sub("", line.strip()).split(maxsplit=1)
    return words[0].casefold() if words else ""
