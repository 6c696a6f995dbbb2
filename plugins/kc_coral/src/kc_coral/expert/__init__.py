"""Expert kernels of Coral: assembly written for speed that is exact for every input family of its workload.

`program(task, config)` returns the text. Most modules are generators: one function writes the code for all sizes, with loops
and registers chosen from them. What makes each fast, and why it is still exact, is in the docstring of its module.
"""

from __future__ import annotations

from collections.abc import Callable

from kc_coral.expert import conv, depthwise, gemv, linear, matmul, networks, norm, relu, softmax, tables
from kc_coral.shapes import CONFIGS, sizes

_PROGRAMS: dict[str, Callable[..., str]] = {
    "relu": relu.relu,
    "gemv": gemv.gemv,
    "gemm": matmul.gemm,
    "batch_matmul": matmul.batch_matmul,
    "linear": linear.linear,
    "conv2d": conv.conv2d,
    "depthwise_conv": depthwise.depthwise,
    "conv_block": conv.conv_block,
    "ffn": networks.ffn,
    "swiglu": networks.swiglu,
    "silu": tables.silu,
    "gelu": tables.gelu,
    "softmax": softmax.softmax,
    "layernorm": norm.layernorm,
    "rmsnorm": norm.rmsnorm,
}

TASKS = tuple(_PROGRAMS)
"""Tasks with an expert kernel."""


def program(task: str, config: str) -> str:
    """Return the assembly text of a task for a configuration.

    Raises:
        ValueError: the task has no expert kernel, or there is no such config.
    """
    if task not in _PROGRAMS:
        raise ValueError(f"no expert kernel for task {task!r}; there is one for {', '.join(TASKS)}")
    if config not in CONFIGS:
        raise ValueError(f"no config {config!r}; there is {', '.join(CONFIGS)}")
    return _PROGRAMS[task](*sizes(task, config).values())


__all__ = ["CONFIGS", "TASKS", "program"]
