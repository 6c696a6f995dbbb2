"""What the commands share: opening a target, reading and writing files, printing findings, exit codes.

Exit codes: 0 right; 1 it ran and the answer is no; 2 usage; 3 what is named is not there: a target, machine, extension,
task, configuration, kernel or experiment, a plug-in or a tool. A file that is not there is wrong usage.

Codes of what commands, and opening a target, find wrong; they never change meaning.

| code | meaning |
| --- | --- |
| KC0000 | an internal error: a mistake of ours |
| KC0254 | a line of a machine-code file is not a word in hexadecimal |
| KC0291 | a program file cannot be read |
| KC0292 | a result file cannot be written |
| KC0300 | a command is used wrongly |
| KC0305 | there is no such target |
| KC0306 | the target has no such simulator |
| KC0309 | a hook of a plug-in raises an exception when it is called |
| KC0310 | a command cannot be loaded, or a plug-in adds one that exists |
| KC0311 | a plug-in names a page outside the folder of its documents |
| KC0500 | the target has no such machine |
| KC0520 | a memory image cannot be read |
| KC0521 | a memory image is not in its format |
| KC0522 | an option about state is not of its form |
| KC0523 | state that is to be shown does not exist, or is too large to show |
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from kernelcraft_core.cli import output
from kernelcraft_core.diagnostics import AssemblyError, Diagnostic, IsaError, KernelCraftError, PluginError, Span

if TYPE_CHECKING:
    from kernelcraft_core.facade import Target

ANSWER_NO = 1
USAGE = 2
MISSING = 3
_ABSENT = frozenset(
    (
        "KC0153",  # an extension
        "KC0500",  # a machine
        *("KC0603", "KC0604", "KC0620"),  # a task, a configuration of it, one of any task
        *("KC0607", "KC0621"),  # a kernel of a workload, of any workload
        "KC0779",  # an experiment
        *("KC0733", "KC0736"),  # a library, a key
    )
)
"""Codes of findings that say that what is named is not there."""
MAX_SOURCE = 1 << 28
"""Largest program file in bytes."""
_F = TypeVar("_F", bound=Callable[..., Any])


# --- options ----------------------------------------------------------------------------------------------------------


def json_option(function: _F) -> _F:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(function)


def target_options(function: _F) -> _F:
    """Add `--machine`, `--set` and `--extension`."""
    function = click.option(
        "--extension",
        "extensions",
        multiple=True,
        metavar="FILE|NAME",
        help="Add an extension: the name of a known one, or a .toml file. May be repeated; order counts.",
    )(function)
    function = click.option(
        "--set", "settings", multiple=True, metavar="PARAM=VALUE", help="Change a machine parameter. May be repeated."
    )(function)
    return click.option("--machine", metavar="NAME", help="Machine preset; the target's first one by default.")(
        function
    )


def backend_option(function: _F) -> _F:
    """Add `--backend`."""
    return click.option(
        "--backend", metavar="NAME", help="What runs programs: core (the default), or another simulator of the target."
    )(function)


def target_option(function: _F) -> _F:
    """Add the required `--target`."""
    return click.option("--target", "target_name", required=True, metavar="NAME", help="See `kc list-targets`.")(
        function
    )


# --- targets ----------------------------------------------------------------------------------------------------------


def registry_of(ctx: click.Context) -> Any:
    """Return the plug-in registry: the one of this invocation, or one that the caller put into the context."""
    from kernelcraft_core.cli.session import Session, session_of

    given = ctx.find_root().obj
    return session_of(ctx).registry if given is None or isinstance(given, Session) else given


def open_target(
    ctx: click.Context,
    name: str,
    machine: str | None = None,
    settings: Sequence[str] = (),
    extensions: Sequence[Any] = (),
) -> Target:
    """Return the target that the options name.

    Raises:
        KernelCraftError: as `kernelcraft_core.facade.target`.
    """
    from kernelcraft_core.facade import target

    overrides = dict(pair(text, "--set", "PARAM=VALUE") for text in settings)
    return target(name, machine=machine, overrides=overrides, extensions=extensions, registry=registry_of(ctx))


def pair(text: str, option: str, form: str) -> tuple[str, str]:
    """Return the two sides of `NAME=VALUE`.

    Raises:
        click.BadParameter: there is no `=`, or nothing before it.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise click.BadParameter(f"{text!r} is not of the form {form}", param_hint=option)
    return name.strip(), value.strip()


# --- files ------------------------------------------------------------------------------------------------------------


def read_program(path: str) -> bytes:
    """Return the bytes of a program file, or of standard input for `-`; at most 256 MiB.

    Raises:
        AssemblyError: KC0291 the file cannot be read.
    """
    if path == "-":
        data = sys.stdin.buffer.read(MAX_SOURCE + 1)
    else:
        try:
            if not Path(path).is_file():
                raise _unreadable(path, "this is not a file" if Path(path).exists() else "there is no such file")
            with open(path, "rb") as stream:
                data = stream.read(MAX_SOURCE + 1)
        except (OSError, ValueError) as error:
            raise _unreadable(path, f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_SOURCE:
        raise _unreadable(path, f"the file is larger than {MAX_SOURCE} bytes")
    return data


def _unreadable(path: str, message: str) -> AssemblyError:
    return AssemblyError(Diagnostic("KC0291", message, Span(path, 1)))


def write_file(path: str, data: bytes | str, *, folders: bool = False) -> None:
    """Write a result file, with the folders it lies in when `folders` is set.

    Raises:
        AssemblyError: KC0292 the file cannot be written.
    """
    try:
        if folders:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    except (OSError, ValueError) as error:
        message = f"the file cannot be written: {getattr(error, 'strerror', None) or error}"
        raise AssemblyError(Diagnostic("KC0292", message, Span(path, 1))) from None


# --- output -----------------------------------------------------------------------------------------------------------


def show_findings(findings: Sequence[Diagnostic]) -> None:
    """Print findings to standard error."""
    for finding in findings:
        click.echo(finding.render(), err=True)


def exit_code(error: KernelCraftError) -> int:
    """Return the exit code that an error ends a command with."""
    if isinstance(error, PluginError) or error.code in _ABSENT:
        return MISSING
    if error.code in ("KC0291", "KC0292"):
        return USAGE
    if error.code == "KC0631":  # a compiler that fails
        return ANSWER_NO
    if error.code == "KC0143":  # an extension file that cannot be read
        return USAGE
    return ANSWER_NO if isinstance(error, AssemblyError | IsaError) else USAGE


@contextmanager
def reporting(schema: str, as_json: bool) -> Iterator[None]:
    """Turn a `KernelCraftError` inside into its report and the exit code that goes with it."""
    try:
        yield
    except KernelCraftError as error:
        finish(schema, as_json, error.diagnostics, exit_code(error))


def finish(schema: str, as_json: bool, findings: Sequence[Diagnostic], code: int) -> NoReturn:
    """Report findings, as JSON on standard output or as text on standard error, and end the command."""
    if as_json:
        output.emit(schema, {"ok": False, "diagnostics": [finding.as_dict() for finding in findings]})
    else:
        show_findings(findings)
    raise SystemExit(code)
