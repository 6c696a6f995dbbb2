"""GEMV: the matrix passes once, at the pace of the load/store unit; nearly everything else hides behind it.

- 32 elements of a row at a time: `vwmul.vv` makes 16-bit products, `vwredsum.vs` adds them in 32 bits to element 0 of a
  register. That takes the reduction unit 8 cycles, less than the 2 RL + 9 of the load.
- A load that is on its way blocks the reorder buffer and the completion window, which have eight places each. From load to
  load there are six instructions and five results, so that the next load is issued before the previous one ends, and the
  load/store unit does not wait.
- Four rows have a sum each; three slides then put them side by side, and the result of 16 rows is stored at once.
"""

from __future__ import annotations

from kc_coral.expert.emit import Kernel, at, v
from kc_coral.shapes import shift

_CHUNK = 32
"""Elements that two registers hold."""
_ROWS = 16
"""Results of a turn: one register of bytes."""
_VECTOR, _PRODUCTS, _CHUNKS, _RESULTS, _SUMS, _ZERO = 0, 16, (20, 22), 24, 27, 31
"""First registers: the vector (up to 16), products (4), chunks of the matrix (2 each), results (4), sums 1 to 3, zeros."""


def gemv(m: int, n: int) -> str:
    """Return y[m] = sat8(rnu(A[m, n] x[n], S)); m is a multiple of 16, n one of 32 up to 256."""
    k = Kernel(f"gemv [{m}, {n}]")
    k.op("csrwi", "vxrm", 0)
    k.op("li", "t0", _CHUNK)
    k.op("vsetvli", "zero", "t0", "e8", "m2", "ta", "ma")
    chunks = n // _CHUNK
    for chunk in range(chunks):
        k.op("vle8.v", v(_VECTOR + 2 * chunk), at("a1"))
        k.op("addi", "a1", "a1", _CHUNK)
    k.op("vle8.v", v(_CHUNKS[0]), at("a0"))
    k.op("vmv.v.i", v(30), 0)  # m2: v30 and v31
    with k.loop("t1", m // _ROWS):
        for row in range(_ROWS):
            for chunk in range(chunks):
                _chunk(k, row, chunk, row * chunks + chunk)
            if row % 4 == 3:
                _collect(k, _RESULTS + row // 4)
        _finish(k, shift(n))
    k.op("ret")
    return k.text()


def _sum(row: int) -> int:
    """Return the register whose element 0 is the sum of a row."""
    return _SUMS + row % 4 if row % 4 else _RESULTS + row // 4


def _chunk(k: Kernel, row: int, chunk: int, index: int) -> None:
    """Append the load of the next chunk, and the products and sums of this one. vtype is e8, m2 before and after."""
    k.op("addi", "a0", "a0", _CHUNK)
    k.op("vle8.v", v(_CHUNKS[(index + 1) % 2]), at("a0"))
    k.op("vwmul.vv", v(_PRODUCTS), v(_CHUNKS[index % 2]), v(_VECTOR + 2 * chunk))
    k.op("vsetvli", "zero", "zero", "e16", "m4", "ta", "ma")
    k.op("vwredsum.vs", v(_sum(row)), v(_PRODUCTS), v(_sum(row) if chunk else _ZERO))
    k.op("vsetvli", "zero", "zero", "e8", "m2", "ta", "ma")


def _collect(k: Kernel, result: int) -> None:
    """Append the slides that put four sums into one register."""
    k.op("vsetivli", "zero", 4, "e32", "m1", "ta", "ma")
    k.op("vslideup.vi", v(result), v(_SUMS + 1), 1)
    k.op("vslideup.vi", v(_SUMS + 2), v(_SUMS + 3), 1)
    k.op("vslideup.vi", v(result), v(_SUMS + 2), 2)
    k.op("vsetvli", "zero", "t0", "e8", "m2", "ta", "ma")


def _finish(k: Kernel, s: int) -> None:
    """Append the requantisation and the store of 16 sums."""
    k.op("vsetivli", "zero", _ROWS, "e16", "m2", "ta", "ma")
    k.op("vnclip.wi", v(_PRODUCTS), v(_RESULTS), s)
    k.op("vsetvli", "zero", "zero", "e8", "m1", "ta", "ma")
    k.op("vnclip.wi", v(_PRODUCTS + 2), v(_PRODUCTS), 0)
    k.op("vse8.v", v(_PRODUCTS + 2), at("a2"))
    k.op("addi", "a2", "a2", _ROWS)
    k.op("vsetvli", "zero", "t0", "e8", "m2", "ta", "ma")
