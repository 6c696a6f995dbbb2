"""`kc rescore`: score the kernels of a run again, without any model."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.session import session_of
from kernelcraft_core.cli.support import ANSWER_NO, json_option, pair, reporting, show_findings

if TYPE_CHECKING:
    from kernelcraft_core.reports.rescoring import Rescoring
    from kernelcraft_core.results import Run
    from kernelcraft_core.tasks.catalogue import Catalogue

SCHEMA = "kc.rescore/1"


@click.command("rescore", context_settings=output.HELP)
@click.argument("run", metavar="RUN")
@click.option("--scores", "name", metavar="ID", help="Name of the rescoring; one that was begun is continued.")
@click.option("--draws", type=click.IntRange(2, 1000), help="Sets of inputs for each kernel; the run's by default.")
@click.option("--seed", metavar="TEXT", help="Draw the inputs from TEXT; from a new secret by default.")
@click.option("--set", "settings", multiple=True, metavar="PARAM=VALUE", help="Change a machine parameter as well.")
@click.option("--atol", type=click.FloatRange(min=0), help="Another absolute tolerance, for every workload.")
@click.option("--rtol", type=click.FloatRange(min=0), help="Another relative tolerance.")
@click.option("--rel-l2", type=click.FloatRange(min=0), help="Another largest relative L2 error.")
@click.option("--jobs", type=click.IntRange(1, 512), help="Processes; as many as there are processors by default.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    run: str,
    name: str | None,
    draws: int | None,
    seed: str | None,
    settings: tuple[str, ...],
    jobs: int | None,
    as_json: bool,
    **parts: float | None,
) -> None:
    """Score the kernels of a run again: on new inputs, with what is installed now, and without any model.

    The run's own samples stay as they are; the new scores go to RUN/scores/ID, where `kc report RUN --scores ID` reads
    them. A rescoring can be killed and continued: name it, or give the same --seed. Tolerances are those of the
    installed target unless they are given; a workload that a null result passes with them is a harness error. The exit
    code is 1 when a status is not what it was.

    \b
    Examples:
      kc rescore runs/plena
      kc rescore runs/plena --draws 10 --seed second-look
      kc rescore runs/plena --scores tight --atol 0.006 --rtol 0.005
      kc rescore runs/plena --scores slow-memory --set HBM_LATENCY=200
    """
    for option, value in parts.items():
        if value is not None and not math.isfinite(value):
            raise click.BadParameter("a tolerance is a finite number", ctx, param_hint=f"--{option.replace('_', '-')}")
    with reporting(SCHEMA, as_json):
        from kernelcraft_core.reports.rescoring import Wanted, changes, prepare
        from kernelcraft_core.reports.totals import totals
        from kernelcraft_core.results import load
        from kernelcraft_core.tasks.catalogue import Catalogue

        catalogue = Catalogue(session_of(ctx).registry)
        before = load(Path(run))
        overrides = dict(pair(text, "--set", "PARAM=VALUE") for text in settings)
        tolerance = {key: value for key, value in parts.items() if value is not None}
        rescoring = prepare(before, Wanted(name, draws, seed, overrides, tolerance), catalogue)
        if not as_json:
            show_findings([*before.findings, *rescoring.findings])
        after = _run(ctx, rescoring, catalogue, jobs)
        changed = changes(before, after)
        found = totals(after.samples)
        counts = {"passed": found.passed, "total": found.total, "harness_errors": found.harness_errors}
    if as_json:
        findings = [finding.as_dict() for finding in (*before.findings, *rescoring.findings)]
        entry: Mapping[str, Any] = {"run": run, "scores": rescoring.name, "totals": counts, "changed": changed}
        output.emit(SCHEMA, {**entry, "ok": not changed, "diagnostics": findings})
    else:
        lines = [found.lines()[0], *map(_line, changed), f"details: kc report {run} --scores {rescoring.name}"]
        click.echo("\n".join(lines))
    ctx.exit(ANSWER_NO if changed else 0)


def _run(ctx: click.Context, rescoring: Rescoring, catalogue: Catalogue, jobs: int | None) -> Run:
    """Return the finished rescoring, after scoring what is missing under a progress display."""
    from kernelcraft_core.bench import Workers
    from kernelcraft_core.cli.bench import processors, progress
    from kernelcraft_core.reports.rescoring import rescore
    from kernelcraft_core.results import load

    session = session_of(ctx)
    workers = Workers(catalogue, tuple(os.path.abspath(name) for name in session.files), session.local)
    try:
        with rescoring.open(catalogue) as folder:
            finished = sum(folder.scored(cell.id) for cell in rescoring.cells)
            with progress(len(rescoring.cells), finished) as advance:
                rescore(rescoring, folder, workers, jobs=jobs or processors(), on_sample=lambda sample: advance())
    except KeyboardInterrupt:
        click.echo(f"\ncontinue with: kc rescore {rescoring.run.path} --scores {rescoring.name}", err=True)
        raise
    return load(rescoring.run.path, rescoring.name)


def _line(change: Mapping[str, Any]) -> str:
    repeat = f" #{change['repeat']}" if change["repeat"] else ""
    where = f"{change['target']} {change['task']}/{change['config']}{repeat}"
    return f"{where}: {change['before'].replace('_', ' ')} -> {change['after'].replace('_', ' ')}"
