"""The reference grammar at work: where a statement leaves it, and what could stand there. Imports Lark when needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from kernelcraft_core.asm.dialect import Dialect
from kernelcraft_core.asm.grammar import Grammar
from kernelcraft_core.asm.lexis import Lexis, Token
from kernelcraft_core.asm.shapes import Shapes
from kernelcraft_core.isa import Imm, Isa
from kernelcraft_core.isa.syntax import Operand

if TYPE_CHECKING:
    from lark import Lark

_MAX_TOKENS = 400
"""Longer statements are explained without the grammar."""


@frozen
class Expected:
    """Where a statement stops being one, and what may stand there.

    Attributes:
        index: number of the token, or how many there are when more is needed.
        kinds: names of the register and placeholder kinds that may stand there.
        texts: punctuation that may stand there.
        number: whether an immediate may begin there.
        inside: whether that place is inside an expression.
    """

    index: int
    kinds: frozenset[str]
    texts: frozenset[str]
    number: bool
    inside: bool


def parser(text: str) -> Lark:
    """Return a Lark parser for a grammar text of `grammar.py`."""
    from lark import Lark

    return Lark(text, parser="lalr", keep_all_tokens=True, maybe_placeholders=False, g_regex_flags=re.ASCII)


class Reference:
    """Parsers made from the reference grammar, one per mnemonic, built when a statement of it fails."""

    def __init__(self, isa: Isa, dialect: Dialect, lexis: Lexis, shapes: Shapes) -> None:
        """Nothing is built yet."""
        self.lexis = lexis
        self.shapes = shapes
        self.dialect = dialect
        self.isa = isa
        self._grammar: Grammar | None = None
        self._parsers: dict[str, Lark] = {}

    @property
    def grammar(self) -> Grammar:
        """The grammar, built when first needed."""
        if self._grammar is None:
            self._grammar = Grammar(self.isa, self.dialect, self.lexis, self.shapes)
        return self._grammar

    def failure(self, tokens: Sequence[Token]) -> Expected | None:
        """Return where the statement leaves the grammar of its mnemonic, or None when it does not."""
        if len(tokens) > _MAX_TOKENS or any(len(t.text) > _MAX_TOKENS for t in tokens):
            return self._by_shapes(tokens)
        from lark.exceptions import UnexpectedInput

        mnemonic = tokens[0].text
        if mnemonic not in self._parsers:
            self._parsers[mnemonic] = parser(self.grammar.text([mnemonic]))
        run = self._parsers[mnemonic].parse_interactive(_layout(tokens))
        try:
            run.exhaust_lexer()
            position = len(tokens)
            run.feed_eof()  # type: ignore[no-untyped-call]
        except UnexpectedInput as error:
            if error.pos_in_stream is not None and "$END" != getattr(getattr(error, "token", None), "type", ""):
                column = tokens[0].column + error.pos_in_stream
                position = next((i for i, t in enumerate(tokens) if t.end > column), len(tokens))
            else:
                position = len(tokens)
        else:
            return None
        return self._expected(tokens, position, run.accepts())  # type: ignore[no-untyped-call]

    def _expected(self, tokens: Sequence[Token], position: int, terminals: set[str]) -> Expected:
        lark = self._parsers[tokens[0].text]
        texts = {str(lark.get_terminal(t).pattern.value) for t in terminals if t != "$END" and self._literal(lark, t)}
        number = "UINT" in terminals
        kinds = set()
        for kind in (*self.lexis.registers, *self.lexis.placeholders):
            needed = set(self.grammar.terminals_for(kind))
            if needed and needed <= terminals and not (number and needed <= set(self.grammar.numbers)):
                kinds.add(kind)
        inside = number and position > 1 and tokens[position - 1].text != "," and self._in_expression(tokens, position)
        if inside and not self.dialect.expressions:
            inside = False
        return Expected(position, frozenset(kinds), frozenset(texts), number, inside)

    @staticmethod
    def _literal(lark: Lark, terminal: str) -> bool:
        return type(lark.get_terminal(terminal).pattern).__name__ == "PatternStr"

    @staticmethod
    def _in_expression(tokens: Sequence[Token], position: int) -> bool:
        before = tokens[position - 1]
        return before.kind == "op" and before.text in "+-*/%&|^~<<>>("

    def _by_shapes(self, tokens: Sequence[Token]) -> Expected:
        """Return the same from the forms themselves: the item at which the longest reading stops."""
        shapes = self.shapes.of[tokens[0].text]
        progress = [(self.shapes.progress(shape, tokens), shape) for shape in shapes]
        furthest = max(at for (at, _), _ in progress)
        items = [s.items[done] for (at, done), s in progress if at == furthest and done < len(s.items)]
        operands = [item for item in items if isinstance(item, Operand)]
        return Expected(
            furthest,
            frozenset(o.kind.name for o in operands if not isinstance(o.kind, Imm)),
            frozenset(item for item in items if isinstance(item, str)),
            any(isinstance(o.kind, Imm) for o in operands),
            False,
        )


def _layout(tokens: Sequence[Token]) -> str:
    """Return the statement as it stands on its line, from its first token on."""
    out = ""
    for token in tokens:
        out = out.ljust(token.column - tokens[0].column) + token.text
    return out
