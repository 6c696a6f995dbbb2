"""Operand kinds, registers and memories of the Coral NPU.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026): memory map and reset values, measured on the generated RTL; the
size of the external memory is the KernelCraft paper's (arXiv 2603.08721).
"""

from __future__ import annotations

from kc_coral.isa.csrs import CSRS
from kernelcraft_core import riscv
from kernelcraft_core.isa import Array, Bytes, Region, Scalar, Space

ITCM, ITCM_BYTES = 0x0000_0000, 8 << 10
DTCM, DTCM_BYTES = 0x0001_0000, 32 << 10
EXTERNAL, EXTERNAL_BYTES = 0x2000_0000, 4 << 20
RESERVED = 256
"""Bytes at the top of DTCM that programs leave alone."""

KINDS = (
    *riscv.kinds(32),
    *riscv.csr_kinds(CSRS),
    *riscv.vector_kinds(sews=("e8", "e16", "e32"), lmuls=("m1", "m2", "m4", "m8", "mf4", "mf2")),
)

STATE = (
    *riscv.state(32),
    Array("v", "u8", (32, 16), doc="vector registers of 128 bits, byte 0 first; v0 is also the mask"),
    Scalar("vl", bits=8, doc="elements that vector instructions work on"),
    Scalar("vtype", bits=32, reset=1 << 31, doc="element width and group size as the CSR shows them; bit 31: none"),
    Scalar("vxrm", bits=2, doc="rounding mode of fixed-point instructions"),
    Scalar("vxsat", bits=1, doc="whether a fixed-point result was saturated"),
    *riscv.csr_state(CSRS, 32),
    Bytes("itcm", ITCM_BYTES, ITCM, align=False, doc="tightly coupled instruction memory: code, and data to read"),
    Bytes("dtcm", DTCM_BYTES, DTCM, align=False, doc="tightly coupled data memory"),
    Bytes("external", EXTERNAL_BYTES, EXTERNAL, align=False, doc="memory behind the bus: inputs and results"),
    Space(
        "mem",
        [Region("external", "rw"), Region("dtcm", "rw"), Region("itcm", "rx")],
        riscv.FAULTS,
        doc="what loads, stores and fetches reach; any alignment",
    ),
)
