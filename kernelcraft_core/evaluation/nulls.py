"""Null results: what a kernel that computes nothing could leave behind. A workload that one of them passes is no test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelcraft_core.evaluation.compare import compare
from kernelcraft_core.tasks import Case, Tolerance

Result = Mapping[str, NDArray[Any]]


def null_results(case: Case, other: Case, untouched: Result | None = None) -> Iterator[tuple[str, Result]]:
    """Yield (name, outputs) of null kernels: halt only, zeros, ones, each input, the mean, the answer to another case.

    Inputs that are smaller or larger than an output are repeated or cut, element by element.

    Args:
        case: what is computed.
        other: another draw of the same workload.
        untouched: what the outputs' places hold before anything runs; None leaves this one out.
    """
    golden = next(iter(case.goldens.values()))
    if untouched is not None:
        yield "halt only", untouched
    yield "zeros", {name: np.zeros_like(g) for name, g in golden.items()}
    yield "ones", {name: np.ones_like(g) for name, g in golden.items()}
    yield "mean of the golden result", {name: _mean(g) for name, g in golden.items()}
    for name, values in case.inputs.items():
        if values.size:
            yield f"copy of {name}", {o: np.resize(values, g.shape).astype(g.dtype) for o, g in golden.items()}
    for variant, answer in other.goldens.items():
        yield f"answer to another seed ({variant})", answer


def _mean(golden: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        mean = np.mean(golden.astype(np.float64))
    return np.full_like(golden, np.rint(mean) if golden.dtype.kind in "iu" else mean)


def passing_null(case: Case, other: Case, tolerance: Tolerance, untouched: Result | None = None) -> str | None:
    """Return the name of a null result that passes, or None; arguments as `null_results`."""
    for name, got in null_results(case, other, untouched):
        if compare(got, case.goldens, tolerance).passed:
            return name
    return None
