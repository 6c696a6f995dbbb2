"""Transcripts: what a killed process leaves, and how a run goes on from there."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kc_toy.tasks import loop
from kernelcraft_core.agent.classify import outcome_of
from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.limits import Budget, Limits
from kernelcraft_core.agent.models import ModelContext, open_model
from kernelcraft_core.agent.protocol import Message, Reply, ToolCall, Usage
from kernelcraft_core.agent.resume import begin_anew, charge_earlier, completed
from kernelcraft_core.agent.transcript import SCHEMA, Transcript, TranscriptError, aborted, read, set_aside

KERNEL = loop(4)


def submit(text: str = KERNEL) -> Reply:
    calls = (ToolCall("a", "write_code", json.dumps({"assembly_code": text})), ToolCall("b", "run_evaluation"))
    return Reply(Message("assistant", "", calls), "tool_calls", Usage(50, None, 5, None, 0.25))


def done() -> Reply:
    return Reply(Message("assistant", "Done."), usage=Usage(60, None, 2, None, 0.25))


def code_of(error: pytest.ExceptionInfo[TranscriptError]) -> str:
    return error.value.diagnostics[0].code


# --- writing and reading ----------------------------------------------------------------------------------------------


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    seen: list[Any] = []
    with Transcript(tmp_path / "deep" / "t.jsonl", watch=seen.append) as transcript:
        made = [
            transcript.write("start", model="m"),
            transcript.write("note", event="x", value=float("nan"), pair=(1, 2)),
        ]
    assert list(read(transcript.path)) == made == seen
    assert (made[0]["schema"], made[1]["value"], made[1]["pair"]) == (SCHEMA, "NaN", [1, 2])


@given(st.text(st.characters(codec=None)))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    with Transcript(path, lasting=False) as transcript:
        transcript.write("start")
        transcript.write("message", message={"role": "user", "content": text})
    assert list(read(path))[1]["message"]["content"] == text
    assert len(path.read_bytes().splitlines()) >= 2


def test_existing_transcript_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("precious")
    with pytest.raises(TranscriptError) as caught:
        Transcript(path)
    assert code_of(caught) == "KC0755"
    assert path.read_text() == "precious"


def _brief(data: Any) -> Any:
    """Return data with every text cut short, so that a transcript of it has few bytes."""
    if isinstance(data, str):
        return data[:12]
    if isinstance(data, dict):
        return {key: _brief(value) for key, value in data.items()}
    return [_brief(value) for value in data] if isinstance(data, list) else data


def test_transcript_torn_at_every_byte_has_all_whole_lines_before(stage: Any, actor: Any, tmp_path: Path) -> None:
    played = stage.play(actor(submit("halt"), done(), submit(), done()))
    with Transcript(tmp_path / "whole.jsonl", lasting=False) as transcript:
        for event in played.events[:1] + played.events[3:]:
            entry = {
                key: value if key in ("event", "tool", "error_class") else _brief(value) for key, value in event.items()
            }
            del entry["at"]
            entry.pop("prompt", None)
            transcript.write(entry.pop("kind"), **entry)
    data, torn = transcript.path.read_bytes(), tmp_path / "torn.jsonl"
    events, ends = list(read(transcript.path)), [i for i, byte in enumerate(data) if byte == 10]
    assert outcome_of(events) == played.outcome
    for size in range(len(data)):
        torn.write_bytes(data[:size])
        whole = sum(end < size for end in ends)
        found = list(read(torn))
        assert found == events[:whole]
        assert outcome_of(found).stopped == "interrupted"
        assert not outcome_of(found).counts


@pytest.mark.parametrize(
    "data",
    [
        b"not JSON\n",
        b"[1]\n",
        b'{"kind": 3}\n',
        b'{"kind": "start"}\n',
        b'{"kind": "start", "schema": "kc.transcript/2"}\n',
        b'{"kind": "start", "schema": "kc.transcript/1"}\nbroken\n{"kind": "note"}\n',
        b"\xff\xfe\n",
    ],
)
def test_what_is_no_transcript_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.jsonl").write_bytes(data)
    with pytest.raises(TranscriptError) as caught:
        list(read(tmp_path / "t.jsonl"))
    assert code_of(caught) == "KC0757"


def test_missing_transcript_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError) as caught:
        list(read(tmp_path / "t.jsonl"))
    assert code_of(caught) == "KC0757"


def test_newer_minor_version_with_unknown_events_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"kind": "start", "schema": "kc.transcript/1.9"}\n{"kind": "dream"}\n')
    entries = list(read(tmp_path / "t.jsonl"))
    assert [e["kind"] for e in entries] == ["start", "dream"]
    assert outcome_of(entries).iterations == 0


def test_replay_plays_the_transcript_again(stage: Any, actor: Any) -> None:
    first = stage.play(actor(submit("halt"), submit(), done()))
    again = stage.play(open_model(f"replay:{first.path}"))
    timeless = {**first.outcome.as_dict(), "seconds": None}
    assert {**again.outcome.as_dict(), "seconds": None} == timeless
    assert not any("kc" in e["message"].get("opaque", {}) for e in again.events if e["kind"] == "reply")


# --- going on ---------------------------------------------------------------------------------------------------------


def test_transcripts_that_are_set_aside_get_numbers_and_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "abc.jsonl"
    assert set_aside(path) is None
    for text in ("one", "two"):
        path.write_text(text)
        set_aside(path)
    assert [p.read_text() for p in aborted(path)] == ["one", "two"]
    assert [p.name for p in aborted(path)] == ["abc.aborted-1.jsonl", "abc.aborted-2.jsonl"]
    assert not path.exists()


def test_complete_episode_needs_no_model_again(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(), done()))
    with Episode.open(played.folder, stage.catalogue) as episode:
        assert completed(played.path, episode) == played.outcome
        assert completed(played.path.with_name("missing.jsonl"), episode) is None
    data = played.path.read_bytes()
    played.path.write_bytes(data[:-1])
    with Episode.open(played.folder, stage.catalogue) as episode:
        assert completed(played.path, episode) is None


def test_transcript_that_does_not_belong_to_the_folder_is_not_taken(stage: Any, actor: Any) -> None:
    one, other = stage.play(actor(submit(), done())), stage.play(actor(submit("halt"), submit(), done()))
    with Episode.open(one.folder, stage.catalogue) as episode:
        assert completed(other.path, episode) is None


def test_episode_that_does_not_count_begins_anew(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit(), RuntimeError("down")))
    with Episode.open(played.folder, stage.catalogue) as episode:
        assert completed(played.path, episode) is None
    begin_anew(played.path, played.folder)
    assert not played.path.exists()
    assert not played.folder.exists()
    assert (played.folder.with_name(played.folder.name + ".aborted-1") / "episode.json").exists()
    begin_anew(played.path, played.folder)  # nothing there, nothing to do


def test_what_was_spent_before_counts_towards_the_limits_of_the_run(stage: Any, actor: Any) -> None:
    played = stage.play(actor(submit("halt"), submit(), RuntimeError("down")))
    begin_anew(played.path, played.folder)
    budget = Budget(Limits())
    charge_earlier(budget, aborted(played.path))
    spent = budget.spent
    assert (spent.iterations, spent.evaluations, spent.tokens, spent.price) == (2, 2, 110, 0.5)


class _Silent:
    """A model that does not say what its replies take."""

    name, settings = "silent", {}  # type: ignore[var-annotated]

    def reply(self, messages: Any, tools: Any) -> Reply:
        return Reply(Message("assistant", "Done. " * 20))


def test_estimated_tokens_count_again_when_a_run_goes_on(stage: Any) -> None:
    spent = []
    shared = Budget(Limits(tokens=10**9))
    played = stage.play(_Silent(), run_budget=shared)
    for budget in (shared, Budget(Limits())):
        if budget is not shared:
            assert charge_earlier(budget, [played.path]) == []
        spent.append((budget.spent.iterations, budget.spent.tokens, budget.spent.output_tokens, budget.spent.unpriced))
    assert spent[0] == spent[1]
    assert spent[0][1] > spent[0][2] > 0


@pytest.mark.parametrize(
    "line",
    [
        b"not JSON",
        b"[]",
        b'{"kind": "reply"}',
        b'{"kind": "reply", "usage": {"input_tokens": "many", "price_usd": [], "output_tokens": -1}}',
        b'{"kind": "tool_result", "evaluation": 5}',
        b'{"kind": "reply", "usage": 7, "estimated": "x"}',
    ],
)
def test_damaged_line_spoils_its_own_episode_only(stage: Any, actor: Any, line: bytes) -> None:
    played = stage.play(actor(submit(), done()))
    whole = Budget(Limits())
    charge_earlier(whole, [played.path])
    lines = played.path.read_bytes().splitlines(keepends=True)
    played.path.write_bytes(b"".join([*lines[:-1], line + b"\n", lines[-1]]))
    budget = Budget(Limits())
    found = charge_earlier(budget, [played.path])
    assert [d.code for d in found] == (["KC0839"] if not line.startswith(b"{") else [])
    assert (budget.spent.tokens, budget.spent.price) == (whole.spent.tokens, whole.spent.price)
    with Episode.open(played.folder, stage.catalogue) as episode:
        with pytest.raises(TranscriptError) as caught:
            completed(played.path, episode)
        assert code_of(caught) == "KC0757"


def test_transcript_that_cannot_be_read_is_a_warning_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").mkdir()
    newer = tmp_path / "b.jsonl"
    newer.write_text('{"kind": "start", "schema": "kc.transcript/99"}\n')
    found = charge_earlier(Budget(Limits()), [tmp_path / "a.jsonl", newer])
    assert [(d.code, d.severity) for d in found] == [("KC0836", "warning"), ("KC0802", "warning")]


def _play_until_killed(stage: Any, name: str) -> None:
    """Play the demo in a loop of replies that each take a moment; for a process of its own."""
    kernels = stage.catalogue.kernels(stage.workload)
    model = open_model("scripted:demo", context=ModelContext("toy", "triple", "C1", lambda: kernels))
    stage.folder = stage.folder / name
    stage.folder.mkdir()
    stage.play(model)


@pytest.mark.parametrize("moment", range(10))
def test_episode_killed_at_any_moment_begins_anew_with_the_same_outcome(stage: Any, moment: int) -> None:
    process = multiprocessing.get_context("fork").Process(target=_play_until_killed, args=(stage, "run"))
    process.start()
    time.sleep(0.02 + 0.02 * moment)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    folder, path = stage.folder / "run" / "episode-1", stage.folder / "run" / "transcript-1.jsonl"
    if path.exists():
        events = list(read(path))
        assert all(isinstance(e, dict) for e in events)
        whole = bool(events) and events[-1]["kind"] == "end"
        assert whole or outcome_of(events).stopped == "interrupted"
    begin_anew(path, folder)
    stage.folder = stage.folder / "run"
    stage.folder.mkdir(exist_ok=True)
    kernels = stage.catalogue.kernels(stage.workload)
    outcome = stage.play(
        open_model("scripted:demo", context=ModelContext("toy", "triple", "C1", lambda: kernels))
    ).outcome
    assert (outcome.stopped, outcome.iterations, outcome.evaluations, outcome.best_cycles) == ("finished", 9, 3, 22)
