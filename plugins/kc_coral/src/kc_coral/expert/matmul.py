"""GEMM and batched GEMM: 32 columns of three rows of the result at a time, as 32-bit sums in 24 registers.

- 32 columns of B go to the DTCM, where a line costs 4 cycles instead of RL + 4; every pass of three rows reads them again.
- For each term `vsext.vf2` widens its row of B to 16 bits, and `vwmacc.vx` adds its product with an element of A, exactly.
  The first term multiplies instead, so that nothing must be cleared.
- Elements of A come four at a time, by `lw`, and are taken apart by shifts while the multipliers work.
- Loads that are on their way block the reorder buffer; the order of a term's instructions is one that makes up for most of it.
  Rows of B are fetched two terms ahead, and those of the next pass in the last two terms of this one.
"""

from __future__ import annotations

from kc_coral.expert.emit import DTCM, Kernel, at, v
from kc_coral.shapes import shift

TILE = 32
"""Columns at a time."""
_ROWS = 3
_WIDE, _FETCHED, _GROUP = 24, (28, 30), 8
"""First registers: a row of B in 16 bits (4), two rows of B as bytes (2 each); registers of a row of sums."""
_ORDERS = {3: "V e0 m0 a m1 e1 w0 w1 w2 e2 m2 b p", 2: "V e0 m0 a w0 w1 e1 m1 b p"}
"""Steps of a term by rows, measured best: see `_term`."""
_LANES, _PANEL, _LOW, _HIGH, _OUT = "a7", "s1", "s2", "s3", "t6"
_A, _B, _C = "tp", "s11", "gp"
_POINTERS = ("a0", "a1", "a2")
_WORDS = (("a3", "a4", "a5"), ("t0", "t1", "t2"))
_FACTORS = (("s4", "s5", "s6"), ("s7", "s9", "s10"))
"""Scalar registers; those of the inner loop have other numbers than the vector registers that it writes."""


def gemm(m: int, inner: int, n: int) -> str:
    """Return C[m, n] = sat8(rnu(A[m, inner] B[inner, n], S)); sizes are multiples of 32."""
    return _kernel(f"gemm [{m}, {inner}] x [{inner}, {n}]", 1, m, inner, n)


def batch_matmul(batch: int, m: int, inner: int, n: int) -> str:
    """Return C[batch, m, n], product by product as `gemm`."""
    return _kernel(f"{batch} x [{m}, {inner}] x [{inner}, {n}]", batch, m, inner, n)


def _kernel(title: str, batch: int, m: int, inner: int, n: int) -> str:
    k = Kernel(title)
    k.op("csrwi", "vxrm", 0)
    k.op("li", _LANES, TILE)
    k.op("lui", _PANEL, DTCM >> 12)
    k.op("mv", _A, "a0")
    k.op("mv", _B, "a1")
    k.op("mv", _C, "a2")
    with k.loop("t5", batch):
        with k.loop("t4", n // TILE):
            _fetch_panel(k, inner, n)
            _multiply(k, m, inner, n)
            k.op("addi", _B, _B, TILE)
            k.op("addi", _C, _C, TILE)
        if batch > 1:
            for pointer, size in ((_A, m * inner), (_B, (inner - 1) * n), (_C, (m - 1) * n)):
                k.op("li", "t0", size)
                k.op("add", pointer, pointer, "t0")
    k.op("ret")
    return k.text()


def _fetch_panel(k: Kernel, inner: int, n: int) -> None:
    """Append the copy of 32 columns of B to the DTCM, four rows at a time."""
    k.op("vsetvli", "zero", _LANES, "e8", "m2", "ta", "ma")
    k.op("mv", "t0", _B)
    k.op("mv", "t1", _PANEL)
    k.op("li", "t2", n)
    with k.loop("t3", inner // 4):
        for row in range(4):
            k.op("vle8.v", v(_GROUP * row), at("t0"))
            k.op("add", "t0", "t0", "t2")
        for row in range(4):
            k.op("vse8.v", v(_GROUP * row), at("t1"))
            k.op("addi", "t1", "t1", TILE)


def _multiply(k: Kernel, m: int, inner: int, n: int) -> None:
    """Append all rows of 32 columns: by threes, and what is left by twos."""
    k.op("mv", _OUT, _C)
    k.op("mv", _POINTERS[0], _A)
    k.op("vsetvli", "zero", _LANES, "e16", "m4", "ta", "ma")
    k.op("mv", _LOW, _PANEL)
    for fetched in _FETCHED:
        k.op("vl2re8.v", v(fetched), at(_LOW))
        k.op("addi", _LOW, _LOW, TILE)
    k.op("addi", _HIGH, _LOW, TILE // 2)
    threes = m // _ROWS - (m % _ROWS == 1)
    twos = (m - _ROWS * threes) // 2
    _first_words(k, _ROWS, inner)
    _first_factors(k, _ROWS)
    with k.loop("t3", threes):
        _pass(k, _ROWS, inner, n)
    if twos:
        with k.loop("t3", twos):
            _pass(k, 2, inner, n)


def _pass(k: Kernel, rows: int, inner: int, n: int) -> None:
    """Append all terms of some rows, their results, and the start of the next pass.

    That start is for three rows when this pass has three: two are then a part of it.
    """
    for term in range(inner):
        for step in _ORDERS[rows].split():
            _term(k, step, term, inner)
    k.op("addi", _POINTERS[0], _POINTERS[rows - 1], inner)
    _first_words(k, rows, inner)
    for row in range(rows):
        sums = v(_GROUP * row)
        k.op("vnclip.wi", v(_WIDE), sums, shift(inner))
        k.op("vsetvli", "zero", "zero", "e8", "m2", "ta", "ma")
        k.op("vnclip.wi", sums, v(_WIDE), 0)
        k.op("vse8.v", sums, at(_OUT))
        k.op("addi", _OUT, _OUT, n)
        k.op("vsetvli", "zero", "zero", "e16", "m4", "ta", "ma")
    _first_factors(k, rows)


def _first_words(k: Kernel, rows: int, inner: int) -> None:
    """Append the addresses of the rows of A from the first one's on, and the loads of their first four elements."""
    for row in range(1, rows):
        k.op("addi", _POINTERS[row], _POINTERS[row - 1], inner)
    for row in range(rows):
        k.op("lw", _WORDS[0][row], at(_POINTERS[row]))


def _first_factors(k: Kernel, rows: int) -> None:
    for row in range(rows):
        _factor(k, row, 0)


def _factor(k: Kernel, row: int, term: int) -> None:
    """Append the sign-extension of an element of A: a byte of the word that holds it."""
    word, factor = _WORDS[term // 4 % 2][row], _FACTORS[term % 2][row]
    byte = term % 4
    if byte < 3:
        k.op("slli", factor, word, 24 - 8 * byte)
        word = factor
    k.op("srai", factor, word, 24)


def _term(k: Kernel, step: str, term: int, inner: int) -> None:
    """Append a step of a term, named by a letter and the number of its row.

    V: widen the row of B. m: multiply and add. a, b: fetch the halves of the row of B two terms on; p: the next row's address.
    e: get the factor of the next term. w: load the next four elements.
    """
    row = int(step[1:] or 0)
    fetched = _FETCHED[term % 2]
    ahead = term + 1
    if step == "V":
        k.op("vsext.vf2", v(_WIDE), v(fetched))
    elif step == "a":
        k.op("vl1re8.v", v(fetched), at(_LOW))
    elif step == "b":
        k.op("vl1re8.v", v(fetched + 1), at(_HIGH))
    elif step == "p":
        if term == inner - 3:
            k.op("mv", _LOW, _PANEL)
        else:
            k.op("addi", _LOW, _LOW, TILE)
        k.op("addi", _HIGH, _LOW, TILE // 2)
    elif step[0] == "m":
        factor = _FACTORS[term % 2][row]
        if term:
            k.op("vwmacc.vx", v(_GROUP * row), factor, v(_WIDE))
        else:
            k.op("vwmul.vx", v(_GROUP * row), v(_WIDE), factor)
    elif step[0] == "e":
        if ahead < inner:
            _factor(k, row, ahead)
    elif term % 4 == row and term + 4 < inner + row:
        group = term // 4 + 1
        k.op("lw", _WORDS[group % 2][row], at(_POINTERS[row], 4 * group))
