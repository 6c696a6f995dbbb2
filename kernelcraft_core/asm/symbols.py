"""`Symbols`: labels and constants of one program, with constants that may refer to what is defined further down."""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Iterator, Mapping

from attrs import frozen

from kernelcraft_core.asm.expressions import Expr, Problem, Unresolved, evaluate, floats, problem
from kernelcraft_core.asm.lexis import Lexis, Token, conflicts
from kernelcraft_core.diagnostics import Diagnostic, did_you_mean, printable


@frozen(eq=False)
class _Pending:
    """A constant whose expression has no value yet."""

    expr: Expr
    here: int
    line: int
    token: Token


class Symbols:
    """Names and their values.

    Attributes:
        labels: label -> address. constants: name -> (value, whether it is an address).
        broken: names whose definition is wrong; their uses are not reported again.
        floating: label -> (offset, address count of its section), in sections that have no place yet.
        weight: address count of a label defined now: 1, or that of a section without a place.
    """

    def __init__(self, lexis: Lexis) -> None:
        """Begin with none."""
        self.lexis = lexis
        self.labels: dict[str, int] = {}
        self._label_lines = array("Q")
        self.constants: dict[str, tuple[int, int]] = {}
        self._constant_lines: dict[str, int] = {}
        self._pending: dict[str, _Pending] = {}
        self.broken: set[str] = set()
        self.floating: dict[str, tuple[int, int]] = {}
        self.weight = 1
        self._locals: dict[str, list[tuple[int, int]]] = {}  # numeric label -> where it is defined, in order

    # -- numeric labels -----------------------------------------------------------------------------------------------

    def numeric_label(self, text: str, address: int, place: tuple[int, int]) -> None:
        """Define a numeric label; `place` is (line, statement of the line)."""
        number = str(int(text))
        found = self._locals.setdefault(number, [])
        name = f"{number}@{len(found)}"
        found.append(place)
        self._define(name, address, place[0])

    def numeric(self, text: str, place: tuple[int, int]) -> str:
        """Return the name of the label that `1b` or `1f` means at a place; it may be defined later or never."""
        number = str(int(text[:-1]))
        before = bisect.bisect_right(self._locals.get(number, ()), place)
        return f"{number}@{before if text[-1] == 'f' else before - 1}"

    # -- sections -----------------------------------------------------------------------------------------------------

    def place(self, bases: Mapping[int, int]) -> None:
        """Give the floating labels their addresses; `bases` is address count of a section -> its base."""
        for name, (offset, weight) in self.floating.items():
            self.labels[name] = bases[weight] + offset
        self.floating.clear()
        self.weight = 1

    def _define(self, name: str, address: int, line: int) -> None:
        if self.weight == 1:
            self.labels[name] = address
            self._label_lines.append(line)
        else:
            self.floating[name] = (address, self.weight)
            self._constant_lines[name] = line

    # -- names ----------------------------------------------------------------------------------------------------

    def known(self, name: str) -> bool:
        """Return whether the program defines `name`, rightly or wrongly."""
        tables = (self.labels, self.constants, self._pending, self.broken, self.floating)
        return any(name in table for table in tables)

    def get(self, name: str, column: int, here: int) -> tuple[int, int]:
        """Return (value, address count) of a symbol; `.` is the address `here`.

        Raises:
            Unresolved: it has no value yet.
        """
        if name == ".":
            return here, self.weight
        address = self.labels.get(name)
        if address is not None:
            return address, 1
        if name in self.floating:
            return self.floating[name]
        found = self.constants.get(name)
        if found is None:
            raise Unresolved(name, column)
        return found

    def _new(self, name: str, column: int) -> None:
        if name in self.lexis.reserved:
            message = f"{name} is a register and cannot name a symbol"
            raise problem("KC0222", message, column, len(name))
        if name == ".":
            raise problem("KC0222", "`.` is the current address and cannot be defined", column)
        if name in self.labels or name in self.constants or name in self._pending or name in self.floating:
            message = f"{printable(name)!r} is defined twice"
            first = f"first defined on line {self._line_of(name)}"
            raise problem("KC0221", message, column, len(name), None, (first,))

    def _line_of(self, name: str) -> int:
        if name in self._constant_lines:
            return self._constant_lines[name]
        return self._label_lines[next(i for i, label in enumerate(self.labels) if label == name)]

    def label(self, name: str, column: int, address: int, line: int) -> None:
        """Define a label.

        Raises:
            Problem: KC0221 it is defined already, KC0222 it is a register.
        """
        self._new(name, column)
        self._define(name, address, line)

    def plain_label(self, name: str, address: int, line: int) -> bool:
        """Define a label if nothing speaks against it; return whether nothing did."""
        if name in self.labels or name in self.lexis.reserved or name == ".":
            return False
        if name in self.constants or name in self._pending or name in self.floating:
            return False
        self._define(name, address, line)
        return True

    def constant(self, token: Token, value: Expr | int, here: int, line: int) -> None:
        """Define a constant.

        Raises:
            Problem: as `label`, and KC0224 from the expression.
        """
        name = token.text
        self._new(name, token.column)
        self._constant_lines[name] = line
        if isinstance(value, int):
            self.constants[name] = (value, 0)
            return
        try:
            found = evaluate(value, lambda n, column: self.get(n, column, here))
            if not floats(found[1]):
                self.constants[name] = found
                return
            self._pending[name] = self._waiting(value, here, line, token)
        except Unresolved:
            self._pending[name] = self._waiting(value, here, line, token)
        except Problem:
            self.broken.add(name)
            raise

    def _waiting(self, value: Expr, here: int, line: int, token: Token) -> _Pending:
        """Return a constant without a value; `.` in a section without a place becomes a label of its own."""
        if self.weight != 1 and any(name == "." for name, _ in value.names):
            anchor = f".@{len(self.floating)}"
            self.floating[anchor] = (here, self.weight)
            steps = tuple((op, anchor if op == "name" and what == "." else what, at) for op, what, at in value.steps)
            value = Expr(steps, value.column, value.length)
        return _Pending(value, here, line, token)

    def settle(self) -> Iterator[tuple[int, Diagnostic]]:
        """Compute the constants that had to wait; yield (line, finding) for those that cannot be computed."""
        for name in list(self._pending):
            stack: list[tuple[str, Iterator[tuple[str, int]]]] = []
            open_names: dict[str, None] = {}
            self._enter(name, stack, open_names)
            while stack:
                top, names = stack[-1]
                following = next((n for n, _ in names if self._unsettled(n)), None)
                if following is not None and following in open_names:
                    yield self._cycle(list(open_names), following)
                elif following is not None:
                    self._enter(following, stack, open_names)
                else:
                    stack.pop()
                    del open_names[top]
                    if self._unsettled(top):
                        yield from self._compute(top)
        self._pending.clear()

    def _unsettled(self, name: str) -> bool:
        return name in self._pending and name not in self.constants and name not in self.broken

    def _enter(
        self, name: str, stack: list[tuple[str, Iterator[tuple[str, int]]]], open_names: dict[str, None]
    ) -> None:
        if self._unsettled(name):
            open_names[name] = None
            stack.append((name, iter(self._pending[name].expr.names)))

    def _cycle(self, names: list[str], back_to: str) -> tuple[int, Diagnostic]:
        ring = names[names.index(back_to) :]
        self.broken.update(ring)
        shown = [printable(n, 24) for n in (*ring[:5], *(["..."] if len(ring) > 5 else []), back_to)]
        first = self._pending[back_to]
        message = f"constants depend on one another: {' -> '.join(shown)}"
        return first.line, problem("KC0223", message, first.token.column, len(first.token.text)).diagnostic

    def _compute(self, name: str) -> Iterator[tuple[int, Diagnostic]]:
        pending = self._pending[name]
        try:
            self.constants[name] = evaluate(pending.expr, lambda n, column: self.get(n, column, pending.here))
        except Problem as error:
            self.broken.add(name)
            yield pending.line, error.diagnostic
        except Unresolved as missing:
            self.broken.add(name)
            if missing.name not in self.broken:
                known = {**self.constants, **dict.fromkeys(self._pending)} if len(self.constants) < 2000 else {}
                hint = did_you_mean(missing.name, conflicts(known, missing.name))
                message = f"{printable(missing.name)!r} is not defined"
                yield pending.line, problem("KC0220", message, missing.column, len(missing.name), hint).diagnostic
