"""Writing an extension as the TOML file that `parse_extension` reads back to an equal record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from kernelcraft_core.diagnostics import Diagnostic, IsaError
from kernelcraft_core.isa import model
from kernelcraft_core.isa.model import Extension

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_WIDTH = 100
TYPES: dict[type[Any], str] = {
    model.Reg: "reg",
    model.Imm: "imm",
    model.Placeholder: "placeholder",
    model.RegFile: "regfile",
    model.Scalar: "scalar",
    model.Array: "array",
    model.Words: "words",
    model.Rows: "rows",
    model.Bytes: "bytes",
}
"""Record class -> the `type` that a file gives it."""


def extension_to_toml(extension: Extension, schema: str = "kc.extension/1") -> str:
    """Return `extension` as TOML; keys that have their default are left out.

    Raises:
        IsaError: KC0150 it declares opaque state, which a file cannot hold.
    """
    blocks = [list(_header(extension, schema))]
    if extension.params:
        blocks.append(["[params]", *(f"{_key(name)} = {value}" for name, value in extension.params.items())])
    for key, records in (("kind", extension.kinds), ("state", extension.state)):
        blocks += [[f"[[{key}]]", f"type = {_string(_type(record))}", *_fields(record)] for record in records]
    for key, lines in (("instr", extension.instrs), ("pseudo", extension.pseudos)):
        blocks += [[f"[[{key}]]", *_fields(record)] for record in lines]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _header(extension: Extension, schema: str) -> Iterator[str]:
    yield f"schema = {_string(schema)}"
    yield f"name = {_string(extension.name)}"
    yield f"extends = {_string(extension.extends)}"
    if extension.requires:
        yield f"requires = {_value(extension.requires)}"
    if extension.doc:
        yield f"doc = {_string(extension.doc)}"


def _type(record: Any) -> str:
    if type(record) not in TYPES:
        message = f"state {record.name!r} is opaque: it is made by a Python function and cannot be written to a file"
        raise IsaError(Diagnostic("KC0150", message))
    return TYPES[type(record)]


def _fields(record: Any) -> Iterator[str]:
    for attribute in attrs.fields(type(record)):
        value = getattr(record, attribute.name)
        default = attribute.default
        if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = default.factory()
        if value is None or (type(value) is type(default) and value == default):
            continue
        yield f"{attribute.name} = {_value(value)}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _basic(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        return _listed("{", (f"{_key(k)} = {_value(v)}" for k, v in value.items()), "}", split=False)
    return _listed("[", map(_value, value), "]", split=True)


def _listed(opening: str, entries: Iterable[str], closing: str, *, split: bool) -> str:
    parts = list(entries)
    line = f"{opening}{', '.join(parts)}{closing}"
    if len(line) <= _WIDTH or not split:
        return line
    return "\n".join([opening, *(f"    {part}," for part in parts), closing])


def _string(text: str) -> str:
    """Return `text` quoted so that its characters stand in the file as they are, where that is possible."""
    plain = text.replace("\n", "").replace("\t", "")
    if plain.isprintable():
        if "\n" not in text and '"' not in text and "\\" not in text:
            return f'"{text}"'
        if "\n" not in text and "'" not in text:
            return f"'{text}'"
        if "\n" in text and "'''" not in text and not text.endswith("'"):
            return f"'''\n{text}'''"
    return _basic(text)


def _basic(text: str) -> str:
    out = []
    for ch in text:
        if ch in _ESCAPES:
            out.append(_ESCAPES[ch])
        elif ch.isprintable():
            out.append(ch)
        else:
            out.append(f"\\u{ord(ch):04X}" if ord(ch) < 0x10000 else f"\\U{ord(ch):08X}")
    return f'"{"".join(out)}"'
