"""The template compiler of PLENA: operator and configuration in, assembly text out.

Where the paper has a compiler baseline, the programs restate, in their own words, what the public compiler emits
(KernelCraft, arXiv 2603.08721, table 15, row "Compiler"; AICrossSim/PLENA at ecd5acb), down to the cycle. The other tasks
have programs in the same style, which nobody has published. Flavours of a program:

- `published`: as measured in the paper, which for SiLU and GELU from C2 on means that part of the input is not loaded;
- `corrected`: the same, with every row loaded (the same text wherever the published one is right);
- `template`: a program without a published counterpart;
- `looped`, `unrolled`: two shapes of the batched matrix product, which has no published counterpart either.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kc_plena.baseline import (
    attention,
    decoder,
    elementwise,
    ffn,
    flash,
    gemv,
    matmul,
    norm,
    projected_attention,
    rope,
    sdpa,
    softmax,
    transfer_index,
)
from kc_plena.shapes import ATTENTION_KERNEL, CONFIGS, SHAPES, Layout, layout

_PUBLISHED: dict[str, Callable[..., str]] = {
    "silu": elementwise.silu,
    "gelu": elementwise.gelu,
    "layernorm": norm.layernorm,
    "rmsnorm": norm.rmsnorm,
    "gemm": matmul.gemm,
    "linear": matmul.linear,
    "ffn": ffn.ffn,
    "swiglu": ffn.swiglu,
}
_TEMPLATES: dict[str, Callable[..., str]] = {
    "relu": elementwise.relu,
    "softmax": softmax.softmax,
    "gemv": gemv.gemv,
    "rope": rope.rope,
    "sdpa": sdpa.sdpa,
    "flash_attention": flash.flash_attention,
    "get_transfer_index": transfer_index.get_transfer_index,
}
_BY_CONFIG: dict[str, Callable[[str], str]] = {
    "mha": partial(projected_attention.projected_attention, "mha"),
    "gqa": partial(projected_attention.projected_attention, "gqa"),
    "mqa": partial(projected_attention.projected_attention, "mqa"),
    "decoder_llama": decoder.decoder_llama,
    "decoder_t5": decoder.decoder_t5,
}

PUBLISHED = tuple(_PUBLISHED)
"""Tasks with a published compiler baseline."""
TASKS = (*PUBLISHED, "batch_matmul", *_TEMPLATES, *_BY_CONFIG)
"""Tasks with a template."""
KINDS = {
    "published": "published",
    "corrected": "compiler",
    "template": "template",
    "looped": "template",
    "unrolled": "template",
}
"""Flavour -> kind of kernel it yields."""


def flavours(task: str) -> tuple[str, ...]:
    """Return the flavours of a task, the default first. Raises: ValueError for a task without a template."""
    if task not in TASKS:
        raise ValueError(f"no template for task {task!r}; there is one for {', '.join(TASKS)}")
    if task == "batch_matmul":
        return ("looped", "unrolled")
    return ("corrected", "published") if task in PUBLISHED else ("template",)


def program(task: str, config: str, flavour: str | None = None) -> str:
    """Return the assembly text of a task for a configuration of table 12.

    Args:
        task: one of `TASKS`.
        config: C1 to C5.
        flavour: one of `flavours(task)`; the first of them by default.

    Raises:
        ValueError: the task has no template, or there is no such config or flavour.
    """
    known = flavours(task)
    if config not in SHAPES[task]:
        raise ValueError(f"no config {config!r}; there is {', '.join(SHAPES[task])}")
    flavour = flavour or known[0]
    if flavour not in known:
        raise ValueError(f"no flavour {flavour!r} of {task}; there is {', '.join(known)}")
    if task in _BY_CONFIG:
        return _BY_CONFIG[task](config)
    sizes = tuple(SHAPES[task][config].values())
    if task == "batch_matmul":
        return (matmul.batch_matmul_looped if flavour == "looped" else matmul.batch_matmul_unrolled)(*sizes)
    if task in _TEMPLATES:
        return _TEMPLATES[task](*sizes)
    if flavour == "published" and task in ("silu", "gelu"):
        return _PUBLISHED[task](*sizes, per_call=sizes[0])
    return _PUBLISHED[task](*sizes)


def attention_kernel() -> str:
    """Return the attention program of section I of the paper (64 positions, 64 features)."""
    return attention.attention()


__all__ = [
    "ATTENTION_KERNEL",
    "CONFIGS",
    "KINDS",
    "PUBLISHED",
    "SHAPES",
    "TASKS",
    "Layout",
    "attention_kernel",
    "flavours",
    "layout",
    "program",
]
