"""Linear: rows of the weights pass by four rows of the activations.

Both operands are contiguous along the terms of a sum, so that a sum is a product of vectors and a reduction:

- Four rows of X, 32 terms of each, stay in registers; 32 terms of a row of W come in as two registers. A pair of rows of X is
  one group, its first halves and its second halves, so that one `vwmacc.vv` works for two results.
- Two products of bytes are added in 16 bits: a sum of two is within -32512..32768, and starting from -1 it fits. The
  K / 2 that are missing in the end are added along with the bias. `vwredsum.vs` then adds 16 lanes in 32 bits.
- Columns are taken from the last of four to the first: `vslide1up.vx` moves the sums up and puts the bias into element 0,
  where the reduction adds to it.
- Loads of W block the reorder buffer. They stand in front of the reductions, which take long and need few places.

More than 32 terms take a pass over W for every 32, with the sums kept in the DTCM in between.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc_coral.expert.emit import DTCM, Kernel, at, v
from kc_coral.shapes import MUL, shift

CHUNK, ROWS, COLUMNS = 32, 4, 4
"""Terms that are taken at a time, rows that stay in registers, columns whose sums share a register."""
_X, _W, _PRODUCTS, _SUMS, _ZERO = 0, (8, 12), (16, 20), 24, 30
"""First registers: X (8), a row of W twice (4 each), products of two pairs of rows (4 each), sums (5), zeros (2).

Sums move to the next of five places whenever a column begins; after four columns they are in the first four.
"""
_ORDER = "d0 i0 i1 l0 bias l1 d1 h0 h1 off s0 s1 s2 lo s3 r1 r0 hi r3 r2"
"""Steps of a column, measured best: see `_Column`."""
_LEN, _MINUS, _MUL, _STRIDE = "t0", "t1", "t2", "gp"
_ROW, _HALF, _BIASES, _BIAS, _KEPT, _OUT, _COUNT, _AHEAD = "s2", "s3", "s5", "t4", "s6", "s7", "t6", "a7"
"""Scalar registers of the inner loop, none of which has the number of a vector register that it writes."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A fully connected layer Y = sat8(rq(X W^T + bias)).

    Attributes:
        rows: of X; a multiple of 4. inner: terms, a multiple of 32. cols: of Y, a multiple of 4.
        x, w: registers with the addresses of X and W; kept.
        bias: register with the address of the bias, or None without one; kept.
        out: address of Y, in the DTCM. kept: address of 16 bytes for each column in the DTCM, for more than 32 terms.
    """

    rows: int
    inner: int
    cols: int
    x: str
    w: str
    bias: str | None
    out: int
    kept: int

    @property
    def chunks(self) -> int:
        """Passes over W."""
        return self.inner // CHUNK


def linear(rows: int, inner: int, cols: int) -> str:
    """Return Y[rows, cols] = sat8(rq(X[rows, inner] W[cols, inner]^T + bias, MUL, S))."""
    k = Kernel(f"linear [{rows}, {inner}] x [{cols}, {inner}]^T + bias")
    start(k)
    out = DTCM + 16 * cols
    append(k, Layer(rows, inner, cols, "a0", "a1", "a2", out=out, kept=DTCM))
    copy(k, out, "a3", rows * cols)
    k.op("ret")
    return k.text()


def start(k: Kernel) -> None:
    """Append what all layers of a kernel need once."""
    k.op("csrwi", "vxrm", 0)
    k.op("li", _MUL, MUL)
    k.op("li", _MINUS, -1)


def append(k: Kernel, layer: Layer) -> None:
    """Append a layer. Changes all vector registers, t0, t3 to t6, a7, gp, tp and s0 to s11."""
    k.comment(f"layer [{layer.rows}, {layer.inner}] x [{layer.cols}, {layer.inner}]^T")
    k.op("li", _LEN, CHUNK)
    k.op("li", _STRIDE, layer.cols)
    k.op("li", _AHEAD, (2 * COLUMNS - 1) * layer.inner)
    k.op("vsetvli", "zero", _LEN, "e8", "m2", "ta", "ma")
    k.op("vmv.v.i", v(_ZERO), 0)
    rows, out = "s0", "s1"
    k.op("mv", rows, layer.x)
    k.op("li", out, layer.out)
    with k.loop("s4", layer.rows // ROWS):
        k.op("mv", "s9", rows)
        k.op("mv", "s10", layer.w)
        for chunk in range(layer.chunks):
            if chunk:
                k.op("addi", "s9", "s9", CHUNK)
                k.op("addi", "s10", "s10", CHUNK)
            _pass(k, layer, chunk, out)
        k.op("li", "t3", ROWS * layer.inner)
        k.op("add", rows, rows, "t3")
        k.op("addi", out, out, ROWS * layer.cols)


def copy(k: Kernel, source: int, target: str, size: int) -> None:
    """Append the copy of `size` bytes, a multiple of 128, from the DTCM to the address in the register `target`."""
    block = 128
    k.op("li", "t0", block)
    k.op("vsetvli", "zero", "t0", "e8", "m8", "ta", "ma")
    k.op("li", "t1", source)
    with k.loop("t3", size // block):
        k.op("vle8.v", "v0", at("t1"))
        k.op("addi", "t1", "t1", block)
        k.op("vse8.v", "v0", at(target))
        k.op("addi", target, target, block)


def _pass(k: Kernel, layer: Layer, chunk: int, out: str) -> None:
    """Append 32 terms of all sums of four rows: those from s9 on of X and from s10 on of W."""
    first, last = chunk == 0, chunk == layer.chunks - 1
    for row in range(ROWS):
        pair = _X + 4 * (row // 2) + row % 2
        k.op("vl1re8.v", v(pair), at("s9"))
        k.op("addi", "t3", "s9", 16)
        k.op("vl1re8.v", v(pair + 2), at("t3"))
        k.op("addi", "s9", "s9", layer.inner)
    k.op("addi", "s9", "s9", -ROWS * layer.inner)
    if first and layer.bias:
        k.op("mv", _BIASES, layer.bias)
    else:
        k.op("li", _BIAS, layer.inner // 2 if first else 0)
    k.op("li", _KEPT, layer.kept)
    k.op("mv", _OUT, out)
    k.op("addi", _ROW, "s10", (COLUMNS - 1) * layer.inner)
    k.op("vl1re8.v", v(_W[0]), at(_ROW))
    k.op("addi", _HALF, _ROW, 16)
    k.op("vl1re8.v", v(_W[0] + 2), at(_HALF))
    k.op("addi", _ROW, _ROW, -layer.inner)
    with k.loop(_COUNT, layer.cols // COLUMNS):
        column = _Column(k, layer, bias=first and layer.bias is not None)
        for index in range(COLUMNS):
            column.append(index)
        _finish(k, layer, first=first, last=last)
        if first and layer.bias:
            k.op("addi", _BIASES, _BIASES, 4 * COLUMNS)


class _Column:
    """Appends the steps of columns 3, 2, 1, 0 of four. The setting is e8, m2 in the end as in the beginning."""

    def __init__(self, k: Kernel, layer: Layer, *, bias: bool) -> None:
        self.k, self.layer, self.bias = k, layer, bias
        self.setting = "e8"
        self.free = ROWS - 1
        """Which of the five places of sums is free; with this start it is the last one in the end."""

    def append(self, index: int) -> None:
        """Append a column, the `index`-th one to be taken."""
        moves, places = [], [(self.free + 1 + row) % (ROWS + 1) for row in range(ROWS)]
        for row in range(ROWS):
            moves.append((_SUMS + self.free, _SUMS + places[row]))
            places[row], self.free = self.free, places[row]
        for step in _ORDER.split():
            self._step(step, index, moves)
        self._set("e8")

    def _step(self, step: str, index: int, moves: list[tuple[int, int]]) -> None:
        """Append a step, named by a letter and the number of its row, pair of rows or half of a row of W.

        bias: fetch it; off: make up for the -1s. d: double a half of W; i: products of a pair are -1; l, h: add those of the
        low and the high half; s: slide; r: reduce. lo, hi: fetch the halves of the next row of W.
        """
        k, number = self.k, int(step[1:]) if step[1:].isdigit() else 0
        w, ahead = _W[index % 2], _W[(index + 1) % 2]
        to, origin = moves[number]
        products = _PRODUCTS[number % 2]
        if step == "bias":
            if self.bias:
                k.op("lw", _BIAS, at(_BIASES, 4 * (COLUMNS - 1 - index)))
        elif step == "off":
            if self.bias:
                k.op("addi", _BIAS, _BIAS, self.layer.inner // 2)
        elif step == "lo":
            k.op("vl1re8.v", v(ahead), at(_ROW))
            k.op("addi", _HALF, _ROW, 16)
            if index == COLUMNS - 2:
                k.op("add", _ROW, _ROW, _AHEAD)
            else:
                k.op("addi", _ROW, _ROW, -self.layer.inner)
        elif step == "hi":
            k.op("vl1re8.v", v(ahead + 2), at(_HALF))
        elif step[0] == "d":
            k.op("vmv1r.v", v(w + 2 * number + 1), v(w + 2 * number))
        elif step[0] == "i":
            k.op("vwadd.vx", v(products), v(_ZERO), _MINUS)
        elif step[0] in "lh":
            half = 2 * (step[0] == "h")
            k.op("vwmacc.vv", v(products), v(_X + 4 * number + half), v(w + half))
        elif step[0] == "s":
            self._set("e32")
            k.op("vslide1up.vx", v(to), v(origin), _BIAS)
        else:
            self._set("e16")
            k.op("vwredsum.vs", v(to), v(_PRODUCTS[number // 2] + 2 * (number % 2)), v(to))

    def _set(self, setting: str) -> None:
        """Append the change of vl and vtype for steps that need another one: products, slides, reductions."""
        if setting == self.setting:
            return
        self.setting = setting
        if setting == "e8":
            self.k.op("vsetvli", "zero", _LEN, "e8", "m2", "ta", "ma")
        elif setting == "e16":
            self.k.op("vsetivli", "zero", 16, "e16", "m2", "ta", "ma")
        else:
            self.k.op("vsetivli", "zero", COLUMNS, "e32", "m1", "ta", "ma")


def _finish(k: Kernel, layer: Layer, *, first: bool, last: bool) -> None:
    """Append what becomes of 16 sums: they are kept for the next pass, or turned into four columns of Y."""
    scratch = _PRODUCTS[0]
    k.op("vsetivli", "zero", ROWS * COLUMNS, "e32", "m4", "ta", "ma")
    if not first:
        k.op("vle32.v", v(scratch), at(_KEPT))
        k.op("vadd.vv", v(_SUMS), v(_SUMS), v(scratch))
    if not last:
        k.op("vse32.v", v(_SUMS), at(_KEPT))
    if not (first and last):
        k.op("addi", _KEPT, _KEPT, 4 * ROWS * COLUMNS)
    if last:
        k.op("vsmul.vx", v(_SUMS), v(_SUMS), _MUL)
        k.op("vsetvli", "zero", "zero", "e16", "m2", "ta", "ma")
        k.op("vnclip.wi", v(scratch), v(_SUMS), shift(layer.inner) - 1)
        k.op("vsetvli", "zero", "zero", "e8", "m1", "ta", "ma")
        k.op("vnclip.wi", v(scratch + 2), v(scratch), 0)
        k.op("vsetivli", "zero", ROWS, "e32", "m1", "ta", "ma")
        k.op("vsse32.v", v(scratch + 2), at(_OUT), _STRIDE)
        k.op("addi", _OUT, _OUT, COLUMNS)
    k.op("vsetvli", "zero", _LEN, "e8", "m2", "ta", "ma")
