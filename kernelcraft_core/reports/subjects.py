"""Whose kernels a run holds: one key and one label for each, and the published model it is, if it is one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kernelcraft_core.diagnostics import Diagnostic, ResultsError, did_you_mean
from kernelcraft_core.results import canonical

Subject = Mapping[str, Any]
MODEL = "model"
_DATED = re.compile(r"(-(preview|latest|\d{4,8}))*")


def key_of(subject: Subject) -> str:
    """Return what the subjects of one column share: a model with its settings, otherwise the kind of kernel."""
    if subject["kind"] != MODEL:
        return str(subject["kind"])
    return canonical({"model": subject.get("model"), "settings": subject.get("settings")})


def labels(subjects: Iterable[Subject]) -> dict[str, str]:
    """Return key -> label: a kind, or a model's name with those settings in which the models of this name differ."""
    found: dict[str, Subject] = {}
    for subject in subjects:
        found.setdefault(key_of(subject), subject)
    out = {}
    for key, subject in found.items():
        name = name_of(subject)
        alike = [_settings(other) for other in found.values() if name_of(other) == name and subject["kind"] == MODEL]
        mine = _settings(subject)
        names = sorted({setting for other in alike for setting in other})
        differ = [s for s in names if any(canonical(o.get(s)) != canonical(mine.get(s)) for o in alike)]
        more = ", ".join(f"{s}={_short(mine[s])}" if s in mine else f"no {s}" for s in differ)
        out[key] = f"{name} ({more})" if more else name
    return out


def name_of(subject: Subject) -> str:
    """Return the model's name as it was given, or the kind of kernel."""
    return str(subject.get("model")) if subject["kind"] == MODEL else str(subject["kind"])


def published_model(subject: Subject, models: Iterable[str]) -> str | None:
    """Return the published model that a subject is: the same name, a provider before it or a date behind it ignored."""
    if subject["kind"] != MODEL:
        return None
    name = name_of(subject).lower().rsplit("/", 1)[-1]
    for model in models:
        if name.startswith(model) and _DATED.fullmatch(name[len(model) :]):
            return model
    return None


def choose(wanted: str | None, known: Mapping[str, str], run: str) -> str:
    """Return the key of the subject that a label names; without one, of the only subject.

    Args:
        wanted: a label, or the start of just one.
        known: key -> label.
        run: name of the run, for the message.

    Raises:
        ResultsError: KC0832.
    """
    found = [key for key, label in known.items() if wanted is None or label == wanted]
    if not found and wanted is not None:
        found = [key for key, label in known.items() if label.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if not known:
        raise ResultsError(Diagnostic("KC0832", f"{run} has no samples"))
    names = f"it has {'; '.join(known.values())}"
    if wanted is None:
        raise ResultsError(Diagnostic("KC0832", f"{run} has several subjects; name one with --subject", hint=names))
    what = "several subjects" if found else "no subject"
    hint = names if found else did_you_mean(wanted, known.values()) or names
    raise ResultsError(Diagnostic("KC0832", f"{run} has {what} {wanted!r}", hint=hint))


def _settings(subject: Subject) -> Mapping[str, Any]:
    settings = subject.get("settings")
    return settings if isinstance(settings, Mapping) else {}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else canonical(value)
    return text if len(text) <= 24 else text[:21] + "..."
