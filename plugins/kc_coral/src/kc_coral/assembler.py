"""What is Coral's own about assembling: where sections go, where refused mnemonics exist, and a check of whole programs.

| code | severity | meaning |
| --- | --- | --- |
| KC0270 | error | a write to vl, vtype or vlenb, which has no effect |
| KC0271 | warning | a write to vstart, which must stay 0 |
| KC0272 | warning | a kernel that nothing calls, and nothing that ends the run |
"""

from __future__ import annotations

from kc_coral.isa.csrs import VECTOR_READ_ONLY
from kc_coral.isa.state import DTCM, DTCM_BYTES, ITCM, ITCM_BYTES, RESERVED
from kc_coral.start import MPAUSE
from kernelcraft_core.asm import Area, Assembler, bounded, gnu
from kernelcraft_core.diagnostics import WARNING, Diagnostic
from kernelcraft_core.isa import Isa, Program
from kernelcraft_core.riscv import RELOCATIONS, zbb

AREAS = (
    Area("itcm", (".text",), ITCM, ITCM_BYTES),
    Area("dtcm", (".rodata", ".data", ".bss"), DTCM, DTCM_BYTES - RESERVED),
)
"""Code from 0, data from the start of DTCM; the top of DTCM is reserved."""

_ZBB = "the extension Xzbb (the hardware decodes it; the benchmark leaves it out)"
_FLOAT = "the F extension, which programs for this target do not use: integers only"
_ATOMIC = "the A extension, which this core does not have"
_FLOAT_NAMES = (
    *("flw", "fsw", "fmadd.s", "fmsub.s", "fnmsub.s", "fnmadd.s", "fadd.s", "fsub.s", "fmul.s", "fdiv.s", "fsqrt.s"),
    *("fsgnj.s", "fsgnjn.s", "fsgnjx.s", "fmin.s", "fmax.s", "fcvt.w.s", "fcvt.wu.s", "fcvt.s.w", "fcvt.s.wu"),
    *("fmv.x.w", "fmv.w.x", "fmv.s", "fneg.s", "fabs.s", "feq.s", "flt.s", "fle.s", "fclass.s"),
)
_ATOMIC_NAMES = ("lr.w", "sc.w", *(f"amo{n}.w" for n in "add swap and or xor min max minu maxu".split()))
_VECTOR_FLOAT = "vector floating point, which this core does not have"
_VECTOR_FLOAT_NAMES = (
    *(f"v{n}.{f}" for n in ("fadd", "fsub", "fmul", "fdiv", "fmin", "fmax") for f in ("vv", "vf")),
    *("vfmacc.vv", "vfmacc.vf", "vfmv.v.f", "vfmv.f.s", "vfmv.s.f", "vfredosum.vs", "vfredusum.vs", "vfsqrt.v"),
)
_WIDE = "element widths of 64 bits, which this core does not have"
ELSEWHERE = {
    **{row.syntax.split()[0]: _ZBB for row in zbb(32)},
    **dict.fromkeys(_FLOAT_NAMES, _FLOAT),
    **dict.fromkeys(_ATOMIC_NAMES, _ATOMIC),
    **dict.fromkeys(_VECTOR_FLOAT_NAMES, _VECTOR_FLOAT),
    **dict.fromkeys(("vle64.v", "vse64.v", "vlse64.v", "vsse64.v"), _WIDE),
    **dict.fromkeys(("mret", "wfi"), "the privileged architecture; a run here ends at its first trap, or by mpause"),
}
"""Mnemonics that people and compilers know and this target refuses -> where they exist."""


def make_assembler(isa: Isa) -> Assembler:
    """Return the assembler of Coral, `isa` being the base ISA or one with extensions."""
    return Assembler(isa, gnu(AREAS, RELOCATIONS, elsewhere=ELSEWHERE), checks=(check,))


def check(program: Program, isa: Isa) -> list[Diagnostic]:
    """Return what is wrong with writes to the CSRs of the vector unit, and with a kernel that is run without a start."""
    found = []
    for index, word in enumerate(program.words):
        if word & 0x7F != 0x73 or not word >> 12 & 3 or not _writes(word):
            continue
        number, span = word >> 20, program.span_at(program.addresses[index])
        if number in VECTOR_READ_ONLY:
            message = f"{VECTOR_READ_ONLY[number]} cannot be written: the hardware ignores it"
            found.append(Diagnostic("KC0270", message, span, "set vl and vtype with vsetvli, vsetivli or vsetvl"))
        elif number == 0x008 and not (word >> 14 & 1 and not word >> 15 & 31):
            message = "vstart is not cleared by the hardware: a run stops when anything but 0 is written"
            found.append(Diagnostic("KC0271", message, span, severity=WARNING))
    names = program.symbols
    if "kernel" in names and "_start" not in names and program.entry == names["kernel"] and MPAUSE not in program.words:
        message = "nothing calls this kernel and nothing ends the run: `ret` goes to address 0"
        hint = "`kc eval` puts a start in front of it; for `kc sim` write one, or end with mpause"
        found.append(Diagnostic("KC0272", message, program.span_at(names["kernel"]), hint, severity=WARNING))
    return bounded(found)


def _writes(word: int) -> bool:
    """Return whether a Zicsr instruction writes: csrrw always, the others unless their operand is x0 or 0."""
    return word >> 12 & 3 == 1 or bool(word >> 15 & 31)
