"""What models are to do: grids of workloads, models, prompts and repeats, as plain data of a run's record.

| code | meaning |
| --- | --- |
| KC0772 | a grid has a key it cannot have, or a value of another type |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from attrs import asdict, field, frozen

from kernelcraft_core.agent.limits import LimitError, Limits
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, did_you_mean, printable

MAX_REPEATS = 1000
_T = TypeVar("_T")


class GridError(EvaluationError):
    """A grid that is not right (KC0772). `key` is the path of what is wrong: `("models", 0, "settings")`."""

    def __init__(self, message: str, key: tuple[str | int, ...] = (), hint: str | None = None) -> None:
        super().__init__(Diagnostic("KC0772", message, hint=hint))
        self.message, self.key, self.hint = message, key, hint


@frozen
class ModelChoice:
    """A model by name, with settings of its kind."""

    name: str
    settings: Mapping[str, Any] = field(factory=dict)


@frozen
class PromptChoice:
    """What a prompt has besides the task.

    Attributes:
        one_shot: another task's kernel as `TASK/CONFIG` or `TASK/CONFIG:KIND`; `auto` chooses one; None: none.
        template: whether the target's own kernel is there to be improved.
        documents: names of the target's documents that are in it and can be searched; None: all.
        conversation: whether a person answers between turns.
    """

    one_shot: str | None = None
    template: bool = False
    documents: tuple[str, ...] | None = None
    conversation: bool = False

    def settings(self) -> dict[str, Any]:
        """Return what is not as usual: part of a sample's identity."""
        usual = PromptChoice()
        chosen = {name: getattr(self, name) for name in asdict(self) if getattr(self, name) != getattr(usual, name)}
        return chosen if self.documents is None else {**chosen, "documents": sorted(self.documents)}


@frozen
class Grid:
    """All combinations of workloads, models, prompts and repeats. An empty selection means all."""

    targets: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    configs: tuple[str, ...] = ()
    models: tuple[ModelChoice, ...] = ()
    prompts: tuple[PromptChoice, ...] = (PromptChoice(),)
    repeats: int = 1
    limits: Limits = field(factory=Limits)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for records, which `of` reads."""
        entry = asdict(self, value_serializer=lambda _, __, value: list(value) if isinstance(value, tuple) else value)
        return {**entry, "limits": self.limits.as_dict()}

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Grid:
        """Return the grid of plain data: a record's, or a table of an experiment file.

        Raises:
            GridError: KC0772, with the key. LimitError: KC0750.
        """
        _known(entry, KEYS)
        values: dict[str, Any] = {}
        for key in ("targets", "tasks", "configs"):
            values[key] = _texts(entry, key)
        values["configs"] = tuple(name.upper() for name in values["configs"])
        values["levels"] = _list(entry, "levels", _level)
        values["models"] = _list(entry, "models", _model)
        if "prompts" in entry:
            values["prompts"] = _list(entry, "prompts", _prompt)
            if not values["prompts"]:
                raise GridError("`prompts` is empty", ("prompts",), "an empty table {} is the usual prompt")
        repeats = entry.get("repeats", 1)
        if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= MAX_REPEATS:
            raise GridError(f"`repeats` must be a whole number from 1 to {MAX_REPEATS}", ("repeats",))
        return Grid(**values, repeats=repeats, limits=limits_of(entry, "limits"))


KEYS = ("targets", "tasks", "levels", "configs", "models", "prompts", "repeats", "limits")
"""Keys of a grid."""


@frozen
class Study:
    """All that models are to do in a run: grids, and what the whole run may spend.

    Attributes:
        grids: what is run, in order. limits: of the run; iterations and evaluations are those of all episodes.
        lenient: whether a target, task or configuration that is not there is reported and the rest runs.
        name: of the experiment; None for one made on the command line.
    """

    grids: tuple[Grid, ...]
    limits: Limits = field(factory=Limits)
    lenient: bool = False
    name: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for a run's settings, which `of` reads."""
        return {
            "name": self.name,
            "lenient": self.lenient,
            "limits": self.limits.as_dict(),
            "grids": [grid.as_dict() for grid in self.grids],
        }

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Study:
        """Return the study of plain data. Raises: KeyError, TypeError, AttributeError, KernelCraftError on other data."""
        grids = tuple(Grid.of(grid) for grid in entry["grids"])
        return Study(grids, Limits.of(entry["limits"]), bool(entry["lenient"]), entry["name"])


def limits_of(entry: Mapping[str, Any], key: str) -> Limits:
    """Return the limits in a table. Raises: GridError, with the key; LimitError is turned into one."""
    table = entry.get(key, {})
    if not isinstance(table, Mapping):
        raise GridError(f"`{key}` must be a table", (key,))
    try:
        return Limits.of(table)
    except LimitError as error:
        named = next((name for name in table if f"{name!r}" in str(error) or f" {name} " in str(error)), None)
        found = error.diagnostics[0]
        raise GridError(found.message, (key, *([named] if named else [])), found.hint) from None


def _known(entry: Mapping[str, Any], known: tuple[str, ...], key: tuple[str | int, ...] = ()) -> None:
    for name in entry:
        if name not in known:
            hint = did_you_mean(str(name), known) or f"keys: {', '.join(known)}"
            raise GridError(f"there is no key {printable(repr(name))}", (*key, str(name)), hint)


def _list(entry: Mapping[str, Any], key: str, read: Callable[[Any, tuple[str | int, ...]], _T]) -> tuple[_T, ...]:
    values = entry.get(key, [])
    if not isinstance(values, list | tuple):
        raise GridError(f"`{key}` must be a list", (key,))
    return tuple(read(value, (key, index)) for index, value in enumerate(values))


def _texts(entry: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return _list(entry, key, _text)


def _text(value: Any, key: tuple[str | int, ...]) -> str:
    if not isinstance(value, str) or not value:
        raise GridError(f"`{key[0]}` must hold texts", key)
    return value


def _level(value: Any, key: tuple[str | int, ...]) -> int:
    if isinstance(value, bool) or value not in (1, 2, 3):
        raise GridError("`levels` must hold 1, 2 or 3", key)
    return int(value)


def _model(value: Any, key: tuple[str | int, ...]) -> ModelChoice:
    if isinstance(value, str) and value:
        return ModelChoice(value)
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise GridError("a model is a name, or a table with `name` and `settings`", key)
    _known(value, ("name", "settings"), key)
    settings = value.get("settings", {})
    if not isinstance(settings, Mapping):
        raise GridError("`settings` of a model must be a table", (*key, "settings"))
    return ModelChoice(value["name"], dict(settings))


def _prompt(value: Any, key: tuple[str | int, ...]) -> PromptChoice:
    if not isinstance(value, Mapping):
        raise GridError("a prompt is a table", key)
    _known(value, ("one_shot", "template", "documents", "conversation"), key)
    one_shot, documents = value.get("one_shot"), value.get("documents")
    if one_shot is not None and not isinstance(one_shot, str):
        raise GridError("`one_shot` must be TASK/CONFIG or `auto`", (*key, "one_shot"))
    for name in ("template", "conversation"):
        if not isinstance(value.get(name, False), bool):
            raise GridError(f"`{name}` must be true or false", (*key, name))
    if documents is not None:
        if not isinstance(documents, list | tuple) or not all(isinstance(name, str) for name in documents):
            raise GridError("`documents` must be a list of names", (*key, "documents"))
        documents = tuple(documents)
    return PromptChoice(one_shot, value.get("template", False), documents, value.get("conversation", False))
