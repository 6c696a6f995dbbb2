"""Words of one ISA in one dialect: register spellings, reserved words, numbers, and the tokens of a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kernelcraft_core.asm.dialect import UNARY, Dialect
from kernelcraft_core.isa import Imm, Isa, Placeholder, Reg
from kernelcraft_core.isa.syntax import Form

HUGE = 1 << 1024
"""What a number with too many digits counts as: it fits nothing, and nothing has to convert it."""
_MAX_LITERAL = 200
_WORD_CHARS = r"\w.$"
STRING = r'"(?:\\.|[^"\\])*"'
_OPEN = r'"(?:\\.|[^"\\])*'
"""A string that is not closed: it goes to the end, so that no quotation mark in it is tried as the begin of another one."""
CHARACTER = r"'(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]+|.)|[^\\])'?"
_LOCAL = re.compile(r"[0-9]{1,9}[bf]", re.ASCII)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]+)|(.))")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "v": 11, "a": 7, "e": 27}


class Token(NamedTuple):
    """A piece of a line.

    `kind` is `word`, `int`, `op` (punctuation, operator), `string`, `reloc` (`%hi`), `local` (`1b`) or `bad` (no number,
    stray).
    """

    kind: str
    text: str
    column: int

    @property
    def end(self) -> int:
        """Column just past the token."""
        return self.column + len(self.text)


def spellings(kind: Reg) -> dict[str, int]:
    """Return every way to write a register of `kind` -> its index; the canonical spelling of an index comes first."""
    out = {f"{kind.prefix}{i}": i for i in range(kind.size)} if kind.prefix else {}
    return out | {name: index for name, index in kind.names.items() if 0 <= index < kind.size}


def all_forms(isa: Isa) -> Iterable[Form]:
    """Yield every form of the ISA, pseudo-instructions included."""
    for definition in isa:
        yield from definition.forms
    for pseudo_mnemonic in dict.fromkeys(isa.mnemonics):
        for form, _ in isa.pseudo(pseudo_mnemonic):
            yield form


class Lexis:
    """Everything that can be known about words before a line is read.

    Attributes:
        registers: kind name -> spelling -> index.
        reserved: words that are registers or placeholders, so never symbols.
        word: pattern of a word, for grammars and labels.
        punctuation: characters that forms use beside operands.
        signed: whether a number may have a sign at all (some immediate may be negative, or there are expressions).
        illegal: what may not stand outside comments.
    """

    def __init__(self, isa: Isa, dialect: Dialect) -> None:
        """Collect the words of `isa` and prepare the tokens of `dialect`."""
        self.isa = isa
        self.dialect = dialect
        self.registers: dict[str, dict[str, int]] = {k.name: spellings(k) for k in isa.kinds if isinstance(k, Reg)}
        self.placeholders: dict[str, tuple[str, ...]] = {
            k.name: k.spellings for k in isa.kinds if isinstance(k, Placeholder)
        }
        self.punctuation = frozenset(item for form in all_forms(isa) for item in form.items if isinstance(item, str))
        first = "A-Za-z_." if "$" in self.punctuation else "A-Za-z_.$"
        self.word = rf"[{first}][{_WORD_CHARS}]*"
        self._is_word = re.compile(self.word, re.ASCII)
        words = [w for table in self.registers.values() for w in table]
        words += [w for group in self.placeholders.values() for w in group if self._is_word.fullmatch(w)]
        self.reserved = frozenset(words)
        self.owners = self._owners()
        operators = {op for level in dialect.precedence for op in level} | set(UNARY)
        ops = {*operators, *self.punctuation, *"()[]{},:=@#!%&*+-/"}
        if dialect.separator:
            ops.add(dialect.separator)
        ordered = sorted(ops, key=lambda op: (-len(op), op))
        self.number = self._number_pattern()
        self._is_number = re.compile(self.number, re.ASCII)
        relocations = "|".join(re.escape(r.name) for r in sorted(dialect.relocations, key=lambda r: -len(r.name)))
        extra = rf"|(?P<reloc>(?:{relocations})(?=[ \t]*\())" if relocations else ""
        extra += rf"|(?P<string>{STRING})|(?P<open>{_OPEN})|(?P<char>{CHARACTER})" if dialect.strings else ""
        self._token = re.compile(
            rf"[ \t]*(?:(?P<word>{self.word})|(?P<int>[0-9][{_WORD_CHARS}]*){extra}"
            rf"|(?P<op>{'|'.join(map(re.escape, ordered))})|(?P<bad>[^ \t]))",
            re.ASCII,
        )
        self._markers = dialect.comments
        marked = "|".join(map(re.escape, dialect.comments)) or "(?!)"
        self._quoted = re.compile(rf"{_OPEN}\"?|{CHARACTER}|(?P<comment>{marked})")
        self.signed = dialect.expressions or any(isinstance(k, Imm) and k.low < 0 for k in isa.kinds)
        self.illegal = re.compile(r"[^\t\x20-\x7e]")

    def _owners(self) -> dict[str, tuple[Reg, ...]]:
        out: dict[str, tuple[Reg, ...]] = {}
        for kind in self.isa.kinds:
            if isinstance(kind, Reg):
                for spelling in self.registers[kind.name]:
                    out[spelling] = (*out.get(spelling, ()), kind)
        return out

    def _number_pattern(self) -> str:
        dialect = self.dialect
        parts = [r"0[xX][0-9a-fA-F]+"] if dialect.hexadecimal else []
        parts += [r"0[bB][01]+"] if dialect.binary else []
        parts += [r"0[0-7]*|[1-9][0-9]*"] if dialect.octal else [r"[0-9]+"]
        return "|".join(parts)

    # -- numbers and words --------------------------------------------------------------------------------------------

    def integer(self, text: str) -> int | None:
        """Return the value of an unsigned number, `HUGE` when it has very many digits, or None when it is none."""
        if text[:1] == "'":
            return characters(text[1:-1] if len(text) > 2 and text[-1] == "'" else text[1:])[0]
        if not self._is_number.fullmatch(text):
            return None
        base = 10
        if text[:2] in ("0x", "0X"):
            text, base = text[2:], 16
        elif text[:2] in ("0b", "0B"):
            text, base = text[2:], 2
        elif self.dialect.octal and text[0] == "0":
            base = 8
        digits = text.lstrip("0")
        return int(digits or "0", base) if len(digits) <= _MAX_LITERAL else HUGE

    def is_word(self, text: str) -> bool:
        """Return whether `text` is one word."""
        return self._is_word.fullmatch(text) is not None

    def is_symbol(self, text: str) -> bool:
        """Return whether a word may name a value here."""
        return self.dialect.symbols and text not in self.reserved

    # -- lines --------------------------------------------------------------------------------------------------------

    def code(self, line: str) -> str:
        """Return `line` without its comment."""
        if self.dialect.strings and ('"' in line or "'" in line):
            end = next((m.start() for m in self._quoted.finditer(line) if m["comment"]), len(line))
            return line[:end]
        for marker in self._markers:
            at = line.find(marker)
            if at >= 0:
                line = line[:at]
        return line

    def tokens(self, code: str) -> list[Token]:
        """Return the tokens of a line that has no comment; columns count from 1."""
        out: list[Token] = []
        for m in self._token.finditer(code):
            kind = m.lastgroup or "bad"
            text, column = m[kind], m.start(kind) + 1
            if kind == "int" and not self._is_number.fullmatch(text):
                kind = "local" if self.dialect.numeric_labels and _LOCAL.fullmatch(text) else "bad"
            elif kind == "char":
                kind = "int"
            elif kind == "open":
                kind, text = "bad", text[0]
            out.append(Token(kind, text, column))
        return out

    def stray(self, code: str) -> re.Match[str] | None:
        """Return the first character that may only stand in comments (and strings), or None."""
        if self.dialect.strings and '"' in code:
            code = self._quoted.sub(lambda m: " " * len(m[0]), code)
        return self.illegal.search(code)

    def canonical(self, kind: Reg, index: int) -> str | None:
        """Return how register `index` is printed, or None when it has no spelling."""
        if not 0 <= index < kind.size:
            return None
        if kind.prefix:
            return f"{kind.prefix}{index}"
        return next((name for name, value in kind.names.items() if value == index), None)


def characters(text: str) -> bytes:
    """Return the bytes of what stands between quotes, escapes resolved as C and GNU as do."""
    out, at = bytearray(), 0
    for m in _ESCAPE.finditer(text):
        out += text[at : m.start()].encode("utf-8")
        if m[3] is not None and m[3] not in _ESCAPES:
            out += m[3].encode("utf-8")
        else:
            octal, hexadecimal, letter = m.groups("")
            out.append(
                (int(octal, 8) if octal else int(hexadecimal[-2:], 16) if hexadecimal else _ESCAPES[letter]) & 255
            )
        at = m.end()
    return bytes(out + text[at:].encode("utf-8"))


def ranges(isa: Isa) -> str:
    """Return what an operand may be, built from the kinds: `gp0-gp15, f0-f7 or integers`."""
    out: list[str] = []
    for kind in isa.kinds:
        if isinstance(kind, Reg) and kind.prefix:
            out.append(register_range(kind))
    out = list(dict.fromkeys(out))
    if any(isinstance(kind, Imm) for kind in isa.kinds):
        out.append("integers")
    return " or ".join((", ".join(out[:-1]), out[-1])) if len(out) > 1 else "".join(out)


def register_range(kind: Reg) -> str:
    """Return the registers of a kind for a message: `gp0-gp15`, or its names."""
    if kind.prefix:
        return f"{kind.prefix}0-{kind.prefix}{kind.size - 1}"
    return ", ".join(kind.names) if len(kind.names) <= 12 else f"a name of kind {kind.name}"


def conflicts(names: Mapping[str, object], word: str) -> list[str]:
    """Return candidates for a spelling hint: all names when there are few, else those that start alike."""
    if len(names) <= 2000:
        return list(names)
    near = (n for n in names if n[:2].lower() == word[:2].lower() and abs(len(n) - len(word)) <= 2)
    return [name for name, _ in zip(near, range(2000), strict=False)]
