"""Building blocks of the expert kernels: activations fetched from HBM at the speed of the bus, addresses without loops.

Why a fetch order matters. One H_PREFETCH_V reads 8 blocks of 64 bytes (4 pieces of a row and their scales). Bits 8
and 9 of a block's address name one of four buses, each of which takes 4 ns per block, so a transfer lasts 11 + 4 (n -
1) ns plus openings when n blocks share the busiest bus. Four neighbouring rows share scale blocks; rows 5, 7 or 9
apart spread over the buses, and a vector instruction may read a piece anywhere and write its result where the output
belongs.

Why addresses are constants. Every VRAM row that is written costs one S_ADDI_INT, whether it advances a pointer or
loads a constant from gp0 (zero at start and never written); unrolled programs have no loop ends.

Source: transfers and timing of AICrossSim/PLENA at ecd5acb, measured with `kc_plena.hbm`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kc_plena.baseline.blocks import GROUP, LANES, add, li, set_scale, set_stride
from kc_plena.baseline.emitter import Emitter

_SPACINGS = {4: (1,), 8: (2,), 16: (4,), 32: (7, 1), 64: (7, 9)}
"""Rows of an activation -> spacings of the four rows of a transfer, one after the other: s covers the next 4 s rows.

Fastest of all splits into at most two spacings for the shapes of table 12, by measurement.
"""


@dataclass(frozen=True, slots=True)
class Quad:
    """Four rows of an activation that one transfer moves: `row`, `row + spacing`, ...; `first` of its spacing."""

    row: int
    spacing: int
    first: bool

    @property
    def rows(self) -> range:
        """The four rows."""
        return range(self.row, self.row + GROUP * self.spacing, self.spacing)


def quads(rows: int, spacings: tuple[int, ...] = ()) -> Iterator[Quad]:
    """Yield transfers that cover all rows of an activation, with these spacings or those known to be good.

    Raises:
        ValueError: no spacings are known for this number of rows, or these do not cover it.
    """
    spacings = spacings or _SPACINGS.get(rows, ())
    if GROUP * sum(spacings) != rows:
        raise ValueError(f"spacings {spacings} do not cover {rows} rows")
    start = 0
    for spacing in spacings:
        for row in range(start, start + spacing):
            yield Quad(row, spacing, first=row == start)
        start += GROUP * spacing


class Fetcher:
    """Fetches pieces of an activation [rows, width] in HBM, four rows at a time.

    SCALE_REG must be set. `off` is overwritten by every fetch.
    """

    def __init__(self, asm: Emitter, width: int, *, off: str, base: str = "a0", start: str = "gp0") -> None:
        """Set up: register `start` holds the offset of the activation in the tensor at `base`."""
        self._asm, self._width, self._off, self._base, self._start = asm, width, off, base, start
        self._stride = LANES
        self._last: tuple[str, int] = ("gp0", 0)

    def fetch(self, quad: Quad, block: int, dest: str) -> None:
        """Fetch columns 64 `block` .. + 63 of a quad's rows into the four VRAM rows at register `dest`."""
        stride = quad.spacing * self._width
        if stride not in (LANES, self._stride):
            set_stride(self._asm, self._off, stride)
            self._stride = stride
        offset = quad.row * self._width + LANES * block
        off = self._off if offset else self._start
        if offset:
            add(self._asm, off, self._start, offset)
        self._last = (off, int(stride != LANES))
        self.again(dest, self._base)

    def again(self, dest: str, base: str) -> None:
        """Fetch the same piece of the tensor at `base`."""
        off, strided = self._last
        self._asm.op("H_PREFETCH_V", dest, off, base, strided, 0)


def place(rows: int, row: int, block: int) -> int:
    """Return the address of a piece in column-block layout, from the activation's own address."""
    return LANES * (block * rows + row)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an activation at hand: registers of its pieces, and of two rows where its result belongs.

    The first two result rows are free scratch until they are written; `result` moves on from them.
    """

    asm: Emitter
    x: tuple[str, ...]
    addresses: tuple[int, ...]
    out: tuple[str, str] = ("gp1", "gp2")

    def result(self, block: int) -> str:
        """Return a register with the address of the result's piece; call it for 0, 1, 2, ... in order."""
        if block >= 2:
            li(self.asm, self.out[block % 2], self.addresses[block])
        return self.out[block % 2]

    def add_up(self, pieces: tuple[str, ...]) -> str:
        """Append the sum of two or four rows (bfloat16, pairwise) and return the scratch register that names it."""
        first, second = self.out
        self.asm.op("V_ADD_VV", first, pieces[0], pieces[1], 0)
        if len(pieces) == GROUP:
            self.asm.op("V_ADD_VV", second, pieces[2], pieces[3], 0)
            self.asm.op("V_ADD_VV", first, first, second, 0)
        return first

    def square_up(self) -> str:
        """Append the sum of the squares of all pieces and return the scratch register that names it."""
        first, second = self.out
        self.asm.op("V_MUL_VV", first, self.x[0], self.x[0], 0)
        for x in self.x[1:]:
            self.asm.op("V_MUL_VV", second, x, x, 0)
            self.asm.op("V_ADD_VV", first, first, second, 0)
        return first


def whole_rows(asm: Emitter, rows: int, width: int) -> Iterator[Row]:
    """Fetch an activation of one, two or four blocks and yield its rows, four by four, in the order of `quads`.

    The pieces of four rows lie in scratch behind the result; they may be overwritten. All integer registers are used. A
    program that fits one transfer works in place: scratch rows and pieces are then the same.
    """
    blocks = width // LANES
    if blocks not in (1, 2, 4):
        raise ValueError(f"rows of {blocks} blocks are not supported")
    end = rows * width
    set_scale(asm, "gp1", end)
    if blocks == 1:
        yield from _single_quad(asm, rows)
        return
    fixed = [f"gp{i}" for i in range(4, 16)]
    names = [fixed[GROUP * k : GROUP * (k + 1)] or ["gp3"] * GROUP for k in range(blocks)]
    for k in range(min(blocks, 3)):
        for j in range(GROUP):
            li(asm, names[k][j], end + LANES * (GROUP * k + j))
    fetcher = Fetcher(asm, width, off="gp1")
    last = end + LANES * GROUP * 3
    for quad in quads(rows):
        asm.comment(f"rows {', '.join(map(str, quad.rows))}")
        for k in range(blocks):
            if k == 3:
                li(asm, "gp3", last)
            fetcher.fetch(quad, k, names[k][0])
        for j, row in enumerate(quad.rows):
            if blocks == GROUP and j:
                li(asm, "gp3", last + LANES * j)
            addresses = tuple(place(rows, row, k) for k in range(blocks))
            li(asm, "gp1", addresses[0])
            li(asm, "gp2", addresses[1])
            yield Row(asm, tuple(names[k][j] for k in range(blocks)), addresses)


def _single_quad(asm: Emitter, rows: int) -> Iterator[Row]:
    """Yield four rows of one block, in place; gp1 (the first row behind them) is the scratch row."""
    if rows != GROUP:
        raise ValueError(f"{rows} rows of one block are not one transfer")
    asm.op("H_PREFETCH_V", "gp0", "gp0", "a0", 0, 0)
    for j in range(GROUP):
        x = f"gp{j + 1}" if j else "gp0"
        if j:
            li(asm, x, LANES * j)
        yield Row(asm, (x,), (LANES * j,), ("gp1", "gp1"))
