"""`Output`: what has been assembled so far, in arrays: words, lines and, only where needed, lengths and addresses."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from kernelcraft_core.asm.expressions import problem

MAX_BYTES = 1 << 28
"""Largest program in bytes; gaps and `.space` count."""


def word_array(bits: int) -> array[int] | list[int]:
    """Return an empty store for words of `bits` bits."""
    if bits <= 32 and array("I").itemsize == 4:
        return array("I")
    return array("Q") if bits <= 64 else []


class Output:
    """Items in order of address. `uniform` until an item of another length than `unit` comes."""

    def __init__(self, base: int, unit: int, pc_unit: int, bits: int, uniform: bool) -> None:
        """`base` is the first address, `unit` the usual length in bytes, `bits` the longest word."""
        self.base = base
        self.unit = unit
        self.pc_unit = pc_unit
        self._step = unit // pc_unit
        self.bits = bits
        self.words: array[int] | list[int] = word_array(bits)
        self.lines: array[int] = array("I")
        self.lengths: array[int] | None = None
        self._addresses: array[int] | None = None
        self._bytes = 0
        self.data: list[int] = []
        if not uniform:
            self._spread()

    def _spread(self) -> None:
        count = len(self.words)
        step = self._step
        self.lengths = array("L", [self.unit]) * count
        self._addresses = array("Q", range(self.base, self.base + count * step, step) if count else ())
        self._bytes = count * self.unit

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._bytes if self.lengths is not None else len(self.words) * self.unit

    @property
    def address(self) -> int:
        """Address of the next item, in units of the program counter."""
        if self._addresses is None:
            return self.base + len(self.words) * self._step
        return self.base + self._bytes // self.pc_unit

    def address_of(self, index: int) -> int:
        """Return the address of item `index`."""
        if self._addresses is not None:
            return self._addresses[index]
        return self.base + index * self._step

    @property
    def addresses(self) -> Sequence[int]:
        """Address of every item."""
        if self._addresses is not None:
            return self._addresses
        step = self._step
        return range(self.base, self.base + len(self.words) * step, step) if step else ()

    @property
    def first_code(self) -> int | None:
        """Index of the first item that is an instruction, or None when there is none."""
        first = next((i for i, item in enumerate(self.data) if i != item), len(self.data))
        return first if first < len(self.words) else None

    def emit(self, word: int, length: int, line: int, *, data: bool = False) -> None:
        """Append an item of `length` bytes."""
        if length != self.unit and self.lengths is None:
            self._spread()
        if self.lengths is not None and self._addresses is not None:
            self._addresses.append(self.base + self._bytes // self.pc_unit)
            self.lengths.append(length)
            self._bytes += length
        if data:
            self.data.append(len(self.words))
        try:
            self.words.append(word)
        except OverflowError:  # a datum longer than the instruction words
            self.words = array("Q", self.words) if word >> 64 == 0 else list(self.words)
            self.words.append(word)
        self.lines.append(line)

    def patch(self, index: int, word: int) -> None:
        """Give item `index` its final word."""
        try:
            self.words[index] = word
        except OverflowError:
            self.words = array("Q", self.words) if word >> 64 == 0 else list(self.words)
            self.words[index] = word

    def gap(self, count: int, line: int, column: int) -> None:
        """Append one item of `count` zero bytes.

        Raises:
            Problem: KC0232 the program gets too large, KC0231 the gap does not end at an address.
        """
        if count > MAX_BYTES - self.size:
            shown = str(count) if count < 1 << 64 else "more than 2**64"
            raise problem("KC0232", f"{shown} bytes make the program larger than {MAX_BYTES} bytes", column)
        if count % self.pc_unit:
            message = f"{count} bytes are not a whole number of addresses (one is {self.pc_unit} bytes)"
            raise problem("KC0231", message, column)
        if count:
            self.emit(0, count, line, data=True)

    def rebase(self, base: int) -> None:
        """Move everything to begin at `base`."""
        shift = base - self.base
        self.base = base
        if self._addresses is not None and shift:
            self._addresses = array("Q", (address + shift for address in self._addresses))

    def image(self) -> bytes:
        """Return all items, little-endian, one after the other."""
        lengths = self.lengths if self.lengths is not None else [self.unit] * len(self.words)
        return b"".join(int(w).to_bytes(n, "little") for w, n in zip(self.words, lengths, strict=True))

    def in_words(self) -> tuple[Output, int | None]:
        """Return the same bytes as words of `unit` bytes each, the last one filled up with zeros.

        Also the line of the first instruction that does not stand at a multiple of `unit` bytes, or None.
        """
        if self.lengths is None:
            return self, None
        assert self._addresses is not None
        data, unit, per = set(self.data), self.unit, self.pc_unit
        out = Output(self.base, unit, per, 8 * unit, uniform=True)
        image = self.image()
        image += bytes(-len(image) % unit)
        lines, datum = array("I", bytes(4 * (len(image) // unit))), bytearray(len(image) // unit)
        for index in range(len(self.words) - 1, -1, -1):  # the first item of a word gives it its line
            offset, length = (self._addresses[index] - self.base) * per, self.lengths[index]
            if index not in data and (offset % unit or length != unit):
                return self, next(
                    self.lines[i]
                    for i in range(len(self.words))
                    if i not in data and (self._addresses[i] - self.base) * per % unit
                )
            for word in range(offset // unit, (offset + length - 1) // unit + 1):
                lines[word] = self.lines[index]
                datum[word] = index in data
        for number, line in enumerate(lines):
            word = int.from_bytes(image[number * unit : (number + 1) * unit], "little")
            out.emit(word, unit, line, data=bool(datum[number]))
        return out, None
