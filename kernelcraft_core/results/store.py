"""The run folder on disk: one writer, samples that are complete or not there, and readers that need no lock.

```text
run.json            what was run with which settings; written once, before the first sample
samples.jsonl       one line per finished sample, flushed to the disk before the next one starts
kernels/            kernels, laid out so that a folder of it can be given to `kc bench --kernels`
lock                held by the process that writes; its content means nothing
```

A process that is killed while it writes leaves a last line without its end. Readers do not see that line, and the next
writer cuts it off.

| code | meaning |
| --- | --- |
| KC0801 | this is not a run folder, or its `run.json` cannot be read |
| KC0804 | another process writes to the run folder |
| KC0805 | the folder for a new run exists and is not empty |
| KC0806 | a run folder cannot be written: permissions, a full disk |
| KC0807 | a line of `samples.jsonl` is damaged |
| KC0808 | a sample that is in the run folder already |
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any

from kernelcraft_core import __version__
from kernelcraft_core.diagnostics import Diagnostic, ResultsError
from kernelcraft_core.results import schema
from kernelcraft_core.results.checks import SAMPLE_SHAPE, Key
from kernelcraft_core.results.files import Lock, write_whole
from kernelcraft_core.results.lines import BROKEN, json_lines, regular

RUN_FILE = "run.json"
SAMPLES_FILE = "samples.jsonl"
LOCK_FILE = "lock"
KERNELS = "kernels"
"""Folder of the kernels in a run folder."""
HARNESS_ERROR = "harness_error"
"""The one status that is not a score: such a sample may be followed by another one with its id, which then counts."""


def _fail(code: str, message: str, hint: str | None = None) -> ResultsError:
    return ResultsError(Diagnostic(code, message, hint=hint))


class RunFolder:
    """One run.

    Attributes:
        path: the folder. record: what `run.json` holds.
    """

    def __init__(self, path: Path, record: Mapping[str, Any], lock: Lock | None = None) -> None:
        """Use `create`, `resume` or `open`."""
        self.path = path
        self.record = record
        self._lock = lock
        self._statuses: dict[str, str] = {}
        self._stream = -1
        if lock is not None:
            with _writing(path):
                self._stream = os.open(path / SAMPLES_FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
                _cut_torn_line(self._stream)
            try:
                self._statuses = {sample["id"]: sample["status"] for sample in self.samples()}
            except ResultsError:
                os.close(self._stream)
                raise

    # --- opening ------------------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, record: Mapping[str, Any], files: Iterable[tuple[str, bytes]] = ()) -> RunFolder:
        """Return a new run folder, locked for writing.

        Args:
            path: the folder; it is made when it is missing, and must be empty otherwise.
            record: for `run.json`; its schema and the core's version are added.
            files: name with `/` -> content of files that must be there before the run counts as started.

        Raises:
            ResultsError: KC0804, KC0805, KC0806.
        """
        with _writing(path):
            path.mkdir(parents=True, exist_ok=True)
        lock = _locked(path)
        try:
            with _writing(path):
                if any(entry.name != LOCK_FILE for entry in path.iterdir()):
                    hint = (
                        "`kc bench --resume` continues a run" if (path / RUN_FILE).exists() else "name another folder"
                    )
                    raise _fail("KC0805", f"{path} exists already and is not empty", hint)
                for name, data in files:
                    write_whole(inside(path, name), data)
                write_whole(path / RUN_FILE, schema.pages({**record, "schema": schema.RUN, "version": __version__}))
            return cls(path, _read_record(path), lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def resume(cls, path: Path) -> RunFolder:
        """Return an existing run folder, locked for writing; a torn last line is cut off.

        Raises:
            ResultsError: KC0801, KC0802, KC0804, KC0806, KC0807.
        """
        record = _read_record(path)
        lock = _locked(path)
        try:
            return cls(path, record, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Return an existing run folder for reading; another process may be writing to it.

        Raises:
            ResultsError: KC0801, KC0802.
        """
        return cls(path, _read_record(path))

    # --- reading ------------------------------------------------------------------------------------------------------

    def samples(self) -> Iterator[dict[str, Any]]:
        """Yield all samples in the order they were finished; of several with one id the last one counts.

        Raises:
            ResultsError: KC0801 the file cannot be read, KC0802, KC0807.
        """
        file = self.path / SAMPLES_FILE
        try:
            for number, value in json_lines(file):
                yield _sample(value, f"{file}:{number}")
        except FileNotFoundError:
            return
        except OSError as error:
            raise _fail("KC0801", f"{file} cannot be read: {error.strerror}") from None

    def latest(self) -> dict[str, dict[str, Any]]:
        """Return id -> the sample that counts. Raises: as `samples`."""
        return {sample["id"]: sample for sample in self.samples()}

    def scored(self, sample_id: str) -> bool:
        """Whether a writer's run folder has a score for this id, which a harness error is not."""
        return self._statuses.get(sample_id, HARNESS_ERROR) != HARNESS_ERROR

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(self, sample: Mapping[str, Any]) -> None:
        """Add a finished sample; it is on the disk when this returns, and nothing of it is when it fails.

        Args:
            sample: with `id` and `status`; the schema and the core's version are added.

        Raises:
            ResultsError: KC0806, KC0808 it has a score already.
        """
        self._writable()
        if self.scored(sample["id"]):
            raise _fail("KC0808", f"{self.path} has sample {sample['id']} already")
        data = schema.line({**sample, "schema": schema.SAMPLE, "version": __version__})
        with _writing(self.path / SAMPLES_FILE):
            size = os.fstat(self._stream).st_size
            try:
                _write_all(self._stream, data)
                os.fsync(self._stream)
            except OSError:
                os.ftruncate(self._stream, size)
                raise
        self._statuses[sample["id"]] = sample["status"]

    def write_kernel(self, name: str, source: bytes) -> dict[str, str]:
        """Write a kernel in one step and return its `path` in the run folder and its `sha256`.

        Args:
            name: below `kernels/`, with `/`: `toy/triple/C1.asm`.
            source: assembly text.

        Raises:
            ResultsError: KC0806.
        """
        self._writable()
        path = inside(self.path / KERNELS, name)
        with _writing(path):
            write_whole(path, source)
        return {"path": f"{KERNELS}/{name}", "sha256": hashlib.sha256(source).hexdigest()}

    def _writable(self) -> None:
        if self._lock is None:
            raise _fail("KC0806", f"{self.path} is open for reading only")

    def close(self) -> None:
        """Let another process write."""
        if self._lock is not None:
            os.close(self._stream)
            self._lock.release()
            self._lock = None

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# --- files ------------------------------------------------------------------------------------------------------------


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an operating-system error into KC0806."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "what was finished before is kept; `kc bench --resume` continues once there is room"
        raise _fail("KC0806", f"{path} cannot be written: {reason}", hint) from error


def _locked(path: Path) -> Lock:
    """Return the lock of a run folder, held."""
    with _writing(path):
        try:
            return Lock(path / LOCK_FILE)
        except BlockingIOError:
            raise _fail("KC0804", f"another process writes to {path}", "wait for it, or end it") from None


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def inside(path: Path, name: str) -> Path:
    """Return the place of a file in the run folder.

    Raises:
        ResultsError: KC0806 the name leads out of it, or is none.
    """
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise _fail("KC0806", f"{name!r} is not a name inside a run folder")
    return path.joinpath(*parts)


def _cut_torn_line(descriptor: int) -> None:
    """Shorten the file to its last line end."""
    end = os.fstat(descriptor).st_size
    keep = end
    while keep:
        start = max(0, keep - 65536)
        found = os.pread(descriptor, keep - start, start).rfind(b"\n")
        if found >= 0:
            keep = start + found + 1
            break
        keep = start
    if keep != end:
        os.ftruncate(descriptor, keep)
        os.fsync(descriptor)


def _read_record(path: Path) -> dict[str, Any]:
    file = path / RUN_FILE
    try:
        regular(file)
        record = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise _fail("KC0801", f"{path} is not a run folder: it has no {RUN_FILE}") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise _fail("KC0801", f"{file} cannot be read: {reason}") from None
    schema.readable(record.get("schema") if isinstance(record, dict) else None, schema.RUN, str(file))
    assert isinstance(record, dict)
    return record


def _sample(sample: Any, where: str) -> dict[str, Any]:
    if sample is BROKEN:
        raise _fail("KC0807", f"{where}: the line is not JSON", "remove it; its sample is then run again")
    schema.readable(sample.get("schema") if isinstance(sample, dict) else None, schema.SAMPLE, where)
    if not isinstance(sample.get("id"), str) or not isinstance(sample.get("status"), str):
        raise _fail("KC0807", f"{where}: the sample has no id or no status", "remove the line")
    assert isinstance(sample, dict)
    wrong = [f"`{name}` is not {key.kind.words}" for name, key in SAMPLE_SHAPE.items() if not _fits(sample, name, key)]
    if wrong:
        raise _fail("KC0807", f"{where}: {'; '.join(wrong)}", "remove the line; its sample is then run again")
    return sample


def _fits(sample: Mapping[str, Any], name: str, key: Key) -> bool:
    return name not in sample or key.kind.fits(sample[name])
