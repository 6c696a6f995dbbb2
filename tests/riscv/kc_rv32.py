"""A one-file target for tests: RV32IM with Zicsr and Zifencei, code and data memories of its own, a larger memory beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernelcraft_core import TargetInfo, hookimpl

if TYPE_CHECKING:
    from kernelcraft_core.asm import Assembler
    from kernelcraft_core.isa import Isa

KC_API = 1
NAME = "rv32"
CODE, DATA, FAR = 0, 0x10000, 0x2000_0000


def make_isa() -> Isa:
    from kernelcraft_core import riscv
    from kernelcraft_core.isa import Bytes, Instr, Isa, Region, Scalar, Space

    plain = {
        "mscratch": 0x340,
        "mtvec": 0x305,
        "mepc": 0x341,
        "mcause": 0x342,
        "mtval": 0x343,
        "mstatus": 0x300,
        "mie": 0x304,
    }
    csrs = (
        riscv.Csr(0x008, "vstart", write="zero"),
        riscv.Csr(0x009, "vxsat", read_mask=1, write_mask=1),
        riscv.Csr(0x00A, "vxrm", state="vxrm", write_mask=3),
        riscv.Csr(0x301, "misa", reset=0x4020_1120, write="ignore"),
        *(riscv.Csr(number, name) for name, number in plain.items()),
        *riscv.COUNTERS,
        riscv.Csr(0xC20, "vl", write="ignore"),
        riscv.Csr(0xC22, "vlenb", reset=16, write="ignore"),
        riscv.Csr(0xF14, "mhartid", write="trap"),
    )
    return Isa(
        NAME,
        kinds=[*riscv.kinds(32), *riscv.csr_kinds(csrs)],
        state=[
            *riscv.state(32),
            Scalar("vxrm", bits=2),
            *riscv.csr_state(csrs, 32),
            Bytes("code", 8192, CODE, align=False, doc="instructions and constants"),
            Bytes("data", 0x8000, DATA, align=False, doc="data"),
            Bytes("far", 1 << 20, FAR, align=False, doc="inputs and results"),
            Space("mem", [Region("code", "rx"), Region("data", "rw"), Region("far", "rw")], riscv.FAULTS),
        ],
        instrs=[
            *riscv.integer(32, memory="mem"),
            *riscv.multiply(32),
            *riscv.zifencei(),
            *riscv.zicsr(csrs),
            Instr(
                "mpause",
                encoding="00001000 00000000 00000000 01110011",
                semantics="halt()",
                category="sync",
                unit="branch",
                doc="Ends the program.",
                examples=("mpause",),
            ),
        ],
        primitives=[riscv.EXCEPTION, *riscv.csr_primitives(csrs)],
        pseudos=[*riscv.pseudos(32), *riscv.csr_pseudos()],
        memory="mem",
    )


@hookimpl
def kc_targets() -> Iterable[TargetInfo]:
    return [TargetInfo(NAME, "RV32IM", "a 32-bit RISC-V machine for tests")]


@hookimpl
def kc_isa(target: str) -> Isa | None:
    return make_isa() if target == NAME else None


@hookimpl
def kc_assembler(target: str, isa: Isa) -> Assembler | None:
    if target != NAME:
        return None
    from kernelcraft_core.asm import Area, Assembler, gnu
    from kernelcraft_core.riscv import RELOCATIONS

    areas = (Area("code", (".text",), CODE, 8192), Area("data", (".rodata", ".data", ".bss"), DATA, 0x7F00))
    return Assembler(isa, gnu(areas, RELOCATIONS))
