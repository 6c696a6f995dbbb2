"""Multi-head, grouped-query and multi-query attention with batched products; layouts as in the templates."""

from __future__ import annotations

from kc_plena.baseline import projected_attention as template
from kc_plena.expert.transformer_blocks import EXPERT


def projected_attention(task: str, config: str) -> str:
    """Return the program of `mha`, `gqa` or `mqa` in a configuration. Raises: KeyError for another task or config."""
    return template.projected_attention(task, config, EXPERT)
