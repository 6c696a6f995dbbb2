"""The plug-in manager: loads what is installed or asked for, and lists what cannot be used, with the reason.

A plug-in is used as a whole or not at all. It is listed as broken, and everything else goes on, when

| code | reason |
| --- | --- |
| KC0301 | it cannot be found or imported, for whatever reason |
| KC0302 | it does not state `KC_API`, or another one than this core's |
| KC0303 | it implements a hook that does not exist, or with other arguments, or none; a hook is not marked |
| KC0304 | what it announces as targets is not valid, or announcing them raises an exception |
| KC0307 | a target it announces has been announced by a plug-in loaded before it |
| KC0308 | it is listed twice: the name or the module is that of a plug-in loaded before it |

KC0305 (no such target) and KC0306 (no such simulator) come from opening a target, KC0309 from a hook that raises an
exception when it is called, KC0310 and KC0300 (wrong usage) from the command line.

The order of loading is fixed: installed plug-ins sorted by entry-point name and distribution, then the files of the
local folder sorted by name, then single files as given. Of two that clash, the one loaded first stays; the reason names
both.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import attrs
from attrs import define, field, frozen
from pluggy import PluginManager

from kernelcraft_core import builtin_plugin, discovery, hookspecs
from kernelcraft_core.diagnostics import Diagnostic, PluginError
from kernelcraft_core.discovery import GROUP, LOCAL_FOLDER, Candidate
from kernelcraft_core.hooks import Around, Hooks, explain
from kernelcraft_core.plugin_checks import Refusal, check_module, check_targets, frames, iterate
from kernelcraft_core.target_info import TargetInfo

ENV_NAMES = "KERNELCRAFT_PLUGINS"
ENV_FILES = "KERNELCRAFT_PLUGIN_FILES"
ENV_LOCAL = "KERNELCRAFT_LOCAL_PLUGINS"
BUILTIN = "(core)"

__all__ = ["PluginRecord", "PluginRegistry", "configure", "load", "registry"]


@frozen(eq=False)
class PluginRecord:
    """A plug-in that was loaded, or could not be.

    Attributes:
        name: the entry point's name, or the file's. source: where it was found.
        status: `ok` or `broken`. code, reason: why it is broken. traceback: the frames inside the plug-in.
        distribution: what installed it; None for files. targets: names of the targets it provides.
    """

    name: str
    source: str
    status: str = "ok"
    distribution: str | None = None
    targets: tuple[str, ...] = ()
    code: str | None = None
    reason: str | None = None
    traceback: tuple[str, ...] = field(default=(), repr=False)
    _read_version: Callable[[], str | None] = field(default=lambda: None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the plug-in is in use."""
        return self.status == "ok"

    @property
    def version(self) -> str | None:
        """Version of the distribution, or a one-file plug-in's `__version__`; None when there is none."""
        try:
            return self._read_version()
        except Exception:
            return None

    def diagnostic(self) -> Diagnostic:
        """Return why it is broken as a finding."""
        origin = f" of {self.distribution}" if self.distribution else ""
        return Diagnostic(self.code or "KC0301", f"plug-in {self.name}{origin} is broken: {self.reason}")


@define(eq=False)
class PluginRegistry:
    """Everything one `load` found.

    Attributes:
        plugins: in order of loading. targets: name -> `TargetInfo`, sorted by name, of the working plug-ins.
        hook: the hooks of the working plug-ins, called as `registry.hook.kc_isa(target="toy")`.
    """

    plugins: tuple[PluginRecord, ...]
    targets: Mapping[str, TargetInfo]
    hook: Hooks

    @property
    def broken(self) -> tuple[PluginRecord, ...]:
        """The plug-ins that are not in use."""
        return tuple(record for record in self.plugins if not record.ok)


def load(
    files: Iterable[str | os.PathLike[str]] = (),
    names: Iterable[str] | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    around: Around = nullcontext,
) -> PluginRegistry:
    """Load plug-ins and return what came of it; never raises because of a plug-in.

    Args:
        files: paths of one-file plug-ins.
        names: entry-point names to load; None for everything installed, empty for nothing.
        folder: a folder of one-file plug-ins.
        around: makes the context in which code of plug-ins runs.
    """
    candidates = list(_installed(names))
    if folder is not None:
        candidates += discovery.from_folder(Path(folder))
    candidates += discovery.from_files(files)
    return _Loader(around).load(discovery.told_apart(candidates))


def _installed(names: Iterable[str] | None) -> Iterator[Candidate]:
    wanted = None if names is None else list(dict.fromkeys(names))
    if wanted == []:
        return
    found = discovery.installed().candidates
    yield from (c for c in found if wanted is None or c.name in wanted)
    known = sorted({c.name for c in found})
    for name in wanted or ():
        if name not in known:
            yield discovery.not_installed(name, known)


class _Loader:
    """One run of `load`."""

    def __init__(self, around: Around) -> None:
        self.manager = PluginManager(GROUP)
        self.manager.add_hookspecs(hookspecs)
        self.manager.register(builtin_plugin, BUILTIN)
        self.around = around
        self.owners: dict[str, object] = {}
        self.targets: dict[str, TargetInfo] = {}
        self.seen: dict[str, Candidate] = {}
        self.hooks = Hooks(self.manager, self.owners, builtin_plugin, around)

    def load(self, candidates: Sequence[Candidate]) -> PluginRegistry:
        records = tuple(self.admit(candidate) for candidate in candidates)
        targets = {name: self.targets[name] for name in sorted(self.targets)}
        return PluginRegistry(records, targets, self.hooks)

    def admit(self, candidate: Candidate) -> PluginRecord:
        """Return the record of a candidate, which is registered if nothing is wrong with it."""
        record = PluginRecord(
            candidate.name, candidate.source, distribution=candidate.distribution, read_version=candidate.version
        )
        plugin: object = None
        try:
            if candidate.problem:
                raise Refusal("KC0301", candidate.problem)
            self.refuse_twice(candidate)
            plugin = self.import_it(candidate)
            check_module(self.manager, plugin)
            self.register(plugin, candidate.name)
            infos = self.announce(plugin, candidate)
        except Refusal as refusal:
            if plugin is not None and self.manager.is_registered(plugin):
                self.manager.unregister(plugin)
            return attrs.evolve(
                record,
                status="broken",
                code=refusal.code,
                reason=refusal.reason,
                traceback=frames(refusal.__cause__),
            )
        for info in infos:
            self.targets[info.name] = info
            self.owners[info.name] = plugin
        if candidate.distribution is None:
            record = attrs.evolve(record, read_version=lambda: _own_version(plugin))
        return attrs.evolve(record, targets=tuple(sorted(info.name for info in infos)))

    def refuse_twice(self, candidate: Candidate) -> None:
        for key, what in ((f"name {candidate.name}", "name"), (f"module {candidate.identity}", "module")):
            other = self.seen.setdefault(key, candidate)
            if other is not candidate:
                by = f"{other.name!r} ({_origin(other)})"
                raise Refusal("KC0308", f"it is listed twice: {by} was loaded before it and has the same {what}")

    def import_it(self, candidate: Candidate) -> object:
        try:
            with self.around():
                return candidate.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit and what test frameworks raise
            raise Refusal("KC0301", f"it cannot be imported: {explain(error)}") from error

    def register(self, plugin: object, name: str) -> None:
        try:
            self.manager.register(plugin, name)
        except Exception as error:
            raise Refusal("KC0303", explain(error)) from None

    def announce(self, plugin: object, candidate: Candidate) -> list[TargetInfo]:
        """Return the plug-in's targets, refusing what is wrong or taken."""
        try:
            found = self.hooks.implementations("kc_targets", plugin)
            infos = check_targets([info for impl in found for info in iterate(self.hooks.call_one(impl, {}))])
        except (Refusal, KeyboardInterrupt):
            raise
        except PluginError as error:
            raise Refusal("KC0304", error.diagnostics[0].message) from None
        except BaseException as error:
            raise Refusal("KC0304", f"kc_targets failed: {explain(error)}") from error
        for info in infos:
            if info.name in self.targets:
                other = self.targets[info.name]
                by = f"plug-in {other.plugin}" + (f" of {other.distribution}" if other.distribution else "")
                message = f"it announces the target {info.name!r}, which {by} announced before it"
                raise Refusal("KC0307", message)
        return [attrs.evolve(i, plugin=candidate.name, distribution=candidate.distribution or "") for i in infos]


def _origin(candidate: Candidate) -> str:
    return candidate.distribution or candidate.source


def _own_version(plugin: object) -> str | None:
    version = getattr(plugin, "__version__", None)
    return version if isinstance(version, str) else None


# --- the default registry --------------------------------------------------------------------------------------------


@frozen
class _Settings:
    files: tuple[str, ...] = ()
    local: bool = False
    around: Around = nullcontext


_settings = _Settings()
_loaded: tuple[object, PluginRegistry] | None = None
_lock = threading.RLock()
_loading = False


def configure(
    files: Iterable[str | os.PathLike[str]] = (), *, local: bool = False, around: Around = nullcontext
) -> None:
    """Set what `registry()` loads besides what the environment asks for; without arguments, nothing.

    Args:
        files: paths of one-file plug-ins.
        local: whether the folder `kernelcraft_plugins` beside the working directory is loaded.
        around: see `load`.
    """
    global _settings
    with _lock:
        _settings = _Settings(tuple(os.fspath(f) for f in files), local, around)


def registry() -> PluginRegistry:
    """Return the default registry: what is installed and what environment and `configure` ask for.

    It is loaded when it is first needed, and again after the environment or the settings have changed.

    Raises:
        PluginError: KC0301 a plug-in asks for the registry while it is being loaded itself.
    """
    global _loaded, _loading
    with _lock:
        if _loading:
            message = "a plug-in opens a target while plug-ins are being loaded"
            raise PluginError(Diagnostic("KC0301", message, hint="do it inside a hook or a function"))
        names = _names_from_environment()
        files = tuple(f for f in os.environ.get(ENV_FILES, "").split(os.pathsep) if f)
        local = _settings.local or os.environ.get(ENV_LOCAL, "").lower() in {"1", "true", "yes", "on"}
        folder = os.path.join(os.getcwd(), LOCAL_FOLDER) if local else None
        key = (names, files, folder, _settings)
        if _loaded is None or _loaded[0] != key:
            _loading = True
            try:
                found = load((*files, *_settings.files), names, folder=folder, around=_settings.around)
            finally:
                _loading = False
            _loaded = (key, found)
        return _loaded[1]


def _names_from_environment() -> tuple[str, ...] | None:
    value = os.environ.get(ENV_NAMES)
    if value is None:
        return None
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    return () if names == ("none",) else names
