"""Pseudo-instructions of the vector extension, with the expansions GNU as gives them.

Source: RISC-V "V" Vector Extension, version 1.0, the pseudo-instructions of its chapters 10-16.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernelcraft_core.isa import Pseudo

_MASKED = (  # syntax without the mask, line it stands for
    ("vneg.v vd:v, vs2:v", "vrsub.vx {vd}, {vs2}, x0"),
    ("vnot.v vd:v, vs2:v", "vxor.vi {vd}, {vs2}, -1"),
    ("vwcvt.x.x.v vd:v, vs2:v", "vwadd.vx {vd}, {vs2}, x0"),
    ("vwcvtu.x.x.v vd:v, vs2:v", "vwaddu.vx {vd}, {vs2}, x0"),
    ("vncvt.x.x.w vd:v, vs2:v", "vnsrl.wx {vd}, {vs2}, x0"),
    ("vmsgt.vv vd:v, vs2:v, vs1:v", "vmslt.vv {vd}, {vs1}, {vs2}"),
    ("vmsgtu.vv vd:v, vs2:v, vs1:v", "vmsltu.vv {vd}, {vs1}, {vs2}"),
    ("vmsge.vv vd:v, vs2:v, vs1:v", "vmsle.vv {vd}, {vs1}, {vs2}"),
    ("vmsgeu.vv vd:v, vs2:v, vs1:v", "vmsleu.vv {vd}, {vs1}, {vs2}"),
    ("vmslt.vi vd:v, vs2:v, imm:above", "vmsle.vi {vd}, {vs2}, {imm - 1}"),
    ("vmsge.vi vd:v, vs2:v, imm:above", "vmsgt.vi {vd}, {vs2}, {imm - 1}"),
    ("vmsltu.vi vd:v, vs2:v, imm:uabove", "vmsleu.vi {vd}, {vs2}, {imm - 1}"),
    ("vmsgeu.vi vd:v, vs2:v, imm:uabove", "vmsgtu.vi {vd}, {vs2}, {imm - 1}"),
)
_PLAIN = (
    ("vmmv.m vd:v, vs1:v", "vmand.mm {vd}, {vs1}, {vs1}"),
    ("vmnot.m vd:v, vs1:v", "vmnand.mm {vd}, {vs1}, {vs1}"),
    ("vmclr.m vd:v", "vmxor.mm {vd}, {vd}, {vd}"),
    ("vmset.m vd:v", "vmxnor.mm {vd}, {vd}, {vd}"),
    *((f"vl{count}r.v vd:v, (rs1:x)", f"vl{count}re8.v {{vd}}, ({{rs1}})") for count in (1, 2, 4, 8)),
)


def vector_pseudos() -> tuple[Pseudo, ...]:
    """Return the vector pseudo-instructions."""
    return (*_masked(), *(Pseudo(syntax, (line,)) for syntax, line in _PLAIN))


def _masked() -> Iterator[Pseudo]:
    """Yield each with and without a mask."""
    for syntax, line in _MASKED:
        yield Pseudo(f"{syntax}, vm:vm=1", (line,), when="vm == 1")
        yield Pseudo(f"{syntax}, vm:vm=1", (f"{line}, v0.t",))
