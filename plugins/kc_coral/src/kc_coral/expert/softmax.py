"""Softmax over rows of 64: terms by indexed loads, quotients by one multiplication with a reciprocal of 32 bits.

Terms: e = exp[max - x] from a copy of the table in the tightly coupled memory (it is the same for every draw, so it
may be data of the program). Eight elements take an access for each line they touch, about 10 cycles: 80 of the 150
cycles that a row takes of the load/store unit. Everything else is spread between those loads, so that the reorder
buffer (8 micro-ops, in order) is not full.

Three rows are on their way. In the round of row i the terms of i are loaded, the quotients of row i - 1 computed,
those of row i - 2 stored, and row i + 1 is loaded and taken from its maximum. The scalar unit makes the reciprocal of
row i - 1 meanwhile.

Quotients: q = floor((255 e + floor(T / 2)) / T) = floor(255 e / T + 1 / 2), as 255 e is an integer.

1. Reciprocal. Let m* = 255 2**39 / T; then m* < m <= m* + 2.
   With X = 2**32 / T, q1 = floor((2**32 - 1) / T) and r = 2**32 - q1 T, in 1..T, give X = q1 + y, y = r / T.
   As 2**32 y = q1 r + r y, f = q1 r + floor(r q1 r / 2**32) is at most 2**32 y, and less than
   T**2 / 2**32 + 1 <= 2**10 + 1 below it for T <= 64 * 2**15 = 2**21. So 32640 q1 + floor(32640 f / 2**32) is at most
   m* = 32640 X, and less than 32640 (2**-22 + 2**-32) + 1 < 2 below it; m is that plus 2.
   T >= 2**15 + 63 exp[255] keeps m below 2**32.
2. Quotient. Let A = floor(e m / 2**17) and q' = floor((A + 2**21) / 2**22).
   With a = 2**22 255 e / T, A = floor(a + s) for some s, 0 <= s <= 2**15 2 / 2**17 = 1/2.
   255 e / T + 1 / 2 is a multiple of 1 / (2 T): if its floor is j, it is at most j + 1 - 1 / (2 T), so that
   a + s + 2**21 <= (j + 1) 2**22 - 2**21 / T + 1 / 2 < (j + 1) 2**22. And j 2**22 is an integer not above a + 2**21,
   so not above A + 2**21. So q' = j = q.

`vwmulu` by 2**15, `vmulhu` by m and `vnclipu` by 22 (vxrm 0 rounds half up) are these steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from kc_coral.expert.emit import Kernel, at, v

COLUMNS, HALF = 64, 32
_ZERO, _SUM, _TOP, _X, _WIDE = 0, 1, 2, 4, 24
_TERMS = (8, 16)
"""Vector registers: 0, sum, maximum; x (four); 32-bit numbers (eight); terms of even and odd rows (eight each)."""
_TABLE = "a3"
_CONSTANTS = {"s2": COLUMNS, "s3": HALF, "s4": -1, "s5": 255 << 7, "s6": 1 << 15, "s7": 0x80}

RECIPROCAL = {
    "divide": ("divu t1, s4, t0",),
    "multiply": ("mul t2, t1, t0", "neg t2, t2", "mul t3, t1, t2", "mulhu t4, t2, t3", "mul t1, t1, s5"),
    "refine": (
        "add t3, t3, t4",
        "mulhu t4, t3, s5",
        "addi t1, t1, 2",
        "add t1, t1, t4",
    ),
}
"""t1 = m of t0 = T, with -1 in s4 and 32640 in s5; t2 = r, t3 = f, t4 are used."""

_TYPES = {
    "bytes": ("vsetvli", "s2", "e8", "m4"),
    "all": ("vsetvli", "s2", "e16", "m8"),
    "half": ("vsetvli", "s3", "e16", "m4"),
    "words": ("vsetvli", "s3", "e32", "m8"),
    "eight": ("vsetivli", 8, "e16", "m1"),
}
"""Name -> instruction, length, SEW and LMUL."""

_FRONT = frozenset("load0 load1 top get_top below".split())
_TAIL = frozenset("total divide multiply refine widen0 scale0 clip0 widen1 scale1 clip1 narrow flip".split())
_STORE = frozenset("store0 store1".split())
_LOOK_UP = frozenset(("offsets", "sum", *(f"term{i}" for i in range(8))))
_ORDER = """
    store0 widen0 total store1 offsets divide term0 load0 load1 multiply term1 refine term2 top scale0 term3 clip0
    get_top term4 widen1 scale1 term5 clip1 term6 below narrow term7 flip sum
"""
"""Of a round. The order was found by trying exchanges on the simulator."""


def softmax(n: int) -> str:
    """Return the program for n elements: an even number of rows of 64, at least four."""
    return _Softmax(n // COLUMNS).text()


class _Softmax:
    """The text of a kernel and the vector type that its last instruction set."""

    def __init__(self, rows: int) -> None:
        self.k = Kernel(f"softmax {rows} x {COLUMNS}")
        self.rows = rows
        self.type = ""

    def text(self) -> str:
        """Return the program."""
        k = self.k
        for register, value in _CONSTANTS.items():
            k.op("li", register, value)
        k.op("la", _TABLE, "terms")
        self.vector("bytes", "vmv.v.i", v(_ZERO), 0)
        first = self.steps(1)
        for step in ("load0", "load1", "top", "get_top", "below"):
            first[step]()
        self.round(0, _FRONT | _LOOK_UP)
        self.round(1, _FRONT | _LOOK_UP | _TAIL)
        if self.rows > 4:
            with k.loop("s8", self.rows // 2 - 2):
                self.type = ""
                self.round(0)
                self.round(1)
        self.round(0)
        self.round(1, _LOOK_UP | _TAIL | _STORE)
        self.round(0, _TAIL | _STORE)
        k.op("vs4r.v", v(_TERMS[1]), at("a2"))
        k.op("ret")
        table = ", ".join(str(round(2**15 * math.exp(-d / 32))) for d in range(256))
        k.data(".section .rodata", ".balign 16", f"terms: .half {table}")
        return k.text()

    def round(self, parity: int, kinds: frozenset[str] = _FRONT | _LOOK_UP | _TAIL | _STORE) -> None:
        """Append the steps of these kinds of a round whose row is even (0) or odd (1)."""
        steps = self.steps(parity)
        for step in _ORDER.split():
            if step in kinds:
                steps[step]()

    def vector(self, kind: str, *operation: object) -> None:
        """Append a vector instruction, and before it the type it needs if the last one had another."""
        if kind != self.type:
            mnemonic, length, sew, lmul = _TYPES[kind]
            self.k.op(mnemonic, "zero", length, sew, lmul, "ta", "ma")
            self.type = kind
        self.k.op(str(operation[0]), *operation[1:])

    def steps(self, parity: int) -> Mapping[str, Callable[[], None]]:
        """Return what appends each step of a round; terms of the row and of the one before lie by parity."""
        new, old, x, wide = _TERMS[parity], _TERMS[1 - parity], v(_X), v(_WIDE)

        def step(kind: str, *operation: object) -> Callable[[], None]:
            return partial(self.vector, kind, *operation)

        steps: dict[str, Callable[[], None]] = {
            "top": step("bytes", "vredmax.vs", v(_TOP), x, x),
            "get_top": step("bytes", "vmv.x.s", "t6", v(_TOP)),
            "below": step("bytes", "vrsub.vx", x, x, "t6"),
            "offsets": step("bytes", "vwaddu.vv", v(new), x, x),
            "sum": step("all", "vwredsumu.vs", v(_SUM), v(new), v(_ZERO)),
            "total": step("words", "vmv.x.s", "t0", v(_SUM)),
            "narrow": step("bytes", "vnsrl.wi", v(old), v(old), 0),
            "flip": step("bytes", "vxor.vx", v(old), v(old), "s7"),
        }
        for i in range(8):
            steps[f"term{i}"] = step("eight", "vluxei16.v", v(new + i), at(_TABLE), v(new + i))
        for half in (0, 1):
            steps[f"widen{half}"] = step("half", "vwmulu.vx", wide, v(old + 4 * half), "s6")
            steps[f"scale{half}"] = step("words", "vmulhu.vx", wide, wide, "t1")
            steps[f"clip{half}"] = step("half", "vnclipu.wi", v(old + 4 * half), wide, 22)
            steps[f"load{half}"] = partial(self.move, "vl2re8.v", _X + 2 * half, "a0")
            steps[f"store{half}"] = partial(self.move, "vs2r.v", new + 2 * half, "a2")
        for name, statements in RECIPROCAL.items():
            steps[name] = partial(self.scalar, statements)
        return steps

    def move(self, mnemonic: str, register: int, pointer: str) -> None:
        """Append a load or store of two registers, which needs no vector type."""
        self.k.op(mnemonic, v(register), at(pointer))
        self.k.op("addi", pointer, pointer, HALF)

    def scalar(self, statements: tuple[str, ...]) -> None:
        """Append scalar instructions."""
        for statement in statements:
            self.k.op(*statement.split(None, 1))
