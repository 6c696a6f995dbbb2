"""Files of one JSON value a line, to which a process may be appending at this moment."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

BROKEN: Final = object()
"""Stands for a line that is not JSON."""


def json_lines(file: Path) -> Iterator[tuple[int, Any]]:
    """Yield the number, from 1, and the value of each complete line; `BROKEN` for one that is not JSON.

    Raises:
        OSError: the file cannot be read.
    """
    regular(file)
    with open(file, "rb") as stream:
        for number, text in enumerate(stream, 1):
            if text.endswith(b"\n"):  # else it is torn, or is being written at this moment
                try:
                    value = json.loads(text)
                except (ValueError, RecursionError):
                    value = BROKEN
                yield number, value


def regular(file: Path) -> None:
    """Refuse what is there and is no regular file: reading a pipe or a device may never end.

    Raises:
        OSError: EINVAL.
    """
    if file.exists() and not stat.S_ISREG(os.stat(file).st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(file))
