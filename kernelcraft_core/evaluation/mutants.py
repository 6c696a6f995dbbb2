"""Mutants of a kernel: the same text with one small mistake in it.

A workload bites when mutants of a kernel that is right fail it. Mutants are made from the text, so they work for every
target; those that do not assemble are thrown away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Program

KINDS = ("operand", "constant", "opcode", "drop", "swap", "shorten")
"""What is changed: a register, a number, the mnemonic, a line left out, two lines exchanged, a loop with fewer rounds."""
_LINE = re.compile(r"(?P<head>\s*(?:[\w.$]+:\s*)?)(?P<mnemonic>[A-Za-z_][\w.]*)(?P<rest>\s.*)?$")
_COMMENT = re.compile(r";|//|#|/\*")
_TOKEN = re.compile(r"(?<![\w.%])(?:-?\d\w*|[A-Za-z_][\w.]*)")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)$")
_REGISTER = re.compile(r"([A-Za-z]+)\d+$")
_TRIES = 40


@frozen
class Mutant:
    """A changed kernel: which kind of change, on which line, from what to what, and the whole text."""

    kind: str
    line: int
    before: str
    after: str
    text: str

    def describe(self) -> str:
        """Return one line for people."""
        return f"line {self.line}, {self.kind}: {self.before.strip()} -> {self.after.strip() or '(nothing)'}"


@frozen
class _Place:
    """A line with one instruction: its index, mnemonic, and the spans of its operand tokens."""

    index: int
    mnemonic: tuple[int, int]
    tokens: tuple[tuple[int, int], ...]
    loop: bool


class Mutator:
    """Makes mutants of one kernel, different from each other and from the kernel, in an order fixed by the seed."""

    def __init__(
        self, target: Target, text: str, seed: int, assemble: Callable[[str, str], Program] | None = None
    ) -> None:
        """Take a kernel's text; `assemble` makes the program of a text, where that takes more than the target does."""
        self.target = target
        self.assemble = assemble or target.assemble
        self.lines = text.splitlines()
        self.random = random.Random(seed)
        self.places = _places(target, self.assemble(text, "<kernel>"), self.lines)
        self.words = self._vocabulary()
        self.alike = _alike(target)

    def _vocabulary(self) -> dict[str, list[str]]:
        """Return the operands that occur in the kernel, by prefix; numbers under the empty prefix."""
        found: dict[str, dict[str, None]] = {}
        for place in self.places:
            for start, end in place.tokens:
                token = self.lines[place.index][start:end]
                found.setdefault(_prefix(token), {})[token] = None
        return {prefix: list(tokens) for prefix, tokens in found.items()}

    def mutants(self, count: int) -> Iterator[tuple[Mutant, Program]]:
        """Yield up to `count` mutants with their programs, all kinds in turn; fewer when the kernel has no more."""
        seen = {"\n".join(self.lines)}
        made, failures = 0, 0
        while made < count and failures < _TRIES * len(KINDS) and self.places:
            mutant = self._make(KINDS[(made + failures) % len(KINDS)])
            if mutant is None or mutant.text in seen:
                failures += 1
                continue
            seen.add(mutant.text)
            try:
                program = self.assemble(mutant.text, "<mutant>")
            except AssemblyError:
                failures += 1
                continue
            made, failures = made + 1, 0
            yield mutant, program

    def _make(self, kind: str) -> Mutant | None:
        places = [p for p in self.places if p.loop] if kind == "shorten" else self.places
        if not places:
            return None
        place = self.random.choice(places)
        line = self.lines[place.index]
        if kind == "drop":
            return self._changed(kind, place.index, [""])
        if kind == "swap":
            follower = next((p for p in self.places if p.index > place.index), None)
            if follower is None:
                return None
            other = self.lines[follower.index]
            lines = list(self.lines)
            lines[place.index], lines[follower.index] = other, line
            return Mutant(kind, place.index + 1, line, f"{other.strip()} / {line.strip()}", "\n".join(lines))
        if kind == "opcode":
            name = line[slice(*place.mnemonic)]
            choices = self.alike.get(name, ())
            if not choices:
                return None
            return self._replaced(kind, place, place.mnemonic, self.random.choice(choices))
        return self._operand(kind, place, line)

    def _operand(self, kind: str, place: _Place, line: str) -> Mutant | None:
        numbers = [t for t in place.tokens if _NUMBER.match(line[slice(*t)])]
        spans = [t for t in place.tokens if t not in numbers] if kind == "operand" else numbers
        if not spans:
            return None
        span = self.random.choice(spans)
        token = line[slice(*span)]
        if kind == "shorten":
            value = int(token, 0)
            return self._replaced(kind, place, span, str(value - 1)) if value > 1 else None
        others = [t for t in self.words[_prefix(token)] if t != token]
        others += _neighbours(token)
        return self._replaced(kind, place, span, self.random.choice(others)) if others else None

    def _replaced(self, kind: str, place: _Place, span: tuple[int, int], text: str) -> Mutant:
        line = self.lines[place.index]
        return self._changed(kind, place.index, [line[: span[0]] + text + line[span[1] :]])

    def _changed(self, kind: str, index: int, lines: Sequence[str]) -> Mutant:
        text = "\n".join([*self.lines[:index], *lines, *self.lines[index + 1 :]])
        return Mutant(kind, index + 1, self.lines[index], lines[0], text)


def _places(target: Target, program: Program, lines: Sequence[str]) -> list[_Place]:
    """Return the lines that hold exactly one instruction each."""
    out = []
    number = list(program.lines)
    for item, line in enumerate(number):
        alone = number[item - 1 : item] != [line] and number[item + 1 : item + 2] != [line]
        if item in program.data_items or not 0 < line <= len(lines) or not alone:
            continue  # also lines that the workload puts behind the kernel
        text = lines[line - 1]
        comment = _COMMENT.search(text)
        found = _LINE.match(text[: comment.start()] if comment else text)
        if found is None:
            continue
        rest = found.start("rest") if found["rest"] else found.end()
        tokens = tuple(m.span() for m in _TOKEN.finditer(text, rest, found.end()))
        decoded = target.isa.decode(program.words[item], strict=False)
        loop = decoded is not None and decoded.definition.record.category == "branch"
        out.append(_Place(line - 1, found.span("mnemonic"), tokens, loop))
    return out


def _alike(target: Target) -> dict[str, tuple[str, ...]]:
    """Return mnemonic -> other mnemonics that are written with the same operands."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for definition in target.isa:
        form = definition.forms[0]
        key = tuple(item if isinstance(item, str) else item.kind.name for item in form.items)
        groups.setdefault(key, []).append(definition.mnemonic)
    return {name: tuple(n for n in group if n != name) for group in groups.values() for name in group}


def _prefix(token: str) -> str:
    """Return what tells registers of one file from others: their letters; the empty text for numbers."""
    if _NUMBER.match(token):
        return ""
    found = _REGISTER.match(token)
    return found[1] if found else token


def _neighbours(token: str) -> list[str]:
    """Return values or registers near a token."""
    if _NUMBER.match(token):
        value = int(token, 0)
        near = [value + 1, value - 1, 2 * value, value // 2, 0]
        return [str(v) for v in dict.fromkeys(near) if v != value]
    found = _REGISTER.match(token)
    if not found:
        return []
    number = int(token[len(found[1]) :])
    return [f"{found[1]}{n}" for n in (number + 1, number - 1) if n >= 0]
