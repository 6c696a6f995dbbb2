"""`kc coral-baseline`: makes the compiled kernels again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kc_coral import baseline
from kc_coral.shapes import CONFIGS, TASKS

FOLDER = Path(__file__).parent / "asm"
ANSWER_NO, MISSING = 1, 3


@click.group("coral-baseline", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Make Coral's compiled baseline kernels."""


@command.command("build")
@click.option("--task", "tasks", multiple=True, type=click.Choice(TASKS), help="Only this task. May be repeated.")
@click.option("--config", "configs", multiple=True, type=click.Choice(CONFIGS), help="Only this size. May be repeated.")
@click.option(
    "--compiler",
    "wanted",
    type=click.Choice(["auto", "ziglang", "clang"]),
    default="auto",
    show_default=True,
    help="Which compiler; auto takes ziglang where it is installed.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the assembly.  [default: that of the installed package]",
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 when a file is not what the compiler makes.")
def build(tasks: tuple[str, ...], configs: tuple[str, ...], wanted: str, output: Path | None, check: bool) -> None:
    """Compile the C of the baseline, one assembly file for each task and configuration.

    The kernels that come with the package were made with ziglang 0.17.1. Another compiler makes other ones, and other
    cycles. Scoring needs no compiler.
    """
    from kc_coral.baseline.build import CompileError, NoCompilerError, compiler

    folder = output or FOLDER
    names = [(task, config) for task in tasks or TASKS for config in configs or CONFIGS]
    differing = 0
    try:
        made_by = compiler(wanted)
        click.echo(f"compiler: {made_by.name}", err=True)
        for task, config in names:
            differing += _one(folder / Path(baseline.path(task, config)).name, made_by.assembly(task, config), check)
    except NoCompilerError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(MISSING)
    except (CompileError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(ANSWER_NO)
    done = f"{len(names)} kernels, {differing} of them {'differ' if check else 'changed'}"
    click.echo(done)
    sys.exit(ANSWER_NO if check and differing else 0)


def _one(file: Path, text: str, check: bool) -> bool:
    """Write one file, unless only checking; return whether it was different before."""
    different = not file.is_file() or file.read_text(encoding="utf-8") != text
    if different:
        click.echo(f"{'differs' if check else 'written'}: {file.name}", err=True)
    if different and not check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    return different
