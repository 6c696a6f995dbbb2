"""Models of services against a server on loopback, through the real litellm."""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.agent.models import ModelSetupError, open_model
from kernelcraft_core.agent.models.service import ServiceModel
from kernelcraft_core.agent.protocol import Message, ModelError, Reply

pytestmark = pytest.mark.filterwarnings(r"ignore::Warning:(pydantic|litellm)(\..*)?")
pytest.importorskip("litellm", reason="the extra `agent` is not installed")


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"kc_test_agent_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    if spec.name not in sys.modules:
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return sys.modules[spec.name]


fake = _load("server")
KEY = "sk-test-0123456789abcdefghijkl"
TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": "d", "parameters": {"type": "object", "properties": {}}},
    }
    for name in ("a", "b")
]
ASK = [Message("system", "s"), Message("user", "u")]
REFUSAL = fake.reply(None, refusal="I will not", finish="content_filter")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KC_TEST_KEY", KEY)


def model(server: Any, **settings: Any) -> ServiceModel:
    """Return a model of the server that does not really wait."""
    given = {"base_url": server.url, "api_key_env": "KC_TEST_KEY", "timeout_s": 10.0, **settings}
    opened = open_model("any", given)
    assert isinstance(opened, ServiceModel)
    waits: list[float] = []
    opened.sleep = waits.append
    opened.draw = lambda: 1.0
    return opened


def waits(opened: ServiceModel) -> list[float]:
    """Return what the model would have waited."""
    return opened.sleep.__self__  # type: ignore[attr-defined, no-any-return]


def once(turn: Any, **settings: Any) -> tuple[Reply | ModelError, dict[str, Any]]:
    """Return the outcome of one turn, without retries, and the request."""
    with fake.Server([turn]) as server:
        try:
            outcome: Reply | ModelError = model(server, retries=0, **settings).reply(ASK, TOOLS)
        except ModelError as error:
            outcome = error
        assert len(server.requests) == 1
        return outcome, server.requests[0]


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


# --- good replies ----------------------------------------------------------------------------------------------------


def test_text_is_the_content_and_the_key_is_the_variable_s(stream: bool) -> None:
    with fake.Server([fake.reply("Hello there, you")]) as server:
        reply = model(server, stream=stream).reply(ASK, TOOLS)
        assert (reply.message, reply.finish) == (Message("assistant", "Hello there, you"), "stop")
        assert reply.seconds > 0
        assert reply.attempts == ()
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        assert server.requests[0]["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
        assert server.requests[0]["tools"] == TOOLS


def test_several_calls_keep_their_raw_arguments(stream: bool) -> None:
    reply, _ = once(fake.reply(None, [("a", '{"x": [1, 2'), ("b", "", "id-b")]), stream=stream)
    assert isinstance(reply, Reply)
    assert [(c.id, c.name, c.arguments) for c in reply.message.tool_calls] == [
        ("call_0", "a", '{"x": [1, 2'),
        ("id-b", "b", ""),
    ]
    assert (reply.message.content, reply.finish, reply.message.opaque) == ("", "tool_calls", {})


@pytest.mark.parametrize(
    "calls", [[("a", "{}", None)], [("a", "{}"), ("b", "{}", None)], [("a", "{}", "same"), ("b", "{}", "same")]]
)
def test_missing_and_repeated_call_ids_are_made_up_and_flagged(calls: list[Any], stream: bool) -> None:
    reply, _ = once(fake.reply("t", calls), stream=stream)
    assert isinstance(reply, Reply)
    ids = [call.id for call in reply.message.tool_calls]
    assert len(set(ids)) == len(calls)
    assert all(ids)
    assert reply.message.opaque["kc"] == {"missing_call_id": True}


def test_legacy_function_call_is_a_tool_call(stream: bool) -> None:
    turn = fake.reply(None, function_call={"name": "a", "arguments": "{}"}, finish="function_call")
    reply, _ = once(turn, stream=stream)
    assert isinstance(reply, Reply)
    assert [(c.name, c.arguments) for c in reply.message.tool_calls] == [("a", "{}")]
    assert (reply.finish, reply.message.opaque["kc"]) == ("tool_calls", {"missing_call_id": True})


def test_usage_is_by_kind(stream: bool) -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 50}, "completion_tokens_details": {"reasoning_tokens": 11}}
    reply, _ = once(fake.reply("x", usage={**fake.USAGE, **details}), stream=stream)
    assert isinstance(reply, Reply)
    usage = reply.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens) == (100, 50, 20, 11)
    assert usage.price_usd is None


def test_usage_that_is_not_stated_is_unknown(stream: bool) -> None:
    reply, _ = once(fake.reply("x", usage=None), stream=stream)
    assert isinstance(reply, Reply)
    assert set(reply.usage.as_dict().values()) == {None}


def test_price_setting_counts_cached_tokens_apart(stream: bool) -> None:
    usage = {**fake.USAGE, "prompt_tokens_details": {"cached_tokens": 50}}
    reply, _ = once(fake.reply("x", usage=usage), stream=stream, price={"input": 2.0, "cached": 1.0, "output": 10.0})
    assert isinstance(reply, Reply)
    assert reply.usage.price_usd == pytest.approx((50 * 2 + 50 * 1 + 20 * 10) / 1e6)


def test_long_answer_comes_whole(stream: bool) -> None:
    text = "".join(f"line {i}\n" for i in range(100_000))
    reply, _ = once(fake.reply(text), stream=stream)
    assert isinstance(reply, Reply)
    assert reply.message.content == text


def test_streamed_repetition_is_the_model_s_affair() -> None:
    reply, _ = once(fake.reply("nop\n" * 400, piece=4), stream=True)
    assert isinstance(reply, Reply)
    assert reply.message.content == "nop\n" * 400


def test_length_and_refusal_are_told_apart(stream: bool) -> None:
    cut, _ = once(fake.reply("half", finish="length"), stream=stream)
    refused, _ = once(REFUSAL, stream=stream)
    filtered, _ = once(
        fake.status(400, "rejected by our safety system", code="content_policy_violation"), stream=stream
    )
    assert [r.finish for r in (cut, refused, filtered) if isinstance(r, Reply)] == ["length", "refusal", "refusal"]
    assert isinstance(filtered, Reply)
    assert "safety" in filtered.message.opaque["kc"]["refusal"]


# --- what goes back --------------------------------------------------------------------------------------------------


def test_reasoning_goes_back_as_it_came(stream: bool) -> None:
    with fake.Server([fake.reply("x", [("a", "{}")], reasoning_content="because"), fake.reply("y")]) as server:
        m = model(server, stream=stream)
        first = m.reply(ASK, TOOLS)
        assert first.message.opaque == {"reasoning_content": "because"}
        m.reply([*ASK, first.message, Message("tool", "ok", tool_call_id="call_0")], TOOLS)
        sent = server.requests[1]["messages"]
        assert sent[2]["reasoning_content"] == "because"
        assert sent[3] == {"role": "tool", "content": "ok", "tool_call_id": "call_0"}


def test_reasoning_text_stays_here_when_told() -> None:
    with fake.Server([fake.reply("x")]) as server:
        said = Message("assistant", "x", opaque={"reasoning_content": "because", "kc": {"missing_call_id": True}})
        model(server, send_reasoning=False).reply([*ASK, said, Message("user", "go on")], TOOLS)
        assert server.requests[0]["messages"][2] == {"role": "assistant", "content": "x"}


def anthropic(blocks: list[dict[str, Any]]) -> Any:
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 0}
    body = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": blocks}
    return fake.junk({**body, "stop_reason": "tool_use", "usage": usage})


def test_signed_thinking_blocks_go_back_unchanged_to_anthropic() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hmm", "signature": "SIG=="},
        {"type": "redacted_thinking", "data": "RED"},
        {"type": "tool_use", "id": "toolu_1", "name": "a", "input": {"x": 1}},
    ]
    with fake.Server([anthropic(blocks), anthropic(blocks[2:])]) as server:
        m = model(server, provider="anthropic", thinking_budget=2000)
        first = m.reply(ASK, TOOLS)
        assert first.message.opaque["thinking_blocks"] == blocks[:2]
        assert (first.usage.input_tokens, first.usage.cached_tokens, first.usage.output_tokens) == (14, 4, 5)
        kept = Message.from_dict(json.loads(json.dumps(first.message.as_dict())))
        m.reply([*ASK, kept, Message("tool", "ok", tool_call_id="toolu_1")], TOOLS)
        sent = server.requests[1]["messages"]
        assert [block for block in sent[1]["content"] if "thinking" in block["type"]] == blocks[:2]
        assert server.requests[0]["thinking"] == {"type": "enabled", "budget_tokens": 2000}
        assert server.requests[0]["max_tokens"] == 18_000


def test_malformed_arguments_go_back_as_json() -> None:
    said = fake.reply(None, [("a", "{bad"), ("b", ""), ("a", "[1]")])
    with fake.Server([said, fake.reply("y")]) as server:
        m = model(server)
        first = m.reply(ASK, TOOLS).message
        m.reply([*ASK, first, *(Message("tool", "no", tool_call_id=c.id) for c in first.tool_calls)], TOOLS)
        sent = [c["function"]["arguments"] for c in server.requests[1]["messages"][2]["tool_calls"]]
    assert [json.loads(text) for text in sent] == [{"malformed_arguments": "{bad"}, {}, {"malformed_arguments": "[1]"}]


def test_without_a_named_key_none_is_sent_to_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real-key-of-a-service-000000")
    with fake.Server([fake.reply("x")]) as server:
        open_model("any", {"base_url": server.url}).reply(ASK, TOOLS)
        assert server.headers[0]["authorization"] == "Bearer none"


# --- failures --------------------------------------------------------------------------------------------------------

FAULTS = [
    ("rate_limit", fake.status(429)),
    ("rate_limit", fake.status(429, "You exceeded your current quota", code="insufficient_quota")),
    ("server", fake.status(500)),
    ("server", fake.status(503)),
    ("server", fake.status(529)),
    ("auth", fake.status(401)),
    ("auth", fake.status(403)),
    ("request", fake.status(404)),
    ("request", fake.status(400)),
    ("request", fake.status(422)),
    ("context_overflow", fake.status(400, "maximum context length is 8192", code="context_length_exceeded")),
    ("context_overflow", fake.status(413)),
    ("connection", fake.drop()),
    ("connection", fake.drop(reset=True)),
    ("connection", fake.drop(40)),
    ("connection", fake.drop(40, reset=True)),
    ("bad_response", fake.truncated(50)),
    ("bad_response", fake.empty()),
    ("bad_response", fake.junk("<html>busy</html>", "text/html")),
    ("bad_response", fake.junk("[1, 2]")),
    ("bad_response", fake.junk("")),
    ("bad_response", fake.junk({"choices": None})),
    ("bad_response", fake.junk({"choices": [{"index": 0, "finish_reason": "stop"}]})),
    ("bad_response", fake.junk(b"\xff\xfe\x00garbage")),
]


@pytest.mark.parametrize("provider", ["openai", "openrouter"])
@pytest.mark.parametrize(("kind", "turn"), FAULTS, ids=[f"{i}-{kind}" for i, (kind, _) in enumerate(FAULTS)])
def test_fault_has_its_kind(kind: str, turn: Any, provider: str, stream: bool) -> None:
    outcome, _ = once(turn, stream=stream, provider=provider)
    assert isinstance(outcome, ModelError)
    assert outcome.kind == kind
    assert outcome.message
    assert "\n" not in outcome.message


def test_error_in_an_answer_of_status_200_is_the_server_s() -> None:
    outcome, _ = once(fake.junk({"error": {"message": "upstream is down", "code": 502}}))
    assert isinstance(outcome, ModelError)
    assert (outcome.kind, "upstream is down" in outcome.message) == ("server", True)


@pytest.mark.parametrize("turn", [fake.slow(fake.reply("x"), 5), fake.reply("x" * 400, pause_s=0.05, piece=4)])
def test_slow_answer_ends_at_the_time_limit(turn: Any, stream: bool) -> None:
    outcome, _ = once(turn, stream=stream, timeout_s=0.5)
    assert isinstance(outcome, ModelError)
    assert outcome.kind == "timeout"


def test_refused_connection_is_a_connection_fault() -> None:
    with fake.Server([]) as server:
        m = model(server, retries=1)
    with pytest.raises(ModelError) as caught:
        m.reply(ASK, TOOLS)
    assert (caught.value.kind, [a.kind for a in caught.value.attempts]) == ("connection", ["connection"])


# --- retries ---------------------------------------------------------------------------------------------------------


def test_transient_faults_are_tried_again_with_growing_waits(caplog: pytest.LogCaptureFixture) -> None:
    turns = [fake.status(500), fake.drop(), fake.status(429), fake.reply("at last")]
    with fake.Server(turns) as server, caplog.at_level(logging.WARNING, "kernelcraft_core"):
        m = model(server)
        reply = m.reply(ASK, TOOLS)
    assert reply.message.content == "at last"
    assert [(a.kind, a.wait_s) for a in reply.attempts] == [("server", 1.0), ("connection", 2.0), ("rate_limit", 4.0)]
    assert waits(m) == [1.0, 2.0, 4.0]
    assert len([r for r in caplog.records if "trying again" in r.getMessage()]) == 3


def test_retries_end() -> None:
    with fake.Server([fake.status(500)], repeat=True) as server:
        with pytest.raises(ModelError) as caught:
            model(server, retries=2).reply(ASK, TOOLS)
        assert len(server.requests) == 3
    assert (caught.value.kind, len(caught.value.attempts)) == ("server", 2)


@pytest.mark.parametrize("turn", [fake.status(401), fake.status(400), fake.truncated(50), FAULTS[1][1]])
def test_lasting_faults_are_not_tried_again(turn: Any) -> None:
    with fake.Server([turn], repeat=True) as server:
        with pytest.raises(ModelError):
            model(server).reply(ASK, TOOLS)
        assert len(server.requests) == 1


def test_retry_after_is_honoured() -> None:
    with fake.Server([fake.status(429, retry_after=7), fake.status(503, retry_after=0), fake.reply("x")]) as server:
        m = model(server)
        m.reply(ASK, TOOLS)
    assert waits(m) == [7.0, 2.0]


def test_retry_after_that_is_too_long_ends_the_trying() -> None:
    with fake.Server([fake.status(429, retry_after=3600)]) as server:
        m = model(server)
        with pytest.raises(ModelError, match="asks to wait 3600 s"):
            m.reply(ASK, TOOLS)
    assert waits(m) == []


# --- secrets ---------------------------------------------------------------------------------------------------------


def echo(request: dict[str, Any]) -> Any:
    return fake.reply(f"your key is {KEY}", [("a", json.dumps({"k": KEY}))], reasoning_content=f"it is {KEY}")


@pytest.mark.parametrize(
    "turn",
    [
        echo,
        fake.status(401, f"Incorrect API key provided: {KEY}"),
        fake.status(500, f"Authorization: Bearer {KEY}"),
        fake.junk(f"<html>{KEY}</html>", "text/html"),
    ],
)
def test_key_is_in_nothing_that_is_recorded(
    turn: Any, stream: bool, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    recorded: list[Any] = []
    with fake.Server([turn], repeat=True) as server, caplog.at_level(logging.DEBUG):
        m = model(server, retries=1, stream=stream)
        recorded += [dict(m.settings), repr(m)]
        try:
            reply = m.reply(ASK, TOOLS)
            recorded += [reply.message.as_dict(), repr(reply)]
        except ModelError as error:
            recorded += [repr(error), error.message, error.attempts, repr(error.__cause__), repr(error.__context__)]
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    recorded += [caplog.text, *capfd.readouterr()]
    assert KEY not in repr(recorded)


# --- presets ---------------------------------------------------------------------------------------------------------

SENT = [
    ("claude-sonnet-4-20250514", {}, "/v1/messages", {"thinking": {"type": "enabled", "budget_tokens": 10_000}}),
    ("claude-sonnet-4-20250514", {"reasoning": "off"}, "/v1/messages", {"thinking": None}),
    ("gpt-5.2", {}, "/chat/completions", {"reasoning_effort": "medium"}),
    ("gpt-5.2", {"reasoning": "off"}, "/chat/completions", {"reasoning_effort": "none"}),
    ("deepseek-r1-0528", {}, "/chat/completions", {"reasoning": None, "model": "deepseek/deepseek-r1-0528"}),
    ("deepseek-r1-0528", {"reasoning": "high"}, "/chat/completions", {"reasoning": {"effort": "high"}}),
]


@pytest.mark.parametrize(("name", "settings", "path", "wanted"), SENT)
def test_preset_asks_its_service_for_reasoning(
    name: str, settings: dict[str, Any], path: str, wanted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    with fake.Server([anthropic([{"type": "text", "text": "x"}]) if "claude" in name else fake.reply("x")]) as server:
        opened = open_model(name, settings)
        assert isinstance(opened, ServiceModel)
        opened.arguments = {**opened.arguments, "api_base": server.url}
        reply = opened.reply(ASK, TOOLS)
        assert server.paths[0].endswith(path)
        assert {key: server.requests[0].get(key) for key in wanted} == wanted
    known = reply.usage.price_usd is not None
    assert known == (name != "deepseek-r1-0528")


GEMINI = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"functionCall": {"name": "a", "args": {"x": 1}}, "thoughtSignature": "U0lH"}],
            },
            "finishReason": "STOP",
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 10,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 7,
        "totalTokenCount": 20,
    },
}


def test_gemini_thinks_at_its_level_and_gets_its_signatures_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with fake.Server([fake.junk(GEMINI)], repeat=True) as server:
        opened = open_model("gemini-3-flash-preview")
        assert isinstance(opened, ServiceModel)
        opened.arguments = {**opened.arguments, "api_base": server.url}
        first = opened.reply(ASK, TOOLS)
        assert (first.usage.output_tokens, first.usage.reasoning_tokens) == (10, 7)
        call = first.message.tool_calls[0]
        opened.reply([*ASK, first.message, Message("tool", "ok", tool_call_id=call.id)], TOOLS)
        assert server.requests[0]["generationConfig"]["thinkingConfig"]["thinkingLevel"] == "medium"
        parts = server.requests[1]["contents"][1]["parts"]
        assert [part["thoughtSignature"] for part in parts if "thoughtSignature" in part] == ["U0lH"]


# --- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": KEY},
        {"heat": 1},
        {"temperature": 3},
        {"reasoning": "extreme"},
        {"base_url": "http://user:password@localhost/v1"},
        {"base_url": "localhost"},
        {"extra": {"headers": {"x": "y"}}},
        {"extra": {"model": "other"}},
        {"extra": {"user": KEY}},
        {"thinking_budget": 2000},
        {"price": {"input": 1}},
        {"provider": "openai"},
        {"api_key_env": KEY},
    ],
)
def test_setting_that_does_not_fit_is_refused_without_repeating_secrets(settings: dict[str, Any]) -> None:
    with pytest.raises(ModelSetupError) as caught:
        open_model("gpt-5.2", settings)
    assert caught.value.code == "KC0731"
    assert KEY not in str(caught.value)
    assert "password@" not in str(caught.value)


def test_settings_of_a_sample_are_what_changes_answers() -> None:
    opened = open_model("gpt-5.2", {"stream": True, "retries": 2, "timeout_s": 5, "temperature": 0})
    assert opened.settings == {"reasoning": "medium", "temperature": 0.0}


@pytest.fixture(scope="module", autouse=True)
def _nothing_real() -> Iterator[None]:
    """Keep a mistake in a test from calling a real service: all other hosts are refused."""
    import socket

    real = socket.getaddrinfo

    def local(host: Any, *args: Any, **more: Any) -> Any:
        if host not in ("127.0.0.1", "localhost", None):
            raise OSError(f"tests do not look up {host}")
        return real(host, *args, **more)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket, "getaddrinfo", local)
    yield
    patch.undo()
