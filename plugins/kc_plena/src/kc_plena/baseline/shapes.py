"""Shapes of the PLENA tasks and, for those with a template, where their data lies.

Source: KernelCraft, arXiv 2603.08721, table 12 (shapes), table 15 (which tasks have a compiler baseline); test benches
of AICrossSim/PLENA at ecd5acb (tensor order, constants). Table 12 gives the element-wise sizes and norms as one number;
its split into rows and columns follows from the published cycle counts. The paper has MQA C4 and C5 alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc_plena.layout import packed_bytes

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
}
"""Task -> config -> parameters. Heads are 64 wide and attention tasks have a batch of 1."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the data of one task lies.

    Attributes:
        tensors: name and stored shape of the inputs, in HBM order from address 0.
        fp_mem: scalars at FP_MEM[0], [1], ...
        output: VRAM element address of the result.
        shape: rows and columns of one result, in column-block layout.
        batch: results, one behind the other.
    """

    tensors: tuple[tuple[str, tuple[int, int]], ...]
    fp_mem: tuple[float, ...]
    output: int
    shape: tuple[int, int]
    batch: int = 1

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
        """Bytes of the packed inputs; HBM from here on is free scratch."""
        return sum(packed_bytes(*shape) for _, shape in self.tensors)


EPS = 1e-6
"""Added under the root of the norms."""


def layout(task: str, config: str) -> Layout:
    """Return where the data of a task with a template lies. Raises: KeyError for another task or config."""
    p = SHAPES[task][config]
    tensors: tuple[tuple[str, tuple[int, int]], ...]
    match task:
        case "silu" | "gelu":
            fp_mem = (0.0, 1.0) if task == "silu" else (0.0, 1.0, 1.702)
            return Layout((("X", (p["b"], p["h"])),), fp_mem, 0, (p["b"], p["h"]))
        case "rmsnorm" | "layernorm":
            tensors = (("X", (p["b"], p["h"])), ("w", (1, p["h"])))
            return Layout(tensors, (0.0, EPS, 1 / p["h"]), 0, (p["b"], p["h"]))
        case "gemm":
            m, k, n = p["M"], p["K"], p["N"]
            return Layout((("A", (m, k)), ("B", (k, n))), (0.0, EPS, 1 / k), m * k, (m, n))
        case "linear":
            m, k, n = p["n"], p["in"], p["out"]
            tensors = (("X", (m, k)), ("W", (k, n)), ("bias", (1, n)))
            return Layout(tensors, (0.0, EPS, 1 / k), m * k, (m, n))
        case "batch_matmul":
            b, m, k, n = p["B"], p["M"], p["K"], p["N"]
            return Layout((("A", (b * m, k)), ("W", (b * k, n))), (0.0,), 0, (m, n), b)
        case "ffn":
            n, h, hi = p["n"], p["h"], p["hi"]
            return Layout((("X", (n, h)), ("Wup", (h, hi)), ("Wdown", (hi, h))), (0.0, 1.0), 0, (n, h))
        case "swiglu":
            n, h, hi = p["n"], p["h"], p["hi"]
            tensors = (("X", (n, h)), ("Wup", (h, hi)), ("Wgate", (h, hi)), ("Wdown", (hi, h)))
            return Layout(tensors, (0.0, 1.0), 0, (n, h))
    raise KeyError(task)


ATTENTION_KERNEL = Layout((("Q", (64, 64)), ("K", (64, 64)), ("V", (64, 64))), (0.0, 0.125, float("-inf")), 0, (64, 64))
"""Data of the attention kernel of section I, whose shape is none of table 12."""
