"""The suite `kernelcraft`: the machine-learning tasks of the benchmark.

Source: KernelCraft, arXiv 2603.08721, section 4 (tasks, levels, numbers) and section G of its appendix
(`get_transfer_index`, which has no number); the cited results are in data/published_cycles.csv.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

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
from kernelcraft_core.tasks import Published, Suite

LEVEL_1 = (silu, relu, gelu, softmax, layernorm, rmsnorm, gemv, gemm, batch_matmul, linear, conv2d, depthwise_conv)
LEVEL_2 = (rope, ffn, swiglu, sdpa, flash_attention, mha, gqa, mqa)
LEVEL_3 = (conv_block, decoder_llama, decoder_t5)


@cache
def published() -> tuple[Published, ...]:
    """Return the cycles that the paper reports, by target, task, configuration and method."""
    text = files("kc_tasks").joinpath("data/published_cycles.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return tuple(Published(r["target"], r["task"], r["config"], r["method"], int(r["cycles"])) for r in rows)


SUITE = Suite(
    "kernelcraft",
    "1.0",
    tuple(module.TASK for module in (*LEVEL_1, *LEVEL_2, *LEVEL_3, get_transfer_index)),
    published,
)
"""The tasks by number; the one without a number comes last."""
