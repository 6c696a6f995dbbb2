"""`Assembler`: source text to `Program`, in one pass with places filled in at the end where a symbol comes later."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

import attrs

from kernelcraft_core.asm import source as text_source
from kernelcraft_core.asm.dialect import Dialect
from kernelcraft_core.asm.directives import available, missing
from kernelcraft_core.asm.explain import Explainer
from kernelcraft_core.asm.expressions import Expr, Problem, Unpaired, Unresolved, problem
from kernelcraft_core.asm.fastpath import FastPath, Tail
from kernelcraft_core.asm.findings import Findings, Stop, bounded
from kernelcraft_core.asm.lexis import Lexis, Token
from kernelcraft_core.asm.output import MAX_BYTES, Output
from kernelcraft_core.asm.recursion import check_pseudos
from kernelcraft_core.asm.sections import Placed, Sections
from kernelcraft_core.asm.shapes import Shapes
from kernelcraft_core.asm.statements import Encoder
from kernelcraft_core.asm.symbols import Symbols
from kernelcraft_core.diagnostics import ERROR, MAX_DIAGNOSTICS, Diagnostic, IsaError, Span, did_you_mean, printable
from kernelcraft_core.isa import Isa, Program

_SECTION = 40
_ITEM = (1 << _SECTION) - 1
"""A waiting item is known by the number of its section, from bit 40 up, and its own."""

Check = Callable[[Program, Isa], Iterable[Diagnostic]]
"""A check of a whole program; what it returns counts as found by the assembler."""


class Assembler:
    """An assembler for one ISA in one dialect; it may be used for any number of programs.

    Args:
        isa: the instruction set.
        dialect: how source text is written.
        checks: called with each program that was encoded; errors among what they return make assembling fail.

    Raises:
        IsaError: KC0240 a pseudo-instruction stands for itself or for something that is no instruction, KC0244 words
            and addresses do not go together.
    """

    def __init__(self, isa: Isa, dialect: Dialect | None = None, checks: Sequence[Check] = ()) -> None:
        """Prepare everything that does not depend on a program."""
        self.isa = isa
        self.dialect = dialect if dialect is not None else Dialect()
        self.checks = tuple(checks)
        self.lexis = Lexis(isa, self.dialect)
        self.shapes = Shapes(isa, self.lexis)
        self.explainer = Explainer(isa, self.dialect, self.lexis, self.shapes)
        self.directives = {name: d for d in available(isa, self.dialect) for name in d.names}
        lengths = {definition.length for definition in isa} or {isa.width // 8}
        self.lengths = sorted(lengths)
        if any(length % isa.pc_unit for length in lengths):
            message = f"words of {self.lengths} bytes are not a whole number of addresses of {isa.pc_unit} bytes"
            raise IsaError(Diagnostic("KC0244", f"{isa.name}: {message}"))
        check_pseudos(self.shapes, self.lexis)
        self.fast = FastPath(self.lexis, self.shapes)
        self.data_sizes = {
            name: d.size(isa)
            for name, d in self.directives.items()
            if d.size is not None and d.size(isa) % isa.pc_unit == 0
        }
        self.padding = self._padding()

    def _padding(self) -> tuple[int, int] | None:
        if not self.dialect.padding:
            return None
        encoder = Encoder(self.lexis, self.shapes, self.explainer, Symbols(self.lexis))
        (item,) = encoder.encode(self.lexis.tokens(self.dialect.padding), 0, late=False)
        return item

    def grammar(self) -> str:
        """Return the reference grammar of a line as Lark text."""
        return self.explainer.grammar()

    def assemble(self, source: str | bytes | bytearray, filename: str = "<input>", *, base: int = 0) -> Program:
        """Return the program that `source` describes.

        Args:
            source: text, or bytes in UTF-8.
            filename: its name, for messages.
            base: address of the first instruction, 0..2**62, unless `.org` says otherwise.

        Raises:
            AssemblyError: up to 20 findings in order of place (see the package's table of codes).
        """
        text = text_source.read(source, filename)
        code = text
        if self.dialect.block_comments:
            code = text_source.without_block_comments(text, self.dialect.comments, filename)
        program = Run(self, text, code, filename, base).program()
        found = [d for check in self.checks for d in check(program, self.isa)]
        errors = sorted((d for d in found if d.severity == ERROR), key=lambda d: (d.line or 0, d.column or 0))
        findings = Findings()
        try:
            for error in errors:
                findings.add(error)
        except Stop:
            pass
        findings.fail()
        return attrs.evolve(program, diagnostics=tuple(bounded(found))) if found else program


class Run:
    """The state of assembling one text."""

    def __init__(self, assembler: Assembler, whole: str, text: str, filename: str, base: int) -> None:
        """Start with an empty program at address `base`; `text` is `whole` without block comments."""
        self.assembler = assembler
        self.isa = assembler.isa
        self.dialect = assembler.dialect
        self.lexis = assembler.lexis
        self.text = text
        self.filename = filename
        areas = self.dialect.areas
        self.sections = Sections(areas, self._output, base or None if areas else base)
        self.out = self.sections.code.out
        self.source = text_source.SourceLines(whole)
        self.lines = self.source if whole is text else text_source.SourceLines(text)
        self.symbols = Symbols(self.lexis)
        self.encoder = Encoder(self.lexis, assembler.shapes, assembler.explainer, self.symbols)
        self.findings = Findings()
        self.exported: dict[str, tuple[int, int]] = {}
        self.late = False
        self.number = 0
        self._part = 0
        self._index = 0  # where `put` stores late results
        self._waiting = (array("Q"), array("Q"), array("Q"))  # section and item, line, statement of the line
        self._plain: dict[int, tuple[Tail, str]] = {}  # item -> how to finish it when all that is missing is a label

    def _output(self, base: int, code: bool) -> Output:
        lengths = self.assembler.lengths
        unit = lengths[0] if len(lengths) == 1 else self.isa.width // 8
        return Output(base, unit, self.isa.pc_unit, 8 * lengths[-1], uniform=code and len(lengths) == 1)

    # -- the whole ----------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        """Assemble everything."""
        try:
            self.assembler.fast.run(self)
            self._lay_out()
            self._settle()
            self._fill_in()
        except Stop:
            pass
        self.findings.fail()
        out = self.sections.code.out
        if self.dialect.areas and len(self.assembler.lengths) == 1:
            out, crooked = out.in_words()
            if crooked is not None:
                self.number = crooked
                message = f"an instruction stands at an address that is not a multiple of {out.unit}"
                self.report(problem("KC0236", message, 1, 1, "put .balign 4 behind the data").diagnostic)
                self.findings.fail()
        entry = next((self.symbols.labels[n] for n in self.dialect.entry if n in self.symbols.labels), None)
        if entry is None:
            first = None if self.dialect.areas else out.first_code
            entry = out.base if first is None else out.address_of(first)
        return Program(
            self.isa.name,
            self.isa.digest,
            out.words,
            out.addresses,
            out.lines,
            unit=out.unit,
            pc_unit=out.pc_unit,
            lengths=out.lengths,
            entry=entry,
            symbols=self._named() if self.dialect.numeric_labels else self.symbols.labels,
            filename=self.filename,
            source=self.source,
            data_items=frozenset(out.data),
            data=self.sections.data(),
        )

    def _named(self) -> dict[str, int]:
        return {name: address for name, address in self.symbols.labels.items() if "@" not in name}

    def report(self, found: Diagnostic) -> None:
        """Note an error on the current line."""
        text = self.source[self.number - 1]
        span = found.span or Span("", 0)
        self.findings.add(found.at(Span(self.filename, self.number, max(1, span.column), span.length, text)))

    def _lay_out(self) -> None:
        """Give the sections their places, when all sizes are known."""
        if not self.dialect.areas:
            return
        self.symbols.place(self.sections.place())
        for number, finding in self.sections.overflows():
            self.number = number
            self.report(finding)

    def section(self, name: str, column: int) -> None:
        """Go on in another section."""
        self.enter(self.sections.switch(name, column))

    def enter(self, placed: Placed) -> None:
        """Go on in a section that there is already."""
        self.sections.now = placed
        self.out, self.symbols.weight = placed.out, placed.weight

    def _settle(self) -> None:
        """Give constants that refer to later symbols their values."""
        for number, finding in self.symbols.settle():
            self.number = number
            self.report(finding)
        for name, (number, column) in self.exported.items():
            if not self.symbols.known(name) and not self.dialect.areas:
                self.number = number
                self.report(self.assembler.explainer.undefined(name, column, self.symbols.labels).diagnostic)

    def _fill_in(self) -> None:
        """Assemble the statements again that referred to symbols further down."""
        self.late = True
        labels = self.symbols.labels
        again: list[tuple[int, int, int]] = []
        for key, number, part in zip(*self._waiting, strict=True):
            if key in self._plain:
                tail, name = self._plain[key]
                self.out = self.sections.all[key >> _SECTION].out
                index = key & _ITEM
                word = tail.late(labels[name], self.out.address_of(index)) if name in labels else None
                if word is not None:
                    self.out.patch(index, word)
                    continue
            if not self._finish(key, number, part, last=False):
                again.append((key, number, part))
        for key, number, part in again:
            self._finish(key, number, part, last=True)

    def _finish(self, key: int, number: int, part: int, *, last: bool) -> bool:
        """Assemble one statement again; return False when it needs another one first, which may be further down."""
        self.number, self._part, self._index = number, part, key & _ITEM
        self.out = self.sections.all[key >> _SECTION].out
        line = self.lines[number - 1]
        try:
            statements = self._split(self.lexis.tokens(self.lexis.code(line)))
            tokens = self._resolve(statements[part], part)
            self._statement(tokens[self._labels(tokens) :], self.out.address_of(self._index))
        except Problem as error:
            self.report(error.diagnostic)
        except Unpaired as missing:
            if not last:
                return False
            hint = f"name the label that stands before the instruction with {missing.of}"
            message = f"{missing.name} needs the label of an instruction with {missing.of}"
            self.report(problem("KC0228", message, missing.column, len(missing.name), hint).diagnostic)
        except Unresolved as missing:
            if missing.name not in self.symbols.broken:
                known = self.symbols.labels if missing.name != "." else {}
                self.report(self.assembler.explainer.undefined(missing.name, missing.column, known).diagnostic)
        return True

    # -- one line -----------------------------------------------------------------------------------------------------

    def line(self, line: str, number: int) -> bool:
        """Assemble one line of any form; return whether it holds instructions only that would be the same anywhere."""
        self.number = number
        try:
            return self._line(line)
        except Problem as error:
            self.report(error.diagnostic)
            return False

    def _line(self, line: str) -> bool:
        code = self.lexis.code(line)
        if len(code) > text_source.MAX_STATEMENT:
            message = f"the line is {len(code)} characters long; at most {text_source.MAX_STATEMENT} are allowed"
            raise problem("KC0212", message, text_source.MAX_STATEMENT + 1)
        if m := self.lexis.stray(code):
            message = f"the character {text_source.name_of(m[0])} may only stand in comments"
            hint = "replace it by a blank" if m[0].isspace() else None
            raise problem("KC0210", message, m.start() + 1, 1, hint)
        tokens = self.lexis.tokens(code)
        if not tokens:
            return False
        statements = self._split(tokens)
        if len(statements) == 1:
            return self._part_of_line(tokens, 0)
        for part, statement in enumerate(statements):
            if statement:
                self._part_of_line(statement, part)
        return False

    def _split(self, tokens: list[Token]) -> list[list[Token]]:
        separator = self.dialect.separator
        if separator is None:
            return [tokens]
        out: list[list[Token]] = [[]]
        for token in tokens:
            if token.text == separator:
                out.append([])
            else:
                out[-1].append(token)
        return out

    def _labels(self, tokens: Sequence[Token]) -> int:
        """Return how many tokens at the beginning are labels."""
        at = 0
        kinds = ("word", "int") if self.dialect.numeric_labels else ("word",)
        if self.dialect.labels:
            while at + 1 < len(tokens) and tokens[at + 1].text == ":" and tokens[at].kind in kinds:
                at += 2
        return at

    def _resolve(self, tokens: list[Token], part: int) -> list[Token]:
        """Return the tokens with the names of the labels that `1b` and `1f` mean."""
        if not any(token.kind == "local" for token in tokens):
            return tokens
        place = (self.number, part)
        return [
            Token("word", self.symbols.numeric(t.text, place), t.column) if t.kind == "local" and at else t
            for at, t in enumerate(tokens)
        ]

    def _part_of_line(self, tokens: list[Token], part: int) -> bool:
        self._part = part
        start = self._labels(tokens)
        for token in tokens[:start:2]:
            self.label(token.text, token.column)
        if start == len(tokens):
            return False
        rest = tokens[start:] if start else tokens
        if self.dialect.numeric_labels:
            rest = self._resolve(rest, part)
        try:
            return self._statement(rest, self.out.address) and not start
        except Unresolved:
            lengths = self.encoder.reserve(rest, self.out.address)
            self.put([(0, length) for length in lengths], waiting=True)
            return False

    def _statement(self, tokens: Sequence[Token], here: int) -> bool:
        self.encoder.here = here
        first = tokens[0]
        if len(tokens) > 1 and tokens[1].text == "=" and first.kind == "word" and self.dialect.constants:
            self._assignment(tokens)
            return False
        directive = self.assembler.directives.get(first.text)
        if directive is not None:
            directive.handler(self, tokens)
            return False
        if first.text.startswith(".") and self.dialect.directives:
            if self.dialect.ignores(first.text):
                return False
            if reason := missing(first.text, self.isa):
                raise problem("KC0226", f"{first.text}: {reason}", first.column, len(first.text))
            hint = did_you_mean(first.text, self.assembler.directives)
            raise problem("KC0230", f"unknown directive {printable(first.text)!r}", first.column, len(first.text), hint)
        items = self.encoder.encode(tokens, here, late=self.late)
        self.put(items)
        return self.encoder.fixed

    def wait(self, number: int, tail: Tail, name: str) -> None:
        """Note that the next item, from line `number`, waits for the label `name` only."""
        key = self._key()
        self._plain[key] = (tail, name)
        for store, value in zip(self._waiting, (key, number, 0), strict=True):
            store.append(value)

    def _key(self) -> int:
        """Return the number of the next item, with that of its section."""
        return self.sections.now.number << _SECTION | len(self.out.words)

    # -- what statements do -------------------------------------------------------------------------------------------

    @property
    def labels(self) -> dict[str, int]:
        """Label -> address, of those defined so far."""
        return self.symbols.labels

    def put(self, items: Sequence[tuple[int, int]], *, data: bool = False, waiting: bool = False) -> None:
        """Append (word, length) items, or fill in those of the statement that waited for a symbol."""
        out = self.out
        if self.late:
            have = [out.lengths[i] if out.lengths is not None else out.unit for i in self._span(len(items))]
            if have != [length for _, length in items]:
                raise problem("KC0243", "the statement has another length than was left for it", 1)
            for index, (word, _) in zip(self._span(len(items)), items, strict=True):
                out.patch(index, word)
            return
        if waiting:
            for store, value in zip(self._waiting, (self._key(), self.number, self._part), strict=True):
                store.append(value)
        for word, length in items:
            out.emit(word, length, self.number, data=data)

    def _span(self, count: int) -> range:
        return range(self._index, min(self._index + count, len(self.out.words)))

    def value(self, value: Expr | int) -> tuple[int, int]:
        """Return the value of an operand and whether it is an address.

        Raises:
            Unresolved: a symbol in it has no value yet.
        """
        return (value, 0) if isinstance(value, int) else self.encoder.value(value)

    def label(self, name: str, column: int) -> None:
        """Define a label here."""
        if name.isdecimal():
            self.symbols.numeric_label(name, self.out.address, (self.number, self._part))
            return
        self.symbols.label(name, column, self.out.address, self.number)

    def constant(self, token: Token, value: Expr | int) -> None:
        """Define a constant."""
        self.symbols.constant(token, value, self.encoder.here, self.number)

    def _assignment(self, tokens: Sequence[Token]) -> None:
        from kernelcraft_core.asm.expressions import parse

        found = parse(tokens, 2, self.lexis)
        if found is None or found[1] != len(tokens):
            place = tokens[-1] if found is None else tokens[found[1]]
            message = f"the value of {printable(tokens[0].text)!r} cannot be read"
            raise problem("KC0231", message, place.column, len(place.text), "usage: name = value")
        self.constant(tokens[0], found[0])

    def align(self, unit: int, column: int, fill: int | None = None, most: int | None = None) -> None:
        """Go to the next multiple of `unit` bytes, unless that takes more than `most`; `fill` is the byte in the gap."""
        out, section = self.out, self.sections.now
        missing = -(out.address * out.pc_unit) % unit
        if most is not None and missing > most:
            return
        section.align = max(section.align, unit)
        if fill:
            self.fill(missing, fill, column)
            return
        padding = self.assembler.padding if section is self.sections.code and fill is None else None
        if padding is not None and self.dialect.areas and (odd := missing % padding[1]):
            out.gap(odd, self.number, column)
            missing -= odd
        if padding is not None and missing % padding[1] == 0 and missing // padding[1] <= MAX_DIAGNOSTICS * 1000:
            self.put([padding] * (missing // padding[1]))
        elif missing:
            out.gap(missing, self.number, column)

    def fill(self, count: int, byte: int, column: int) -> None:
        """Append `count` times the same byte."""
        if not byte or count > MAX_BYTES - self.out.size:
            self.out.gap(count, self.number, column)
        elif count:
            self.out.emit(int.from_bytes(bytes((byte,)) * count, "little"), count, self.number, data=True)
