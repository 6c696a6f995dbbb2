"""Input families of the PLENA workloads: those of each task that PLENA's formats carry.

Measured with numpy models of plain kernels (bfloat16 rows, binary16 row sums, maxima and scalars) on 5 to 10 seeds in
several configurations, and with float64 results; a family stays when no draw had an element outside the tolerance. What
was left out, and why:

- relu, `small` and `negative`: there is no maximum of two rows, so kernels approximate relu by x * sigmoid(64 x), whose
  error of up to 0.004 is most of a small result (relative L2 error 3 %) and all of a zero one.
- ffn, swiglu: hidden layers of size 5 and more are rounded by 0.016 and more, and single sums miss the tolerance:
  `offset`, `offset_negative` and `extreme` in up to all draws, for swiglu `negative` in 1 of 10 (C5).
- sdpa, flash_attention, `offset` and `extreme`: scores reach 500 and 50, where a step of bfloat16 changes a probability
  by a factor. A kernel that rounds them elsewhere, such as one that scales Q instead, misses single elements.
- mha, gqa, mqa, `offset`, `ties` and `extreme`: fine for kernels that compute K and V; those that compute
  (Q Wk^T) X^T and (P X) Wv, which is as right, miss single elements in 1 to 6 of 6 draws. Of standard draws they miss 3
  of 216.
- decoders, `large`: single elements in 1 of 2 draws (LLaMA, C5). `offset` and `offset_negative`: one element of 65,536 in
  2 of 15 draws (C5); around 4 to 5, where two steps of bfloat16 are more than the tolerance, x1 and the result each
  round once.
- get_transfer_index, `large`: too many confidences are 1 within rounding, so no draw has a safe ranking.
"""

from __future__ import annotations

from collections.abc import Mapping

_LANEWISE = ("standard", "offset", "offset_negative", "small", "large", "negative", "sparse", "extreme")
_NORMS = ("standard", "offset", "offset_negative", "small", "large", "sparse", "extreme")
_PRODUCTS = ("standard", "offset", "offset_negative", "small", "negative", "sparse", "extreme")

FAMILIES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("silu", "gelu", "rope"), _LANEWISE),
    "relu": ("standard", "offset", "offset_negative", "large", "sparse", "extreme"),
    "softmax": ("standard", "offset", "offset_negative", "small", "large", "negative", "ties", "extreme"),
    **dict.fromkeys(("layernorm", "rmsnorm"), _NORMS),
    **dict.fromkeys(("decoder_llama", "decoder_t5"), ("standard", "small", "sparse", "extreme")),
    **dict.fromkeys(("gemv", "gemm", "batch_matmul", "linear"), _PRODUCTS),
    "ffn": ("standard", "small", "negative", "sparse"),
    "swiglu": ("standard", "small", "sparse"),
    **dict.fromkeys(("sdpa", "flash_attention"), ("standard", "small", "negative", "sparse", "ties")),
    **dict.fromkeys(("mha", "gqa", "mqa"), ("standard", "small", "negative", "sparse")),
    "get_transfer_index": ("standard", "offset_negative", "negative", "ties"),
}
"""Task -> names of its families, `standard` first."""
