"""`kc tasks`: do the workloads bite?"""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.session import session_of
from kernelcraft_core.cli.support import ANSWER_NO, json_option, registry_of, reporting
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError

if TYPE_CHECKING:
    from kernelcraft_core.evaluation.bite import Bite

_HEADER = ("TARGET", "TASK", "CONFIG", "KERNEL", "NULLS", "MUTANTS", "IDENTICAL", "KILLED", "SURVIVED")


@click.group("tasks", context_settings=output.HELP)
def command() -> None:
    """Check the benchmark's own tasks."""


@command.command("check", context_settings=output.HELP)
@click.option("--target", "targets", multiple=True, metavar="NAME", help="Only this target. May be repeated.")
@click.option("--task", "tasks", multiple=True, metavar="TASK", help="Only this task. May be repeated.")
@click.option("--level", "levels", multiple=True, type=click.IntRange(1, 3), help="Only this level. May be repeated.")
@click.option("--config", "configs", multiple=True, metavar="CONFIG", help="Only this configuration. May be repeated.")
@click.option(
    "--kind", metavar="KIND", help="Kernel to mutate: a kind, or `baseline`. [default: expert, else the baseline]"
)
@click.option("--mutants", type=click.IntRange(0, 100_000), default=100, show_default=True, help="Mutants per kernel.")
@click.option("--seed", metavar="TEXT", default="development", show_default=True, help="Seed of inputs and mutants.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes.")
@click.option(
    "--at-least",
    type=click.FloatRange(0, 100),
    default=97.0,
    show_default=True,
    help="Kill rate asked for, in percent.",
)
@json_option
@click.pass_context
def check(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Check that workloads fail what does not compute their task.

    Null results (an empty program, zeros, ones, a copy of each input, the mean of the answer, the answer to another seed)
    must all fail. Mutants of the kernel that comes with the target - a changed operand, constant or opcode, a line dropped
    or swapped, a loop shortened - must fail where their outputs differ from the kernel's; those whose outputs are the same
    bit by bit wherever they are run are counted apart. The exit code is 1 when a null result passes or the rate is too low.

    \b
    Examples:
      kc tasks check --target plena --config C1 --mutants 20
      kc tasks check --target plena --jobs 2 --json
    """
    from kernelcraft_core.bench.bite import jobs_of, run
    from kernelcraft_core.tasks.catalogue import Catalogue

    with reporting("kc.tasks-check/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        jobs = jobs_of(catalogue, options)
        if not jobs:
            message = "no workload is of these tasks, levels and configurations"
            raise EvaluationError(Diagnostic("KC0620", message, hint="`kc list-tasks` shows them"))
        with click.progressbar(
            length=len(jobs), label="checking", file=sys.stderr or io.StringIO(), show_pos=True
        ) as bar:
            session = session_of(ctx)
            bites = list(run(catalogue, jobs, options["jobs"], bar.update, (session.files, session.local)))
    report = _Report(bites, options["at_least"] / 100)
    if as_json:
        output.emit("kc.tasks-check/1", report.as_dict())
    else:
        report.print()
    ctx.exit(0 if report.ok else ANSWER_NO)


class _Report:
    """What a check found, over all workloads."""

    def __init__(self, bites: list[Bite], wanted: float) -> None:
        self.bites = bites
        self.wanted = wanted
        self.killed = sum(b.killed for b in bites)
        self.identical = sum(b.identical for b in bites)
        self.survived = sum(len(b.survivors) for b in bites)
        self.nulls = [(b, name) for b in bites for name in b.passing_nulls]

    @property
    def rate(self) -> float | None:
        """Killed / mutants whose outputs differ; None without any."""
        different = self.killed + self.survived
        return self.killed / different if different else None

    @property
    def ok(self) -> bool:
        """Whether no null result passes and the kill rate is high enough."""
        return not self.nulls and (self.rate is None or self.rate >= self.wanted)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "ok": self.ok,
            "kill_rate": self.rate,
            "killed": self.killed,
            "identical": self.identical,
            "survived": self.survived,
            "passing_nulls": len(self.nulls),
            "workloads": [bite.as_dict() for bite in self.bites],
        }

    def print(self) -> None:
        """Print the table, the survivors, and the totals."""
        rows = []
        for b in self.bites:
            share = f"{100 * b.identical / b.mutants:.0f} %" if b.mutants else "-"
            rate = "-" if b.kill_rate is None else f"{100 * b.kill_rate:.1f} %"
            nulls = f"{b.nulls} fail" if not b.passing_nulls else f"{len(b.passing_nulls)} PASS"
            rows.append((b.target, b.task, b.config, b.kind, nulls, str(b.mutants), share, rate, str(len(b.survivors))))
        click.echo(output.table(rows, _HEADER))
        for b in self.bites:
            for name in b.passing_nulls:
                click.echo(f"{b.target} {b.task}/{b.config}: passes although it computes nothing: {name}")
            for mutant in b.survivors:
                click.echo(f"{b.target} {b.task}/{b.config}: survives: {mutant.describe()}")
        total = self.killed + self.identical + self.survived
        if total:
            rate = "-" if self.rate is None else f"{100 * self.rate:.2f} %"
            share = f"{100 * self.identical / total:.1f} %"
            click.echo(
                f"\n{total} mutants: {rate} of those that differ are killed, {self.survived} survive, {share} identical"
            )
