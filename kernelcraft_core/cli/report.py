"""`kc report`: what came out of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.session import session_of
from kernelcraft_core.cli.support import ANSWER_NO, json_option, reporting, show_findings, write_file

if TYPE_CHECKING:
    from kernelcraft_core.reports.data import PublishedResults, Report

SCHEMA = "kc.report/1"
FORMATS = ("text", "markdown", "csv", "json")


@click.command("report", context_settings=output.HELP)
@click.argument("run", metavar="RUN")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What to print (text) or to write (all but text).")
@click.option("--table", metavar="NAME", help="The table that --format csv prints; `cells` by default.")
@click.option("--out", metavar="DIR", help="Write report.md, report.json and a CSV file for each table into DIR.")
@click.option("--figures", is_flag=True, help="With --out: draw speedups and tokens as SVG and PNG (needs matplotlib).")
@click.option("--published", is_flag=True, help="Show published success and cycles beside the run's.")
@click.option("--scores", metavar="ID", help="Report a rescoring of the run instead; see `kc rescore`.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    run: str,
    form: str | None,
    table: str | None,
    out: str | None,
    figures: bool,
    published: bool,
    scores: str | None,
    as_json: bool,
) -> None:
    """Report a run: success, pass@k, speedups, tokens, tools and failures.

    A run may still be going on: what has no score yet is counted as not run. Damaged lines are left out and named, and
    the exit code is then 1.

    \b
    Examples:
      kc report runs/plena
      kc report runs/plena --published --format markdown > report.md
      kc report runs/plena --out report --figures
      kc report runs/plena --format csv --table success
    """
    if figures and out is None:
        raise click.UsageError("--figures needs --out")
    if table is not None and (form != "csv" or out is not None):
        raise click.UsageError("--table goes with --format csv, without --out")
    with reporting(SCHEMA, as_json):
        from kernelcraft_core.reports.data import build
        from kernelcraft_core.results import load

        if figures:
            from kernelcraft_core.reports.figures import require

            require()
        report = build(load(Path(run), scores), _published(ctx) if published else None)
        written = [] if out is None else _write(report, Path(out), form, figures)
        if as_json:
            output.emit(SCHEMA, {**report.as_dict(), "ok": not report.findings, "written": list(map(str, written))})
        else:
            show_findings(report.findings)
            for path in written:
                click.echo(f"wrote {path}", err=True)
            if out is None:
                click.echo(_rendered(report, form or "text", table or "cells"), nl=False)
    ctx.exit(ANSWER_NO if report.findings else 0)


def _rendered(report: Report, form: str, table: str = "cells") -> str:
    """Return the report in a format, with its last line end."""
    from kernelcraft_core.reports.blocks import blocks
    from kernelcraft_core.reports.render import csv_text, markdown, text

    if form == "markdown":
        return markdown(blocks(report), f"Report of {report.header['run']}")
    if form == "json":
        return output.dump(SCHEMA, report.as_dict()) + "\n"
    if form == "csv":
        if table not in report.sections:
            raise click.UsageError(f"there is no table {table!r}; tables: {', '.join(report.sections)}")
        return csv_text(report.sections[table])
    return text(blocks(report)) + "\n"


def _write(report: Report, folder: Path, form: str | None, figures: bool) -> list[Path]:
    """Write the report in one format, or in all but text, and return the files."""
    names = {"markdown": "report.md", "json": "report.json", "text": "report.txt"}
    files: dict[Path, str] = {}
    for kind in FORMATS[1:] if form is None else (form,):
        if kind == "csv":
            files |= {folder / f"{name}.csv": _rendered(report, kind, name) for name in report.sections}
        else:
            files[folder / names[kind]] = _rendered(report, kind)
    for path, content in files.items():
        write_file(str(path), content, folders=True)
    drawn: list[Path] = []
    if figures:
        from kernelcraft_core.reports.figures import draw

        drawn = draw(report, folder)
    return [*files, *drawn]


def _published(ctx: click.Context) -> PublishedResults:
    """Return the cited results of all installed task suites."""
    from attrs import asdict

    from kernelcraft_core.reports.data import PublishedResults
    from kernelcraft_core.tasks.catalogue import Catalogue

    catalogue = Catalogue(session_of(ctx).registry)
    return PublishedResults(list(map(asdict, catalogue.published())), list(map(asdict, catalogue.published_success())))
