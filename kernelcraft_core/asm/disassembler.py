"""`Disassembler`: words back to the text that assembles to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from kernelcraft_core.asm.dialect import Dialect
from kernelcraft_core.asm.engine import Assembler
from kernelcraft_core.diagnostics import MAX_DIAGNOSTICS, AssemblyError, Diagnostic
from kernelcraft_core.isa import Decoded, Imm, Isa, Placeholder, Reg
from kernelcraft_core.isa.definition import fits
from kernelcraft_core.isa.syntax import Operand

_DATA = {1: ".byte", 2: ".half", 4: ".long", 8: ".quad"}


@frozen
class _Item:
    """A word, its place, and what it is (None: data)."""

    word: int
    length: int
    address: int
    decoded: Decoded | None


class Disassembler:
    """A disassembler for one ISA in one dialect: what it prints, the assembler of the same two reads back unchanged."""

    def __init__(self, isa: Isa, dialect: Dialect | None = None) -> None:
        """Raises IsaError as `Assembler` does."""
        self.isa = isa
        self.assembler = Assembler(isa, dialect)
        self.dialect = self.assembler.dialect
        self._lexis = self.assembler.lexis
        self._lengths = self.assembler.lengths
        self._data = self.dialect.directives and isa.words
        shared = [definitions for m in isa.mnemonics if len(definitions := isa.with_mnemonic(m)) > 1]
        self._ambiguous = frozenset(definition.name for definitions in shared for definition in definitions)

    # -- one word -----------------------------------------------------------------------------------------------------

    def line(self, word: int, address: int = 0) -> str:
        """Return the text of one word; relative operands are numbers.

        Raises:
            AssemblyError: KC0250 it is no instruction, KC0251 a reserved encoding, KC0253 it cannot be written; and the
                dialect or the ISA has no data directive to write it with.
        """
        item = self._item(word, address, 0)
        return self._text(item, 0, {})

    def _item(self, word: int, address: int, index: int, length: int | None = None) -> _Item:
        """Recognise a word; `length` is how long it is when it is data."""
        decoded = self._decode(word)
        if decoded is not None:
            return _Item(word, decoded.definition.length, address, decoded)
        size = length if length is not None else self.isa.width // 8
        if not self._data or word >> (8 * size) or word < 0 or self._directive(size) is None:
            raise AssemblyError(self._refuse(word, index, size))
        return _Item(word, size, address, None)

    def _decode(self, word: int) -> Decoded | None:
        if word < 0:
            return None
        decoded = self.isa.decode(word, strict=True, available=max(8, self._lengths[-1] * 8))
        if decoded is None or word >> decoded.definition.encoding.width or self._written(decoded, None) is None:
            return None
        if decoded.definition.name in self._ambiguous and not self._reads_back(decoded, word):
            return None
        return decoded

    def _reads_back(self, decoded: Decoded, word: int) -> bool:
        """Return whether the text means this word, where several instructions share the mnemonic."""
        text = self._written(decoded, None)
        assert text is not None
        try:
            return list(self.assembler.assemble(text).words) == [word]
        except AssemblyError:
            return False

    def _refuse(self, word: int, index: int, length: int) -> Diagnostic:
        shown = f"0x{word & ((1 << max(8, word.bit_length())) - 1):0{2 * length}X}" if word >= 0 else str(word)
        where = f"word {index}: {shown}"
        definition = self.isa.match(word, self._lengths[-1] * 8) if word >= 0 else None
        if definition is None or word >> definition.encoding.width:
            return Diagnostic("KC0250", f"{where} is no instruction of {self.isa.name}")
        if self.isa.decode(word, strict=True) is not None:
            return Diagnostic("KC0253", f"{where} ({definition.name}) has no text of its own in this dialect")
        what = f"{where} is a reserved encoding of {definition.name}"
        if stray := word & definition.encoding.reserved:
            bits = ", ".join(str(bit) for bit in range(definition.encoding.width) if stray >> bit & 1)
            return Diagnostic("KC0251", f"{what}: bit {bits} must be 0")
        wrong = [f"{n} = {v}" for n, v in definition.extract(word).items() if not fits(definition.operands[n], v)]
        return Diagnostic("KC0251", f"{what}: {', '.join(wrong)} is not legal")

    # -- text ---------------------------------------------------------------------------------------------------------

    def _directive(self, size: int) -> str | None:
        return ".word" if size == self.isa.width // 8 else _DATA.get(size)

    def _text(self, item: _Item, index: int, labels: Mapping[int, str]) -> str:
        if item.decoded is None:
            return f"{self._directive(item.length)} 0x{item.word:0{2 * item.length}X}"
        text = self._written(item.decoded, {n: labels[t] for n, t in self._targets(item).items() if t in labels})
        assert text is not None
        return text

    def _written(self, decoded: Decoded, symbols: Mapping[str, str] | None) -> str | None:
        """Return the canonical text, symbols in place of relative operands, or None when a register has no name."""
        form = decoded.definition.forms[0]
        out = form.mnemonic
        glue = " "
        for item in form.items:
            if isinstance(item, str):
                out += item if item == "," else glue + item
                glue = " " if item == "," else ""
                continue
            text = self._operand(item, decoded.operands, symbols or {})
            if text is None and item.default is not None and item.default == decoded.operands[item.name]:
                return out.removesuffix(",")  # it has no spelling: what follows has none either
            if text is None:
                return None
            out += glue + text
            glue = ""
        return out

    def _operand(self, operand: Operand, values: Mapping[str, int], symbols: Mapping[str, str]) -> str | None:
        kind = operand.kind
        if isinstance(kind, Placeholder):
            return kind.spellings[0]
        if isinstance(kind, Reg):
            return self._lexis.canonical(kind, values[operand.name])
        if (named := next((n for n, v in kind.names.items() if v == values[operand.name]), None)) is not None:
            return named
        return symbols.get(operand.name) or str(values[operand.name])

    def _targets(self, item: _Item) -> dict[str, int]:
        """Return relative operand -> the address it names."""
        if item.decoded is None or item.decoded.definition.name in self._ambiguous:
            return {}  # which of several instructions a label stands for would depend on where it is defined
        operands = item.decoded.definition.operands
        return {
            name: item.address + item.decoded.operands[name]
            for name, kind in operands.items()
            if isinstance(kind, Imm) and kind.relative
        }

    # -- programs -----------------------------------------------------------------------------------------------------

    def disassemble(self, code: Sequence[int] | bytes, base: int = 0) -> str:
        """Return the text of a program that begins at address `base`, one line per word.

        `code` is bytes, read little-endian, or words. A word that is no instruction becomes a `.word` where the dialect
        and the ISA have it. Targets of relative operands get labels where the dialect has them.

        Raises:
            AssemblyError: up to 20 findings, each naming the word and its index: KC0250 no instruction, KC0251 a
                reserved encoding, KC0252 the bytes end within a word, KC0253 an instruction that cannot be written.
        """
        if isinstance(code, bytes | bytearray):
            items = self._from_bytes(bytes(code), base)
        else:
            items = self._from_words(code, base)
        labels: dict[int, str] = {}
        if self.dialect.labels:
            starts = {item.address for item in items}
            if items:
                starts.add(items[-1].address + items[-1].length // self.isa.pc_unit)
            targets = {t for item in items for t in self._targets(item).values() if t in starts}
            labels = {target: f"L_{target:04x}" for target in sorted(targets)}
        out: list[str] = []
        if base and self.dialect.directives:
            out.append(f".org {base}")
        for index, item in enumerate(items):
            if item.address in labels:
                out.append(f"{labels[item.address]}:")
            out.append(("    " if labels else "") + self._text(item, index, labels))
        if items and (end := items[-1].address + items[-1].length // self.isa.pc_unit) in labels:
            out.append(f"{labels[end]}:")
        return "".join(f"{line}\n" for line in out)

    def _from_words(self, words: Sequence[int], base: int) -> list[_Item]:
        items: list[_Item] = []
        findings: list[Diagnostic] = []
        address = base
        for index, word in enumerate(words):
            try:
                item = self._item(int(word), address, index)
            except AssemblyError as error:
                findings += error.diagnostics
                if len(findings) >= MAX_DIAGNOSTICS:
                    break
                continue
            items.append(item)
            address += item.length // self.isa.pc_unit
        if findings:
            raise AssemblyError(findings)
        return items

    def _from_bytes(self, data: bytes, base: int) -> list[_Item]:
        items: list[_Item] = []
        findings: list[Diagnostic] = []
        position, longest, shortest = 0, self._lengths[-1], self._lengths[0]
        while position < len(data) and len(findings) < MAX_DIAGNOSTICS:
            address = base + position // self.isa.pc_unit
            window = data[position : position + longest]
            decoded = self._decode_start(window)
            if decoded is not None:
                length = decoded.definition.length
                items.append(_Item(int.from_bytes(window[:length], "little"), length, address, decoded))
                position += length
                continue
            length = min(shortest, len(window))
            word = int.from_bytes(window[:length], "little")
            try:
                if length < shortest:
                    message = f"word {len(items)}: the last {length} of {len(data)} bytes are no whole word"
                    raise AssemblyError(Diagnostic("KC0252", message))
                if not self._data or self._directive(length) is None:
                    raise AssemblyError(self._refuse(int.from_bytes(window, "little"), len(items), len(window)))
                items.append(_Item(word, length, address, None))
            except AssemblyError as error:
                findings += error.diagnostics
            position += length
        if findings:
            raise AssemblyError(findings)
        return items

    def _decode_start(self, window: bytes) -> Decoded | None:
        for length in self._lengths:
            if length <= len(window):
                decoded = self._decode(int.from_bytes(window[:length], "little"))
                if decoded is not None and decoded.definition.length == length:
                    return decoded
        return None
