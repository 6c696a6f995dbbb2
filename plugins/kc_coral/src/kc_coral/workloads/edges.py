"""Where kernels go wrong by one: values at the edges of the arithmetic, put into every draw that is not `standard`.

A result half way between two bytes tells the rounding modes apart; random inputs of a small task have none, or only ones
where the modes agree. So some inputs are changed a little until a sum is such a value: biases where a task has them, else a
few weights of a row. The last result is one of them, so that it is not the 0 that memory holds. Every index of a table is
looked up. The norms get vectors whose results are limited and vectors whose variance is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from kc_coral.shapes import MUL, Layout
from kc_coral.workloads.goldens import I64, convolved, dense, depthwise, hidden, multiplied, shares

Inputs = dict[str, NDArray[np.integer]]
"""Input arrays by name; edges are written into them."""
_TRIED = 200
"""Rows of softmax that are looked at for one in which the maximum matters."""
_DIVIDED, _PLACES = 4, 8
"""Rows of softmax whose quotients are brought near whole numbers, and elements that are tried for that."""
_RARE = 8
"""A norm's vector of variance 0 has one element in so many that is not 0."""


def plant(task: str, place: Layout, values: Inputs, rng: np.random.Generator, family: str) -> None:
    """Put edges into the inputs of a draw.

    Args:
        task: as in `shapes.TASKS`.
        place: its layout.
        values: the input arrays, changed in place.
        rng: generator of the draw; it has made the inputs.
        family: name of the draw's family.

    Raises:
        KeyError: another task.
    """
    _PLANTERS[task](values, place.symbols, rng, family)


# ------------------------------------------------------------------------------------------------------------ half ways


def _half_ways(v: int, s: int, mult: int | None, low: int = -128) -> Iterator[int]:
    """Yield sums near `v` whose result is a half above an even byte, before it is rounded; nearest first.

    Args:
        v: a sum.
        s: shift of the requantisation, at least 1.
        mult: its multiplier as a fraction of 2**31, at least half; None: none.
        low: smallest byte.
    """
    scaled = v if mult is None else int(multiplied(np.array(v), mult))
    nearest = (scaled >> s) & ~1
    for even in (nearest, nearest + 2, nearest - 2, nearest + 4, nearest - 4):
        target = (min(max(even, low), 126) << s) + (1 << (s - 1))
        if mult is None:
            yield target
        else:
            near = (target << 31) // mult + np.arange(-2, 3)
            yield int(near[multiplied(near, mult) == target][0])


def _reached(row: I64, x: I64, target: int) -> I64 | None:
    """Return `row` with as few bytes changed as it takes to make its product with `x` the target, or None.

    Args:
        row: (K,), values of bytes.
        x: the same.
        target: what `row @ x` is to be.
    """
    found, rest = row.tolist(), target - int(row @ x)
    for j in np.argsort(-np.abs(x), kind="stable").tolist():
        factor = int(x[j])
        if not rest or not factor:
            break
        step = min(max(round(rest / factor), -128 - found[j]), 127 - found[j])
        found[j] += step
        rest -= step * factor
    changed = np.array(found)
    if rest:  # what is left may be the difference of two elements
        pairs = np.argwhere((x[:, None] - x == rest) & (changed < 127)[:, None] & (changed > -128))
        if not len(pairs):
            return None
        up, down = pairs[0]
        changed[up] += 1
        changed[down] -= 1
    return changed


def _rows(weights: NDArray[np.integer], x: I64, s: int, mult: int | None, rng: np.random.Generator) -> None:
    """Change rows of weights so that each gives a half way with one column of `x`, the last row with the last column.

    Args:
        weights: (rows, K) int8, changed in place.
        x: (K, columns).
        s: shift, as `_half_ways`.
        mult: multiplier or None, as `_half_ways`.
        rng: chooses the columns.
    """
    columns = rng.integers(0, x.shape[1], len(weights))
    columns[-1] = x.shape[1] - 1
    for at, column in enumerate(columns):
        row, other = weights[at].astype(np.int64), x[:, column]
        for target in _half_ways(int(row @ other), s, mult):
            found = _reached(row, other, target)
            if found is not None:
                weights[at] = found
                break


def _biased(
    bias: NDArray[np.integer], sums: I64, s: I64 | int, mult: I64 | int, rng: np.random.Generator, low: int = -128
) -> None:
    """Change the bias of every channel so that one of the channel's sums becomes a half way, the last of the last channel.

    Args:
        bias: (channels,) int32, changed in place.
        sums: (places, channels), the bias in them.
        s: shift, one for all or one each.
        mult: multiplier, one for all or one each.
        rng: chooses the places.
        low: smallest byte of a result.
    """
    shifts, factors = np.broadcast_to(s, bias.shape), np.broadcast_to(mult, bias.shape)
    rows = rng.integers(0, len(sums), bias.size)
    rows[-1] = len(sums) - 1
    for channel, row in enumerate(rows):
        v = int(sums[row, channel])
        bias[channel] += next(_half_ways(v, int(shifts[channel]), int(factors[channel]), low)) - v


# ---------------------------------------------------------------------------------------------------------------- tasks

Sizes = Mapping[str, int]
Planter = Callable[[Inputs, Sizes, np.random.Generator, str], None]


def _wide(values: Inputs) -> dict[str, I64]:
    return {name: array.astype(np.int64) for name, array in values.items()}


def _ends(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    """Put the bytes around 0 and the smallest at random places; the last result is not the 0 that memory holds."""
    v["x"][rng.choice(n["N"] - 1, 4, replace=False)] = (-128, -1, 0, 1)
    v["x"][-1] = 127


def _every_byte(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    """Put every byte at a random place, the largest last: each entry of the table is asked for."""
    v["x"][rng.choice(n["N"] - 1, 255, replace=False)] = np.arange(-128, 127, dtype=np.int8)
    v["x"][-1] = 127


def _softmax(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    """Make one row constant, give one the largest difference, and one such that a maximum of at least 0 is wrong."""
    x, exp = v["x"], v["exp"].astype(np.int64)
    level, low, spread = rng.choice(n["R"], 3, replace=False)
    x[level] = rng.integers(-128, 128)
    x[spread, rng.choice(x.shape[1], 2, replace=False)] = (-128, 127)
    rows = rng.integers(-128, -64, (_TRIED, x.shape[1]))
    differ = (shares(exp[rows.max(axis=1, keepdims=True) - rows]) != shares(exp[-rows])).any(axis=1)
    x[low] = rows[np.argmax(differ)]
    for row in [spread, *np.setdiff1d(np.arange(n["R"]), (level, low, spread))][:_DIVIDED]:
        _nearly_divided(x[row], exp, rng)


def _nearly_divided(x: NDArray[np.integer], exp: I64, rng: np.random.Generator) -> None:
    """Change one element of a row so that a quotient is hardly as large as it is, or hardly not one more.

    Args:
        x: (64,) int8, changed in place.
        exp: (256,) table.
        rng: chooses the side and the elements to try.
    """
    rows = np.repeat(x[None].astype(np.int64), 256 * _PLACES, axis=0)
    places = rng.choice(x.size, _PLACES, replace=False)
    rows[np.arange(len(rows)), np.repeat(places, 256)] = np.tile(np.arange(-128, 128), _PLACES)
    e = exp[rows.max(axis=1, keepdims=True) - rows]
    total = e.sum(axis=1, keepdims=True)
    rest = (255 * e + total // 2) % total
    if rng.integers(2):
        rest = total - 1 - rest
    x[:] = rows[np.argmin((rest / total).min(axis=1))]


def _norm(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    """Use whole bytes of gamma and beta; spikes and half ways in small vectors, a variance of 0 in sparse ones."""
    x = v["x"]
    for name in ("gamma", "beta"):
        if name in v:
            v[name][:] = rng.integers(-128, 128, x.size, dtype=np.int8)
    if family == "small":
        x[rng.choice(x.size, 2, replace=False)] = (-50, 50)
        _moments(x, "beta" in v, rng)
    if family == "sparse":
        x[:] = 0
        x[rng.choice(x.size, x.size // _RARE, replace=False)] = rng.choice((-1, 1), x.size // _RARE)


def _moments(x: NDArray[np.integer], centred: bool, rng: np.random.Generator) -> None:
    """Change small elements by a little until the variance, and with it the mean, are half ways above even numbers.

    Args:
        x: (N,) int8, changed in place; most elements are within +-16.
        centred: whether the variance is that around the mean, which becomes 1/2.
        rng: chooses the elements.
    """
    size, total = x.size, int(x.sum(dtype=np.int64))
    missing = size // 2 - total if centred else total % 2
    inner = rng.permutation(np.flatnonzero(np.abs(x.astype(int)) < 16))
    for at in range(abs(missing)):
        x[inner[at % inner.size]] += 1 if missing > 0 else -1
    d = x.astype(np.int64) - (1 if centred else 0)
    missing = (size // 2 - int((d * d).sum())) % (2 * size)
    while missing:
        up, down = _pair(x, inner, missing // 2 - 1)
        missing -= 2 * (int(x[up]) - int(x[down])) + 2
        x[up] += 1
        x[down] -= 1


def _pair(x: NDArray[np.integer], inner: NDArray[np.intp], most: int) -> tuple[int, int]:
    """Return two elements whose difference is the largest there is up to `most`: moving them apart leaves the mean.

    Args:
        x: (N,) int8.
        inner: the elements to choose from, more than there are values.
        most: at least 0.
    """
    places = {int(value): inner[x[inner] == value] for value in np.unique(x[inner])}
    for gap in range(min(most, max(places) - min(places)), 0, -1):
        for low in places:
            if low + gap in places:
                return int(places[low + gap][0]), int(places[low][0])
    alike = max(places.values(), key=len)
    return int(alike[0]), int(alike[1])


def _gemv(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    """Make most rows half ways, and let two exceed a byte on either side."""
    if 128 * np.abs(v["x"].astype(np.int64)).sum() < 140 << n["S"]:  # the vector is too small for that
        v["x"][rng.choice(n["N"], 8, replace=False)] = (-128, 127, -128, 127, -128, 127, 5, -1)
    x = v["x"].astype(np.int64)
    _rows(v["A"][4:], x[:, None], n["S"], None, rng)
    for row, sign in enumerate((1, 1, -1, -1)):
        found = _reached(v["A"][row].astype(np.int64), x, sign * (130 + row << n["S"]))
        if found is not None:
            v["A"][row] = found


def _matmul(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    for a, b in zip(np.atleast_3d(v["A"].T).T, np.atleast_3d(v["B"].T).T, strict=True):
        _rows(a, b.astype(np.int64), n["S"], None, rng)


def _linear(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    wide = _wide(v)
    _biased(v["bias"], wide["X"] @ wide["W"].T + wide["bias"], n["S"], MUL, rng)


def _conv2d(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    _biased(v["bias"], convolved(_wide(v), n).reshape(-1, n["CO"]), n["S"], MUL, rng)


def _depthwise_conv(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    _biased(v["bias"], depthwise(_wide(v), n).reshape(-1, n["C"]), n["S"], MUL, rng)


def _conv_block(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    wide = _wide(v)
    _biased(v["bias"], convolved(wide, n).reshape(-1, n["CO"]), wide["shift"], wide["mult"], rng, low=0)


def _ffn(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    wide = _wide(v)
    _biased(v["b1"], wide["X"] @ wide["W1"].T + wide["b1"], n["S1"], MUL, rng)
    inner = wide["lut"][dense(wide["X"], wide["W1"], v["b1"].astype(np.int64), n["S1"], MUL) + 128]
    _biased(v["b2"], inner @ wide["W2"].T + wide["b2"], n["S2"], MUL, rng)


def _swiglu(v: Inputs, n: Sizes, rng: np.random.Generator, family: str) -> None:
    x = v["X"].astype(np.int64).T
    _rows(v["Wg"], x, n["S1"], MUL, rng)
    _rows(v["Wu"], x, n["S1"], MUL, rng)
    _rows(v["Wd"], hidden(_wide(v), n).T, n["S2"], MUL, rng)


_PLANTERS: Mapping[str, Planter] = {
    "silu": _every_byte,
    "relu": _ends,
    "gelu": _every_byte,
    "softmax": _softmax,
    "layernorm": _norm,
    "rmsnorm": _norm,
    "gemv": _gemv,
    "gemm": _matmul,
    "batch_matmul": _matmul,
    "linear": _linear,
    "conv2d": _conv2d,
    "depthwise_conv": _depthwise_conv,
    "ffn": _ffn,
    "swiglu": _swiglu,
    "conv_block": _conv_block,
}
