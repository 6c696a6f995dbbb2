"""How many tokens a text is, about: an estimate that needs no tokenizer, no table and no network.

Every model has a tokenizer of its own, and most are not published, so no number from here is a count; services say what
they counted in their replies. The rule below is calibrated against three published vocabularies (Claude 2, DeepSeek and
OpenAI's cl100k): on the prompts, documents and assembly of this project it gives 3 % less to 6 % more than their mean, on
JSON and Python 8 to 11 % more.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|\n\s*|[^\S\n]+|_+|[^\w\s]+|.", re.DOTALL)
_LOWER, _UPPER, _DIGITS, _SIGNS = 8, 3, 3, 2
"""Characters of a word, of a word in capitals, of a number, and of punctuation that one token holds at most."""


def estimate(text: str) -> int:
    """Return about how many tokens `text` is; 0 for an empty one."""
    return sum(_piece(match.group()) for match in _PIECE.finditer(text))


def _piece(piece: str) -> int:
    first = piece[0]
    if first == "\n":
        return 1
    if first.isspace():
        return 0 if len(piece) == 1 else 1  # one blank belongs to the word behind it
    if first.isascii() and first.isalpha():
        return -(-len(piece) // (_UPPER if piece.isupper() else _LOWER))
    if first.isascii() and first.isdigit():
        return -(-len(piece) // _DIGITS)
    return 1 if first == "_" else -(-len(piece) // _SIGNS)


def shown(tokens: int) -> str:
    """Return an estimate as people see it, with no more digits than it is worth: `~15,100`, `~840`, `~7`."""
    if tokens >= 1000:
        tokens = round(tokens, -2)
    elif tokens >= 100:
        tokens = round(tokens, -1)
    return f"~{tokens:,}"
