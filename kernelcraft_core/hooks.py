"""Calling hooks so that one plug-in's mistake stays its own: each plug-in is called by itself, and blame has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from types import GeneratorType
from typing import Any

from attrs import define, field, frozen
from pluggy import HookImpl, PluginManager

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

        def hook(**arguments: Any) -> Any:
            if set(arguments) != set(spec.argnames):
                raise TypeError(f"{name} takes the arguments {', '.join(spec.argnames)}, by name")
            return call(name, arguments)

        return hook

    def implementations(self, name: str, plugin: object = None) -> list[HookImpl]:
        """Return who implements a hook, in calling order: the last one registered first, `trylast` ones at the end."""
        found = reversed(getattr(self._manager.hook, name).get_hookimpls())
        return [impl for impl in found if plugin is None or impl.plugin is plugin]

    def _first(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return the first answer: the owner's, then (unless only the owner may answer) the core's, then the others'."""
        owner = self._owners.get(arguments.get("target", ""))
        found = self.implementations(name)
        if name in OWNER_ONLY:
            found = [impl for impl in found if impl.plugin is owner]
        else:
            found.sort(key=lambda impl: 0 if impl.plugin is owner else 1 if impl.plugin is self._builtin else 2)
        return next(self._results(found, owner, arguments, name), None)

    def _all(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        """Return all answers, the owner's last, so that it wins where a caller merges them in order."""
        owner = self._owners.get(arguments.get("target", ""))
        found = sorted(self.implementations(name), key=lambda impl: impl.plugin is owner)
        return list(self._results(found, owner, arguments, name))

    def _results(
        self, found: Iterable[HookImpl], owner: object, arguments: Mapping[str, Any], name: str
    ) -> Iterator[Any]:
        for impl in found:
            result = self.collect(impl, name, arguments, owner)
            if result is not None:
                yield result

    def collect(self, impl: HookImpl, hook: str, arguments: Mapping[str, Any], owner: object = None) -> Any:
        """Return one implementation's answer, None when it fails and its plug-in is not `owner` (nor the core).

        Raises:
            PluginError: KC0309 the owner failed.
            KernelCraftError: the owner raised it.
        """
        try:
            return self.call_one(impl, arguments)
        except (Exception, SystemExit) as error:
            own = isinstance(error, KernelCraftError)
            if impl.plugin is self._builtin or (own and impl.plugin is owner):
                raise
            reason = explain(error)
            if impl.plugin is owner:
                message = f"plug-in {impl.plugin_name}: {hook} failed: {reason}"
                raise PluginError(Diagnostic("KC0309", message, hint="this is a mistake in the plug-in")) from error
            self._note(impl.plugin_name, hook, reason)
            return None

    def call_one(self, impl: HookImpl, arguments: Mapping[str, Any]) -> Any:
        """Return one implementation's answer; its exceptions pass through."""
        with self._around():
            result = impl.function(*(arguments[name] for name in impl.argnames))
            if isinstance(result, GeneratorType):  # its body is the plug-in's code too
                result = tuple(result)
        return result

    def _note(self, plugin: str, hook: str, reason: str) -> None:
        failure = HookFailure(plugin, hook, reason)
        if failure not in self.failures:
            import logging

            self.failures.append(failure)
            text = "plug-in %s is left out: %s failed: %s"
            logging.getLogger("kernelcraft").warning(text, plugin, hook, reason)


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
