"""PLENA assembly text, built line by line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

MAX_IMM18 = (1 << 18) - 1
"""Largest immediate of S_ADDI_INT; immediates are unsigned."""
MAX_IMM22 = (1 << 22) - 1
"""Largest immediate of C_LOOP_START and S_LUI_INT."""


class Emitter:
    """Collects one instruction per line; hardware loops are context managers and indent their body."""

    def __init__(self, title: str) -> None:
        """Start a program with a comment that names it."""
        self._lines: list[str] = []
        self._indent = ""
        self.comment(title)

    def comment(self, text: str) -> None:
        """Append a comment line."""
        self._lines.append(f"{self._indent}; {text}")

    def op(self, mnemonic: str, *operands: str | int) -> None:
        """Append one instruction."""
        listed = ", ".join(map(str, operands))
        self._lines.append(f"{self._indent}{mnemonic} {listed}")

    @contextmanager
    def loop(self, counter: str, count: int) -> Iterator[None]:
        """Run what is appended inside `count` times (1..4194303), counted down in register `counter`."""
        if not 1 <= count <= MAX_IMM22:
            raise ValueError(f"loop count {count} is not in 1..{MAX_IMM22}")
        self.op("C_LOOP_START", counter, count)
        outer, self._indent = self._indent, self._indent + "    "
        yield
        self._indent = outer
        self.op("C_LOOP_END", counter)

    def text(self) -> str:
        """Return the program, each line ended by a newline."""
        return "\n".join(self._lines) + "\n"
