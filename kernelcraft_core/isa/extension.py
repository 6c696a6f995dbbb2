"""Extensions as TOML files: the keys of the Python records, checked strictly, every finding with its place.

A file looks like this (`docs/reference/extension-file.md` has all keys):

```toml
schema = "kc.extension/1"
name = "Xfma"
extends = "toy"

[[instr]]
syntax = "FMA rd:r, rs1:r, rs2:r"
encoding = "0{14} rs2 rs1 rd 111010"
semantics = "r[rd] = r[rd] + r[rs1] * r[rs2]"
category = "mul"
unit = "mul"
latency = 3
```

A file composes what a target ships: it cannot bring primitives or opaque state, because those are Python.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import define, field

from kernelcraft_core.diagnostics import (
    MAX_DIAGNOSTICS,
    Diagnostic,
    IsaError,
    Span,
    did_you_mean,
    printable,
    sort_key,
)
from kernelcraft_core.isa import model
from kernelcraft_core.isa.model import Extension
from kernelcraft_core.isa.places import Places, scan
from kernelcraft_core.isa.write import extension_to_toml as extension_to_toml

SCHEMA = "kc.extension/1"
MAX_BYTES = 1 << 18
MAX_LINE = 4000
MAX_RECORDS = 1000
"""Most entries of one kind (instructions, state, ...) in one file."""
NAME = re.compile(r"X[a-z0-9]+")
KINDS: dict[str, type[Any]] = {"reg": model.Reg, "imm": model.Imm, "placeholder": model.Placeholder}
STATE: dict[str, type[Any]] = {
    "regfile": model.RegFile,
    "scalar": model.Scalar,
    "array": model.Array,
    "words": model.Words,
    "rows": model.Rows,
    "bytes": model.Bytes,
}
_MAX_FOUND = 200
_TABLES = {"kind": "kinds", "state": "state", "instr": "instrs", "pseudo": "pseudos"}
_TOP = ("schema", "name", "extends", "requires", "doc", "params", *_TABLES)
_PROSE = ("doc", "note", "source", "semantics")
_DEEP_KEY = re.compile(r"""(?<![\w."'-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){12}""")
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_CODE_IN_FILE = "a file composes what the target ships; whoever needs more writes a plug-in, which a person reviews"


def load_extension(path: str | Path) -> Extension:
    """Return the extension that the TOML file at `path` describes.

    Raises:
        IsaError: KC0143 the file cannot be read, and as `parse_extension`.
    """
    file = Path(path)
    name = str(path)

    def fail(message: str, hint: str | None = None) -> IsaError:
        return IsaError(Diagnostic("KC0143", message, Span(name, 1), hint))

    try:
        if not file.is_file():
            raise fail(
                "this is not a file" if file.exists() else "there is no such file", "give the path of a .toml file"
            )
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise fail(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise fail(f"the file is larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        span = Span(name, before.count("\n") + 1, error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1)
        message = f"this is not text in UTF-8 (byte 0x{data[error.start]:02x})"
        raise IsaError(Diagnostic("KC0143", message, span)) from None
    return parse_extension(text, name)


def parse_extension(text: str, filename: str = "<extension>") -> Extension:
    """Return the extension that `text` describes. Whether it fits an ISA is checked by `Isa.extended`.

    Raises:
        IsaError: up to 20 findings, each with file, line and column: KC0143 too large or binary, KC0144 not TOML,
            KC0145 schema missing or not readable by this version, KC0146 unknown key, KC0147 missing key, KC0148 wrong
            type or value, KC0149 not the name of an extension, KC0150 something only a plug-in can bring.
    """
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    lines = tuple(text.split("\n"))
    _refuse_hostile(text, lines, filename)
    try:
        document = tomllib.loads(text)
        places = scan(text)
    except tomllib.TOMLDecodeError as error:
        raise IsaError(_not_toml(str(error), lines, filename)) from None
    except RecursionError:
        raise IsaError(Diagnostic("KC0144", "this is not TOML: it is nested too deeply", Span(filename, 1))) from None
    except ValueError as error:  # integers of thousands of digits, impossible dates
        raise IsaError(Diagnostic("KC0144", f"this is not TOML: {printable(str(error))}", Span(filename, 1))) from None
    reader = _Reader(filename, lines, places)
    extension = reader.extension(document)
    if reader.findings:
        raise IsaError(reader.sorted_findings())
    assert extension is not None
    return extension


def _refuse_hostile(text: str, lines: tuple[str, ...], filename: str) -> None:
    """Refuse text that is no extension file whatever it says, and text that the TOML parser is slow on."""
    if len(text) > MAX_BYTES:
        raise IsaError(Diagnostic("KC0143", f"the text is longer than {MAX_BYTES} characters", Span(filename, 1)))
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            message = f"a line of {len(line)} characters; at most {MAX_LINE} are allowed"
            raise IsaError(Diagnostic("KC0143", message, Span(filename, number, MAX_LINE + 1)))
        if "\0" in line:
            span = Span(filename, number, line.index("\0") + 1, 1, line)
            raise IsaError(Diagnostic("KC0143", "a NUL character: this is not a text file", span))
        if m := _DEEP_KEY.search(line):
            span = Span(filename, number, m.start() + 1, m.end() - m.start(), line)
            raise IsaError(Diagnostic("KC0144", "a dotted key of more than 12 parts", span))


def _not_toml(message: str, lines: tuple[str, ...], filename: str) -> Diagnostic:
    line, column = len(lines), len(lines[-1]) + 1
    if m := _AT.search(message):
        message = message[: m.start()]
        if m[1]:
            line, column = int(m[1]), int(m[2])
    span = Span(filename, line, column, 1, lines[line - 1] if 0 < line <= len(lines) else None)
    return Diagnostic("KC0144", f"this is not TOML: {printable(message, 200)}", span, _toml_hint(message))


def _toml_hint(message: str) -> str | None:
    if "overwrite" in message or "twice" in message:
        return "each key may be given once; each [[instr]] starts a new instruction"
    if message in ('Expected "\'"', "Unterminated string") or "'\\n'" in message:
        return "a quoted text is not closed"
    if "Invalid value" in message:
        return "texts are quoted: key = 'text'"
    return None


# --- checking values --------------------------------------------------------------------------------------------------


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


_WANTED: dict[str, tuple[str, Any]] = {
    "str": ("a text", lambda v: isinstance(v, str)),
    "bool": ("true or false", lambda v: isinstance(v, bool)),
    "int": ("a whole number", _is_int),
    "int | str": ("a whole number or a text", lambda v: _is_int(v) or isinstance(v, str)),
    "int | float": ("a number", lambda v: _is_int(v) or isinstance(v, float)),
    "tuple[str, ...]": ("a list of texts", lambda v: isinstance(v, list) and all(isinstance(x, str) for x in v)),
    "tuple[int | str, ...]": (
        "a list of whole numbers or parameter names",
        lambda v: isinstance(v, list) and all(_is_int(x) or isinstance(x, str) for x in v),
    ),
    "dict[str, int]": ("a table of whole numbers", lambda v: isinstance(v, dict) and all(map(_is_int, v.values()))),
}
"""Annotation of a record's field -> (what it takes in words, whether a TOML value is that)."""


def wanted(attribute: attrs.Attribute[Any]) -> tuple[str, Any]:
    """Return what a field of a record takes, in words, and the check of a TOML value."""
    annotation = str(attribute.type).removesuffix(" | None")
    return _WANTED["int | str" if annotation == "str | int" else annotation]


def _unprintable(value: object, prose: bool) -> bool:
    """Return whether some text in `value` has characters that do not print (line ends are fine in prose)."""
    if isinstance(value, str):
        plain = value.replace("\n", "").replace("\t", "") if prose else value
        return not plain.isprintable()
    if isinstance(value, list):
        return any(_unprintable(entry, prose) for entry in value)
    return isinstance(value, dict) and any(_unprintable(key, prose) for key in value)


@define
class _Reader:
    """Turns a parsed document into records and collects findings."""

    filename: str
    lines: tuple[str, ...]
    places: Places
    findings: list[Diagnostic] = field(factory=list)
    count: int = 0

    def fail(self, code: str, message: str, path: str, hint: str | None = None, *, key: bool = False) -> None:
        """Note a finding at the value (or the key) of `path`."""
        self.count += 1
        if self.count > _MAX_FOUND:
            return
        line, column = self.places.near(path, key=key)
        shown = self.lines[line - 1] if line <= len(self.lines) else ""
        length = len(path.rpartition(".")[2]) if key and path in self.places.keys else 1
        span = Span(self.filename, line, column, length, shown)
        self.findings.append(Diagnostic(code, message, span, hint))

    def sorted_findings(self) -> list[Diagnostic]:
        """Return the findings by place, at most 20 of them."""
        found = sorted(self.findings, key=sort_key)
        left = self.count - MAX_DIAGNOSTICS
        if left <= 0:
            return found
        last = found[MAX_DIAGNOSTICS - 1]
        more = f"{left} more finding{'s are' if left > 1 else ' is'} not shown"
        return [*found[: MAX_DIAGNOSTICS - 1], attrs.evolve(last, notes=(*last.notes, more))]

    def extension(self, document: Mapping[str, Any]) -> Extension | None:
        """Return the extension, or None after a finding."""
        if not self._schema(document):
            return None
        for key in document:
            if key in ("primitive", "primitives"):
                message = "a file cannot bring primitives: they are Python"
                self.fail("KC0150", message, key, _CODE_IN_FILE, key=True)
            elif key not in _TOP:
                hint = did_you_mean(key, _TOP) or f"keys: {', '.join(_TOP)}"
                self.fail("KC0146", f"{printable(key)!r} is not a key of an extension", key, hint, key=True)
        header = self._header(document)
        records = {name: self._records(key, document.get(key, [])) for key, name in _TABLES.items()}
        params = self._params(document.get("params", {}))
        if self.findings:
            return None
        where = {**self.places.keys, **self.places.values}
        for path in self.places.inexact:  # offsets into such a text do not count characters of the file
            where[f"{path}?"] = where.pop(path)
        about: dict[str, Any] = {"origin": self.filename, "places": where, "lines": self.lines, **header, **records}
        return Extension(params=params, **about)

    def _schema(self, document: Mapping[str, Any]) -> bool:
        schema = document.get("schema")
        hint = f'the first line of the file is: schema = "{SCHEMA}"'
        if schema is None:
            self.fail("KC0145", "the file does not state its schema", "schema", hint)
            return False
        m = (
            re.fullmatch(r"kc\.extension/(\d{1,6})(?:\.\d{1,6})?", schema, re.ASCII)
            if isinstance(schema, str)
            else None
        )
        if m is None:
            self.fail("KC0145", f"{printable(str(schema))!r} is not the schema of an extension", "schema", hint)
        elif int(m[1]) > 1:
            message = f"the schema {schema} is newer than this version of KernelCraft reads ({SCHEMA})"
            self.fail("KC0145", message, "schema", "install a newer kernelcraft-core")
        elif int(m[1]) < 1:
            self.fail("KC0145", f"there is no schema {schema}", "schema", hint)
        return not self.findings

    def _header(self, document: Mapping[str, Any]) -> dict[str, Any]:
        values = self._fields(document, "", model.Extension, ("name", "extends", "requires", "doc"))
        name = values.get("name")
        if name is not None and not NAME.fullmatch(name):
            hint = "an X, then small letters and digits: Xfma"
            self.fail("KC0149", f"{printable(name)!r} is not the name of an extension", "name", hint)
        for number, needed in enumerate(values.get("requires", ())):
            if not NAME.fullmatch(needed) or needed == name:
                message = f"{printable(needed)!r} is not the name of another extension"
                self.fail("KC0149", message, f"requires.{number}", "requires names extensions: Xfma")
        if values.get("extends") == "":
            self.fail("KC0148", "extends is the name of the ISA that is extended", "extends")
        return values

    def _params(self, value: object) -> dict[str, int]:
        if not isinstance(value, dict):
            self.fail("KC0148", "params is a table of names and whole numbers", "params", "[params]", key=True)
            return {}
        for name, number in value.items():
            if not (name.isascii() and name.isidentifier()):
                self.fail("KC0148", f"{printable(name)!r} is not a name", f"params.{name}", key=True)
            elif not _is_int(number):
                self.fail("KC0148", f"parameter {name} needs a whole number below 2**63", f"params.{name}")
        return dict(value)

    def _records(self, key: str, value: object) -> list[Any]:
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.fail("KC0148", f"{key} is a list of tables", key, f"start each one with [[{key}]]", key=True)
            return []
        if len(value) > MAX_RECORDS:
            self.fail("KC0148", f"{len(value)} entries; at most {MAX_RECORDS} are allowed", key, key=True)
            return []
        made = (self._record(key, entry, f"{key}.{number}") for number, entry in enumerate(value))
        return [record for record in made if record is not None]

    def _record(self, key: str, entry: dict[str, Any], path: str) -> Any:
        """Return the record that the table `entry` describes, or None after a finding."""
        fields = dict(entry)
        cls: type[Any] | None = {"instr": model.Instr, "pseudo": model.Pseudo}.get(key)
        if cls is None:
            cls = self._typed(KINDS if key == "kind" else STATE, fields.pop("type", None), path)
            if cls is None:
                return None
        before = len(self.findings)
        names = tuple(a.name for a in attrs.fields(cls))
        for name in fields:
            if name not in names:
                known = (*names, "type") if key in ("kind", "state") else names
                hint = did_you_mean(name, known) or f"keys: {', '.join(known)}"
                message = f"{printable(name)!r} is not a key of [[{key}]]"
                if cls is not model.Instr and key in ("kind", "state"):
                    message += f" of type {entry['type']!r}"
                self.fail("KC0146", message, f"{path}.{name}", hint, key=True)
        values = self._fields(fields, path, cls, names)
        return cls(**values) if len(self.findings) == before else None

    def _typed(self, choices: dict[str, type[Any]], given: object, path: str) -> type[Any] | None:
        hint = f"type is one of {', '.join(choices)}"
        if given is None:
            self.fail("KC0147", "the key 'type' is missing", path, hint, key=True)
        elif given == "opaque" and choices is STATE:
            message = "opaque state cannot come from a file: it is made by a Python function"
            self.fail("KC0150", message, f"{path}.type", _CODE_IN_FILE)
        elif not isinstance(given, str) or given not in choices:
            near = did_you_mean(given, choices) if isinstance(given, str) else None
            self.fail("KC0148", f"{printable(str(given))!r} is not a type of this", f"{path}.type", near or hint)
        else:
            return choices[given]
        return None

    def _fields(self, table: Mapping[str, Any], path: str, cls: type[Any], names: tuple[str, ...]) -> dict[str, Any]:
        """Return the checked values of `table` that are fields of the record `cls`."""
        out: dict[str, Any] = {}
        for attribute in attrs.fields(cls):
            name = attribute.name
            if name not in names:
                continue
            where = f"{path}.{name}" if path else name
            if name not in table:
                if attribute.default is attrs.NOTHING:
                    self.fail("KC0147", f"the key {name!r} is missing", path, f"it is {wanted(attribute)[0]}", key=True)
                continue
            value = table[name]
            words, check = wanted(attribute)
            if not check(value):
                self.fail("KC0148", f"{name} is {words}, not {_describe(value)}", where)
            elif _unprintable(value, name in _PROSE):
                self.fail("KC0148", f"{name} has characters that do not print", where)
            else:
                out[name] = tuple(value) if isinstance(value, list) else value
        return out


def _describe(value: object) -> str:
    """Return what a TOML value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int):
        return "a whole number" if _is_int(value) else "a number of more than 64 bits"
    names = {str: "a text", float: "a fraction", list: "a list of something else", dict: "a table"}
    return names.get(type(value), "a date")
