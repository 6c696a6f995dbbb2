"""Episodes: their record, what survives when a process is killed, and who may change them."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kc_toy.tasks import loop, unrolled
from kernelcraft_core.agent.episode import BEST, EVALUATED, KERNEL, NEXT, RECORD, Episode, digest
from kernelcraft_core.agent.errors import EpisodeError
from kernelcraft_core.agent.toolbox import Toolbox
from kernelcraft_core.diagnostics import KernelCraftError
from kernelcraft_core.evaluation import DEVELOPMENT, Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks.catalogue import Catalogue

SLOW, FAST = loop(4), unrolled(4)
TAIL = "\n# a comment that makes the file longer" * 500
EXTENSION = """
schema = "kc.extension/1"
name = "Xneg"
extends = "toy"
[[instr]]
syntax = "neg rd:x, rs1:x"
encoding = "-{12} ---- rs1 rd 0111 0001"
semantics = "x[rd] = 0 - x[rs1]"
category = "alu"
unit = "alu"
doc = "Negates."
"""


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue(registry())


@pytest.fixture
def start(catalogue: Catalogue, tmp_path: Path) -> Callable[..., Episode]:
    def make(name: str = "episode", evaluator: Evaluator | None = None, **more: Any) -> Episode:
        workload = catalogue.workload("toy", "triple", "C1")
        return Episode.create(tmp_path / name, evaluator or Evaluator(catalogue), workload, **more)

    return make


def evaluate(episode: Episode, text: str) -> Any:
    tools = Toolbox(episode)
    tools.call("write_code", {"assembly_code": text})
    return tools.call("run_evaluation")


def test_new_episode_holds_nothing_and_uses_development_inputs(start: Any) -> None:
    with start() as episode:
        assert episode.record["salt"] == DEVELOPMENT
        assert (episode.kernel_text, episode.best_text, episode.final_text) == (None, None, None)
        assert (episode.evaluations, episode.best_cycles, episode.first_correct) == (0, None, None)
        assert episode.budget == 15  # of a task of level 1


def test_best_kernel_is_the_fastest_correct_one_not_the_last(start: Any) -> None:
    with start() as episode:
        for text in (loop(3), SLOW, FAST, SLOW, "halt"):
            evaluate(episode, text)
        assert [e["status"] for e in episode.history] == ["mismatch", "passed", "passed", "passed", "mismatch"]
        assert (episode.first_correct, episode.best_text, episode.kernel_text) == (2, FAST, "halt")
        assert episode.best_cycles == episode.history[2]["cycles"] < episode.history[1]["cycles"]
        assert episode.final_text == FAST


def test_equally_fast_kernel_does_not_replace_the_best(start: Any) -> None:
    with start() as episode:
        evaluate(episode, FAST)
        evaluate(episode, FAST + "\n# again")
        assert episode.best_text == FAST


def test_episode_opened_again_is_what_it_was(start: Any, catalogue: Catalogue) -> None:
    with start(settings={"documents": ["isa.md"]}) as episode:
        evaluate(episode, SLOW)
        before = dict(episode.record)
    with Episode.open(episode.folder, catalogue) as again:
        assert again.record == before
        assert (again.kernel_text, again.best_text) == (SLOW, SLOW)
        assert again.settings == {"documents": ["isa.md"]}


def test_machine_parameters_and_extension_files_come_back(start: Any, catalogue: Catalogue, tmp_path: Path) -> None:
    file = tmp_path / "neg.toml"
    file.write_text(EXTENSION)
    evaluator = Evaluator(catalogue, {"LOAD_CYCLES": "9"}, [file])
    with start(evaluator=evaluator) as episode:
        evaluate(episode, FAST)
        cycles = episode.best_cycles
    file.unlink()
    with Episode.open(episode.folder, catalogue) as again:
        assert again.evaluator.target(again.workload).extensions == ("Xneg",)
        assert Toolbox(again).call("write_code", {"assembly_code": "neg x1, x2"}).ok
        assert Toolbox(again).call("check_syntax").ok
        evaluate(again, FAST)
        assert again.history[-1]["cycles"] == cycles > 40


def test_folder_with_something_in_it_is_refused(start: Any, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(EpisodeError) as caught:
        start("full")
    assert caught.value.code == "KC0700"
    assert [p.name for p in (tmp_path / "full").iterdir()] == ["thesis.txt"]


def test_second_writer_is_refused_and_a_reader_is_not(start: Any, catalogue: Catalogue) -> None:
    with start() as episode:
        with pytest.raises(EpisodeError) as caught:
            Episode.open(episode.folder, catalogue)
        assert caught.value.code == "KC0704"
        assert Episode.open(episode.folder, catalogue, read_only=True).evaluations == 0
    Episode.open(episode.folder, catalogue).close()


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (None, "KC0701"),
        ("", "KC0702"),
        ("{", "KC0702"),
        ("[]", "KC0702"),
        ("[" * 100_000, "KC0702"),
        ("{}", "KC0702"),
        ('{"schema": "kc.episode/2"}', "KC0702"),
        ('{"schema": "kc.run/1"}', "KC0702"),
        ('{"schema": "kc.episode/1.7"}', "KC0702"),
        ("\udcff", "KC0702"),
    ],
)
def test_damaged_record_is_told_apart(start: Any, catalogue: Catalogue, damage: str | None, code: str) -> None:
    start().close()
    path = start("other").folder.parent / "episode" / RECORD
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage.encode("utf-8", "surrogateescape"))
    with pytest.raises(EpisodeError) as caught:
        Episode.open(path.parent, catalogue)
    assert caught.value.code == code


@pytest.mark.parametrize("key", ["target", "history", "best", "machine", "budget", "finished", "settings"])
def test_record_with_a_value_of_another_type_is_refused(start: Any, catalogue: Catalogue, key: str) -> None:
    with start() as episode:
        pass
    record = json.loads((episode.folder / RECORD).read_text())
    (episode.folder / RECORD).write_text(json.dumps(record | {key: 1.5}))
    with pytest.raises(EpisodeError) as caught:
        Episode.open(episode.folder, catalogue)
    assert caught.value.code == "KC0702"


@pytest.mark.parametrize("key", ["isa_digest", "suite", "machine"])
def test_target_that_changed_since_the_start_is_refused(start: Any, catalogue: Catalogue, key: str) -> None:
    with start() as episode:
        pass
    record = json.loads((episode.folder / RECORD).read_text())
    other = "0" * 64 if key == "isa_digest" else {**record[key], "name": "another"}
    (episode.folder / RECORD).write_text(json.dumps(record | {key: other}))
    with pytest.raises(KernelCraftError) as caught:
        Episode.open(episode.folder, catalogue)
    assert caught.value.code == "KC0703"


def test_folder_without_episode_gets_no_lock_file(catalogue: Catalogue, tmp_path: Path) -> None:
    with pytest.raises(EpisodeError):
        Episode.open(tmp_path, catalogue)
    assert list(tmp_path.iterdir()) == []


def test_best_kernel_that_was_named_and_not_moved_is_put_in_place(start: Any, catalogue: Catalogue) -> None:
    with start() as episode:
        evaluate(episode, SLOW)
        evaluate(episode, FAST)
    os.replace(episode.folder / BEST, episode.folder / NEXT)  # as if killed between the two
    (episode.folder / BEST).write_text(SLOW)
    assert Episode.open(episode.folder, catalogue, read_only=True).best_text == FAST
    with Episode.open(episode.folder, catalogue) as again:
        assert (again.folder / BEST).read_text() == again.best_text == FAST
        assert not (again.folder / NEXT).exists()


def test_best_kernel_that_was_written_and_not_named_is_dropped(start: Any, catalogue: Catalogue) -> None:
    with start() as episode:
        evaluate(episode, SLOW)
    (episode.folder / NEXT).write_text(FAST)
    with Episode.open(episode.folder, catalogue) as again:
        assert again.best_text == SLOW
        assert not (again.folder / NEXT).exists()


def test_best_kernel_that_somebody_changed_is_an_error_not_a_score(start: Any, catalogue: Catalogue) -> None:
    with start() as episode:
        evaluate(episode, SLOW)
    (episode.folder / BEST).write_text("halt")
    with pytest.raises(EpisodeError) as caught:
        Episode.open(episode.folder, catalogue)
    assert caught.value.code == "KC0702"


def test_evaluated_kernel_without_its_entry_is_not_shown(start: Any) -> None:
    with start() as episode:
        evaluate(episode, SLOW)
        (episode.folder / EVALUATED).write_text("halt")  # as if killed before the record was written
        assert episode.evaluated_text is None
        assert Toolbox(episode).call("view_output").error_class == "no_kernel"


def _work(folder: Path) -> None:
    """Write and evaluate kernels, ever faster ones among them, until the process is killed."""
    with Episode.open(folder, Catalogue(registry())) as episode:
        tools = Toolbox(episode)
        rounds = episode.evaluations
        while True:
            rounds += 1
            text = "nop\n" * max(0, 500 - rounds) + FAST + TAIL
            tools.call("write_code", {"assembly_code": text})
            tools.call("run_evaluation")


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_episode_killed_at_random_moments_always_opens_with_kernels_that_are_whole(
    start: Any, catalogue: Catalogue
) -> None:
    with start() as episode:
        pass
    moments = random.Random(5)
    context = multiprocessing.get_context("fork")
    evaluations, bests = 0, set()
    for _ in range(20):
        process = context.Process(target=_work, args=(episode.folder,))
        process.start()
        assert process.pid is not None
        before, deadline = (episode.folder / RECORD).stat().st_ino, time.monotonic() + 60
        while (episode.folder / RECORD).stat().st_ino == before and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.03))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        with Episode.open(episode.folder, catalogue) as again:
            assert again.evaluations >= evaluations
            evaluations = again.evaluations
            passed = [e for e in again.history if e["status"] == "passed"]
            if passed:
                best = min(passed, key=lambda e: e["cycles"])
                assert again.best_text is not None
                assert digest(again.best_text) == best["sha256"]
                bests.add(best["sha256"])
            if again.kernel_text is not None:
                assert again.kernel_text.endswith(TAIL)
    assert evaluations >= 20
    assert len(bests) > 3


def test_score_uses_other_inputs_and_ends_the_episode(start: Any, catalogue: Catalogue) -> None:
    with start() as episode:
        evaluate(episode, SLOW)
        evaluate(episode, "halt")
        score = episode.score("secret", 3)
        assert (score.status, len(score.draws), score.speedup) == ("passed", 3, 1.0)
        seeds = {draw.draw.seed for draw in score.draws}
        assert not seeds & {draw.draw.seed for draw in episode.score(DEVELOPMENT, 3, baseline=False).draws}
        assert episode.finished
        answer = Toolbox(episode).call("run_evaluation")
        assert (answer.ok, answer.error_class) == (False, "limit")
    assert Episode.open(episode.folder, catalogue, read_only=True).finished


def test_score_without_a_correct_kernel_takes_the_last_one(start: Any) -> None:
    with start() as episode:
        evaluate(episode, "halt")
        assert episode.score("secret").status == "mismatch"


@pytest.mark.parametrize("evaluated", [False, True])
def test_settled_kernel_is_the_same_and_waited_for_unless_it_is_the_best(
    start: Any, evaluated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = start()
    episode.settle()  # there is none yet
    toolbox = Toolbox(episode)
    toolbox.call("write_code", {"assembly_code": SLOW})
    if evaluated:
        assert toolbox.call("run_evaluation").ok
    waited: list[int] = []
    monkeypatch.setattr(os, "fsync", waited.append)
    episode.settle()
    assert (bool(waited), episode.kernel_text) == (not evaluated, SLOW)


def test_score_without_any_kernel_is_refused(start: Any) -> None:
    with start() as episode:
        with pytest.raises(EpisodeError) as caught:
            episode.score("secret")
        assert caught.value.code == "KC0705"
        assert not episode.finished


def test_files_of_an_episode_are_those_it_documents(start: Any) -> None:
    with start() as episode:
        evaluate(episode, FAST)
        assert {p.name for p in episode.folder.iterdir()} == {RECORD, KERNEL, EVALUATED, BEST, "lock"}
