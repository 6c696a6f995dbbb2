"""Shapes: every way a mnemonic may be written, and reading tokens as one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from attrs import frozen

from kernelcraft_core.asm.expressions import Expr, parse
from kernelcraft_core.asm.lexis import Lexis, Token
from kernelcraft_core.asm.pseudo import Template, compile_pseudo
from kernelcraft_core.isa import Definition, Imm, Isa, Placeholder
from kernelcraft_core.isa.syntax import Form, Operand


@frozen(eq=False, slots=False)
class Shape:
    """One way to write an instruction or a pseudo-instruction, with a fixed number of operands."""

    form: Form
    items: tuple[Operand | str, ...]
    definition: Definition | None = None
    template: Template | None = None

    @property
    def count(self) -> int:
        """Number of operands."""
        return sum(1 for item in self.items if isinstance(item, Operand))

    @cached_property
    def defaults(self) -> dict[str, int]:
        """Values of operands that this shape leaves out."""
        written = {item.name for item in self.items if isinstance(item, Operand)}
        if self.definition is not None:
            return {n: v for n, v in self.definition.defaults.items() if n not in written}
        return {o.name: o.default for o in self.form.operands if o.default is not None and o.name not in written}

    @cached_property
    def limits(self) -> tuple[tuple[Operand, int, int, int], ...]:
        """(operand, lowest, highest, alignment) of the immediates; the spelling of a register is a legal one already."""
        kinds = [(i, i.kind) for i in self.items if isinstance(i, Operand)]
        return tuple((item, kind.low, kind.high, kind.align) for item, kind in kinds if isinstance(kind, Imm))

    def word(self, values: Mapping[str, int]) -> int:
        """Return the word for legal operand values."""
        assert self.definition is not None
        encoding = self.definition.encoding
        word = encoding.match
        for name, value in values.items():
            word |= encoding.insert(name, value)
        return word

    @property
    def note(self) -> str:
        """The remark of the instruction's author about wrong uses."""
        return self.definition.record.note if self.definition is not None else ""


class Arg(NamedTuple):
    """An operand as it was written: its value (or an expression for it) and the tokens it consists of."""

    operand: Operand
    value: int | Expr
    first: int
    last: int


def without_offset(items: Sequence[Operand | str], number: int) -> bool:
    """Return whether an item is the bracket of an address that has no offset: `(` with no operand right before it."""
    return items[number] == "(" and (number == 0 or isinstance(items[number - 1], str))


class Shapes:
    """All shapes of an ISA, by mnemonic: instructions first, in order of description, then pseudo-instructions."""

    def __init__(self, isa: Isa, lexis: Lexis) -> None:
        """Collect the forms; raises IsaError when a pseudo-instruction is wrong."""
        self.isa = isa
        self.lexis = lexis
        self.of: dict[str, tuple[Shape, ...]] = {}
        for mnemonic in dict.fromkeys(isa.mnemonics):
            found: list[Shape] = []
            for definition in isa.with_mnemonic(mnemonic):
                for form in definition.forms:
                    if form.mnemonic == mnemonic:
                        found += [Shape(form, form.items[:n], definition) for n in form.lengths()]
            for form, record in isa.pseudo(mnemonic):
                template = compile_pseudo(form, record, isa)
                found += [Shape(form, form.items[:n], None, template) for n in form.lengths()]
            self.of[mnemonic] = tuple(found)
        self._placeholders = {
            name: [[t.text for t in lexis.tokens(text)] for text in texts] for name, texts in lexis.placeholders.items()
        }

    def read(self, shape: Shape, tokens: Sequence[Token], start: int = 1) -> list[Arg] | None:
        """Return the operands of `tokens` read as `shape`, or None when they are not written like that."""
        args: list[Arg] = []
        at = self._read(shape.items, tokens, start, args)
        return args if at == len(tokens) else None

    def read_items(self, items: Sequence[Operand | str], tokens: Sequence[Token], start: int = 1) -> list[Arg] | None:
        """Return the operands of `tokens` read as exactly `items`, or None."""
        args: list[Arg] = []
        return args if self._read(items, tokens, start, args) == len(tokens) else None

    def progress(self, shape: Shape, tokens: Sequence[Token]) -> tuple[int, int]:
        """Return how many tokens can be read as the beginning of `shape`, and how many of its items that are."""
        at = 1
        for done, item in enumerate(shape.items):
            following = self._read((item,), tokens, at, [])
            if following is None:
                return at, done
            at = following
        return at, len(shape.items)

    def _read(self, items: Sequence[Operand | str], tokens: Sequence[Token], at: int, args: list[Arg]) -> int | None:
        for number, item in enumerate(items):
            if isinstance(item, str):
                if self.lexis.dialect.zero_offsets and without_offset(items, number):
                    at += [token.text for token in tokens[at : at + 2]] == ["0", "("]
                if at >= len(tokens) or tokens[at].text != item:
                    return None
                at += 1
                continue
            found = self._operand(item, tokens, at)
            if found is None:
                return None
            value, end = found
            args.append(Arg(item, value, at, end - 1))
            at = end
        return at

    def _operand(self, operand: Operand, tokens: Sequence[Token], at: int) -> tuple[int | Expr, int] | None:
        kind = operand.kind
        if isinstance(kind, Imm):
            if kind.names and at < len(tokens) and tokens[at].text in kind.names:
                return kind.names[tokens[at].text], at + 1
            return parse(tokens, at, self.lexis)
        if at >= len(tokens):
            return None
        if isinstance(kind, Placeholder):
            for texts in self._placeholders[kind.name]:
                if tokens[at].text == texts[0] and [t.text for t in tokens[at : at + len(texts)]] == texts:
                    return 0, at + len(texts)
            return None
        index = self.lexis.registers[kind.name].get(tokens[at].text)
        return None if index is None else (index, at + 1)


def misfits(values: dict[str, int], shape: Shape) -> list[Operand]:
    """Return the operands of `shape` whose value is not legal."""
    return [
        operand
        for operand, low, high, align in shape.limits
        if not low <= values[operand.name] <= high or values[operand.name] % align
    ]
