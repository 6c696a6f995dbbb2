"""`kc view`: the samples of a run, and one of them with its kernel and transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import ANSWER_NO, json_option, reporting, show_findings
from kernelcraft_core.diagnostics import Diagnostic, ResultsError

if TYPE_CHECKING:
    from kernelcraft_core.reports.data import Entry
    from kernelcraft_core.results import Run

SCHEMA = "kc.view/1"
WIDE = 1 << 16
"""Characters a line of the list may have: one sample, one line."""
LINES = 60
"""How many lines of a kernel are shown unless all are asked for."""


@click.command("view", context_settings=output.HELP)
@click.argument("run", metavar="RUN")
@click.argument("sample", metavar="[SAMPLE]", required=False)
@click.option("--full", is_flag=True, help="Show kernels and texts of any length as a whole.")
@click.option("--scores", metavar="ID", help="Look at a rescoring of the run; see `kc rescore`.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, run: str, sample: str | None, full: bool, scores: str | None, as_json: bool) -> None:
    """List the samples of a run, or show one: its score, findings, kernel, and its transcript turn by turn.

    SAMPLE is the start of an id, `task/config`, or `target/task/config`. The exit code is 1 when something is damaged.

    \b
    Examples:
      kc view runs/plena
      kc view runs/plena 3f2a
      kc view runs/plena plena/silu/C1 --full
    """
    with reporting(SCHEMA, as_json):
        from kernelcraft_core.reports import view
        from kernelcraft_core.reports.render import text
        from kernelcraft_core.results import load

        loaded = load(Path(run), scores)
        findings = list(loaded.findings)
        if sample is None:
            entry: Mapping[str, Any] = {"run": run, "scores": scores, "samples": list(loaded.samples)}
            shown = "" if as_json else text([view.listing(loaded)], WIDE)
        else:
            found = view.find(loaded, sample)
            kernel, events, problems = _files(loaded, found)
            findings += problems
            entry = {"run": run, "scores": scores, "sample": found.sample, "kernel": kernel, "transcript": events}
            shown = "" if as_json else _shown(found, kernel, events, full)
    if as_json:
        output.emit(SCHEMA, {**entry, "ok": not findings, "diagnostics": [f.as_dict() for f in findings]})
    else:
        show_findings(findings)
        click.echo(shown)
    ctx.exit(ANSWER_NO if findings else 0)


def _files(run: Run, found: Entry) -> tuple[str | None, Sequence[Mapping[str, Any]] | None, list[Diagnostic]]:
    """Return a sample's kernel and transcript (None: it has none), and what is wrong with their files."""
    from kernelcraft_core.results.transcripts import TRANSCRIPTS, read_transcript

    sample = found.sample or {}
    kernel, events = None, None
    problems: list[Diagnostic] = []
    try:
        kernel = run.kernel(sample)
    except ResultsError as error:
        problems += error.diagnostics
    name = None if sample["agent"] is None else sample["agent"]["transcript"]
    if name is not None:
        try:
            events, damaged = read_transcript(run.file(name, TRANSCRIPTS))
            problems += damaged
        except ResultsError as error:
            problems += error.diagnostics
    return kernel, events, problems


def _shown(found: Entry, kernel: str | None, events: Sequence[Mapping[str, Any]] | None, full: bool) -> str:
    from kernelcraft_core.reports import view
    from kernelcraft_core.reports.render import clean

    parts = [*view.score(found)]
    lines = list(view.findings(found))
    parts += ["", "findings:", *lines] if lines else []
    if kernel is not None:
        source = kernel.splitlines()
        more = [] if full or len(source) <= LINES else [f"[{len(source) - LINES} more lines; --full shows them]"]
        parts += ["", "kernel:", *(source if full else source[:LINES]), *more]
    out = clean("\n".join(parts))
    if events is not None:
        out += f"\n\ntranscript:\n\n{view.transcript(events, None if full else view.CHARACTERS)}"
    return out
