"""What the integers stand for: inputs and results of the Coral workloads as the real numbers of the tasks.

A golden result is exact integer arithmetic. Read as real numbers it is the task's float64 reference up to the rounding of
every step, as long as nothing saturates; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kc_coral.shapes import Layout
from kc_coral.workloads.draws import EXP_UNIT, TABLE_UNIT

F64 = NDArray[np.float64]
Values = Mapping[str, F64]
Sizes = Mapping[str, int]
NORM_UNIT = 32
"""Integer value of 1 in the results and beta of the norms; gamma has 1 at 128."""
GATED_UNIT = 2
"""Integer value of 1 in the product of gate and projection of swiglu: 16 times 16 by 2**7."""


def _scale(n: Sizes, s: str = "S") -> float:
    """Return the factor of a requantisation."""
    return n["MUL"] / 2.0**31 / 2.0 ** n[s]


def _elementwise(v: Values, n: Sizes, unit: float = 1) -> dict[str, F64]:
    return {"X": v["x"] / unit}


def _norm(v: Values, n: Sizes) -> dict[str, F64]:
    found = {"X": v["x"], "w": v["gamma"] / 128}
    return {**found, "bias": v["beta"] / NORM_UNIT} if "beta" in v else found


def _gemv(v: Values, n: Sizes) -> dict[str, F64]:
    return {"A": v["A"] / 2.0 ** n["S"], "x": v["x"]}


def _gemm(v: Values, n: Sizes) -> dict[str, F64]:
    return {"A": v["A"], "B": v["B"] / 2.0 ** n["S"]}


def _batch_matmul(v: Values, n: Sizes) -> dict[str, F64]:
    return {"A": v["A"], "W": v["B"] / 2.0 ** n["S"]}


def _linear(v: Values, n: Sizes) -> dict[str, F64]:
    k = _scale(n)
    return {"X": v["X"], "W": k * v["W"].T, "bias": k * v["bias"]}


def _convolution(v: Values, n: Sizes) -> dict[str, F64]:
    k = _scale(n)
    return {"X": v["X"], "F": k * v["W"], "bias": k * v["bias"]}


def _conv_block(v: Values, n: Sizes) -> dict[str, F64]:
    scale = v["mult"] / 2.0**31 / 2.0 ** v["shift"]
    return {"X": v["X"], "F": v["W"], "scale": scale, "shift": v["bias"] * scale}


def _ffn(v: Values, n: Sizes) -> dict[str, F64]:
    first, second = _scale(n, "S1") / TABLE_UNIT, _scale(n, "S2")
    return {
        "X": v["X"],
        "Wup": first * v["W1"].T,
        "bup": first * v["b1"],
        "Wdown": TABLE_UNIT * second * v["W2"].T,
        "bdown": second * v["b2"],
    }


def _swiglu(v: Values, n: Sizes) -> dict[str, F64]:
    first, second = _scale(n, "S1") / TABLE_UNIT, _scale(n, "S2")
    return {
        "X": v["X"],
        "Wgate": first * v["Wg"].T,
        "Wup": first * v["Wu"].T,
        "Wdown": GATED_UNIT * second * v["Wd"].T,
    }


_INPUTS: Mapping[str, Callable[[Values, Sizes], dict[str, F64]]] = {
    "silu": lambda v, n: _elementwise(v, n, TABLE_UNIT),
    "relu": _elementwise,
    "gelu": lambda v, n: _elementwise(v, n, TABLE_UNIT),
    "softmax": lambda v, n: _elementwise(v, n, EXP_UNIT),
    "layernorm": _norm,
    "rmsnorm": _norm,
    "gemv": _gemv,
    "gemm": _gemm,
    "batch_matmul": _batch_matmul,
    "linear": _linear,
    "conv2d": _convolution,
    "depthwise_conv": _convolution,
    "ffn": _ffn,
    "swiglu": _swiglu,
    "conv_block": _conv_block,
}
_RESULTS: Mapping[str, tuple[float, float]] = {
    "silu": (TABLE_UNIT, 0),
    "gelu": (TABLE_UNIT, 0),
    "softmax": (255, -128),
    "layernorm": (NORM_UNIT, 0),
    "rmsnorm": (NORM_UNIT, 0),
}
"""Task -> integer value of 1 and of 0 in the result, where they are not 1 and 0."""


def real_inputs(
    task: str, place: Layout, values: Mapping[str, NDArray[np.integer]], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, F64]:
    """Return the inputs of a task's reference.

    Args:
        task: as in `shapes.TASKS`.
        place: its layout.
        values: input arrays by name, as a case has them.
        shapes: shapes of the task's tensors by name.

    Raises:
        KeyError: another task, or an input is missing.
    """
    reals = _INPUTS[task]({name: array.astype(np.float64) for name, array in values.items()}, place.symbols)
    return {name: array.reshape(shapes[name]) for name, array in reals.items()}


def real_result(task: str, y: NDArray[np.integer]) -> F64:
    """Return what a result of bytes stands for, in its own shape."""
    unit, zero = _RESULTS.get(task, (1, 0))
    return (y.astype(np.float64) - zero) / unit


def limited(task: str, expected: F64) -> F64:
    """Return a real result, limited to what bytes can stand for."""
    unit, zero = _RESULTS.get(task, (1, 0))
    return np.clip(expected, (-128 - zero) / unit, (127 - zero) / unit)
