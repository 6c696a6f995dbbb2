"""Tokens and prices of a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelcraft_core.agent.protocol import Usage

MILLION = 1_000_000


def usage_of(counts: Any, price: Mapping[str, float] | None = None) -> Usage:
    """Return tokens by kind out of a service's usage, as plain data, and its price where it or the user says so.

    Args:
        counts: in the form of the OpenAI chat interface; None or all zero when the service did not say.
        price: US dollars per million tokens: `input`, `output`, and `cached` (as `input` when missing).
    """
    if not isinstance(counts, Mapping):
        return Usage()
    given, made = _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
    if not given and not made:
        return Usage()
    usage = Usage(
        given,
        _count(counts.get("prompt_tokens_details"), "cached_tokens"),
        made,
        _count(counts.get("completion_tokens_details"), "reasoning_tokens"),
    )
    stated = counts.get("cost")
    if price is not None:
        cost: float | None = _priced(usage, price)
    else:
        cost = (
            float(stated) if isinstance(stated, int | float) and not isinstance(stated, bool) and stated >= 0 else None
        )
    return Usage(usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens, cost)


def _priced(usage: Usage, price: Mapping[str, float]) -> float:
    cached = min(usage.cached_tokens or 0, usage.input_tokens or 0)
    fresh = (usage.input_tokens or 0) - cached
    total = fresh * price["input"] + cached * price.get("cached", price["input"])
    return (total + (usage.output_tokens or 0) * price["output"]) / MILLION


def table_price(litellm: Any, model: str, counts: Any) -> float | None:
    """Return what litellm's local table says a reply costs in US dollars; None when the model is not in it.

    Args:
        litellm: the module.
        model: an entry of the table.
        counts: litellm's usage record.
    """
    try:
        parts = litellm.cost_per_token(model=model, usage_object=counts)
        total = float(sum(parts))
    except Exception:  # not in the table: of whatever class that is in this version
        return None
    return total if total > 0 else None


def in_table(litellm: Any, model: str) -> bool:
    """Return whether litellm's local table has a price for an entry. `litellm` is the module."""
    try:
        return float(sum(litellm.cost_per_token(model=model, prompt_tokens=1000, completion_tokens=1000))) > 0
    except Exception:  # not in the table: of whatever class that is in this version
        return False


def _count(data: Any, name: str) -> int | None:
    value = data.get(name) if isinstance(data, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
