"""Register groups: what `vtype` and `vl` make of them, and which uses of them are refused.

The hardware drops or hangs on what is refused here, without a trap; the simulator says which rule was broken. Group sizes are
in eighths of a register, as LMUL goes down to 1/8.

Source: RVV 1.0, sections 3.4, 5.2, 5.3 and 7.8; google-coral/coralnpu (early 2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from attrs import frozen

from kernelcraft_core.isa import Trap

VLENB = 16
"""Bytes of a vector register."""
LMUL_EIGHTHS = (8, 16, 32, 64, 0, 1, 2, 4)
"""By the field vlmul; 0 is reserved."""
_SMALLEST = {1: 2, 2: 4, 4: 8}
"""Element width in bytes -> smallest LMUL in eighths; wider elements do not exist."""
ILLEGAL_INSTRUCTION = 2
"""The cause of an illegal instruction."""


def refuse(rule: str, hint: str | None = None) -> Trap:
    """Return the trap for a vector instruction that is used against `rule`."""
    return Trap("illegal_operands", rule, hint)


@lru_cache(maxsize=1024)
def vlmax(vtype: int) -> int:
    """Return how many elements a vtype allows, 0 for one that is not supported (vill)."""
    if vtype >> 8:
        return 0
    size, lmul = 1 << (vtype >> 3 & 7), LMUL_EIGHTHS[vtype & 7]
    least = _SMALLEST.get(size)
    return 0 if least is None or lmul < least else lmul * VLENB // (8 * size)


@frozen
class Shape:
    """What `vtype` and `vl` say.

    Attributes:
        vl: elements. size: bytes of an element. lmul: eighths of a register.
        reduced: the LMUL in eighths that `vl` needs; the hardware works on these registers only.
    """

    vl: int
    size: int
    lmul: int
    reduced: int

    @property
    def bits(self) -> int:
        """Bits of an element (SEW)."""
        return 8 * self.size

    @property
    def vlmax(self) -> int:
        """Elements of a whole group."""
        return self.lmul * VLENB // (8 * self.size)

    @property
    def held(self) -> int:
        """Elements of the registers that `vl` needs."""
        return self.reduced * VLENB // (8 * self.size)

    def emul(self, size: int) -> int:
        """Return the EMUL in eighths of a group with elements of `size` bytes."""
        return self.lmul * size // self.size if self.lmul * size % self.size == 0 else 0


@lru_cache(maxsize=8192)
def shape_of(vtype: int, vl: int) -> Shape:
    """Return the shape of a legal vtype."""
    size, lmul = 1 << (vtype >> 3 & 7), LMUL_EIGHTHS[vtype & 7]
    reduced = _SMALLEST[size]
    while reduced < lmul and reduced * VLENB < 8 * vl * size:
        reduced *= 2
    return Shape(vl, size, lmul, reduced)


def shape(vtype: int, vl: int, *, empty: bool = False) -> Shape:
    """Return what `vtype` and `vl` say.

    Args:
        vtype: as the CSR holds it.
        vl: as the CSR holds it.
        empty: whether the instruction may run with vl = 0.

    Raises:
        Trap: `illegal_instruction` vill is set, `illegal_operands` vl is 0.
    """
    most = vlmax(vtype)
    if not most:
        message = "illegal instruction (cause 2): vtype is not set, or to a combination that is not supported (vill)"
        hint = "SEW and LMUL must be e8 mf4..m8, e16 mf2..m8 or e32 m1..m8; set them with vsetvli first"
        raise Trap("illegal_instruction", message, hint, {"cause": ILLEGAL_INSTRUCTION, "value": 0})
    if vl == 0 and not empty:
        hint = "skip the instruction when there is nothing to do; only vset*, vmv.x.s, vcpop.m and whole registers work"
        raise refuse("vl is 0: the core hangs on this instruction", hint)
    if vl > most:  # only a preset can do that
        raise refuse(f"vl is {vl}, more than the {most} elements that vtype allows")
    return shape_of(vtype, vl)


@frozen
class Group:
    """A register group in an operand.

    Attributes:
        operand: its name in messages (`vd`). register: the first one. emul: eighths of a register.
        bits: of an element; 1 for masks.
    """

    operand: str
    register: int
    emul: int
    bits: int

    @property
    def count(self) -> int:
        """Registers it takes."""
        return max(1, self.emul // 8)

    @property
    def end(self) -> int:
        """The register behind it."""
        return self.register + self.count

    @property
    def text(self) -> str:
        """It in words: `vd = v8..v11`."""
        last = f"..v{self.end - 1}" if self.count > 1 else ""
        return f"{self.operand} = v{self.register}{last}"

    def overlaps(self, other: Group) -> bool:
        """Return whether a register belongs to both."""
        return self.register < other.end and other.register < self.end


MASK = Group("the mask", 0, 8, 1)
"""The register that masks."""


def mask_register(operand: str, register: int) -> Group:
    """Return the group of a register that holds a mask."""
    return Group(operand, register, 8, 1)


def check_group(group: Group) -> None:
    """Refuse a group of an impossible size, or one that does not start at a multiple of it.

    Raises:
        Trap: `illegal_operands`.
    """
    if not 1 <= group.emul <= 64:
        amount = f"{group.emul // 8}" if group.emul else "below 1/8"
        raise refuse(f"EMUL of {group.operand} is {amount}: a register group has 1/8 to 8 registers")
    if group.register % group.count:
        rule = f"{group.operand} = v{group.register} does not start at a multiple of {group.count}"
        raise refuse(f"{rule}, the registers of its group (EMUL {group.count})")


def check(
    vd: Group | None, sources: Iterable[Group] = (), *, masked: bool = False, apart: bool = False, reduces: bool = False
) -> None:
    """Refuse groups that are not aligned, overlaps of the result with a source, and a masked result in v0.

    Args:
        vd: the result, None when it is a scalar register.
        sources: the vector operands that are read, vd itself not among them.
        masked: whether v0 masks the instruction.
        apart: whether the result may overlap no source at all (slides up, gathers, vcompress ...).
        reduces: whether it is a reduction: no overlap is refused.

    Raises:
        Trap: `illegal_operands`.
    """
    sources = tuple(sources)
    for group in sources if vd is None else (vd, *sources):
        check_group(group)
    if vd is None or reduces:
        return
    for source in sources:
        check_overlap(vd, source, apart)
    if masked and vd.overlaps(MASK) and (apart or vd.bits > 1):
        rule = "it may not write its own mask" if apart else "only a mask or a reduction may go there"
        raise refuse(f"{vd.text} holds v0, which masks this instruction: {rule}")


def check_overlap(vd: Group, source: Group, apart: bool) -> None:
    """Refuse an overlap of the result with a source, except those that the standard allows.

    Raises:
        Trap: `illegal_operands`.
    """
    if not vd.overlaps(source):
        return
    both = f"{vd.text} overlaps {source.text}"
    if apart:
        raise refuse(f"{both}: not allowed for this instruction, whatever the widths")
    if vd.bits > source.bits and not (source.emul >= 8 and source.end == vd.end):
        raise refuse(
            f"{both}, whose elements are narrower: allowed only in the upper part of vd, with EMUL of 1 or more"
        )
    if vd.bits < source.bits and source.register != vd.register:
        raise refuse(f"{both}, whose elements are wider: allowed only when both start at the same register")
