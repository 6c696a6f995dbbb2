"""Decoder blocks with batched products; layouts and stages as in the templates."""

from __future__ import annotations

from kc_plena.baseline import decoder as template
from kc_plena.expert.transformer_blocks import EXPERT


def decoder_llama(config: str) -> str:
    """Return the LLaMA block. Raises: KeyError for an unknown config."""
    return template.decoder_llama(config, EXPERT)


def decoder_t5(config: str) -> str:
    """Return the T5 block. Raises: KeyError for an unknown config."""
    return template.decoder_t5(config, EXPERT)
