"""Directives of the GNU assembler that need sections or strings, and fuller forms of those for gaps.

| directive | effect |
| --- | --- |
| `.text` `.data` `.rodata` `.bss` | go on in that section |
| `.section name, ...` | go on in the section that `name` belongs to (`.rodata.cst8` to `.rodata`) |
| `.ascii "text", ...` | the bytes of the texts, escapes as in C |
| `.asciz` `.string` | the same, each with a 0 behind it |
| `.align n, fill, max` `.p2align` | go to the next multiple of 2**n bytes unless that takes more than max; in code over `nop` |
| `.balign n, fill, max` | the same for a multiple of n |
| `.space n, v` `.zero` `.skip` | n bytes of value v |
| `.comm name, size, align` `.lcomm` | a symbol for size bytes of 0 in `.bss` |

Source: the manual of GNU as, chapter "Assembler Directives". As there, `.globl` of a symbol the program lacks is no error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernelcraft_core.asm.directives import Directive, Handler, known, wrong
from kernelcraft_core.asm.lexis import Token, characters

if TYPE_CHECKING:
    from kernelcraft_core.asm.engine import Run

_ALIGN = ".align exponent, fill, max"
_BALIGN = ".balign bytes, fill, max"
_SPACE = ".space bytes, value"
_COMMON = ".comm name, size, alignment"


def _numbers(run: Run, tokens: Sequence[Token], usage: str, most: int) -> list[int | None]:
    """Return up to `most` values that must be known here; those left out between commas are None."""
    groups: list[list[Token]] = [[]]
    for token in tokens[1:]:
        if token.text == "," and token.kind == "op":
            groups.append([])
        else:
            groups[-1].append(token)
    if len(groups) > most or not groups[0]:
        raise wrong(tokens, "a value is expected" if not groups[0] else f"takes {most} values", len(tokens), usage)
    return [known(run, [tokens[0], *group], usage) if group else None for group in groups]


def _section(run: Run, tokens: Sequence[Token]) -> None:
    run.section(tokens[0].text, tokens[0].column)
    if len(tokens) > 1:
        raise wrong(tokens, f"{tokens[1].text!r} is not expected here", 1, tokens[0].text)


def _named_section(run: Run, tokens: Sequence[Token]) -> None:
    usage = '.section name, "flags", @type'
    if len(tokens) < 2 or tokens[1].kind not in ("word", "string"):
        raise wrong(tokens, "the name of a section is expected", 1, usage)
    parts = [t.text for t in tokens[1:]]  # `.note.GNU-stack` is three tokens
    name = "".join(parts[: parts.index(",")] if "," in parts else parts)
    run.section(name.strip('"'), tokens[1].column)


def _text(ending: bytes, usage: str) -> Handler:
    def handler(run: Run, tokens: Sequence[Token]) -> None:
        for position, token in enumerate(tokens[1:], 1):
            if (token.kind == "string") != bool(position % 2) or (not position % 2 and token.text != ","):
                raise wrong(tokens, f"{token.text!r} is not expected here", position, usage)
        if len(tokens) % 2:
            raise wrong(tokens, "a text is expected", len(tokens), usage)
        for token in tokens[1::2]:
            data = characters(token.text[1:-1]) + ending
            if data:
                run.put([(int.from_bytes(data, "little"), len(data))], data=True)

    return handler


def _align(power: bool, usage: str) -> Handler:
    def handler(run: Run, tokens: Sequence[Token]) -> None:
        value, fill, most = (*_numbers(run, tokens, usage, 3), None, None)[:3]
        assert value is not None
        if power and not 0 <= value <= 30:
            raise wrong(tokens, "the exponent is 0..30", 1, usage)
        unit = 1 << value if power else value
        if not 0 <= unit <= 1 << 30 or unit & (unit - 1):
            raise wrong(tokens, "an alignment is a power of two up to 2**30", 1, usage)
        byte = None if fill is None else fill & 0xFF
        run.align(max(1, unit), tokens[1].column, byte, most)

    return handler


def _space(run: Run, tokens: Sequence[Token]) -> None:
    count, byte = (*_numbers(run, tokens, _SPACE, 2), None)[:2]
    assert count is not None
    if count < 0:
        raise wrong(tokens, "a size is not negative", 1, _SPACE)
    run.fill(count, (byte or 0) & 0xFF, tokens[1].column)


def _common(run: Run, tokens: Sequence[Token]) -> None:
    if len(tokens) < 4 or tokens[1].kind != "word" or tokens[2].text != ",":
        raise wrong(tokens, "a name and a size are expected", 1, _COMMON)
    size, align = (*_numbers(run, [tokens[0], *tokens[3:]], _COMMON, 2), None)[:2]
    assert size is not None
    unit = align or min(16, 1 << max(0, size - 1).bit_length())
    if size < 0 or not 1 <= unit <= 1 << 30 or unit & (unit - 1):
        raise wrong(tokens, "a size is not negative, an alignment a power of two", 3, _COMMON)
    before = run.sections.now
    run.section(".bss", tokens[0].column)
    run.align(unit, tokens[0].column)
    run.label(tokens[1].text, tokens[1].column)
    run.fill(size, 0, tokens[3].column)
    run.enter(before)


def _export(run: Run, tokens: Sequence[Token]) -> None:
    for position, token in enumerate(tokens[1:]):
        if (token.kind == "word") == bool(position % 2) or (position % 2 and token.text != ","):
            raise wrong(tokens, f"{token.text!r} is not expected here", position + 1, ".globl name, ...")


_VALUES = 'value? ("," value?)*'
_STRINGS = 'STRING ("," STRING)*'
GNU_TABLE: tuple[Directive, ...] = tuple(
    Directive(names, usage, grammar, handler, data=data, needs=needs)
    for names, usage, grammar, handler, data, needs in (
        ((".text", ".data", ".rodata", ".bss"), ".text", "", _section, False, "areas"),
        ((".section",), '.section name, "flags", @type', "/[^;]+/", _named_section, False, "areas"),
        ((".ascii",), '.ascii "text", ...', _STRINGS, _text(b"", '.ascii "text", ...'), True, "strings"),
        ((".asciz", ".string"), '.asciz "text", ...', _STRINGS, _text(b"\0", '.asciz "text", ...'), True, "strings"),
        ((".align", ".p2align"), _ALIGN, _VALUES, _align(True, _ALIGN), False, "areas"),
        ((".balign",), _BALIGN, _VALUES, _align(False, _BALIGN), False, "areas"),
        ((".space", ".zero", ".skip"), _SPACE, _VALUES, _space, True, "areas"),
        ((".comm", ".lcomm"), _COMMON, 'NAME "," value ("," value)*', _common, False, "areas"),
        ((".global", ".globl"), ".globl name, ...", 'NAME ("," NAME)*', _export, False, "areas"),
    )
)
