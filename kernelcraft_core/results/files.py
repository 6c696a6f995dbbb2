"""Files that are complete or as they were before, whatever ends the process, and the lock of a folder's writer."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Write a file so that it holds all of `data`, or is as it was before, when the process is killed.

    Args:
        path: of the file.
        data: all it is to hold.
        lasting: the same holds when the machine stops; takes some milliseconds more.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as stream:
            stream.write(data)
            if lasting:
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if lasting:
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder last. Raises: OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Lock:
    """The right to change a folder, held by one process at a time; it ends with the process, whatever ends that."""

    def __init__(self, path: Path) -> None:
        """Take the lock file `path`. Raises: BlockingIOError when another holds it, OSError when it cannot be made."""
        import fcntl

        self._stream = open(path, "ab")  # closing it gives the lock up
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._stream.close()
            raise

    def release(self) -> None:
        """Give it up; again is allowed."""
        self._stream.close()
