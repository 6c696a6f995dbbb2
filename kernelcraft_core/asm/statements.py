"""`Encoder`: the tokens of an instruction or pseudo-instruction to words."""

from __future__ import annotations

from collections.abc import Sequence

from kernelcraft_core.asm.explain import Explainer, Reading
from kernelcraft_core.asm.expressions import Expr, Problem, Unpaired, Unresolved, evaluate, floats, problem
from kernelcraft_core.asm.lexis import Lexis, Token
from kernelcraft_core.asm.pseudo import MAX_DEPTH, MAX_LINES, Template
from kernelcraft_core.asm.shapes import Arg, Shape, Shapes, misfits
from kernelcraft_core.asm.symbols import Symbols
from kernelcraft_core.diagnostics import printable
from kernelcraft_core.isa import Imm
from kernelcraft_core.isa.syntax import Operand

Item = tuple[int, int]
"""A word and its length in bytes."""


class Encoder:
    """Encodes statements against the symbols known so far.

    A statement is read in every form its mnemonic has, and encoded in the first whose operands are legal. A statement
    that uses a symbol from further down is measured first (`reserve`) and encoded at the end (`late`): it then takes
    the longest of the instructions it may be, or the pseudo-instruction without a condition, whatever the value is.

    Attributes:
        here: the address of the statement, what `.` means and relative operands count from.
        fixed: whether the words of the last statement depend on nothing but its text.
    """

    def __init__(self, lexis: Lexis, shapes: Shapes, explainer: Explainer, symbols: Symbols) -> None:
        """`symbols` may grow while it is used."""
        self.lexis = lexis
        self.shapes = shapes
        self.explainer = explainer
        self.symbols = symbols
        self.here = 0
        self.fixed = False
        self._budget = 0
        self._relocations = {r.name: r for r in lexis.dialect.relocations}
        self._paired = frozenset(r.of for r in lexis.dialect.relocations if r.of)
        self._uses: dict[tuple[str, int], int] = {}  # (operator, address of the statement) -> value it was applied to

    def encode(self, tokens: Sequence[Token], here: int, *, late: bool, depth: int = 0) -> list[Item]:
        """Return the words of a statement at address `here`.

        Raises:
            Problem: the statement is wrong. Unresolved: it uses a symbol that has no value yet.
        """
        self.here = here
        if not depth:
            self._budget = MAX_LINES
        readings = self._readings(tokens)
        if late:
            readings = _longest(readings)
        failed: list[Reading] = []
        for shape, args in readings:
            values = self._values(shape, args)
            wrong = misfits(values, shape) or self._numbers(args)
            if wrong:
                failed.append((shape, args, values, wrong))
                continue
            if shape.definition is not None:
                self.fixed = all(_constant(a) for a in args)
                return [(shape.word(values), shape.definition.length)]
            if shape.template is not None and shape.template.holds(values, here):
                items = self._expand(tokens[0], shape.template, values, here, late, depth)
                self.fixed = not shape.template.placed and all(_constant(a) for a in args) and self.fixed
                return items
            failed.append((shape, args, values, []))
        raise self.explainer.values(tokens, failed)

    def reserve(self, tokens: Sequence[Token], here: int, depth: int = 0) -> list[int]:
        """Return the lengths in bytes that a statement takes whose symbols are not known yet."""
        if not depth:
            self._budget = MAX_LINES
        readings = _longest(self._readings(tokens))
        if not readings:
            missing = self._missing(tokens)
            message = f"the form of {tokens[0].text} depends on {missing[0]!r}, which is not defined above"
            raise problem("KC0225", message, missing[1], len(missing[0]))
        shape, args = readings[0]
        if shape.definition is not None:
            return [shape.definition.length]
        assert shape.template is not None
        values = {**shape.defaults, **{a.operand.name: self._stand_in(a) for a in args}}
        lengths: list[int] = []
        for line in self._lines(shape.template, values, here, tokens[0], depth):
            lengths += self.reserve(self.lexis.tokens(line), here, depth + 1)
        return lengths

    def value(self, expr: Expr) -> tuple[int, int]:
        """Return the value of an expression and how often an address is in it.

        Raises:
            Unresolved: it depends on a symbol that has no value yet, or on the place of a section that has none yet.
        """
        found = evaluate(expr, lambda name, column: self.symbols.get(name, column, self.here), self._relocate)
        if floats(found[1]):
            raise Unresolved(*expr.names[0])
        return found

    def _relocate(self, operator: str, value: int, weight: int, column: int) -> int:
        relocation = self._relocations[operator]
        if floats(weight) or self.symbols.weight != 1:
            raise Unresolved(operator, column)
        if relocation.of:
            found = self._uses.get((relocation.of, value))
            if found is None:
                raise Unpaired(operator, column, relocation.of)
            return relocation.apply(found, value)
        if operator in self._paired:
            self._uses[operator, self.here] = value
        return relocation.apply(value, self.here)

    def _readings(self, tokens: Sequence[Token]) -> list[tuple[Shape, list[Arg]]]:
        shapes = self.shapes.of.get(tokens[0].text)
        if shapes is None or tokens[0].kind != "word":
            raise self.explainer.unknown(tokens)
        out = []
        for shape in shapes:
            args = self.shapes.read(shape, tokens)
            if args is not None:
                out.append((shape, args))
        if not out:
            raise self.explainer.syntax(tokens)
        return out

    def _values(self, shape: Shape, args: Sequence[Arg]) -> dict[str, int]:
        values = dict(shape.defaults)
        for operand, value, _, _ in args:
            kind = operand.kind
            if isinstance(value, Expr):
                number, weight = self.value(value)
                if isinstance(kind, Imm) and kind.relative:
                    if weight not in (0, 1):
                        message = "this is neither an address nor a distance"
                        raise problem("KC0224", message, value.column, value.length)
                    number -= self._distance(operand, weight or kind.numbers == "address", value.column)
                value = number
            elif isinstance(kind, Imm) and kind.numbers == "address":
                value -= self._distance(operand, True, args[0].first)
            values[operand.name] = value
        return values

    def _numbers(self, args: Sequence[Arg]) -> list[Operand]:
        """Return the operands that are numbers where only labels may stand."""
        return [
            arg.operand
            for arg in args
            if isinstance(kind := arg.operand.kind, Imm)
            and kind.numbers == "none"
            and (isinstance(arg.value, int) or self.value(arg.value)[1] == 0)
        ]

    def _distance(self, operand: Operand, address: int | bool, column: int) -> int:
        """Return what to take off an address to get a distance from here; 0 for what is a distance already."""
        if address and self.symbols.weight != 1:  # this statement has no address yet
            raise Unresolved(operand.name, column)
        return self.here if address else 0

    def _stand_in(self, arg: Arg) -> int:
        if isinstance(arg.value, int):
            return arg.value
        kind = arg.operand.kind
        assert isinstance(kind, Imm)
        return min(max(0, kind.low), kind.high)

    def _missing(self, tokens: Sequence[Token]) -> tuple[str, int]:
        for _, args in self._readings(tokens):
            for arg in args:
                try:
                    if isinstance(arg.value, Expr):
                        self.value(arg.value)
                except Unresolved as missing:
                    return missing.name, missing.column
        return tokens[0].text, tokens[0].column

    # -- pseudo-instructions ------------------------------------------------------------------------------------------

    def _lines(self, template: Template, values: dict[str, int], here: int, place: Token, depth: int) -> list[str]:
        self._budget -= len(template.lines)
        if depth >= MAX_DEPTH or self._budget < 0:
            message = f"{place.text} stands for too many instructions"
            raise problem("KC0242", message, place.column, len(place.text))
        return template.expand(values, here)

    def _expand(
        self, place: Token, template: Template, values: dict[str, int], here: int, late: bool, depth: int
    ) -> list[Item]:
        items: list[Item] = []
        address, fixed = here, True
        for line in self._lines(template, values, here, place, depth):
            try:
                new = self.encode(self.lexis.tokens(line), address, late=late, depth=depth + 1)
            except Problem as error:
                found = error.diagnostic
                notes = (f"{place.text} stands for `{printable(line)}` here",)
                length = len(place.text)
                raise problem("KC0242", found.message, place.column, length, found.hint, notes) from None
            items += new
            fixed = fixed and self.fixed
            address += sum(length for _, length in new) // self.lexis.isa.pc_unit
        self.here, self.fixed = here, fixed
        return items


def _constant(arg: Arg) -> bool:
    """Return whether an operand has the same value wherever it stands."""
    kind = arg.operand.kind
    return isinstance(arg.value, int) and not (isinstance(kind, Imm) and kind.numbers != "distance")


def _longest(readings: list[tuple[Shape, list[Arg]]]) -> list[tuple[Shape, list[Arg]]]:
    """Return the readings that are meant when not all values are known: see `Encoder`."""
    lengths = [s.definition.length for s, _ in readings if s.definition is not None]
    if lengths:
        longest = max(lengths)
        return [(s, a) for s, a in readings if s.definition is not None and s.definition.length == longest]
    return [(s, a) for s, a in readings if s.template is not None and s.template.when is None][:1]
