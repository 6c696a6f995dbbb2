"""Text of an assembly kernel, written statement by statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LINE = 16
"""Bytes of a fetch line: a loop that starts one costs the fewest fetches."""
BRANCH_REACH = 4000
"""Bytes that a conditional branch surely reaches."""
WORD = 4
DTCM = 0x1_0000
"""First address of the tightly coupled memory."""


class Kernel:
    """The text of a kernel, from its label `kernel` on."""

    def __init__(self, title: str) -> None:
        self._lines = [f"    # {title}", "    .text", "    .globl kernel", f"    .balign {LINE}", "kernel:"]
        self._labels = 0
        self._size = 0

    def op(self, mnemonic: str, *operands: object) -> None:
        """Append an instruction. A memory operand is written by `at`."""
        self._lines.append(f"    {mnemonic:<10} {', '.join(map(str, operands))}".rstrip())
        self._size += 2 if mnemonic in ("li", "la") else 1

    def comment(self, text: str) -> None:
        """Append a comment line."""
        self._lines.append(f"    # {text}")

    def label(self, aligned: bool = False) -> str:
        """Return the name of a new label at this place, at the start of a fetch line if `aligned`."""
        self._labels += 1
        name = f".L{self._labels}"
        if aligned:
            self._lines.append(f"    .balign {LINE}")
        self._lines.append(f"{name}:")
        return name

    def data(self, *lines: str) -> None:
        """Append lines as they are: directives behind the code."""
        self._lines += [f"    {line}" for line in lines]

    @contextmanager
    def loop(self, counter: str, times: int) -> Iterator[None]:
        """Repeat what is appended inside `times` times, counting down in the register `counter`; once needs no loop."""
        if times == 1:
            yield
            return
        self.op("li", counter, times)
        start = self.label(aligned=True)
        before = self._size
        yield
        self.op("addi", counter, counter, -1)
        if (self._size - before) * WORD < BRANCH_REACH:
            self.op("bnez", counter, start)
        else:
            self.op("beqz", counter, ". + 8")
            self.op("j", start)

    def text(self) -> str:
        """Return the text, one statement a line."""
        return "\n".join(self._lines) + "\n"


def at(register: str, offset: int = 0) -> str:
    """Return a memory operand."""
    return f"{offset}({register})" if offset else f"({register})"


def v(number: int) -> str:
    """Return the name of a vector register."""
    return f"v{number}"
