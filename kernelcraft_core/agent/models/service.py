"""Models of services, and of servers that speak as OpenAI's does, through litellm."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from attrs import define, evolve, field, frozen

from kernelcraft_core.agent.models import settings as s
from kernelcraft_core.agent.models.call import Answer, call, load
from kernelcraft_core.agent.models.convert import OWN, BadReply, from_wire, to_wire
from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.agent.models.faults import Fault
from kernelcraft_core.agent.models.presets import EFFORTS, PRESETS, preset, reasoning_arguments
from kernelcraft_core.agent.models.prices import in_table, table_price, usage_of
from kernelcraft_core.agent.models.secrets import scrub, scrub_data, secrets
from kernelcraft_core.agent.protocol import Attempt, Message, ModelError, Reply, ToolCall
from kernelcraft_core.diagnostics import did_you_mean

log = logging.getLogger(__name__)


def _url(value: Any) -> str:
    parts = urlsplit(s.text(value))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address that begins with http:// or https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must be an address without user, password and query")
    return str(value).rstrip("/")


def _variable(value: Any) -> str:
    if not isinstance(value, str) or not value.isidentifier():
        raise ValueError("must be the name of an environment variable")
    return value


def _price(value: Any) -> dict[str, float]:
    known = {"input", "cached", "output"}
    if not isinstance(value, Mapping) or not {"input", "output"} <= set(value) <= known:
        raise ValueError("must be a table of input, output and, if need be, cached: dollars per million tokens")
    return {name: s.number(0)(entry) for name, entry in value.items()}


SETTINGS: Mapping[str, s.Setting] = {
    "reasoning": s.Setting(s.one_of(*EFFORTS), "how much the model reasons, where it lets one choose"),
    "thinking_budget": s.Setting(
        s.integer(1024), "tokens it may think for, in place of `reasoning` (Anthropic, Gemini 2.5)"
    ),
    "temperature": s.Setting(s.number(0, 2), "sampling temperature"),
    "top_p": s.Setting(s.number(0, 1), "sampling: share of the probability that is drawn from"),
    "seed": s.Setting(s.integer(0), "sampling seed, where the service has one"),
    "max_output_tokens": s.Setting(s.integer(1), "limit of a reply, reasoning included"),
    "parallel_tool_calls": s.Setting(
        s.flag, "whether a turn may have several tool calls, where the service lets one choose"
    ),
    "base_url": s.Setting(_url, "address of a server that speaks as OpenAI's does, such as http://localhost:8000/v1"),
    "provider": s.Setting(s.text, "how the server at `base_url` speaks, as litellm names it; openai unless told"),
    "send_reasoning": s.Setting(
        s.flag, "whether unsigned reasoning text is sent back with the conversation; it is unless told"
    ),
    "extra": s.Setting(s.table, "further arguments of litellm.completion"),
    "api_key_env": s.Setting(_variable, "environment variable with the key, for `base_url`", identity=False),
    "stream": s.Setting(s.flag, "whether replies are streamed", identity=False),
    "timeout_s": s.Setting(s.number(0.05, 86_400), "longest time for a reply; 600 unless told", identity=False),
    "retries": s.Setting(s.integer(0, 100), "how often a failed call is tried again; 5 unless told", identity=False),
    "backoff_s": s.Setting(
        s.number(0, 3600), "first wait before trying again, doubled each time; 1 unless told", identity=False
    ),
    "max_wait_s": s.Setting(s.number(0, 86_400), "longest single wait; 120 unless told", identity=False),
    "price": s.Setting(_price, "dollars per million tokens, in place of the price table", identity=False),
}
"""Settings of models of services."""
_RESERVED = set(
    "api_base api_key base_url logger_fn max_retries messages model num_retries stream timeout tools".split()
)

_STATES_PRICE = "openrouter/"
"""Names of models whose service states what a call cost."""


@frozen
class Retry:
    """When failed calls are tried again: waits grow by two and are drawn from the upper half of their range."""

    count: int = 5
    first_s: float = 1.0
    longest_s: float = 120.0

    def wait(self, tried: int, fault: Fault, draw: Callable[[], float]) -> float | None:
        """Return seconds to wait after `tried` calls (at least 1); None: do not try again."""
        if not fault.retried or tried > self.count:
            return None
        wait = min(self.longest_s, self.first_s * 2.0 ** min(tried - 1, 60)) * (0.5 + 0.5 * draw())
        if fault.retry_after is None:
            return wait
        return max(wait, fault.retry_after) if fault.retry_after <= self.longest_s else None


@define(eq=False)
class ServiceModel:
    """A model that litellm calls.

    Attributes:
        name: as the user gave it. settings: what may change its answers.
        arguments: for litellm, besides conversation, tools and keys.
        sleep, clock, draw: for waiting, measuring and jitter.
    """

    name: str
    settings: Mapping[str, Any]
    arguments: Mapping[str, Any] = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    price_as: str | None = None
    retry: Retry = field(factory=Retry)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    draw: Callable[[], float] = field(default=random.random, repr=False)

    @property
    def price_known(self) -> bool | None:
        """Whether replies will have a price; None where the service may state it. Loads litellm unless the price is set.

        Raises:
            ModelSetupError: KC0733.
        """
        if "price" in self.options:
            return True
        if self.price_as is None:  # a server that somebody runs
            return False
        return in_table(load(), self.price_as) or (None if self.price_as.startswith(_STATES_PRICE) else False)

    def check(self) -> None:
        """Refuse what no call can mend: a service that litellm does not know, a key that is not there. Loads litellm.

        Raises:
            ModelSetupError: KC0730, KC0733, KC0736.
        """
        litellm = load()
        if self.options.get("base_url"):  # a server that somebody runs
            return
        try:
            litellm.get_llm_provider(self.arguments["model"])
        except Exception:  # of whatever class that is in this version
            near = did_you_mean(self.name, PRESETS)
            hint = "write SERVICE/MODEL as litellm does, such as openai/gpt-5.2; `kc bench --help` names further kinds"
            raise fail("KC0730", f"no service is known for the model {self.name!r}", near or hint) from None
        found = litellm.validate_environment(model=self.arguments["model"])
        missing = [name for name in found.get("missing_keys", ()) if not os.environ.get(name)]
        if missing and not found.get("keys_in_environment"):
            hint = " or ".join(f"export {name}=..." for name in missing)
            raise fail("KC0736", f"the environment has no key for {self.name}", hint)

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """Return the reply of the service.

        Raises:
            ModelError: there is none. ModelSetupError: KC0733.
        """
        known = secrets(None, *self._key_names())
        request = self._request(messages, tools)
        limit = self.options.get("timeout_s", 600.0)
        attempts: list[Attempt] = []
        load()
        while True:
            started = self.clock()
            answer = call(request, limit)
            seconds = self.clock() - started
            outcome = self._reply(answer, known) if isinstance(answer, Answer) else answer
            if isinstance(outcome, Reply):
                return evolve(outcome, seconds=seconds, attempts=tuple(attempts))
            fault = evolve(outcome, message=scrub(outcome.message, known))
            if fault.kind == "refusal":
                message = Message("assistant", opaque={OWN: {"refusal": fault.message}})
                return Reply(message, "refusal", seconds=seconds, attempts=tuple(attempts))
            wait = self.retry.wait(len(attempts) + 1, fault, self.draw)
            if wait is None:
                raise ModelError(fault.kind, self._words(fault), attempts)
            attempts.append(Attempt(fault.kind, fault.message, wait))
            log.warning("%s: %s (%s); trying again in %.1f s", self.name, fault.message, fault.kind, wait)
            self.sleep(wait)

    def _words(self, fault: Fault) -> str:
        if fault.retry_after is not None and fault.retry_after > self.retry.longest_s:
            return f"{fault.message} (the service asks to wait {fault.retry_after:g} s)"
        return fault.message

    def _key_names(self) -> tuple[str, ...]:
        name = self.options.get("api_key_env")
        return (name,) if name else ()

    def _request(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        wire = to_wire(messages, reasoning=self.options.get("send_reasoning", True))
        request = {**self.arguments, "messages": wire}
        if tools:
            request["tools"] = [dict(tool) for tool in tools]
            if "parallel_tool_calls" in self.options:
                request["parallel_tool_calls"] = self.options["parallel_tool_calls"]
        key = os.environ.get(self.options.get("api_key_env", ""))
        if key:
            request["api_key"] = key
        elif "base_url" in self.options:
            request["api_key"] = "none"  # never the key of a service to an address that somebody gives
        return request

    def _reply(self, answer: Answer, known: Mapping[str, str]) -> Reply | Fault:
        try:
            message, finish = from_wire(answer.message, answer.finish, answer.missing)
        except BadReply as error:
            return Fault("bad_response", str(error))
        usage = usage_of(answer.usage, self.options.get("price"))
        if usage.price_usd is None and usage.input_tokens is not None and self.price_as is not None:
            usage = evolve(usage, price_usd=table_price(load(), self.price_as, answer.record))
        return Reply(_clean(message, known), finish, usage)


def _clean(message: Message, known: Mapping[str, str]) -> Message:
    """Return the message without secrets that a service may have echoed."""
    calls = tuple(
        ToolCall(*(scrub_data(part, known) for part in (c.id, c.name, c.arguments))) for c in message.tool_calls
    )
    return evolve(
        message, content=scrub_data(message.content, known), tool_calls=calls, opaque=scrub_data(message.opaque, known)
    )


def open_service(name: str, settings: Mapping[str, Any]) -> ServiceModel:
    """Return the model of a service.

    Args:
        name: of a preset, or as litellm names it (`provider/model`); with `base_url` as the server names it.
        settings: see `SETTINGS`.

    Raises:
        ModelSetupError: KC0731.
    """
    given = s.read(SETTINGS, settings, name)
    local = "base_url" in given
    if "provider" in given and not local:
        raise fail("KC0731", f"{name}: `provider` says how the server at `base_url` speaks, and that is missing")
    found = preset(name)
    if local:
        prefix = given.get("provider", "openai") + "/"
        found = evolve(found, model=name if name.startswith(prefix) else prefix + name, defaults={})
    chosen = {**_defaults(found.defaults, given), **given}
    arguments = _arguments(found.model, chosen)
    return ServiceModel(
        name,
        s.identity(SETTINGS, chosen),
        arguments,
        chosen,
        None if local else found.price_as or found.model,
        Retry(chosen.get("retries", 5), chosen.get("backoff_s", 1.0), chosen.get("max_wait_s", 120.0)),
    )


def _defaults(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a preset's defaults; what the user says about reasoning replaces all it says about that."""
    ways = {"reasoning", "thinking_budget"}
    return {key: value for key, value in defaults.items() if not (key in ways and ways & set(given))}


def _arguments(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    extra = settings.get("extra", {})
    taken = sorted(_RESERVED & set(extra))
    if taken:
        raise fail("KC0731", f"{model}: `extra` must not hold {taken[0]!r}", "settings of their own say so")
    arguments: dict[str, Any] = {"model": model, "max_retries": 0, "num_retries": 0}
    arguments["timeout"] = settings.get("timeout_s", 600.0)
    names = {"temperature": "temperature", "top_p": "top_p", "seed": "seed", "max_output_tokens": "max_tokens"}
    arguments |= {there: settings[here] for here, there in names.items() if here in settings}
    arguments |= reasoning_arguments(model, settings)
    if "base_url" in settings:
        arguments["api_base"] = settings["base_url"]
    if settings.get("stream"):
        arguments |= {"stream": True, "stream_options": {"include_usage": True}}
    if "extra_body" in extra and "extra_body" in arguments:
        extra = {**extra, "extra_body": {**arguments["extra_body"], **extra["extra_body"]}}
    return {**arguments, **extra}
