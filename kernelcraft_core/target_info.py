"""`TargetInfo`: how a plug-in announces a target. Light on purpose: `kc list-targets` imports nothing heavier."""

from __future__ import annotations

import re

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, PluginError, printable

MAX_NAME = 40
_SLUG = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


@frozen
class TargetInfo:
    """A target as `kc_targets` announces it.

    Attributes:
        name: a lower-case slug such as `plena` or `my-isa`, at most 40 characters; unique among everything installed.
        title: its name for people, on one line.
        summary: one line on what it is.
        distribution: the distribution it came with; filled in by the plug-in manager, empty for one-file plug-ins.
        plugin: the plug-in it came with; filled in by the plug-in manager.

    Raises:
        PluginError: KC0304 a value is not of that form.
    """

    name: str
    title: str
    summary: str = ""
    distribution: str = ""
    plugin: str = ""

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str) or len(self.name) > MAX_NAME or not _SLUG.fullmatch(self.name):
            hint = f"lower-case letters, digits, `-` and `_`, at most {MAX_NAME} characters, such as my-isa"
            raise _refuse(f"{printable(repr(self.name))} is not a target name", hint)
        for what, text in (("title", self.title), ("summary", self.summary)):
            if not isinstance(text, str) or not text.isprintable():
                raise _refuse(f"target {self.name}: the {what} is not one line of text", None)
        if not self.title.strip():
            raise _refuse(f"target {self.name}: the title is empty", None)


def _refuse(message: str, hint: str | None) -> PluginError:
    return PluginError(Diagnostic("KC0304", message, hint=hint))
