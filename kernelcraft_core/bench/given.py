"""Kernels in a folder: `<target>/<task>/<config>.asm`, as the folder `kernels` of a run holds them.

| code | meaning |
| --- | --- |
| KC0622 | a folder of kernels cannot be read, or holds no kernel of a selected workload |
| KC0623 | a file in a folder of kernels belongs to no workload (a warning) |
| KC0624 | a kernel file is too large to be scored |
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from kernelcraft_core.diagnostics import WARNING, Diagnostic, EvaluationError, did_you_mean, printable

MAX_BYTES = 64 << 20
"""Largest kernel file."""
MAX_WARNINGS = 20
_PIECE = 1 << 20

Key = tuple[str, str, str]
"""Target, task, configuration."""


@frozen
class Given:
    """A kernel that somebody gives.

    Attributes:
        path: its file, to be read when it is scored. sha256: of its bytes. problem: why it is not even read, else None.
    """

    path: Path
    sha256: str
    problem: Diagnostic | None = None

    def read(self) -> bytes:
        """Return the kernel.

        Raises:
            EvaluationError: KC0622 it cannot be read, or is not what it was when the folder was looked through.
        """
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise _fail(f"{self.path} cannot be read: {error.strerror}") from None
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise _fail(f"{self.path} has changed since it was planned")
        return data


@frozen
class Found:
    """What a folder holds: the kernels by workload, and warnings about the rest."""

    kernels: Mapping[Key, Given]
    findings: tuple[Diagnostic, ...] = ()


def find_kernels(folder: Path, known: Collection[Key]) -> Found:
    """Return the kernels in a folder.

    Args:
        folder: laid out as `<target>/<task>/<config>.asm`.
        known: every workload there is; other files are warned about, up to 20 by name. Hidden files are passed over.

    Raises:
        EvaluationError: KC0622 the folder or a kernel in it cannot be read, or it holds no kernel at all.
    """
    if not folder.is_dir():
        raise _fail(f"{folder} is no folder" if folder.exists() else f"there is no folder {folder}")
    names = {f"{target}/{task}/{config}.asm": (target, task, config) for target, task, config in known}
    kernels: dict[Key, Given] = {}
    strange: list[str] = []
    for name, path in sorted(_walk(folder)):
        if name in names:
            kernels[names[name]] = _read(path)
        else:
            strange.append(name)
    if not kernels:
        raise _fail(f"{folder} holds no kernel of a workload", _nesting_hint(strange, names))
    return Found(kernels, tuple(_warnings(strange, names)))


def _walk(folder: Path) -> Iterator[tuple[str, Path]]:
    def refuse(error: OSError) -> None:
        raise _fail(f"{error.filename} cannot be read: {error.strerror}")

    for root, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                path = Path(root, name)
                yield path.relative_to(folder).as_posix(), path


def _read(path: Path) -> Given:
    """Return a kernel by its digest; its text is read again when it is scored."""
    digest, size = hashlib.sha256(), 0
    try:
        if not path.is_file():  # opening a pipe would wait for ever
            raise _fail(f"{path} is not a file")
        with open(path, "rb") as stream:
            while size <= MAX_BYTES and (piece := stream.read(_PIECE)):
                digest.update(piece)
                size += len(piece)
    except OSError as error:
        raise _fail(f"{path} cannot be read: {error.strerror}") from None
    problem = None
    if size > MAX_BYTES:
        problem = Diagnostic("KC0624", f"{path.name} is larger than {MAX_BYTES} bytes")
    return Given(path, digest.hexdigest(), problem)


def _warnings(strange: list[str], names: Mapping[str, Any]) -> Iterator[Diagnostic]:
    shown = strange if len(strange) <= MAX_WARNINGS else strange[: MAX_WARNINGS - 1]
    for name in shown:
        message = f"{printable(name)} belongs to no workload and is left out"
        hint = did_you_mean(name, names) or "kernels are <target>/<task>/<config>.asm"
        yield Diagnostic("KC0623", message, hint=hint, severity=WARNING)
    if len(strange) > len(shown):
        yield Diagnostic("KC0623", f"{len(strange) - len(shown)} more files belong to no workload", severity=WARNING)


def _nesting_hint(strange: list[str], names: Mapping[str, Any]) -> str:
    """Return a hint: the folder inside that was meant, where there is one."""
    inner = sorted({name.split("/", 1)[0] for name in strange if name.partition("/")[2] in names})
    if inner:
        return f"name one of the folders in it: {', '.join(inner)}"
    return "kernels are <target>/<task>/<config>.asm"


def _fail(message: str, hint: str | None = None) -> EvaluationError:
    return EvaluationError(Diagnostic("KC0622", message, hint=hint))
