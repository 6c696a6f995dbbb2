"""Which uses of vector instructions are refused: groups, overlaps, masks; a test oracle.

Source: RVV 1.0 section 5.2 and 5.3; google-coral/coralnpu (early 2026), where such instructions hang instead of trapping.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coral_reference.errors import Rejected

if TYPE_CHECKING:
    from coral_reference.vector import Unit

VLENB = 16
WIDE = ("vwadd", "vwsub", "vwmul", "vwmacc")
NARROW = ("vnsrl", "vnsra", "vnclip")
COMPARE = ("vmseq", "vmsne", "vmslt", "vmsle", "vmsgt", "vmadc", "vmsbc")
SCALAR_RESULT = ("vmv.x.s", "vcpop", "vfirst")
APART = ("vslideup", "vslide1up", "vrgather", "vcompress", "viota", "vmsbf", "vmsif", "vmsof")
"""Instructions whose result may not overlap a source; all spellings that start so."""
MASK_SOURCE = ("vcpop", "vfirst", "viota", "vmsbf", "vmsif", "vmsof")
LOGIC = ("vmandn", "vmand", "vmor", "vmxor", "vmorn", "vmnand", "vmnor", "vmxnor")


@dataclass(frozen=True)
class Group:
    """A register group: first register, EMUL in eighths, element width in bits (1 for masks)."""

    register: int
    emul: int
    eew: int

    @property
    def count(self) -> int:
        return max(1, self.emul // 8)

    def overlaps(self, other: Group) -> bool:
        return self.register < other.register + other.count and other.register < self.register + self.count


def eighths(vtype: int) -> int:
    """Return LMUL in eighths, 0 for the reserved code."""
    return (8, 16, 32, 64, 0, 1, 2, 4)[vtype & 7]


def reduced(vl: int, vtype: int) -> int:
    """Return the LMUL in eighths that `vl` needs: what the hardware works on."""
    size, lmul = 1 << (vtype >> 3 & 7), eighths(vtype)
    for emul in (2, 4, 8, 16, 32, 64):
        if emul >= 2 * size and vl * size <= emul * VLENB // 8:
            return min(emul, lmul)
    return lmul


def fail(reason: str) -> None:
    raise Rejected(reason)


def check_group(group: Group) -> None:
    """Refuse a group that is misaligned, too large, or runs past v31."""
    if not 1 <= group.emul <= 64:
        fail("EMUL out of range")
    if group.register % group.count or group.register + group.count > 32:
        fail("register group misaligned")


def check_overlap(result: Group, source: Group, never: bool) -> None:
    """Refuse an overlap of the result with a source, except those the standard allows."""
    if not result.overlaps(source) or (result.eew == source.eew and not never):
        return
    if never:
        fail("result overlaps a source")
    if result.eew > source.eew:
        top = source.register + source.count == result.register + result.count
        if source.emul < 8 or not top:
            fail("result overlaps a narrower source")
    elif result.register != source.register:
        fail("result overlaps a wider source")


def groups(u: Unit) -> tuple[Group | None, list[Group]]:
    """Return (result, sources) of an arithmetic instruction."""
    i, name, bits, lmul = u.i, u.i.name, u.bits, u.lmul
    one = Group(i.rs1, lmul, bits)
    two = Group(i.rs2, lmul, bits)
    result = Group(i.rd, lmul, bits)
    first = [one] if i.form == "v" else []
    if name == "vmvr":
        n = 8 * (i.imm % 8 + 1)
        return Group(i.rd, n, 8), [Group(i.rs2, n, 8)]
    if name in SCALAR_RESULT:
        return None, [Group(i.rs2, 8, 1)]
    if name == "vmv.s.x":
        return Group(i.rd, 8, bits), []
    if name in LOGIC:
        return Group(i.rd, 8, 1), [Group(i.rs1, 8, 1), Group(i.rs2, 8, 1)]
    if name.startswith(WIDE) or "wred" in name or name.startswith(NARROW):
        if u.sew == 4 or (lmul == 64 and "wred" not in name):
            fail("no room for the double width")
    if "red" in name:
        wide = 2 * bits if "wred" in name else bits
        return Group(i.rd, 8, wide), [Group(i.rs1, 8, wide), two]
    if name.startswith(WIDE):
        return Group(i.rd, 2 * lmul, 2 * bits), [*first, Group(i.rs2, 2 * lmul, 2 * bits) if name[-2:] == ".w" else two]
    if name.startswith(NARROW):
        return result, [*first, Group(i.rs2, 2 * lmul, 2 * bits)]
    if name.startswith(COMPARE):
        return Group(i.rd, 8, 1), [*first, two]
    if name in ("vmsbf", "vmsif", "vmsof"):
        return Group(i.rd, 8, 1), [Group(i.rs2, 8, 1)]
    if name == "viota":
        return result, [Group(i.rs2, 8, 1)]
    if name in ("vid", "vmv.v"):
        return result, first if name == "vmv.v" else []
    if "ext." in name:
        ratio = int(name[-1])
        if bits // ratio < 8:
            fail("source elements narrower than 8 bits")
        return result, [Group(i.rs2, lmul // ratio, bits // ratio)]
    if name == "vrgatherei16":
        return result, [Group(i.rs1, lmul * 16 // bits, 16), two]
    if name == "vcompress":
        return result, [Group(i.rs1, 8, 1), two]
    return result, [*first, two]


def check(u: Unit) -> None:
    """Refuse an arithmetic instruction that breaks a rule."""
    result, sources = groups(u)
    name = u.i.name
    for group in [*sources, *([result] if result else [])]:
        check_group(group)
    if result is None:
        return
    never = name.startswith(APART)
    reduction = "red" in name
    if not reduction and name not in LOGIC:
        for source in sources:
            check_overlap(result, source, never)
    if u.i.masked and result.eew != 1 and not reduction and result.overlaps(Group(0, 8, 1)):
        fail("masked result in v0")
    if u.i.masked and never and result.overlaps(Group(0, 8, 1)):
        fail("result overlaps the mask")
