"""Explaining a statement that cannot be assembled: what stands where, what was expected, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kernelcraft_core.asm.dialect import Dialect
from kernelcraft_core.asm.expressions import Expr, Problem, problem
from kernelcraft_core.asm.lexis import Lexis, Token, conflicts, ranges, register_range
from kernelcraft_core.asm.reference import Expected, Reference
from kernelcraft_core.asm.shapes import Arg, Shape, Shapes
from kernelcraft_core.diagnostics import did_you_mean, printable
from kernelcraft_core.isa import Imm, Isa, Placeholder, Reg
from kernelcraft_core.isa.syntax import Operand, describe

Reading = tuple[Shape, list[Arg], dict[str, int], list[Operand]]
"""A shape the tokens can be read as, its operands, their values, and which of them are not legal."""


class Explainer:
    """Writes the findings about instructions of one ISA in one dialect."""

    def __init__(self, isa: Isa, dialect: Dialect, lexis: Lexis, shapes: Shapes) -> None:
        """Bind it to an ISA and a dialect; no parser is built yet."""
        self.isa = isa
        self.dialect = dialect
        self.lexis = lexis
        self.shapes = shapes
        self._operators = frozenset(op for level in dialect.precedence for op in level if dialect.expressions)
        self._reference = Reference(isa, dialect, lexis, shapes)

    def grammar(self) -> str:
        """Return the reference grammar of a line."""
        return self._reference.grammar.text()

    # -- the mnemonic -------------------------------------------------------------------------------------------------

    def unknown(self, tokens: Sequence[Token]) -> Problem:
        """Return the finding for a statement that does not begin with a mnemonic of the ISA."""
        first = tokens[0]
        following = tokens[1].text if len(tokens) > 1 else ""
        length = len(first.text)
        if first.kind != "word":
            what = "number" if first.text[0].isdigit() else "character"
            message = f"a mnemonic is expected, not the {what} {printable(first.text)!r}"
            return problem("KC0209", message, first.column, length)
        if (following == ":" and not self.dialect.labels) or (following == "=" and not self.dialect.constants):
            return problem("KC0226", self.no_symbols(), first.column, length, f"use {ranges(self.isa)}")
        if first.text in self.dialect.elsewhere:
            where = self.dialect.elsewhere[first.text]
            message = f"{first.text} is not available in {self.isa.name}: it exists in {where}"
            return problem("KC0214", message, first.column, length)
        if first.text.startswith("."):
            return problem("KC0226", f"{printable(first.text)}: directives are not supported", first.column, length)
        hint = did_you_mean(first.text, self.isa.mnemonics)
        return problem("KC0201", f"unknown mnemonic {printable(first.text)!r}", first.column, length, hint)

    def no_symbols(self) -> str:
        """Return the sentence about the kind of symbols the dialect lacks."""
        return "constants are not supported" if self.dialect.labels else "labels and symbols are not supported"

    # -- the form -----------------------------------------------------------------------------------------------------

    def syntax(self, tokens: Sequence[Token]) -> Problem:
        """Return the finding for operands that no form of the mnemonic has."""
        expected = self._reference.failure(tokens)
        shape, item = self._closest(tokens)
        operand = item if isinstance(item, Operand) else None
        if expected is None:  # the grammar takes it, no single form does
            return self._unexpected(tokens, shape, 1, f"no form of {tokens[0].text} is written like this")
        at = expected.index
        wants_operand = bool(expected.kinds) or expected.number
        texts = frozenset() if wants_operand else expected.texts - self._operators
        open_value = expected.inside or (")" in texts and operand is not None and isinstance(operand.kind, Imm))
        if at >= len(tokens):
            return self._too_short(tokens, shape, texts, open_value)
        token = tokens[at]
        if token.text == "," and "," not in expected.texts:
            if wants_operand:
                message = "an operand is missing before this comma"
                return self._finding("KC0202", message, token, shape, _usage(shape))
            return self._too_many(tokens, shape, at)
        if wants_operand:
            return self._operand(tokens, at, expected, shape, operand)
        shown = printable(token.text, 40)
        if open_value:
            return self._finding("KC0224", f"an operator or ')' is expected, not {shown!r}", token, shape)
        if texts & {","}:
            return self._unexpected(tokens, shape, at, f"a comma is missing before {shown!r}")
        if texts:
            return self._unexpected(tokens, shape, at, f"{_either(texts)} is expected, not {shown!r}")
        if at == 1:
            return self._too_many(tokens, shape, at)
        return self._unexpected(tokens, shape, at, f"unexpected {shown!r} after the last operand")

    def _closest(self, tokens: Sequence[Token]) -> tuple[Shape, Operand | str | None]:
        """Return the form that the tokens follow longest (then: with as many operands), and where they leave it."""
        given = _given(tokens)

        def merit(shape: Shape) -> tuple[int, int]:
            return (self.shapes.progress(shape, tokens)[0], -abs(shape.count - given))

        shape = max(self.shapes.of[tokens[0].text], key=merit)
        done = self.shapes.progress(shape, tokens)[1]
        return shape, shape.items[done] if done < len(shape.items) else None

    @staticmethod
    def _finding(
        code: str, message: str, place: Token, shape: Shape, hint: str | None = None, extra: str | None = None
    ) -> Problem:
        """Return a finding with all there is to say: the hint, the author's remark, and how the form is written."""
        further = [hint, extra, shape.note or None, f"usage: {shape.form.usage()}"]
        said = list(dict.fromkeys(text for text in further if text))
        return problem(code, message, place.column, len(place.text), said[0], tuple(said[1:]))

    def _unexpected(self, tokens: Sequence[Token], shape: Shape, at: int, message: str) -> Problem:
        return self._finding("KC0209", message, tokens[min(at, len(tokens) - 1)], shape)

    def _too_short(self, tokens: Sequence[Token], shape: Shape, texts: frozenset[str], open_value: bool) -> Problem:
        last = tokens[-1]
        end = Token("op", " ", last.end)
        if open_value:
            return self._finding("KC0224", "the expression is not complete", end, shape)
        if texts and "," not in texts:
            return self._finding("KC0209", f"{_either(texts)} is missing at the end", end, shape)
        message = "an operand is missing after the comma" if last.text == "," else self._counts(tokens)
        return self._finding("KC0202", message, end, shape, _usage(shape))

    def _too_many(self, tokens: Sequence[Token], shape: Shape, at: int) -> Problem:
        place = tokens[at + 1] if tokens[at].text == "," and at + 1 < len(tokens) else tokens[at]
        return self._finding("KC0202", self._counts(tokens), place, shape, _usage(shape))

    def _counts(self, tokens: Sequence[Token]) -> str:
        counts = sorted({shape.count for shape in self.shapes.of[tokens[0].text]})
        wanted = " or ".join(str(c) for c in counts)
        noun = "operand" if counts == [1] else "operands"
        return f"{tokens[0].text} takes {wanted} {noun}; {_given(tokens)} given"

    # -- one operand --------------------------------------------------------------------------------------------------

    def _operand(
        self, tokens: Sequence[Token], at: int, expected: Expected, shape: Shape, operand: Operand | None
    ) -> Problem:
        token = tokens[at]
        registers = self._widest(k for k in self.isa.kinds if isinstance(k, Reg) and k.name in expected.kinds)
        fixed = [k for k in self.isa.kinds if isinstance(k, Placeholder) and k.name in expected.kinds]
        wanted = self._wanted(registers, fixed, expected.number, operand)
        shown = printable(token.text, 40)
        if expected.inside:
            message = f"a value is expected in the expression, not {shown!r}"
            if token.text in self.lexis.owners:
                message = "a register cannot be part of an expression"
            return self._finding("KC0224", message, token, shape)
        if token.kind == "bad":
            if token.text[0].isdigit():
                return self._finding("KC0213", f"{shown!r} is not a number", token, shape, self._numbers())
            return self._finding("KC0209", f"unexpected {shown!r}; {wanted} is expected", token, shape)
        if token.text in ("-", "+") and at + 1 < len(tokens) and tokens[at + 1].kind == "int":
            number = tokens[at + 1]
            signed = Token("int", token.text + " " * (number.column - token.end) + number.text, token.column)
            if expected.number and (token.text == "+" or not self.lexis.signed):
                return self._sign(signed, shape, operand)
            token = token if expected.number else signed
        if fixed and not registers and not expected.number:
            allowed = " or ".join(f"`{text}`" for kind in fixed for text in kind.spellings)
            return self._finding("KC0208", f"only {allowed} may stand here, not {shown!r}", token, shape)
        if token.kind == "int":
            message = f"{wanted} is required here, not the number {printable(token.text, 24)}"
            hint = "load the number into a register first"
            if registers and self.lexis.integer(token.text) == 0:
                hint = f"write {self.lexis.canonical(registers[0], 0)}"
            return self._finding("KC0204", message, token, shape, hint)
        if token.text in self.lexis.owners:
            message = f"{wanted} is required here, not the register {shown}"
            if registers:
                message = f"{shown} is the wrong kind of register; {wanted} is required here"
            return self._finding("KC0204", message, token, shape)
        if token.kind == "word":
            return self._word(token, registers, expected.number, wanted, shape)
        return self._finding("KC0209", f"{wanted} is expected, not {shown!r}", token, shape)

    def _widest(self, kinds: Iterable[Reg]) -> list[Reg]:
        """Return the register kinds that are not a part of another one of them."""
        chosen = list(kinds)
        texts = {kind.name: self.lexis.registers[kind.name].keys() for kind in chosen}
        return [k for k in chosen if not any(texts[k.name] < other for other in texts.values())]

    def _wanted(
        self, registers: Sequence[Reg], fixed: Sequence[Placeholder], number: bool, operand: Operand | None
    ) -> str:
        parts = [f"a register {register_range(k)}" for k in registers]
        if number:
            kind = operand.kind if operand is not None else None
            parts.append(f"an integer {kind.low}..{kind.high}" if isinstance(kind, Imm) else "an integer")
        parts += [f"`{text}`" for kind in fixed for text in kind.spellings]
        return " or ".join(dict.fromkeys(parts)) or "something else"

    def _numbers(self) -> str:
        forms = ["decimal digits"]
        forms += ["0x and hexadecimal digits"] if self.dialect.hexadecimal else []
        forms += ["0b and binary digits"] if self.dialect.binary else []
        return f"numbers are {', or '.join(forms)}"

    def _sign(self, number: Token, shape: Shape, operand: Operand | None) -> Problem:
        if number.text[0] == "+":
            message = f"a number has no sign here; write {printable(number.text[1:].strip(), 24)}"
            return self._finding("KC0213", message, number, shape)
        kind = operand.kind if operand is not None else None
        legal = f": {kind.low}..{kind.high}" if isinstance(kind, Imm) else ""
        return self._finding("KC0203", f"negative immediates do not exist{legal}", number, shape)

    def _word(self, token: Token, registers: Sequence[Reg], number: bool, wanted: str, shape: Shape) -> Problem:
        text = token.text
        shown = printable(text, 40)
        for kind in (*registers, *(k for k in self.isa.kinds if isinstance(k, Reg))):
            m = re.fullmatch(rf"{re.escape(kind.prefix)}(0|[1-9]\d*)", text, re.ASCII) if kind.prefix else None
            if m:
                message = f"{shown}: register index out of range ({register_range(kind)})"
                hint = None if kind in registers else f"{wanted} is required here"
                return self._finding("KC0205", message, token, shape, hint)
        near = did_you_mean(text, [s for k in registers for s in self.lexis.registers[k.name]]) if registers else None
        if self.dialect.symbols:
            return self._finding("KC0206", f"{shown!r} is not a register", token, shape, near)
        rule = f"labels and symbols are not supported; use {ranges(self.isa)}"
        what = "a register" if registers and not number else "an integer" if number and not registers else "an operand"
        return self._finding("KC0206", f"{shown!r} is not {what}", token, shape, near or rule, rule)

    # -- values -------------------------------------------------------------------------------------------------------

    def values(self, tokens: Sequence[Token], readings: Iterable[Reading]) -> Problem:
        """Return the finding for operands of the right kind with illegal values: of the reading with fewest of them."""
        shape, args, values, wrong = min(readings, key=lambda reading: len(reading[3]))
        if not wrong:
            message = f"no form of {tokens[0].text} is meant for these operands"
            return self._finding("KC0241", message, tokens[0], shape)
        operand = wrong[0]
        arg = next((a for a in args if a.operand is operand), None)
        first, last = (tokens[0], tokens[0]) if arg is None else (tokens[arg.first], tokens[arg.last])
        place = Token("", " " * (last.end - first.column), first.column)
        kind, value = operand.kind, values[operand.name]
        if not isinstance(kind, Imm):
            return self._finding("KC0205", f"{describe(operand)}: not {value}", place, shape)
        if kind.numbers == "none" and kind.low <= value <= kind.high and value % kind.align == 0:
            return self._finding("KC0204", "a label is required here, not a number", place, shape, kind.hint)
        shown = str(value) if abs(value) < 1 << 128 else "this number"
        if kind.relative and arg is not None and isinstance(arg.value, Expr):
            message = f"the target is {shown} away; {kind.low}..{kind.high} can be reached"
            if kind.low <= value <= kind.high:
                message = f"the distance to the target, {shown}, is not a multiple of {kind.align}"
            return self._finding("KC0227", message, place, shape, kind.hint)
        if value < 0 <= kind.low:
            message = f"negative immediates do not exist: {kind.low}..{kind.high}"
            return self._finding("KC0203", message, place, shape)
        if kind.low <= value <= kind.high:
            below = value // kind.align * kind.align
            message = f"{operand.name} = {shown} is not a multiple of {kind.align}"
            return self._finding("KC0207", message, place, shape, f"nearest: {below} and {below + kind.align}")
        whole = Imm(kind.name, kind.bits, kind.signed, align=kind.align)
        narrowed = (whole.low, whole.high) != (kind.low, kind.high)
        fault = "is out of range" if narrowed else f"does not fit {kind.bits} bits"
        message = f"{operand.name} = {shown} {fault} ({kind.low}..{kind.high})"
        return self._finding("KC0203", message, place, shape, kind.hint)

    def undefined(self, name: str, column: int, known: Mapping[str, object]) -> Problem:
        """Return the finding for a symbol that is never defined."""
        if "@" in name:  # a numeric label, by the name it would have
            number = name.partition("@")[0]
            before = name.endswith("@-1")
            message = f"there is no label {number} {'above' if before else 'below'}"
            return problem("KC0220", message, column, len(number) + 1, f"{number}: is its definition")
        known = {**known, **{n: 0 for kind in self.isa.kinds if isinstance(kind, Imm) for n in kind.names}}
        hint = did_you_mean(name, conflicts(known, name))
        return problem("KC0220", f"{printable(name)!r} is not defined", column, len(name), hint)


def _either(texts: Iterable[str]) -> str:
    return " or ".join(repr(text) for text in sorted(texts))


def _usage(shape: Shape) -> str:
    return f"usage: {shape.form.usage()}"


def _given(tokens: Sequence[Token]) -> int:
    """Return how many operands a statement has: commas outside brackets, plus one."""
    if len(tokens) < 2:
        return 0
    return 1 + sum(1 for t in tokens if t.text == ",") - (tokens[-1].text == ",")
