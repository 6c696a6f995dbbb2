"""Searching the documents of a target for plain words: passages with their page and heading, the best first."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from kernelcraft_core.diagnostics import nearest
from kernelcraft_core.facade import Target
from kernelcraft_core.sim.machine import Machine

if TYPE_CHECKING:
    from kernelcraft_core.agent.episode import Episode

MOST_PASSAGES = 5
MOST_PASSAGE = 1800
"""Characters of one passage in an answer."""
MOST_TEXT = 6000
"""Characters of all passages of an answer."""
_SPLIT = 2400
"""A section longer than this is split between its paragraphs."""
_WORD = re.compile(r"[a-z0-9_.]*[a-z0-9_]", re.ASCII)
_PART = re.compile(r"[a-z]+|\d+", re.ASCII)
_COMMON = frozenset(
    "a an and are as at be by can do does for from has have how i in into is it its my of on or that the their there this to "
    "use used using was what when where which why will with".split()
)
"""Words that say nothing about what is looked for; left out of a query that has others."""
_ENDINGS = (("ices", "ix"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
WORKLOAD, MACHINE, ISA = "workload.md", "machine.md", "isa.md"


@frozen
class Passage:
    """A piece of a page under its headings, how often it has which stems, and those of its last heading."""

    page: str
    heading: str
    text: str
    stems: Mapping[str, int] = field(repr=False)
    titles: frozenset[str] = field(repr=False)


@define(eq=False)
class Library:
    """The passages of a target's documents, ready to be searched.

    Attributes:
        pages: names of the pages, in order. passages: of all pages.
    """

    pages: tuple[str, ...]
    passages: tuple[Passage, ...]
    _spread: Counter[str] = field(factory=Counter, init=False)
    """Stem -> passages that have it."""

    def __attrs_post_init__(self) -> None:
        for passage in self.passages:
            self._spread.update(passage.stems.keys())

    @classmethod
    def of(cls, episode: Episode) -> Library:
        """Return the library of an episode: what its settings allow of the target's documents, and the task's layout.

        Raises:
            KernelCraftError: the target's plug-in fails.
        """
        opened = episode.evaluator.target(episode.workload)
        pages = documents(opened)
        allowed = episode.settings.get("documents")
        if allowed is not None:
            pages = {name: text for name, text in pages.items() if name in allowed}
        task, workload = episode.task, episode.workload
        layout = f"# Workload {workload.name}\n\n{task.title}: {task.formula}\n\n{workload.layout}\n"
        return cls.from_pages({WORKLOAD: layout, **pages})

    @classmethod
    def from_pages(cls, pages: Mapping[str, str]) -> Library:
        """Return the library of pages given as file name -> Markdown."""
        return cls(tuple(pages), tuple(p for name, text in pages.items() for p in _passages(name, text)))

    def search(self, query: str) -> dict[str, Any]:
        """Return the passages that fit a query best, cut to a readable length; words are never patterns.

        Returns:
            `query`, `found` (passages that have a word of it), `passages` (page, heading, text), `pages`, and `near`:
            words that look like those of a query which finds nothing.
        """
        words = list(dict.fromkeys(_words(query)))
        wanted = list(dict.fromkeys(_stem(w) for w in [w for w in words if w not in _COMMON] or words))
        scored = [(self._score(passage, wanted, query), -i, passage) for i, passage in enumerate(self.passages)]
        found = sorted((s for s in scored if s[0] > 0), key=lambda s: (-s[0], -s[1]))
        near = [] if found else self._near(words)
        shown, room = [], MOST_TEXT
        for _, _, passage in found[:MOST_PASSAGES]:
            text = _cut(passage.text, min(MOST_PASSAGE, room))
            if room < 200:
                break
            room -= len(text)
            shown.append({"page": passage.page, "heading": passage.heading, "text": text})
        return {"query": query, "found": len(found), "passages": shown, "pages": list(self.pages), "near": near}

    def _near(self, words: list[str]) -> list[str]:
        """Return words of the pages that look like those of a query."""
        known = {word for passage in self.passages for word in _words(f"{passage.heading} {passage.text}")}
        return [near for word in words[:5] for near in nearest(word, sorted(known))][:5]

    def _score(self, passage: Passage, wanted: list[str], query: str) -> float:
        """Return how well a passage fits: rare words count more, and so do headings, all of the words, the very phrase."""
        score, hits = 0.0, 0
        for word in wanted:
            times = passage.stems.get(word, 0)
            titled = word in passage.titles
            if not times and not titled:
                continue
            hits += 1
            weight = math.log(1 + len(self.passages) / (1 + self._spread[word]))
            score += weight * (times / (times + 1.5) + (2.0 if titled else 0.0))
        if not hits:
            return 0.0
        if len(wanted) > 1 and query.strip().lower() in passage.text.lower():
            score *= 1.5
        return score * (hits / len(wanted)) ** 2


def documents(opened: Target) -> dict[str, str]:
    """Return file name -> Markdown: a target's own pages, its machine, and the reference of its instructions.

    Raises:
        KernelCraftError: the target's plug-in fails.
    """
    from kernelcraft_core.isa.docs import reference

    pages = {str(name): str(text) for name, text in opened.documents().items()}
    pages.setdefault(MACHINE, _machine(opened.machine))
    pages[ISA] = reference(opened.isa, opened.machine.cost_table(opened.isa))
    return pages


def _machine(machine: Machine) -> str:
    lines = [f"- `{p.name}` = {machine[p.name]} {p.unit}: {p.doc}" for p in machine.declared]
    return "\n".join([f"# Machine {machine.name}", "", machine.doc, "", *lines]) + "\n"


@functools.lru_cache(maxsize=64)
def _passages(page: str, text: str) -> tuple[Passage, ...]:
    """Return the passages of a page; kept, because every episode of a target has the same pages."""
    return tuple(_cut_up(page, text))


def _cut_up(page: str, text: str) -> Iterator[Passage]:
    for headings, body in _sections(text):
        titles = frozenset(_stem(word) for title in headings[-1:] for word in _words(title))
        for piece in _pieces(body):
            stems = Counter(_stem(word) for line in (*headings, piece) for word in _words(line))
            yield Passage(page, " > ".join(headings) or page, piece, stems, titles)


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the headings above each section and its text; lines of fenced blocks are no headings."""
    above: list[tuple[int, str]] = []
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        found = None if fenced else _HEADING.match(line)
        if found is None:
            lines.append(line)
            continue
        if any(part.strip() for part in lines):
            yield tuple(title for _, title in above), "\n".join(lines).strip()
        lines = []
        above = [(level, title) for level, title in above if level < len(found[1])]
        above.append((len(found[1]), found[2].strip()))
    if any(part.strip() for part in lines):
        yield tuple(title for _, title in above), "\n".join(lines).strip()


def _pieces(body: str) -> Iterator[str]:
    """Return a section in pieces that an answer has room for, split between lines."""
    if len(body) <= _SPLIT:
        yield body
        return
    piece: list[str] = []
    size = 0
    for line in body.splitlines():
        if piece and size + len(line) > MOST_PASSAGE:
            yield "\n".join(piece).strip()
            piece, size = [], 0
        piece.append(line)
        size += len(line) + 1
    if any(part.strip() for part in piece):
        yield "\n".join(piece).strip()


def _words(text: str) -> Iterator[str]:
    """Return the words of a text in lower case: names as a whole, and their parts."""
    for word in _WORD.findall(text.lower()):
        yield word.strip(".")
        parts = _PART.findall(word)
        if len(parts) > 1:
            yield from parts


def _stem(word: str) -> str:
    """Return a word without the endings that English gives it; short words and names with digits stay as they are."""
    if len(word) < 5 or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = text.rfind("\n", 0, most)
    return text[: end if end > most // 2 else most].rstrip() + "\n[...]"
