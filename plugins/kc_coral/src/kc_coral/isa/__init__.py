"""The Coral NPU's instruction set as records: RV32IM, Zicsr and Zifencei from the core's tables, and Zve32x without floats.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026); RISC-V Instruction Set Manual; RVV 1.0.
"""

from __future__ import annotations

from kc_coral.isa.csrs import CSRS
from kc_coral.isa.state import KINDS, STATE
from kc_coral.isa.system import SYSTEM, XZBB
from kc_coral.isa.vector import VECTOR
from kc_coral.primitives import PRIMITIVES
from kernelcraft_core import riscv
from kernelcraft_core.isa import Isa

ISA = Isa(
    "coral",
    kinds=KINDS,
    state=STATE,
    instrs=(
        *riscv.integer(32, memory="mem"),
        *riscv.multiply(32),
        *riscv.zifencei(),
        *riscv.zicsr(CSRS),
        *SYSTEM,
        *VECTOR,
    ),
    primitives=(riscv.EXCEPTION, *riscv.csr_primitives(CSRS), *riscv.BIT_PRIMITIVES, *PRIMITIVES),
    pseudos=(*riscv.pseudos(32), *riscv.csr_pseudos(), *riscv.vector_pseudos()),
    memory="mem",
    doc="Coral NPU: an RV32IM core with 128-bit integer vectors (Zve32x) and two tightly coupled memories.",
)
EXTENSIONS = (XZBB,)

__all__ = ["EXTENSIONS", "ISA"]
