"""The memory of a workload in words: what people and agents are told about its data."""

from __future__ import annotations

from kc_plena.layout import ceil64, packed_bytes
from kc_plena.shapes import SHAPES, Layout, layout

_PROJECTED = (
    "Q, K and V projections > Q K^T > times 1/8 > softmax of rows > times V, per head of 64 columns; heads side by side, no "
    "output projection. {share}K and V may be exact or have gone through HBM (H_STORE_V quantises), each on its own."
)
_STAGES: dict[str, str] = {
    "silu": "x * sigmoid(x)",
    "relu": "max(x, 0)",
    "gelu": "1.702 x > negate > exp > 1 + > reciprocal > times x",
    "softmax": "softmax of each row",
    "layernorm": "(x - mean) / sqrt(variance + eps) of each row, population variance; w is all ones and not used",
    "rmsnorm": "x / sqrt(mean(x^2) + eps) of each row; w is all ones and not used",
    "gemv": "A x",
    "gemm": "A B",
    "batch_matmul": "A_i W_i for each batch; A holds the batches one below the other, and so does W",
    "linear": "X W > + bias",
    "ffn": "X Wup > silu > times Wdown",
    "swiglu": "X Wup and X Wgate > silu(X Wup) * (X Wgate) > times Wdown",
    "sdpa": "Q K^T > times 1/sqrt(h) > softmax of rows > times V",
    "flash_attention": "Q K^T > times 1/sqrt(h) > softmax of rows > times V; a block-wise kernel is held to the same result",
    "mha": _PROJECTED.format(share=""),
    "gqa": _PROJECTED.format(share="Query head i uses head i // (nh / nkv) of K and V. "),
    "mqa": _PROJECTED.format(share="All query heads share one head of K and V. "),
    "rope": "x * cos and xrot * sin > sum; XROT holds [-x2, x1] of the two halves of each row",
    "decoder_llama": "n = rmsnorm(X) > q, k, v = n Wq, n Wk, n Wv > q and k turned per head: x * cos and (x ROT) * sin > sum "
    "> q k^T > times 1/8 > softmax of rows > times v > times Wo > x1 = X + it > rmsnorm > up and gate > "
    "silu(up) * gate > times Wdown > + x1. No causal mask, no norm weights. K (turned) and V may be exact or have gone "
    "through HBM, each on its own.",
    "decoder_t5": "n = rmsnorm(X) > q, k, v = n Wq, n Wk, n Wv > q k^T, not scaled > softmax of rows > times v > times Wo > "
    "x1 = X + it > rmsnorm > times Wi > relu > times Wff > + x1. No causal mask, no relative bias, no norm "
    "weights. K and V may be exact or have gone through HBM, each on its own.",
    "get_transfer_index": "x0 = argmax of the logits where mask is 1 (lowest index first), else x. Of the masked positions "
    "of each sequence the k with the largest softmax probability of their argmax get x := x0. Results are exact.",
}
"""Task -> stages, each rounded to bfloat16 where a `>` follows and at the end."""


def _tensors(place: Layout) -> list[str]:
    """Return one row per tensor."""
    lines = [
        "| tensor | shape | elements from | scales from | bytes |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, (rows, columns) in place.tensors:
        start = place.addresses[name]
        size = packed_bytes(rows, columns)
        lines.append(f"| {name} | {rows} x {columns} | {start} | {start + ceil64(rows * columns)} | {size} |")
    return lines


def _behind(place: Layout) -> str:
    zeros = (
        f"{place.padding} bytes of zeros follow, then undefined memory" if place.padding else "Undefined memory follows"
    )
    return f"{zeros}. All of HBM from {place.hbm_bytes} on is free for scratch data, at multiples of 64."


def _result(place: Layout, task: str) -> str:
    rows, columns = place.shape
    if task == "get_transfer_index":
        words = rows * columns
        return (
            f"INT_MEM words 0 to {words - 1} hold x, the current tokens ({rows} sequences of {columns}), and must hold "
            f"the new ones at the end. Words {words} to {2 * words - 1} are undefined and must hold x0."
        )
    size = rows * columns
    text = f"{rows} x {columns} in VRAM from element {place.output} on, bfloat16 column blocks: element (r, c) at "
    text += f"{place.output} + (c // 64) * {rows * 64} + r * 64 + c % 64."
    if place.batch > 1:
        text += f" Batch i of {place.batch} starts {size} * i elements further on."
    return text + " The rest of VRAM is free."


def describe(task: str, config: str) -> str:
    """Return the layout of a workload as Markdown. Raises: KeyError for another task or config."""
    place = layout(task, config)
    parameters = ", ".join(f"{name} = {value}" for name, value in SHAPES[task][config].items())
    constants = ", ".join(f"[{i}] = {value:.9g}" for i, value in enumerate(place.fp_mem))
    lines = [
        f"Parameters: {parameters}.",
        "",
        "HBM, MXFP8 (a byte per element, then a scale byte for each 8 of a row), row-major, byte addresses:",
        "",
        *_tensors(place),
        "",
        _behind(place),
        "",
        f"FP_MEM, rounded to binary16: {constants}. gp, f and a registers are 0.",
        "",
        f"Result: {_result(place, task)}",
        "",
        f"Golden result (a stage before `>` is rounded to bfloat16): {_STAGES[task]}",
    ]
    return "\n".join(lines) + "\n"
