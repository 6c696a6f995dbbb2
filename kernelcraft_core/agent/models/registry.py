"""Opening a model by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kernelcraft_core.agent.models.context import ModelContext
from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.agent.models.settings import read
from kernelcraft_core.agent.protocol import Model
from kernelcraft_core.diagnostics import did_you_mean, printable
from kernelcraft_core.plugins import PluginRegistry, registry

Factory = Callable[[str, Mapping[str, Any], ModelContext | None], Model]
"""(name as the user gave it, settings, the workload if there is one) -> a model."""


def open_model(
    name: str,
    settings: Mapping[str, Any] | None = None,
    *,
    context: ModelContext | None = None,
    plugins: PluginRegistry | None = None,
) -> Model:
    """Return a model, ready for one episode at a time.

    Args:
        name: `scripted:FILE`, `scripted:demo`, `replay:TRANSCRIPT`, `baseline`, `human`, a model of a plug-in (`KIND` or
            `KIND:REST`), or the name of a model of a service.
        settings: of that kind of models.
        context: the workload; `scripted` and `baseline` take kernels from it.
        plugins: the plug-ins; those that are installed when missing.

    Raises:
        ModelSetupError: KC0730, KC0731, KC0732, KC0734.
    """
    if not isinstance(name, str) or not name.strip() or name != name.strip() or not name.isprintable():
        raise fail("KC0730", f"{printable(repr(name))} is no name of a model")
    given = dict(settings or {})
    kind = name.partition(":")[0]
    factory = _OWN.get(kind) or _offered(registry() if plugins is None else plugins).get(kind) or _service
    return factory(name, given, context)


def _offered(plugins: PluginRegistry) -> dict[str, Factory]:
    """Return the models of plug-ins. Raises: ModelSetupError KC0734."""
    found: dict[str, Factory] = {}
    for answer in plugins.hook.kc_models():
        if answer is None:
            continue
        if not isinstance(answer, Mapping):
            raise fail("KC0734", f"a plug-in's kc_models returns {type(answer).__name__}, not a mapping")
        for kind, factory in answer.items():
            if not isinstance(kind, str) or ":" in kind or not kind or not callable(factory):
                raise fail("KC0734", f"a plug-in's kc_models offers {printable(repr(kind))}, which is no model")
            if kind in found or kind in _OWN:
                other = "the core" if kind in _OWN else "two plug-ins"
                raise fail(
                    "KC0734", f"the model {kind!r} is offered twice: by {other}" + " and a plug-in" * (kind in _OWN)
                )
            found[kind] = factory
    return found


def _rest(name: str, what: str) -> str:
    rest = name.partition(":")[2]
    if not rest:
        raise fail("KC0730", f"{name} lacks {what}", f"write {name.partition(':')[0]}:{what.upper()}")
    return rest


def _scripted(name: str, settings: Mapping[str, Any], context: ModelContext | None) -> Model:
    from kernelcraft_core.agent.models import scripted

    read({}, settings, name)
    rest = _rest(name, "file")
    if rest in scripted.SHIPPED:
        return scripted.ScriptedModel(name, scripted.shipped(rest), {}, context)
    if not Path(rest).suffix and not Path(rest).exists():
        raise fail("KC0730", f"there is no script {rest!r}", did_you_mean(rest, scripted.SHIPPED) or "give a file")
    script, digest = scripted.from_file(rest)
    return scripted.ScriptedModel(name, script, {"sha256": digest}, context)


def _baseline(name: str, settings: Mapping[str, Any], context: ModelContext | None) -> Model:
    from kernelcraft_core.agent.models import scripted

    _alone(name)
    read({}, settings, name)
    return scripted.ScriptedModel(name, scripted.shipped("baseline"), {}, context)


def _replay(name: str, settings: Mapping[str, Any], context: ModelContext | None) -> Model:
    from kernelcraft_core.agent.models import replay

    chosen = read(replay.SETTINGS, settings, name)
    return replay.ReplayModel(name, replay.from_transcript(_rest(name, "transcript")), chosen)


def _human(name: str, settings: Mapping[str, Any], context: ModelContext | None) -> Model:
    from kernelcraft_core.agent.models.human import HumanModel

    _alone(name)
    read({}, settings, name)
    return HumanModel(name)


def _service(name: str, settings: Mapping[str, Any], context: ModelContext | None) -> Model:
    from kernelcraft_core.agent.models.service import open_service

    return open_service(name, settings)


def _alone(name: str) -> None:
    if ":" in name:
        kind = name.partition(":")[0]
        raise fail("KC0730", f"{printable(name)} is no name of a model", f"did you mean {kind}?")


_OWN: dict[str, Factory] = {"scripted": _scripted, "replay": _replay, "baseline": _baseline, "human": _human}
KINDS = tuple(_OWN)
"""Names the core keeps for itself; everything that no plug-in offers either is a model of a service."""
