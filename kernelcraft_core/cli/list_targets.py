"""`kc list-targets`: the targets of the working plug-ins. It must stay fast: nothing heavy is imported."""

from __future__ import annotations

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.session import session_of


@click.command("list-targets", context_settings=output.HELP)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool) -> None:
    """List the targets that can be used.

    Broken plug-ins are named on standard error; `kc plugins` says what is wrong with them.
    """
    registry = session_of(ctx).registry
    versions = {record.name: record.version for record in registry.plugins if record.ok}
    if as_json:
        targets = [
            {
                "name": info.name,
                "title": info.title,
                "summary": info.summary,
                "distribution": info.distribution or None,
                "plugin": info.plugin,
                "plugin_version": versions[info.plugin],
            }
            for info in registry.targets.values()
        ]
        broken = [{"name": r.name, "distribution": r.distribution, "reason": r.reason} for r in registry.broken]
        output.emit("kc.targets/1", {"targets": targets, "broken": broken})
    elif registry.targets:
        rows = []
        for info in registry.targets.values():
            origin = " ".join(filter(None, (info.distribution or info.plugin, versions[info.plugin])))
            rows.append((info.name, info.title, origin, info.summary))
        click.echo(output.table(rows, ("NAME", "TITLE", "FROM", "SUMMARY")))
    else:
        click.echo("no targets: install a plug-in, or name one with --plugin-file", err=True)
    if registry.broken:
        names = ", ".join(record.name for record in registry.broken)
        click.echo(f"broken plug-ins: {names} (`kc plugins` tells why)", err=True)
