"""Lower bounds of cycles: what a right program needs at least, on this machine, for a workload.

PLENA overlaps nothing, so what different units need adds up. Every part is counted in favour of the program:

- matrix: the multiply-accumulates of the cheapest association of the products, at the rate of the fastest instruction.
  That is M_BMM and M_BTMM: 262,144 of them in 64 cycles. Products are taken to be ordinary ones (no Strassen).
- hbm: every 64 elements that the result depends on are read once, with the 64 bytes that hold their scales: eight beats
  over 16 pseudo-channels. A transfer has its latency besides. What only a vector register row can use comes four rows at
  a time, everything else 64 rows at a time. Tables are not counted, for a program may know them: COS, SIN and ROT, the
  ones of the norms, and XROT, which follows from X.
- vector: one instruction for 64 results of a stage that is not linear (silu, exp), or that treats each row in its own
  way (norms, rope).
- write-out: results of matrix products, 256 rows at a time.
- issue: SCALE_REG must be set for the first transfer, which takes two instructions. Words of INT_MEM are written one a
  cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

from attrs import frozen

from kc_plena.shapes import HEAD, SHAPES, Parameters, layout
from kernelcraft_core.tasks import Bound

TABLES = ("w", "XROT", "COS", "SIN", "ROT")
"""Tensors that a program need not read: constants, and what follows from another tensor."""
LANES = 64
BMM_MACS, MV_MACS, MM_MACS = 4 * 64 * 64 * 16, 64 * 64, 4 * 4 * 64
"""Multiply-accumulates of one M_BMM or M_BTMM, one M_MV or M_TMV, one M_MM or M_TMM."""
BMM_ROWS = 16
"""Rows of a tile that one M_BMM or M_BTMM looks at."""
WRITE_OUT_ROWS = 4 * 64
TRANSFER_LATENCY = 11
"""Cycles from the first column command of a transfer to its data, with the DRAM row open."""
TILE_ROWS, VECTOR_ROWS = 64, 4

REASON = (
    "Nothing overlaps on PLENA, so the parts add up: multiply-accumulates of the cheapest association at the rate of "
    "M_BMM (4,096 a cycle by default), HBM beats of the elements and scales that the result depends on over 16 "
    "pseudo-channels, one vector instruction for 64 results of a non-linear stage, M_BMM_WO for 256 rows of results, "
    "and setting SCALE_REG. No control flow, no address arithmetic, no scalar work is counted."
)


def least_masked(p: Parameters) -> int:
    """Return the masked positions that each sequence of get_transfer_index has at least; draws keep to it."""
    return max(p["L"] // 2, p["k"] + 1)


# ------------------------------------------------------------------------------------------------- what a task consists of


@cache
def chain(dims: tuple[int, ...]) -> int:
    """Return the fewest multiply-accumulates of a product of matrices dims[0] x dims[1], dims[1] x dims[2], ..."""
    if len(dims) <= 2:
        return 0
    cuts = range(1, len(dims) - 1)
    return min(chain(dims[: c + 1]) + chain(dims[c:]) + dims[0] * dims[c] * dims[-1] for c in cuts)


def _scores(s: int, h: int, heads: int, shared: int) -> int:
    """Return what X Wq (X Wk)^T takes at least for all heads; `shared` heads of K serve heads / shared queries each."""
    alone = chain((s, h, HEAD, h, s))
    group = heads // shared
    return shared * min(group * alone, s * h * HEAD + group * min(alone, chain((s, h, HEAD, s))))


def _values(s: int, h: int, heads: int, shared: int) -> int:
    """Return what P (X Wv) takes at least for all heads."""
    alone = chain((s, s, h, HEAD))
    group = heads // shared
    return shared * min(group * alone, s * h * HEAD + group * min(alone, s * s * HEAD))


@frozen
class _Work:
    """What a task consists of.

    Attributes:
        macs: multiply-accumulates. lanes: results of stages that are not linear, or are different for each row.
        written: elements of matrix products that something else than the matrix unit uses, the result included.
        rows_only: names of tensors of which the smallest must come as vector rows.
        words: words written to INT_MEM.
    """

    macs: int = 0
    lanes: int = 0
    written: int = 0
    rows_only: tuple[str, ...] = ("X",)
    words: int = 0


def _lanewise(p: Parameters) -> _Work:
    return _Work(lanes=p["b"] * p["h"])


def _rope(p: Parameters) -> _Work:
    """The row of position 0 stays as it is fetched."""
    return _Work(lanes=(p["s"] - 1) * p["d"])


def _product(rows: str, depth: str, columns: str, *tensors: str) -> Callable[[Parameters], _Work]:
    def work(p: Parameters) -> _Work:
        batch = p.get("B", 1)
        size = batch * p[rows] * p[columns]
        return _Work(macs=size * p[depth], written=size, rows_only=tensors)

    return work


def _gemv(p: Parameters) -> _Work:
    return _Work(macs=p["M"] * p["N"], written=p["M"], rows_only=("A", "x"))


def _network(layers: int) -> Callable[[Parameters], _Work]:
    """Return the work of FFN (two layers) and SwiGLU (three, two of which feed the product in the middle)."""

    def work(p: Parameters) -> _Work:
        n, h, hi = p["n"], p["h"], p["hi"]
        written = (layers - 1) * n * hi + n * h
        return _Work(layers * n * h * hi, (layers - 1) * n * hi, written, ("X", "Wup"))

    return work


def _attention(p: Parameters) -> _Work:
    s, h = p["s"], p["h"]
    return _Work(2 * s * s * h, s * s, s * s + s * h, ("Q", "K"))


def _projected(p: Parameters) -> _Work:
    s, h, heads = p["s"], p["h"], p["nh"]
    shared = p.get("nkv", 1)
    macs = _scores(s, h, heads, shared) + _values(s, h, heads, shared)
    return _Work(macs, heads * s * s, heads * s * s + s * h, ("X", "Wq", "Wk"))


def _mha(p: Parameters) -> _Work:
    return _projected({**p, "nkv": p["nh"]})


def _decoder(layers: int, rotary: bool) -> Callable[[Parameters], _Work]:
    """Return the work of a block with a network of `layers` layers; behind RoPE scores cannot be associated freely."""

    def work(p: Parameters) -> _Work:
        s, h, heads, hi = p["s"], p["h"], p["nh"], p["hi"]
        scores = heads * (2 * s * h * HEAD + s * s * HEAD) if rotary else _scores(s, h, heads, heads)
        macs = scores + heads * chain((s, s, h, HEAD, h)) + layers * s * h * hi
        lanes = heads * s * s + (layers - 1) * s * hi
        return _Work(macs, lanes, lanes + 2 * s * h, ("X",))

    return work


def _transfer_index(p: Parameters) -> _Work:
    """Logits of positions that are not masked need not be read; x0 is written as a whole."""
    return _Work(lanes=p["B"] * least_masked(p) * p["V"], rows_only=("logits",), words=p["B"] * p["L"])


_WORK: Mapping[str, Callable[[Parameters], _Work]] = {
    **dict.fromkeys(("silu", "relu", "gelu", "softmax", "layernorm", "rmsnorm"), _lanewise),
    "rope": _rope,
    "gemv": _gemv,
    "gemm": _product("M", "K", "N", "A", "B"),
    "batch_matmul": _product("M", "K", "N", "A", "W"),
    "linear": _product("n", "in", "out", "X", "W"),
    "ffn": _network(2),
    "swiglu": _network(3),
    "sdpa": _attention,
    "flash_attention": _attention,
    "mha": _mha,
    "gqa": _projected,
    "mqa": _projected,
    "decoder_t5": _decoder(2, rotary=False),
    "decoder_llama": _decoder(3, rotary=True),
    "get_transfer_index": _transfer_index,
}


# -------------------------------------------------------------------------------------------- what it costs on a machine


@frozen
class _Costs:
    """Least cycles on a machine: of a multiply-accumulate, of 64 results of the vector unit, and so on."""

    mac: Fraction
    lanes: Fraction
    copied_row: Fraction
    written_row: Fraction


def _costs(params: Mapping[str, Any]) -> _Costs:
    """Return the least costs; where the matrix unit is made slow, the vector or scalar unit may be faster."""
    bmm, mv, mm = (Fraction(params[name]) for name in ("M_BMM_CYCLES", "M_MV_CYCLES", "M_MM_CYCLES"))
    vector = min(Fraction(v) for k, v in params.items() if k.startswith("V_") and k.endswith("_CYCLES"))
    scalar = min(Fraction(params["S_FP_CYCLES"]), Fraction(params["S_SFU_CYCLES"]))
    lanes = min(vector, LANES * scalar)
    # A call of M_BMM depends on 16 rows of a tile, one of M_MV gives one row, one of M_MM a quarter of one.
    through_matrix = min(bmm / BMM_ROWS, mv, 4 * mm)
    return _Costs(
        mac=min(bmm / BMM_MACS, mv / MV_MACS, mm / MM_MACS, lanes / LANES),
        lanes=min(lanes, through_matrix),
        copied_row=through_matrix,
        written_row=min(Fraction(params["M_WO_CYCLES"]) / WRITE_OUT_ROWS, lanes),
    )


def _transfer(rows: int, params: Mapping[str, Any]) -> int:
    """Return the least cycles of a prefetch of `rows` rows: the beats of the busiest pseudo-channel, and a latency."""
    beats = ceil(Fraction(8 * rows, 16))
    return TRANSFER_LATENCY + int(params["HBM_BEAT_CYCLES"]) * (beats - 1)


def _rows(task: str, config: str, work: _Work) -> tuple[int, int]:
    """Return rows of 64 elements that must come as vector rows, and those that may come either way."""
    rows = {name: -(-a * b // LANES) for name, (a, b) in layout(task, config).tensors if name not in TABLES}
    if task == "get_transfer_index":
        rows["logits"] = work.lanes // LANES
    vector = min(rows[name] for name in work.rows_only)
    return vector, sum(rows.values()) - vector


def _hbm(task: str, config: str, work: _Work, costs: _Costs, params: Mapping[str, Any]) -> int:
    if params["HBM_MODEL"] == "none":
        return 0
    small, large = _transfer(VECTOR_ROWS, params), _transfer(TILE_ROWS, params)
    either = min(Fraction(small, VECTOR_ROWS), Fraction(large, TILE_ROWS))
    # A row may also reach vector registers through a tile and the matrix unit.
    as_rows = min(Fraction(small, VECTOR_ROWS), either + costs.copied_row)
    vector, other = _rows(task, config, work)
    return max(min(small, large), ceil(vector * as_rows + other * either))


def bound(task: str, config: str, params: Mapping[str, Any]) -> Bound:
    """Return the cycles that no right program can go below.

    Args:
        task: as in `SHAPES`.
        config: C1 to C5.
        params: value of every parameter of the machine, by name.

    Raises:
        KeyError: another task or config, or a parameter is missing.
    """
    work, costs = _WORK[task](SHAPES[task][config]), _costs(params)
    parts = {
        "matrix": ceil(work.macs * costs.mac),
        "hbm": _hbm(task, config, work, costs, params),
        "vector": ceil(Fraction(work.lanes, LANES) * costs.lanes),
        "write-out": ceil(Fraction(work.written, LANES) * costs.written_row),
        "issue": 2 + work.words,
    }
    rates = {
        "M_MM": ceil(Fraction(work.macs * params["M_MM_CYCLES"], MM_MACS)),
        "M_MV": ceil(Fraction(work.macs * params["M_MV_CYCLES"], MV_MACS)),
    }
    parts = {name: cycles for name, cycles in parts.items() if cycles}
    return Bound(max(1, sum(parts.values())), parts, rates if work.macs else {}, REASON)
