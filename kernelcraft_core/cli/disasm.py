"""`kc disasm`: machine code back to assembly text."""

from __future__ import annotations

import re

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import (
    json_option,
    open_target,
    read_program,
    reporting,
    target_option,
    target_options,
    write_file,
)
from kernelcraft_core.diagnostics import MAX_DIAGNOSTICS, AssemblyError, Diagnostic, Span, printable

_WORD = re.compile(rb"(?:0[xX])?([0-9A-Fa-f]{1,64})")
_COMMENT = re.compile(rb"(?:#|;|//)[^\n]*")


@click.command("disasm", context_settings=output.HELP)
@click.argument("file", metavar="FILE")
@target_option
@click.option("--out", "destination", metavar="FILE", help="Write the text to this file instead of standard output.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", "hex", "bin"]),
    default="auto",
    show_default=True,
    help="hex: one word per line; bin: little-endian bytes; auto: hex when the file is text.",
)
@click.option("--base", default="0", metavar="ADDRESS", help="Address of the first word.")
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
    base: str,
    machine: str | None,
    settings: tuple[str, ...],
    extensions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Disassemble the machine code in FILE (`-`: standard input); the text assembles to the same words.

    \b
    Examples:
      kc disasm kernel.hex --target plena
      kc asm kernel.asm --target plena | kc disasm - --target plena
    """
    try:
        address = int(base, 0)
    except ValueError:
        raise click.BadParameter(f"{base!r} is not a number", param_hint="--base") from None
    with reporting("kc.disasm/1", as_json):
        target = open_target(ctx, target_name, machine, settings, extensions)
        data = read_program(file)
        code = (
            data
            if form == "bin" or (form == "auto" and not _is_text(data))
            else hex_words(data, "<stdin>" if file == "-" else file)
        )
        text = target.disassemble(code, address)
        if destination is not None:
            write_file(destination, text)
        if as_json:
            entry = {"ok": True, "target": target.name, "diagnostics": []}
            output.emit("kc.disasm/1", entry | ({"output": destination} if destination is not None else {"text": text}))
        elif destination is None:
            click.echo(text, nl=not text.endswith("\n"))


def _is_text(data: bytes) -> bool:
    head = data[:4096]
    return all(byte in b"\t\n\r\f" or 32 <= byte < 127 for byte in head)


def hex_words(data: bytes, filename: str) -> bytes:
    """Return the little-endian bytes of a file with one word in hexadecimal per line, most significant digit first.

    Two digits are a byte, so the digits of a line say how long its word is; `#`, `;` and `//` start comments.

    Raises:
        AssemblyError: KC0254 a line is no word in hexadecimal.
    """
    out = bytearray()
    findings: list[Diagnostic] = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        token = _COMMENT.sub(b"", raw).strip()
        if not token:
            continue
        m = _WORD.fullmatch(token)
        if m is None or len(m[1]) % 2:
            shown = printable(raw.decode("latin-1"), 200)
            what = "a word of an odd number of digits" if m else "this is not a word in hexadecimal"
            column = len(raw) - len(raw.lstrip()) + 1
            findings.append(
                Diagnostic("KC0254", what, Span(filename, number, column, 1, shown), "write 0x0040000D, one per line")
            )
            if len(findings) >= MAX_DIAGNOSTICS:
                break
            continue
        out += bytes.fromhex(m[1].decode())[::-1]
    if findings:
        raise AssemblyError(findings)
    return bytes(out)
