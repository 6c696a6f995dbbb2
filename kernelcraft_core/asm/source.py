"""Source text: from bytes to lines, with exact places for what cannot be read."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from kernelcraft_core.diagnostics import AssemblyError, Diagnostic, Span

MAX_STATEMENT = 65_536
"""Longest line in characters, its comment not counted."""
_STRING = r"""\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^\\\n])'?"""
"""Pattern of a string or character constant, closed or not."""
_NOT_LINE_END = re.compile(r"[^\n]")
_BLOCK = 1 << 20
_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class SourceLines(Sequence[str]):
    r"""The lines of a text; a line ends with `\n`, `\r\n` or `\r`, as editors count them. Nothing is copied."""

    def __init__(self, text: str) -> None:
        r"""`text` has been through `read`, so `\n` is its only line end."""
        self.text = text
        self._starts: array[int] | None = None

    def _index(self) -> array[int]:
        if self._starts is None:
            starts, find, at = array("Q", [0]), self.text.find, -1
            while (at := find("\n", at + 1)) >= 0:
                starts.append(at + 1)
            self._starts = starts
        return self._starts

    def __len__(self) -> int:
        """Return the number of lines, the one after a final line end included."""
        return len(self._index())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return one line, counted from 0, or a list of lines."""
        starts = self._index()
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(starts)))]
        if index < 0:
            index += len(starts)
        if not 0 <= index < len(starts):
            raise IndexError(index)
        end = starts[index + 1] - 1 if index + 1 < len(starts) else len(self.text)
        return self.text[starts[index] : end]

    def __iter__(self) -> Iterator[str]:
        """Yield all lines."""
        for block in blocks(self.text):
            yield from block.split("\n")


def blocks(text: str) -> Iterator[str]:
    """Yield `text` in pieces of whole lines, about a megabyte each: a long program is never split all at once."""
    start, length = 0, len(text)
    while start <= length:
        end = text.find("\n", min(start + _BLOCK, length))
        if end < 0:
            end = length
        yield text[start:end]
        start = end + 1


def read(source: str | bytes | bytearray, filename: str) -> str:
    r"""Return the text of `source` with `\n` as its only line end and without a byte order mark.

    Raises:
        AssemblyError: KC0211 the bytes are not UTF-8, KC0210 the text holds NUL characters.
    """
    text = source if isinstance(source, str) else _decode(bytes(source), filename)
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        start = text.rfind("\n", 0, nul) + 1
        shown = text[start : start + 2000].partition("\n")[0]
        span = Span(filename, line, nul - start + 1, 1, shown)
        raise AssemblyError(Diagnostic("KC0210", "NUL character: this is not a text file", span))
    return text


def without_block_comments(text: str, line_comments: Sequence[str], filename: str) -> str:
    """Return `text` with blanks for each `/* ... */`; every other character stays where it is.

    Raises:
        AssemblyError: KC0229 one is not closed.
    """
    if "/*" not in text:
        return text
    markers = "|".join(re.escape(m) for m in line_comments)
    pattern = re.compile(rf"""{_STRING}|(?:{markers or "(?!)"})[^\n]*|/\*(?:[^*]|\*(?!/))*(?P<end>\*/)?""")
    parts, at = [], 0
    for m in pattern.finditer(text):
        if not m[0].startswith("/*"):
            continue
        if m["end"] is None:
            line = text.count("\n", 0, m.start()) + 1
            start = text.rfind("\n", 0, m.start()) + 1
            shown = text[start : start + 2000].partition("\n")[0]
            span = Span(filename, line, m.start() - start + 1, 2, shown)
            raise AssemblyError(Diagnostic("KC0229", "this comment is not closed", span, "close it with */"))
        parts += [text[at : m.start()], _NOT_LINE_END.sub(" ", m[0])]
        at = m.end()
    return "".join([*parts, text[at:]])


def _decode(data: bytes, filename: str) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            message = f"the file is {name} text, not UTF-8"
            raise AssemblyError(Diagnostic("KC0211", message, Span(filename, 1), "save it as UTF-8"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        message = f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8 ({error.reason})"
        raise AssemblyError(Diagnostic("KC0211", message, Span(filename, line, column), "save it as UTF-8")) from None


def name_of(character: str) -> str:
    """Return how a message names a character that may not be printable: `U+00A0 NO-BREAK SPACE`."""
    controls = {"\t": "TAB", "\v": "VERTICAL TAB", "\f": "FORM FEED", "\x1b": "ESCAPE", "\x7f": "DELETE"}
    name = controls.get(character) or unicodedata.name(character, "")
    if not name and ord(character) < 32:
        name = "CONTROL CHARACTER"
    return f"U+{ord(character):04X} {name}".strip()
