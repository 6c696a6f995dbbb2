"""The estimate of tokens: against counts of published tokenizers, and as a rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core.agent.tokens import estimate, shown

COUNTED = [
    ("S_ADDI_INT gp1, gp0, 262143\nM_MM_WO gp3, gp0, 0\n", CLAUDE_1),
]
"""Text -> tokens by the vocabulary of Claude 2 (litellm's copy of anthropic_tokenizer.json)."""
