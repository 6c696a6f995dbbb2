"""`kc tool`: the tools of an agent, for a person or any other agent that works an episode from the shell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kernelcraft_core.agent.signatures import PARAMETERS, TOOLS
from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import ANSWER_NO, USAGE, json_option, read_program, registry_of, reporting
from kernelcraft_core.diagnostics import did_you_mean

_EXAMPLES = {
    "write_code": "--file kernel.asm",
    "view_output": "--what got --rows 0:4 --columns 0:8",
    "grep_docs": '--query "row sum"',
}
_USAGE_CLASSES = ("malformed_arguments", "invalid_arguments")


class _Tools(click.Group):
    """The tools by name; an unknown one is told what is near."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.commands) or f"there is {', '.join(self.commands)}"
            raise click.UsageError(f"no tool is called {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the workflow."""
        return list(self.commands)


@click.group("tool", cls=_Tools, context_settings=output.HELP)
def command() -> None:
    """Call a tool on the kernel of an episode.

    They are the tools that a model has in `kc bench`, with the same answers, on development inputs. The exit code is 0
    when the answer is good, 1 when it is not: the kernel does not assemble, traps, or is wrong.

    \b
    Examples:
      kc episode start --target plena --task silu --config C1 work
      kc tool write_code --episode work --file kernel.asm
      kc tool run_evaluation --episode work
    """


def _call(ctx: click.Context, name: str, folder: str, raw: str | None, as_json: bool, given: dict[str, Any]) -> None:
    """Call a tool and end the command with its answer."""
    from kernelcraft_core.agent.episode import Episode
    from kernelcraft_core.agent.toolbox import Toolbox
    from kernelcraft_core.tasks.catalogue import Catalogue

    file = given.pop("file", None)
    named = {key: value for key, value in given.items() if value is not None}
    if raw is not None and (named or file is not None):
        raise click.UsageError("give either --arguments or the arguments by name", ctx)
    with reporting("kc.tool/1", as_json):
        if file is not None:
            if named:
                raise click.UsageError("give either --file or --assembly-code", ctx)
            named["assembly_code"] = _decoded(read_program(file), file)
        with Episode.open(Path(folder), Catalogue(registry_of(ctx))) as episode:
            result = Toolbox(episode).call(name, named if raw is None else raw)
    if as_json:
        entry = {"tool": name, "ok": result.ok, "error_class": result.error_class, "text": result.text}
        output.emit("kc.tool/1", {**entry, "data": result.data})
    else:
        click.echo(result.text)
    ctx.exit(0 if result.ok else USAGE if result.error_class in _USAGE_CLASSES else ANSWER_NO)


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{file} is not UTF-8 text: {error}", param_hint="--file") from None


def _make(function: dict[str, Any]) -> click.Command:
    """Return the command of one tool."""
    name: str = function["name"]

    @json_option
    @click.option("--arguments", "raw", metavar="JSON", help="All arguments as one JSON object, as a model gives them.")
    @click.pass_context
    def run(ctx: click.Context, /, folder: str, raw: str | None, as_json: bool, **given: Any) -> None:
        _call(ctx, name, folder, raw, as_json, given)

    for key, schema in reversed(PARAMETERS[name]["properties"].items()):
        option = f"--{key.replace('_', '-')}"
        run = click.option(option, key, metavar="TEXT", help=schema["description"].replace("`", ""))(run)
    if name == "write_code":
        run = click.option("--file", metavar="FILE", help="Take the program from a file here (`-`: standard input).")(
            run
        )
    run = click.option("--episode", "folder", required=True, metavar="DIR", help="Folder of the episode.")(run)
    example = f"kc tool {name} --episode work {_EXAMPLES.get(name, '')}".rstrip()
    text = f"{function['description']}\n\n\b\nExample:\n  {example}"
    first = function["description"].split(". ")[0].rstrip(".") + "."
    return click.command(name, help=text, short_help=first, context_settings=output.HELP)(run)


for _tool in TOOLS:
    command.add_command(_make(_tool["function"]))
