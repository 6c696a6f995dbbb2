"""Write the generated pages of this folder: `python docs/generate.py`, or `--check` to fail when they are out of date.

`reference/diagnostics.md` comes from the tables `| KC0123 | meaning |` in module docstrings,
`reference/commands.md` is the help of every command.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = Path(__file__).resolve().parent / "reference"
_ROW = re.compile(r"^\| (KC\d{4}) \|(?: (?:error|warning) \|)? (.*?) \|$", re.MULTILINE)
_CODE = re.compile(r"KC\d{4}")
_HEADER = "<!-- written by docs/generate.py: do not edit -->\n\n"


class Code(NamedTuple):
    """A diagnostic code: its meaning, the module whose docstring states it, and the modules that use it."""

    code: str
    meanings: tuple[str, ...]
    documented: tuple[str, ...]
    used: tuple[str, ...]


def distributions() -> dict[str, Path]:
    """Return distribution -> folder of its package, for every distribution of this repository."""
    found = {"kernelcraft-core": ROOT / "kernelcraft_core"}
    for folder in sorted((ROOT / "plugins").glob("kc_*")):
        found[folder.name.replace("_", "-")] = folder / "src" / folder.name
    if (ROOT / "tasks" / "src" / "kc_tasks").is_dir():
        found["kc-tasks"] = ROOT / "tasks" / "src" / "kc_tasks"
    return found


@functools.cache
def codes(package: Path) -> dict[str, Code]:
    """Return the diagnostic codes of a package, in order."""
    meanings: dict[str, list[tuple[str, str]]] = {}
    used: dict[str, set[str]] = {}
    for path in sorted(package.rglob("*.py")):
        module = ".".join((package.name, *path.relative_to(package).with_suffix("").parts)).removesuffix(".__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for code, meaning in _ROW.findall(ast.get_docstring(tree) or ""):
            meanings.setdefault(code, []).append((meaning, module))
        for code in _used(tree):
            used.setdefault(code, set()).add(module)
    return {
        code: Code(
            code,
            tuple(meaning for meaning, _ in meanings.get(code, ())),
            tuple(module for _, module in meanings.get(code, ())),
            tuple(sorted(used.get(code, ()))),
        )
        for code in sorted({*meanings, *used})
    }


def _used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
            yield node.value


def diagnostics_page() -> str:
    """Return the page of all codes, one table per distribution."""
    out = [
        "# Diagnostic codes",
        "A code never changes its meaning. Text and `--json` show the same findings; the first two digits say "
        "where one comes from: 01 describing an ISA, 02 assembling, 03 plug-ins, targets and commands, 04 running, "
        "05 machines and state, 06 tasks and scoring, 07 agents, 08 run folders. A plug-in numbers its own findings about "
        "programs from KC0260, and about running them from KC0460.",
    ]
    for name, package in distributions().items():
        rows = [c for c in codes(package).values() if c.meanings]
        if rows:
            out.append(f"## {name}")
            out.append(
                "\n".join(["| code | meaning |", "| --- | --- |", *(f"| {c.code} | {c.meanings[0]} |" for c in rows)])
            )
    return _HEADER + "\n\n".join(out) + "\n"


def commands_page() -> str:
    """Return the help of every command of the core."""
    import click
    from click.testing import CliRunner

    from kernelcraft_core.cli.main import COMMANDS, main

    def section(args: tuple[str, ...]) -> str:
        runner = CliRunner(env={"KERNELCRAFT_PLUGINS": "none"})
        result = runner.invoke(main, [*args, "--help"], prog_name="kc", terminal_width=100, max_content_width=100)
        return f"## {' '.join(('kc', *args))}\n\n```text\n{result.output.strip()}\n```"

    out = ["# Commands", section(())]
    context = click.Context(main)
    for name in COMMANDS:
        out.append(section((name,)))
        command = main.get_command(context, name)
        if isinstance(command, click.Group):
            out += [section((name, inner)) for inner in sorted(command.commands)]
    return _HEADER + "\n\n".join(out) + "\n"


def pages() -> Mapping[str, str]:
    """Return file name -> text of every generated page of `docs/reference`."""
    return {"diagnostics.md": diagnostics_page(), "commands.md": commands_page()}


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` compare them; return the exit code."""
    stale = []
    for name, text in pages().items():
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                path.write_text(text, encoding="utf-8")
    if stale:
        print(("out of date: " if "--check" in arguments else "written: ") + ", ".join(stale))
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
