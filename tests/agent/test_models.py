"""Models that need no service: scripts, transcripts, the baseline, people, plug-ins; and what settings and texts may hold."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core import plugins
from kernelcraft_core.agent.models import KINDS, ModelContext, ModelSetupError, open_model
from kernelcraft_core.agent.models.convert import BadReply, from_wire, to_wire
from kernelcraft_core.agent.models.faults import Fault, retry_after
from kernelcraft_core.agent.models.human import HumanModel
from kernelcraft_core.agent.models.replay import ReplayModel
from kernelcraft_core.agent.models.scripted import ScriptedModel
from kernelcraft_core.agent.models.secrets import is_secret_name, scrub, secrets
from kernelcraft_core.agent.models.service import Retry
from kernelcraft_core.agent.models.stream import Assembly
from kernelcraft_core.agent.protocol import FINISHES, Message, Model, ModelError, Reply, ToolCall
from kernelcraft_core.tasks import Kernel
from kernelcraft_core.tasks.catalogue import Catalogue

TOOLS = [
    {"type": "function", "function": {"name": n, "description": f"{n}.", "parameters": {}}} for n in ("one", "two")
]
ONLY = ModelContext("toy", "triple", "C1", lambda: [Kernel("compiler", lambda: "; c\n\nfirst 1\nsecond\n")])


def play(model: Model, turns: int) -> list[Reply]:
    said: list[Message] = []
    replies = []
    for _ in range(turns):
        replies.append(model.reply(said, TOOLS))
        said.append(replies[-1].message)
    return replies


@pytest.fixture
def toy() -> ModelContext:
    catalogue = Catalogue(plugins.registry())
    workload = catalogue.workload("toy", "triple", "C1")
    return ModelContext("toy", "triple", "C1", lambda: catalogue.kernels(workload))


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    def write(body: str, name: str = "s.toml", head: str = 'schema = "kc.script/1"\n') -> str:
        path = tmp_path / name
        path.write_text(head + body, encoding="utf-8")
        return f"scripted:{path}"

    return write


# --- opening ---------------------------------------------------------------------------------------------------------


def test_opening_and_importing_loads_no_model_library() -> None:
    code = (
        "import sys; from kernelcraft_core.agent.models import open_model\n"
        "from kernelcraft_core.agent.models.service import ServiceModel\n"
        "assert isinstance(open_model('gpt-5.2'), ServiceModel)\n"
        "print([n for n in ('litellm', 'openai', 'httpx', 'pydantic') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "KC0730"),
        (" gpt", "KC0730"),
        ("a\nb", "KC0730"),
        ("scripted", "KC0730"),
        ("scripted:", "KC0730"),
        ("scripted:dmeo", "KC0730"),
        ("scripted:none.toml", "KC0732"),
        ("replay:none.jsonl", "KC0732"),
        ("baseline:x", "KC0730"),
        ("human:x", "KC0730"),
    ],
)
def test_name_that_is_no_model_is_refused(name: str, code: str) -> None:
    with pytest.raises(ModelSetupError) as caught:
        open_model(name)
    assert caught.value.code == code


@pytest.mark.parametrize("name", ["logger_fn", "api_base", "messages"])
def test_extra_argument_that_is_ours_is_refused(name: str) -> None:
    with pytest.raises(ModelSetupError, match=f"must not hold '{name}'"):
        open_model("gpt-5.2", {"extra": {name: "x"}})


@pytest.mark.parametrize("name", ["scripted:demo", "baseline", "human"])
def test_setting_of_a_model_without_settings_is_refused(name: str) -> None:
    with pytest.raises(ModelSetupError, match="KC0731"):
        open_model(name, {"temperature": 1})


PLUGIN = """
from kernelcraft_core import hookimpl
from kernelcraft_core.agent.protocol import Message, Reply
KC_API = 1
class Echo:
    def __init__(self, name, settings, context):
        self.name, self.settings = name, dict(settings)
    def reply(self, messages, tools):
        return Reply(Message("assistant", self.name + messages[-1].content))
@hookimpl
def kc_models():
    return {NAMES}
"""


def registry(tmp_path: Path, *answers: str) -> plugins.PluginRegistry:
    files = []
    for number, answer in enumerate(answers):
        files.append(tmp_path / f"p{number}.py")
        files[-1].write_text(PLUGIN.replace("{NAMES}", answer))
    return plugins.load(files, [])


def test_model_of_a_plugin_is_opened_by_its_name_and_a_rest(tmp_path: Path) -> None:
    found = registry(tmp_path, '{"echo": Echo}', "None")
    for name in ("echo", "echo:x"):
        model = open_model(name, {"a": 1}, plugins=found)
        assert (model.name, model.settings) == (name, {"a": 1})
        assert model.reply([Message("user", "!")], []).message.content == f"{name}!"


@pytest.mark.parametrize(
    "answers",
    [
        ('{"echo": Echo}', '{"echo": Echo}'),
        ('{"human": Echo}',),
        ('{"a:b": Echo}',),
        ('{"a": 1}',),
        ('["echo"]',),
    ],
)
def test_offers_that_clash_or_are_no_models_are_refused(tmp_path: Path, answers: tuple[str, ...]) -> None:
    with pytest.raises(ModelSetupError, match="KC0734"):
        open_model("echo", plugins=registry(tmp_path, *answers))
    for kind in ("baseline", "human"):  # the core's own need no plug-in
        assert kind in KINDS
        open_model(kind, plugins=registry(tmp_path, *answers))


# --- scripts ---------------------------------------------------------------------------------------------------------


def test_demo_goes_from_wrong_to_right_to_fast_on_any_workload_with_kernels(toy: ModelContext) -> None:
    replies = play(open_model("scripted:demo", context=toy), 20)
    written = [
        json.loads(call.arguments)["assembly_code"]
        for reply in replies
        for call in reply.message.tool_calls
        if call.name == "write_code"
    ]
    assert "load everything" in written[0]
    assert written[1].strip() == "lui x1, 1"
    assert written[2:] == [toy.kernel("compiler"), toy.kernel("expert")]
    assert replies[-1].finish == "stop"


def test_demo_leaves_out_the_expert_where_there_is_none() -> None:
    replies = play(open_model("scripted:demo", context=ONLY), 12)
    written = [c.arguments for r in replies for c in r.message.tool_calls if c.name == "write_code"]
    assert [json.loads(text)["assembly_code"] for text in written[1:]] == ["first 1\n", "; c\n\nfirst 1\nsecond\n"]


def test_baseline_submits_the_kernel_and_stops(toy: ModelContext) -> None:
    replies = play(open_model("baseline", context=toy), 5)
    assert [[c.name for c in r.message.tool_calls] for r in replies] == [
        ["write_code"],
        ["check_syntax"],
        ["run_evaluation"],
        [],
        [],
    ]
    assert json.loads(replies[0].message.tool_calls[0].arguments) == {"assembly_code": toy.kernel("baseline")}


def test_kernel_that_is_missing_is_reported() -> None:
    with pytest.raises(ModelSetupError, match="KC0735"):
        play(open_model("baseline"), 1)
    with pytest.raises(ModelSetupError, match="KC0735"):
        play(open_model("baseline", context=ModelContext("toy", "triple", "C1", list)), 1)


FULL = """
[[turn]]
text = "{{task}} on {{target}} {{ config }}"
delay_s = 0.5
usage = { input_tokens = 9, output_tokens = 3, price_usd = 0.5 }
opaque = { reasoning_content = "r" }
attempts = [{ kind = "server", message = "busy", wait_s = 2.0 }]
[[turn.call]]
tool = "one"
arguments = { code = "{{kernel:baseline}}", more = ["{{kernel:compiler.head(1)}}", 1, true] }
[[turn.call]]
tool = "two"
id = ""
arguments = '{"code": "{{kernel:baseline}}'
[[turn]]
error = { kind = "auth", message = "no" }
[[turn]]
finish = "length"
"""


def test_script_turn_has_everything_a_reply_can_have(script: Callable[..., str]) -> None:
    model = open_model(script(FULL), context=ONLY)
    assert isinstance(model, ScriptedModel)
    slept: list[float] = []
    model.sleep = slept.append
    reply = model.reply([], TOOLS)
    kernel = "; c\n\nfirst 1\nsecond\n"
    one, two = reply.message.tool_calls
    assert reply.message.content == "triple on toy C1"
    assert json.loads(one.arguments) == {"code": kernel, "more": ["first 1", 1, True]}
    assert (two.id, two.arguments) == ("", '{"code": "' + json.dumps(kernel)[1:-1])
    assert (reply.usage.input_tokens, reply.usage.price_usd, reply.finish) == (9, 0.5, "tool_calls")
    assert (slept, reply.seconds, reply.attempts[0].message) == ([0.5], 0.5, "busy")
    with pytest.raises(ModelError) as caught:
        model.reply([reply.message], TOOLS)
    assert (caught.value.kind, caught.value.message) == ("auth", "no")
    assert model.reply([reply.message], TOOLS).finish == "length"


def test_script_in_json_is_the_same_script(script: Callable[..., str]) -> None:
    text = json.dumps({"schema": "kc.script/1", "turn": [{"text": "a", "call": [{"tool": "one"}]}]})
    reply = play(open_model(script(text, "s.json", head="")), 1)[0]
    assert reply.message == Message("assistant", "a", (ToolCall("call-1-1", "one", ""),))


@pytest.mark.parametrize(("then", "last"), [("stop", "That was the last turn of the script."), ("repeat", "b")])
def test_script_s_end_is_as_it_says(then: str, last: str, script: Callable[..., str]) -> None:
    body = f'then = "{then}"\n[[turn]]\ntext = "a"\n[[turn]]\ntext = "b"\n'
    assert [r.message.content for r in play(open_model(script(body)), 4)] == ["a", "b", last, last]


def test_script_whose_end_is_an_error_raises_it(script: Callable[..., str]) -> None:
    model = open_model(script('then = "error"\n[[turn]]\ntext = "a"\n'))
    play(model, 1)
    with pytest.raises(ModelError, match="1 turns"):
        model.reply([], [])


def test_resumed_conversation_goes_on_behind_its_replies(script: Callable[..., str]) -> None:
    body = '[[turn]]\ntext = "a"\n[[turn]]\nerror = { kind = "server" }\n[[turn]]\ntext = "b"\n[[turn]]\ntext = "c"\n'
    name = script(body)
    said = [Message("user", "u"), Message("assistant", "a"), Message("user", "v"), Message("assistant", "b")]
    assert open_model(name).reply(said, []).message.content == "c"


def test_script_s_settings_are_its_digest(script: Callable[..., str]) -> None:
    first = open_model(script('[[turn]]\ntext = "a"\n')).settings
    assert first == open_model(script('[[turn]]\ntext = "a"\n', "other.toml")).settings
    assert first != open_model(script('[[turn]]\ntext = "b"\n')).settings


@pytest.mark.parametrize(
    "body",
    [
        "",
        "turn = 1",
        "[[turn]]\nfoo = 1",
        "[[turn]]\ntext = 1",
        '[[turn]]\ntext = "{{kernel:best}}"',
        '[[turn]]\ntext = "{{path}}"',
        "[[turn]]\n[[turn.call]]\narguments = {}",
        '[[turn]]\n[[turn.call]]\ntool = "a"\narguments = 1',
        '[[turn]]\nerror = { kind = "bad luck" }',
        '[[turn]]\nfinish = "end"',
        "[[turn]]\ndelay_s = -1",
        "[[turn]]\nusage = { input_tokens = -1 }",
        '[[turn]]\nrequires = "expert"',
        'then = "again"\n[[turn]]',
        "[[turn]\n",
        '[[turn]]\nopaque = { when = "x" }\nattempts = [{ kind = "server", wait_s = "x" }]',
    ],
)
def test_script_that_is_wrong_is_refused(body: str, script: Callable[..., str]) -> None:
    with pytest.raises(ModelSetupError) as caught:
        open_model(script(body))
    assert caught.value.code == "KC0732"


def test_script_of_another_schema_is_refused(script: Callable[..., str]) -> None:
    with pytest.raises(ModelSetupError, match=r"kc\.script/1"):
        open_model(script("[[turn]]\n", head='schema = "kc.script/2"\n'))


# --- replay ----------------------------------------------------------------------------------------------------------

CALL = Message("assistant", "", (ToolCall("c1", "one", "{}"),), opaque={"thinking_blocks": [{"signature": "s"}]})
TALK = [Message("system", "s"), Message("user", "u"), CALL, Message("tool", "42", tool_call_id="c1")]


def transcript(path: Path, tail: str = "") -> str:
    usage = {"input_tokens": 5, "output_tokens": 2, "price_usd": None}
    events: list[dict[str, Any]] = [{"kind": "start", "schema": "kc.transcript/1"}]
    events += [{"kind": "message", "message": m.as_dict()} for m in TALK[:2]]
    events += [{"kind": "reply", "message": CALL.as_dict(), "finish": "tool_calls", "usage": usage, "seconds": 1.5}]
    events += [{"kind": "tool_result", "message": TALK[3].as_dict()}, {"kind": "note", "text": "x"}]
    events += [{"kind": "reply", "message": Message("assistant", "done").as_dict(), "finish": "stop"}]
    path.write_text("".join(json.dumps(e) + "\n" for e in events) + tail, encoding="utf-8")
    return f"replay:{path}"


def test_replay_gives_the_same_replies(tmp_path: Path) -> None:
    model = open_model(transcript(tmp_path / "t.jsonl", tail='{"kind": "cut'))
    assert isinstance(model, ReplayModel)
    first, second = model.reply(TALK[:2], TOOLS), model.reply(TALK, TOOLS)
    assert (first.message, first.finish, first.usage.input_tokens, first.seconds) == (CALL, "tool_calls", 5, 1.5)
    assert (second.message.content, model.divergences) == ("done", {})
    with pytest.raises(ModelError, match="2 replies"):
        model.reply([*TALK, Message("assistant", "done")], TOOLS)


def test_replay_reports_where_the_conversation_differs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name = transcript(tmp_path / "t.jsonl")
    other = [*TALK[:3], Message("tool", "43", tool_call_id="c1")]
    reply = open_model(name).reply(other, TOOLS)
    assert reply.message.opaque["kc"]["divergence"] == {"message": 3, "recorded": "tool: 42", "now": "tool: 43"}
    assert "from message 3 on" in caplog.text
    with pytest.raises(ModelError, match="from message 3 on"):
        open_model(name, {"divergence": "stop"}).reply(other, TOOLS)


@pytest.mark.parametrize("text", ["", "{}\n", "no\n{}\n", "[1]\n", '{"kind": "reply", "message": {"role": "user"}}\n'])
def test_file_that_is_no_transcript_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(ModelSetupError, match="KC0732"):
        open_model(f"replay:{path}")


# --- a person --------------------------------------------------------------------------------------------------------


def test_person_calls_tools_and_says_text(tmp_path: Path) -> None:
    code = tmp_path / "k.asm"
    code.write_text("halt\n")
    typed = f'one {{"a":\n 1}}\ntwo\none code < {code}\nI think so.\n\nall done\n'
    shown = io.StringIO()
    model = HumanModel(stdin=io.StringIO(typed), stdout=shown)
    reply = model.reply([Message("user", "please")], TOOLS)
    assert [(c.name, c.arguments) for c in reply.message.tool_calls] == [
        ("one", '{"a":\n 1}'),
        ("two", ""),
        ("one", '{"code": "halt\\n"}'),
    ]
    assert (reply.message.content, reply.finish) == ("I think so.", "tool_calls")
    assert "--- user\nplease" in shown.getvalue()
    assert "one(): one." in shown.getvalue()
    second = model.reply([Message("user", "please"), reply.message, Message("tool", "42")], TOOLS)
    assert (second.message.content, second.finish) == ("all done", "stop")
    assert shown.getvalue().count("please") == 1
    with pytest.raises(ModelError) as caught:
        model.reply([], TOOLS)
    assert caught.value.kind == "connection"


def test_file_that_a_person_names_wrongly_is_asked_for_again() -> None:
    shown = io.StringIO()
    reply = HumanModel(stdin=io.StringIO("one code < /none/such\ntwo\n\n"), stdout=shown).reply([], TOOLS)
    assert [c.name for c in reply.message.tool_calls] == ["two"]
    assert "cannot be read" in shown.getvalue()


# --- conversion ------------------------------------------------------------------------------------------------------


def test_content_of_parts_is_their_text() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, "b", {"text": None}]
    assert from_wire({"role": "assistant", "content": parts}, "stop") == (Message("assistant", "ab"), "stop")


@pytest.mark.parametrize(
    "message",
    [None, [], {"role": "user", "content": "x"}, {"content": 1}, {"tool_calls": "x"}, {"tool_calls": [{"id": "x"}]}],
)
def test_what_is_no_reply_is_refused(message: Any) -> None:
    with pytest.raises(BadReply):
        from_wire(message, "stop")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_names = st.sampled_from(["role", "content", "tool_calls", "function_call", "refusal", "thinking_blocks"])


@given(st.dictionaries(_names, _json), _json, st.lists(st.booleans(), max_size=3))
def test_any_data_is_a_message_or_refused(message: Any, finish: Any, missing: list[bool]) -> None:
    try:
        found, end = from_wire(message, finish, missing)
    except BadReply:
        return
    assert end in FINISHES
    assert Message.from_dict(json.loads(json.dumps(found.as_dict()))) == found
    assert len({call.id for call in found.tool_calls}) == len(found.tool_calls)


@pytest.mark.parametrize("text", ["", " \n"])
def test_empty_turn_of_the_assistant_goes_back_with_words_and_beside_calls_without(text: str) -> None:
    alone, beside = to_wire(
        [Message("assistant", text, opaque={"thinking_blocks": [1]}), Message("assistant", text, (ToolCall("i", "n"),))]
    )
    assert (alone["content"], alone["thinking_blocks"], beside["content"]) == ("(no answer)", [1], None)


@pytest.mark.parametrize(
    ("name", "settings", "known"),
    [
        ("local", {"base_url": "http://localhost:1/v1"}, False),
        ("local", {"base_url": "http://localhost:1/v1", "price": {"input": 1, "output": 2}}, True),
        ("openai/nobody-has-this", {}, False),
        ("openrouter/nobody/has-this", {}, None),
        ("gpt-listed", {}, True),
    ],
)
def test_price_is_known_where_it_is_set_or_listed(
    name: str, settings: dict[str, Any], known: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Listed:
        @staticmethod
        def cost_per_token(model: str, prompt_tokens: int, completion_tokens: int) -> tuple[float, float]:
            return {"gpt-listed": (0.1, 0.2)}[model]

    monkeypatch.setattr("kernelcraft_core.agent.models.service.load", Listed)
    assert getattr(open_model(name, settings), "price_known", "unsaid") is known


@given(st.text(max_size=40))
def test_arguments_always_go_back_as_an_object(arguments: str) -> None:
    wire = to_wire([Message("assistant", "", (ToolCall("i", "n", arguments),))])
    assert isinstance(json.loads(wire[0]["tool_calls"][0]["function"]["arguments"]), dict)


def test_streamed_thinking_is_put_together_up_to_its_signature() -> None:
    assembly = Assembly()
    for block in (
        {"type": "thinking", "thinking": "a"},
        {"type": "thinking", "thinking": "b", "signature": None},
        {"type": "thinking", "thinking": "", "signature": "S"},
        {"type": "thinking", "thinking": "c"},
        {"type": "redacted_thinking", "data": "D"},
    ):
        assembly.feed({"choices": [{"delta": {"thinking_blocks": [block]}}]})
    assert assembly.message()["thinking_blocks"] == [
        {"type": "thinking", "thinking": "ab", "signature": "S"},
        {"type": "thinking", "thinking": "c"},
        {"type": "redacted_thinking", "data": "D"},
    ]


def test_streamed_calls_that_all_say_index_0_are_told_apart_by_their_ids() -> None:
    assembly = Assembly()
    for identifier in ("x", "y"):
        call = {"index": 0, "id": identifier, "function": {"name": identifier, "arguments": "{}"}}
        assembly.feed({"choices": [{"delta": {"tool_calls": [call]}}]})
    assert [(c["id"], c["function"]) for c in assembly.message()["tool_calls"]] == [
        ("x", {"name": "x", "arguments": "{}"}),
        ("y", {"name": "y", "arguments": "{}"}),
    ]


# --- waiting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after-ms": "inf"}, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=10.0) == seconds


@given(st.integers(1, 200), st.floats(0, 1))
def test_waits_are_bounded(tried: int, draw: float) -> None:
    wait = Retry(count=200, first_s=1.0, longest_s=120.0).wait(tried, Fault("server", ""), lambda: draw)
    assert wait is not None
    assert min(0.5 * 2.0 ** (tried - 1), 60.0) <= wait <= 120.0


# --- secrets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("key hunter2-and-more here", "key [MY_API_KEY] here"),
        ("Authorization: Bearer abcdefgh12345", "Authorization: [removed]"),
        ("sk-ant-api03-aaaaaaaaaaaaaaaaaaaa failed", "[removed] failed"),
        ("http://me:secret@host/v1", "http://[removed]@host/v1"),
        ("max_tokens: 3 is short", "max_tokens: 3 is short"),
    ],
)
def test_scrub_removes_secrets(text: str, clean: str) -> None:
    assert scrub(text, secrets({"MY_API_KEY": "hunter2-and-more", "SHORT_KEY": "short", "HOME": "max_tokens"})) == clean


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("HF_TOKEN", True),
        ("api_key", True),
        ("DB_PASSWORD", True),
        ("max_output_tokens", False),
        ("KEYBOARD", False),
        ("HOME", False),
    ],
)
def test_names_of_secrets_are_known(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret
