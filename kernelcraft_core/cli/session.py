"""The state of one invocation of `kc`: which plug-ins the global options ask for, and what they may print."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

import click
from attrs import define

from kernelcraft_core import plugins

if TYPE_CHECKING:
    from kernelcraft_core.plugins import PluginRegistry


@define(eq=False)
class Session:
    """What the global options ask for; the `obj` of the root context."""

    files: tuple[str, ...] = ()
    local: bool = False
    _reported: bool = False

    @property
    def registry(self) -> PluginRegistry:
        """The plug-ins, loaded when a command first needs them; broken ones named on the command line are reported."""
        registry = plugins.registry()
        if not self._reported:
            self._reported = True
            for record in registry.broken:
                if record.source.removeprefix("file ") in self.files:
                    click.echo(record.diagnostic().render(), err=True)
        return registry


def session_of(ctx: click.Context) -> Session:
    """Return the session of an invocation, started from the global options when there is none yet."""
    root = ctx.find_root()
    if not isinstance(root.obj, Session):
        root.obj = Session(root.params.get("plugin_files") or (), bool(root.params.get("local_plugins")))
        plugins.configure(root.obj.files, local=root.obj.local, around=stdout_to_stderr)
        root.call_on_close(plugins.configure)
    return root.obj


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send what plug-ins print to standard error, also what native code and child processes write to descriptor 1."""
    saved = None
    try:
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
    except (OSError, ValueError, AttributeError):  # a closed or replaced stream: nothing to protect there
        pass
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)
