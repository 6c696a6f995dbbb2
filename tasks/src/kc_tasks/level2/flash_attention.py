"""FlashAttention: scaled dot-product attention, meant to be computed block by block."""

from __future__ import annotations

from attrs import evolve

from kc_tasks.level2 import sdpa

TASK = evolve(
    sdpa.TASK,
    slug="flash_attention",
    number=17,
    title="FlashAttention",
    doc="The result is that of scaled dot-product attention. The name stands for the method (Dao et al., arXiv "
    "2205.14135): blocks of K and V with a running maximum and sum, without the whole matrix of scores; a kernel that "
    "does it another way is right as well.",
)
