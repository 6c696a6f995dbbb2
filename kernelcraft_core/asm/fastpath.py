"""The fast path: most lines of a long program differ from earlier ones in their last operand only.

`S_ADDI_INT gp1, gp0, 4096` is cut at its last comma. What stands before (the head) is read once and gives the word
without its last operand; from then on a line with the same head costs a look-up, a number and a shift. Lines that were
seen before as a whole cost a look-up. Everything else goes to `Run.line`, which accepts the same language in general,
so this module only has to be right about what it accepts, never complete.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernelcraft_core.asm.lexis import Lexis
from kernelcraft_core.asm.pseudo import Hole, Template, fill
from kernelcraft_core.asm.shapes import Shape, Shapes
from kernelcraft_core.asm.source import blocks
from kernelcraft_core.isa import Imm, Placeholder, Reg, ir
from kernelcraft_core.isa.definition import fits
from kernelcraft_core.isa.syntax import Operand

if TYPE_CHECKING:
    from kernelcraft_core.asm.engine import Run

_MAX_CACHED = 30_000
"""Entries kept per table: enough for what repeats, and little memory for what does not."""
_MAX_LINE = 200
_MAX_DATA = 10_000
_MAX_DIGITS = 18

_ALONE = " "
"""Stands for the suffix of an operand that is the only one: `j label`."""
_ONE_OPERAND = re.compile(r"([A-Za-z_][\w.]*)[ \t]+([^ \t]+)", re.ASCII)

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
        elif kind.relative and text in run.labels and run.symbols.weight == 1:
            value = run.labels[text] - run.out.address
        else:
            return None
        if value is None or not fits(kind, value):
            return None
        return self.base | self.definition.encoding.insert(self.operand.name, value)

    def may_wait_for(self, text: str, run: Run) -> bool:
        """Return whether an operand text is a symbol that is not defined yet, and a relative operand."""
        kind = self.operand.kind
        if not isinstance(kind, Imm) or not kind.relative or not run.dialect.labels or run.symbols.weight != 1:
            return False
        if run.dialect.numeric_labels and "@" in text:
            return True
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
        self.several: dict[str, list[tuple[int, int]]] = {}  # lines that stand for any number of instructions

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
        quoted = run.dialect.strings and ('"' in block or "'" in block)
        octal = run.dialect.octal
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
            if quoted and ('"' in code or "'" in code):
                if code[0] != "." or not self._ignored(run, code):
                    run.line(line, number)
                    out = run.out
                    words, numbers, emit, mixed = out.words.append, out.lines.append, out.emit, out.lengths is not None
                continue
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
                        if low <= value <= high and (not octal or tail[0] != "0" or value == 0):
                            made = base | value << shift
                if made is None:
                    hit = self._slow(run, line, code, number)
                    out = run.out
                    words, numbers, emit = out.words.append, out.lines.append, out.emit
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
        items = self.several.get(code)
        if items is not None:
            run.number = number
            run.put(items)
            return None
        if code[0] == "." and self._ignored(run, code):
            return None
        suffix, whole = "", code
        if code[-1] == ")":  # `lw x1, 4(x2)`: the number stands before the last bracket
            code, bracket, suffix = code.rpartition("(")
            suffix = bracket + suffix
        head, comma, tail = code.rpartition(",")
        if not comma and not suffix and (m := _ONE_OPERAND.fullmatch(code)):
            head, comma, tail, suffix = m[1], " ", m[2], _ALONE
        if comma:
            head, tail = head.rstrip(" \t"), tail.strip(" \t")
            key = f"{head}\n{suffix}" if suffix else head
            entry = self.heads[key] if key in self.heads else self._learn(key, head, suffix)
            if entry is not None:
                if tail[-1:] in ("b", "f") and run.dialect.numeric_labels and tail[:-1].isdecimal():
                    tail = run.symbols.numeric(tail, (number, 0))
                hit = self._finish(entry, tail, run, number)
                if hit is not None:
                    return hit if hit[1] else None
        if code[:1] == "." and suffix in ("", _ALONE) and self._data(run, code, number):
            return None
        size, place = len(run.out.words), run.out
        if run.line(line, number) and len(whole) <= _MAX_LINE and run.out is place:
            lengths = place.lengths
            made = [
                (place.words[i], lengths[i] if lengths is not None else place.unit)
                for i in range(size, len(place.words))
            ]
            if len(made) == 1 and len(self.seen) < _MAX_CACHED:
                self.seen[whole] = made[0]
            elif len(made) > 1 and len(self.several) < _MAX_CACHED:
                self.several[whole] = made
        return None

    def _ignored(self, run: Run, code: str) -> bool:
        """Return whether a line is a directive that means nothing here, and nothing else."""
        ignored = run.dialect.ignored
        return bool(ignored) and ";" not in code and run.dialect.ignores(code.partition(" ")[0].partition("\t")[0])

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
        if run.dialect.numeric_labels and name.isdecimal() and name.isascii() and len(name) < 10:
            run.symbols.numeric_label(name, run.out.address, (number, 0))
            return True
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
        """Return what the head of lines stands for; `suffix` is what follows the last operand, or says there is one."""
        alone = suffix == _ALONE
        tokens, rest = self.lexis.tokens(head), [] if alone else self.lexis.tokens(suffix)
        if self.lexis.illegal.search(head + suffix) or not tokens or tokens[0].kind != "word":
            return None
        found = []
        for shape in self.shapes.of.get(tokens[0].text, ()):
            items = shape.items
            comma = max((at for at, item in enumerate(items) if item == ","), default=-1)
            last = items[comma + 1] if comma < len(items) - 1 else None
            if alone != (comma < 0 and len(items) == 1):
                continue
            if not isinstance(last, Operand) or (suffix and not alone and not isinstance(last.kind, Imm)):
                continue
            args = self.shapes.read_items(items[: max(0, comma)], tokens)
            more = self.shapes.read_items(items[comma + 2 :], rest, 0)
            if args is not None and more is not None:
                found.append((shape, last, args + more))
        if len(found) > 1:  # a register is never taken for anything else
            found = [entry for entry in found if isinstance(entry[1].kind, Reg)]
        if len(found) != 1:
            return None
        shape, operand, args = found[0]
        if any(isinstance(k, Imm) and k.numbers != "distance" for k in (operand.kind, *(a.operand.kind for a in args))):
            return None  # what a number means there depends on the address
        values = dict(shape.defaults)
        for arg in args:
            if not isinstance(arg.value, int):
                return None
            values[arg.operand.name] = arg.value
        if any(not fits(a.operand.kind, values[a.operand.name]) for a in args if isinstance(a.operand.kind, Reg | Imm)):
            return None
        if shape.template is not None:
            return self._behind(shape.template, operand, values)
        assert shape.definition is not None
        return self._entry(shape, operand, shape.word(values), shape.definition.length)

    def _behind(self, template: Template, operand: Operand, values: Mapping[str, int]) -> Entry | None:
        """Return the entry of the instruction that a pseudo-instruction is but for its last operand, or None."""
        *before, hole, end = template.lines[0] if len(template.lines) == 1 else (0, 0)
        if template.when is not None or end != "" or not isinstance(hole, Hole) or not isinstance(operand.kind, Imm):
            return None
        if (
            not isinstance(hole.value, ir.OperandRef)
            or hole.value.name != operand.name
            or template.uses(before, operand.name)
        ):
            return None
        line = "".join(fill(part, values, 0) for part in before)
        entry = self._read(line.rpartition(",")[0], "")
        return entry if entry is not None and entry[-1].operand.kind == operand.kind else None

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
        if not plain:
            return base, length, None, 1, 0, 0, tail
        return base, length, None, max(0, kind.low), kind.high, pieces[0].dst, tail
