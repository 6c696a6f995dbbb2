"""RISC-V as data: what targets with this instruction set share. A target picks extensions, CSRs and memories.

```python
ISA = Isa(
    "mine",
    kinds=riscv.kinds(32),
    state=[*riscv.state(32), Bytes("ram", 4096), Space("mem", [Region("ram")], riscv.FAULTS)],
    instrs=[*riscv.integer(32, memory="mem"), *riscv.multiply(32)],
    primitives=[riscv.EXCEPTION],
    pseudos=riscv.pseudos(32),
    memory="mem",
)
```

Source of all encodings and meanings: The RISC-V Instruction Set Manual, volume I (unprivileged architecture, 20240411), chapters
RV32I, RV64I, M, Zicsr and Zifencei; of pseudo-instructions and relocation operators: the RISC-V Assembly Programmer's Manual
and the psABI document.
"""

from kernelcraft_core.riscv.bits import BIT_PRIMITIVES, zbb
from kernelcraft_core.riscv.csrs import COUNTERS, Csr, csr_kinds, csr_primitives, csr_state, zicsr
from kernelcraft_core.riscv.pseudos import RELOCATIONS, csr_pseudos, pseudos
from kernelcraft_core.riscv.registers import ABI_NAMES, kinds, state
from kernelcraft_core.riscv.scalar import integer, multiply, zifencei
from kernelcraft_core.riscv.traps import CAUSES, EXCEPTION, FAULTS, cause_of
from kernelcraft_core.riscv.vector_pseudos import vector_pseudos
from kernelcraft_core.riscv.vector_tables import VectorForm, vector_forms, vector_instrs, vector_kinds

__all__ = [
    "ABI_NAMES",
    "BIT_PRIMITIVES",
    "CAUSES",
    "COUNTERS",
    "EXCEPTION",
    "FAULTS",
    "RELOCATIONS",
    "Csr",
    "VectorForm",
    "cause_of",
    "csr_kinds",
    "csr_primitives",
    "csr_pseudos",
    "csr_state",
    "integer",
    "kinds",
    "multiply",
    "pseudos",
    "state",
    "vector_forms",
    "vector_instrs",
    "vector_kinds",
    "vector_pseudos",
    "zbb",
    "zicsr",
    "zifencei",
]
