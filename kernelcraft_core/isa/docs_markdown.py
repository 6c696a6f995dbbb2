"""Pieces of Markdown that stay what they are, whatever text a record brings."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

_MARKUP = re.compile(r"^(\s*)([#>=+*-]|\d+[.)]|```|~~~)", re.MULTILINE)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("\n", " ").replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(head), "|" + " --- |" * len(head), *map(line, rows)])


def prose(text: str) -> str:
    """Return text of a record so that it stays text: no HTML, no headings or lists of its own."""
    return _MARKUP.sub(r"\1\\\2", html.escape(text.strip(), quote=False))


def first(text: str) -> str:
    """Return the first sentence."""
    return prose(re.split(r"(?<=[.;:])\s", text.strip(), maxsplit=1)[0].rstrip(";:"))


def code(text: str) -> str:
    """Return text as code within a line."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    quote = "`" * (longest + 1)
    return f"{quote} {text} {quote}" if longest else f"{quote}{text}{quote}"


def fence(text: str) -> str:
    """Return text as a block of code."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def anchor(name: str) -> str:
    """Return the anchor that Markdown renderers give the heading `name`."""
    return re.sub(r"[^\w-]", "", name.lower().replace(" ", "-"))
