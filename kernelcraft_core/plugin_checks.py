"""What is checked about a plug-in before it is used."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from pathlib import Path

from pluggy import PluginManager

from kernelcraft_core import KC_API, __version__
from kernelcraft_core.diagnostics import did_you_mean, nearest
from kernelcraft_core.hooks import explain
from kernelcraft_core.target_info import TargetInfo

MAX_FRAMES = 6
_MISSING = object()


class Refusal(Exception):
    """A plug-in is not used: a code of `plugins` and the reason, a sentence about "it"."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def check_module(manager: PluginManager, plugin: object) -> None:
    """Check what can be seen without calling anything.

    Raises:
        Refusal: KC0302, KC0303.
    """
    try:
        hash(plugin)
        _check_api(getattr(plugin, "KC_API", _MISSING))
        problems = list(_hook_problems(manager, plugin))
    except Refusal:
        raise
    except Exception as error:
        raise Refusal("KC0303", f"it cannot be inspected: {explain(error)}") from error
    if problems:
        raise Refusal("KC0303", "; ".join(problems))


def _check_api(stated: object) -> None:
    core = f"kernelcraft-core {__version__} works with KC_API = {KC_API}"
    if stated is _MISSING:
        raise Refusal("KC0302", f"it does not state KC_API, the version of the plug-in contract; {core}")
    if type(stated) is not int:
        raise Refusal("KC0302", f"its KC_API is {stated!r:.40}, not an integer; {core}")
    if stated != KC_API:
        update = "the core is too old for it" if stated > KC_API else "it is too old for this core"
        raise Refusal("KC0302", f"it states KC_API = {stated}: {update} ({core})")


def _hook_problems(manager: PluginManager, plugin: object) -> Iterable[str]:
    """Yield one sentence per function that does not fit its hook; pluggy would stop at the first or say nothing."""
    specs = {name: tuple(caller.spec.argnames) for name, caller in vars(manager.hook).items() if caller.has_spec()}
    marked = 0
    for name in dir(plugin):
        options = manager.parse_hookimpl_opts(plugin, name)
        if options is None:
            if name in specs and _own_function(plugin, name):
                yield f"{name} is not marked with @hookimpl"
            continue
        marked += 1
        hook = options.get("specname") or name
        if hook not in specs:
            if not options.get("optionalhook"):
                near = nearest(hook.removeprefix("kc_"), [spec.removeprefix("kc_") for spec in specs], count=1)
                yield f"there is no hook {hook}" + "".join(f"; did you mean kc_{name}?" for name in near)
        elif options.get("wrapper") or options.get("hookwrapper"):
            yield f"{name} is a wrapper; KernelCraft's hooks cannot be wrapped"
        else:
            yield from _argument_problems(name, getattr(plugin, name), hook, specs[hook])
    if not marked:
        yield "it implements no hook; mark functions with @kernelcraft_core.hookimpl"


def _own_function(plugin: object, name: str) -> bool:
    value = getattr(plugin, name, None)
    home = getattr(plugin, "__name__", None) or type(plugin).__module__
    return inspect.isfunction(value) and value.__module__ == home


def _argument_problems(name: str, function: object, hook: str, known: tuple[str, ...]) -> Iterable[str]:
    if not callable(function):
        yield f"{name} is not a function"
        return
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            yield f"{name}: `{parameter}` is never filled in; {_takes(hook, known)}"
        elif parameter.name not in known and parameter.default is parameter.empty:
            hint = did_you_mean(parameter.name, known)
            yield f"{name}: no argument is called {parameter.name!r}; {hint or _takes(hook, known)}"


def _takes(hook: str, known: tuple[str, ...]) -> str:
    return f"the hook is {hook}({', '.join(known)})"


def iterate(answer: object) -> Iterable[object]:
    """Return what `kc_targets` returned as something to loop over.

    Raises:
        Refusal: KC0304 it is no iterable.
    """
    if answer is None:
        return ()
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise Refusal("KC0304", f"kc_targets returned {type(answer).__name__}, not a list of TargetInfo")
    return answer


def check_targets(answers: Iterable[object]) -> list[TargetInfo]:
    """Return what a plug-in announced.

    Raises:
        Refusal: KC0304 something is no `TargetInfo`, or a name stands there twice.
    """
    infos: dict[str, TargetInfo] = {}
    for entry in answers:
        if not isinstance(entry, TargetInfo):
            raise Refusal("KC0304", f"kc_targets returned a {type(entry).__name__}, not a TargetInfo")
        if entry.name in infos:
            raise Refusal("KC0304", f"kc_targets announces the target {entry.name!r} twice")
        infos[entry.name] = entry
    return list(infos.values())


def frames(error: BaseException | None) -> tuple[str, ...]:
    """Return the last lines of an exception's traceback, without the import system's and the manager's own frames."""
    if error is None:
        return ()
    import traceback

    try:
        stack = traceback.extract_tb(error.__traceback__)
        inside = [f for f in stack if not f.filename.startswith("<frozen ") and not _manager_frame(f.filename)]
        shown = traceback.format_list(inside[-MAX_FRAMES:]) + traceback.format_exception_only(error)
    except Exception:
        return ()
    return tuple(line for entry in shown for line in entry.rstrip("\n").split("\n"))


def _manager_frame(filename: str) -> bool:
    folder = os.path.dirname(__file__)
    own = ("plugins.py", "discovery.py", "hooks.py", "plugin_checks.py")
    return filename in {os.path.join(folder, name) for name in own} or "importlib" in Path(filename).parts
