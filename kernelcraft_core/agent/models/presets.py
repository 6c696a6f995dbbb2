"""Names of models that services know, and how each family is told to reason.

Source: the four models and their settings are those of the KernelCraft paper, Table 18. That reasoning `off` of GPT-5.2 is the
effort `none`, and of gemini-3-flash the level `minimal`, is what their services offer as their lowest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from kernelcraft_core.agent.models.errors import fail

EFFORTS = ("off", "low", "medium", "high")
"""Values of the setting `reasoning`."""
THINKING_BUDGETS = {"low": 4_000, "medium": 10_000, "high": 24_000}
"""Tokens that models with a budget may think for; `medium` is the paper's."""
ROOM = 16_000
"""Tokens for the answer besides those for thinking, where the service wants the sum to be stated."""


@frozen
class Preset:
    """A model of a service.

    Attributes:
        model: its name for litellm.
        defaults: settings where the user gives none.
        price_as: the entry of litellm's price table that holds for it, where it is not listed by its own name.
    """

    model: str
    defaults: Mapping[str, Any] = field(factory=dict)
    price_as: str | None = None


_CLAUDE = Preset(
    "anthropic/claude-sonnet-4-20250514",
    {"thinking_budget": 10_000},
    price_as="global.anthropic.claude-sonnet-4-20250514-v1:0",
)
_GPT = Preset("openai/gpt-5.2", {"reasoning": "medium"})
_DEEPSEEK = Preset("openrouter/deepseek/deepseek-r1-0528")
_GEMINI = Preset("gemini/gemini-3-flash-preview", {"reasoning": "medium"})

PRESETS: Mapping[str, Preset] = {
    "claude-sonnet-4-20250514": _CLAUDE,
    "claude-sonnet-4": _CLAUDE,
    "gpt-5.2": _GPT,
    "deepseek-r1-0528": _DEEPSEEK,
    "gemini-3-flash-preview": _GEMINI,
}
"""Name -> preset; compared without regard to case. The full name for litellm means the preset too."""


def preset(name: str) -> Preset:
    """Return the preset of a name; one without defaults for a model that has none."""
    lower = name.lower()
    found = PRESETS.get(lower)
    return found or next((p for p in PRESETS.values() if p.model == lower), Preset(name))


def family(model: str) -> str:
    """Return which way of asking for reasoning a model of litellm takes: anthropic, openrouter, or openai (as most do)."""
    provider, _, rest = model.lower().rpartition("/")
    if provider.startswith("openrouter"):
        return "openrouter"
    if provider.startswith("anthropic") or ("claude" in rest and not provider.startswith("openai")):
        return "anthropic"
    return "openai"


def reasoning_arguments(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for litellm that ask for the reasoning of the settings; none where nothing is asked for.

    litellm turns `reasoning_effort` into what the family has: an effort (OpenAI and servers like it), a thinking level
    (Gemini 3) or a budget (Gemini 2.5).

    Raises:
        ModelSetupError: KC0731 two settings exclude each other, or the output limit leaves no room for an answer.
    """
    effort, budget = settings.get("reasoning"), settings.get("thinking_budget")
    if effort is not None and budget is not None:
        raise fail("KC0731", f"{model}: `reasoning` and `thinking_budget` are two ways to say one thing", "give one")
    kind = family(model)
    if kind == "anthropic":
        tokens = budget if effort is None else THINKING_BUDGETS.get(effort)
        return _thinking(model, tokens, settings.get("max_output_tokens"))
    if budget is not None:
        if "gemini" in model.lower():
            return {"thinking": {"type": "enabled", "budget_tokens": budget}}
        raise fail("KC0731", f"{model} takes no `thinking_budget`", f"set `reasoning` to one of {', '.join(EFFORTS)}")
    if effort is None:
        return {}
    if kind == "openrouter":
        return {"extra_body": {"reasoning": {"enabled": False} if effort == "off" else {"effort": effort}}}
    return {"reasoning_effort": "none" if effort == "off" else effort}


def _thinking(model: str, tokens: int | None, limit: int | None) -> dict[str, Any]:
    """Return Anthropic's arguments: the limit counts thinking and answer together and must always be sent."""
    if tokens is None:
        return {} if limit is not None else {"max_tokens": ROOM}
    if limit is not None and limit <= tokens:
        raise fail("KC0731", f"{model}: `max_output_tokens` {limit} leaves nothing beside {tokens} tokens of thinking")
    thinking: dict[str, Any] = {"thinking": {"type": "enabled", "budget_tokens": tokens}}
    thinking["allowed_openai_params"] = ["thinking"]  # also for names that litellm does not know
    return thinking if limit is not None else {**thinking, "max_tokens": tokens + ROOM}
