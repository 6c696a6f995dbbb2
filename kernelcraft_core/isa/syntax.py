"""Syntax strings: `MNEMONIC rd:gp, imm:s12(rs1:x)`; names and kinds become operands, everything else stands for itself."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, IsaError, did_you_mean
from kernelcraft_core.isa.model import Imm, Kind, Placeholder, Reg

MNEMONIC = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
MAX_TEXT = 500
"""Longest syntax text in characters."""
_TOKEN = re.compile(
    r"\s+|(?P<name>[A-Za-z_]\w*)\s*:\s*(?P<kind>\w+)(?:=(?P<default>-?\d{1,40}))?|(?P<punct>[,()\[\]{}@#!+%$&*])",
    re.ASCII,
)
UNNAMED = "_"


@frozen
class Operand:
    """A named slot of an instruction. `default` is what it has when the text leaves it out."""

    name: str
    kind: Kind
    default: int | None = None


@frozen
class Form:
    """One way to write an instruction: the mnemonic, then operands and punctuation in order."""

    text: str
    mnemonic: str
    items: tuple[Operand | str, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The operands in the order they are written, placeholders included."""
        return tuple(item for item in self.items if isinstance(item, Operand))

    @property
    def required(self) -> int:
        """How many operands must be written."""
        return sum(1 for operand in self.operands if operand.default is None)

    def lengths(self) -> list[int]:
        """Return how many items may be written: all, or all but trailing optional operands (with their commas)."""
        out = [len(self.items)]
        end = len(self.items)
        while end and isinstance(item := self.items[end - 1], Operand) and item.default is not None:
            end -= 2 if end > 1 and self.items[end - 2] == "," else 1
            out.append(max(end, 0))
        return out

    def usage(self) -> str:
        """Return the form as a person would write it down: `V_ADD_VV gp, gp, gp[, flag]`."""
        text, depth = "", 0
        for position, item in enumerate(self.items):
            following = self.items[position + 1] if position + 1 < len(self.items) else None
            if item == "," and isinstance(following, Operand) and following.default is not None:
                text += "[, "
                depth += 1
            elif isinstance(item, str):
                text += ", " if item == "," else item
            else:
                text += describe(item)
        return f"{self.mnemonic} {text}{']' * depth}".strip()


def describe(operand: Operand) -> str:
    """Return what stands in an operand's place: a register range, an immediate range, a fixed spelling."""
    kind = operand.kind
    if isinstance(kind, Reg) and not kind.prefix and len(kind.names) <= 12:
        return "|".join(kind.names)
    if isinstance(kind, Reg):
        return f"{operand.name}:{kind.prefix}0-{kind.prefix}{kind.size - 1}"
    if isinstance(kind, Placeholder):
        return kind.spellings[0]
    if kind.numbers != "distance":
        return f"{operand.name}:label"
    return f"{operand.name}:{kind.low}..{kind.high}"


def parse_form(text: str, kinds: Mapping[str, Kind], where: str) -> Form:
    """Return the parsed syntax string.

    Raises:
        IsaError: KC0101 the text is not a syntax string, KC0102 an unknown kind, KC0103 an operand named twice or a
            default that is not last or not legal.
    """
    if len(text) > MAX_TEXT:
        raise IsaError(
            Diagnostic("KC0101", f"{where}: a syntax of {len(text)} characters; at most {MAX_TEXT} are allowed")
        )
    head, _, rest = text.strip().partition(" ")
    if not MNEMONIC.fullmatch(head):
        raise IsaError(Diagnostic("KC0101", f"{where}: {head!r} is not a mnemonic"))
    items: list[Operand | str] = []
    position = 0
    while position < len(rest):
        m = _TOKEN.match(rest, position)
        if m is None:
            message = f"{where}: syntax {text!r}: cannot read {rest[position:][:20]!r}"
            raise IsaError(Diagnostic("KC0101", message, hint="operands are written name:kind, e.g. rd:gp"))
        position = m.end()
        if m["name"]:
            items.append(_operand(m, kinds, where))
        elif m["punct"]:
            items.append(m["punct"])
    form = Form(text.strip(), head, tuple(items))
    names = [o.name for o in form.operands if o.name != UNNAMED]
    for name in names:
        if names.count(name) > 1:
            raise IsaError(Diagnostic("KC0103", f"{where}: operand {name!r} is named twice"))
    optional = False
    for operand in form.operands:
        if optional and operand.default is None:
            raise IsaError(Diagnostic("KC0103", f"{where}: operand {operand.name!r} follows an optional one"))
        optional = operand.default is not None
    return form


def _operand(m: re.Match[str], kinds: Mapping[str, Kind], where: str) -> Operand:
    kind = kinds.get(m["kind"])
    if kind is None:
        hint = did_you_mean(m["kind"], kinds)
        raise IsaError(Diagnostic("KC0102", f"{where}: operand kind {m['kind']!r} is not declared", hint=hint))
    default = int(m["default"]) if m["default"] is not None else None
    if default is not None:
        legal = (isinstance(kind, Imm) and kind.low <= default <= kind.high and default % kind.align == 0) or (
            isinstance(kind, Reg) and 0 <= default < kind.size
        )
        if not legal:
            raise IsaError(Diagnostic("KC0103", f"{where}: default {default} does not fit kind {kind.name!r}"))
    if isinstance(kind, Placeholder) != (m["name"] == UNNAMED):
        message = f"{where}: placeholders, and only they, are written `_:{m['kind']}`"
        raise IsaError(Diagnostic("KC0103", message))
    return Operand(m["name"], kind, default)
