"""The loop of an episode: what it answers to, when it ends, and what it says of itself."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kc_toy.tasks import loop, unrolled
from kernelcraft_core.agent.classify import EVENTS, FAILURES, STOPPED, after_scoring
from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.limits import Budget, LimitError, Limits
from kernelcraft_core.agent.loop import CALL_AS_TEXT, CUT, EMPTY, PASTED, REFUSED, Recovery, run_episode
from kernelcraft_core.agent.protocol import FINISHES, Attempt, Message, ModelError, Reply, ToolCall, Usage
from kernelcraft_core.agent.toolbox import Toolbox
from kernelcraft_core.agent.transcript import Transcript, TranscriptError
from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError

SLOW, FAST, WRONG = loop(4), unrolled(4), loop(3)
CHECK, RUN, LOOK = ("check_syntax", "{}"), ("run_evaluation", ""), ("view_output", "{}")
DONE = "The kernel is as good as I can make it."


def say(text: str, finish: str = "stop", **more: Any) -> Reply:
    return Reply(Message("assistant", text), finish, **more)


def calls(*given: tuple[Any, ...], text: str = "", opaque: Any = None, **more: Any) -> Reply:
    """Return a reply with calls: (name, arguments) or (name, arguments, id)."""
    made = tuple(ToolCall(c[2] if len(c) > 2 else f"id-{i}", c[0], c[1]) for i, c in enumerate(given))
    return Reply(Message("assistant", text, made, opaque=opaque or {}), more.pop("finish", "tool_calls"), **more)


def write(code: str) -> tuple[str, str]:
    return ("write_code", json.dumps({"assembly_code": code}))


def submit(code: str, **more: Any) -> Reply:
    return calls(write(code), RUN, **more)


def used(given: int | None, made: int | None, price: float | None = None) -> Usage:
    return Usage(given, None, made, None, price)


# --- a whole episode --------------------------------------------------------------------------------------------------


def test_best_kernel_is_kept_when_later_ones_are_slower_or_wrong(stage: Any, actor: Any) -> None:
    model = actor(submit(WRONG), submit(SLOW), submit(FAST), submit(SLOW), submit("halt"), say(DONE))
    played = stage.play(model)
    outcome = played.outcome
    assert (played.best, played.kernel) == (FAST, "halt")
    assert (outcome.stopped, outcome.failure, outcome.iterations, outcome.evaluations) == ("finished", None, 6, 5)
    assert (outcome.first_correct, outcome.best_iteration) == (2, 3)
    assert outcome.tool_calls == {"write_code": 5, "run_evaluation": 5}
    assert outcome.events["parallel_calls"] == 5


def test_second_phase_is_announced_once_with_what_is_left(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(WRONG), submit(SLOW), submit(FAST), say(DONE)), Limits(evaluations=9))
    assert len(played.texts("phase")) == 1
    text = played.texts("phase")[0]
    assert "13 turns, 7 evaluations" in text
    assert "35 cycles" in text
    kinds = [e["kind"] for e in played.events]
    place = next(i for i, e in enumerate(played.events) if e.get("why") == "phase")
    assert kinds[place - 1] == "tool_result"
    assert played.events[place - 1]["evaluation"]["status"] == "passed"


def test_secret_inputs_are_not_part_of_the_loop(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(SLOW), say(DONE)))
    record = json.loads((played.folder / "episode.json").read_text())
    assert record["finished"] is False
    assert record["salt"] == "development"


def test_conversation_begins_with_the_prompt_and_keeps_what_was_said(stage: Any, actor: Any) -> None:
    blocks = {"thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "x"}]}
    model = actor(calls(CHECK, opaque=blocks), submit(SLOW), say(DONE))
    stage.play(model)
    assert model.seen[0] == stage.prompt.messages()
    assert model.seen[2][2].opaque == blocks
    assert [m.role for m in model.seen[2]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "tool",
        "user",
    ]


def test_answers_follow_the_calls_in_order_with_their_ids(stage: Any, actor: Any) -> None:
    model = actor(calls(CHECK, write("halt"), CHECK), say(DONE))
    played = stage.play(model)
    assert [r["message"]["tool_call_id"] for r in played.results()] == ["id-0", "id-1", "id-2"]
    assert [r["error_class"] for r in played.results()] == ["no_kernel", None, None]
    assert [m.tool_call_id for m in model.seen[1] if m.role == "tool"] == ["id-0", "id-1", "id-2"]


# --- recoveries -------------------------------------------------------------------------------------------------------

BAD_ARGUMENTS = [
    ("write_code", '{"assembly_code": "halt', "malformed_arguments"),
    ("write_code", "halt", "malformed_arguments"),
    ("write_code", "[1]", "malformed_arguments"),
    ("write_code", "{}", "invalid_arguments"),
    ("write_code", '{"code": "halt"}', "invalid_arguments"),
    ("run_evaluation", '{"x": 1}', "invalid_arguments"),
    ("run_code", "{}", "unknown_tool"),
    ("", "", "unknown_tool"),
    ("check_syntax", "{}", "no_kernel"),
]


@pytest.mark.parametrize(("tool", "arguments", "event"), BAD_ARGUMENTS)
def test_bad_call_is_answered_and_counted_and_the_episode_goes_on(
    stage: Any, actor: Any, tool: str, arguments: str, event: str
) -> None:
    played = stage.play(actor(calls((tool, arguments)), submit(SLOW), say(DONE)))
    assert played.outcome.events[event] == 1
    assert played.results()[0]["message"]["content"].startswith("error: ")
    assert (played.outcome.failure, played.best) == (None, SLOW)


@pytest.mark.parametrize(
    ("turn", "event", "reminder"),
    [
        (say(""), "empty_turn", EMPTY),
        (say(" \n"), "empty_turn", EMPTY),
        (say(f"Here it is:\n```asm\n{SLOW}\n```\nI hope it helps."), "pasted_code", PASTED),
        (say(f"```\n{FAST}\n```"), "pasted_code", PASTED),
        (say(f"~~~\n{FAST}"), "pasted_code", PASTED),
        (say(f"The program is\n\n{FAST}\n\nand that is all."), "pasted_code", PASTED),
        (say(json.dumps({"name": "write_code", "arguments": {"assembly_code": SLOW}})), "call_as_text", CALL_AS_TEXT),
        (say("<tool_call>\nwrite_code\n</tool_call>"), "call_as_text", CALL_AS_TEXT),
        (say("I will now check it.\n\ncheck_syntax()"), "call_as_text", CALL_AS_TEXT),
        (say("I think, and think, and th", "length"), "cut_reply", CUT),
        (say("", "length"), "cut_reply", CUT),
        (say("I cannot help with that.", "refusal"), "refusal", REFUSED),
        (say("", "refusal"), "refusal", REFUSED),
    ],
)
def test_turn_without_calls_is_answered_counted_and_recovered_from(
    stage: Any, actor: Any, turn: Reply, event: str, reminder: str
) -> None:
    model = actor(turn, submit(SLOW), say(DONE))
    played = stage.play(model)
    assert played.outcome.events[event] == 1
    assert played.texts("reminder") == [reminder]
    assert model.seen[1][-1] == Message("user", reminder)
    assert (played.outcome.stopped, played.outcome.failure) == ("finished", None)
    assert "premature_stop" not in played.outcome.events


def test_pasted_code_is_never_written(stage: Any, actor: Any) -> None:
    played = stage.play(actor(say(f"```asm\n{SLOW}\n```")), Limits(iterations=4))
    assert (played.kernel, played.outcome.failure, played.outcome.stopped) == (None, "tool_use", "iterations")
    assert played.outcome.events["pasted_code"] == 4


def test_showing_the_kernel_that_is_right_ends_the_episode(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(SLOW), say(f"Done. The final kernel:\n```asm\n{SLOW}\n```")))
    assert (played.outcome.stopped, "pasted_code" in played.outcome.events) == ("finished", False)


def test_showing_another_kernel_than_the_written_one_does_not_end_it(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(SLOW), say(f"Better:\n```asm\n{FAST}\n```"), submit(FAST), say(DONE)))
    assert (played.outcome.events["pasted_code"], played.best) == (1, FAST)


def test_premature_stop_is_reminded_a_limited_number_of_times(stage: Any, actor: Any) -> None:
    played = stage.play(
        actor(calls(write(SLOW)), say("I have written the kernel.")), recovery=Recovery(premature_stops=3)
    )
    outcome = played.outcome
    assert (outcome.stopped, outcome.iterations, outcome.events["premature_stop"]) == ("finished", 5, 4)
    assert outcome.failure == "tool_use"  # it stopped after the first write
    assert all("No kernel was evaluated yet" in text for text in played.texts("reminder"))


def test_premature_stop_is_not_one_when_no_turn_is_left(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(WRONG), say("That is all.")), Limits(iterations=2))
    assert (played.outcome.stopped, played.outcome.failure) == ("finished", "functional")
    assert "premature_stop" not in played.outcome.events


def test_empty_turns_end_the_episode_when_there_are_too_many_in_a_row(stage: Any, actor: Any) -> None:
    played = stage.play(actor(say(""), calls(CHECK), say(""), say(""), say("")))
    assert (played.outcome.stopped, played.outcome.iterations) == ("finished", 5)
    assert (played.outcome.failure, played.outcome.events["empty_turn"]) == ("no_kernel", 4)


def test_repeated_refusal_ends_the_episode_as_one(stage: Any, actor: Any) -> None:
    played = stage.play(actor(say("No.", "refusal")))
    assert (played.outcome.stopped, played.outcome.failure) == ("refusal", "no_kernel")
    assert (played.outcome.events, played.outcome.counts) == ({"refusal": 2, "unknown_usage": 2}, True)


def test_refusal_with_calls_is_carried_out(stage: Any, actor: Any) -> None:
    played = stage.play(actor(evolve(submit(SLOW), finish="refusal"), say(DONE)))
    assert (played.outcome.failure, played.outcome.events["refusal"]) == (None, 1)


@pytest.mark.parametrize("ids", [("", ""), ("same", "same"), ("", "x")])
def test_missing_or_equal_ids_are_replaced_so_that_answers_can_be_told_apart(
    stage: Any, actor: Any, ids: tuple[str, str]
) -> None:
    model = actor(calls((*write(SLOW), ids[0]), (*RUN, ids[1])), say(DONE))
    played = stage.play(model)
    turn = model.seen[1]
    asked = [c.id for m in turn for c in m.tool_calls]
    answered = [m.tool_call_id for m in turn if m.role == "tool"]
    assert asked == answered
    assert len(set(asked)) == 2
    assert all(asked)
    assert (played.outcome.events["missing_call_id"], played.outcome.failure) == (1, None)


def test_id_that_the_provider_made_up_is_counted(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(SLOW, opaque={"kc": {"missing_call_id": True}}), say(DONE)))
    assert played.outcome.events["missing_call_id"] == 1


def test_cut_reply_with_half_a_call_is_answered(stage: Any, actor: Any) -> None:
    cut = calls(("write_code", '{"assembly_code": "lui x1, '), finish="length")
    played = stage.play(actor(cut, submit(SLOW), say(DONE)))
    assert played.outcome.events["cut_reply"] == played.outcome.events["malformed_arguments"] == 1
    assert "not complete" in played.results()[0]["message"]["content"]


def test_calls_beyond_the_limit_of_a_turn_are_answered_and_not_carried_out(stage: Any, actor: Any) -> None:
    played = stage.play(actor(calls(*[write("halt"), *[CHECK] * 9]), say(DONE)), recovery=Recovery(calls_per_turn=4))
    assert [r["error_class"] for r in played.results()] == [None] * 4 + ["too_many_calls"] * 6
    assert played.outcome.events["too_many_calls"] == 6


# --- errors of models -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rate_limit", "server", "timeout", "connection", "auth", "request"])
def test_error_of_a_service_ends_an_episode_that_does_not_count(stage: Any, actor: Any, kind: str) -> None:
    error = ModelError(kind, "it is down", [Attempt(kind, "it is down", 0.0)] * 3)
    played = stage.play(actor(submit(SLOW), error))
    outcome = played.outcome
    assert (outcome.stopped, outcome.failure, outcome.counts) == ("model_error", "provider", False)
    assert (outcome.error, outcome.events["retries"]) == ({"kind": kind, "message": "it is down"}, 3)
    assert (outcome.events["model_error"], played.best) == (1, SLOW)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("oh"), "internal"),
        (lambda _: None, "internal"),
        (KernelCraftError(Diagnostic("KC0735", "no such kernel")), "setup"),
    ],
)
def test_exception_of_a_model_ends_the_episode_not_the_run(stage: Any, actor: Any, error: Any, kind: str) -> None:
    outcome = stage.play(actor(error)).outcome
    assert (outcome.stopped, outcome.failure, outcome.error["kind"]) == ("model_error", "provider", kind)


def test_retries_of_good_replies_are_counted(stage: Any, actor: Any) -> None:
    outcome = stage.play(actor(submit(SLOW, attempts=(Attempt("server", "500", 0.0),) * 2), say(DONE))).outcome
    assert (outcome.events["retries"], outcome.failure) == (2, None)


def test_reply_that_cannot_be_understood_is_asked_for_again(stage: Any, actor: Any) -> None:
    bad = ModelError("bad_response", "no choices")
    outcome = stage.play(actor(bad, bad, submit(SLOW), bad, say(DONE))).outcome
    assert (outcome.failure, outcome.events["bad_response"], outcome.error) == (None, 3, None)
    outcome = stage.play(actor(bad)).outcome
    assert (outcome.failure, outcome.events["bad_response"], outcome.iterations) == ("provider", 3, 0)


def test_context_overflow_shortens_the_conversation_and_goes_on(stage: Any, actor: Any) -> None:
    def narrow(messages: Sequence[Message]) -> Any:
        size = sum(len(m.content) + sum(len(c.arguments) for c in m.tool_calls) for m in messages[2:])
        return ModelError("context_overflow", "too long") if size > 1500 else say(DONE)

    turns = [calls(("grep_docs", '{"query": "memory"}'))] * 6 + [submit(SLOW)]
    model = actor(*turns, narrow)
    played = stage.play(model)
    assert (played.outcome.stopped, played.outcome.failure) == ("finished", None)
    assert played.outcome.events["context_overflow"] == played.outcome.events["shortened"] >= 2
    last = model.seen[-1]
    assert last[:2] == stage.prompt.messages()
    assert [c.id for m in last for c in m.tool_calls] == [m.tool_call_id for m in last if m.role == "tool"]


def test_context_that_cannot_be_shortened_is_the_models_failure(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(WRONG), ModelError("context_overflow", "too long")))
    outcome = played.outcome
    assert (outcome.stopped, outcome.failure, outcome.counts) == ("model_error", "functional", True)
    assert outcome.error == {"kind": "context_overflow", "message": "too long"}


def test_end_of_the_process_leaves_a_transcript_that_says_so(stage: Any, actor: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        stage.play(actor(submit(SLOW), KeyboardInterrupt()))
    lines = [json.loads(line) for line in (stage.folder / "transcript-1.jsonl").read_text().splitlines()]
    assert lines[-1]["outcome"]["stopped"] == "interrupted"
    assert lines[-1]["outcome"]["evaluations"] == 1


def test_transcript_that_cannot_be_written_is_an_error_of_its_own(stage: Any, actor: Any, tmp_path: Path) -> None:
    with Episode.create(tmp_path / "full", stage.evaluator, stage.workload) as episode:
        transcript = Transcript(tmp_path / "full.jsonl", lasting=False)
        transcript.close()  # what is written now fails, as on a full disk
        with pytest.raises(TranscriptError) as caught:
            run_episode(episode, Toolbox(episode), actor(say(DONE)), stage.prompt, Limits(), transcript)
    assert caught.value.diagnostics[0].code == "KC0756"


# --- limits -----------------------------------------------------------------------------------------------------------


def test_budget_of_iterations_is_the_episodes_unless_a_limit_says_otherwise(stage: Any, actor: Any) -> None:
    played = stage.play(actor(calls(CHECK)))
    assert (played.outcome.iterations, played.outcome.stopped, played.outcome.failure) == (
        15,
        "iterations",
        "no_kernel",
    )
    assert played.events[0]["limits"]["iterations"] == 15
    assert stage.play(actor(calls(CHECK)), Limits(iterations=3)).outcome.iterations == 3


@pytest.mark.parametrize("iterations", [0, 1])
def test_hardly_any_iterations(stage: Any, actor: Any, iterations: int) -> None:
    outcome = stage.play(actor(submit(SLOW)), Limits(iterations=iterations)).outcome
    assert (outcome.iterations, outcome.stopped) == (iterations, "iterations")
    assert outcome.first_correct == (1 if iterations else None)


@pytest.mark.parametrize(
    ("limits", "usage", "stopped", "iterations"),
    [
        (Limits(tokens=250), used(90, 10), "tokens", 3),
        (Limits(output_tokens=20), used(90, 10), "output_tokens", 2),
        (Limits(price=0.3), used(90, 10, 0.1), "price", 3),
        (Limits(price=0.3), used(90, 10, None), "price", 1),
        (Limits(price=0.3, unknown_price=True), used(90, 10, None), "iterations", 15),
        (Limits(tokens=1), used(None, None), "tokens", 1),
    ],
)
def test_limit_on_tokens_or_price_is_looked_at_before_each_call(
    stage: Any, actor: Any, limits: Limits, usage: Usage, stopped: str, iterations: int
) -> None:
    outcome = stage.play(actor(calls(CHECK, usage=usage)), limits).outcome
    assert (outcome.stopped, outcome.iterations, outcome.run_limit) == (stopped, iterations, False)


def test_limit_on_evaluations_holds_within_a_turn(stage: Any, actor: Any) -> None:
    played = stage.play(actor(calls(write(WRONG), RUN, RUN, RUN)), Limits(evaluations=2))
    assert (played.outcome.stopped, played.outcome.evaluations) == ("evaluations", 2)
    assert played.results()[-1]["error_class"] == "limit"


def test_limit_on_evaluations_among_the_episodes_settings_ends_it(stage: Any, actor: Any) -> None:
    outcome = stage.play(actor(submit(WRONG)), settings={"max_evaluations": 2}).outcome
    assert (outcome.stopped, outcome.evaluations, outcome.iterations) == ("evaluations", 2, 2)


def test_wall_time_ends_an_episode_and_the_calls_of_a_turn(stage: Any, actor: Any) -> None:
    now = [0.0]

    def late(_: Any) -> Reply:
        now[0] += 6
        return calls(CHECK, CHECK)

    played = stage.play(actor(late), Limits(wall_time=10), clock=lambda: now[0])
    assert (played.outcome.stopped, played.outcome.iterations) == ("wall_time", 2)
    assert [r["error_class"] for r in played.results()] == ["no_kernel", "no_kernel", "limit", "limit"]
    assert played.outcome.seconds["model"] == 12


def test_limit_of_a_run_ends_episodes_that_then_do_not_count(stage: Any, actor: Any) -> None:
    budget = Budget(Limits(iterations=5, evaluations=100))
    first = stage.play(actor(submit(SLOW), submit(SLOW), submit(SLOW), say(DONE)), run_budget=budget).outcome
    second = stage.play(actor(submit(SLOW)), run_budget=budget).outcome
    assert (first.stopped, first.counts) == ("finished", True)
    assert (second.stopped, second.iterations, second.run_limit, second.counts) == ("iterations", 1, True, False)
    assert (budget.spent.iterations, budget.spent.evaluations) == (5, 4)


def test_price_limit_is_refused_at_the_start_when_the_model_has_no_price(stage: Any, actor: Any) -> None:
    model = actor(say(DONE))
    unpriced = type("Unpriced", (), {"price_known": False, "name": "m", "settings": {}, "reply": model.reply})()
    for more in ({"limits": Limits(price=1.0)}, {"run_budget": Budget(Limits(price=1.0))}):
        with pytest.raises(LimitError) as caught:
            stage.play(unpriced, **more)
        assert caught.value.diagnostics[0].code == "KC0751"
    stage.play(unpriced, Limits(price=1.0, unknown_price=True, iterations=0))


@pytest.mark.parametrize(
    "entry",
    [
        {"iterations": -1},
        {"tokens": 1.5},
        {"price": "1"},
        {"price": float("nan")},
        {"wall_time": True},
        {"turns": 3},
        {"unknown_price": 1},
    ],
)
def test_limits_that_make_no_sense_are_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(LimitError) as caught:
        Limits.of(entry)
    assert caught.value.diagnostics[0].code == "KC0750"


def test_limits_survive_their_plain_form() -> None:
    limits = Limits(iterations=3, price=0.5, unknown_price=True)
    assert Limits.of(limits.as_dict()) == limits


def test_budget_shared_by_threads_loses_no_charge() -> None:
    budget = Budget(Limits(tokens=10**9))
    work = [
        threading.Thread(target=lambda: [budget.charge(used(1, 2, 0.5), iterations=1) for _ in range(500)])
        for _ in "abcd"
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    spent = budget.spent
    assert (spent.iterations, spent.tokens, spent.output_tokens, spent.price) == (2000, 6000, 4000, 1000.0)
    assert budget.left("tokens") == 10**9 - 6000
    assert budget.left("price") is None


# --- a person between turns -------------------------------------------------------------------------------------------


def test_person_answers_turns_without_calls_and_ends_the_episode(stage: Any, actor: Any) -> None:
    answers = iter(["Use a loop.", "", None])
    heard: list[str] = []

    def person(message: Message, episode: Any) -> str | None:
        heard.append(message.content)
        return next(answers)

    played = stage.play(actor(say("How?"), submit(SLOW), say("Right?"), say("So?")), conversation=person)
    assert heard == ["How?", "Right?", "So?"]
    assert played.texts("person") == ["Use a loop.", "Go on."]
    assert played.texts("reminder") == []
    assert (played.outcome.stopped, played.outcome.iterations) == ("finished", 4)


def test_person_is_not_asked_when_no_turn_is_left(stage: Any, actor: Any) -> None:
    played = stage.play(actor(say("How?")), Limits(iterations=1), conversation=lambda *_: pytest.fail("asked"))
    assert played.outcome.stopped == "iterations"


# --- classes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "failure"),
    [
        ([submit(SLOW), submit(WRONG)], None),
        ([submit("oops")], "syntax"),
        ([calls(write("oops"), CHECK)], "syntax"),
        ([submit("oops"), submit(WRONG)], "functional"),
        ([submit(WRONG), submit("oops")], "syntax"),
        ([submit(WRONG), calls(write("halt"), CHECK)], "functional"),
        ([calls(write("halt"), CHECK)], "tool_use"),
        ([calls(write("halt"))], "tool_use"),
        ([calls(("no_tool", ""))], "tool_use"),
        ([calls(("write_code", "{"))], "tool_use"),
        ([calls(CHECK, LOOK)], "no_kernel"),
        ([calls(("grep_docs", '{"query": "add"}'))], "no_kernel"),
    ],
)
def test_failure_class_follows_from_what_was_found_out_last(
    stage: Any, actor: Any, turns: list[Reply], failure: str | None
) -> None:
    played = stage.play(actor(*turns, say("That is it.")), recovery=Recovery(premature_stops=0))
    assert played.outcome.failure == failure
    assert failure is None or failure in FAILURES
    assert played.outcome.stopped in STOPPED
    assert set(played.outcome.events) <= set(EVENTS)


def test_sums_with_an_unknown_part_are_unknown(stage: Any, actor: Any) -> None:
    first, second = Usage(100, 10, 20, None, 0.5), Usage(200, 0, 30, 5, None)
    usage = stage.play(actor(submit(SLOW, usage=first), say(DONE, usage=second))).outcome.usage
    assert usage == Usage(300, 10, 50, None, None)


@pytest.mark.parametrize(
    ("failure", "status", "then"),
    [
        (None, "passed", None),
        (None, "mismatch", "functional"),
        (None, "trap", "functional"),
        (None, "limit", "functional"),
        (None, "harness_error", None),
        ("tool_use", "passed", None),  # written, never evaluated, and right
        ("tool_use", "mismatch", "tool_use"),
        ("no_kernel", "syntax_error", "no_kernel"),
        ("provider", "harness_error", "provider"),
    ],
)
def test_scoring_on_secret_inputs_may_find_another_failure(failure: str | None, status: str, then: str | None) -> None:
    assert after_scoring(failure, status) == then


# --- whatever a model does --------------------------------------------------------------------------------------------

TEXTS = st.one_of(st.text(max_size=30), st.sampled_from([SLOW, f"```\n{FAST}\n```", "check_syntax()", DONE, ""]))
TOOLS_CALLED = st.one_of(
    st.sampled_from([CHECK, RUN, LOOK, write(SLOW), write(FAST), write(WRONG), write("oops"), ("write_code", "{")]),
    st.tuples(st.text(max_size=8), st.text(max_size=20)),
)
IDS = st.sampled_from(["", "a", "b", "c"])
REPLIES = st.builds(
    lambda text, given, finish, usage: calls(*given, text=text, finish=finish, usage=usage),
    TEXTS,
    st.lists(st.tuples(TOOLS_CALLED, IDS).map(lambda pair: (*pair[0], pair[1])), max_size=4),
    st.sampled_from(FINISHES),
    st.sampled_from([Usage(), used(10, 5), used(None, 5, 0.1)]),
)
ERRORS = st.sampled_from(["context_overflow", "bad_response", "server"]).map(lambda kind: ModelError(kind, "no"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    turns=st.lists(st.one_of(REPLIES, REPLIES, REPLIES, ERRORS), min_size=1, max_size=8),
    tokens=st.sampled_from([None, 60]),
)
def test_any_behaviour_of_a_model_ends_within_its_limits(
    stage: Any, actor: Any, turns: list[Any], tokens: int | None
) -> None:
    model = actor(*turns)
    outcome = stage.play(model, Limits(iterations=10, tokens=tokens)).outcome  # which compares it with the transcript
    assert outcome.iterations <= 10
    assert outcome.stopped in STOPPED
    assert outcome.failure in (None, *FAILURES)
    assert set(outcome.events) <= set(EVENTS)
    assert (outcome.failure is None) <= (outcome.first_correct is not None)
    for messages in model.seen:
        assert [c.id for m in messages for c in m.tool_calls] == [m.tool_call_id for m in messages if m.role == "tool"]
        assert messages[-1].role in ("user", "tool")
        assert all(c.id for m in messages for c in m.tool_calls)
