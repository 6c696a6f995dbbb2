"""`kc docs`: the generated reference of a target, and the pages its authors wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from kernelcraft_core.diagnostics import Diagnostic, PluginError, did_you_mean

if TYPE_CHECKING:
    from kernelcraft_core.facade import Target
    from kernelcraft_core.sim.machine import Machine

ISA = "isa.md"
"""The page that is printed unless another is asked for."""


@click.command("docs", context_settings=output.HELP)
@click.argument("target_name", metavar="TARGET")
@click.option("--page", metavar="NAME", default=ISA, show_default=True, help="Print this page; `index.md` lists them.")
@click.option("--compact", is_flag=True, help="In the short form that agents are given: no encodings, no sources.")
@click.option("--out", metavar="DIR", help="Write all pages into this folder instead of printing one.")
@target_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    target_name: str,
    page: str,
    compact: bool,
    out: str | None,
    machine: str | None,
    settings: tuple[str, ...],
    extensions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print or write the reference of TARGET: instruction set, machine, and the target's own pages, as Markdown.

    `kc isa show TARGET INSTR` describes one instruction.

    \b
    Examples:
      kc docs plena
      kc docs coral --compact
      kc docs coral --page guidance.md
      kc docs plena --extension Xdllm --out plena-docs
    """
    with reporting("kc.docs/1", as_json):
        target = open_target(ctx, target_name, machine, settings, extensions)
        files = compact_pages(target) if compact else target_pages(target)
        if page not in files:
            hint = did_you_mean(page, files) or f"there is {', '.join(files)}"
            raise click.BadParameter(f"{target.name} has no page {page!r}; {hint}", ctx, param_hint="--page")
        if out is not None:
            for name, text in files.items():
                write_file(str(Path(out, *PurePosixPath(name).parts)), text, folders=True)
        if as_json:
            entry = {"ok": True, "target": target.name, "digest": target.isa.digest, "diagnostics": []}
            output.emit("kc.docs/1", entry | ({"files": sorted(files)} if out is not None else {"pages": files}))
        elif out is None:
            click.echo(files[page], nl=False)
        else:
            click.echo(f"{len(files)} pages -> {out}", err=True)


def target_pages(target: Target) -> dict[str, str]:
    """Return file name -> Markdown of everything there is to read about a target.

    Raises:
        PluginError: KC0311 a page of the plug-in's has a name that leaves the folder.
    """
    from kernelcraft_core.isa.docs import pages

    documents = {**_documents(target)}
    documents.setdefault("machine.md", machine_page(target.machine, target.machines))
    return pages(target.isa, documents, target.machine.cost_table(target.isa))


def compact_pages(target: Target) -> dict[str, str]:
    """Return file name -> Markdown of the pages as agents are given them, an index first.

    Raises:
        PluginError: KC0311 a page of the plug-in's has a name that leaves the folder.
    """
    from kernelcraft_core.agent.sections import target_pages
    from kernelcraft_core.isa.docs import index_page

    _documents(target)
    pages = {page.name: page.text for page in target_pages(target)}
    return {"index.md": index_page(target.isa, pages), **pages}


def _documents(target: Target) -> Mapping[str, str]:
    """Return the target's own pages, whose names may not leave the folder they are written to."""
    documents = target.documents()
    for name in documents:
        parts = PurePosixPath(name).parts
        if not parts or PurePosixPath(name).is_absolute() or ".." in parts or "\\" in name or ":" in name:
            message = f"the plug-in of {target.name} names a page {name!r}, which is not inside the folder"
            raise PluginError(Diagnostic("KC0311", message))
    return documents


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
