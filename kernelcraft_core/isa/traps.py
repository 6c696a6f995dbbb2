"""`Trap`: how a primitive, a memory or an engine says that the simulated program did something the machine stops on."""

from __future__ import annotations

from collections.abc import Mapping


class Trap(Exception):
    """The simulated program did something the machine stops on; the engine turns this into a `TrapInfo`."""

    def __init__(
        self, kind: str, message: str, hint: str | None = None, detail: Mapping[str, int] | None = None
    ) -> None:
        """`kind` is of the closed list; `detail` holds numbers of the target's own, such as a cause."""
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.detail: Mapping[str, int] = detail or {}
