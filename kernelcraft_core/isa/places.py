"""Where things stand in a TOML file: `tomllib` gives values without places, this scanner gives the places.

It runs over text that `tomllib` has accepted, so it only has to follow the syntax, not to judge it.
"""

from __future__ import annotations

import bisect
import re

from attrs import define, evolve, field

from kernelcraft_core.diagnostics import Diagnostic, Span
from kernelcraft_core.isa.model import Extension

Place = tuple[int, int]
"""(line, column), both counted from 1."""

_BLANK = re.compile(r"(?:[ \t\n]+|#[^\n]*)+")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_SCALAR = re.compile(r"[^,\]}#\n]+")
_END = re.compile(r"\\.|\"\"\"", re.DOTALL)


@define
class Places:
    """Places by path: `instr.3.semantics`; entries of arrays count from 0.

    Attributes:
        keys: where the key or table header starts.
        values: where the value starts; for a string, its first character.
        inexact: paths of strings with escapes, whose characters do not stand where their offsets say.
    """

    keys: dict[str, Place] = field(factory=dict)
    values: dict[str, Place] = field(factory=dict)
    inexact: set[str] = field(factory=set)

    def near(self, path: str, *, key: bool = False) -> Place:
        """Return the place of `path`, or of the closest thing around it, or the start of the file."""
        while path:
            for table in (self.keys, self.values) if key else (self.values, self.keys):
                if path in table:
                    return table[path]
            path = path.rpartition(".")[0]
        return (1, 1)


def scan(text: str) -> Places:
    """Return the places of everything in `text`, which is valid TOML with single line feeds as line ends."""
    return _Scanner(text).run()


@define
class _Scanner:
    text: str
    position: int = 0
    places: Places = field(factory=Places)
    _starts: list[int] = field(factory=list)
    _tables: dict[str, int] = field(factory=dict)  # array of tables -> index of its latest entry

    def run(self) -> Places:
        self._starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        current = ""
        self._skip()
        while self.position < len(self.text):
            if self.text.startswith("[", self.position):
                current = self._header()
            else:
                self._pair(current)
            self._skip()
        return self.places

    def _place(self, offset: int) -> Place:
        line = bisect.bisect_right(self._starts, offset)
        return (line, offset - self._starts[line - 1] + 1)

    def _skip(self) -> None:
        if m := _BLANK.match(self.text, self.position):
            self.position = m.end()

    def _header(self) -> str:
        start = self.position
        double = self.text.startswith("[[", start)
        self.position += 2 if double else 1
        parts = self._key()
        path = self._resolve(parts[:-1])
        path = f"{path}.{parts[-1]}" if path else parts[-1]
        if double:
            self._tables[path] = self._tables.get(path, -1) + 1
            self.places.keys.setdefault(path, self._place(start))
        if path in self._tables:
            path = f"{path}.{self._tables[path]}"
        self.places.keys[path] = self._place(start)
        self.position += 2 if double else 1
        return path

    def _resolve(self, parts: list[str]) -> str:
        path = ""
        for part in parts:
            path = f"{path}.{part}" if path else part
            if path in self._tables:
                path = f"{path}.{self._tables[path]}"
        return path

    def _key(self) -> list[str]:
        """Read a dotted key; stops at the `=` or `]` after it."""
        parts = []
        while True:
            self._skip()
            if m := _BARE.match(self.text, self.position):
                parts.append(m[0])
            elif m := _QUOTED.match(self.text, self.position):
                parts.append(m[0][1:-1])
            else:
                raise AssertionError("not TOML")
            self.position = m.end()
            self._skip()
            if not self.text.startswith(".", self.position):
                return parts
            self.position += 1

    def _pair(self, table: str) -> None:
        start = self.position
        parts = self._key()
        path = ".".join([table, *parts] if table else parts)
        for end in range(1, len(parts)):
            self.places.keys.setdefault(".".join(([table] if table else []) + parts[:end]), self._place(start))
        self.places.keys[path] = self._place(start)
        self.position += 1
        self._skip()
        self._value(path)

    def _value(self, path: str) -> None:
        text, start = self.text, self.position
        if text.startswith(('"""', "'''"), start):
            content = start + 4 if text.startswith("\n", start + 3) else start + 3
            self._string(path, content, self._long_end(content, text[start]), text[start])
            return
        if m := _QUOTED.match(text, start):
            self._string(path, start + 1, m.end(), text[start])
            return
        self.places.values[path] = self._place(start)
        if text[start] in "[{":
            self._container(path, text[start] == "[")
            return
        m = _SCALAR.match(text, start)
        assert m is not None
        self.position = m.end()

    def _long_end(self, content: int, quote: str) -> int:
        """Return the offset just past a multi-line string whose characters start at `content`."""
        text = self.text
        if quote == "'":
            end = text.index("'''", content)
        else:
            end = next(m.start() for m in _END.finditer(text, content) if m[0] == '"""')
        end += 3
        for _ in range(2):  # up to two quotes may belong to the content
            end += text.startswith(quote, end)
        return end

    def _string(self, path: str, content: int, end: int, quote: str) -> None:
        self.places.values[path] = self._place(content)
        if quote == '"' and "\\" in self.text[content:end]:
            self.places.inexact.add(path)
        self.position = end

    def _container(self, path: str, array: bool) -> None:
        """Read `[...]` or `{...}`; nesting is bounded because `tomllib` accepted it."""
        self.position += 1
        count = 0
        while True:
            self._skip()
            if self.text[self.position] in "]}":
                self.position += 1
                return
            if array:
                self._value(f"{path}.{count}")
            else:
                self._pair(path)
            count += 1
            self._skip()
            if self.text[self.position] == ",":
                self.position += 1


_KEY_OF_CODE = {"KC0101": "syntax", "KC0102": "syntax", "KC0103": "syntax", "KC0107": "category", "KC0114": "encoding"}


def placed(diagnostic: Diagnostic, extension: Extension | None, entry: str) -> Diagnostic:
    """Return a finding about `entry` of an extension (`instr.3`) placed in the file the extension came from."""
    if extension is None or not extension.places:
        return diagnostic
    lines, span = extension.lines, diagnostic.span
    if span is not None and span.file == extension.origin:
        shown = lines[span.line - 1] if 0 < span.line <= len(lines) else None
        return diagnostic.at(evolve(span, text=shown))
    key = _KEY_OF_CODE.get(diagnostic.code) or ("encoding" if diagnostic.code.startswith("KC011") else "")
    if span is not None and span.file.startswith("<"):  # `<Xfma: FMA semantics>`: a text with escapes
        key = span.file.rstrip(">").rpartition(" ")[2]
    paths = (f"{entry}.{key}", f"{entry}.{key}?", entry)
    place = next((extension.places[p] for p in paths if p in extension.places), (1, 1))
    shown = lines[place[0] - 1] if place[0] <= len(lines) else None
    there = diagnostic.at(Span(extension.origin, *place, 1, shown))
    if span is None:
        return there
    return evolve(there, notes=(*there.notes, f"at line {span.line}, column {span.column} of the text"))
