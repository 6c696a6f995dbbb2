"""Looking at a result: which elements are wrong, statistics by row, and a window of its values.

Arrays of more than two dimensions are shown as rows of their last one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelcraft_core.agent.arguments import invalid
from kernelcraft_core.agent.trial import Trial
from kernelcraft_core.diagnostics import did_you_mean, printable
from kernelcraft_core.evaluation.compare import judge
from kernelcraft_core.tasks import Output, Tolerance, Workload

FIRST = 3
"""Wrong elements named from the front."""
SHOWN = 16
"""Rows and columns shown when nothing else is asked for."""
MOST_VALUES = 512
"""Values in one window."""
MOST_ROWS = 64
"""Rows in one window, or in one table of statistics."""
_EXACT = 1 << 64
"""Whole numbers below this are written with all their digits: integers have up to 64 bits."""


def number(value: float) -> str:
    """Return a number in few digits; infinities and NaN as words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if value == int(value) and abs(value) < _EXACT else f"{value:.6g}"


def coordinates(index: Sequence[int]) -> str:
    """Return the index of an element as people write it."""
    return f"[{', '.join(map(str, index))}]"


def first_wrong(got: NDArray[Any], expected: NDArray[Any], tolerance: Tolerance) -> list[dict[str, Any]]:
    """Return the first wrong elements in the order of their index."""
    right, error, _ = judge(got, expected, tolerance)
    out = []
    for flat in np.flatnonzero(~right.ravel())[:FIRST]:
        index = tuple(int(i) for i in np.unravel_index(int(flat), expected.shape))
        values = {"expected": expected[index].item(), "got": got[index].item(), "error": float(error[index])}
        out.append({"index": list(index), **values})
    return out


def pattern(got: NDArray[Any], expected: NDArray[Any], tolerance: Tolerance) -> dict[str, int]:
    """Return how many elements, rows and columns are wrong, and how many values are zero or not finite."""
    wrong = _rows(~judge(got, expected, tolerance)[0])
    return {
        "wrong": int(np.count_nonzero(wrong)),
        "rows": wrong.shape[0],
        "wrong_rows": int(np.count_nonzero(wrong.any(axis=1))),
        "columns": wrong.shape[1],
        "wrong_columns": int(np.count_nonzero(wrong.any(axis=0))),
        "zeros": int(np.count_nonzero(got == 0)),
        "golden_zeros": int(np.count_nonzero(expected == 0)),
        "not_finite": int(np.count_nonzero(~np.isfinite(got))),
    }


def _rows(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as rows of its last dimension."""
    return array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)


def view(
    workload: Workload, trial: Trial, output: str | None, rows: str | None, columns: str | None, what: str
) -> tuple[dict[str, Any], str]:
    """Return a look at a result of a trial that reached its end, as plain data and as text.

    Args:
        workload: says which results there are.
        trial: with results.
        output: name of the result; the first by default.
        rows: range as text; the first 16 by default.
        columns: likewise.
        what: `statistics`, `got`, `expected` or `difference`.

    Raises:
        Refused: invalid_arguments.
    """
    assert trial.got is not None
    assert trial.expected is not None
    chosen = _chosen(workload, output)
    got, expected = _rows(trial.got[chosen.name]), _rows(trial.expected[chosen.name])
    head = {
        "output": chosen.name,
        "shape": list(chosen.shape),
        "where": chosen.where,
        "family": trial.family,
        "what": what,
    }
    if got.shape != expected.shape:
        raise invalid(f"{chosen.name} has shape {trial.got[chosen.name].shape}, not {chosen.shape}: nothing to compare")
    if what == "statistics":
        entry = {
            **head,
            **_statistics(got, expected, workload.tolerance, _range(rows, got.shape[0], "rows", MOST_ROWS)),
        }
        return entry, _head_text(head, got.shape) + _statistics_text(entry)
    down = _range(rows, got.shape[0], "rows", MOST_ROWS)
    across = _range(columns, got.shape[1], "columns", max(1, MOST_VALUES // max(1, len(down))))
    window = _values(got, expected, what)[down.start : down.stop, across.start : across.stop]
    entry = {**head, "rows": [down.start, down.stop], "columns": [across.start, across.stop], "values": window.tolist()}
    lines = [f"{what}, columns {across.start}:{across.stop}"]
    lines += [f"row {r}: {' '.join(number(v) for v in line)}" for r, line in zip(down, window.tolist(), strict=True)]
    return entry, _head_text(head, got.shape) + "\n".join(lines)


def _chosen(workload: Workload, name: str | None) -> Output:
    known = {output.name: output for output in workload.outputs}
    if name is None:
        return workload.outputs[0]
    if name not in known:
        hint = did_you_mean(name, known) or f"there is {', '.join(known)}"
        raise invalid(f"the task has no result {printable(name)!r}; {hint}")
    return known[name]


def _range(text: str | None, size: int, what: str, most: int) -> range:
    """Return the rows or columns that a text names, at most `most` of them."""
    if text is None or not text.strip():
        return range(min(size, SHOWN, most))
    first, colon, end = (part.strip() for part in text.partition(":"))
    try:
        start = int(first) if first or not colon else 0
        stop = (int(end) if end else size) if colon else start + 1
    except ValueError:
        raise invalid(f"{what} = {printable(text)!r} is neither a number nor a range such as 0:8") from None
    if not 0 <= start < size or stop <= start:
        raise invalid(f"{what} = {printable(text)!r} names none of the {size} {what}, which count from 0")
    return range(start, min(stop, size, start + most))


def _values(got: NDArray[Any], expected: NDArray[Any], what: str) -> NDArray[Any]:
    if what == "got":
        return got
    if what == "expected":
        return expected
    if got.dtype.kind in "iub":
        difference: NDArray[Any] = got.astype(object) - expected.astype(object)  # exact, also for 64 bits
        return difference
    with np.errstate(all="ignore"):
        return np.asarray(got.astype(np.float64) - expected.astype(np.float64))


def _statistics(got: NDArray[Any], expected: NDArray[Any], tolerance: Tolerance, rows: range) -> dict[str, Any]:
    right, error, _ = judge(got, expected, tolerance)
    table = [
        {
            "row": row,
            "got": _extremes(got[row]),
            "expected": _extremes(expected[row]),
            "wrong": int(np.count_nonzero(~right[row])),
            "max_error": float(error[row].max(initial=0.0)),
        }
        for row in rows
    ]
    wrong_rows = np.flatnonzero(~right.all(axis=1))
    return {
        "elements": int(right.size),
        "wrong": int(np.count_nonzero(~right)),
        "wrong_rows": int(wrong_rows.size),
        "first_wrong_row": int(wrong_rows[0]) if wrong_rows.size else None,
        "max_error": float(error.max(initial=0.0)),
        "rows": table,
    }


def _extremes(values: NDArray[Any]) -> dict[str, Any]:
    """Return minimum and maximum of the finite values, and how many are zero or not finite."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min().item(), finite.max().item()) if finite.size else (None, None)
    return {
        "min": low,
        "max": high,
        "nonzero": int(np.count_nonzero(values)),
        "not_finite": int(values.size - finite.size),
    }


def _head_text(head: Mapping[str, Any], shape: tuple[int, ...]) -> str:
    size = " x ".join(map(str, head["shape"]))
    folded = f", shown as {shape[0]} rows of {shape[1]}" if len(head["shape"]) != 2 else ""
    return f"{head['output']} ({size}{folded}): {head['where']}; {head['family']} inputs\n"


def _statistics_text(entry: Mapping[str, Any]) -> str:
    first = "" if entry["first_wrong_row"] is None else f", the first is row {entry['first_wrong_row']}"
    out = [
        f"wrong: {entry['wrong']:,} of {entry['elements']:,} elements, in {entry['wrong_rows']:,} rows{first}; "
        f"largest error {number(entry['max_error'])}"
    ]
    for row in entry["rows"]:
        out.append(
            f"row {row['row']}: got {_span(row['got'])}; expected {_span(row['expected'])}; "
            f"{row['wrong']} wrong, largest error {number(row['max_error'])}"
        )
    return "\n".join(out)


def _span(entry: Mapping[str, Any]) -> str:
    span = "nothing finite" if entry["min"] is None else f"{number(entry['min'])}..{number(entry['max'])}"
    odd = f", {entry['not_finite']} not finite" if entry["not_finite"] else ""
    return f"{span}, {entry['nonzero']} not zero{odd}"
