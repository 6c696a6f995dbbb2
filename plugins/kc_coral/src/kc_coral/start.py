"""The start stub: what runs in front of a kernel, and the constants its text may use.

A kernel's text defines the label `kernel`. The stub goes in front of it as one line, so that the text keeps its line numbers
in every finding; only columns of its first line move.

Source: the entry is at address 0 and `mpause` (0x08000073) ends a run: public documentation and RTL of
google-coral/coralnpu. Arguments in a0 on and the stack are those of the RISC-V calling convention.
"""

from __future__ import annotations

from kc_coral.shapes import Layout

STACK = 0x0001_7F00
"""Where the stack grows down from; the bytes above it are reserved."""
MPAUSE = 0x0800_0073
"""The word that ends a run without a fault."""


def statements(place: Layout) -> list[str]:
    """Return the stub's statements: constants, stack pointer, arguments, the call, the end of the run."""
    return [
        *(f".equ {name}, {value}" for name, value in place.symbols.items()),
        ".text",
        ".globl _start",
        "_start: lui sp, 0x18",
        "addi sp, sp, -256",
        *(f"li a{index}, {address:#x}" for index, address in enumerate(place.arguments)),
        "call kernel",
        f".word {MPAUSE:#010x}",
        "j .",
    ]


def wrap(place: Layout, text: str) -> str:
    """Return a whole program: the stub in front of a kernel's text, on the text's own first line."""
    return "; ".join(statements(place)) + "; " + text
