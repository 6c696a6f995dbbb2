"""`kc asm`: assemble a program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import (
    json_option,
    open_target,
    read_program,
    reporting,
    show_findings,
    target_option,
    target_options,
    write_file,
)

if TYPE_CHECKING:
    from kernelcraft_core.isa import Program

MAX_JSON_WORDS = 1 << 20
"""The JSON object holds the words of programs up to this size."""


@click.command("asm", context_settings=output.HELP)
@click.argument("file", metavar="FILE")
@target_option
@click.option(
    "--out",
    "destination",
    metavar="FILE",
    help="Write the machine code to this file instead of standard output.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["hex", "bin", "listing"]),
    default="hex",
    show_default=True,
    help="hex: one word per line; bin: little-endian bytes; listing: address, word and source side by side.",
)
@target_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: str,
    target_name: str,
    destination: str | None,
    form: str,
    machine: str | None,
    settings: tuple[str, ...],
    extensions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Assemble FILE (`-`: standard input).

    Every error of the file is reported, up to 20, each with its place; the exit code is then 1.

    \b
    Examples:
      kc asm kernel.asm --target plena --out kernel.hex
      kc asm - --target plena --format listing < kernel.asm
    """
    with reporting("kc.asm/1", as_json):
        target = open_target(ctx, target_name, machine, settings, extensions)
        source = read_program(file)
        program = target.assemble(source, filename="<stdin>" if file == "-" else file)
        data = render(program, form)
        if destination is not None:
            write_file(destination, data)
        if as_json:
            entry: dict[str, Any] = {
                "ok": True,
                "target": target.name,
                "extensions": list(target.extensions),
                "digest": program.digest,
                "count": len(program),
                "bytes": len(program.image),
                "entry": program.entry,
                "symbols": dict(program.symbols),
                "diagnostics": [finding.as_dict() for finding in program.diagnostics],
            }
            if destination is not None:
                entry["output"] = destination
            elif len(program) <= MAX_JSON_WORDS:
                entry["words"] = list(program.words)
            output.emit("kc.asm/1", entry)
            return
        show_findings(program.diagnostics)
        if destination is not None:
            click.echo(f"{len(program)} items, {len(program.image)} bytes -> {destination}", err=True)
        elif isinstance(data, bytes):
            sys.stdout.buffer.write(data)
        else:
            click.echo(data, nl=False)


def render(program: Program, form: str) -> str | bytes:
    """Return the machine code as `hex` or `listing` text, or as `bin` bytes."""
    if form == "bin":
        return program.image
    return program.hex_text() if form == "hex" else listing(program)


def listing(program: Program) -> str:
    """Return address, word and source line side by side; a line that became several words is shown once."""
    width = max(4, len(f"{program.end:x}"))
    out = []
    shown = 0
    for index in range(len(program)):
        item = program.item(index)
        digits = 2 * item.length
        word = f"{item.word:0{digits}X}" if item.length <= 32 else f"({item.length} bytes)"
        text = ""
        if item.line and item.line != shown and item.line <= len(program.source):
            text = f"{item.line:>6}  {program.source[item.line - 1].rstrip()}"
            shown = item.line
        out.append(f"{item.address:0{width}x}  {word}  {text}".rstrip())
    return "".join(f"{line}\n" for line in out)
