"""What is Coral's own beside vectors: `mpause`, and Zbb as an extension that is off by default.

Source: google-coral/coralnpu: `mpause` ends a program; the hardware decodes Zbb although its ISA string does not name it.
"""

from __future__ import annotations

from kernelcraft_core import riscv
from kernelcraft_core.isa import Extension, Instr

SYSTEM = (
    Instr(
        "mpause",
        encoding="00001000 00000000 00000000 01110011",
        semantics="halt()",
        category="sync",
        unit="branch",
        doc="Ends the program when everything before it is finished. The word is 0x08000073.",
        examples=("mpause",),
    ),
)

XZBB = Extension(
    "Xzbb",
    extends="coral",
    instrs=riscv.zbb(32),
    doc="Basic bit manipulation, which the hardware decodes; programs of the benchmark do without.",
)
