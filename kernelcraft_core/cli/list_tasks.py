"""`kc list-tasks`: tasks x targets x configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import json_option, registry_of, reporting
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError

if TYPE_CHECKING:
    from kernelcraft_core.tasks import Task, Workload
    from kernelcraft_core.tasks.catalogue import Catalogue


@click.command("list-tasks", context_settings=output.HELP)
@click.option("--target", "targets", multiple=True, metavar="NAME", help="Only what this target has. May be repeated.")
@click.option("--level", "levels", multiple=True, type=click.IntRange(1, 3), help="Only this level. May be repeated.")
@click.option("--task", "slug", metavar="TASK", help="Show one task whole: formula, flags, families, configurations.")
@click.option("--config", metavar="CONFIG", help="With --task: also print where the data of this configuration lies.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    targets: tuple[str, ...],
    levels: tuple[int, ...],
    slug: str | None,
    config: str | None,
    as_json: bool,
) -> None:
    """List the benchmark's tasks, and which configurations each target has of them.

    \b
    Examples:
      kc list-tasks
      kc list-tasks --target plena --level 2
      kc list-tasks --task softmax --target plena --config C1
      kc list-tasks --task softmax --json
    """
    if config is not None and slug is None:
        raise click.UsageError("--config goes with --task", ctx)
    from kernelcraft_core.tasks.catalogue import Catalogue

    with reporting("kc.tasks/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        names = list(dict.fromkeys(targets)) or list(catalogue.registry.targets)
        chosen = [catalogue.task(slug)] if slug is not None else list(catalogue.tasks.values())
        by_target = {name: catalogue.workloads(name) for name in names}
        if slug is not None and config is not None:
            for name in targets:
                catalogue.workload(name, slug, config.upper())
            configs = dict.fromkeys(c for found in by_target.values() for task, c in found if task == slug)
            if config.upper() not in configs:
                hint = f"configurations: {', '.join(configs)}" if configs else "no target here has the task"
                raise EvaluationError(Diagnostic("KC0604", f"no workload is {slug}/{config.upper()}", hint=hint))
    chosen = [task for task in chosen if not levels or task.level in levels]
    if targets:
        chosen = [task for task in chosen if any(t == task.slug for found in by_target.values() for t, _ in found)]
    found = {
        task.slug: {name: [w for w in by_target[name].values() if w.task == task.slug] for name in names}
        for task in chosen
    }
    if as_json:
        suites = [{"name": suite.name, "version": suite.version} for suite in catalogue.suites]
        output.emit("kc.tasks/1", {"suites": suites, "tasks": [_entry(catalogue, t, found[t.slug]) for t in chosen]})
    elif slug is not None:
        click.echo("\n\n".join(_page(catalogue, task, found[task.slug], config) for task in chosen))
    elif chosen:
        rows = [_row(task, found[task.slug]) for task in chosen]
        click.echo(output.table(rows, ("LEVEL", "NO", "TASK", "TITLE", *(name.upper() for name in names))))
    else:
        click.echo("no tasks: install a task suite (kc-tasks) or choose other targets and levels", err=True)


def _row(task: Task, workloads: dict[str, list[Workload]]) -> tuple[str, ...]:
    number = "" if task.number is None else str(task.number)
    return (str(task.level), number, task.slug, task.title, *(_configs(found) or "-" for found in workloads.values()))


def _configs(workloads: list[Workload]) -> str:
    """Return `C1-C5` for configurations in a row, else their names."""
    names = [w.config for w in workloads]
    numbers = [int(name[1:]) for name in names if name[1:].isdigit()]
    if len(names) > 2 and len(numbers) == len(names) and numbers == list(range(numbers[0], numbers[0] + len(names))):
        return f"{names[0]}-{names[-1]}"
    return " ".join(names)


def _entry(catalogue: Catalogue, task: Task, workloads: dict[str, list[Workload]]) -> dict[str, Any]:
    return {
        "slug": task.slug,
        "title": task.title,
        "number": task.number,
        "level": task.level,
        "category": task.category,
        "formula": task.formula,
        "budget": task.budget,
        "suite": catalogue.suite_of(task.slug).name,
        "parameters": dict(task.parameters),
        "flags": {n: {"default": f.default, "choices": list(f.choices), "doc": f.doc} for n, f in task.flags.items()},
        "families": list(task.family_names),
        "targets": {
            name: {
                w.config: {
                    "parameters": dict(w.parameters),
                    "flags": dict(w.flags),
                    "machine": w.machine,
                    "requires": list(w.requires),
                    "families": list(w.families),
                    "layout": w.layout,
                }
                for w in found
            }
            for name, found in workloads.items()
            if found
        },
    }


def _page(catalogue: Catalogue, task: Task, workloads: dict[str, list[Workload]], config: str | None) -> str:
    suite = catalogue.suite_of(task.slug)
    rows = [
        ("task", f"{task.title} ({task.slug}), level {task.level}, {task.budget} iterations"),
        ("suite", f"{suite.name} {suite.version}"),
        ("formula", task.formula),
        *(("parameter", f"{name}: {doc}") for name, doc in task.parameters.items()),
        *(
            (kind, f"{t.name} [{', '.join(t.shape)}]{': ' + t.doc if t.doc else ''}")
            for kind, tensors in (("input", task.inputs), ("output", task.outputs))
            for t in tensors
        ),
        *(("flag", f"{name} = {flag.default}: {flag.doc}") for name, flag in task.flags.items()),
        *(("family", f"{family.name}: {family.description}") for family in task.families),
    ]
    for name, found in workloads.items():
        for w in found:
            values = " ".join(f"{key}={value}" for key, value in w.parameters.items())
            flags = "".join(f", {key}={value}" for key, value in w.flags.items())
            rows.append((name, f"{w.config}: {values}{flags}"))
    parts = [output.table(rows), task.doc]
    if config is not None:
        found = [w for part in workloads.values() for w in part if w.config == config.upper()]
        parts += [f"{w.target} {w.name}\n\n{w.layout.strip()}" for w in found]
    return "\n\n".join(part for part in parts if part)
