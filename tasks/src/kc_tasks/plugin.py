"""Hook implementations of the task suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelcraft_core import hookimpl

if TYPE_CHECKING:
    from kernelcraft_core.tasks import Suite

KC_API = 1


@hookimpl
def kc_tasks() -> Suite:
    """Return the suite `kernelcraft`."""
    from kc_tasks.suite import SUITE

    return SUITE
