"""Transcripts: everything that was said and done in an episode, one line of JSON for each event (`kc.transcript/1`).

A line is in the file before the episode goes on, so nothing is lost when the process is killed; a last line without its end is
passed over by readers. Replies, errors and the end are also waited for until they are on the disk, with all lines before them:
when the machine stops, answers of tools to the last reply may be missing.

| kind | keys besides `kind` and `at` (seconds since the start) |
| --- | --- |
| `start` | `schema`, `version`, `target`, `task`, `config`, `model`, `settings`, `limits`, `recovery`, `prompt` |
| `message` | `message`: to the model, by the system or a user; `why`: `prompt`, `phase`, `reminder`, `person` |
| `reply` | `iteration`, `message`, `finish`, `usage`, `seconds`, `elapsed` with all attempts, `attempts`; `estimated` |
| `tool_result` | `iteration`, `message` with the answer, `tool`, `ok`, `error_class`, `seconds`; `evaluation` of a kernel |
| `note` | `iteration`, `event`: what the loop noticed or did, `count`, `text` |
| `error` | `iteration`, `error` (`kind`, `message`), `elapsed`, `attempts`: a call of the model that gave no reply |
| `end` | `outcome`: as the sample has it |

`seconds` of a reply are those of the call that succeeded. `estimated` holds the tokens that limits go by where `usage` has none;
it is there only when something limits tokens.

| code | meaning |
| --- | --- |
| KC0755 | a transcript exists already |
| KC0756 | a transcript cannot be written: permissions, a full disk |
| KC0757 | a transcript cannot be read, or is not in its format |
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from kernelcraft_core import __version__
from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError, ResultsError
from kernelcraft_core.results import schema
from kernelcraft_core.results.files import sync_folder
from kernelcraft_core.results.lines import BROKEN, json_lines

SCHEMA = "kc.transcript/1"
KINDS = ("start", "message", "reply", "tool_result", "note", "error", "end")
_WAITED_FOR = ("reply", "error", "end")
Watch = Callable[[Mapping[str, Any]], None]


class TranscriptError(KernelCraftError):
    """A transcript cannot be written or read (KC0755-KC0757)."""


def _fail(code: str, message: str, hint: str | None = None) -> TranscriptError:
    return TranscriptError(Diagnostic(code, message, hint=hint))


class Transcript:
    """The transcript of one episode, being written; a context manager.

    Attributes:
        path: of the file. watch: is told of each event after it is on the disk, for showing progress.
    """

    def __init__(
        self,
        path: Path,
        *,
        watch: Watch | None = None,
        clock: Callable[[], float] = time.monotonic,
        lasting: bool = True,
    ) -> None:
        """Make the file.

        Args:
            path: must not exist; its folder is made.
            watch: called with each event.
            clock: seconds, for `at`.
            lasting: whether to wait for the disk at all.

        Raises:
            TranscriptError: KC0755, KC0756.
        """
        self.path = Path(path)
        self.watch = watch
        self._clock = clock
        self._lasting = lasting
        self._started = clock()
        with _writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
            except FileExistsError:
                hint = "`set_aside` keeps the transcript of an episode that was cut off"
                raise _fail("KC0755", f"{self.path} exists already", hint) from None
            if lasting:
                sync_folder(self.path.parent)

    def write(self, kind: str, /, **entry: Any) -> dict[str, Any]:
        """Append an event; return it as plain data, as a reader will find it.

        Raises:
            TranscriptError: KC0756; a part of the line may then be in the file.
        """
        made: dict[str, Any] = schema.plain({"kind": kind, "at": round(self._clock() - self._started, 6), **entry})
        if kind == "start":
            made |= {"schema": SCHEMA, "version": __version__}
        data = memoryview(schema.line(made))
        with _writing(self.path):
            while data:
                data = data[os.write(self._descriptor, data) :]
            if self._lasting and kind in _WAITED_FOR:
                os.fsync(self._descriptor)
        if self.watch is not None:
            self.watch(made)
        return made

    def close(self) -> None:
        """Close the file; again is allowed."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Transcript:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _fail("KC0756", f"{path} cannot be written: {error.strerror or error}") from error


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a transcript, in order; a torn last line is passed over.

    Raises:
        TranscriptError: KC0757.
    """
    first = True
    try:
        for number, entry in json_lines(Path(path)):
            if entry is BROKEN or not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
                raise _fail("KC0757", f"{path}:{number} is no event of a transcript")
            if first:
                _readable(entry, f"{path}:{number}")
            first = False
            yield entry
    except OSError as error:
        raise _fail("KC0757", f"{path} cannot be read: {error.strerror or error}") from None


def _readable(entry: Mapping[str, Any], where: str) -> None:
    try:
        schema.readable(entry.get("schema"), SCHEMA, where)
    except ResultsError as error:
        raise _fail("KC0757", error.diagnostics[0].message, error.diagnostics[0].hint) from None


def set_aside(path: Path) -> Path | None:
    """Give the transcript (or folder) of an episode that was cut off another name, `<id>.aborted-N.jsonl`; return its new path.

    The episode can then begin anew. None when there is nothing of that name.

    Raises:
        TranscriptError: KC0756.
    """
    path = Path(path)
    with _writing(path):
        if not path.exists():
            return None
        number = 1
        while (aside := path.with_name(f"{path.stem}.aborted-{number}{path.suffix}")).exists():
            number += 1
        path.rename(aside)
        sync_folder(path.parent)
    return aside


def aborted(path: Path) -> list[Path]:
    """Return the transcripts that were set aside for an episode, oldest first."""
    path = Path(path)
    found: list[Path] = []
    while (aside := path.with_name(f"{path.stem}.aborted-{len(found) + 1}{path.suffix}")).exists():
        found.append(aside)
    return found
