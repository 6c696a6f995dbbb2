"""What differs between two instruction sets: for people, for reports, and so that nothing is replaced unseen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import frozen

from kernelcraft_core.isa.isa import Isa
from kernelcraft_core.isa.model import Extension, Pseudo
from kernelcraft_core.isa.primitives import Primitive
from kernelcraft_core.isa.syntax import MNEMONIC

SCHEMA = "kc.isa-diff/1"
ADDED, REMOVED, CHANGED, REPLACED = "added", "removed", "changed", "replaced"
DOCUMENTATION = ("doc", "note", "source", "examples")
"""Fields that describe; a change of them alone does not change the ISA's digest."""
_SIGNS = {ADDED: "+", REMOVED: "-", CHANGED: "~", REPLACED: "!"}


@frozen
class Change:
    """One difference.

    Attributes:
        what: `instruction`, `pseudo-instruction`, `operand kind`, `state`, `parameter`, `primitive`,
            `extension` or `isa`.
        name: of the thing on the new side (on the old side when it was removed).
        action: `added`, `removed`, `changed` or `replaced`.
        fields: field -> (old, new) of what is there on both sides, or of the replaced and the replacing instruction.
        replaces: name of the instruction that was replaced.
        summary: how the thing is written, for people.
    """

    what: str
    name: str
    action: str
    fields: Mapping[str, tuple[Any, Any]] = {}
    replaces: str | None = None
    summary: str = ""

    @property
    def only_documentation(self) -> bool:
        """Whether nothing but prose and examples changed."""
        return self.action == CHANGED and bool(self.fields) and all(f in DOCUMENTATION for f in self.fields)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        entry: dict[str, Any] = {"what": self.what, "name": self.name, "action": self.action}
        if self.replaces is not None:
            entry["replaces"] = self.replaces
        if self.fields:
            entry["fields"] = {name: [_plain(old), _plain(new)] for name, (old, new) in self.fields.items()}
        if self.summary:
            entry["summary"] = self.summary
        return entry


@frozen
class IsaDiff:
    """All differences between two instruction sets, from the old side `a` to the new side `b`."""

    a: str
    b: str
    a_digest: str
    b_digest: str
    changes: tuple[Change, ...]

    def __bool__(self) -> bool:
        """Return whether there is any difference."""
        return bool(self.changes)

    def of(self, action: str, what: str | None = None) -> tuple[Change, ...]:
        """Return the changes of one action, of one sort of thing when `what` is given."""
        return tuple(c for c in self.changes if c.action == action and what in (None, c.what))

    def text(self) -> str:
        """Return the differences as lines: `+` added, `-` removed, `~` changed, `!` replaced."""
        out = [f"--- {self.a}  {self.a_digest[:16]}", f"+++ {self.b}  {self.b_digest[:16]}"]
        for change in self.changes:
            line = f"{_SIGNS[change.action]} {change.what} {change.name}"
            if change.action == REPLACED:
                line += f" replaces {change.replaces}"
            if change.only_documentation:
                line += " (documentation only)"
            if change.summary:
                line += f": {change.summary}"
            out.append(line)
            for name, (old, new) in change.fields.items():
                out += [f"    {name}:", f"      - {_line(old)}", f"      + {_line(new)}"]
        if not self.changes:
            out.append("no differences")
        return "\n".join(out)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "schema": SCHEMA,
            "a": {"name": self.a, "digest": self.a_digest},
            "b": {"name": self.b, "digest": self.b_digest},
            "changes": [change.as_dict() for change in self.changes],
        }


def diff(a: Isa, b: Isa) -> IsaDiff:
    """Return what differs from `a` to `b`; a replaced instruction appears as `replaced`, never as a quiet change."""
    changes = [
        *_settings(a, b),
        *_by_name("extension", _named(a.extensions), _named(b.extensions), ("doc", "requires")),
        *_values("parameter", a.params, b.params),
        *_by_name("operand kind", _named(a.kinds), _named(b.kinds)),
        *_by_name("state", _named(a.state), _named(b.state)),
        *_by_name("primitive", _named(a.primitives), _named(b.primitives), ("args", "result", "doc", "traps")),
        *_instructions(a, b),
        *_by_name("pseudo-instruction", _pseudos(a), _pseudos(b)),
    ]
    return IsaDiff(_title(a), _title(b), a.digest, b.digest, tuple(changes))


def _title(isa: Isa) -> str:
    return " + ".join([isa.name, *(e.name for e in isa.extensions)])


def _named(records: tuple[Any, ...]) -> dict[str, Any]:
    return {record.name: record for record in records}


def _settings(a: Isa, b: Isa) -> list[Change]:
    names = ("name", "width", "pc_unit", "ends", "words", "doc")
    fields = {n: (getattr(a, n), getattr(b, n)) for n in names if getattr(a, n) != getattr(b, n)}
    return [Change("isa", b.name, CHANGED, fields)] if fields else []


def _values(what: str, a: Mapping[str, int], b: Mapping[str, int]) -> list[Change]:
    out = [Change(what, n, REMOVED, summary=str(a[n])) for n in a if n not in b]
    out += [Change(what, n, ADDED, summary=str(b[n])) for n in b if n not in a]
    return out + [Change(what, n, CHANGED, {"value": (a[n], b[n])}) for n in a if n in b and a[n] != b[n]]


def _fields(old: Any, new: Any, names: tuple[str, ...] | None = None) -> dict[str, tuple[Any, Any]]:
    """Return the fields in which two records differ; when their classes differ, only that."""
    if type(old) is not type(new):
        return {"type": (type(old).__name__, type(new).__name__)}
    found = {}
    for attribute in attrs.fields(type(old)):
        name = attribute.name
        if attribute.eq is False or (names is not None and name not in names):
            continue
        if getattr(old, name) != getattr(new, name):
            found[name] = (getattr(old, name), getattr(new, name))
    return found


def _by_name(
    what: str, a: Mapping[str, Any], b: Mapping[str, Any], names: tuple[str, ...] | None = None
) -> list[Change]:
    out = [Change(what, n, REMOVED, summary=_summary(a[n])) for n in a if n not in b]
    out += [Change(what, n, ADDED, summary=_summary(b[n])) for n in b if n not in a]
    for name in a:
        if name in b and (fields := _fields(a[name], b[name], names)):
            out.append(Change(what, name, CHANGED, fields))
    return out


def _pseudos(isa: Isa) -> dict[str, Any]:
    """Return pseudo-instructions by mnemonic; further ones of a mnemonic are numbered."""
    out: dict[str, Any] = {}
    for pseudo in isa.pseudos:
        m = MNEMONIC.match(pseudo.syntax.strip())
        name = m[0] if m else pseudo.syntax
        number = 1
        while (key := name if number == 1 else f"{name} ({number})") in out:
            number += 1
        out[key] = pseudo
    return out


def _instructions(a: Isa, b: Isa) -> list[Change]:
    replaced: dict[str, str] = {}  # old name -> new name
    for definition in b:
        old = definition.record.replaces
        if (
            old is not None
            and old in a
            and not (definition.name in a and a[definition.name].record == definition.record)
        ):
            replaced[old] = definition.name
    out = []
    for name in a.definitions:
        if name not in b and name not in replaced:
            out.append(Change("instruction", name, REMOVED, summary=a[name].record.syntax))
    for name, definition in b.definitions.items():
        old_name = next((old for old, new in replaced.items() if new == name), None)
        if old_name is not None:
            fields = _fields(a[old_name].record, definition.record)
            fields.pop("replaces", None)
            out.append(Change("instruction", name, REPLACED, fields, old_name, definition.record.syntax))
        elif name not in a:
            out.append(Change("instruction", name, ADDED, summary=definition.record.syntax))
        elif fields := _fields(a[name].record, definition.record):
            out.append(Change("instruction", name, CHANGED, fields))
    return out


def _summary(record: Any) -> str:
    """Return a record in one line, defaults and prose left out."""
    match record:
        case Pseudo():
            return record.syntax
        case Extension():
            return record.doc
        case Primitive():
            return f"({', '.join(record.args)}) -> {record.result or 'nothing'}"
    shown = [
        f"{f.name}={_line(getattr(record, f.name))}"
        for f in attrs.fields(type(record))
        if f.name not in ("name", "doc", "factory") and getattr(record, f.name) != f.default
    ]
    return " ".join([type(record).__name__, *shown])


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _line(value: Any) -> str:
    text = "; ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return " / ".join(part.strip() for part in text.strip().splitlines()) or "(nothing)"
