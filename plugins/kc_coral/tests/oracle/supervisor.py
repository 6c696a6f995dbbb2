"""The machine-mode program that runs a batch on Spike: set up, run, note how it ended and which pages it wrote, next.

Source: privileged architecture, volume II (Sv32, Svadu, traps); the host interface (`tohost`) as Spike's own tests use it.
"""

from __future__ import annotations

from coral_oracle.image import (
    BLOCKS,
    CODE,
    EXTERNAL,
    FROMHOST,
    HIGH_TABLE,
    LOW_TABLE,
    OUTPUT,
    PAGE,
    RECORD_SIZE,
    RESULT_NAMES,
    RESULTS,
    SCRATCH,
    TOHOST,
    VXRM,
    V,
)

import kernelcraft_core as kc

_SATP, _MENVCFGH, _PMPCFG0, _PMPADDR0 = 0x180, 0x31A, 0x3A0, 0x3B0
_MRET, _SFENCE = ".word 0x30200073", ".word 0x12000073"
_WRITE_CALL, _STANDARD_OUTPUT = 64, 1

_CSRS = ("mcause", "mepc", "mtval", "vl", "vtype", "vxrm", "vxsat", "vstart")
assert RESULT_NAMES == (*_CSRS, "pages")

_START = f"""
    li t0, 1 << 29                  # ADUE: page tables note accesses and writes
    csrw {_MENVCFGH}, t0
    li t0, 0x600                    # the vector unit is on
    csrs mstatus, t0
    li t0, -1                       # user mode may reach all of the memory
    csrw {_PMPADDR0}, t0
    li t0, 0x1f
    csrw {_PMPCFG0}, t0
    la t0, trapped
    csrw mtvec, t0
    li s0, {BLOCKS}
    li s1, {{end}}
    li s2, {OUTPUT}
    li s3, {SCRATCH}
next:
    beq s0, s1, finish
    sw s0, 0(s3)
    sw s1, 4(s3)
    sw s2, 8(s3)
    csrw mscratch, s0
    lw t0, 0(s0)
    csrw {_SATP}, t0
    {_SFENCE}
    lw t0, {VXRM}(s0)
    csrw vxrm, t0
    csrw vxsat, x0
    addi t0, s0, {V}
{{load_v}}
    li t0, 0x80000000               # vtype as after a reset: not usable
    vsetvl x0, x0, t0
    csrw mepc, x0
    li t0, 0x1800                   # user mode is next
    csrc mstatus, t0
    mv x31, s0
{{load_x}}
    {_MRET}
"""

_TRAPPED = f"""
    .p2align 2
trapped:
    csrrw x31, mscratch, x31
{{save_x}}
    csrr t0, mscratch
    sw t0, 124(x31)
    mv s0, x31
{{save_csrs}}
    csrw vstart, x0
    addi t0, s0, {V}
{{save_v}}
    li s3, {SCRATCH}
    lw s1, 4(s3)
    lw s2, 8(s3)
    mv s4, s2                       # the record goes to the output first
    mv a0, s0
    li a1, {RECORD_SIZE}
    call copy
    li s5, 0
    li t0, {LOW_TABLE}
    add s6, s0, t0
    li s7, 0
    call pages
    li t0, {HIGH_TABLE}
    add s6, s0, t0
    li s7, {EXTERNAL}
    call pages
    sw s5, {RESULTS + 4 * len(_CSRS)}(s4)
    li t0, {{size}}
    add s0, s0, t0
    j next

pages:                              # all written pages of the table at s6, which starts at address s7, to the output
    mv s8, ra
    li t0, {PAGE}
    add s9, s6, t0
1:  lw t1, 0(s6)
    andi t0, t1, 0x80               # D: written
    beqz t0, 2f
    addi s5, s5, 1
    sw s7, 0(s2)
    addi s2, s2, 16
    srli a0, t1, 10
    slli a0, a0, 12
    li a1, {PAGE}
    call copy
2:  li t0, {PAGE}
    add s7, s7, t0
    addi s6, s6, 4
    bne s6, s9, 1b
    jr s8

copy:                               # a1 bytes, a multiple of 128, from a0 to s2
    vl8re8.v v0, (a0)
    vs8r.v v0, (s2)
    addi a0, a0, 128
    addi s2, s2, 128
    addi a1, a1, -128
    bnez a1, copy
    ret

finish:                             # have the host write the output to its standard output, then end
    li t0, {TOHOST}
    li t1, {SCRATCH + 64}
    li t2, {_WRITE_CALL}
    sw t2, 0(t1)
    li t2, {_STANDARD_OUTPUT}
    sw t2, 8(t1)
    li t3, {OUTPUT}
    sw t3, 16(t1)
    sub t3, s2, t3
    sw t3, 24(t1)
    sw x0, 4(t0)
    sw t1, 0(t0)
    li t2, {FROMHOST}
1:  lw t3, 0(t2)
    beqz t3, 1b
    sw x0, 0(t2)
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
"""


def supervisor(count: int, size: int) -> bytes:
    """Return the code for a batch of `count` blocks of `size` bytes each; it starts at `image.CODE`."""
    vectors = [f"    {{}} v{n}, (t0)\n    addi t0, t0, 128" for n in (0, 8, 16, 24)]
    source = (_START + _TRAPPED).format(
        end=BLOCKS + count * size,
        size=size,
        load_v="\n".join(line.format("vl8re8.v") for line in vectors),
        save_v="\n".join(line.format("vs8r.v") for line in vectors),
        load_x="\n".join(f"    lw x{n}, {4 * n}(x31)" for n in range(1, 32)),
        save_x="\n".join(f"    sw x{n}, {4 * n}(x31)" for n in range(1, 31)),
        save_csrs="\n".join(f"    csrr t0, {name}\n    sw t0, {RESULTS + 4 * n}(s0)" for n, name in enumerate(_CSRS)),
    )
    program = kc.target("coral").assemble(source)
    code = b"".join(int(word).to_bytes(4, "little") for word in program.words)
    assert CODE + len(code) <= SCRATCH
    return code
