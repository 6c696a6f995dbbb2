"""`kc plugins`: what was loaded, what was not, and why."""

from __future__ import annotations

from typing import Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.session import session_of
from kernelcraft_core.plugins import PluginRecord


def as_dict(record: PluginRecord) -> dict[str, Any]:
    """Return a record as plain data."""
    return {
        "name": record.name,
        "status": record.status,
        "source": record.source,
        "distribution": record.distribution,
        "plugin_version": record.version,
        "targets": list(record.targets),
        "code": record.code,
        "reason": record.reason,
        "traceback": list(record.traceback),
    }


@click.command("plugins", context_settings=output.HELP)
@click.option("-v", "--verbose", is_flag=True, help="Show the traceback of a plug-in that cannot be imported.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.pass_context
def command(ctx: click.Context, /, verbose: bool, as_json: bool) -> None:
    """List the plug-ins, and why the broken ones are broken."""
    records = session_of(ctx).registry.plugins
    if as_json:
        output.emit("kc.plugins/1", {"plugins": [as_dict(record) for record in records]})
        return
    if not records:
        click.echo("no plug-ins were found", err=True)
        return
    rows = []
    for record in records:
        origin = " ".join(filter(None, (record.distribution, record.version)))
        rows.append((record.name, record.status, ", ".join(record.targets) or "-", origin or "-", record.source))
    click.echo(output.table(rows, ("NAME", "STATUS", "TARGETS", "DISTRIBUTION", "SOURCE")))
    for record in records:
        if not record.ok:
            click.echo(f"\n{record.name}: [{record.code}] {record.reason}")
            if verbose and record.traceback:
                click.echo("\n".join(f"    {line}" for line in record.traceback))
