"""Control and status registers of the Coral NPU.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations

from kernelcraft_core.riscv import Csr

MCYCLE_OFFSET = 4
"""A read of mcycle shows its dispatch cycle plus this: the core is released that long before its first instruction."""
VECTOR_READ_ONLY = {0xC20: "vl", 0xC21: "vtype", 0xC22: "vlenb"}
"""What a write has no effect on; the assembler refuses it."""

CSRS: tuple[Csr, ...] = (
    Csr(0x008, "vstart", write="zero", doc="first element; the hardware never clears it, so only 0 may be written"),
    Csr(0x009, "vxsat", state="vxsat", write_mask=1, doc="sticky: a fixed-point result was saturated"),
    Csr(0x00A, "vxrm", state="vxrm", write_mask=3, doc="rounding: 0 nearest up, 1 nearest even, 2 down, 3 to odd"),
    Csr(0x300, "mstatus"),
    Csr(0x301, "misa", reset=0x4020_1120, write="ignore"),
    Csr(0x304, "mie"),
    Csr(0x305, "mtvec", doc="never used here: a run ends at its first trap"),
    Csr(0x340, "mscratch"),
    Csr(0x341, "mepc"),
    Csr(0x342, "mcause"),
    Csr(0x343, "mtval"),
    Csr(0xB00, "mcycle", counts="cycle", offset=MCYCLE_OFFSET, doc="cycles since reset"),
    Csr(0xB02, "minstret", counts="instret", doc="completed instructions"),
    Csr(0xB80, "mcycleh", counts="cycle", offset=MCYCLE_OFFSET, high=True, doc="upper half of mcycle"),
    Csr(0xB82, "minstreth", counts="instret", high=True, doc="upper half of minstret"),
    Csr(0xC20, "vl", state="vl", read_mask=0x7F, write="ignore", doc="elements; reads 0 when vl is 128"),
    Csr(0xC21, "vtype", state="vtype", write="ignore", doc="configuration; bit 31 is vill"),
    Csr(0xC22, "vlenb", reset=16, write="ignore", doc="bytes of a vector register"),
    Csr(0xF11, "mvendorid", reset=0x426, write="trap"),
    Csr(0xF12, "marchid", write="trap"),
    Csr(0xF13, "mimpid", write="trap"),
    Csr(0xF14, "mhartid", write="trap"),
)
"""All registers there are; every other number is an illegal instruction."""
