"""Names of samples: the same thing scored twice has the same id, and nothing else has it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from kernelcraft_core.hookspecs import CORE
from kernelcraft_core.results.schema import canonical

DIGITS = 16


def sample_id(
    *,
    target: str,
    machine: str,
    values: Mapping[str, Any],
    extensions: Sequence[str],
    isa_digest: str,
    task: str,
    suite: str,
    suite_version: str,
    config: str,
    subject: Mapping[str, Any],
    repeat: int = 0,
    backend: str = CORE,
) -> str:
    """Return the id of a sample: 16 hexadecimal digits of a SHA-256 over everything that makes it what it is.

    Args:
        target: name of the target.
        machine: name of the preset.
        values: of the machine's parameters.
        extensions: names, in order.
        isa_digest: digest of the ISA with its extensions.
        task: slug of the task.
        suite: name of the suite that defines the task.
        suite_version: its version.
        config: configuration of the workload.
        subject: who wrote the kernel: `{"kind": "compiler"}`, `{"kind": "given", "sha256": ...}`, or a model with its
            settings.
        repeat: which of several attempts, from 0.
        backend: label of what runs the kernel; the core's own simulator leaves no trace in the id.
    """
    parts: dict[str, Any] = {
        "target": target,
        "machine": {"name": machine, "values": values},
        "extensions": list(extensions),
        "isa_digest": isa_digest,
        "task": task,
        "suite": {"name": suite, "version": suite_version},
        "config": config,
        "subject": subject,
        "repeat": repeat,
    }
    if backend != CORE:
        parts["backend"] = backend
    return hashlib.sha256(canonical(parts).encode("ascii")).hexdigest()[:DIGITS]
