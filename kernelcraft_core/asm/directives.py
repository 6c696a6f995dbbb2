"""Directives: data, gaps, constants.

| directive | effect |
| --- | --- |
| `.byte v, ...` | one byte per value |
| `.half` `.short` `.2byte` | two bytes per value, little-endian as everything |
| `.word` | one instruction word per value (4 bytes on a 32-bit ISA) |
| `.long` `.4byte`, `.quad` `.dword` `.8byte` | four, eight bytes per value |
| `.space n` `.zero` `.skip` | n bytes of 0 |
| `.align n` `.p2align n` | go to the next multiple of 2**n bytes |
| `.balign n` | go to the next multiple of n bytes |
| `.org a` | go to address a (forward only); before everything else: start there |
| `.equ name, v` `.set` `.equiv` | the same as `name = v`: a constant; it may use symbols defined later |
| `.global name, ...` `.globl` | says that a symbol is meant for others; it must be defined |

Further ones, of dialects with sections or strings, are in `gnu_directives.py`.

A value fits when it is legal as a signed or as an unsigned number of that size. Sizes and places (`.space`, `.align`,
`.org`) must be known where they stand: they may only use symbols defined above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from kernelcraft_core.asm.dialect import Dialect
from kernelcraft_core.asm.expressions import Expr, Problem, Unresolved, parse, problem
from kernelcraft_core.asm.lexis import Token
from kernelcraft_core.isa import Isa

if TYPE_CHECKING:
    from kernelcraft_core.asm.engine import Run

Handler = Callable[["Run", Sequence[Token]], None]
_VALUES = 'value ("," value)*'
_MAX_ADDRESS = 1 << 63


@frozen(eq=False)
class Directive:
    """A directive under all its names.

    Attributes:
        grammar: what follows the name, in Lark's notation.
        size: bytes per value, for directives that list values.
        data: whether it makes data, which not every ISA has.
        needs: the feature of the dialect it depends on.
    """

    names: tuple[str, ...]
    usage: str
    grammar: str
    handler: Handler
    size: Callable[[Isa], int] | None = None
    data: bool = False
    needs: str = ""


def available(isa: Isa, dialect: Dialect) -> list[Directive]:
    """Return the directives that a dialect has for an ISA."""
    from kernelcraft_core.asm.gnu_directives import GNU_TABLE

    if not dialect.directives:
        return []
    table = (*TABLE, *GNU_TABLE)
    replaced = {name for d in GNU_TABLE if dialect.areas for name in d.names}  # the GNU forms take more
    table = tuple(d for d in table if d in GNU_TABLE or not replaced.intersection(d.names))
    return [d for d in table if (isa.words or not d.data) and (not d.needs or bool(getattr(dialect, d.needs)))]


def missing(name: str, isa: Isa) -> str | None:
    """Return why a directive that exists is not `available`, or None when there is no such directive."""
    directive = next((d for d in TABLE if name in d.names), None)
    if directive is None:
        return None
    return (
        f"programs of {isa.name} hold instructions only" if directive.data else f"{directive.needs} are not supported"
    )


def wrong(tokens: Sequence[Token], message: str, at: int, usage: str) -> Problem:
    """Return the finding for a directive whose token number `at` is wrong."""
    place = tokens[min(at, len(tokens) - 1)]
    column = place.column if at < len(tokens) else place.end
    return problem("KC0231", f"{tokens[0].text}: {message}", column, len(place.text), f"usage: {usage}")


def values_of(run: Run, tokens: Sequence[Token], usage: str, most: int | None = None) -> list[Expr | int]:
    """Return the values after the name, separated by commas."""
    out: list[Expr | int] = []
    at = 1
    while True:
        found = parse(tokens, at, run.lexis)
        if found is None:
            raise wrong(tokens, "a value is expected", at, usage)
        value, at = found
        out.append(value)
        if at == len(tokens):
            break
        if tokens[at].text != ",":
            raise wrong(tokens, f"{tokens[at].text!r} is not expected here", at, usage)
        at += 1
    if most is not None and len(out) > most:
        raise wrong(tokens, f"takes {most} value{'s' if most > 1 else ''}", len(tokens), usage)
    return out


def known(run: Run, tokens: Sequence[Token], usage: str) -> int:
    """Return the only value after the name, which must be known here."""
    (value,) = values_of(run, tokens, usage, 1)
    try:
        return run.value(value)[0]
    except Unresolved as missing:
        message = f"{tokens[0].text} needs a value that is known here; {missing.name!r} is not defined above"
        raise problem("KC0225", message, missing.column, len(missing.name)) from None


def _data(size: Callable[[Isa], int], usage: str) -> Handler:
    def handler(run: Run, tokens: Sequence[Token]) -> None:
        length = size(run.isa)
        values = values_of(run, tokens, usage)
        if length % run.isa.pc_unit:
            message = f"one address is {run.isa.pc_unit} bytes; data of {length} have no place"
            raise wrong(tokens, message, 0, usage)
        words: list[int] = []
        waiting = False
        start = run.encoder.here
        for number, value in enumerate(values):
            if run.dialect.areas:  # for GNU as `.` is the place of the value
                run.encoder.here = start + number * length // run.isa.pc_unit
            try:
                words.append(_word(run.value(value)[0], length, value, tokens))
            except Unresolved:
                if run.late:
                    raise
                words.append(0)
                waiting = True
        run.put([(word, length) for word in words], data=True, waiting=waiting)

    return handler


def _word(value: int, length: int, source: Expr | int, tokens: Sequence[Token]) -> int:
    bits = 8 * length
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        column, size = (source.column, source.length) if isinstance(source, Expr) else (0, 1)
        if not column:
            place = next((t for t in tokens[1:] if t.kind == "int" and len(t.text) >= length // 4), tokens[0])
            column, size = place.column, len(place.text)
        shown = str(value) if value.bit_length() <= 128 else "the value"
        raise problem("KC0234", f"{shown} does not fit {length} byte{'s' * (length > 1)}", column, size)
    return value & ((1 << bits) - 1)


def _space(run: Run, tokens: Sequence[Token]) -> None:
    count = known(run, tokens, ".space bytes")
    if count < 0:
        raise wrong(tokens, "a size is not negative", 1, ".space bytes")
    run.out.gap(count, run.number, tokens[1].column)


def _align(power: bool, usage: str) -> Handler:
    def handler(run: Run, tokens: Sequence[Token]) -> None:
        value = known(run, tokens, usage)
        if power and not 0 <= value <= 30:
            raise wrong(tokens, "the exponent is 0..30", 1, usage)
        unit = 1 << value if power else value
        if not 1 <= unit <= 1 << 30:
            raise wrong(tokens, "an alignment is 1..2**30 bytes", 1, usage)
        run.align(unit, tokens[1].column)

    return handler


def _org(run: Run, tokens: Sequence[Token]) -> None:
    target = known(run, tokens, ".org address")
    if not 0 <= target < _MAX_ADDRESS:
        raise wrong(tokens, "an address is 0..2**63-1", 1, ".org address")
    out = run.out
    if not len(out.words) and not run.labels and not run.dialect.areas:
        out.base = target
        return
    if target < out.address:
        message = f".org {target} would go back: the program has reached {out.address}"
        raise problem("KC0233", message, tokens[1].column, len(tokens[1].text))
    out.gap((target - out.address) * out.pc_unit, run.number, tokens[1].column)


def _equ(run: Run, tokens: Sequence[Token]) -> None:
    usage = f"{tokens[0].text} name, value"
    if len(tokens) < 4 or tokens[1].kind != "word" or tokens[2].text != ",":
        raise wrong(tokens, "a name and a value are expected", 1, usage)
    found = parse(tokens, 3, run.lexis)
    if found is None or found[1] != len(tokens):
        raise wrong(tokens, "one value is expected", 3, usage)
    run.constant(tokens[1], found[0])


def _global(run: Run, tokens: Sequence[Token]) -> None:
    for position, token in enumerate(tokens[1:]):
        if (token.kind == "word") == bool(position % 2) or (position % 2 and token.text != ","):
            raise wrong(tokens, f"{token.text!r} is not expected here", position + 1, ".global name, ...")
        if not position % 2:
            if not run.lexis.is_symbol(token.text):
                raise problem("KC0222", f"{token.text!r} cannot name a symbol", token.column, len(token.text))
            run.exported.setdefault(token.text, (run.number, token.column))
    if len(tokens) % 2:
        raise wrong(tokens, "a name is expected", len(tokens), ".global name, ...")


def _sized(names: tuple[str, ...], size: Callable[[Isa], int]) -> Directive:
    usage = f"{names[0]} value, ..."
    return Directive(names, usage, _VALUES, _data(size, usage), size, data=True)


TABLE: tuple[Directive, ...] = (
    _sized((".byte",), lambda isa: 1),
    _sized((".half", ".short", ".2byte"), lambda isa: 2),
    _sized((".word",), lambda isa: isa.width // 8),
    _sized((".long", ".4byte"), lambda isa: 4),
    _sized((".quad", ".dword", ".8byte"), lambda isa: 8),
    Directive((".space", ".zero", ".skip"), ".space bytes", "value", _space, data=True),
    Directive((".align", ".p2align"), ".align exponent", "value", _align(True, ".align exponent")),
    Directive((".balign",), ".balign bytes", "value", _align(False, ".balign bytes")),
    Directive((".org",), ".org address", "value", _org),
    Directive((".equ", ".set", ".equiv"), ".equ name, value", 'NAME "," value', _equ, needs="constants"),
    Directive((".global", ".globl"), ".global name, ...", 'NAME ("," NAME)*', _global, needs="labels"),
)
