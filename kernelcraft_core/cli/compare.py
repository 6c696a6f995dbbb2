"""`kc compare`: two runs, or two subjects of one, cell by cell."""

from __future__ import annotations

from pathlib import Path

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import ANSWER_NO, json_option, reporting, show_findings

SCHEMA = "kc.compare/1"


@click.command("compare", context_settings=output.HELP)
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME",
    help="Kind of kernels or model, for runs of several: once for both sides, or twice.",
)
@click.option("--force", is_flag=True, help="Compare runs of different suites, machines or instruction sets.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    first: str,
    second: str | None,
    subjects: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Compare two runs by pairs of samples: the same target, task, configuration and repeat.

    Success is compared with the exact McNemar test, cycles by the geometric mean of the ratios, with seeded bootstrap
    intervals. Without B, two subjects of one run are compared. A run or a rescoring (RUN/scores/ID) can stand on either
    side. The exit code is 1 when a run is damaged.

    \b
    Examples:
      kc compare runs/low runs/medium
      kc compare runs/plena --subject compiler --subject expert
      kc compare runs/plena runs/plena/scores/again
    """
    if second is None and len(set(subjects)) != 2:
        raise click.UsageError("without B, name two subjects: --subject A --subject B")
    if len(subjects) > 2:
        raise click.UsageError("--subject is given at most twice")
    with reporting(SCHEMA, as_json):
        from kernelcraft_core.reports.comparison import blocks, compare
        from kernelcraft_core.reports.render import text
        from kernelcraft_core.results import load

        runs = [load(Path(path)) for path in (first, second or first)]
        found = compare(runs[0], runs[1], subjects, force)
        damaged = list(dict.fromkeys(finding for run in runs for finding in run.findings))
        findings = [*damaged, *found.warnings]
        if as_json:
            entry = {**found.as_dict(), "ok": not damaged, "diagnostics": [f.as_dict() for f in findings]}
            output.emit(SCHEMA, entry)
        else:
            show_findings(findings)
            click.echo(text(blocks(found)))
    ctx.exit(ANSWER_NO if damaged else 0)
