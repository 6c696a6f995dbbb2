"""Functional interpreter of the Coral NPU: vector arithmetic and permutations; a test oracle.

Source: RVV 1.0; google-coral/coralnpu (early 2026) where the measured hardware differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from coral_reference import memory
from coral_reference.decode import Instr, signed
from coral_reference.errors import Rejected, Trap
from coral_reference.rules import check, eighths, reduced

if TYPE_CHECKING:
    from coral_reference.machine import Event, Machine

VLENB = 16
LEGAL = {1: {8, 16, 32, 64, 4, 2}, 2: {8, 16, 32, 64, 4}, 4: {8, 16, 32, 64}}
"""LMUL in eighths that an element width in bytes allows."""


class Unit:
    """What an executing vector instruction sees: the machine, the widths, the mask."""

    def __init__(self, m: Machine, i: Instr) -> None:
        if m.vtype >> 31:
            raise Trap(2, i.word)
        if not m.vl and i.name not in ("vmv.x.s", "vcpop", "vmvr") and i.mode != "whole":
            raise Rejected("vl is 0")
        self.m, self.i = m, i
        self.sew = 1 << (m.vtype >> 3 & 7)
        self.bits = 8 * self.sew
        self.lmul = eighths(m.vtype)
        self.vlmax = self.lmul * VLENB // (8 * self.sew)
        self.rounding = m.csrs[0x00A]
        self.saturated = False

    def active(self) -> range | list[int]:
        """Return the numbers of the active elements."""
        if not self.i.masked:
            return range(self.m.vl)
        return [e for e in range(self.m.vl) if self.bit(0, e)]

    def bit(self, register: int, element: int) -> int:
        return self.m.v[register * VLENB + element // 8] >> (element % 8) & 1

    def set_bit(self, register: int, element: int, value: int) -> None:
        at = register * VLENB + element // 8
        self.m.v[at] = self.m.v[at] & ~(1 << element % 8) | (value & 1) << element % 8

    def get(self, register: int, element: int, is_signed: bool, size: int = 0) -> int:
        size = size or self.sew
        return self.m.elements[size, int(is_signed)][register * VLENB // size + element]

    def put(self, register: int, element: int, value: int, size: int = 0) -> None:
        size = size or self.sew
        self.m.elements[size, 0][register * VLENB // size + element] = value & ((1 << 8 * size) - 1)

    def second(self, is_signed: bool, size: int = 0) -> Callable[[int], int]:
        """Return a function element -> second source (vs1, rs1 or immediate), at the element width."""
        i = self.i
        if i.form == "v":
            return lambda e: self.get(i.rs1, e, is_signed, size)
        value = i.imm if i.form == "i" else self.m.x[i.rs1]
        value = signed(value, self.bits) if is_signed else value & ((1 << self.bits) - 1)
        return lambda e: value

    def fit(self, value: int, is_signed: bool) -> int:
        """Return `value` saturated to the element width, noting it."""
        low, high = (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if is_signed else (0, (1 << self.bits) - 1)
        clipped = min(max(value, low), high)
        self.saturated |= clipped != value
        return clipped

    def round(self, value: int, shift: int) -> int:
        """Return `value >> shift`, rounded as vxrm says."""
        if not shift:
            return value
        half, lower = value >> shift - 1 & 1, value & ((1 << shift - 1) - 1)
        odd = value >> shift & 1
        up = (half, half & int(lower != 0 or odd), 0, int(not odd and (half or lower != 0)))[self.rounding]
        return (value >> shift) + up


def execute(m: Machine, i: Instr, event: Event) -> None:
    """Execute a vector instruction."""
    if i.form == "c":
        _configure(m, i)
        return
    u = Unit(m, i)
    if i.form == "m":
        memory.execute(u, event)
        return
    check(u)
    if i.name in DIVISIONS:
        _note_divisions(u, event)
    for table in (SINGLE, WIDENING):
        if i.name in table:
            (_single if table is SINGLE else _widening)(u, *table[i.name])
            break
    else:
        SPECIAL[i.name](u)
    if u.saturated:
        m.csrs[0x009] = 1


def _configure(m: Machine, i: Instr) -> None:
    vtype = m.x[i.rs2] if i.name == "vsetvl" else i.imm
    sew, lmul = 1 << (vtype >> 3 & 7), eighths(vtype)
    if vtype >> 8 or lmul not in LEGAL.get(sew, ()):
        m.vtype, m.vl = 1 << 31, 0
        m.write(i.rd, 0)
        return
    vlmax = lmul * VLENB // (8 * sew)
    if i.name == "vsetivli":
        avl = i.rs1
    elif i.rs1:
        avl = m.x[i.rs1]
    else:
        avl = vlmax if i.rd else m.vl
    m.vtype, m.vl = vtype, min(avl, vlmax)
    m.write(i.rd, m.vl)


# element by element: signedness of vs2 and of the second source, function(unit, a, b, old) -----------------------------


def _quotient(u: Unit, a: int, b: int, _: int) -> int:
    return -1 if not b else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(u: Unit, a: int, b: int, _: int) -> int:
    return a if not b else abs(a) % abs(b) * (-1 if a < 0 else 1)


def _shift(u: Unit, b: int) -> int:
    return b & (u.bits - 1)


Element = Callable[[Unit, int, int, int], int]
S, N = True, False
SINGLE: dict[str, tuple[bool, bool, Element]] = {
    "vadd": (N, N, lambda u, a, b, d: a + b),
    "vsub": (N, N, lambda u, a, b, d: a - b),
    "vrsub": (N, N, lambda u, a, b, d: b - a),
    "vminu": (N, N, lambda u, a, b, d: min(a, b)),
    "vmin": (S, S, lambda u, a, b, d: min(a, b)),
    "vmaxu": (N, N, lambda u, a, b, d: max(a, b)),
    "vmax": (S, S, lambda u, a, b, d: max(a, b)),
    "vand": (N, N, lambda u, a, b, d: a & b),
    "vor": (N, N, lambda u, a, b, d: a | b),
    "vxor": (N, N, lambda u, a, b, d: a ^ b),
    "vsaddu": (N, N, lambda u, a, b, d: u.fit(a + b, N)),
    "vsadd": (S, S, lambda u, a, b, d: u.fit(a + b, S)),
    "vssubu": (N, N, lambda u, a, b, d: u.fit(a - b, N)),
    "vssub": (S, S, lambda u, a, b, d: u.fit(a - b, S)),
    "vsll": (N, N, lambda u, a, b, d: a << _shift(u, b)),
    "vsrl": (N, N, lambda u, a, b, d: a >> _shift(u, b)),
    "vsra": (S, N, lambda u, a, b, d: a >> _shift(u, b)),
    "vssrl": (N, N, lambda u, a, b, d: u.round(a, _shift(u, b))),
    "vssra": (S, N, lambda u, a, b, d: u.round(a, _shift(u, b))),
    "vsmul": (S, S, lambda u, a, b, d: u.fit(u.round(a * b, u.bits - 1), S)),
    "vaaddu": (N, N, lambda u, a, b, d: u.round(a + b, 1)),
    "vaadd": (S, S, lambda u, a, b, d: u.round(a + b, 1)),
    "vasubu": (N, N, lambda u, a, b, d: u.round(a - b, 1)),
    "vasub": (S, S, lambda u, a, b, d: u.round(a - b, 1)),
    "vdivu": (N, N, _quotient),
    "vdiv": (S, S, _quotient),
    "vremu": (N, N, _remainder),
    "vrem": (S, S, _remainder),
    "vmul": (N, N, lambda u, a, b, d: a * b),
    "vmulh": (S, S, lambda u, a, b, d: a * b >> u.bits),
    "vmulhu": (N, N, lambda u, a, b, d: a * b >> u.bits),
    "vmulhsu": (S, N, lambda u, a, b, d: a * b >> u.bits),
    "vmadd": (N, N, lambda u, a, b, d: b * d + a),
    "vnmsub": (N, N, lambda u, a, b, d: a - b * d),
    "vmacc": (N, N, lambda u, a, b, d: d + a * b),
    "vnmsac": (N, N, lambda u, a, b, d: d - a * b),
}
WIDENING: dict[str, tuple[bool, bool, bool, Element]] = {  # the first bool: vs2 is wide
    "vwaddu": (N, N, N, lambda u, a, b, d: a + b),
    "vwadd": (N, S, S, lambda u, a, b, d: a + b),
    "vwsubu": (N, N, N, lambda u, a, b, d: a - b),
    "vwsub": (N, S, S, lambda u, a, b, d: a - b),
    "vwaddu.w": (S, N, N, lambda u, a, b, d: a + b),
    "vwadd.w": (S, S, S, lambda u, a, b, d: a + b),
    "vwsubu.w": (S, N, N, lambda u, a, b, d: a - b),
    "vwsub.w": (S, S, S, lambda u, a, b, d: a - b),
    "vwmulu": (N, N, N, lambda u, a, b, d: a * b),
    "vwmulsu": (N, S, N, lambda u, a, b, d: a * b),
    "vwmul": (N, S, S, lambda u, a, b, d: a * b),
    "vwmaccu": (N, N, N, lambda u, a, b, d: d + a * b),
    "vwmacc": (N, S, S, lambda u, a, b, d: d + a * b),
    "vwmaccus": (N, S, N, lambda u, a, b, d: d + a * b),
    "vwmaccsu": (N, N, S, lambda u, a, b, d: d + a * b),
}
DIVISIONS = {"vdivu": N, "vdiv": S, "vremu": N, "vrem": S}


def _note_divisions(u: Unit, event: Event) -> None:
    is_signed, second = DIVISIONS[u.i.name], u.second(DIVISIONS[u.i.name])
    per, rows = VLENB // u.sew, []
    for k in range(max(1, reduced(u.m.vl, u.m.vtype) // 8)):
        elements = range(k * per, (k + 1) * per)
        rows.append((tuple(u.get(u.i.rs2, e, is_signed) for e in elements), tuple(second(e) for e in elements)))
    event.divisions = tuple(rows)


def _single(u: Unit, sign2: bool, sign1: bool, function: Element) -> None:
    i, second = u.i, u.second(sign1)
    for e in u.active():
        u.put(i.rd, e, function(u, u.get(i.rs2, e, sign2), second(e), u.get(i.rd, e, False)))


def _widening(u: Unit, wide: bool, sign2: bool, sign1: bool, function: Element) -> None:
    i, second, double = u.i, u.second(sign1), 2 * u.sew
    results = []
    for e in u.active():
        a = u.get(i.rs2, e, sign2, double if wide else u.sew)
        results.append((e, function(u, a, second(e), u.get(i.rd, e, False, double))))
    for e, value in results:  # sources may lie in the destination group
        u.put(i.rd, e, value, double)


def _narrow(u: Unit) -> None:
    i, is_signed, second = u.i, u.i.name in ("vnsra", "vnclip"), u.second(False)
    for e in u.active():
        a, shift = u.get(i.rs2, e, is_signed, 2 * u.sew), second(e) & (2 * u.bits - 1)
        u.put(i.rd, e, u.fit(u.round(a, shift), is_signed) if "clip" in i.name else a >> shift)


def _extend(u: Unit) -> None:
    i, is_signed = u.i, u.i.name[1] == "s"
    values = [(e, u.get(i.rs2, e, is_signed, u.sew // int(i.name[-1]))) for e in u.active()]
    for e, value in values:
        u.put(i.rd, e, value)


def _carry(u: Unit) -> None:
    i, second, mask = u.i, u.second(False), (1 << u.bits) - 1
    results = []
    for e in range(u.m.vl):
        c, a, b = (u.bit(0, e) if i.masked else 0), u.get(i.rs2, e, False), second(e)
        total = a + b + c if i.name in ("vadc", "vmadc") else a - b - c
        results.append((e, total & mask if i.name in ("vadc", "vsbc") else int(not 0 <= total <= mask)))
    for e, value in results:
        (u.put if i.name in ("vadc", "vsbc") else u.set_bit)(i.rd, e, value)


def _merge(u: Unit) -> None:
    i, second = u.i, u.second(False)
    for e in range(u.m.vl):
        take = i.name == "vmv.v" or u.bit(0, e)
        u.put(i.rd, e, second(e) if take else u.get(i.rs2, e, False))


COMPARES: dict[str, tuple[bool, Callable[[int, int], bool]]] = {
    "vmseq": (N, lambda a, b: a == b),
    "vmsne": (N, lambda a, b: a != b),
    "vmsltu": (N, lambda a, b: a < b),
    "vmslt": (S, lambda a, b: a < b),
    "vmsleu": (N, lambda a, b: a <= b),
    "vmsle": (S, lambda a, b: a <= b),
    "vmsgtu": (N, lambda a, b: a > b),
    "vmsgt": (S, lambda a, b: a > b),
}


def _compare(u: Unit) -> None:
    is_signed, function = COMPARES[u.i.name]
    second = u.second(is_signed)
    results = [(e, int(function(u.get(u.i.rs2, e, is_signed), second(e)))) for e in u.active()]
    for e, value in results:
        u.set_bit(u.i.rd, e, value)


REDUCTIONS: dict[str, tuple[bool, Callable[[int, int], int]]] = {
    "vredsum": (N, lambda a, b: a + b),
    "vredand": (N, lambda a, b: a & b),
    "vredor": (N, lambda a, b: a | b),
    "vredxor": (N, lambda a, b: a ^ b),
    "vredminu": (N, min),
    "vredmin": (S, min),
    "vredmaxu": (N, max),
    "vredmax": (S, max),
    "vwredsumu": (N, lambda a, b: a + b),
    "vwredsum": (S, lambda a, b: a + b),
}


def _reduce(u: Unit) -> None:
    is_signed, function = REDUCTIONS[u.i.name]
    size = 2 * u.sew if u.i.name.startswith("vw") else u.sew
    total = u.get(u.i.rs1, 0, is_signed, size)
    for e in u.active():
        total = function(total, u.get(u.i.rs2, e, is_signed))
    u.put(u.i.rd, 0, total, size)


LOGIC: dict[str, Callable[[int, int], int]] = {
    "vmandn": lambda a, b: a & ~b,
    "vmand": lambda a, b: a & b,
    "vmor": lambda a, b: a | b,
    "vmxor": lambda a, b: a ^ b,
    "vmorn": lambda a, b: a | ~b,
    "vmnand": lambda a, b: ~(a & b),
    "vmnor": lambda a, b: ~(a | b),
    "vmxnor": lambda a, b: ~(a ^ b),
}


def _logic(u: Unit) -> None:
    """Compute all 128 bits, as the hardware does."""
    i = u.i
    for e in range(8 * VLENB):
        u.set_bit(i.rd, e, LOGIC[i.name](u.bit(i.rs2, e), u.bit(i.rs1, e)))


def _scan(u: Unit) -> None:
    """Set the bits before, at, or up to the first one."""
    i, found = u.i, False
    for e in u.active():
        bit = u.bit(i.rs2, e)
        before = {"vmsbf": not (found or bit), "vmsif": not found, "vmsof": bit and not found}[i.name]
        found = found or bool(bit)
        u.set_bit(i.rd, e, int(before))


def _count(u: Unit) -> None:
    ones = [e for e in u.active() if u.bit(u.i.rs2, e)]
    u.m.write(u.i.rd, len(ones) if u.i.name == "vcpop" else (ones[0] if ones else -1))


def _iota(u: Unit) -> None:
    total = 0
    for e in u.active():
        u.put(u.i.rd, e, total if u.i.name == "viota" else e)
        total += u.bit(u.i.rs2, e)


def _to_scalar(u: Unit) -> None:
    u.m.write(u.i.rd, u.get(u.i.rs2, 0, False))  # zero-extended, unlike the standard


def _from_scalar(u: Unit) -> None:
    u.put(u.i.rd, 0, u.m.x[u.i.rs1])


def _move_registers(u: Unit) -> None:
    n = u.i.imm % 8 + 1
    u.m.v[u.i.rd * VLENB : (u.i.rd + n) * VLENB] = u.m.v[u.i.rs2 * VLENB : (u.i.rs2 + n) * VLENB]


def _element(u: Unit, index: int, limit: int) -> int:
    """Return the element of vs2 at `index`, 0 from VLMAX on; refuse what standard and hardware read differently."""
    if index >= u.vlmax:
        return 0
    if index >= limit:
        raise Rejected(f"element {index} lies outside the registers that vl needs")
    return u.get(u.i.rs2, index, False)


def _permute(u: Unit) -> None:
    i, name = u.i, u.i.name
    limit = reduced(u.m.vl, u.m.vtype) * VLENB // (8 * u.sew)
    second = u.second(False, 2 if name == "vrgatherei16" else 0)
    offset = i.imm if i.form == "i" else u.m.x[i.rs1]
    results = []
    for e in u.active():
        if name == "vslideup":
            if e >= offset:
                results.append((e, u.get(i.rs2, e - offset, False)))
        elif name == "vslide1up":
            results.append((e, u.get(i.rs2, e - 1, False) if e else offset))
        elif name == "vslide1down":
            results.append((e, _element(u, e + 1, limit) if e < u.m.vl - 1 else offset))
        elif name == "vslidedown":
            results.append((e, _element(u, e + offset, limit)))
        else:
            index = second(e) if i.form == "v" else offset
            results.append((e, _element(u, index, limit)))
    for e, value in results:
        u.put(i.rd, e, value)


def _compress(u: Unit) -> None:
    taken = [e for e in range(u.m.vl) if u.bit(u.i.rs1, e)]
    for e, source in enumerate(taken):
        u.put(u.i.rd, e, u.get(u.i.rs2, source, False))


SPECIAL: dict[str, Callable[[Unit], None]] = {
    **dict.fromkeys(("vnsrl", "vnsra", "vnclipu", "vnclip"), _narrow),
    **dict.fromkeys(("vzext.vf2", "vzext.vf4", "vsext.vf2", "vsext.vf4"), _extend),
    **dict.fromkeys(("vadc", "vmadc", "vsbc", "vmsbc"), _carry),
    **dict.fromkeys(("vmerge", "vmv.v"), _merge),
    **dict.fromkeys(COMPARES, _compare),
    **dict.fromkeys(REDUCTIONS, _reduce),
    **dict.fromkeys(LOGIC, _logic),
    **dict.fromkeys(("vmsbf", "vmsif", "vmsof"), _scan),
    **dict.fromkeys(("vcpop", "vfirst"), _count),
    **dict.fromkeys(("viota", "vid"), _iota),
    **dict.fromkeys(("vslideup", "vslidedown", "vslide1up", "vslide1down", "vrgather", "vrgatherei16"), _permute),
    "vcompress": _compress,
    "vmv.x.s": _to_scalar,
    "vmv.s.x": _from_scalar,
    "vmvr": _move_registers,
}
