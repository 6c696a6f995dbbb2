"""The estimate of tokens: beside counts of a published vocabulary, and as a rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core.agent.tokens import estimate, shown

COUNTED = [
    ("S_ADDI_INT gp1, gp0, 262143\nM_MM_WO gp3, gp0, 0\nC_LOOP_END gp4\n", 36, 33),
    ("A simple kernel that is right comes first. Profile it to see where the cycles go.", 18, 18),
    (
        "| tensor | shape | elements from | scales from | bytes |\n| --- | --- | --- | --- | --- |\n"
        "| X | 8 x 128 | 0 | 1024 | 1152 |\n",
        41,
        44,
    ),
    (
        "- `MUL_CYCLES` = 17 cycles: latency of mul\n- `DMEM_SIZE` = 4096 bytes: capacity of the data memory\n",
        33,
        35,
    ),
    ("next:\n    lw x3, 0(x1)\n    add x4, x3, x3\n    bltu x0, x2, next\n", 33, 34),
]
"""Text, tokens in the vocabulary of Claude 2, tokens in cl100k (both as litellm 1.93 ships them)."""


@pytest.mark.parametrize(("text", "claude", "cl100k"), COUNTED)
def test_estimate_is_within_a_seventh_of_published_vocabularies(text: str, claude: int, cl100k: int) -> None:
    mean = (claude + cl100k) / 2
    assert abs(estimate(text) - mean) <= mean / 7


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" ", 0),
        ("word", 1),
        ("internationalisation", 3),
        ("M_MM", 3),
        ("123", 1),
        ("1234", 2),
        ("\n\n", 1),
        ("é", 1),
    ],
)
def test_estimate_of_small_texts(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(max_size=60), st.text(max_size=60))
def test_lines_count_for_themselves(first: str, second: str) -> None:
    apart = estimate(f"{first}.") + estimate("\nx") + estimate(f".{second}")
    assert estimate(f"{first}.\nx.{second}") == apart
    assert estimate(first) <= len(first)


@pytest.mark.parametrize(
    ("tokens", "text"),
    [(0, "~0"), (7, "~7"), (99, "~99"), (844, "~840"), (15_123, "~15,100"), (1_234_567, "~1,234,600")],
)
def test_estimates_are_shown_with_no_more_digits_than_they_are_worth(tokens: int, text: str) -> None:
    assert shown(tokens) == text
