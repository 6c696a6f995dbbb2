"""The fast path: most lines of a long program differ from earlier ones in their last operand only.

`S_ADDI_INT gp1, gp0, 4096` is cut at its last comma. What stands before (the head) is read once and gives the word
without its last operand; from then on a line with the same head costs a look-up, a number and a shift. Lines that were
seen before as a whole cost a look-up. Everything else goes to `Run.line`, which accepts the same language in general,
so this module only has to be right about what it accepts, never complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernelcraft_core.asm.lexis import Lexis
from kernelcraft_core.asm.shapes import Shape, Shapes
from kernelcraft_core.asm.source import blocks
from kernelcraft_core.isa import Imm, Placeholder, Reg
from kernelcraft_core.isa.definition import fits
from kernelcraft_core.isa.syntax import Operand

if TYPE_CHECKING:
    from kernelcraft_core.asm.engine import Run

_MAX_CACHED = 30_000
"""Entries kept per table: enough for what repeats, and little memory for what does not."""
_MAX_LINE = 200
_MAX_DATA = 10_000
_MAX_DIGITS = 18

Entry = tuple[int, int, Mapping[str, int] | None, int, int, int, "Tail"]
"""Word without the last operand, length, spelling -> bits (registers), lowest and highest number, shift, the rest."""


class Tail:
    """The last operand of a head in general: signed, split or relative immediates, and numbers in other notations."""

    def __init__(self, shape: Shape, operand: Operand, base: int) -> None:
        """`base` is the word without `operand`, the last one of `shape`."""
        assert shape.definition is not None
        self.definition = shape.definition
        self.operand = operand
        self.base = base

    def word(self, text: str, run: Run) -> int | None:
        """Return the whole word for an operand text, or None when it is not a number or a label defined above."""
        kind = self.operand.kind
        if not isinstance(kind, Imm) or not text:
            return None
        if text[0] == "-" and run.lexis.signed:
            size = run.lexis.integer(text[1:]) if "0" <= text[1:2] <= "9" else None
            value = None if size is None else -size
        elif "0" <= text[0] <= "9":
            value = run.lexis.integer(text)
        elif kind.relative and text in run.labels:
            value = run.labels[text] - run.out.address
        else:
            return None
        if value is None or not fits(kind, value):
            return None
        return self.base | self.definition.encoding.insert(self.operand.name, value)

    def may_wait_for(self, text: str, run: Run) -> bool:
        """Return whether an operand text is a symbol that is not defined yet, and a relative operand."""
        kind = self.operand.kind
        if not isinstance(kind, Imm) or not kind.relative or not run.dialect.labels:
            return False
        lexis = run.lexis
        return text != "." and lexis.is_word(text) and text not in lexis.reserved and text not in run.symbols.constants

    def late(self, address: int, here: int) -> int | None:
        """Return the whole word for a label at `address` seen from `here`, or None when it cannot be reached."""
        value = address - here
        if not fits(self.operand.kind, value):
            return None
        return self.base | self.definition.encoding.insert(self.operand.name, value)


class FastPath:
    """What one assembler has learned about heads and whole lines; it depends on the ISA and the dialect only."""

    def __init__(self, lexis: Lexis, shapes: Shapes) -> None:
        """Begin knowing nothing."""
        self.lexis = lexis
        self.shapes = shapes
        self.heads: dict[str, Entry | None] = {}
        self.seen: dict[str, tuple[int, int]] = {}

    def run(self, run: Run) -> None:
        """Assemble every line of `run`."""
        number = 0
        for block in blocks(run.text):
            self._block(run, block, number)
            number += block.count("\n") + 1

    def _block(self, run: Run, block: str, number: int) -> None:
        out, seen, ascii_only = run.out, self.seen, block.isascii()
        seen_get, heads_get = seen.get, self.heads.get
        words, numbers, emit = out.words.append, out.lines.append, out.emit
        mixed, labels = out.lengths is not None, run.dialect.labels
        markers = [marker for marker in run.dialect.comments if marker in block]
        marker = markers.pop(0) if markers else None
        room = max(0, _MAX_CACHED - len(seen))
        for line in block.split("\n"):
            number += 1
            code = line
            if marker is not None:
                cut = code.find(marker)
                if cut >= 0:
                    code = code[:cut]
                for other in markers:
                    cut = code.find(other)
                    if cut >= 0:
                        code = code[:cut]
            code = code.strip(" \t")
            hit = seen_get(code)
            if hit is not None:
                word, length = hit
            elif not code or (labels and code[-1] == ":" and self._label(run, code[:-1], number)):
                continue
            else:
                made = None
                head, _, tail = code.rpartition(", ")
                entry = heads_get(head)
                if entry is not None:
                    base, length, table, low, high, shift, _ = entry
                    if table is not None:
                        bits = table.get(tail)
                        if bits is not None:
                            made = base | bits
                    elif tail.isdigit() and len(tail) <= _MAX_DIGITS and (ascii_only or tail.isascii()):
                        value = int(tail)
                        if low <= value <= high:
                            made = base | value << shift
                if made is None:
                    hit = self._slow(run, line, code, number)
                    words, numbers = out.words.append, out.lines.append
                    mixed = out.lengths is not None
                    if hit is None:
                        continue
                    word, length = hit
                else:
                    word = made
                if room and len(code) <= _MAX_LINE:
                    seen[code] = (word, length)
                    room -= 1
            if mixed:
                emit(word, length, number)
            else:
                words(word)
                numbers(number)

    def _slow(self, run: Run, line: str, code: str, number: int) -> tuple[int, int] | None:
        """Return (word, length) of a line with odd blanks or another kind of last operand; None when it is done."""
        suffix = ""
        if code[-1] == ")":  # `lw x1, 4(x2)`: the number stands before the last bracket
            code, bracket, suffix = code.rpartition("(")
            suffix = bracket + suffix
        head, comma, tail = code.rpartition(",")
        if comma:
            head, tail = head.rstrip(" \t"), tail.strip(" \t")
            key = f"{head}\n{suffix}" if suffix else head
            entry = self.heads[key] if key in self.heads else self._learn(key, head, suffix)
            if entry is not None:
                hit = self._finish(entry, tail, run, number)
                if hit is not None:
                    return hit if hit[1] else None
        if code[:1] == "." and not suffix and self._data(run, code, number):
            return None
        code += suffix
        if run.line(line, number) and len(code) <= _MAX_LINE and len(self.seen) < _MAX_CACHED:
            out = run.out
            self.seen[code] = (out.words[-1], out.lengths[-1] if out.lengths is not None else out.unit)
        return None

    def _finish(self, entry: Entry, text: str, run: Run, number: int) -> tuple[int, int] | None:
        """Return (word, length), None when the operand needs more than this, length 0 when the item is stored."""
        base, length, table, _, _, _, tail = entry
        if table is not None:
            bits = table.get(text)
            return None if bits is None else (base | bits, length)
        word = tail.word(text, run)
        if word is not None and text[0] in "-0123456789":
            return word, length
        if word is None:
            if not tail.may_wait_for(text, run):
                return None
            run.wait(number, tail, text)
        run.out.emit(word or 0, length, number)  # a label: the word depends on the address
        return 0, 0

    def _label(self, run: Run, name: str, number: int) -> bool:
        """Define a label that stands alone on its line; return False when that needs a closer look."""
        if len(name) > _MAX_LINE or not ((name.isascii() and name.isidentifier()) or self.lexis.is_word(name)):
            return False
        return run.symbols.plain_label(name, run.out.address, number)

    def _data(self, run: Run, code: str, number: int) -> bool:
        """Store the plain numbers of a data directive; return False when that needs a closer look."""
        name, blank, rest = code.partition(" ")
        size = run.assembler.data_sizes.get(name)
        if size is None or not blank or len(rest) > _MAX_DATA:
            return False
        values = []
        for text in rest.split(","):
            text = text.strip(" \t")
            value = self.lexis.integer(text)
            if value is None or value >> (8 * size):
                return False
            values.append(value)
        for value in values:
            run.out.emit(value, size, number, data=True)
        return True

    def _learn(self, key: str, head: str, suffix: str) -> Entry | None:
        """Return what a head stands for, and remember it; None when its lines need a closer look."""
        if len(self.heads) >= _MAX_CACHED:
            self.heads.clear()
        if len(key) > _MAX_LINE:
            return None
        entry = self.heads[key] = self._read(head, suffix)
        return entry

    def _read(self, head: str, suffix: str) -> Entry | None:
        tokens, rest = self.lexis.tokens(head), self.lexis.tokens(suffix)
        if self.lexis.illegal.search(head + suffix) or not tokens or tokens[0].kind != "word":
            return None
        found = []
        for shape in self.shapes.of.get(tokens[0].text, ()):
            items = shape.items
            comma = max((at for at, item in enumerate(items) if item == ","), default=-1)
            last = items[comma + 1] if 0 <= comma < len(items) - 1 else None
            if not isinstance(last, Operand) or (suffix and not isinstance(last.kind, Imm)):
                continue
            args = self.shapes.read_items(items[:comma], tokens)
            more = self.shapes.read_items(items[comma + 2 :], rest, 0)
            if args is not None and more is not None:
                found.append((shape, last, args + more))
        if len(found) != 1:
            return None
        shape, operand, args = found[0]
        values = dict(shape.defaults)
        for arg in args:
            if not isinstance(arg.value, int):
                return None
            values[arg.operand.name] = arg.value
        definition = shape.definition
        if definition is None or any(
            not fits(a.operand.kind, values[a.operand.name]) for a in args if isinstance(a.operand.kind, Reg | Imm)
        ):
            return None
        return self._entry(shape, operand, shape.word(values), definition.length)

    def _entry(self, shape: Shape, operand: Operand, base: int, length: int) -> Entry | None:
        assert shape.definition is not None
        encoding, kind = shape.definition.encoding, operand.kind
        tail = Tail(shape, operand, base)
        if isinstance(kind, Placeholder):
            return base, length, dict.fromkeys(kind.spellings, 0), 1, 0, 0, tail
        if isinstance(kind, Reg):
            registers = self.lexis.registers[kind.name]
            bits = {text: encoding.insert(operand.name, index) for text, index in registers.items()}
            return base, length, bits, 1, 0, 0, tail
        pieces = encoding.by_operand[operand.name]
        plain = len(pieces) == 1 and pieces[0].src == 0 and pieces[0].width == kind.bits and kind.align == 1
        if not plain or self.lexis.dialect.octal:
            return base, length, None, 1, 0, 0, tail
        return base, length, None, max(0, kind.low), kind.high, pieces[0].dst, tail
