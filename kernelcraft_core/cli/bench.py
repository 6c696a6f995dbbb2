"""`kc bench`: score kernels on workloads, or let models write them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import bench_models, bench_plan, output
from kernelcraft_core.cli.session import session_of
from kernelcraft_core.cli.support import ANSWER_NO, backend_option, json_option, pair, reporting, show_findings
from kernelcraft_core.hookspecs import CORE

if TYPE_CHECKING:
    from kernelcraft_core.bench import Plan, Settings
    from kernelcraft_core.results import RunFolder
    from kernelcraft_core.tasks.catalogue import Catalogue

SCHEMA = "kc.bench/1"
LIST = 20
"""How many skipped workloads are named."""
INTERVAL = 10.0
"""Seconds between two lines of progress where there is no terminal."""


@click.command("bench", context_settings=output.HELP)
@click.option("--target", "targets", multiple=True, metavar="NAME", help="Target; all that have workloads by default.")
@click.option("--task", "tasks", multiple=True, metavar="NAME", help="Task; all by default. May be repeated.")
@click.option("--level", "levels", multiple=True, type=click.IntRange(1, 3), help="Level of tasks; all by default.")
@click.option("--config", "configs", multiple=True, metavar="NAME", help="Configuration (C1); all by default.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Kernels to score: baseline (the default), all, or published, naive, compiler, template, expert.",
)
@click.option("--kernels", metavar="DIR", help="Score the kernels DIR/<target>/<task>/<config>.asm instead.")
@bench_models.model_options
@click.option("--jobs", type=click.IntRange(1, 512), help="Processes; as many as there are processors by default.")
@click.option(
    "--executor", default="local", metavar="NAME[:ADDRESS]", help="Where cells are scored: local (the default), dask."
)
@click.option("--draws", type=click.IntRange(2, 1000), help="Sets of inputs for each kernel; 2 by default.")
@click.option("--seed", metavar="TEXT", help="Draw the inputs from TEXT instead of a secret: for development.")
@click.option(
    "--set", "settings", multiple=True, metavar="PARAM=VALUE", help="Change a machine parameter. May be repeated."
)
@click.option(
    "--extension",
    "extensions",
    multiple=True,
    metavar="FILE|NAME",
    help="Add an extension: the name of a known one, or a .toml file. May be repeated; order counts.",
)
@backend_option
@click.option("--out", metavar="DIR", help="Keep the run in this new folder.")
@click.option("--resume", metavar="RUN", help="Score what has no score yet in a run that was kept.")
@click.option("--published", is_flag=True, help="Show the best published cycles of agents beside the cells.")
@json_option
@click.option(
    "--jsonl", is_flag=True, help="Print each sample as a line of JSON once it is finished, then the summary."
)
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, jsonl: bool, **options: Any) -> None:
    """Score kernels: each on secret inputs, on every element, with its cycles and the lower bound of those.

    Without options, the baseline kernels of every installed target are scored. With --model or --experiment, models
    write the kernels: each cell is an episode with the tools of `kc tool`. A run that is kept (--out) can be
    killed at any time and continued with --resume, which takes all settings from it; its folder kernels/ can be given
    to --kernels. The exit code is 1 when a kernel does not pass, those that are known to be wrong excepted.

    \b
    Examples:
      kc bench --target plena --config C1
      kc bench --target plena --kind all --out runs/plena --jobs 4
      kc bench --kernels my_kernels --json
      kc bench --model scripted:demo --target plena --task silu --config C1
      kc bench --model gpt-5.2 --target plena --level 1 --run-max-price 20 --dry-run
      kc bench --resume runs/plena
    """
    if as_json and jsonl:
        raise click.UsageError("--json and --jsonl exclude each other")
    quiet = as_json or jsonl
    if options["experiment"] == bench_models.LIST:
        with reporting(SCHEMA, quiet):
            bench_models.list_experiments(quiet)
        return
    with reporting(SCHEMA, quiet), _opened(ctx, options) as (plan, folder, catalogue, warnings):
        if not quiet:
            show_findings(warnings)
        if options["dry_run"]:
            bench_plan.dry_run(plan, catalogue, folder, quiet)
            return
        samples, more = _run(ctx, plan, folder, catalogue, options, jsonl)
        published = _published(catalogue) if options["published"] else None
        summary = _summary(plan, samples, published, options["resume"] or options["out"])
        text = "" if quiet else _text(plan, folder, samples, catalogue, published)
    if quiet:
        entry = {**summary, "diagnostics": [finding.as_dict() for finding in (*warnings, *more)]}
        output.emit(SCHEMA, entry if jsonl else {**entry, "samples": samples})
    else:
        click.echo(text)
        show_findings(more)
        _say_skipped(plan)
    ctx.exit(0 if summary["ok"] else ANSWER_NO)


# --- the run ----------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(ctx: click.Context, options: dict[str, Any]) -> Iterator[tuple[Plan, RunFolder, Catalogue, Sequence[Any]]]:
    """Give the plan, the run folder (a temporary one when it is not to be kept), the catalogue, and warnings.

    Where a run of models is kept is put into the options when they do not say.
    """
    from kernelcraft_core import bench
    from kernelcraft_core.bench.record import settings_of
    from kernelcraft_core.results import RunFolder
    from kernelcraft_core.tasks.catalogue import Catalogue

    catalogue = Catalogue(session_of(ctx).registry)
    if options["resume"] is not None:
        with RunFolder.resume(Path(options["resume"])) as folder:
            _refuse_changes(folder, options)
            planner = bench_models.planner_of(settings_of(folder))
            plan = bench_models.with_run_limits(bench.resume(folder, catalogue, planner), options)
            yield plan, folder, catalogue, plan.findings
        return
    scratch = Path(tempfile.mkdtemp(prefix="kc-bench-"))
    try:
        settings, files = _settings(options, scratch)
        found = None
        if options["kernels"] is not None:
            workloads, _ = bench.all_workloads(catalogue, ())
            known = [(w.target, w.task, w.config) for w in workloads]
            found = bench.find_kernels(Path(options["kernels"]), known)
        planner = bench_models.planner_of(settings)
        plan = planner(catalogue, settings, scratch, found.kernels if found else None)
        if settings.agent and options["out"] is None and not options["dry_run"]:
            options["out"] = bench_models.default_folder(settings)
        keep = options["out"] is not None and not options["dry_run"]
        path = Path(options["out"]) if keep else scratch / "run"
        with bench.start(path, plan, catalogue, files) as folder:
            yield plan, folder, catalogue, (*plan.findings, *(found.findings if found else ()))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _settings(options: Mapping[str, Any], scratch: Path) -> tuple[Settings, dict[str, bytes]]:
    """Return the settings that the options ask for, and the extension files, which are written to `scratch` as well."""
    from kernelcraft_core.bench import BASELINE, Settings
    from kernelcraft_core.evaluation import new_salt
    from kernelcraft_core.isa.extension import load_extension

    if options["kernels"] is not None and options["kinds"]:
        raise click.UsageError("--kernels and --kind exclude each other")
    backend = options["backend"] or CORE
    files: dict[str, bytes] = {}
    names: list[str] = []
    for number, item in enumerate(options["extensions"]):
        name = item
        if item.endswith(".toml"):
            load_extension(Path(item))  # its findings name the file as the user knows it
            name = f"extensions/{number}-{Path(item).name}"
            files[name] = Path(item).read_bytes()
            (scratch / "extensions").mkdir(exist_ok=True)
            (scratch / name).write_bytes(files[name])
        names.append(name)
    study = bench_models.study_of(options)
    if study is not None and backend != CORE:
        raise click.UsageError("--backend is for runs of kernels, not of models")
    seed = options["seed"]
    settings = Settings(
        **_selection(options),
        kinds=options["kinds"] or (BASELINE,),
        given=options["kernels"] is not None,
        draws=options["draws"] or 2,
        salt=new_salt() if seed is None else seed,
        secret=seed is None,
        overrides=_overrides(options),
        extensions=tuple(names),
        agent={} if study is None else study.as_dict(),
        backend=backend,
    )
    return settings, files


def _selection(options: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {name: tuple(dict.fromkeys(options[name])) for name in ("targets", "tasks", "levels", "configs")}
    return {**chosen, "configs": tuple(name.upper() for name in chosen["configs"])}


def _overrides(options: Mapping[str, Any]) -> dict[str, str]:
    return dict(pair(text, "--set", "PARAM=VALUE") for text in options["settings"])


def _refuse_changes(folder: RunFolder, options: Mapping[str, Any]) -> None:
    """Refuse options beside `--resume` that say something else than the run.

    Raises:
        ResultsError: KC0803.
    """
    from kernelcraft_core.bench.record import refusal, settings_of

    was = settings_of(folder)
    given: dict[str, Any] = {**_selection(options), "kinds": options["kinds"], "overrides": _overrides(options)}
    given |= {"draws": options["draws"], "salt": options["seed"], "backend": options["backend"]}
    reasons = []
    for name, value in given.items():
        if value not in (None, (), {}) and value != getattr(was, name):
            option = {"salt": "seed", "overrides": "set", "draws": "draws"}.get(name, name.removesuffix("s"))
            reasons.append(f"--{option} is not what it was started with")
    for name, option in (("kernels", "kernels"), ("extensions", "extension"), ("out", "out")):
        if options[name]:
            reasons.append(f"it keeps its own, so --{option} has no place beside --resume")
    reasons += bench_models.refused_beside_resume(options, was)
    if reasons:
        raise refusal(folder, reasons)


def _run(
    ctx: click.Context, plan: Plan, folder: RunFolder, catalogue: Catalogue, options: Mapping[str, Any], jsonl: bool
) -> tuple[list[dict[str, Any]], Sequence[Any]]:
    """Return the samples of the plan, after scoring those that are missing under a progress display, and warnings."""
    from kernelcraft_core.bench import Workers, run
    from kernelcraft_core.bench.executors import open_place
    from kernelcraft_core.results import SAMPLE

    session = session_of(ctx)
    workers = Workers(catalogue, tuple(os.path.abspath(name) for name in session.files), session.local)
    finished = [cell.id for cell in plan.cells if folder.scored(cell.id)]
    if jsonl and finished:
        latest = folder.latest()
        for sample_id in finished:
            output.emit(SAMPLE, latest[sample_id])
    place = open_place(options["executor"], options["jobs"], session.registry)
    jobs = options["jobs"] or (processors() if place is None else place.jobs)

    def emit(sample: Mapping[str, Any]) -> None:
        if jsonl:
            output.emit(SAMPLE, sample)

    try:
        if plan.settings.agent:
            return bench_models.run_models(plan, folder, workers, jobs=jobs, place=place, on_sample=emit)
        with progress(len(plan.cells), len(finished)) as advance:

            def on_sample(sample: Mapping[str, Any]) -> None:
                emit(sample)
                advance()

            return run(plan, folder, workers, jobs=jobs, on_sample=on_sample, place=place), ()
    except KeyboardInterrupt:
        if (kept := options["resume"] or options["out"]) is not None:
            click.echo(f"\ncontinue with: kc bench --resume {kept}", err=True)
        raise
    finally:
        if place is not None:
            place.stop()


def processors() -> int:
    """Return how many processors this process may use; 1 where no process can be started: its own folder is gone."""
    try:
        os.getcwd()
    except OSError:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def progress(total: int, finished: int) -> Iterator[Any]:
    """Give a function to call after each sample: it moves a bar on a terminal, and writes a line now and then otherwise."""
    if sys.stderr is not None and sys.stderr.isatty():  # it is None where the descriptor is closed
        with click.progressbar(length=total, label="scoring", file=sys.stderr, show_pos=True) as bar:
            bar.update(finished)
            yield lambda: bar.update(1)
        return
    count, last = finished, time.monotonic()

    def advance() -> None:
        nonlocal count, last
        count += 1
        if time.monotonic() - last >= INTERVAL:
            last = time.monotonic()
            click.echo(f"scored {count} of {total}", err=True)

    yield advance


# --- what comes out ---------------------------------------------------------------------------------------------------


def _text(
    plan: Plan, folder: RunFolder, samples: Sequence[Mapping[str, Any]], catalogue: Catalogue, published: Any
) -> str:
    """Return the report of a run: of kernels by their cycles, of models by their success."""
    if plan.settings.agent:
        return bench_models.report_text(folder, catalogue, published)
    from kernelcraft_core.reports import report

    return report(samples, {cell.task: cell.title for cell in plan.cells}, published)


def _published(catalogue: Catalogue) -> list[dict[str, Any]]:
    from attrs import asdict

    return [asdict(entry) for entry in catalogue.published()]


def _summary(
    plan: Plan, samples: Sequence[Mapping[str, Any]], published: Sequence[Mapping[str, Any]] | None, run: str | None
) -> dict[str, Any]:
    """Return the summary as plain data."""
    from kernelcraft_core.reports.totals import as_expected, groups, reached, totals

    entries = []
    for group in groups(samples):
        entry = {"target": group.target, "kinds": list(group.kinds), **totals(group.samples).as_dict()}
        if published is not None:
            entry["published"] = [line.as_dict() for line in reached(group.samples, published, group.target)]
        entries.append(entry)
    return {
        "ok": all(map(as_expected, samples)) and len(samples) == len(plan.cells),
        "run": run,
        "totals": entries,
        "skipped": [
            {"target": target, "task": task, "config": config, "kind": kind}
            for target, task, config, kind in plan.skipped
        ],
    }


def _say_skipped(plan: Plan) -> None:
    """Say which workloads were left out because they have no kernel."""
    from kernelcraft_core.bench.plan import GIVEN

    if not plan.skipped:
        return
    if all(kind == GIVEN for *_, kind in plan.skipped):
        click.echo(f"skipped, no kernel in the folder: {len(plan.skipped)} workloads", err=True)
        return
    names = [f"{target} {task}/{config} ({kind})" for target, task, config, kind in plan.skipped]
    more = f", and {len(names) - LIST} more" if len(names) > LIST else ""
    click.echo(f"skipped, no kernel: {', '.join(names[:LIST])}{more}", err=True)
