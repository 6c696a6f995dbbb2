"""The scalar part of the norms: mean, root and factor, and how to multiply by the factor in 16 bits.

Root: q = isqrt(n) with n = 256 v and 1 <= v <= 16384. v is shifted by an even number of bits to w in 2**13..2**15;
with x = w / 2**13, 0.3431 (x + 2) is within 3 % of sqrt(x) on 1..4. That estimate, shifted back, is divided into n
once (Newton). The mean of an estimate and of n by it is never below the root; here it is less than 1 above it, so
that rounded down it is q or q + 1, and a square tells which. A test runs these instructions for every v.

Factor: t = rnu(d inv, 11) with inv = floor(2**20 / q) is one `vsmul` of 16 bits: vsmul(a, b) = rnu(a b, 15), so that
any k, m with m 2**k = 16 inv, m < 2**15 and d 2**k within 16 bits do.

| v | q | inv | k | m |
| --- | --- | --- | --- | --- |
| 5 and more | 35.. | below 2**15 | 4 | inv |
| 2, 3, 4 | 22, 27, 32 | 47662, 38836, 32768 | 5 | inv / 2 |
| 1 | 16 | 65536 | 6 | 2**14 |
| 0 | 1 | 2**20 | 9 | 2**15 - 1 |

Nothing leaves 16 bits, as |d| <= 255. v = 0 means sum d d < N / 2, so |d| <= 63; m is one short of 2**15, which makes
t = 512 d - d / 64, rounded: right for |d| < 32 and at most 1 nearer to 0 beyond. There the result saturates, unless
|gamma| <= 1, where the difference is lost in rounding: right for every gamma.
"""

from __future__ import annotations

from collections.abc import Iterator

from kc_coral.expert.emit import Kernel

MEAN, SHIFT, FACTOR = "a5", "a6", "a7"
VARIANCE, ROOT = "t2", "t0"
LOAD = "load"
"""Where the scalar unit divides and the load/store unit has time for something else."""
_RETURN, _RARE = ".Lfactor", ".Lrare"

ROOT_OF_VARIANCE = (
    "sltiu t4, t2, 128",  # below 2**7: by 8 bits
    "lui   t6, 2",
    "slli  t5, t4, 3",
    "slli  t4, t4, 2",  # t4 collects half of the bits
    "sll   t3, t2, t5",
    "srli  t1, t6, 2",
    "sltu  t1, t3, t1",  # below 2**11: by 4 bits
    "slli  t5, t1, 2",
    "slli  t1, t1, 1",
    "sll   t3, t3, t5",
    "add   t4, t4, t1",
    "sltu  t1, t3, t6",  # below 2**13: by 2 bits
    "add   t4, t4, t1",
    "slli  t1, t1, 1",
    "sll   t3, t3, t1",
    "lui   t6, 4",
    "li    t1, 1988",  # 0.3431 sqrt(256) 2**15 / 2**6.5
    "add   t3, t3, t6",
    "mul   t3, t3, t1",
    "addi  t4, t4, 15",
    "slli  t0, t2, 8",
    "srl   t3, t3, t4",
    "divu  t1, t0, t3",
    LOAD,
    LOAD,
    LOAD,
    "add   t1, t1, t3",
    "srli  t1, t1, 1",
    "mul   t3, t1, t1",
    "sltu  t0, t0, t3",
    "sub   t0, t1, t0",
)
"""t0 = isqrt(256 t2) for t2 = 1..16384; t1, t3 to t6 are used. For t2 = 0 some number above 0."""


def factors(n: int, sum_register: str | None, squares_register: str) -> Iterator[str]:
    """Yield the statements from the sums (element 0 of vector registers, 32 bits) to MEAN, SHIFT and FACTOR.

    Args:
        n: elements, a power of two.
        sum_register: of x, None for a mean of 0.
        squares_register: of x x. With a mean, sum d d = sum x x - mean (2 sum x - N mean).
    """
    log2 = n.bit_length() - 1
    yield f"li a4, {n // 2}"
    yield "vsetivli zero, 1, e32, m1, ta, ma"
    if sum_register is None:
        yield f"vmv.x.s t2, {squares_register}"
        yield f"li {MEAN}, 0"
    else:
        yield f"vmv.x.s t1, {sum_register}"
        yield f"vmv.x.s t2, {squares_register}"
        yield f"add {MEAN}, t1, a4"
        yield f"srai {MEAN}, {MEAN}, {log2}"
        yield f"slli t3, {MEAN}, {log2}"
        yield "slli t1, t1, 1"
        yield "sub t1, t1, t3"
        yield f"mul t1, t1, {MEAN}"
        yield "sub t2, t2, t1"
    yield "add t2, t2, a4"
    yield f"srli {VARIANCE}, t2, {log2}"
    yield from ROOT_OF_VARIANCE
    yield "lui t4, 256"
    yield f"divu {FACTOR}, t4, {ROOT}"
    yield from (LOAD, LOAD, LOAD)
    yield f"li {SHIFT}, 4"
    yield "lui t4, 8"
    yield f"bgeu {FACTOR}, t4, {_RARE}"


def back(k: Kernel) -> None:
    """Append the place where rare factors come back to."""
    k.data(f"{_RETURN}:")


def rare_factors(k: Kernel) -> None:
    """Append, behind the end of the kernel, what SHIFT and FACTOR are for a variance of 4 and less."""
    k.data(f"{_RARE}:")
    k.op("beqz", VARIANCE, "1f")
    k.op("lui", "t4", 16)
    k.op("li", SHIFT, 5)
    k.op("srli", "t5", FACTOR, 1)
    k.op("bltu", FACTOR, "t4", "2f")
    k.op("li", SHIFT, 6)
    k.op("srli", "t5", FACTOR, 2)
    k.op("j", "2f")
    k.data("1:")
    k.op("li", SHIFT, 9)
    k.op("li", "t5", 2**15 - 1)
    k.data("2:")
    k.op("mv", FACTOR, "t5")
    k.op("j", _RETURN)
