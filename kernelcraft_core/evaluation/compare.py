"""Comparing a result with the golden ones: every element counts, nothing is broadcast, nothing is converted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kernelcraft_core.tasks import Tolerance

WORST = 5
"""How many of the worst elements a comparison names."""
_BITS: Mapping[str, tuple[Any, Any, int]] = {
    "bf16": (np.float32, np.uint32, 16),
    "f16": (np.float16, np.uint16, 0),
    "f32": (np.float32, np.uint32, 0),
    "f64": (np.float64, np.uint64, 0),
}


@frozen
class Mismatch:
    """One element that is not right: its output and index, both values, the absolute error, and units in the last place.

    `ulp` is None for integers and where a value is not finite.
    """

    output: str
    index: tuple[int, ...]
    expected: float
    got: float
    abs_error: float
    ulp: int | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "output": self.output,
            "index": list(self.index),
            "expected": self.expected,
            "got": self.got,
            "abs_error": self.abs_error,
            "ulp": self.ulp,
        }


@frozen
class Comparison:
    """How near a result is to the golden variant it fits best.

    Attributes:
        passed: every element is within tolerance and, where one is set, the relative L2 error of every output is too.
        variant: name of the golden variant. elements, matching: of all outputs. rel_l2, max_abs_error: the largest of
            all outputs; infinite when a result is not finite where the golden one is.
        worst: the elements that are furthest outside their tolerance, worst first.
        problem: why nothing was compared (shape or dtype), else None.
    """

    passed: bool
    variant: str
    elements: int
    matching: int
    rel_l2: float
    max_abs_error: float
    worst: tuple[Mismatch, ...] = ()
    problem: str | None = None

    @property
    def match_rate(self) -> float:
        """Share of elements within tolerance, 0..1."""
        return self.matching / self.elements if self.elements else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "passed": self.passed,
            "variant": self.variant,
            "elements": self.elements,
            "matching": self.matching,
            "match_rate": self.match_rate,
            "rel_l2": self.rel_l2,
            "max_abs_error": self.max_abs_error,
            "worst": [m.as_dict() for m in self.worst],
            "problem": self.problem,
        }


def compare(
    got: Mapping[str, NDArray[Any]], goldens: Mapping[str, Mapping[str, NDArray[Any]]], tolerance: Tolerance
) -> Comparison:
    """Return the comparison with the golden variant that fits best.

    Args:
        got: output name -> array.
        goldens: variant -> output name -> array; at least one variant, the same outputs in all.
        tolerance: see `Tolerance`. A non-finite element is right only where the golden one is the same.

    Raises:
        ValueError: there is no golden result.
    """
    found = [_against(name, got, golden, tolerance) for name, golden in goldens.items()]
    if not found:
        raise ValueError("there is no golden result to compare with")
    return max(found, key=lambda c: (c.passed, c.problem is None, c.matching, -_ordered(c.rel_l2)))


def _ordered(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _against(
    variant: str, got: Mapping[str, NDArray[Any]], golden: Mapping[str, NDArray[Any]], tolerance: Tolerance
) -> Comparison:
    elements = sum(int(g.size) for g in golden.values())
    matching, rel_l2, max_abs, close = 0, 0.0, 0.0, True
    worst: list[tuple[float, Mismatch]] = []
    for name, expected in golden.items():
        problem = _unlike(name, got.get(name), expected)
        if problem:
            return Comparison(False, variant, elements, 0, math.inf, math.inf, (), problem)
        right, error, excess = judge(got[name], expected, tolerance)
        matching += int(np.count_nonzero(right))
        norm = _rel_l2(got[name], expected)
        close = close and (tolerance.rel_l2 is None or norm <= tolerance.rel_l2)
        rel_l2 = max(rel_l2, norm)
        max_abs = max(max_abs, float(error.max(initial=0.0)))
        worst += _worst(name, got[name], expected, right, error, excess, tolerance)
    worst.sort(key=lambda pair: -pair[0])
    passed = matching == elements and close and elements > 0
    return Comparison(passed, variant, elements, matching, rel_l2, max_abs, tuple(m for _, m in worst[:WORST]))


def _unlike(name: str, got: Any, expected: NDArray[Any]) -> str | None:
    """Return why two arrays cannot be compared, or None."""
    if got is None:
        return f"there is no output {name!r}"
    if not isinstance(got, np.ndarray):
        return f"output {name!r} is {type(got).__name__}, not an array"
    if got.shape != expected.shape:
        return f"output {name!r} has shape {got.shape}, not {expected.shape}"
    if got.dtype != expected.dtype:
        return f"output {name!r} has dtype {got.dtype}, not {expected.dtype}"
    return None


def judge(
    got: NDArray[Any], expected: NDArray[Any], tolerance: Tolerance
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Return which elements are right, their absolute errors, and by how much the errors exceed what is allowed.

    Args:
        got: what a kernel left; same shape and dtype as `expected`.
        expected: a golden result.
        tolerance: its element-wise part is used.
    """
    if got.dtype.kind not in "f":
        a, b = got.astype(object), expected.astype(object)  # exact, also for 64-bit integers
        error = np.abs(a - b).astype(np.float64) if got.size else np.zeros(got.shape)
    else:
        with np.errstate(all="ignore"):
            error = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    same = (got == expected) | (_is_nan(got) & _is_nan(expected))
    error = np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
    finite = _finite(expected)
    with np.errstate(all="ignore"):
        allowed = tolerance.atol + tolerance.rtol * np.abs(np.where(finite, expected, 1).astype(np.float64))
    right = same | ((error <= allowed) & _finite(got) & finite)
    if tolerance.max_ulp is not None:
        right = same | (right & (_ulps(got, expected, tolerance.dtype) <= tolerance.max_ulp))
    return right, error, np.where(right, 0.0, error - np.minimum(allowed, np.finfo(np.float64).max))


def _is_nan(x: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, np.bool_)


def _finite(x: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isfinite(x) if x.dtype.kind == "f" else np.ones(x.shape, np.bool_)


def _rel_l2(got: NDArray[Any], expected: NDArray[Any]) -> float:
    """Return ||got - expected|| / ||expected|| over the elements where the golden result is finite."""
    finite = _finite(expected)
    a, b = got[finite].astype(np.float64), expected[finite].astype(np.float64)
    with np.errstate(all="ignore"):
        difference, norm = float(np.linalg.norm(a - b)), float(np.linalg.norm(b))
    if math.isnan(difference):
        return math.inf
    if norm == 0.0:
        return 0.0 if difference == 0.0 else math.inf
    return difference / norm


def _ordinals(x: NDArray[Any], dtype: str) -> NDArray[np.int64]:
    """Return integers that count the values of a float format in order: neighbours differ by 1."""
    as_float, as_bits, shift = _BITS[dtype]
    bits = np.ascontiguousarray(x.astype(as_float)).view(as_bits) >> shift
    width = np.dtype(as_bits).itemsize * 8 - shift
    raw = bits.astype(np.int64)
    magnitude = raw & ((1 << (width - 1)) - 1)
    ordered: NDArray[np.int64] = np.where(raw >> (width - 1) & 1 != 0, -magnitude, magnitude)
    return ordered


def _ulps(got: NDArray[Any], expected: NDArray[Any], dtype: str) -> NDArray[np.float64]:
    if dtype not in _BITS or got.dtype.kind != "f":
        return np.abs(got.astype(np.float64) - expected.astype(np.float64))
    with np.errstate(all="ignore"):
        distance = np.abs(_ordinals(got, dtype) - _ordinals(expected, dtype)).astype(np.float64)
    return np.where(np.isnan(got) | np.isnan(expected), np.inf, distance)


def _worst(
    name: str,
    got: NDArray[Any],
    expected: NDArray[Any],
    right: NDArray[np.bool_],
    error: NDArray[np.float64],
    excess: NDArray[np.float64],
    tolerance: Tolerance,
) -> list[tuple[float, Mismatch]]:
    """Return the worst wrong elements of one output with the size of their excess."""
    wrong = np.flatnonzero(~right.ravel())
    if not wrong.size:
        return []
    sizes = excess.ravel()[wrong]
    order = wrong[np.lexsort((wrong, -sizes))[:WORST]]
    out = []
    for flat in order:
        index = tuple(int(i) for i in np.unravel_index(int(flat), expected.shape))
        a, b = got[index], expected[index]
        ulp: int | None = None
        if got.dtype.kind == "f" and np.isfinite(a) and np.isfinite(b) and tolerance.dtype in _BITS:
            ulp = int(_ulps(np.asarray([a]), np.asarray([b]), tolerance.dtype)[0])
        entry = Mismatch(name, index, b.item(), a.item(), float(error[index]), ulp)
        out.append((float(excess[index]), entry))
    return out
