"""Everything that services and models do wrong: each script ends in a recorded, correctly classified episode.

The real provider talks to a server on loopback. A script is a list of what the server does, and what the episode must come to.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, field, frozen

from kc_toy.tasks import loop, unrolled
from kernelcraft_core.agent.classify import EVENTS, FAILURES, STOPPED
from kernelcraft_core.agent.limits import Limits
from kernelcraft_core.agent.models import open_model

pytestmark = pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs litellm")

HARD_LIMIT_S = 60.0
"""No script may take longer, whatever it does."""
SLOW, FAST, WRONG = loop(4), unrolled(4), loop(3)


def _server() -> Any:
    spec = importlib.util.spec_from_file_location("kernelcraft_fault_server", Path(__file__).with_name("server.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


server = _server()
reply, status, drop, junk = server.reply, server.status, server.drop, server.junk


def write(code: str, *more: Any) -> tuple[Any, ...]:
    return ("write_code", json.dumps({"assembly_code": code}), *more)


RUN = ("run_evaluation", "{}")
GOOD = reply(calls=[write(SLOW), RUN])
BAD = reply(calls=[write(WRONG), RUN])
DONE = reply("The kernel is right.")
END = (GOOD, DONE)
"""A good end of any script."""


@frozen
class Script:
    """What the server does, and what must come of it.

    Attributes:
        turns: of the server. stopped, failure: of the outcome. events: those that must have happened, at least so often.
        error: kind of the error that ended it. streams: whether replies are streamed: each way is a script of its own.
        settings: of the model. evaluations: that must have been made.
    """

    name: str
    turns: Sequence[Any] = field(repr=False)
    stopped: str = "finished"
    failure: str | None = None
    events: Mapping[str, int] = field(factory=dict)
    error: str | None = None
    streams: tuple[bool, ...] = (False,)
    settings: Mapping[str, Any] = field(factory=dict)
    limits: Limits = field(factory=Limits)
    evaluations: int | None = None


BOTH = (False, True)


def once() -> Iterator[Script]:
    """Yield faults of a service that pass: the episode ends as if nothing had happened."""
    for number in (408, 429, 500, 502, 503, 504, 529):
        yield Script(f"{number} once", [status(number), *END], events={"retries": 1}, streams=BOTH)
    yield Script("500 again and again", [status(500), GOOD, status(500), status(502), DONE], events={"retries": 3})
    for value in (0, "0.01", "soon", "-3", "Wed, 21 Oct 2015 07:28:00 GMT", ""):
        yield Script(f"429, retry after {value!r}", [status(429, retry_after=value), *END], events={"retries": 1})
    yield Script("429, milliseconds", [status(429, headers={"retry-after-ms": "5"}), *END], events={"retries": 1})
    yield Script("dropped before the answer", [drop(), *END], events={"retries": 1}, streams=BOTH)
    yield Script("reset before the answer", [drop(reset=True), *END], events={"retries": 1}, streams=BOTH)
    for after in (0, 1, 40, 150):
        turns = [drop(after), *END]
        yield Script(f"dropped after {after} bytes", turns, events={"retries": 1}, streams=BOTH)
    yield Script("dropped in the middle", [GOOD, drop(60), drop(), DONE], events={"retries": 2}, streams=BOTH)
    yield Script("reset after 60 bytes", [drop(60, reset=True), *END], events={"retries": 1}, streams=BOTH)
    late = {"timeout_s": 1.0}
    slow = server.slow(reply("too late"), 30)
    yield Script("slow once", [slow, *END], events={"retries": 1}, streams=BOTH, settings=late)
    dribble = reply("a text that comes byte by byte", pause_s=0.2)
    yield Script("dribbling once", [dribble, *END], events={"retries": 1}, streams=BOTH, settings=late)


def for_good() -> Iterator[Script]:
    """Yield faults of a service that stay: the episode does not count, however far it came."""
    for number, kind in ((429, "rate_limit"), (500, "server"), (503, "server"), (529, "server"), (408, "timeout")):
        yield _over(f"{number} for good", [status(number)], kind, streams=BOTH)
        yield _over(f"{number} for good after a right kernel", [GOOD, status(number)], kind)
    for number, kind in (
        (401, "auth"),
        (402, "auth"),
        (403, "auth"),
        (400, "request"),
        (404, "request"),
        (422, "request"),
    ):
        yield _over(f"{number}", [status(number)], kind, streams=BOTH)
    yield _over("429 with a wait of hours", [status(429, retry_after=9999), *END], "rate_limit")
    yield _over(
        "429, no money", [status(429, "You exceeded your current quota", code="insufficient_quota")], "rate_limit"
    )
    yield _over("dropped for good", [drop()], "connection", streams=BOTH)
    yield _over("dropped in the middle for good", [GOOD, drop(30)], "connection", streams=BOTH)
    yield _over("slow for good", [server.slow(DONE, 30)], "timeout", streams=BOTH, settings={"timeout_s": 0.2})
    yield _over("key dies in the middle", [BAD, status(401)], "auth", evaluations=1)
    bodies = {"none": b"", "page": b"<html>busy</html>", "no choices": {"choices": []}, "cut": b'{"id": "1", "cho'}
    for name, body in bodies.items():
        yield _over(f"unreadable for good: {name}", [junk(body)], "bad_response")


def _over(name: str, turns: Sequence[Any], error: str, **more: Any) -> Script:
    return Script(name, turns, "model_error", "provider", error=error, **more)


def unreadable() -> Iterator[Script]:
    """Yield answers that are none, once: it is asked again."""
    bodies: dict[str, Any] = {
        "nothing": b"",
        "blanks": b"  \n",
        "a page": b"<html>busy</html>",
        "null": b"null",
        "a list": [],
        "a number": 7,
        "a text": '"hello"',
        "an empty table": {},
        "binary": bytes(range(256)),
        "no choices": {"choices": []},
        "choices null": {"choices": None},
        "choice null": {"choices": [None]},
        "no message": {"choices": [{"index": 0, "finish_reason": "stop"}]},
        "message null": {"choices": [{"index": 0, "message": None, "finish_reason": "stop"}]},
        "message of a user": {
            "choices": [{"index": 0, "message": {"role": "user", "content": "x"}, "finish_reason": "stop"}]
        },
        "content a number": {"choices": [{"message": {"role": "assistant", "content": 5}, "finish_reason": "stop"}]},
        "calls a text": {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": "x"}}]},
        "call without a function": {"choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "1"}]}}]},
        "an error with status 200": {"error": {"message": "overloaded", "code": 503}},
        "deep nesting": b'{"choices": ' + b"[" * 100_000,
    }
    for name, body in bodies.items():
        yield Script(f"unreadable: {name}", [junk(body), *END])
    for kind in ("text/html", "application/octet-stream", "", "text/event-stream"):
        yield Script(f"unreadable: content type {kind!r}", [junk(b"<p>busy</p>", kind), *END], streams=BOTH)
    for after in (1, 20, 60, 120):
        yield Script(f"JSON cut after {after} bytes", [server.truncated(after), *END])
    yield Script("stream without an end mark", [evolve(GOOD, done=False), DONE], streams=(True,))
    yield Script(
        "stream with a line that is no JSON", [junk(b"data: {oops\n\n", "text/event-stream"), *END], streams=(True,)
    )
    yield Script("stream of nothing", [junk(b"data: [DONE]\n\n", "text/event-stream"), *END], streams=(True,))


ARGUMENTS = {
    "cut": ('{"assembly_code": "halt', "malformed_arguments"),
    "plain code": ("halt", "malformed_arguments"),
    "single quotes": ("{'assembly_code': 'halt'}", "malformed_arguments"),
    "fenced": ('```json\n{"assembly_code": "halt"}\n```', "malformed_arguments"),
    "comma": ('{"assembly_code": "halt",}', "malformed_arguments"),
    "twice": (json.dumps(json.dumps({"assembly_code": "halt"})), "malformed_arguments"),
    "list": ('["halt"]', "malformed_arguments"),
    "number": ("7", "malformed_arguments"),
    "null": ("null", "malformed_arguments"),
    "two objects": ('{"assembly_code": "halt"}{"assembly_code": "halt"}', "malformed_arguments"),
    "XML": ("<assembly_code>halt</assembly_code>", "malformed_arguments"),
    "nested": ("[" * 5000, "malformed_arguments"),
    "long number": ('{"assembly_code": ' + "9" * 6000 + "}", "malformed_arguments"),
    "nothing": ("", "invalid_arguments"),
    "empty": ("{}", "invalid_arguments"),
    "other name": ('{"code": "halt"}', "invalid_arguments"),
    "one too many": ('{"assembly_code": "halt", "path": "/etc/passwd"}', "invalid_arguments"),
    "a list of lines": ('{"assembly_code": ["halt"]}', "invalid_arguments"),
    "NUL": ('{"assembly_code": "halt\\u0000"}', "invalid_arguments"),
    "surrogate": ('{"assembly_code": "\\ud800"}', "invalid_arguments"),
    "too long": (json.dumps({"assembly_code": "nop\n" * 300_000}), "limit"),
}

UNREADABLE = ("nested", "long number")
STREAMED = (*UNREADABLE, "cut", "nothing", "two objects", "surrogate", "too long")


def wrong_calls() -> Iterator[Script]:
    """Yield calls that cannot be carried out, or come in another form than they should."""
    for name, (arguments, event) in ARGUMENTS.items():
        turns = [reply(calls=[("write_code", arguments)], piece=max(8, len(arguments) // 20)), *END]
        for streamed in (
            BOTH if name in STREAMED else (False,)
        ):  # litellm reads the arguments of whole replies itself, and gives up on some
            seen = "bad_response" if name in UNREADABLE and not streamed else event
            yield Script(f"arguments: {name}", turns, events={seen: 1}, streams=(streamed,))
    stuck = [reply(calls=[("write_code", "{oops")])]
    few = Limits(iterations=4)
    yield Script("arguments never right", stuck, "iterations", "tool_use", {"malformed_arguments": 4}, limits=few)
    for name in (
        "run_code",
        "Write_Code",
        "functions.write_code",
        "../../bin/sh",
        "write_code ",
        "x" * 50_000,
        "\u2028\x00",
    ):
        turns = [reply(calls=[(name, "{}")]), *END]
        yield Script(f"unknown tool {name[:20]!r}", turns, events={"unknown_tool": 1})
    yield Script("tool without a name", [reply(calls=[("", "{}")]), *END], events={"unknown_tool": 1})
    yield Script("tool whose name is null", [reply(calls=[(None, "{}")]), *END], events={"unknown_tool": 1})
    for name, ids in {"absent": (None, None), "empty": ("", ""), "equal": ("a", "a"), "one": ("a", None)}.items():
        calls = [write(SLOW, ids[0]), (*RUN, ids[1])]
        turn = reply(calls=calls)
        if name == "empty":
            for call in turn.message["tool_calls"]:
                call["id"] = ""
        yield Script(f"ids: {name}", [turn, DONE], events={"missing_call_id": 1}, streams=BOTH, evaluations=1)
    objects = [("write_code", {"assembly_code": SLOW}), ("run_evaluation", {})]
    yield Script("arguments that are an object", [reply(calls=objects), DONE], evaluations=1)
    yield Script("arguments that are null", [reply(calls=[write(SLOW), ("run_evaluation", None)]), DONE], evaluations=1)
    yield Script("calls with the end `stop`", [evolve(GOOD, finish="stop"), DONE], streams=BOTH, evaluations=1)
    yield Script("calls without an end", [evolve(GOOD, finish=None), DONE], evaluations=1)
    yield Script("calls with an end nobody knows", [evolve(GOOD, finish="banana"), DONE], streams=BOTH, evaluations=1)
    many = reply(calls=[write(SLOW), *[("check_syntax", "{}")] * 60, RUN])
    yield Script("many calls", [many, *END], events={"parallel_calls": 1, "too_many_calls": 30}, streams=BOTH)
    old = {"role": "assistant", "content": None, "function_call": {"name": "write_code", "arguments": write(SLOW)[1]}}
    turn = server.Turn(message=old, finish="function_call")
    yield Script("a call in the old form", [turn, reply(calls=[RUN]), DONE], evaluations=1)
    half = evolve(reply(calls=[("write_code", '{"assembly_code": "lui')]), finish="length")
    yield Script("call cut at the limit", [half, *END], events={"cut_reply": 1, "malformed_arguments": 1}, streams=BOTH)


PASTED = f"Here you are:\n```asm\n{SLOW}\n```\n"


def odd_turns() -> Iterator[Script]:
    """Yield turns without calls before the work is done."""
    for name, text in {"empty": "", "null": None, "blank": " \n\t"}.items():
        yield Script(f"{name} turn", [reply(text), *END], events={"empty_turn": 1}, streams=BOTH)
    yield Script(
        "parts in place of a text", [reply([{"type": "text", "text": PASTED}]), *END], events={"bad_response": 1}
    )
    yield Script("empty for ever", [reply("")], failure="no_kernel", events={"empty_turn": 3})
    yield Script("pasted code", [reply(PASTED), *END], events={"pasted_code": 1}, streams=BOTH)
    yield Script(
        "pasted code for ever",
        [reply(PASTED)],
        "iterations",
        "tool_use",
        {"pasted_code": 4},
        limits=Limits(iterations=4),
    )
    yield Script("pasted without a fence", [reply(f"So:\n{FAST}"), *END], events={"pasted_code": 1}, streams=BOTH)
    call = json.dumps({"name": "write_code", "arguments": {"assembly_code": SLOW}})
    yield Script("call as text", [reply(call), *END], events={"call_as_text": 1}, streams=BOTH)
    yield Script("call as XML", [reply("<tool_call>check_syntax</tool_call>"), *END], events={"call_as_text": 1})
    yield Script("early stop", [reply("Done!"), *END], events={"premature_stop": 1}, streams=BOTH)
    yield Script("stop after the first write", [reply(calls=[write(SLOW)]), reply("Done!")], failure="tool_use")
    yield Script("stop after a wrong kernel", [BAD, reply("Done!")], failure="functional", events={"premature_stop": 3})
    yield Script("stop after bad syntax", [reply(calls=[write("oops"), RUN]), reply("Done!")], failure="syntax")
    yield Script("cut text", [reply("and so on", finish="length"), *END], events={"cut_reply": 1}, streams=BOTH)
    yield Script(
        "nothing but thoughts", [reply("", reasoning_content="hm"), *END], events={"empty_turn": 1}, streams=BOTH
    )
    refusal = reply("I cannot.", finish="content_filter")
    yield Script("filtered once", [refusal, *END], events={"refusal": 1}, streams=BOTH)
    yield Script("filtered for good", [refusal], "refusal", "no_kernel", {"refusal": 2})
    yield Script("refused in a field", [reply(None, refusal="No."), *END], events={"refusal": 1})
    policy = status(400, "blocked by our content policy", code="content_policy_violation")
    yield Script("refused with 400", [policy, *END], events={"refusal": 1})
    yield Script("refused with 400 after a right kernel", [GOOD, policy], "refusal", None, {"refusal": 2})
    text = "so much to say " * 150_000
    yield Script("huge text", [reply(text, piece=100_000), *END], events={"premature_stop": 1}, streams=BOTH)
    usage = {"prompt_tokens": None, "completion_tokens": "many", "total_tokens": -1}
    yield Script("usage that is none", [evolve(GOOD, usage=usage), *END], events={"bad_response": 1})
    yield Script("no usage", [evolve(GOOD, usage=None), DONE], events={"unknown_usage": 1}, streams=BOTH)
    yield Script("tokens at an end", [BAD], "tokens", "functional", limits=Limits(tokens=300), streams=BOTH)


def overflows() -> Iterator[Script]:
    """Yield conversations that are too long."""
    full = status(400, "This model's maximum context length is 8192 tokens", code="context_length_exceeded")
    look = reply(calls=[("grep_docs", '{"query": "memory"}')])
    yield Script(
        "overflow once", [look, look, full, *END], events={"context_overflow": 1, "shortened": 1}, streams=BOTH
    )
    yield Script("overflow thrice", [look, look, look, full, full, full, *END], events={"context_overflow": 3})
    yield Script("overflow in other words", [look, look, status(413), *END], events={"context_overflow": 1})
    yield Script("overflow at once", [full], "model_error", "no_kernel", {"context_overflow": 1}, "context_overflow")
    wrong = [BAD, look, full]
    yield Script("overflow for good", wrong, "model_error", "functional", {"context_overflow": 2}, "context_overflow")
    right = [GOOD, look, full]
    yield Script(
        "overflow after a right kernel", right, "model_error", None, {"context_overflow": 2}, "context_overflow"
    )


def mixed() -> Iterator[Script]:
    """Yield random rows of faults that pass, with a good end."""
    passing: list[tuple[Any, str]] = [
        (status(500), "retries"),
        (status(429, retry_after=0), "retries"),
        (drop(), "retries"),
        (drop(50), "retries"),
        (reply(""), "empty_turn"),
        (reply(PASTED), "pasted_code"),
        (reply(calls=[("write_code", "{")]), "malformed_arguments"),
        (reply(calls=[("run_code", "{}")]), "unknown_tool"),
        (reply(calls=[("check_syntax", "{}", None)]), "missing_call_id"),
        (reply("and th", finish="length"), "cut_reply"),
        (BAD, "parallel_calls"),
    ]
    for seed in range(20):
        draw = random.Random(seed)
        chosen = [passing[i] for i in draw.sample(range(len(passing)), 6)]
        turns = [turn for turn, _ in chosen]
        events = {name: sum(other == name for _, other in chosen) for _, name in chosen}
        yield Script(f"mixed {seed}", [*turns, *END], events=events, streams=(seed % 2 == 0,))


ALL = [
    (script, streamed)
    for group in (once, for_good, unreadable, wrong_calls, odd_turns, overflows, mixed)
    for script in group()
    for streamed in script.streams
]


def test_there_are_more_than_a_hundred_distinct_scripts() -> None:
    names = {script.name for script, _ in ALL}
    assert len(names) >= 100
    assert len({(script.name, streamed) for script, streamed in ALL}) == len(ALL)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.mark.parametrize(("script", "streamed"), ALL, ids=[f"{s.name}{', streamed' * w}" for s, w in ALL])
def test_fault_ends_in_a_recorded_and_classified_episode(stage: Any, script: Script, streamed: bool) -> None:
    with server.Server(script.turns, repeat=True) as service:
        defaults = {"retries": 3, "backoff_s": 0, "max_wait_s": 5, "timeout_s": 20}
        settings = {"base_url": service.url, "stream": streamed, **defaults, **script.settings}
        played = _played(stage, open_model("openai/any", settings), script.limits)
    outcome = played.outcome
    said = {name: getattr(outcome, name) for name in ("stopped", "failure", "events", "error")}
    assert (outcome.stopped, outcome.failure) == (script.stopped, script.failure), said
    assert (outcome.error or {}).get("kind") == script.error, said
    missing = {name: count for name, count in script.events.items() if outcome.events.get(name, 0) < count}
    assert not missing, said
    assert script.evaluations in (None, outcome.evaluations), said
    assert outcome.stopped in STOPPED
    assert outcome.failure in (None, *FAILURES)
    assert set(outcome.events) <= set(EVENTS)
    assert outcome.counts is (script.failure != "provider")
    _conversation_is_sound(played.events, service.requests)


def _played(stage: Any, model: Any, limits: Limits) -> Any:
    """Return the episode; fail when it takes too long."""
    made: list[Any] = []

    def play() -> None:
        try:
            made.append(stage.play(model, limits))
        except BaseException as error:
            made.append(error)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    thread.join(HARD_LIMIT_S)
    assert made, "the script hangs"
    if isinstance(made[0], BaseException):
        raise made[0]
    return made[0]


def _conversation_is_sound(events: Sequence[Mapping[str, Any]], requests: Sequence[Mapping[str, Any]]) -> None:
    """Check that every call has one answer behind it, in the transcript and in everything that was sent."""
    waiting: list[str] = []
    for event in events:
        if event["kind"] == "reply":
            assert not waiting
            waiting = [call["id"] for call in event["message"].get("tool_calls", ())]
        elif event["kind"] == "tool_result":
            assert waiting.pop(0) == event["message"]["tool_call_id"]
    assert not waiting
    for request in requests:
        messages = request["messages"]
        asked = [call["id"] for m in messages for call in m.get("tool_calls") or ()]
        assert asked == [m["tool_call_id"] for m in messages if m["role"] == "tool"]
        assert messages[-1]["role"] in ("user", "tool")
