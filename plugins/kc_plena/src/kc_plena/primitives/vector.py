"""Vector helpers of the semantics: the segment mask and rows from scalar memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelcraft_core.sim import Trap

F32 = NDArray[np.float32]
VLEN = 64
_LANES = [np.repeat(np.array([m >> h & 1 for h in range(4)], np.bool_), 16) for m in range(16)]


def blend(mask: int, new: F32, old: F32) -> F32:
    """Return (VLEN,) float32: lane i from `new` where bit i // 16 of `mask` is set, else from `old`."""
    return np.where(_LANES[mask & 15], new, old)


def make_fp_row(context: Any, memory: Any) -> Callable[[int, int], F32]:
    """Bind `fp_row`: `count` words from `index` on, the remaining lanes 0.0.

    Raises (when called):
        Trap: `illegal_operands` when count exceeds VLEN, `out_of_bounds`.
    """

    def fp_row(index: int, count: int) -> F32:
        if count > VLEN:
            raise Trap("illegal_operands", f"length {count} exceeds a row of {VLEN} lanes")
        row = np.zeros(VLEN, np.float32)
        row[:count] = memory.read_range(index, count)
        return row

    return fp_row
