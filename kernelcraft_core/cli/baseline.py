"""`kc baseline`: the kernels that come with targets: list them, print one, make the compiled ones again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import ANSWER_NO, json_option, registry_of, reporting, target_option, write_file
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError

if TYPE_CHECKING:
    from kernelcraft_core.tasks import Workload
    from kernelcraft_core.tasks.building import Builder
    from kernelcraft_core.tasks.catalogue import Catalogue

ORIGIN = 70
"""Characters of an origin in the table; `--json` has all of it."""
_HEADER = ("TARGET", "TASK", "CONFIG", "KIND", "BASELINE", "ORIGIN")
_TASK = click.option("--task", "tasks", multiple=True, metavar="TASK", help="Only this task. May be repeated.")
_CONFIG = click.option(
    "--config", "configs", multiple=True, metavar="CONFIG", help="Only this configuration. May be repeated."
)


@click.group("baseline", context_settings=output.HELP)
def command() -> None:
    """List, print and rebuild the kernels that come with targets."""


@command.command("list", context_settings=output.HELP)
@click.option("--target", "targets", multiple=True, metavar="NAME", help="Only this target. May be repeated.")
@_TASK
@_CONFIG
@json_option
@click.pass_context
def list_command(
    ctx: click.Context, /, targets: tuple[str, ...], tasks: tuple[str, ...], configs: tuple[str, ...], as_json: bool
) -> None:
    """List the kernels that come with targets: kinds, which is the baseline of speedups, and origins.

    \b
    Examples:
      kc baseline list --target coral --task gemm
      kc baseline list --config C1 --json
    """
    from kernelcraft_core.tasks.catalogue import Catalogue

    with reporting("kc.baseline-list/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        found = [
            (workload, index == 0, kernel)
            for workload in _chosen(catalogue, targets, tasks, configs)
            for index, kernel in enumerate(catalogue.kernels(workload))
        ]
    if as_json:
        rows = [
            {
                "target": workload.target,
                "task": workload.task,
                "config": workload.config,
                "kind": kernel.kind,
                "baseline": first,
                "origin": kernel.origin,
                "passes": kernel.passes,
            }
            for workload, first, kernel in found
        ]
        output.emit("kc.baseline-list/1", {"kernels": rows})
        return
    lines = [
        (w.target, w.task, w.config, k.kind, "yes" if first else "", shorten(k.origin, ORIGIN, placeholder=" ..."))
        for w, first, k in found
    ]
    click.echo(output.table(lines, _HEADER))


@command.command("show", context_settings=output.HELP)
@target_option
@click.option("--task", required=True, metavar="TASK", help="See `kc list-tasks`.")
@click.option("--config", required=True, metavar="CONFIG", help="C1 to C5.")
@click.option("--kind", metavar="KIND", help="See `kc baseline list`. [default: the baseline]")
@click.option("--out", metavar="FILE", help="Write it there instead of printing it.")
@json_option
@click.pass_context
def show(
    ctx: click.Context, /, target_name: str, task: str, config: str, kind: str | None, out: str | None, as_json: bool
) -> None:
    """Print the assembly of a kernel that comes with a target.

    \b
    Examples:
      kc baseline show --target coral --task relu --config C1
      kc baseline show --target plena --task gemm --config C3 --kind expert --out gemm.asm
    """
    from kernelcraft_core.tasks.catalogue import Catalogue

    with reporting("kc.baseline-show/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        kernel = catalogue.kernel(catalogue.workload(target_name, task, config.upper()), kind)
        text = kernel.source()
        if out is not None:
            write_file(out, text)
    if as_json:
        output.emit("kc.baseline-show/1", {"kind": kernel.kind, "origin": kernel.origin, "source": text, "out": out})
    elif out is None:
        click.echo(text, nl=not text.endswith("\n"))


@command.command("build", context_settings=output.HELP)
@target_option
@_TASK
@_CONFIG
@click.option("--compiler", metavar="NAME", help="Which compiler. [default: the first that is installed]")
@click.option("--out", "folder", metavar="DIR", help="Folder for the assembly. [default: that of the target's package]")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 when a file is not what the compiler makes.")
@json_option
@click.pass_context
def build(
    ctx: click.Context,
    /,
    target_name: str,
    tasks: tuple[str, ...],
    configs: tuple[str, ...],
    compiler: str | None,
    folder: str | None,
    check: bool,
    as_json: bool,
) -> None:
    """Compile the source of a target's baseline kernels, one assembly file for each task and configuration.

    Scoring needs no compiler: what a compiler made is kept in the target's package. Another compiler makes other kernels,
    and other cycles. The exit code is 3 when no compiler is installed, 1 when one fails.

    \b
    Examples:
      kc baseline build --target coral --check
      kc baseline build --target coral --task gemm --compiler clang --out built
    """
    from kernelcraft_core.tasks.building import builder_of
    from kernelcraft_core.tasks.catalogue import Catalogue

    done: list[dict[str, Any]] = []
    with reporting("kc.baseline-build/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        chosen = _chosen(catalogue, (target_name,), tasks, configs)
        builder = builder_of(catalogue, target_name, compiler)
        if not as_json:
            click.echo(f"compiler: {builder.name}", err=True)
        into = builder.folder if folder is None else Path(folder)
        with click.progressbar(chosen, label="compiling", file=sys.stderr, show_pos=True) as bar:
            done.extend(_built(builder, into, bar, check))
    changed = [entry["file"] for entry in done if entry["changed"]]
    if as_json:
        output.emit("kc.baseline-build/1", {"compiler": builder.name, "folder": str(into), "kernels": done})
    else:
        word = "differs" if check else "written"
        click.echo("".join(f"{word}: {name}\n" for name in changed), nl=False)
        click.echo(f"{len(done)} kernels, {len(changed)} of them {'differ' if check else 'changed'}")
    ctx.exit(ANSWER_NO if check and changed else 0)


def _built(builder: Builder, folder: Path, workloads: Any, check: bool) -> Iterator[dict[str, Any]]:
    """Make kernels, and write those that differ from what is there unless only checking."""
    for workload in workloads:
        file = folder / builder.file(workload)
        text = builder.make(workload)
        changed = not file.is_file() or file.read_bytes() != text.encode("utf-8")
        if changed and not check:
            write_file(str(file), text, folders=True)
        yield {"task": workload.task, "config": workload.config, "file": file.name, "changed": changed}


def _chosen(
    catalogue: Catalogue, targets: tuple[str, ...], tasks: tuple[str, ...], configs: tuple[str, ...]
) -> list[Workload]:
    """Return the workloads that the options name.

    Raises:
        PluginError: KC0305 no such target. EvaluationError: KC0603 no such task, KC0620 none is of the configurations.
    """
    from kernelcraft_core.tasks.catalogue import select

    for slug in tasks:
        catalogue.task(slug)
    names = list(dict.fromkeys(targets)) or list(catalogue.registry.targets)
    wanted = tuple(config.upper() for config in configs)
    found = [w for name in names for w in select(catalogue.workloads(name).values(), catalogue, tasks, configs=wanted)]
    if not found:
        message = "no workload is of these tasks and configurations"
        raise EvaluationError(Diagnostic("KC0620", message, hint="`kc list-tasks` shows them"))
    return found
