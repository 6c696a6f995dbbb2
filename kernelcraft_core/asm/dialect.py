"""`Dialect`: the parts of assembler syntax that are a convention of a tool chain rather than of an instruction set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from kernelcraft_core.isa import Relocation

C_PRECEDENCE: tuple[tuple[str, ...], ...] = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
"""Binary operators as in C, loosest first."""

GNU_PRECEDENCE: tuple[tuple[str, ...], ...] = (("+", "-"), ("|", "&", "^"), ("*", "/", "%", "<<", ">>"))
"""Binary operators as the GNU assembler reads them, loosest first."""

UNARY = ("-", "+", "~")
"""Prefix operators; they bind tighter than every binary one."""


def _texts(value: tuple[str, ...] | str) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else tuple(value)
    if not all(texts):
        raise ValueError("an empty text cannot mark anything")
    return texts


def _areas(items: Iterable[Area]) -> tuple[Area, ...]:
    return tuple(items)


def _relocations(items: Iterable[Relocation]) -> tuple[Relocation, ...]:
    return tuple(items)


@frozen
class Area:
    """A stretch of memory and the sections that are placed in it, in order, each at a multiple of `align`.

    The code, `.text`, is the first section of its area. `name` is what messages call it; `size` is in bytes.
    """

    name: str
    sections: tuple[str, ...]
    base: int = 0
    size: int = 1 << 28
    align: int = 16


@frozen
class Dialect:
    """How source text is written. The default has everything; a target switches off what its language lacks.

    Attributes:
        comments: markers that start a comment, which ends with the line.
        separator: what stands between two statements of one line, if that is possible.
        labels: whether `name:` names the address it stands at.
        constants: whether `name = expression`, `.equ name, expression` and `.set` name a value.
        expressions: whether operands may be expressions; without, an immediate is one number (or one symbol).
        directives: whether `.word` and its like exist (see `directives.py`).
        precedence: binary operators, loosest first.
        hexadecimal, binary: whether `0x1F` and `0b101` are numbers.
        octal: whether a leading 0 makes a number octal; otherwise it means nothing.
        entry: labels that say where a program starts; the first that is defined counts, else the first instruction.
        padding: an instruction without operands that fills alignment gaps where it fits; bytes of 0 are used elsewhere.
        elsewhere: mnemonic -> where it exists (`profile head`, `extension Xdllm`), for messages.
        block_comments: whether `/* ... */` is a comment, over any number of lines.
        strings: whether there are strings and character constants: `.asciz "text"`, `'A'`.
        numeric_labels: whether `1:` is a label that `1b` and `1f` mean, the nearest before and after.
        relocations: operators such as `%hi(symbol)`.
        areas: where sections go; without any there is one section and no directive to change it.
        ignored: directives that mean nothing here; with a trailing `*` all that begin so.
        zero_offsets: whether `0(x1)` may be written where only `(x1)` is possible.
    """

    comments: tuple[str, ...] = field(default=("#", "//"), converter=_texts)
    separator: str | None = None
    labels: bool = True
    constants: bool = True
    expressions: bool = True
    directives: bool = True
    precedence: tuple[tuple[str, ...], ...] = C_PRECEDENCE
    hexadecimal: bool = True
    binary: bool = True
    octal: bool = False
    entry: tuple[str, ...] = field(default=("_start",), converter=_texts)
    padding: str = ""
    elsewhere: Mapping[str, str] = field(factory=dict, eq=False)
    block_comments: bool = False
    strings: bool = False
    numeric_labels: bool = False
    relocations: tuple[Relocation, ...] = field(default=(), converter=_relocations)
    areas: tuple[Area, ...] = field(default=(), converter=_areas)
    ignored: tuple[str, ...] = ()
    zero_offsets: bool = False

    def ignores(self, name: str) -> bool:
        """Return whether the directive `name` means nothing here."""
        return any(name == one or (one[-1] == "*" and name.startswith(one[:-1])) for one in self.ignored)

    @property
    def symbols(self) -> bool:
        """Whether names can stand for values."""
        return self.labels or self.constants


GNU_IGNORED = (
    *(".type", ".size", ".file", ".ident", ".loc", ".local", ".weak", ".hidden", ".protected", ".internal"),
    *(".option", ".attribute", ".addrsig*", ".cfi_*"),
)
"""Directives of compilers that say nothing about the bytes of a program (`.option` as far as they go here)."""


def gnu(areas: Iterable[Area], relocations: Iterable[Relocation] = (), padding: str = "nop", **changes: Any) -> Dialect:
    """Return the syntax of the GNU assembler: sections in `areas`, strings, numeric labels, its operator precedence.

    Args:
        areas: where sections go.
        relocations: the operators of the instruction set.
        padding: the instruction that fills gaps in code.
        changes: further fields of `Dialect`.
    """
    fields: dict[str, Any] = {
        "comments": ("#", "//"),
        "separator": ";",
        "precedence": GNU_PRECEDENCE,
        "octal": True,
        "padding": padding,
        "block_comments": True,
        "strings": True,
        "numeric_labels": True,
        "relocations": relocations,
        "areas": areas,
        "ignored": GNU_IGNORED,
        "zero_offsets": True,
    }
    return Dialect(**fields | changes)
