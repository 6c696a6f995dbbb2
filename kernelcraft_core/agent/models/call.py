"""One call of litellm: the only place that imports it."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import threading
import time
import warnings
from collections.abc import Mapping
from typing import Any, cast

from attrs import define, field, frozen

from kernelcraft_core.agent.models.convert import BadReply, plain
from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.agent.models.faults import Fault, sort_fault
from kernelcraft_core.agent.models.stream import Assembly

INSTALL = "pip install 'kernelcraft-core[agent]'"
_QUIET = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "httpcore", "openai")
_lock = threading.Lock()


@frozen
class Answer:
    """What a service answered: the message and its end as plain data, the usage as litellm's record and plain.

    Attributes:
        missing: per tool call, whether the service gave no id (litellm makes one up).
    """

    message: Any
    finish: Any
    record: Any
    usage: Any
    missing: tuple[bool, ...] = ()


def check_installed() -> None:
    """Refuse to go on without litellm, which is not imported for that. Raises: ModelSetupError KC0733."""
    if importlib.util.find_spec("litellm") is None:
        raise fail("KC0733", "litellm, which calls models of services, is not installed", INSTALL)


def load() -> Any:
    """Return the module litellm, made quiet and kept off the network.

    Raises:
        ModelSetupError: KC0733.
    """
    with _lock:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        warnings.filterwarnings("ignore", module=r"(pydantic|litellm)(\.|$)")  # about their own code
        try:
            import litellm  # noqa: TID251 - here and nowhere else
        except ImportError as error:
            reason = f"litellm cannot be imported: {error}"
            raise fail("KC0733", reason, INSTALL) from None
        module: Any = litellm
        module.suppress_debug_info = True
        module.REPEATED_STREAMING_CHUNK_LIMIT = 10**9  # unrolled code and tables of zeros repeat themselves
        for name in _QUIET:  # at their lower levels they write down whole requests
            logger = logging.getLogger(name)
            logger.setLevel(max(logger.level, logging.CRITICAL))
        return module


def call(arguments: Mapping[str, Any], seconds: float) -> Answer | Fault:
    """Call litellm once, for at most so many seconds altogether.

    The call runs in a thread of its own: neither a server that sends a byte now and then nor one that never ends a stream
    holds up the caller, and Ctrl-C works. A call that is given up is left to end by its own time-out.

    Raises:
        ModelSetupError: KC0733.
    """
    job = _Job(load(), arguments)
    thread = threading.Thread(target=job.run, name="model call", daemon=True)
    thread.start()
    try:
        if not job.done.wait(seconds):
            return Fault("timeout", f"no whole answer within {seconds:g} s")
    finally:
        job.given_up.set()
    if isinstance(job.outcome, BaseException):
        return sort_fault(job.outcome, job.raw, time.time())
    return cast(Answer, job.outcome)


@define(eq=False)
class _Job:
    """A call in its thread."""

    litellm: Any
    arguments: Mapping[str, Any] = field(repr=False)
    raw: str | None = field(default=None, repr=False)
    outcome: Any = field(default=None, repr=False)
    done: threading.Event = field(factory=threading.Event)
    given_up: threading.Event = field(factory=threading.Event)

    def run(self) -> None:
        try:
            self.outcome = self.answer()
        except BaseException as error:  # also what ends a thread silently
            self.outcome = error
        finally:
            self.done.set()

    def note(self, event: Mapping[str, Any]) -> None:
        """Keep the body of a good answer, the first thing litellm reports after a call."""
        original = event.get("original_response")
        if self.arguments.get("stream"):
            return
        if event.get("log_event_type") == "post_api_call" and self.raw is None and isinstance(original, str):
            if original and not original.startswith(("Error code:", "<litellm.")) and original != "Connection error.":
                self.raw = original

    def answer(self) -> Answer:
        response = self.litellm.completion(**self.arguments, logger_fn=self.note)
        if self.arguments.get("stream"):
            return self.streamed(response)
        choices = getattr(response, "choices", None)
        if not choices:
            raise BadReply("the answer has no choices")
        message = plain(choices[0].message)
        record = getattr(response, "usage", None)
        return Answer(message, choices[0].finish_reason, record, plain(record), _missing(self.raw))

    def streamed(self, response: Any) -> Answer:
        assembly = Assembly()
        record = None
        try:
            for chunk in response:
                if self.given_up.is_set():
                    raise TimeoutError("given up")
                assembly.feed(plain(chunk))
                record = getattr(chunk, "usage", None) or record
        except Exception as error:
            if assembly.seen or "before a finish_reason" not in str(error):
                raise
        if not assembly.seen:
            raise BadReply("the stream holds no reply")
        stated = [chunk.usage for chunk in getattr(response, "chunks", ()) if getattr(chunk, "usage", None)]
        if not stated:  # then litellm has counted with a tokenizer that need not be the model's
            record = assembly.usage = None
        elif not any(getattr(usage, "completion_tokens_details", None) for usage in stated):
            assembly.usage = {**assembly.usage, "completion_tokens_details": None}
        return Answer(assembly.message(), assembly.finish, record, assembly.usage)


def _missing(raw: str | None) -> tuple[bool, ...]:
    """Return for each tool call of an answer whether it lacks an id; empty when the answer has another form."""
    try:
        calls = json.loads(raw or "null")["choices"][0]["message"]["tool_calls"]
        return tuple(not call.get("id") for call in calls)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return ()
