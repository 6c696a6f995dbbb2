"""Operand kinds and state of PLENA.

Source: AICrossSim/PLENA ecd5acb, src/definitions/configuration.svh (field widths), behavioral_simulator (what is there).
"""

from __future__ import annotations

from kc_plena.primitives.loops import LoopStack
from kernelcraft_core.isa import Array, Bytes, Imm, Opaque, Placeholder, Reg, RegFile, Rows, Scalar, Words

_LARGE = "larger constants: S_LUI_INT gD, value >> 12, then S_ADDI_INT gD, gD, value & 0xFFF"

KINDS = (
    Reg("gp", bits=4, prefix="gp"),
    Reg("gpz", bits=4, prefix="gp", file="gp", names={"0": 0}),
    Reg("f", bits=4, prefix="f", count=8),
    Reg("a", bits=4, prefix="a", count=8),
    Imm("i18", bits=18, hint=_LARGE),
    Imm("i14", bits=14, hint=_LARGE),
    Imm("i22", bits=22, hint=_LARGE),
    Imm("count22", bits=22, min=1, hint="a loop runs its body 1 to 4194303 times"),
    Imm("flag", bits=4, max=1, lenient=True, hint="the hardware knows 0 and 1"),
    Placeholder("zero", ("0", "gp0")),
)

STATE = (
    RegFile("gp", bits=32, count=16, doc="integer registers; gp0 is zero by convention only, a write to it sticks"),
    RegFile("f", dtype="f16", count=8, doc="scalar floating-point registers, binary16"),
    RegFile("a", bits=64, count=8, doc="HBM byte base addresses"),
    Scalar("scale", bits=32, doc="SCALE_REG: bytes from a tensor's element base to its scale base"),
    Scalar("stride", bits=32, reset=1, doc="STRIDE_REG: HBM row stride in bytes"),
    Scalar("v_mask", bits=32, doc="V_MASK: bit h enables lanes [h * HLEN, (h + 1) * HLEN)"),
    Rows("vram", dtype="bf16", shape=("VLEN",), count="VECTOR_SRAM_SIZE", doc="vector SRAM, addressed in elements"),
    Rows("mram", dtype="bf16", shape=("MLEN", "MLEN"), count="MATRIX_SRAM_SIZE", doc="matrix SRAM, whole tiles"),
    Words("fp_mem", count="FP_MEM_SIZE", dtype="f16", doc="scalar floating-point memory, binary16 words"),
    Words("int_mem", count="INT_MEM_SIZE", bits=32, doc="integer memory, 32-bit words"),
    Bytes("hbm", size="HBM_SIZE", align=False, doc="high-bandwidth memory, reached by H_* only"),
    Array("m_acc", "f32", ("BLEN", "BLEN"), doc="accumulator of M_MM and M_TMM, cleared by M_MM_WO"),
    Array("h_acc", "f32", ("BROADCAST_AMOUNT", "MLEN", "MLEN"), doc="accumulator of M_BMM and M_BTMM"),
    Array("v_acc", "f32", ("VLEN",), doc="accumulator of M_MV and M_TMV, cleared by M_MV_WO"),
    Opaque("loops", LoopStack, clocked=True, doc="stack of active hardware loops"),
)
