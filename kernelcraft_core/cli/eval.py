"""`kc eval`: score one kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import (
    ANSWER_NO,
    backend_option,
    json_option,
    pair,
    read_program,
    registry_of,
    reporting,
    show_findings,
    target_option,
)
from kernelcraft_core.hookspecs import CORE

if TYPE_CHECKING:
    from kernelcraft_core.evaluation import Evaluation, Evaluator
    from kernelcraft_core.tasks import Workload

_WORST = ("OUTPUT", "INDEX", "EXPECTED", "GOT", "ERROR", "ULP")


@click.command("eval", context_settings=output.HELP)
@click.argument("file", metavar="[FILE]", required=False)
@target_option
@click.option("--task", required=True, metavar="TASK", help="See `kc list-tasks`.")
@click.option("--config", required=True, metavar="CONFIG", help="C1 to C5.")
@click.option("--kind", metavar="KIND", help="Score the kernel of this kind that comes with the target, not a FILE.")
@click.option(
    "--seed", metavar="TEXT", help="Seed of the inputs, `development` for those agents see. [default: secret]"
)
@click.option(
    "--draws",
    type=click.IntRange(2, 1000),
    default=2,
    help="Sets of inputs. [default: 2, or more where the workload asks for them]",
)
@click.option("--no-baseline", is_flag=True, help="Do not run the baseline, and give no speedup.")
@click.option("--set", "settings", multiple=True, metavar="PARAM=VALUE", help="Change a machine parameter.")
@click.option("--extension", "extensions", multiple=True, metavar="FILE|NAME", help="Add an extension.")
@backend_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, file: str | None, target_name: str, as_json: bool, **options: Any) -> None:
    """Score the kernel in FILE (`-`: standard input) on a task in a configuration.

    The kernel runs on fresh memory, with noise wherever the workload defines nothing, once for each set of inputs. It
    passes when every element of every result is within tolerance; cycles are the largest of all runs. Speedup is baseline
    cycles / cycles, and the lower bound is one that no correct program can beat. The exit code is 1 unless it passes.

    \b
    Examples:
      kc eval --target plena --task silu --config C1 kernel.asm
      kc eval --target plena --task gemm --config C3 --kind expert
      kc eval --target plena --task softmax --config C2 kernel.asm --seed 7 --draws 5 --json
    """
    from kernelcraft_core.evaluation import Evaluator, new_salt
    from kernelcraft_core.tasks.catalogue import Catalogue

    if (file is None) == (options["kind"] is None):
        raise click.UsageError("name a FILE to score, or a --kind of kernel that comes with the target", ctx)
    salt = options["seed"] if options["seed"] is not None else new_salt()
    with reporting("kc.eval/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        overrides = dict(pair(text, "--set", "PARAM=VALUE") for text in options["settings"])
        evaluator = Evaluator(catalogue, overrides, options["extensions"], options["backend"] or CORE)
        workload = catalogue.workload(target_name, options["task"], options["config"].upper())
        score = _score(evaluator, workload, file, salt, options)
    if as_json:
        output.emit("kc.eval/1", {"ok": score.passed, "seed": salt, **score.as_dict()})
    else:
        print_score(workload, score)
    ctx.exit(0 if score.passed else ANSWER_NO)


def _score(evaluator: Evaluator, workload: Workload, file: str | None, salt: str, options: Any) -> Evaluation:
    """Return the score of the file, or of a kernel that comes with the target, beside the baseline's."""
    catalogue, draws = evaluator.catalogue, options["draws"]
    source: str | bytes
    if file is None:
        chosen = catalogue.kernel(workload, options["kind"])
        source, name = chosen.source(), f"{workload.name}.{chosen.kind}.asm"
    else:
        source, name = read_program(file), "<stdin>" if file == "-" else file
    kernels = () if options["no_baseline"] else catalogue.kernels(workload)
    if not kernels:
        return evaluator.evaluate(workload, source, salt=salt, draws=draws, filename=name)
    baseline = evaluator.evaluate(workload, kernels[0].source(), salt=salt, draws=draws)
    return evaluator.evaluate(
        workload, source, salt=salt, draws=draws, filename=name, baseline=baseline, baseline_kind=kernels[0].kind
    )


def print_score(workload: Workload, score: Evaluation) -> None:
    """Print a score: findings to standard error, the rest to standard output."""
    show_findings(score.diagnostics)
    click.echo(output.table([("status", score.status), *_rows(workload, score)]))
    comparison = score.comparison
    if comparison is not None and comparison.worst:
        rows = [
            (m.output, ", ".join(map(str, m.index)), f"{m.expected:g}", f"{m.got:g}", f"{m.abs_error:g}", _ulp(m.ulp))
            for m in comparison.worst
        ]
        click.echo(f"\n{output.table(rows, _WORST)}")


def _ulp(distance: int | None) -> str:
    return "-" if distance is None else f"{distance}"


def _rows(workload: Workload, score: Evaluation) -> list[tuple[str, str]]:
    rows = [("workload", f"{score.target} {score.task}/{score.config}")]
    if score.backend != CORE:
        rows.append(("back end", score.backend))
    tolerance, comparison = workload.tolerance, score.comparison
    if comparison is not None:
        if comparison.problem:
            rows.append(("problem", comparison.problem))
        found = f"{100 * comparison.match_rate:.2f} % ({comparison.matching} of {comparison.elements})"
        rows.append(("match rate", f"{found}, within {tolerance.atol:g} + {tolerance.rtol:g} |golden|"))
        limit = "" if tolerance.rel_l2 is None else f", at most {tolerance.rel_l2:g}"
        rows.append(("L2 error", f"{comparison.rel_l2:.3g} relative{limit}"))
        rows.append(("golden", comparison.variant))
    rows.append(("draws", ", ".join(f"{d.draw.family} {d.status}" for d in score.draws) or "none run"))
    undefined = sum(d.undefined_reads for d in score.draws)
    if undefined:
        rows.append(("undefined", f"{undefined} reads of memory that nothing defined"))
    if score.cycles is not None:
        time = "" if score.latency_ns is None else f" ({score.latency_ns:,g} ns)"
        rows.append(("cycles", f"{score.cycles:,}{time}"))
    if score.bound is not None:
        share = "" if score.bound_share is None else f", reached to {100 * score.bound_share:.1f} %"
        parts = ", ".join(f"{name} {cycles:,}" for name, cycles in score.bound.parts.items())
        rows.append(("lower bound", f"{score.bound.cycles:,}{share} ({parts})"))
        for name, share_of_rate in score.rate_shares().items():
            rows.append((f"{name} rate", f"{score.bound.rates[name]:,} cycles, {100 * share_of_rate:.1f} % of it"))
    if score.baseline_cycles is not None:
        by = f"{score.baseline_kind} ({score.baseline_cycles:,} cycles)"
        rows.append(("baseline", by) if score.speedup is None else ("speedup", f"{score.speedup:.3f} over {by}"))
    if score.instructions is not None:
        mix = ", ".join(f"{name} {count:,}" for name, count in sorted(score.mix.items(), key=lambda i: -i[1]))
        executed = f", {score.instret:,} run" if score.instret else ""
        rows.append(("instructions", f"{score.instructions:,} in {score.code_bytes:,} bytes{executed}"))
        if mix:
            rows.append(("mix", mix))
    return rows
