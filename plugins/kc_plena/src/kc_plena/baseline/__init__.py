"""The template compiler of PLENA: operator and configuration in, assembly text out.

The programs restate, in their own words, what the public compiler emits for the tasks of KernelCraft (arXiv 2603.08721,
table 15, row "Compiler"; AICrossSim/PLENA at ecd5acb), down to the cycle. Flavours of a program:

- `published`: as measured in the paper, which for SiLU and GELU from C2 on means that part of the input is not loaded;
- `corrected`: the same, with every row loaded (the same text wherever the published one is right);
- `looped`, `unrolled`: two shapes of the batched matrix product, which has no published baseline.
"""

from __future__ import annotations

from collections.abc import Callable

from kc_plena.baseline import attention, elementwise, ffn, matmul, norm
from kc_plena.shapes import ATTENTION_KERNEL, CONFIGS, SHAPES, Layout, layout

TASKS = ("silu", "gelu", "layernorm", "rmsnorm", "gemm", "linear", "ffn", "swiglu", "batch_matmul")
"""Tasks with a template."""

KINDS = {"published": "published", "corrected": "compiler", "looped": "template", "unrolled": "template"}
"""Flavour -> kind of kernel it yields."""

_PROGRAMS: dict[str, Callable[..., str]] = {
    "silu": elementwise.silu,
    "gelu": elementwise.gelu,
    "layernorm": norm.layernorm,
    "rmsnorm": norm.rmsnorm,
    "gemm": matmul.gemm,
    "linear": matmul.linear,
    "ffn": ffn.ffn,
    "swiglu": ffn.swiglu,
}


def flavours(task: str) -> tuple[str, ...]:
    """Return the flavours of a task, the default first. Raises: ValueError for a task without a template."""
    if task not in TASKS:
        raise ValueError(f"no template for task {task!r}; there is one for {', '.join(TASKS)}")
    return ("looped", "unrolled") if task == "batch_matmul" else ("corrected", "published")


def program(task: str, config: str, flavour: str = "corrected") -> str:
    """Return the assembly text of a task for a configuration of table 12.

    Args:
        task: one of `TASKS`.
        config: C1 to C5.
        flavour: one of `flavours(task)`; `corrected` names the default of every task.

    Raises:
        ValueError: the task has no template, or there is no such config or flavour.
    """
    known = flavours(task)
    if config not in CONFIGS:
        raise ValueError(f"no config {config!r}; there is {', '.join(CONFIGS)}")
    if flavour == "corrected":
        flavour = known[0]
    if flavour not in known:
        raise ValueError(f"no flavour {flavour!r} of {task}; there is {', '.join(known)}")
    sizes = tuple(SHAPES[task][config].values())
    if task == "batch_matmul":
        return (matmul.batch_matmul_looped if flavour == "looped" else matmul.batch_matmul_unrolled)(*sizes)
    if flavour == "published" and task in ("silu", "gelu"):
        return _PROGRAMS[task](*sizes, per_call=sizes[0])
    return _PROGRAMS[task](*sizes)


def attention_kernel() -> str:
    """Return the attention program of section I of the paper (64 positions, 64 features)."""
    return attention.attention()


__all__ = [
    "ATTENTION_KERNEL",
    "CONFIGS",
    "KINDS",
    "SHAPES",
    "TASKS",
    "Layout",
    "attention_kernel",
    "flavours",
    "layout",
    "program",
]
