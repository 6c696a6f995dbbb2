"""The PLENA instruction set, profile `kc`, as records: one file per group."""

from __future__ import annotations

from kc_plena.isa.control import CONTROL
from kc_plena.isa.kinds import KINDS, STATE
from kc_plena.isa.matrix import MATRIX
from kc_plena.isa.memory import MEMORY
from kc_plena.isa.scalar import SCALAR
from kc_plena.isa.vector import VECTOR
from kc_plena.machine import ISA_PARAMS
from kc_plena.primitives import PRIMITIVES
from kernelcraft_core.isa import Isa

ISA = Isa(
    "plena",
    width=32,
    pc_unit=4,
    ends="halt",
    words=False,
    params=ISA_PARAMS,
    kinds=KINDS,
    state=STATE,
    primitives=PRIMITIVES,
    instrs=(*MATRIX, *VECTOR, *SCALAR, *MEMORY, *CONTROL),
    doc="PLENA, a matrix/vector NPU with hardware loops and MXFP8 memory; the machine of the KernelCraft paper.",
)

__all__ = ["ISA"]
