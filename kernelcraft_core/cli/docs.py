"""`kc docs`: the generated reference of a target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import (
    json_option,
    open_target,
    reporting,
    target_options,
    write_file,
)
from kernelcraft_core.diagnostics import Diagnostic, PluginError

if TYPE_CHECKING:
    from kernelcraft_core.facade import Target
    from kernelcraft_core.sim.machine import Machine


@click.command("docs", context_settings=output.HELP)
@click.argument("target_name", metavar="TARGET")
@click.option(
    "-o",
    "--output",
    "destination",
    metavar="DIR",
    help="Write the pages into this folder instead of printing the reference.",
)
@target_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    target_name: str,
    destination: str | None,
    machine: str | None,
    settings: tuple[str, ...],
    extensions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write the reference of TARGET: instruction set, machine, and the target's own pages, as Markdown.

    \b
    Examples:
      kc docs plena
      kc docs plena --extension Xdllm -o plena-docs
    """
    with reporting("kc.docs/1", as_json):
        target = open_target(ctx, target_name, machine, settings, extensions)
        files = target_pages(target)
        if destination is not None:
            for name, text in files.items():
                write_file(str(Path(destination, *PurePosixPath(name).parts)), text, folders=True)
        if as_json:
            entry = {"ok": True, "target": target.name, "digest": target.isa.digest, "diagnostics": []}
            output.emit(
                "kc.docs/1", entry | ({"files": sorted(files)} if destination is not None else {"pages": files})
            )
        elif destination is None:
            click.echo(files["isa.md"], nl=False)
        else:
            click.echo(f"{len(files)} pages -> {destination}", err=True)


def target_pages(target: Target) -> dict[str, str]:
    """Return file name -> Markdown of everything there is to read about a target.

    Raises:
        PluginError: KC0311 a page of the plug-in's has a name that leaves the folder.
    """
    from kernelcraft_core.isa.docs import pages

    documents = dict(target.documents())
    for name in documents:
        parts = PurePosixPath(name).parts
        if not parts or PurePosixPath(name).is_absolute() or ".." in parts or "\\" in name or ":" in name:
            message = f"the plug-in of {target.name} names a page {name!r}, which is not inside the folder"
            raise PluginError(Diagnostic("KC0311", message))
    documents.setdefault("machine.md", machine_page(target.machine, target.machines))
    return pages(target.isa, documents)


def machine_page(machine: Machine, others: Sequence[Machine] = ()) -> str:
    """Return the parameters of a machine as Markdown."""
    out = [f"# Machine {machine.name}", machine.doc]
    clock = "no clock is stated" if machine.clock_ns is None else f"a cycle takes {machine.clock_ns} ns"
    out.append(f"{clock[0].upper()}{clock[1:]}.")
    rows = ["| parameter | value | unit | may be | what it is | source |", "|" + " --- |" * 6]
    for param in machine.declared:
        span = " or ".join(map(str, param.choices)) if param.choices else f"{param.min}..{param.max}"
        legal = "fixed" if param.fixed else span if isinstance(param.default, int) or param.choices else "a word"
        cells = (f"`{param.name}`", str(machine[param.name]), param.unit, legal, param.doc, param.source)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    if machine.declared:
        out.append("\n".join(rows))
    names = [f"- `{m.name}`: {m.doc}" for m in others if m.name != machine.name]
    if names:
        out.append("Other machines:\n\n" + "\n".join(names))
    return "\n\n".join(part for part in out if part) + "\n"
