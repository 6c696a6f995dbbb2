"""How a run goes wrong; a test oracle.

Source: google-coral/coralnpu (early 2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations


class Trap(Exception):
    """A trap of the hardware: cause, value."""

    def __init__(self, cause: int, value: int) -> None:
        super().__init__(cause, value)
        self.cause = cause
        self.value = value


class Rejected(Exception):
    """Something the hardware takes badly (it hangs, or gives what the standard does not) and a simulator must refuse."""
