"""The suite `kernelcraft`: the machine-learning tasks of the benchmark.

Source: KernelCraft, arXiv 2603.08721, section 4 (tasks, levels, numbers) and section G of its appendix
(`get_transfer_index`, which has no number).
"""

from __future__ import annotations

from kc_tasks.level1 import (
    batch_matmul,
    conv2d,
    depthwise_conv,
    gelu,
    gemm,
    gemv,
    layernorm,
    linear,
    relu,
    rmsnorm,
    silu,
    softmax,
)
from kc_tasks.level2 import ffn, flash_attention, get_transfer_index, gqa, mha, mqa, rope, sdpa, swiglu
from kc_tasks.level3 import conv_block, decoder_llama, decoder_t5
from kernelcraft_core.tasks import Suite

LEVEL_1 = (silu, relu, gelu, softmax, layernorm, rmsnorm, gemv, gemm, batch_matmul, linear, conv2d, depthwise_conv)
LEVEL_2 = (rope, ffn, swiglu, sdpa, flash_attention, mha, gqa, mqa)
LEVEL_3 = (conv_block, decoder_llama, decoder_t5)

SUITE = Suite(
    "kernelcraft",
    "1.0",
    tuple(module.TASK for module in (*LEVEL_1, *LEVEL_2, *LEVEL_3, get_transfer_index)),
)
"""The tasks by number; the one without a number comes last."""
