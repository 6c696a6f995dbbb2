"""Sizes of the Coral tasks, and where their data lies: the calling convention of a kernel. Needs no numpy.

Source: sizes of ReLU, GEMV, GEMM, BatchMatMul, Linear, the convolutions and ConvBlock: KernelCraft, arXiv 2603.08721,
table 14. The paper gives no sizes for the other seven tasks; theirs are this project's, chosen so that the published
cycles of softmax and the norms (table 17) are in proportion to them. The paper has inputs from 0x2000_0000 on, one behind the
other, and the output at the next multiple of 4096; operand order, layouts and scaling are this project's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

CONFIGS = ("C1", "C2", "C3", "C4", "C5")
EXTERNAL = 0x2000_0000
"""First address of the external memory."""
EXTERNAL_BYTES = 4 << 20
INPUT_ALIGN, OUTPUT_ALIGN = 16, 4096
MUL = 1_717_986_918
"""Fixed multiplier of a requantisation: 0.8 as a fraction of 2**31."""
SOFTMAX_COLUMNS = 64
ITEM_BYTES = {"int8": 1, "uint16": 2, "int32": 4}

Sizes = tuple[tuple[int, ...], ...]

_VECTORS: Sizes = ((512,), (2048,), (4096,), (8192,), (14336,))
_NORMS: Sizes = ((256,), (512,), (2048,), (4096,), (8192,))
_NETWORKS: Sizes = ((4, 32, 64), (8, 32, 64), (4, 64, 128), (8, 64, 128), (12, 64, 128))
_CONVOLUTIONS: Sizes = ((8, 4, 8, 1), (8, 8, 8, 3), (8, 8, 16, 3), (8, 8, 32, 3), (8, 32, 8, 3))

_SIZES: dict[str, tuple[str, Sizes]] = {
    "silu": ("N", _VECTORS),
    "relu": ("N", _VECTORS),
    "gelu": ("N", _VECTORS),
    "softmax": ("N", _NORMS),
    "layernorm": ("N", _NORMS),
    "rmsnorm": ("N", _NORMS),
    "gemv": ("M N", ((64, 32), (64, 64), (128, 64), (64, 256), (256, 64))),
    "gemm": ("M K N", ((32, 32, 32), (32, 64, 64), (64, 64, 64), (128, 32, 64), (32, 64, 128))),
    "batch_matmul": ("BB M K N", ((2, 32, 32, 32), (4, 32, 32, 32), (2, 64, 64, 32), (4, 32, 64, 32), (2, 32, 64, 64))),
    "linear": ("B HI HO", ((4, 32, 64), (8, 64, 64), (4, 256, 64), (8, 64, 256), (12, 128, 128))),
    "conv2d": ("H CI CO KS", _CONVOLUTIONS),
    "depthwise_conv": ("H C KS", ((8, 16, 3), (16, 8, 3), (16, 16, 3), (16, 16, 5), (16, 32, 5))),
    "ffn": ("N H HI", _NETWORKS),
    "swiglu": ("N H HI", _NETWORKS),
    "conv_block": ("H CI CO KS", _CONVOLUTIONS),
}

TASKS = tuple(_SIZES)
"""Slugs of the tasks, in the order of the paper."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array in external memory, row-major and little endian.

    Attributes:
        name: for people; kernels get addresses only.
        dtype: `int8`, `uint16` or `int32`. shape: all dimensions, at least 1 each.
        address: of its first byte.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    address: int = 0

    @property
    def size(self) -> int:
        """Return the bytes it takes."""
        return math.prod(self.shape) * ITEM_BYTES[self.dtype]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a kernel of one task and configuration is called with.

    Attributes:
        inputs: arrays in argument order, a0 on.
        output: the result; its address is the argument behind those of the inputs.
        symbols: constants that the harness defines for the kernel's text, by name.
    """

    inputs: tuple[Array, ...]
    output: Array
    symbols: Mapping[str, int]

    @property
    def arguments(self) -> tuple[int, ...]:
        """Return a0, a1, ...: at least six values, the unused ones 0."""
        given = (*(array.address for array in self.inputs), self.output.address)
        return given + (0,) * (6 - len(given))


def shift(terms: int) -> int:
    """Return S(K) = 6 + ceil(log2(K) / 2): the shift that brings a sum of `terms` products of bytes back to a byte."""
    doubled = (terms - 1).bit_length() if terms > 1 else 0  # ceil(log2 K)
    return 6 + -(-doubled // 2)


def sizes(task: str, config: str) -> dict[str, int]:
    """Return the sizes of a configuration by symbol. Raises: KeyError for another task, ValueError for another config."""
    names, rows = _SIZES[task]
    return dict(zip(names.split(), rows[CONFIGS.index(config)], strict=True))


def parameters(task: str, config: str) -> dict[str, int]:
    """Return the values of the task's own parameters. Raises: as `sizes`."""
    return _PARAMETERS[task](sizes(task, config))


def layout(task: str, config: str) -> Layout:
    """Return what a kernel is called with. Raises: as `sizes`."""
    given = sizes(task, config)
    arrays, result, constants = _ARRAYS[task](given)
    inputs, at = [], EXTERNAL
    for name, dtype, shape in arrays:
        inputs.append(Array(name, dtype, shape, at))
        at += -(-inputs[-1].size // INPUT_ALIGN) * INPUT_ALIGN
    end = inputs[-1].address + inputs[-1].size
    output = Array("Y", "int8", result, -(-end // OUTPUT_ALIGN) * OUTPUT_ALIGN)
    return Layout(tuple(inputs), output, {**given, **constants})


# ------------------------------------------------------------------------------------------------- what tasks consist of

Sized = Mapping[str, int]
Arrays = tuple[Sequence[tuple[str, str, tuple[int, ...]]], tuple[int, ...], dict[str, int]]
"""Inputs (name, dtype, shape) in argument order; shape of the result as the task has it; further constants."""


def _row(n: Sized) -> dict[str, int]:
    return {"b": 1, "h": n["N"]}


def _window(n: Sized, **channels: int) -> dict[str, int]:
    size = n["KS"]
    return {"H": n["H"], "W": n["H"], **channels, "KH": size, "KW": size, "stride": 1, "padding": (size - 1) // 2}


def _network(n: Sized) -> dict[str, int]:
    return {"n": n["N"], "h": n["H"], "hi": n["HI"]}


_PARAMETERS: dict[str, Callable[[Sized], dict[str, int]]] = {
    **dict.fromkeys(("silu", "relu", "gelu", "layernorm", "rmsnorm"), _row),
    "softmax": lambda n: {"b": n["N"] // SOFTMAX_COLUMNS, "h": SOFTMAX_COLUMNS},
    "gemv": dict,
    "gemm": dict,
    "batch_matmul": lambda n: {"B": n["BB"], "M": n["M"], "K": n["K"], "N": n["N"]},
    "linear": lambda n: {"n": n["B"], "in": n["HI"], "out": n["HO"]},
    "conv2d": lambda n: _window(n, CI=n["CI"], CO=n["CO"]),
    "depthwise_conv": lambda n: _window(n, C=n["C"]),
    "ffn": _network,
    "swiglu": _network,
    "conv_block": lambda n: _window(n, CI=n["CI"], CO=n["CO"]),
}


def _relu(n: Sized) -> Arrays:
    return [("x", "int8", (n["N"],))], (1, n["N"]), {}


def _table(n: Sized) -> Arrays:
    return [("x", "int8", (n["N"],)), ("lut", "int8", (256,))], (1, n["N"]), {}


def _softmax(n: Sized) -> Arrays:
    shape = (n["N"] // SOFTMAX_COLUMNS, SOFTMAX_COLUMNS)
    return [("x", "int8", shape), ("exp", "uint16", (256,))], shape, {"R": shape[0]}


def _norm(*vectors: str) -> Callable[[Sized], Arrays]:
    def arrays(n: Sized) -> Arrays:
        size = n["N"]
        return [(name, "int8", (size,)) for name in vectors], (1, size), {"L": size.bit_length() - 1}

    return arrays


def _gemv(n: Sized) -> Arrays:
    inputs = [("A", "int8", (n["M"], n["N"])), ("x", "int8", (n["N"],))]
    return inputs, (1, n["M"]), {"S": shift(n["N"])}


def _gemm(n: Sized) -> Arrays:
    inputs = [("A", "int8", (n["M"], n["K"])), ("B", "int8", (n["K"], n["N"]))]
    return inputs, (n["M"], n["N"]), {"S": shift(n["K"])}


def _batch_matmul(n: Sized) -> Arrays:
    inputs = [("A", "int8", (n["BB"], n["M"], n["K"])), ("B", "int8", (n["BB"], n["K"], n["N"]))]
    return inputs, (n["BB"] * n["M"], n["N"]), {"S": shift(n["K"])}


def _linear(n: Sized) -> Arrays:
    inputs = [("X", "int8", (n["B"], n["HI"])), ("W", "int8", (n["HO"], n["HI"])), ("bias", "int32", (n["HO"],))]
    return inputs, (n["B"], n["HO"]), {"S": shift(n["HI"]) - 1, "MUL": MUL}


def _filtered(n: Sized) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return image, filters and bias of a convolution."""
    size, ci, co, ks = n["H"], n["CI"], n["CO"], n["KS"]
    return [("X", "int8", (size, size, ci)), ("W", "int8", (ks, ks, ci, co)), ("bias", "int32", (co,))]


def _conv2d(n: Sized) -> Arrays:
    terms = n["KS"] ** 2 * n["CI"]
    return _filtered(n), (n["H"], n["H"], n["CO"]), {"S": shift(terms) - 1, "MUL": MUL}


def _conv_block(n: Sized) -> Arrays:
    channels = (n["CO"],)
    return [*_filtered(n), ("mult", "int32", channels), ("shift", "int32", channels)], (n["H"], n["H"], n["CO"]), {}


def _depthwise(n: Sized) -> Arrays:
    size, c, ks = n["H"], n["C"], n["KS"]
    inputs = [("X", "int8", (size, size, c)), ("W", "int8", (ks, ks, c)), ("bias", "int32", (c,))]
    return inputs, (size, size, c), {"S": shift(ks * ks) - 1, "MUL": MUL}


def _requantised(n: Sized) -> dict[str, int]:
    return {"S1": shift(n["H"]) - 1, "S2": shift(n["HI"]) - 1, "MUL": MUL}


def _ffn(n: Sized) -> Arrays:
    rows, h, hi = n["N"], n["H"], n["HI"]
    inputs = [
        ("X", "int8", (rows, h)),
        ("W1", "int8", (hi, h)),
        ("b1", "int32", (hi,)),
        ("W2", "int8", (h, hi)),
        ("b2", "int32", (h,)),
        ("lut", "int8", (256,)),
    ]
    return inputs, (rows, h), _requantised(n)


def _swiglu(n: Sized) -> Arrays:
    rows, h, hi = n["N"], n["H"], n["HI"]
    inputs = [
        ("X", "int8", (rows, h)),
        ("Wg", "int8", (hi, h)),
        ("Wu", "int8", (hi, h)),
        ("Wd", "int8", (h, hi)),
        ("lut", "int8", (256,)),
    ]
    return inputs, (rows, h), _requantised(n)


_ARRAYS: dict[str, Callable[[Sized], Arrays]] = {
    "silu": _table,
    "relu": _relu,
    "gelu": _table,
    "softmax": _softmax,
    "layernorm": _norm("x", "gamma", "beta"),
    "rmsnorm": _norm("x", "gamma"),
    "gemv": _gemv,
    "gemm": _gemm,
    "batch_matmul": _batch_matmul,
    "linear": _linear,
    "conv2d": _conv2d,
    "depthwise_conv": _depthwise,
    "ffn": _ffn,
    "swiglu": _swiglu,
    "conv_block": _conv_block,
}
