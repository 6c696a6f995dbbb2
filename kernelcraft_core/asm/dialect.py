"""`Dialect`: the parts of assembler syntax that are a convention of a tool chain rather than of an instruction set."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

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

    @property
    def symbols(self) -> bool:
        """Whether names can stand for values."""
        return self.labels or self.constants
