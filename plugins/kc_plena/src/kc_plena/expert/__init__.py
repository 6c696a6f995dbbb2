"""Expert kernels of PLENA: programs written for speed that are right for every input family of their workload.

`program(task, config)` returns the assembly text. What makes each fast, and why it is still right, is in the docstring
of its module.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kc_plena.expert import attention, decoder, elementwise, ffn, gemv, matmul, norm, projected_attention, rope, softmax
from kc_plena.shapes import CONFIGS, SHAPES

_PROGRAMS: dict[str, Callable[..., str]] = {
    "silu": elementwise.silu,
    "relu": elementwise.relu,
    "gelu": elementwise.gelu,
    "softmax": softmax.softmax,
    "layernorm": norm.layernorm,
    "rmsnorm": norm.rmsnorm,
    "gemv": gemv.gemv,
    "gemm": matmul.gemm,
    "batch_matmul": matmul.batch_matmul,
    "linear": matmul.linear,
    "ffn": ffn.ffn,
    "swiglu": ffn.swiglu,
    "rope": rope.rope,
    "sdpa": attention.sdpa,
    "flash_attention": attention.sdpa,
}
_BY_CONFIG: dict[str, Callable[[str], str]] = {
    "mha": partial(projected_attention.projected_attention, "mha"),
    "gqa": partial(projected_attention.projected_attention, "gqa"),
    "mqa": partial(projected_attention.projected_attention, "mqa"),
    "decoder_llama": decoder.decoder_llama,
    "decoder_t5": decoder.decoder_t5,
}

TASKS = (*_PROGRAMS, *_BY_CONFIG)
"""Tasks with an expert kernel."""


def program(task: str, config: str) -> str:
    """Return the assembly text of a task for a configuration of table 12.

    Raises:
        ValueError: the task has no expert kernel, or there is no such config.
    """
    if task not in TASKS:
        raise ValueError(f"no expert kernel for task {task!r}; there is one for {', '.join(TASKS)}")
    if config not in CONFIGS:
        raise ValueError(f"no config {config!r}; there is {', '.join(CONFIGS)}")
    if task in _BY_CONFIG:
        return _BY_CONFIG[task](config)
    return _PROGRAMS[task](*SHAPES[task][config].values())


__all__ = ["CONFIGS", "TASKS", "program"]
