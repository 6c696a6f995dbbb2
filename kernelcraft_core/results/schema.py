"""The schemas of run folders, and JSON as they hold it: sorted keys, NaN and infinity as strings.

A schema is `kc.<record>/<major>` or `kc.<record>/<major>.<minor>`. A minor version only adds keys, so every minor of a
known major can be read; a newer major cannot.

| code | meaning |
| --- | --- |
| KC0802 | a record of a run folder states another schema, or a newer major version of it |
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from kernelcraft_core.diagnostics import Diagnostic, ResultsError, printable

RUN = "kc.run/1"
SAMPLE = "kc.sample/1"
_FORM = re.compile(r"([a-z][a-z0-9.]*)/([1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8}))?")


def readable(schema: object, expected: str, where: str) -> None:
    """Accept what this version can read: the expected schema in its own major version, whatever the minor.

    Args:
        schema: what the record states.
        expected: `RUN` or `SAMPLE`.
        where: file and line, for the message.

    Raises:
        ResultsError: KC0802.
    """
    name, major = expected.split("/")
    found = _FORM.fullmatch(schema) if isinstance(schema, str) else None
    if found is not None and found[1] == name:
        if int(found[2]) == int(major):
            return
        if int(found[2]) > int(major):
            message = f"{where}: {schema} is newer than {expected}, which this version reads"
            raise ResultsError(Diagnostic("KC0802", message, hint="use a newer kernelcraft-core"))
    stated = "states no schema" if schema is None else f"states the schema {printable(repr(schema))}"
    raise ResultsError(Diagnostic("KC0802", f"{where} {stated}, not {expected}"))


def plain(value: Any) -> Any:
    """Return `value` as plain data: NaN and infinity become strings, keys strings, tuples lists, sets sorted lists."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted(plain(entry) for entry in value)
    return value


def canonical(value: Any) -> str:
    """Return `value` as JSON that is the same for the same data: no blanks, sorted keys, ASCII."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def line(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line of UTF-8 text with its line end."""
    return (json.dumps(plain(record), sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode(
        "utf-8", "backslashreplace"
    )


def pages(record: Mapping[str, Any]) -> bytes:
    """Return a record as indented UTF-8 text, for people."""
    text = json.dumps(plain(record), sort_keys=True, ensure_ascii=False, allow_nan=False, indent=2)
    return (text + "\n").encode("utf-8", "backslashreplace")
