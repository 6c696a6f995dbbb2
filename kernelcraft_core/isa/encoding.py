"""Instruction encodings: bit layouts written most significant bit first, as manuals print them.

An encoding is a string of tokens separated by blanks:

| token | meaning |
| --- | --- |
| `0`, `1`, `0110011` | fixed bits; together they make `mask` and `match` |
| `0{10}` | ten fixed zero bits |
| `-`, `-{4}` | bits that are written as 0 and mean nothing: a word with one of them set is *reserved* |
| `rd` | all bits of the operand `rd` |
| `imm[11:0]`, `off[12|10:5]` | chosen bits of an operand, most significant first |

The text fixes the word length. Every bit of every operand must appear exactly once, except low bits that are always zero
because the operand kind has an alignment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic, IsaError

_FIXED = re.compile(r"([01]+)(?:\{([1-9][0-9]{0,2})\})?", re.ASCII)
_RESERVED = re.compile(r"(-+)(?:\{([1-9][0-9]{0,2})\})?", re.ASCII)
_OPERAND = re.compile(r"([A-Za-z_]\w*)(?:\[([\d:|]+)\])?", re.ASCII)
MAX_WIDTH = 256
"""Longest instruction word in bits."""
MAX_TEXT = 2000
"""Longest encoding text in characters."""


@frozen
class Piece:
    """Bits `[src + width - 1 : src]` of operand `operand` stand at bits `[dst + width - 1 : dst]` of the word."""

    operand: str
    src: int
    dst: int
    width: int


@frozen
class Encoding:
    """A parsed bit layout. `word & mask == match` identifies the instruction; `reserved` marks bits that must be 0."""

    text: str
    width: int
    mask: int
    match: int
    reserved: int
    pieces: tuple[Piece, ...]
    by_operand: Mapping[str, tuple[Piece, ...]] = field(eq=False, repr=False)

    def insert(self, operand: str, value: int) -> int:
        """Return the bits that `value` (an integer, two's complement if negative) contributes to the word."""
        word = 0
        for piece in self.by_operand.get(operand, ()):
            word |= ((value >> piece.src) & ((1 << piece.width) - 1)) << piece.dst
        return word

    def extract(self, operand: str, word: int) -> int:
        """Return the raw (unsigned) bits of `operand` in `word`."""
        value = 0
        for piece in self.by_operand.get(operand, ()):
            value |= ((word >> piece.dst) & ((1 << piece.width) - 1)) << piece.src
        return value

    def field_text(self) -> list[tuple[int, int, str]]:
        """Return (high bit, low bit, text) for each field, most significant first, for documentation."""
        out: list[tuple[int, int, str]] = []
        pieces = iter(self.pieces)
        high = self.width - 1
        for token in self.text.split():
            fixed = _FIXED.fullmatch(token) or _RESERVED.fullmatch(token)
            if fixed:
                bits = _repeat(fixed[1], fixed[2])
                out.append((high, high - len(bits) + 1, bits))
                high -= len(bits)
                continue
            for _ in range(token.count("|") + 1):
                piece = next(pieces)
                out.append((high, high - piece.width + 1, self._piece_text(piece)))
                high -= piece.width
        return out

    def _piece_text(self, piece: Piece) -> str:
        if len(self.by_operand[piece.operand]) == 1 and piece.src == 0:
            return piece.operand
        top = piece.src + piece.width - 1
        return f"{piece.operand}[{top}:{piece.src}]" if piece.width > 1 else f"{piece.operand}[{piece.src}]"


Fail = Callable[[str, str, str | None], IsaError]


def parse_encoding(text: str, operand_bits: Mapping[str, tuple[int, int]], where: str) -> Encoding:
    """Return the parsed layout of `text`.

    Args:
        text: the encoding string.
        operand_bits: operand name -> (width in bits, number of always-zero low bits).
        where: name of the instruction, for messages.

    Raises:
        IsaError: KC0110 a token is not understood, KC0111 an operand is unknown, KC0112 bits of an operand are missing,
            doubled or out of range, KC0113 the word is empty, longer than 256 bits or not a whole number of bytes.
    """

    def fail(code: str, message: str, hint: str | None = None) -> IsaError:
        return IsaError(Diagnostic(code, f"{where}: encoding {text!r}: {message}", hint=hint))

    if len(text) > MAX_TEXT:
        message = f"{where}: an encoding of {len(text)} characters; at most {MAX_TEXT} are allowed"
        raise IsaError(Diagnostic("KC0110", message))
    parts: list[tuple[str, str, int, int]] = []  # (kind, operand or bits, src low bit, width)
    for token in text.split():
        if m := _FIXED.fullmatch(token):
            bits = _repeat(m[1], m[2])
            parts.append(("fixed", bits, 0, len(bits)))
        elif m := _RESERVED.fullmatch(token):
            bits = _repeat(m[1], m[2])
            parts.append(("reserved", bits, 0, len(bits)))
        elif m := _OPERAND.fullmatch(token):
            name, ranges = m[1], m[2]
            if name not in operand_bits:
                raise fail(
                    "KC0111", f"{name!r} is not an operand of the syntax", f"operands: {', '.join(operand_bits)}"
                )
            for high, low in _ranges(ranges, operand_bits[name][0], lambda msg: fail("KC0110", msg)):
                parts.append(("operand", name, low, high - low + 1))
        else:
            raise fail("KC0110", f"cannot read {token!r}", "use bits, 0{n}, -, an operand, or operand[high:low|bit]")
    width = sum(part[3] for part in parts)
    if not 0 < width <= MAX_WIDTH or width % 8:
        raise fail("KC0113", f"is {width} bits wide; a word is a whole number of bytes, at most {MAX_WIDTH} bits")
    mask = match = reserved = 0
    pieces: list[Piece] = []
    position = width
    for kind, what, src, size in parts:
        position -= size
        if kind == "fixed":
            mask |= ((1 << size) - 1) << position
            match |= int(what, 2) << position
        elif kind == "reserved":
            reserved |= ((1 << size) - 1) << position
        else:
            pieces.append(Piece(what, src, position, size))
    grouped = {name: tuple(p for p in pieces if p.operand == name) for name in operand_bits}
    _check_coverage(grouped, operand_bits, fail)
    return Encoding(text, width, mask, match, reserved, tuple(pieces), grouped)


def _repeat(bits: str, times: str | None) -> str:
    """Expand `0{10}`: the last bit stands `times` times; a lone run stands once."""
    return bits if times is None else bits[:-1] + bits[-1] * int(times)


def _ranges(text: str | None, bits: int, fail: Callable[[str], IsaError]) -> list[tuple[int, int]]:
    """Return (high, low) pairs of `[12|10:5]`, or the whole operand when there is no bracket."""
    if text is None:
        return [(bits - 1, 0)]
    out = []
    for part in text.split("|"):
        if not re.fullmatch(r"[0-9]{1,3}(:[0-9]{1,3})?", part):
            raise fail(f"cannot read the bit range {part!r}")
        high, _, low = part.partition(":")
        pair = (int(high), int(low or high))
        if pair[0] < pair[1] or pair[0] >= bits:
            raise fail(f"bit range {part!r} does not fit an operand of {bits} bits")
        out.append(pair)
    return out


def _check_coverage(
    grouped: Mapping[str, tuple[Piece, ...]], operand_bits: Mapping[str, tuple[int, int]], fail: Fail
) -> None:
    for name, (bits, zero_low) in operand_bits.items():
        seen = 0
        for piece in grouped[name]:
            chunk = ((1 << piece.width) - 1) << piece.src
            if seen & chunk:
                raise fail("KC0112", f"bits of operand {name!r} are encoded twice", None)
            seen |= chunk
        want = (1 << bits) - 1
        optional = (1 << zero_low) - 1
        missing = want & ~seen & ~optional
        if missing:
            lost = [str(b) for b in range(bits) if missing >> b & 1]
            raise fail("KC0112", f"operand {name!r} is {bits} bits wide but bit {', '.join(lost)} is not encoded", None)


def overlap(a: Encoding, b: Encoding) -> bool:
    """Return whether some word belongs to both encodings (of different lengths: whether the longer starts as the shorter)."""
    common = (1 << min(a.width, b.width)) - 1
    return (a.match ^ b.match) & a.mask & b.mask & common == 0
