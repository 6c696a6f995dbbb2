"""Expert kernels of PLENA: programs written for speed that are right for every input family of their workload.

`program(task, config)` returns the assembly text. What makes each fast, and why it is still right, is in the docstring
of its module.
"""

from __future__ import annotations

from collections.abc import Callable

from kc_plena.expert import elementwise, ffn, gemv, matmul, norm, rope, softmax
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
}

TASKS = tuple(_PROGRAMS)
"""Tasks with an expert kernel."""


def program(task: str, config: str) -> str:
    """Return the assembly text of a task for a configuration of table 12.

    Raises:
        ValueError: the task has no expert kernel, or there is no such config.
    """
    if task not in _PROGRAMS:
        raise ValueError(f"no expert kernel for task {task!r}; there is one for {', '.join(TASKS)}")
    if config not in CONFIGS:
        raise ValueError(f"no config {config!r}; there is {', '.join(CONFIGS)}")
    return _PROGRAMS[task](*SHAPES[task][config].values())


__all__ = ["CONFIGS", "TASKS", "program"]
