"""The compiled kernels of Coral: assembly that a C compiler made of the files in `c/`, kept so that scoring needs no compiler.

`asm/<task>_<config>.s` starts with comments that say what made it: the C file, the SHA-256 of it with everything it includes,
the compiler with its version and flags, the macros. `kc baseline build --target coral` makes them again.
"""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

from kc_coral.shapes import TASKS, layout

_INCLUDE = re.compile(r'^#include "([a-z_]+\.h)"$', re.MULTILINE)
_FIELD = re.compile(r"# ([a-z0-9-]+): (.*)")


def path(task: str, config: str) -> str:
    """Return the name of a compiled kernel's file, relative to this package."""
    return f"asm/{task}_{config}.s"


def text(task: str, config: str) -> str:
    """Return the assembly of a kernel, with its provenance.

    Raises:
        FileNotFoundError: there is none.
    """
    return files(__name__).joinpath(path(task, config)).read_text(encoding="utf-8")


def has(task: str, config: str) -> bool:
    """Return whether there is a compiled kernel."""
    return files(__name__).joinpath(path(task, config)).is_file()


def provenance(assembly: str) -> dict[str, str]:
    """Return what the comments at the start of an assembly text say: field -> value; empty when there are none."""
    found = {}
    for line in assembly.splitlines():
        field = _FIELD.fullmatch(line)
        if field is None:
            break
        found[field[1]] = field[2]
    return found


def sources(task: str) -> dict[str, str]:
    """Return the C file of a task and the headers of ours that it includes: name -> text, the C file first.

    Raises:
        FileNotFoundError: another task.
    """
    found: dict[str, str] = {}
    waiting = [f"{task}.c"]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = files(__name__).joinpath("c", name).read_text(encoding="utf-8")
            waiting += _INCLUDE.findall(found[name])
    return found


def digest(task: str) -> str:
    """Return the SHA-256 of a task's C: of names and texts, each behind its length. Raises: as `sources`."""
    total = hashlib.sha256()
    for name, content in sources(task).items():
        for part in (name.encode(), content.encode()):
            total.update(len(part).to_bytes(8, "little") + part)
    return total.hexdigest()


def macros(task: str, config: str) -> list[str]:
    """Return the compiler's options that carry sizes and constants. Raises: as `kc_coral.shapes.layout`."""
    return [f"-D{name}={value}" for name, value in layout(task, config).symbols.items()]


def origin(task: str, config: str) -> str:
    """Return in one line what made a kernel. Raises: FileNotFoundError there is none."""
    made = provenance(text(task, config))
    return f"{made['source']} compiled by {made['compiler']}, {made['flags']}"


__all__ = ["TASKS", "digest", "has", "macros", "origin", "path", "provenance", "sources", "text"]
