"""The part of `kc bench` that lets models write the kernels: options, the study they ask for, estimates, progress."""

from __future__ import annotations

import functools
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import pair, show_findings

if TYPE_CHECKING:
    from kernelcraft_core.agent.episode import Episode
    from kernelcraft_core.agent.experiment import Experiment
    from kernelcraft_core.agent.grid import Study
    from kernelcraft_core.agent.limits import Limits
    from kernelcraft_core.agent.protocol import Message
    from kernelcraft_core.agent.spending import RunBudget
    from kernelcraft_core.bench import Plan, Settings, Workers
    from kernelcraft_core.diagnostics import Diagnostic
    from kernelcraft_core.results import RunFolder
    from kernelcraft_core.tasks.catalogue import Catalogue

EXPERIMENTS = "kc.experiments/1"
LIST = "list"
LINES = 10.0
"""Seconds between two lines of progress where there is no terminal."""
_LIMITS = ("iterations", "evaluations", "tokens", "output_tokens", "price", "wall_time")
_EPISODE = {f"max_{'seconds' if name == 'wall_time' else name}": name for name in _LIMITS}
_RUN = {f"run_{option}": name for option, name in _EPISODE.items()}
_WISHES = ("models", "reasoning", "model_settings", "repeats", "one_shot", "template", "docs", "conversation")
"""Options about models, besides those of limits and `experiment`."""
_F = TypeVar("_F", bound=Callable[..., Any])


def model_options(function: _F) -> _F:
    """Add the options about models."""
    count, amount = click.IntRange(0), click.FloatRange(0)
    options = [
        click.option(
            "--model", "models", multiple=True, metavar="MODEL", help="Let MODEL write the kernels. Repeatable."
        ),
        click.option(
            "--experiment", metavar="FILE|NAME", help="Run an experiment; `list` lists those that come with kc."
        ),
        click.option(
            "--reasoning", type=click.Choice(("off", "low", "medium", "high")), help="How much models reason."
        ),
        click.option(
            "--model-set", "model_settings", multiple=True, metavar="NAME=VALUE", help="Change a setting of the models."
        ),
        click.option(
            "--repeats", type=click.IntRange(1, 1000), metavar="N", help="Episodes of each cell; 1 by default."
        ),
        click.option("--one-shot", metavar="TASK/CONFIG|auto", help="Show another task's kernel in the prompt."),
        click.option("--template", is_flag=True, help="Show the target's baseline kernel, to be improved."),
        click.option(
            "--docs", metavar="NAMES", help="Only these documents of the target, with commas; `none`: not one."
        ),
        click.option("--conversation", is_flag=True, help="Answer between turns of the model, at the terminal."),
        click.option("--max-iterations", type=count, help="Replies in an episode; the task's budget by default."),
        click.option("--max-evaluations", type=count, help="Evaluations in an episode."),
        click.option("--max-tokens", type=count, help="Tokens read and written in an episode."),
        click.option("--max-output-tokens", type=count, help="Tokens written in an episode."),
        click.option("--max-price", type=amount, metavar="USD", help="Price of an episode."),
        click.option("--max-seconds", type=amount, help="Wall time of an episode."),
        click.option("--run-max-iterations", type=count, help="Replies in the whole run."),
        click.option("--run-max-evaluations", type=count, help="Evaluations in the whole run."),
        click.option("--run-max-tokens", type=count, help="Tokens read and written in the whole run."),
        click.option("--run-max-output-tokens", type=count, help="Tokens written in the whole run."),
        click.option("--run-max-price", type=amount, metavar="USD", help="Price of the whole run."),
        click.option("--run-max-seconds", type=amount, help="Wall time of the run, counted from each start."),
        click.option(
            "--allow-unknown-price", is_flag=True, help="Go on where a price is limited and nobody knows the model's."
        ),
        click.option("--dry-run", is_flag=True, help="Only say what would be run, and what it would take at most."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


# --- what is asked for ------------------------------------------------------------------------------------------------


def study_of(options: Mapping[str, Any]) -> Study | None:
    """Return what models are to do; None for a run of kernels.

    Raises:
        EvaluationError: KC0778, KC0779. LimitError: KC0750.
    """
    if not options["models"] and options["experiment"] is None:
        named = [
            name
            for name in (*_WISHES, *_EPISODE, *_RUN, "allow_unknown_price")
            if options[name] not in (None, (), False)
        ]
        if named:
            raise click.UsageError(f"{_flag(named[0])} needs --model or --experiment")
        return None
    for name in ("kernels", "kinds"):
        if options[name]:
            raise click.UsageError(f"{_flag(name)} is for runs of kernels, not of models")
    from attrs import evolve

    from kernelcraft_core.agent.grid import Grid, ModelChoice, Study

    models = tuple(ModelChoice(name, _settings(options)) for name in options["models"])
    if options["experiment"] is None:
        study = Study((Grid(models=models, prompts=(_prompt(options),)),))
    else:
        study = _experiment(options).study
        if models:
            study = evolve(study, grids=tuple(evolve(grid, models=models) for grid in study.grids))
    repeats = options["repeats"]
    grids = [evolve(grid, limits=changed(grid.limits, options, _EPISODE)) for grid in study.grids]
    if repeats is not None:
        grids = [evolve(grid, repeats=repeats) for grid in grids]
    return evolve(study, grids=tuple(grids), limits=run_limits(study.limits, options))


def _experiment(options: Mapping[str, Any]) -> Experiment:
    from kernelcraft_core.agent.experiment import find

    for name in ("reasoning", "model_settings", "one_shot", "template", "docs", "conversation"):
        fits = name in ("reasoning", "model_settings") and options["models"]
        if options[name] not in (None, (), False) and not fits:
            raise click.UsageError(f"{_flag(name)} has no place beside --experiment, which says so itself")
    return find(options["experiment"])


def _flag(name: str) -> str:
    return "--" + {"models": "model", "kinds": "kind", "model_settings": "model-set"}.get(name, name).replace("_", "-")


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of models: values are JSON where they can be, and text otherwise."""
    found: dict[str, Any] = {}
    for text in options["model_settings"]:
        name, value = pair(text, "--model-set", "NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found if options["reasoning"] is None else {**found, "reasoning": options["reasoning"]}


def _prompt(options: Mapping[str, Any]) -> Any:
    from kernelcraft_core.agent.grid import PromptChoice

    docs = options["docs"]
    names = None if docs is None else tuple(name.strip() for name in docs.split(",") if name.strip())
    documents = () if names == ("none",) else names
    return PromptChoice(options["one_shot"], options["template"], documents, options["conversation"])


def changed(limits: Limits, options: Mapping[str, Any], names: Mapping[str, str]) -> Limits:
    """Return limits with those that options give in their place."""
    from kernelcraft_core.agent.limits import Limits

    given = {limit: options[option] for option, limit in names.items() if options[option] is not None}
    if options["allow_unknown_price"]:
        given["unknown_price"] = True
    return Limits.of({**limits.as_dict(), **given})


def run_limits(limits: Limits, options: Mapping[str, Any]) -> Limits:
    """Return the limits of a run with those that options give in their place."""
    return changed(limits, options, _RUN)


def with_run_limits(plan: Plan, options: Mapping[str, Any]) -> Plan:
    """Return a plan that goes on, with limits of the run that options give in the place of its own.

    Raises:
        LimitError: KC0750.
    """
    if not plan.settings.agent:
        return plan
    from attrs import evolve

    from kernelcraft_core.agent.limits import Limits

    agent = plan.settings.agent
    limits = run_limits(Limits.of(agent["limits"]), options)
    return evolve(plan, settings=evolve(plan.settings, agent={**agent, "limits": limits.as_dict()}))


def refused_beside_resume(options: Mapping[str, Any], settings: Settings) -> list[str]:
    """Return why options do not go with `--resume`: it takes everything from the run but the limits of the run."""
    names = (*_WISHES, "experiment", *_EPISODE, *(() if settings.agent else _RUN))
    return [
        f"it keeps its own, so {_flag(name)} has no place beside --resume"
        for name in names
        if options[name] not in (None, (), False)
    ]


def list_experiments(as_json: bool) -> None:
    """Print the experiments that come with the core."""
    from kernelcraft_core.agent.experiment import shipped

    found = shipped().values()
    if as_json:
        entries = [{"name": e.name, "title": e.title, **e.study.as_dict()} for e in found]
        output.emit(EXPERIMENTS, {"ok": True, "experiments": entries})
    else:
        click.echo(output.table([(e.name, e.title) for e in found], ("NAME", "TITLE")))


def default_folder(settings: Settings) -> str | None:
    """Return where a run is kept whose results cost something, when nobody says where, and say so; None for others."""
    from kernelcraft_core.agent.estimate import costs
    from kernelcraft_core.agent.grid import Study

    study = Study.of(settings.agent)
    names = list(dict.fromkeys(choice.name for grid in study.grids for choice in grid.models))
    if not any(map(costs, names)):
        return None
    what = study.name or (names[0] if len(names) == 1 else f"{len(names)}-models")
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", what).strip("-.") or "models"
    base = Path("runs") / f"{datetime.now(UTC).strftime('%Y%m%dT%H%M%SZ')}-{slug}"
    tries = (base if n == 1 else base.with_name(f"{base.name}-{n}") for n in range(1, 1000))
    folder = str(next(path for path in tries if not path.exists()))
    click.echo(f"the run is kept in {folder}", err=True)
    return folder


# --- the run ----------------------------------------------------------------------------------------------------------


def workers_of(workers: Workers, plan: Plan) -> Workers:
    """Return workers that carry out episodes."""
    from attrs import evolve

    from kernelcraft_core.agent.scoring import EpisodeScorer

    scorer: Any = functools.partial(EpisodeScorer, person=answer) if needs_person(plan) else EpisodeScorer
    return evolve(workers, scorer=scorer)


def needs_person(plan: Plan) -> bool:
    """Whether somebody at the terminal takes part, so that there can be one episode at a time."""
    return any(
        cell.agent["prompt"]["conversation"] or cell.agent["model"]["name"] == "human"
        for cell in plan.cells
        if cell.agent
    )


def answer(message: Message, episode: Episode) -> str | None:
    """Ask the person at the terminal for an answer to the model; None when there is none, which ends the episode."""
    click.echo(f"\n--- {episode.workload.name}: the model says\n{message.content}", err=True)
    click.echo(
        "--- your answer, ended by an empty line; an empty answer lets it go on, Ctrl-D ends the episode", err=True
    )
    lines: list[str] = []
    while True:
        line = sys.stdin.readline()
        if not line:
            return "".join(lines) or None
        if not line.strip():
            return "".join(lines)
        lines.append(line)


@contextmanager
def model_progress(
    total: int, samples: Sequence[Mapping[str, Any]], budget: RunBudget
) -> Iterator[Callable[[Any], None]]:
    """Give a function that is told of each new sample; what is done, passed and spent goes to standard error meanwhile."""
    counts = {"done": len(samples), "passed": sum(s["status"] == "passed" for s in samples)}
    terminal = sys.stderr.isatty()
    ended = threading.Event()

    def show() -> None:
        text = f"{counts['done']}/{total} episodes, {counts['passed']} passed, {spent_text(budget)}"
        click.echo(f"\r\x1b[K{text}" if terminal else text, err=True, nl=not terminal)

    def watch() -> None:
        while not ended.wait(1.0 if terminal else LINES):
            show()

    def advance(sample: Mapping[str, Any]) -> None:
        counts["done"] += 1
        counts["passed"] += sample["status"] == "passed"
        if terminal:
            show()

    thread = threading.Thread(target=watch, name="progress", daemon=True)
    thread.start()
    try:
        yield advance
    finally:
        ended.set()
        thread.join()
        if terminal:
            click.echo("", err=True)


def spent_text(budget: RunBudget) -> str:
    """Return what a run has spent, and of what."""
    spent, limits = budget.spent, budget.limits
    tokens = f"{spent.tokens:,}" + ("" if limits.tokens is None else f" of {limits.tokens:,}")
    known = f"{spent.price:.2f}" + ("" if limits.price is None else f" of {limits.price:.2f}") + " USD"
    price = known if not spent.unpriced else f"{known} and an unknown part" if spent.price else "price unknown"
    out = [f"{tokens} tokens", price]
    for name, what in (("iterations", "replies"), ("evaluations", "evaluations"), ("output_tokens", "tokens written")):
        most = getattr(limits, name)
        if most is not None:
            out.append(f"{getattr(spent, name):,} of {most:,} {what}")
    if limits.wall_time is not None:
        out.append(f"{spent.wall_time:,.0f} of {limits.wall_time:,.0f} s")
    return ", ".join(out)


def run_models(
    plan: Plan,
    folder: RunFolder,
    workers: Workers,
    *,
    jobs: int,
    place: Any,
    on_sample: Callable[[Mapping[str, Any]], None],
) -> tuple[list[dict[str, Any]], list[Diagnostic]]:
    """Return the samples of a plan after its episodes, and what was not begun and why.

    Raises:
        ResultsError: KC0806. ModelSetupError: KC0733.
    """
    from kernelcraft_core.agent import spending
    from kernelcraft_core.agent.cells import check_models
    from kernelcraft_core.agent.gate import Gate
    from kernelcraft_core.agent.limits import Limits
    from kernelcraft_core.bench import run

    latest = folder.latest()
    finished = [latest[cell.id] for cell in plan.cells if folder.scored(cell.id)]
    show_findings(check_models((c for c in plan.cells if not folder.scored(c.id)), workers.catalogue.registry))
    damaged = spending.begin(folder.path)
    gate = Gate.of(folder.path, Limits.of(plan.settings.agent["limits"]))
    if needs_person(plan):
        if place is not None:
            raise click.UsageError("a person takes part, so --executor must be local")
        jobs = 1
    with model_progress(len(plan.cells), finished, gate.budget) as advance:

        def hear(sample: Mapping[str, Any]) -> None:
            gate.hear(sample)
            on_sample(sample)
            advance(sample)

        samples = run(
            plan, folder, workers_of(workers, plan), jobs=jobs, on_sample=hear, wanted=gate.wanted, place=place
        )
    return samples, [*damaged, *gate.findings()]


def report_text(folder: RunFolder, catalogue: Catalogue, published: Sequence[Any] | None) -> str:
    """Return the report of a run of models, beside published results when they are given."""
    from attrs import asdict

    from kernelcraft_core.reports.blocks import blocks
    from kernelcraft_core.reports.data import PublishedResults, build
    from kernelcraft_core.reports.render import text
    from kernelcraft_core.results import load

    cited = None
    if published is not None:
        success = [asdict(entry) for entry in catalogue.published_success()]
        cited = PublishedResults(published, success)
    return text(blocks(build(load(folder.path), cited)))


def planner_of(settings: Settings) -> Any:
    """Return what plans a run with these settings."""
    from kernelcraft_core import bench

    if not settings.agent:
        return bench.make_plan
    from kernelcraft_core.agent.cells import make_plan

    return make_plan
