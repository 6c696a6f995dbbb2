"""`Program`: what an assembler produces and a simulator runs."""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property

from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic, Span


@frozen
class Section:
    """Bytes that are loaded at address `base` (in the program counter's unit for code)."""

    name: str
    base: int
    data: bytes = field(repr=False)
    code: bool = True


@frozen
class Item:
    """One assembled instruction or datum: its address, length in bytes, word and source line."""

    address: int
    length: int
    word: int
    line: int


@frozen(eq=False)
class Program:
    """An assembled program.

    Attributes:
        isa_name, digest: the ISA it was assembled for.
        addresses: program-counter value of each item, ascending.
        words: the word of each item, little-endian in `sections`.
        lengths: bytes per item when they differ; None when all are `unit` bytes long.
        lines: source line of each item, counted from 1 (0: none).
        data_items: indices of items that are data (`.word`), not instructions.
        data: sections beside the code, which stands first in `sections`.
        symbols: label -> address. entry: address of the first instruction to run.
        diagnostics: warnings of the assembler.
    """

    isa_name: str
    digest: str
    words: Sequence[int] = field(repr=False)
    addresses: Sequence[int] = field(repr=False)
    lines: Sequence[int] = field(repr=False)
    unit: int = 4
    pc_unit: int = 1
    lengths: Sequence[int] | None = field(default=None, repr=False)
    entry: int = 0
    symbols: Mapping[str, int] = field(factory=dict)
    filename: str = "<program>"
    source: Sequence[str] = field(factory=tuple, repr=False)
    data_items: frozenset[int] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()
    data: tuple[Section, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The program as bytes to load."""
        base = self.addresses[0] if len(self) else self.entry
        return (Section(".text", base, self.image), *self.data)

    @cached_property
    def image(self) -> bytes:
        """All words, little-endian, one after the other."""
        if self.lengths is None and self.unit == 4 and array("I").itemsize == 4:
            import sys

            packed = array("I", self.words)
            if sys.byteorder == "big":
                packed.byteswap()
            return packed.tobytes()
        lengths = self.lengths if self.lengths is not None else [self.unit] * len(self)
        return b"".join(int(w).to_bytes(n, "little") for w, n in zip(self.words, lengths, strict=True))

    def length_of(self, index: int) -> int:
        """Return the length in bytes of item `index`."""
        return self.unit if self.lengths is None else self.lengths[index]

    def item(self, index: int) -> Item:
        """Return item `index`."""
        return Item(self.addresses[index], self.length_of(index), self.words[index], self.lines[index])

    @property
    def end(self) -> int:
        """The address just past the last item."""
        if not len(self):
            return self.entry
        return self.addresses[-1] + self.length_of(len(self) - 1) // self.pc_unit

    def index_at(self, pc: int) -> int | None:
        """Return the index of the item at address `pc`, or None when none starts there."""
        at = bisect.bisect_left(self.addresses, pc)
        return at if at < len(self.addresses) and self.addresses[at] == pc else None

    def line_at(self, pc: int) -> int | None:
        """Return the source line of the item at `pc`, or None."""
        index = self.index_at(pc)
        return self.lines[index] or None if index is not None else None

    def span_at(self, pc: int) -> Span | None:
        """Return the place in the source of the item at `pc`, or None."""
        line = self.line_at(pc)
        if line is None:
            return None
        text = self.source[line - 1] if 0 < line <= len(self.source) else None
        stripped = text.strip() if text else ""
        column = 1 + len(text) - len(text.lstrip()) if text else 1
        return Span(self.filename, line, column, max(1, len(stripped)), text)

    def hex_text(self) -> str:
        """Return the machine code as text, one `0x%08X` (or as many digits as the word has) per line."""
        return "".join(f"0x{w:0{2 * self.length_of(i)}X}\n" for i, w in enumerate(self.words))
