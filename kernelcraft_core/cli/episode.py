"""`kc episode`: start an episode, look at it, and score its kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import ANSWER_NO, json_option, pair, registry_of, reporting, target_option

if TYPE_CHECKING:
    from kernelcraft_core.agent.episode import Episode


@click.group("episode", context_settings=output.HELP)
def command() -> None:
    """Work on one kernel from the shell, as a model does in `kc bench`.

    \b
    Examples:
      kc episode start --target plena --task silu --config C1 work
      kc tool write_code --episode work --file kernel.asm
      kc tool run_evaluation --episode work
      kc episode finish work
    """


@command.command("start", context_settings=output.HELP)
@click.argument("folder", metavar="DIR")
@target_option
@click.option("--task", required=True, metavar="TASK", help="See `kc list-tasks`.")
@click.option("--config", required=True, metavar="CONFIG", help="C1 to C5.")
@click.option("--max-evaluations", type=click.IntRange(1), metavar="N", help="Refuse more evaluations. [default: any]")
@click.option("--baseline", is_flag=True, help="Tell the speedup over the baseline after each correct evaluation.")
@click.option("--draws", type=click.IntRange(1, 1000), default=2, show_default=True, help="Sets of development inputs.")
@click.option("--set", "settings", multiple=True, metavar="PARAM=VALUE", help="Change a machine parameter.")
@click.option("--extension", "extensions", multiple=True, metavar="FILE|NAME", help="Add an extension.")
@json_option
@click.pass_context
def start(ctx: click.Context, /, folder: str, target_name: str, as_json: bool, **options: Any) -> None:
    """Start an episode in the new folder DIR.

    \b
    Example:
      kc episode start --target plena --task silu --config C1 work
    """
    from kernelcraft_core.agent.episode import Episode
    from kernelcraft_core.evaluation import Evaluator
    from kernelcraft_core.tasks.catalogue import Catalogue

    with reporting("kc.episode_status/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        overrides = dict(pair(text, "--set", "PARAM=VALUE") for text in options["settings"])
        workload = catalogue.workload(target_name, options["task"], options["config"].upper())
        settings = {"max_evaluations": options["max_evaluations"], "baseline": options["baseline"]}
        evaluator = Evaluator(catalogue, overrides, options["extensions"])
        with Episode.create(Path(folder), evaluator, workload, settings=settings, draws=options["draws"]) as episode:
            _show(episode, as_json)
    if not as_json:
        click.echo(
            f"\n{workload.layout.strip()}\n\nnext: kc tool write_code --episode {folder} --file kernel.asm", err=True
        )


@command.command("status", context_settings=output.HELP)
@click.argument("folder", metavar="DIR")
@json_option
@click.pass_context
def status(ctx: click.Context, /, folder: str, as_json: bool) -> None:
    """Show the evaluations and the best kernel of the episode in DIR; nothing is changed.

    \b
    Example:
      kc episode status work
    """
    from kernelcraft_core.agent.episode import Episode
    from kernelcraft_core.tasks.catalogue import Catalogue

    with reporting("kc.episode_status/1", as_json):
        _show(Episode.open(Path(folder), Catalogue(registry_of(ctx)), read_only=True), as_json)


@command.command("finish", context_settings=output.HELP)
@click.argument("folder", metavar="DIR")
@click.option("--draws", type=click.IntRange(2, 1000), default=2, show_default=True, help="Sets of secret inputs.")
@click.option("--no-baseline", is_flag=True, help="Do not run the baseline, and give no speedup.")
@json_option
@click.pass_context
def finish(ctx: click.Context, /, folder: str, draws: int, no_baseline: bool, as_json: bool) -> None:
    """Score the kernel of the episode in DIR on fresh secret inputs; its tools refuse to go on afterwards.

    The best kernel counts: the fastest that was right on the development inputs, or the last one when none was. The exit
    code is 1 unless it passes.

    \b
    Example:
      kc episode finish work
    """
    from kernelcraft_core.agent.episode import Episode
    from kernelcraft_core.cli.eval import print_score
    from kernelcraft_core.evaluation import new_salt
    from kernelcraft_core.tasks.catalogue import Catalogue

    salt = new_salt()
    with (
        reporting("kc.eval/1", as_json),
        Episode.open(Path(folder), Catalogue(registry_of(ctx))) as episode,
    ):
        score = episode.score(salt, draws, baseline=not no_baseline)
        workload = episode.workload
    if as_json:
        output.emit("kc.eval/1", {"ok": score.passed, "seed": salt, **score.as_dict()})
    else:
        print_score(workload, score)
    ctx.exit(0 if score.passed else ANSWER_NO)


def _show(episode: Episode, as_json: bool) -> None:
    """Print what an episode has reached."""
    text, workload = episode.kernel_text, episode.workload
    if as_json:
        entry = {
            "ok": True,
            "diagnostics": [],
            "folder": str(episode.folder),
            "target": workload.target,
            "task": workload.task,
            "config": workload.config,
            "machine": episode.record["machine"]["name"],
            "extensions": episode.record["extensions"],
            "settings": episode.settings,
            "budget": episode.budget,
            "kernel_lines": None if text is None else len(text.splitlines()),
            "evaluations": episode.evaluations,
            "first_correct": episode.first_correct,
            "best": episode.record["best"],
            "history": episode.history,
            "finished": episode.finished,
        }
        output.emit("kc.episode_status/1", entry)
        return
    best = episode.record["best"]
    most = episode.settings.get("max_evaluations")
    rows = [
        ("workload", f"{workload.target} {workload.name}, machine {episode.record['machine']['name']}"),
        ("kernel", "none yet" if text is None else f"{len(text.splitlines()):,} lines"),
        ("evaluations", f"{episode.evaluations}" + (f" of {most}" if most is not None else "")),
        ("best", "none yet" if best is None else f"{best['cycles']:,} cycles, of evaluation {best['index']}"),
    ]
    if episode.finished:
        rows.append(("finished", "yes: scored with secret inputs"))
    click.echo(output.table(rows))
    if episode.history:
        lines = [
            (
                str(e["index"]),
                e["status"],
                "-" if e["match_rate"] is None else f"{100 * e['match_rate']:.2f} %",
                "-" if e["cycles"] is None else f"{e['cycles']:,}",
            )
            for e in episode.history
        ]
        click.echo("\n" + output.table(lines, ("EVALUATION", "STATUS", "MATCH", "CYCLES")))
