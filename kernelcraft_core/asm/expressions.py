"""Expressions in operands: parsed once to reverse Polish form, evaluated on a stack; no input makes either recurse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from attrs import frozen

from kernelcraft_core.asm.dialect import UNARY
from kernelcraft_core.asm.lexis import HUGE, Lexis, Token
from kernelcraft_core.diagnostics import Diagnostic, Span

MAX_BITS = 512
"""Values of more bits are refused."""

Step = tuple[str, str | int, int]
"""(`number`, value, column), (`name`, text, column), (`unary`, operator, column) or (`binary`, operator, column)."""

Lookup = Callable[[str, int], tuple[int, int]]
"""Called with a name and its column; returns (value, how often an address is in it: 1 for a label, 0 for a number).

While the place of a section is not known, its labels are offsets that count `FLOATING` times a power of it: such values
can be added and subtracted, and are known when the counts cancel.
"""

Relocate = Callable[[str, int, int, int], int]
"""Called with a relocation operator, the value it is applied to, that value's address count and the column."""

FLOATING = 1 << 40
"""Address counts from here on (half of it, for what subtraction leaves) have a section without a place in them."""


class Problem(Exception):
    """One finding on the line being read; caught where the line is known."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        """`diagnostic` has a column, but neither file nor line yet."""
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def problem(
    code: str, message: str, column: int, length: int = 1, hint: str | None = None, notes: tuple[str, ...] = ()
) -> Problem:
    """Return an exception for a finding at a column of the current line."""
    return Problem(Diagnostic(code, message, Span("", 0, column, max(1, length)), hint, notes))


def floats(weight: int) -> bool:
    """Return whether an address count says that the value depends on the place of a section not placed yet."""
    return not -FLOATING // 2 < weight < FLOATING // 2


class Unresolved(Exception):
    """A symbol is needed that has no value yet."""

    def __init__(self, name: str, column: int) -> None:
        """`name` stands at `column` of the current line."""
        super().__init__(name)
        self.name = name
        self.column = column


class Unpaired(Unresolved):
    """A relocation operator names a label whose statement has not been assembled with the operator `of` yet."""

    def __init__(self, name: str, column: int, of: str) -> None:
        """As `Unresolved`."""
        super().__init__(name, column)
        self.of = of


@frozen(eq=False)
class Expr:
    """A parsed expression; `column` and `length` say where it stands."""

    steps: tuple[Step, ...]
    column: int
    length: int

    @cached_property
    def names(self) -> tuple[tuple[str, int], ...]:
        """The symbols in it with their columns."""
        return tuple((str(what), column) for op, what, column in self.steps if op == "name")


def parse(tokens: Sequence[Token], start: int, lexis: Lexis) -> tuple[Expr | int, int] | None:
    """Return the longest operand value that starts at token `start` and the position behind it, or None.

    A lone number comes back as an int. Without expressions a value is a number, with `-` or not, or a symbol.
    """
    if start >= len(tokens):
        return None
    kind, text, _ = tokens[start]
    full = lexis.dialect.expressions
    if kind == "int" and (not full or start + 1 >= len(tokens) or tokens[start + 1].text not in _ranks(lexis)):
        value = lexis.integer(text)
        return None if value is None else (value, start + 1)
    return _expression(tokens, start, lexis) if full else _simple(tokens, start, lexis)


def _ranks(lexis: Lexis) -> dict[str, int]:
    ranks: dict[str, int] | None = lexis.__dict__.get("_ranks")
    if ranks is None:
        ranks = {op: rank for rank, level in enumerate(lexis.dialect.precedence) for op in level}
        lexis.__dict__["_ranks"] = ranks
    return ranks


def _simple(tokens: Sequence[Token], start: int, lexis: Lexis) -> tuple[Expr | int, int] | None:
    token = tokens[start]
    if token.kind == "word" and lexis.is_symbol(token.text):
        return Expr((("name", token.text, token.column),), token.column, len(token.text)), start + 1
    if token.text == "-" and lexis.signed and start + 1 < len(tokens) and tokens[start + 1].kind == "int":
        value = lexis.integer(tokens[start + 1].text)
        return None if value is None else (-value, start + 2)
    return None


def _expression(tokens: Sequence[Token], start: int, lexis: Lexis) -> tuple[Expr | int, int] | None:
    ranks = _ranks(lexis)
    out: list[Step] = []
    pending: list[tuple[int, str, int]] = []  # (rank, operator, column); rank -1 is an open parenthesis
    unary_rank = len(ranks) + 1
    depth, want_value, at = 0, True, start
    while at < len(tokens):
        kind, text, column = tokens[at]
        if want_value:
            if kind == "reloc":
                pending.append((unary_rank, text, column))
            elif kind == "int":
                value = lexis.integer(text)
                out.append(("number", HUGE if value is None else value, column))
                want_value = False
            elif kind == "word" and lexis.is_symbol(text):
                out.append(("name", text, column))
                want_value = False
            elif text == "(":
                pending.append((-1, text, column))
                depth += 1
            elif text in UNARY:
                pending.append((unary_rank, text, column))
            else:
                return None
        elif text in ranks:
            rank = ranks[text]
            while pending and pending[-1][0] >= rank:
                _reduce(pending, out, unary_rank)
            pending.append((rank, text, column))
            want_value = True
        elif text == ")" and depth:
            while pending[-1][0] >= 0:
                _reduce(pending, out, unary_rank)
            pending.pop()
            depth -= 1
        else:
            break
        at += 1
    if want_value or depth:
        return None
    while pending:
        _reduce(pending, out, unary_rank)
    first, last = tokens[start], tokens[at - 1]
    return Expr(tuple(out), first.column, last.end - first.column), at


def _reduce(pending: list[tuple[int, str, int]], out: list[Step], unary_rank: int) -> None:
    rank, text, column = pending.pop()
    out.append(("unary" if rank == unary_rank else "binary", text, column))


def evaluate(expr: Expr, lookup: Lookup, relocate: Relocate | None = None) -> tuple[int, int]:
    """Return (value, address count) of `expr`: 1 for `label + 4`, 0 for `end - start` and plain numbers.

    Raises:
        Problem: KC0224 division by zero, a shift amount out of range, a value of more than 512 bits.
        Unresolved: from `lookup` and `relocate`, and where a section must have its place first.
    """
    stack: list[tuple[int, int]] = []
    for op, what, column in expr.steps:
        if op == "number":
            assert isinstance(what, int)
            stack.append((what, 0))
        elif op == "name":
            stack.append(lookup(str(what), column))
        elif op == "unary":
            value, weight = stack.pop()
            if what not in UNARY:
                if relocate is None:
                    raise problem("KC0224", f"{what} may only stand in operands and data", column, len(str(what)))
                stack.append((relocate(str(what), value, weight, column), 0))
                continue
            if what == "~" and floats(weight):
                raise Unresolved(*expr.names[0])
            stack.append((-value, -weight) if what == "-" else (~value, 0) if what == "~" else (value, weight))
        else:
            right, left = stack.pop(), stack.pop()
            if what not in ("+", "-") and (floats(left[1]) or floats(right[1])):
                raise Unresolved(*expr.names[0])
            stack.append(_binary(str(what), left, right, column))
        if stack[-1][0].bit_length() > MAX_BITS:
            raise problem("KC0224", f"the value has more than {MAX_BITS} bits", expr.column, expr.length)
    return stack[-1]


def _binary(op: str, left: tuple[int, int], right: tuple[int, int], column: int) -> tuple[int, int]:
    a, b = left[0], right[0]
    match op:
        case "+":
            return a + b, left[1] + right[1]
        case "-":
            return a - b, left[1] - right[1]
        case "*":
            return a * b, 0
        case "/" | "%":
            if b == 0:
                raise problem("KC0224", "division by zero", column)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)  # towards zero, as C and GNU as divide
            return (quotient if op == "/" else a - b * quotient), 0
        case "<<" | ">>":
            if not 0 <= b <= MAX_BITS:
                raise problem("KC0224", f"a shift amount is 0..{MAX_BITS}", column, 2)
            return (a << b if op == "<<" else a >> b), 0
        case "&":
            return a & b, 0
        case "|":
            return a | b, 0
    return a ^ b, 0
