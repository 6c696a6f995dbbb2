"""Calling hooks so that one plug-in's mistake stays its own: every plug-in is called by itself, and blame has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from types import GeneratorType
from typing import Any

from attrs import define, field, frozen
from pluggy import PluginManager

from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError, PluginError
from kernelcraft_core.hookspecs import OWNER_ONLY

Around = Callable[[], AbstractContextManager[Any]]
"""Makes a context in which a plug-in's code runs (the command line sends what it prints to standard error)."""


@frozen
class HookFailure:
    """An exception from a plug-in that was left out because of it: its name, the hook, and what went wrong."""

    plugin: str
    hook: str
    reason: str


class HookError(PluginError):
    """A plug-in raised an exception in a hook (KC0309)."""


@define(eq=False)
class Hooks:
    """The hooks of all working plug-ins: `hooks.kc_isa(target="toy")`. See `hookspecs` for the rules of calling.

    Attributes:
        failures: exceptions that did not end an operation, one per plug-in and hook.
    """

    _manager: PluginManager
    _owners: Mapping[str, object]
    """Target's name -> the plug-in that announced it."""
    _builtin: object
    _around: Around
    failures: list[HookFailure] = field(factory=list)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name.startswith("kc_"):
            raise AttributeError(name)
        spec = getattr(self._manager.hook, name).spec
        call = self._first if spec.opts["firstresult"] else self._all
        return lambda **arguments: call(name, arguments)

    def implementers(self, name: str) -> list[object]:
        """Return the plug-ins that implement a hook, in the order in which pluggy would call them."""
        return [impl.plugin for impl in reversed(getattr(self._manager.hook, name).get_hookimpls())]

    def _first(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return the first answer: the owner's, then (unless only the owner may answer) the others'."""
        owner = self._owners.get(arguments.get("target", ""))
        plugins = self.implementers(name)
        if name in OWNER_ONLY:
            plugins = [p for p in plugins if p is owner]
        else:
            plugins.sort(key=lambda p: p is not owner)
        for result in self._results(name, plugins, owner, arguments):
            return result
        return None

    def _all(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        """Return all answers, the owner's last, so that it wins where a caller merges them in order."""
        owner = self._owners.get(arguments.get("target", ""))
        plugins = sorted(self.implementers(name), key=lambda p: p is owner)
        return list(self._results(name, plugins, owner, arguments))

    def _results(self, name: str, plugins: list[object], owner: object, arguments: dict[str, Any]) -> Iterator[Any]:
        for plugin in plugins:
            trusted = plugin is self._builtin
            try:
                result = self.call_one(plugin, name, arguments)
            except KernelCraftError as error:
                if trusted or plugin is owner:
                    raise
                self._note(plugin, name, error.diagnostics[0].message if error.diagnostics else "")
            except (Exception, SystemExit) as error:
                if trusted:
                    raise
                reason = explain(error)
                if plugin is owner:
                    message = f"plug-in {self._name(plugin)}: {name} failed: {reason}"
                    raise HookError(Diagnostic("KC0309", message, hint="this is a mistake in the plug-in")) from error
                self._note(plugin, name, reason)
            else:
                if result is not None:
                    yield result

    def call_one(self, plugin: object, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return one plug-in's own answer to a hook, None when it has none; its exceptions pass through."""
        others = [p for p in self._manager.get_plugins() if p is not plugin]
        caller = self._manager.subset_hook_caller(name, others)
        with self._around():
            result = caller(**arguments)
            if isinstance(result, list) and not caller.spec.opts["firstresult"]:  # type: ignore[union-attr]
                result = result[0] if result else None
            if isinstance(result, GeneratorType):  # its body is the plug-in's code too
                result = tuple(result)
        return result

    def _name(self, plugin: object) -> str:
        return self._manager.get_name(plugin) or "?"

    def _note(self, plugin: object, hook: str, reason: str) -> None:
        failure = HookFailure(self._name(plugin), hook, reason)
        if failure not in self.failures:
            import logging

            self.failures.append(failure)
            text = "plug-in %s is left out: %s failed: %s"
            logging.getLogger("kernelcraft").warning(text, failure.plugin, hook, reason)


def explain(error: BaseException) -> str:
    """Return an exception as one line of text; works for exceptions whose own text cannot be made."""
    if isinstance(error, KernelCraftError) and error.diagnostics:
        first = error.diagnostics[0]
        more = f" (and {len(error.diagnostics) - 1} more)" if len(error.diagnostics) > 1 else ""
        return f"{first.code}: {first.message}{more}"
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(its message cannot be printed)"
    name = type(error).__name__
    if isinstance(error, SystemExit):
        return f"it called sys.exit({text})"
    return f"{name}: {text}" if text else name
