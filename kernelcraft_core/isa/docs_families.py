"""Families: instructions whose descriptions differ in numbers or single words, which the references describe once.

`vle8.v`, `vle16.v` and `vle32.v` are `vle{n}.v` with n = 8, 16, 32; `vadd.vv`, `vadd.vx` and `vadd.vi` are `vadd.{vv|vx|vi}`. A
merged text stands for exactly the texts it was made of (`Family.expand`); where that is not possible nothing is merged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

from attrs import field, frozen

from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.docs_costs import CostTable

_NUMBER = re.compile(r"\d+")
_LETTERS = "nmk"
_BRACE = re.compile(r"\{([^{}]*)\}")
_RESERVED = re.compile(r"[{}|]")


@frozen(eq=False)
class Family:
    """Instructions that are described together, in the order of the ISA; most families have one member.

    Attributes:
        members: at least one.
        numbers: letter -> the numbers it stands for, when the members differ in numbers of their names; every combination is
            a member.
    """

    members: tuple[Definition, ...]
    numbers: Mapping[str, tuple[str, ...]] = field(factory=dict)

    @property
    def first(self) -> Definition:
        """The first member, which stands for all where they agree."""
        return self.members[0]

    def text(self, of: Callable[[Definition], str]) -> str:
        """Return one text for all members: `{n}` for a number, `{a|b}` for words of which each member has its own.

        Names, forms, what they do and meanings of a family can be merged; other texts may be listed with `or` between.
        """
        texts = [of(definition) for definition in self.members]
        if len(set(texts)) == 1:
            return texts[0]
        merged = self._numbered(texts) if self.numbers else _alternatives(texts)
        return " or ".join(texts) if merged is None else merged

    def expand(self, text: str) -> tuple[str, ...]:
        """Return what a merged text stands for, by member."""
        out = []
        for position, combination in enumerate(self._combinations()):

            def chosen(match: re.Match[str], n: int = position, of: Mapping[str, str] = combination) -> str:
                return of[match[1]] if match[1] in of else match[1].split("|")[n]

            out.append(_BRACE.sub(chosen, text))
        return tuple(out)

    def explained(self) -> str:
        """Return what the letters stand for: `n = 2, 3, 4; m = 8, 16`; empty without any."""
        return "; ".join(f"{letter} = {', '.join(values)}" for letter, values in self.numbers.items())

    def _combinations(self) -> list[Mapping[str, str]]:
        if not self.numbers:
            return [{}] * len(self.members)
        return [dict(zip(self.numbers, row, strict=True)) for row in zip(*self._varying(), strict=True)]

    def _numbered(self, texts: Sequence[str]) -> str | None:
        if len({_NUMBER.sub("#", text) for text in texts}) > 1:
            return None
        return _with_letters(texts, dict(zip(self._varying(), self.numbers, strict=True)))

    def _varying(self) -> list[tuple[str, ...]]:
        return [column for column in _columns([d.mnemonic for d in self.members]) if len(set(column)) > 1]


def families(definitions: Iterable[Definition], costs: CostTable | None = None) -> list[Family]:
    """Return all definitions in families, in the order of their first members."""
    found = list(definitions)
    order = {definition.name: position for position, definition in enumerate(found)}
    out: list[Family] = []
    left: list[Definition] = []
    for group in _grouped(found, lambda d: (*_shared(d, costs), *(_NUMBER.sub("#", text) for text in _texts(d)))):
        family = _numbered_family(group)
        out += [family] if family is not None else []
        left += [] if family is not None else group
    for group in _grouped(left, lambda d: (*_shared(d, costs), _stem(d), *(t.count(" ") for t in _texts(d)))):
        whole = len(group) > 1 and all(
            _alternatives(texts) is not None for texts in zip(*map(_texts, group), strict=True)
        )
        out += [Family(tuple(group))] if whole else [Family((definition,)) for definition in group]
    return sorted(out, key=lambda family: order[family.first.name])


def _texts(definition: Definition) -> tuple[str, ...]:
    """Return what is merged of an instruction: the mnemonic, its form in full, what it does, its meaning."""
    record = definition.record
    return definition.mnemonic, record.syntax.strip(), definition.forms[0].usage(), record.doc, record.semantics.strip()


def _shared(definition: Definition, costs: CostTable | None) -> tuple[object, ...]:
    """Return what all members of a family have in common."""
    record = definition.record
    facts = (record.category, record.unit, str(record.latency), str(record.interval), record.timing, record.delay)
    others = (record.note, record.source, record.replaces, definition.extension, definition.length, definition.jumps)
    return (*facts, *others, costs.classes[definition.name] if costs else "")


def _stem(definition: Definition) -> str:
    """Return the mnemonic up to its suffix; the whole of one that has none."""
    head, dot, _ = definition.mnemonic.rpartition(".")
    return head if dot else definition.name


def _grouped(
    definitions: Iterable[Definition], key: Callable[[Definition], tuple[object, ...]]
) -> Iterable[list[Definition]]:
    groups: dict[tuple[object, ...], list[Definition]] = {}
    for definition in definitions:
        groups.setdefault(key(definition), []).append(definition)
    return groups.values()


def _numbered_family(group: Sequence[Definition]) -> Family | None:
    """Return the family of instructions that differ in numbers only, or None when the numbers are not all in the names."""
    varying = [column for column in _columns([d.mnemonic for d in group]) if len(set(column)) > 1]
    if len(group) < 2 or not 0 < len(varying) <= len(_LETTERS):
        return None
    values = [tuple(dict.fromkeys(column)) for column in varying]
    complete = set(product(*values)) == set(zip(*varying, strict=True))
    if not complete or len({d.mnemonic for d in group}) != len(group):
        return None
    letters = dict(zip(varying, _LETTERS, strict=False))
    if len(letters) < len(varying) or any(
        _with_letters(texts, letters) is None for texts in zip(*map(_texts, group), strict=True)
    ):
        return None
    return Family(tuple(group), dict(zip(_LETTERS, values, strict=False)))


def _columns(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return for each number in texts that differ in numbers only: what it is in each of them."""
    return list(zip(*(_NUMBER.findall(text) for text in texts), strict=True))


def _with_letters(texts: Sequence[str], letters: Mapping[tuple[str, ...], str]) -> str | None:
    """Return a text in which numbers that differ are letters, or None when one of them follows no letter."""
    if any(_RESERVED.search(text) for text in texts) and len(set(texts)) > 1:
        return None
    parts = [_NUMBER.split(texts[0])[0]]
    for column, after in zip(_columns(texts), _NUMBER.split(texts[0])[1:], strict=True):
        if len(set(column)) > 1 and column not in letters:
            return None
        parts.append((column[0] if len(set(column)) == 1 else f"{{{letters[column]}}}") + after)
    return "".join(parts)


def _alternatives(texts: Sequence[str]) -> str | None:
    """Return a text in which words that differ are `{a|b}`, or None for texts that differ by more than single words."""
    if len(set(texts)) == 1:
        return texts[0]
    rows = [text.split(" ") for text in texts]
    if len({len(row) for row in rows}) > 1 or any(_RESERVED.search(text) for text in texts):
        return None
    return " ".join(_word(column) for column in zip(*rows, strict=True))


def _word(words: Sequence[str]) -> str:
    """Return one word for several, what they begin and end with in common outside the braces."""
    if len(set(words)) == 1:
        return words[0]
    start, end = 0, 0
    least = min(map(len, words))
    while start < least and len({word[start] for word in words}) == 1:
        start += 1
    while start and (words[0][start - 1].isalnum() or words[0][start - 1] == "_"):
        start -= 1
    while end < least - start and len({word[-1 - end] for word in words}) == 1:
        end += 1
    while end and (words[0][-end].isalnum() or words[0][-end] == "_"):
        end -= 1
    inner = "|".join(word[start : len(word) - end] for word in words)
    return words[0][:start] + "{" + inner + "}" + (words[0][-end:] if end else "")
