"""Secrets stay out of everything that is written down: settings, conversations, exceptions, logs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTHORIZATION)(?:$|_)", re.IGNORECASE
)
_SHORTEST = 8
"""A shorter value of an environment variable is no secret worth the name; it would be found in innocent text."""
_FORMS = (
    re.compile(r"\b(?:sk|pk|rk|xai|gsk|hf|ghp|glpat)[-_][A-Za-z0-9_-]{16,}"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"),
    re.compile(r"(?i:\b(?:bearer|basic))\s+[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?i:(?<=[?&]key=)|(?<=api_key=)|(?<=x-api-key: ))[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?<=://)[^/\s@:]*:[^/\s@]*(?=@)"),
)
"""What keys of known services look like, and where credentials stand in HTTP: removed even when they are nobody's."""


def is_secret_name(name: str) -> bool:
    """Return whether a variable or setting of this name is taken to hold a secret."""
    return _NAME.search(name) is not None


def secrets(environ: Mapping[str, str] | None = None, *names: str) -> dict[str, str]:
    """Return value -> variable of all secrets in the environment, the longest first.

    Args:
        environ: the environment; the process's own when it is missing.
        names: variables that hold a secret whatever their name.
    """
    found = os.environ if environ is None else environ
    pairs = {v: k for k, v in found.items() if len(v) >= _SHORTEST and (k in names or is_secret_name(k))}
    return dict(sorted(pairs.items(), key=lambda pair: -len(pair[0])))


def scrub(text: str, known: Mapping[str, str] | None = None) -> str:
    """Return `text` without secrets of the environment, and without anything that looks like a key of a known service."""
    text = scrub_known(text, secrets() if known is None else known)
    for form in _FORMS:
        text = form.sub("[removed]", text)
    return text


def scrub_known(text: str, known: Mapping[str, str]) -> str:
    """Return `text` with the secrets `known` (value -> variable) replaced by the names of their variables."""
    for value, name in known.items():
        if value in text:
            text = text.replace(value, f"[{name}]")
    return text


def scrub_data(data: Any, known: Mapping[str, str]) -> Any:
    """Return plain data with `known` secrets replaced in every text, keys of tables included."""
    if isinstance(data, str):
        return scrub_known(data, known)
    if isinstance(data, Mapping):
        return {scrub_data(key, known): scrub_data(value, known) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [scrub_data(value, known) for value in data]
    return data
