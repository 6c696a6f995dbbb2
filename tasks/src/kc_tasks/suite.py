"""The suite `kernelcraft`: the machine-learning tasks of the benchmark.

Source: KernelCraft, arXiv 2603.08721, section 4 (tasks, levels, numbers) and section G of its appendix
(`get_transfer_index`, which has no number); the cited results are in data/published_cycles.csv and
data/published_success.csv.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
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
from kernelcraft_core.tasks import Published, PublishedSuccess, Suite

LEVEL_1 = (silu, relu, gelu, softmax, layernorm, rmsnorm, gemv, gemm, batch_matmul, linear, conv2d, depthwise_conv)
LEVEL_2 = (rope, ffn, swiglu, sdpa, flash_attention, mha, gqa, mqa)
LEVEL_3 = (conv_block, decoder_llama, decoder_t5)


@cache
def published() -> tuple[Published, ...]:
    """Return the cycles that the paper reports, by target, task, configuration and method."""
    rows = _rows("published_cycles.csv")
    return tuple(Published(r["target"], r["task"], r["config"], r["method"], int(r["cycles"])) for r in rows)


@cache
def published_success() -> tuple[PublishedSuccess, ...]:
    """Return how many configurations of each task the paper's models solved, by target."""
    rows = _rows("published_success.csv")
    return tuple(
        PublishedSuccess(r["target"], r["task"], r["model"], int(r["solved"]), int(r["attempted"])) for r in rows
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = files("kc_tasks").joinpath(f"data/{name}").read_text(encoding="utf-8")
    yield from csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))


SUITE = Suite(
    "kernelcraft",
    "1.0",
    tuple(module.TASK for module in (*LEVEL_1, *LEVEL_2, *LEVEL_3, get_transfer_index)),
    published,
    published_success,
)
"""The tasks by number; the one without a number comes last."""
