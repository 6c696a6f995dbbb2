"""Dynamic values that the scoreboard is given: bus accesses of loads and stores, bits of divisions.

A bus access count is positive for the tightly coupled memories and negative for external memory, so that one small integer
says what an access costs and equal costs compare equal.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from kc_coral.timing_ops import Op
from kc_coral.timing_uops import VLENB, memory_registers

EXTERNAL = 0x2000_0000
LINE = 16

Access = tuple[int, ...]
"""Bus accesses of each iteration of a vector load or store."""


def scalar_access(address: int, size: int) -> int:
    """Return the bus accesses of a scalar load or store of `size` bytes."""
    lines = (address % LINE + size - 1) // LINE + 1
    return -lines if address >= EXTERNAL else lines


def divide_bits(dividend: int, divisor: int, signed: bool) -> int:
    """Return the bit length of a 32-bit dividend's magnitude, 1..31, or 0 when `divisor` is 0."""
    if not divisor:
        return 0
    if signed and dividend & 0x8000_0000:
        dividend = (1 << 32) - dividend
    return min(max(dividend.bit_length(), 1), 31)


class Divider:
    """What the vector divider remembers of the micro-op before: all its elements, tail and masked-off ones too.

    A micro-op is quick when each lane has the same magnitudes of dividend and divisor and the same signs of quotient and
    remainder as in the one before: when it has the same elements.
    """

    def __init__(self) -> None:
        self._last: tuple[list[int], list[int]] | None = None

    def bits(self, dividends: list[int], divisors: list[int]) -> int:
        """Return the bit length of the largest dividend with a divisor, 0 when the results are still there.

        Args:
            dividends: the elements of one register, negative ones for signed divisions.
            divisors: the same.
        """
        seen = (dividends, divisors)
        if seen == self._last:
            return 0
        self._last = seen
        if 0 in divisors:
            dividends = [a for a, b in zip(dividends, divisors, strict=True) if b]
        return max(map(abs, dividends), default=0).bit_length()


def _lines(addresses: list[int], size: int) -> int:
    return len({line for a in addresses for line in range(a // LINE, (a + size - 1) // LINE + 1)})


def _writes(addresses: list[int], size: int) -> int:
    """Return the bus writes: per line, as many as the most elements that write the same byte."""
    if len(set(addresses)) == len(addresses) and _min_distance(addresses) >= size:
        return _lines(addresses, size)
    writers = Counter(a + k for a in addresses for k in range(size))
    most: dict[int, int] = {}
    for byte, count in writers.items():
        most[byte // LINE] = max(most.get(byte // LINE, 0), count)
    return sum(most.values())


def _min_distance(addresses: list[int]) -> int:
    """Return the smallest distance of two addresses; a large number for fewer than two."""
    ordered = sorted(addresses)
    return min((b - a for a, b in pairwise(ordered)), default=1 << 32)


def vector_access(
    op: Op, config: int, base: int, *, stride: int | None = None, indices: Sequence[int] = (), mask: int = -1
) -> Access:
    """Return the bus accesses of each iteration of the vector load or store `op`.

    Args:
        op: its static record.
        config: `vl << 8 | vtype`.
        base: value of the base register.
        stride: value of rs2 of a strided form, as a signed number.
        indices: values of the index elements of an indexed form, unsigned.
        mask: bit per element of v0 when the form is masked; -1 when not.
    """
    if stride is not None and op.word >> 26 & 3 != 2:
        stride = None
    limit = config >> 8
    if mask >= 0:
        mask &= (1 << limit) - 1
    if not indices:
        return _regular(op.word, config, base % LINE, base >= EXTERNAL, stride, mask)
    addresses = [base + index & 0xFFFF_FFFF for index in indices]  # the base may be 0 and the indices addresses
    return _count(op.word, config, addresses, max(addresses) >= EXTERNAL, mask)


@lru_cache(maxsize=4096)
def _regular(word: int, config: int, base: int, external: bool, stride: int | None, mask: int) -> Access:
    vl, vtype = config >> 8, config & 0xFF
    size = {0: 1, 5: 2, 6: 4}[word >> 12 & 7]
    registers, fields, _ = memory_registers(word, vl, vtype)
    unit, lumop = word >> 26 & 3 == 0, word >> 20 & 31
    if unit and lumop == 8:
        size, vl = 1, registers * VLENB
    elif unit and lumop == 11:
        vl = (vl + 7) // 8
    step = fields * size if stride is None else stride
    return _count(word, config, [base + e * step for e in range(vl)], external, mask)


def _count(word: int, config: int, offsets: list[int], external: bool, mask: int) -> Access:
    """Return the counts of all iterations, given where field 0 of each element is, from any line's start."""
    vl, vtype = config >> 8, config & 0xFF
    registers, fields, index = memory_registers(word, vl, vtype)
    unit = word >> 26 & 3 == 0
    whole = unit and word >> 20 & 31 == 8
    size = {0: 1, 5: 2, 6: 4}[word >> 12 & 7] if not whole else 1
    if index:
        size = 1 << (vtype >> 3 & 7)
    count = _writes if word & 0x7F == 0x27 else _lines
    per, counts = VLENB // size, []
    for m in range(registers):
        active = [offsets[e] for e in range(m * per, min(len(offsets), (m + 1) * per)) if mask >> e & 1]
        for f in range(fields):
            lines = count([a + f * size for a in active], size)
            counts.append(-lines if external else lines)
    return tuple(counts)
