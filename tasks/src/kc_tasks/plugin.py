"""Hook implementations of the task suite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kernelcraft_core import hookimpl

KC_API = 1


@hookimpl
def kc_tasks() -> Iterable[Any]:
    """Return the tasks of the suite; there are none yet."""
    return ()
