"""Shapes of the PLENA tasks, and where their data lies.

Source: KernelCraft, arXiv 2603.08721, table 12 (shapes), table 15 (which tasks have a compiler baseline); test benches
of AICrossSim/PLENA at ecd5acb (tensor order, constants). Table 12 gives the element-wise sizes and norms as one number;
its split into rows and columns follows from the published cycle counts. The paper has MQA C4 and C5 alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kc_plena.layout import packed_bytes

Parameters = Mapping[str, int]
CONFIGS = ("C1", "C2", "C3", "C4", "C5")


def _table(names: str, *rows: tuple[int, ...]) -> dict[str, dict[str, int]]:
    """Return config -> parameter name -> value."""
    keys = names.split()
    return {config: dict(zip(keys, row, strict=True)) for config, row in zip(CONFIGS, rows, strict=True)}


_ROWS = _table("b h", (4, 64), (8, 128), (16, 128), (32, 256), (64, 256))
_FFN = _table("n h hi", (4, 64, 128), (8, 128, 256), (16, 128, 512), (32, 256, 512), (64, 256, 1024))
_ATTENTION = _table("s h", (32, 64), (64, 128), (64, 256), (128, 128), (128, 256))
_DECODER = _table(
    "s h nh hi", (32, 64, 1, 128), (64, 128, 2, 256), (64, 256, 4, 512), (128, 256, 4, 512), (128, 512, 8, 1024)
)

SHAPES: dict[str, dict[str, dict[str, int]]] = {
    "silu": _ROWS,
    "relu": _ROWS,
    "gelu": _ROWS,
    "softmax": _ROWS,
    "layernorm": _ROWS,
    "rmsnorm": _ROWS,
    "gemv": _table("M N", (64, 512), (128, 512), (256, 512), (512, 512), (512, 1024)),
    "gemm": _table("M K N", (4, 64, 64), (8, 128, 128), (16, 128, 256), (32, 256, 256), (64, 256, 512)),
    "batch_matmul": _table(
        "B M K N", (2, 4, 64, 64), (4, 8, 128, 128), (8, 16, 128, 256), (16, 32, 256, 256), (32, 64, 256, 512)
    ),
    "linear": _table("n in out", (4, 64, 64), (8, 128, 128), (16, 128, 256), (32, 256, 256), (64, 256, 512)),
    "ffn": _FFN,
    "swiglu": _FFN,
    "sdpa": _ATTENTION,
    "flash_attention": _ATTENTION,
    "mha": _table("s h nh", (32, 64, 1), (64, 128, 2), (64, 256, 4), (128, 256, 4), (128, 512, 8)),
    "gqa": _table("s h nh nkv", (32, 128, 2, 1), (64, 256, 4, 2), (64, 512, 8, 4), (128, 512, 8, 4), (128, 512, 8, 2)),
    "mqa": _table("s h nh", (32, 128, 2), (64, 256, 4), (64, 512, 8), (128, 512, 8), (128, 512, 8)),
    "rope": _table("s d", (32, 64), (64, 128), (128, 64), (128, 128), (256, 128)),
    "decoder_t5": _DECODER,
    "decoder_llama": _DECODER,
    "get_transfer_index": {"C1": {"B": 2, "L": 64, "V": 256, "k": 8}},
}
"""Task -> config -> parameters. Heads are 64 wide and attention tasks have a batch of 1."""


HEAD = 64
"""Columns of an attention head in every configuration."""
EPS = 1e-6
"""Added under the root of the norms."""
MINUS_INFINITY = float("-inf")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the data of one task lies.

    Attributes:
        tensors: name and stored shape of the inputs, in HBM order from address 0.
        fp_mem: scalars at FP_MEM[0], [1], ...
        output: VRAM element address of the result.
        shape: rows and columns of one result, in column-block layout.
        batch: results, one behind the other.
        padding: bytes behind the inputs in HBM that hold zeros; what follows is undefined.
    """

    tensors: tuple[tuple[str, tuple[int, int]], ...]
    fp_mem: tuple[float, ...]
    output: int
    shape: tuple[int, int]
    batch: int = 1
    padding: int = 0

    @property
    def addresses(self) -> dict[str, int]:
        """HBM byte address of each tensor."""
        found, at = {}, 0
        for name, shape in self.tensors:
            found[name] = at
            at += packed_bytes(*shape)
        return found

    @property
    def hbm_bytes(self) -> int:
        """Bytes of the packed inputs; HBM from here on is free scratch (the padding included)."""
        return sum(packed_bytes(*shape) for _, shape in self.tensors)


def layout(task: str, config: str) -> Layout:
    """Return where the data of a task lies. Raises: KeyError for another task or config."""
    return _LAYOUTS[task](SHAPES[task][config])


def _elementwise(*fp_mem: float) -> Callable[[Parameters], Layout]:
    return lambda p: Layout((("X", (p["b"], p["h"])),), fp_mem, 0, (p["b"], p["h"]))


def _norm(p: Parameters) -> Layout:
    """The vector of ones is there, as in the public test benches, and is not part of the result."""
    tensors = (("X", (p["b"], p["h"])), ("w", (1, p["h"])))
    return Layout(tensors, (0.0, EPS, 1 / p["h"]), 0, (p["b"], p["h"]))


def _gemv(p: Parameters) -> Layout:
    m, n = p["M"], p["N"]
    return Layout((("A", (m, n)), ("x", (1, n))), (0.0,), n, (1, m))


def _gemm(p: Parameters) -> Layout:
    m, k, n = p["M"], p["K"], p["N"]
    return Layout((("A", (m, k)), ("B", (k, n))), (0.0, EPS, 1 / k), m * k, (m, n))


def _linear(p: Parameters) -> Layout:
    m, k, n = p["n"], p["in"], p["out"]
    tensors = (("X", (m, k)), ("W", (k, n)), ("bias", (1, n)))
    return Layout(tensors, (0.0, EPS, 1 / k), m * k, (m, n))


def _batch_matmul(p: Parameters) -> Layout:
    b, m, k, n = p["B"], p["M"], p["K"], p["N"]
    return Layout((("A", (b * m, k)), ("W", (b * k, n))), (0.0,), 0, (m, n), b)


def _ffn(p: Parameters) -> Layout:
    n, h, hi = p["n"], p["h"], p["hi"]
    return Layout((("X", (n, h)), ("Wup", (h, hi)), ("Wdown", (hi, h))), (0.0, 1.0), 0, (n, h))


def _swiglu(p: Parameters) -> Layout:
    n, h, hi = p["n"], p["h"], p["hi"]
    tensors = (("X", (n, h)), ("Wup", (h, hi)), ("Wgate", (h, hi)), ("Wdown", (hi, h)))
    return Layout(tensors, (0.0, 1.0), 0, (n, h))


def _attention(p: Parameters) -> Layout:
    s, h = p["s"], p["h"]
    tensors = (("Q", (s, h)), ("K", (s, h)), ("V", (s, h)))
    return Layout(tensors, (0.0, h**-0.5, MINUS_INFINITY), 0, (s, h), padding=packed_bytes(HEAD, h))


def _projected_attention(p: Parameters) -> Layout:
    """MHA, GQA and MQA: `nkv` heads of K and V, as many as there are heads for MHA and one for MQA."""
    s, h = p["s"], p["h"]
    kv = HEAD * p.get("nkv", 1)
    tensors = (("X", (s, h)), ("Wq", (h, h)), ("Wk", (h, kv)), ("Wv", (h, kv)))
    return Layout(tensors, (0.0, HEAD**-0.5, MINUS_INFINITY), 0, (s, h))


def _mha(p: Parameters) -> Layout:
    return _projected_attention({**p, "nkv": p["nh"]})


def _rope(p: Parameters) -> Layout:
    shape = (p["s"], p["d"])
    return Layout(tuple((name, shape) for name in ("X", "XROT", "COS", "SIN")), (0.0,), 0, shape)


def _decoder_llama(p: Parameters) -> Layout:
    s, h, hi = p["s"], p["h"], p["hi"]
    tensors = (
        ("X", (s, h)),
        *((name, (h, h)) for name in ("Wq", "Wk", "Wv", "Wo")),
        ("Wup", (h, hi)),
        ("Wgate", (h, hi)),
        ("Wdown", (hi, h)),
        ("ROT", (HEAD, HEAD)),
        ("COS", (s, HEAD)),
        ("SIN", (s, HEAD)),
    )
    return Layout(tensors, (0.0, 1.0, EPS, 1 / h, HEAD**-0.5, MINUS_INFINITY), 0, (s, h))


def _decoder_t5(p: Parameters) -> Layout:
    s, h, hi = p["s"], p["h"], p["hi"]
    projections = tuple((name, (h, h)) for name in ("Wq", "Wk", "Wv", "Wo"))
    tensors = (("X", (s, h)), *projections, ("Wi", (h, hi)), ("Wff", (hi, h)))
    return Layout(tensors, (0.0, 1.0, EPS, 1 / h, MINUS_INFINITY), 0, (s, h))


def _transfer_index(p: Parameters) -> Layout:
    """The result is in INT_MEM: x at 0, x0 behind it; `output` and `shape` count words there."""
    b, length = p["B"], p["L"]
    tensors = (("logits", (b * length, p["V"])), ("mask", (b, length)))
    return Layout(tensors, (0.0,), 0, (b, length), batch=2)


_LAYOUTS: dict[str, Callable[[Parameters], Layout]] = {
    "silu": _elementwise(0.0, 1.0),
    "relu": _elementwise(0.0, 1.0),
    "gelu": _elementwise(0.0, 1.0, 1.702),
    "softmax": _elementwise(0.0, 1.0, MINUS_INFINITY),
    "layernorm": _norm,
    "rmsnorm": _norm,
    "gemv": _gemv,
    "gemm": _gemm,
    "batch_matmul": _batch_matmul,
    "linear": _linear,
    "ffn": _ffn,
    "swiglu": _swiglu,
    "sdpa": _attention,
    "flash_attention": _attention,
    "mha": _mha,
    "gqa": _projected_attention,
    "mqa": _projected_attention,
    "rope": _rope,
    "decoder_llama": _decoder_llama,
    "decoder_t5": _decoder_t5,
    "get_transfer_index": _transfer_index,
}

ATTENTION_KERNEL = Layout(
    (("Q", (64, 64)), ("K", (64, 64)), ("V", (64, 64))), (0.0, 0.125, MINUS_INFINITY), 0, (64, 64)
)
"""Data of the attention kernel of section I, whose shape is none of table 12."""
