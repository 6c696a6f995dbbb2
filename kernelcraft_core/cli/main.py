"""`kc`: global options, finding subcommands without importing them, and turning errors into messages and exit codes.

Exit codes: 0 right; 1 it ran and the answer is no; 2 usage; 3 what is named is not there (`support.exit_code`); 130
interrupted. A reader that goes away (`kc ... | head`) is no error. A command may return its exit code, or raise `SystemExit`.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core import __version__
from kernelcraft_core.cli import output
from kernelcraft_core.cli.session import session_of
from kernelcraft_core.diagnostics import WARNING, Diagnostic, KernelCraftError, PluginError, did_you_mean

if TYPE_CHECKING:
    from kernelcraft_core.plugins import PluginRegistry

USAGE = 2
INTERRUPTED = 130

SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Describe and run": {
        "list-targets": ("list_targets", "List the targets that can be used."),
        "docs": ("docs", "Print or write the reference of a target."),
        "isa": ("isa", "Show, check and compare instruction sets."),
        "asm": ("asm", "Assemble a program."),
        "disasm": ("disasm", "Disassemble machine code."),
        "sim": ("sim", "Simulate a program."),
    },
    "Score": {
        "list-tasks": ("list_tasks", "List the tasks, and which configurations each target has."),
        "eval": ("eval", "Score a kernel on a task."),
        "bench": ("bench", "Score kernels on workloads, or let models write them."),
        "baseline": ("baseline", "List, print and rebuild the kernels that come with targets."),
        "tasks": ("tasks", "Check that the workloads catch wrong kernels."),
    },
    "Agents": {
        "prompt": ("prompt", "Print what an agent is told about a task."),
        "episode": ("episode", "Work on a kernel as a model does: start, look, score."),
        "tool": ("tool", "Call a tool on the kernel of an episode."),
    },
    "Results": {
        "report": ("report", "Report what came out of a run."),
        "view": ("view", "List the samples of a run, or show one."),
        "compare": ("compare", "Compare two runs cell by cell."),
        "rescore": ("rescore", "Score the kernels of a run again."),
    },
    "Installation": {
        "plugins": ("plugins", "List the plug-ins, and why the broken ones are broken."),
        "doctor": ("doctor", "Check the installation: Python, dependencies, plug-ins, targets."),
    },
}
"""Title of a section of the help -> name of a command -> (its module in this package, its line in the help)."""

COMMANDS: Mapping[str, tuple[str, str]] = {name: entry for part in SECTIONS.values() for name, entry in part.items()}
"""Name of a command -> its entry. The module's `command` is the command."""


class LazyGroup(click.Group):
    """The root command: imports a subcommand's module when it is called, and knows those of plug-ins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, the core's first."""
        return [*COMMANDS, *sorted(self._from_plugins(ctx))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, or None."""
        if cmd_name not in COMMANDS:
            return self._from_plugins(ctx).get(cmd_name)
        module = f"kernelcraft_core.cli.{COMMANDS[cmd_name][0]}"
        try:
            found = importlib.import_module(module).command
        except ImportError as error:
            message = f"`kc {cmd_name}` cannot be loaded: {error}"
            raise PluginError(Diagnostic("KC0310", message, hint="`kc doctor` checks the installation")) from error
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; for an unknown one, say which name is near."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.list_commands(ctx)) or "`kc --help` lists the commands"
            raise click.UsageError(f"no command is called {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        parts = {title: [(name, line) for name, (_, line) in part.items()] for title, part in SECTIONS.items()}
        added = [(name, command.get_short_help_str(80)) for name, command in sorted(self._from_plugins(ctx).items())]
        parts |= {"Commands of plug-ins": added} if added else {}
        width = max(len(name) for rows in parts.values() for name, _ in rows)
        for title, rows in parts.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in rows])

    def _from_plugins(self, ctx: click.Context) -> dict[str, click.Command]:
        if "kernelcraft.commands" not in ctx.meta:
            ctx.meta["kernelcraft.commands"] = _plugin_commands(session_of(ctx).registry)
        found: dict[str, click.Command] = ctx.meta["kernelcraft.commands"]
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader of standard output that goes away ends it quietly."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_stdout()
            ctx.exit(0)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF) or error.filename is not None:
                raise
            _drop_stdout()
            raise click.UsageError(f"standard output cannot be written: {error.strerror}") from None
        return result

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and end the process with its exit code."""
        parent: Callable[..., Any] = super().main
        if not standalone_mode:
            return parent(args, prog_name, complete_var, False, windows_expand_args, **extra)
        words = list(sys.argv[1:] if args is None else args)

        def run() -> Any:
            return parent(words, prog_name or "kc", complete_var, False, windows_expand_args, **extra)

        sys.exit(_guarded(run, _wants_json(words)))


def _plugin_commands(registry: PluginRegistry) -> dict[str, click.Command]:
    """Return the commands that plug-ins add; problems are reported and left out."""
    out: dict[str, click.Command] = {}
    for impl in reversed(registry.hook.implementations("kc_commands")):
        group = click.Group(impl.plugin_name)
        registry.hook.collect(impl, "kc_commands", {"cli": group})
        for name, command in group.commands.items():
            if name in out or name in COMMANDS:
                message = f"plug-in {impl.plugin_name}: `kc {name}` exists already; its command is left out"
                click.echo(Diagnostic("KC0310", message, severity=WARNING).render(), err=True)
            else:
                out[name] = command
    return out


def _wants_json(words: Sequence[str]) -> bool:
    end = words.index("--") if "--" in words else len(words)
    return "--json" in words[:end]


def _guarded(run: Callable[[], Any], as_json: bool) -> int:
    """Return the exit code of `run`, whatever it raises."""
    try:
        result = run()
    except KernelCraftError as error:
        from kernelcraft_core.cli.support import exit_code

        return _report(error.diagnostics, as_json, exit_code(error))
    except click.ClickException as error:
        if not as_json:
            error.show()
        else:
            _report([Diagnostic("KC0300", error.format_message())], as_json, USAGE)
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except Exception as error:
        from kernelcraft_core.hooks import explain

        if as_json:
            message = f"internal error: {explain(error)}"
            _report([Diagnostic("KC0000", message)], as_json, 1)
        raise
    return result if type(result) is int else 0


def _report(findings: Sequence[Diagnostic], as_json: bool, code: int) -> int:
    if as_json:
        output.emit("kc.error/1", {"diagnostics": [finding.as_dict() for finding in findings]})
    else:
        for finding in findings:
            click.echo(finding.render(), err=True)
    return code


def _drop_stdout() -> None:
    """Let what is still buffered go nowhere, so that the interpreter does not complain when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass


@click.group(cls=LazyGroup, context_settings=output.HELP)
@click.option(
    "--plugin-file",
    "plugin_files",
    multiple=True,
    is_eager=True,
    metavar="FILE.py",
    type=click.Path(exists=True, dir_okay=False),
    help="Load a one-file plug-in. May be repeated; more can be named in KERNELCRAFT_PLUGIN_FILES.",
)
@click.option(
    "--local-plugins",
    is_eager=True,
    is_flag=True,
    help="Load the one-file plug-ins in ./kernelcraft_plugins (also with KERNELCRAFT_LOCAL_PLUGINS=1).",
)
@click.option("--no-color", is_flag=True, help="Never colour the output (also with NO_COLOR=1).")
@click.version_option(__version__, prog_name="kc")
@click.pass_context
def main(ctx: click.Context, plugin_files: tuple[str, ...], local_plugins: bool, no_color: bool) -> None:
    """Describe processors once; assemble, simulate and score kernels for them.

    Results go to standard output, everything else to standard error; every command knows --json. KERNELCRAFT_PLUGINS
    names the installed plug-ins to load, separated by commas (`none`: not one of them).

    Exit codes: 0 right; 1 it ran and the answer is no; 2 wrong usage; 3 what is named is not there (a target, machine,
    extension, task, configuration, kernel or experiment, a plug-in or a tool); 130 interrupted.
    """
    ctx.color = output.colour(not no_color)
    session_of(ctx)
