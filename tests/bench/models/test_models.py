"""`kc bench --model` on the toy target: what samples hold, limits, errors of services, going on, executors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from kernelcraft_core.agent.limits import Limits
from kernelcraft_core.agent.protocol import Usage
from kernelcraft_core.agent.spending import FILE, RunBudget, begin
from kernelcraft_core.agent.transcript import read
from kernelcraft_core.cli.bench_models import spent_text
from kernelcraft_core.results import RunFolder

Kc = Callable[..., Result]
HEAD = 'schema = "kc.script/1"\n'
WRITE = '[[turn.call]]\ntool = "write_code"\narguments = { assembly_code = "{{kernel:baseline}}" }\n'
RUN = '[[turn.call]]\ntool = "run_evaluation"\n'
USAGE = "usage = { input_tokens = 1000, output_tokens = 50, price_usd = 0.25 }\n"
SOLVES = f'{HEAD}[[turn]]\n{USAGE}{WRITE}[[turn]]\n{USAGE}{RUN}[[turn]]\n{USAGE}text = "Done."\n'
REFUSED = f'{HEAD}[[turn]]\nerror = {{ kind = "auth", message = "no such key" }}\n'


def samples_of(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.stdout)["samples"]
    return found


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(entry) for key, entry in value.items() if key not in ("seconds", "version")}
    return [timeless(entry) for entry in value] if isinstance(value, list) else value


def scores(path: Path) -> list[Any]:
    return sorted((timeless(s) for s in RunFolder.open(path).latest().values()), key=lambda s: s["id"])


def codes(result: Result) -> list[str]:
    return [finding["code"] for finding in json.loads(result.stdout)["diagnostics"]]


# --- samples ---------------------------------------------------------------------------------------------------------


def test_demo_solves_the_toy_in_several_iterations_and_its_best_kernel_is_scored(bench: Kc, tmp_path: Path) -> None:
    path = tmp_path / "run"
    (sample,) = samples_of(bench("--model", "scripted:demo", "--config", "C1", "--out", str(path), "--json"))
    assert (sample["status"], sample["cycles"], sample["baseline_cycles"], sample["repeat"]) == ("passed", 22, 35, 0)
    assert sample["subject"] == {"kind": "model", "model": "scripted:demo", "settings": {}}
    agent = sample["agent"]
    assert (agent["stopped"], agent["failure"], agent["evaluations"]) == ("finished", None, 3)
    assert 1 < agent["first_correct"] < agent["best_iteration"] <= agent["iterations"]
    assert agent["transcript"] == f"transcripts/{sample['id']}.jsonl"
    events = list(read(path / agent["transcript"]))
    assert events[-1]["outcome"]["iterations"] == agent["iterations"]
    assert (path / sample["kernel"]["path"]).read_bytes() == (path / f"episodes/{sample['id']}/best.asm").read_bytes()
    record = RunFolder.open(path).record
    assert record["model"] == [sample["subject"]]
    assert record["settings"]["salt"].encode() not in (path / agent["transcript"]).read_bytes()


def test_models_prompts_and_repeats_are_cells_of_their_own_whose_kernels_can_be_scored_again(
    bench: Kc, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    found = samples_of(
        bench("--model", "scripted:demo", "--model", "baseline", "--repeats", "2", "--out", str(path), "--json")
    )
    assert [(s["subject"]["model"], s["config"], s["repeat"]) for s in found] == [
        (model, config, repeat)
        for model in ("scripted:demo", "baseline")
        for config in ("C1", "C2")
        for repeat in (0, 1)
    ]
    assert len({s["id"] for s in found}) == len({s["kernel"]["path"] for s in found}) == 8
    again = samples_of(bench("--kernels", str(path / "kernels" / "baseline" / "r1"), "--json"))
    assert [(s["config"], s["status"]) for s in again] == [("C1", "passed"), ("C2", "passed")]


def test_settings_of_model_prompt_and_limits_are_part_of_the_id(bench: Kc) -> None:
    common = ("--model", "baseline", "--config", "C1", "--json")
    variants = [(), ("--template",), ("--docs", "none"), ("--max-iterations", "9"), ("--max-evaluations", "2")]
    found = [samples_of(bench(*common, *variant))[0] for variant in variants]
    assert len({s["id"] for s in found}) == len(variants)
    assert [s["subject"]["settings"] for s in found] == [
        {},
        {"template": True},
        {"documents": []},
        {"limits": {"iterations": 9}},
        {"limits": {"evaluations": 2}},
    ]


def test_report_of_a_run_of_models_is_a_table_of_success(bench: Kc) -> None:
    text = bench("--model", "scripted:demo", "--published").stdout
    assert "toy: solved / attempted" in text
    assert "2/2" in text


# --- one process, several, elsewhere -----------------------------------------------------------------------------------


@pytest.fixture
def whole(bench: Kc, tmp_path: Path) -> list[Any]:
    bench("--model", "scripted:demo", "--seed", "s", "--repeats", "2", "--out", str(tmp_path / "whole"))
    return scores(tmp_path / "whole")


@pytest.mark.parametrize("more", [("--jobs", "2"), ("--executor", "dask", "--jobs", "2")], ids=["processes", "dask"])
def test_several_workers_give_what_one_process_gives(kc: Kc, tmp_path: Path, whole: list[Any], more: Any) -> None:
    if "dask" in more:
        pytest.importorskip("distributed")
    path = tmp_path / "run"
    kc("bench", "--model", "scripted:demo", "--seed", "s", "--repeats", "2", "--out", str(path), *more)
    assert scores(path) == whole


def test_dask_cluster_at_an_address_gives_what_one_process_gives(kc: Kc, tmp_path: Path, whole: list[Any]) -> None:
    distributed = pytest.importorskip("distributed")
    kernels = ("bench", "--kind", "all", "--seed", "s", "--json")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        address = ("--executor", f"dask:{cluster.scheduler_address}")
        path = tmp_path / "run"
        kc("bench", "--model", "scripted:demo", "--seed", "s", "--repeats", "2", "--out", str(path), *address)
        there = samples_of(kc(*kernels, *address))
    assert scores(path) == whole
    assert timeless(there) == timeless(samples_of(kc(*kernels, "--jobs", "1")))


def test_executor_of_a_plugin_is_used(kc: Kc, plugin: Any) -> None:
    common = ("bench", "--kind", "all", "--seed", "s", "--task", "triple", "--json")
    there = samples_of(kc(*plugin, *common, "--executor", "threads"))
    assert timeless(there) == timeless(samples_of(kc(*plugin, *common, "--jobs", "1")))


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("tredas", "KC0626", "did you mean threads"),
        ("local:here", "KC0626", "no executor"),
        ("broken:there", "KC0626", "nobody listens at there"),
        ("odd", "KC0627", "not a Place"),
    ],
)
def test_executor_that_cannot_be_used_is_an_error(kc: Kc, plugin: Any, name: str, code: str, words: str) -> None:
    result = kc(*plugin, "bench", "--executor", name, exit_code=3)
    assert code in result.stderr
    assert words in result.stderr


def test_dask_that_is_not_installed_is_said_with_the_way_to_get_it(kc: Kc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = kc("bench", "--executor", "dask", exit_code=3)
    assert "KC0626" in result.stderr
    assert "kernelcraft-core[dask]" in result.stderr


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "stopped", "iterations"),
    [
        (("--max-iterations", "1"), "iterations", 1),
        (("--max-tokens", "1500"), "tokens", 2),
        (("--max-output-tokens", "50"), "output_tokens", 1),
        (("--max-price", "0.3"), "price", 2),
        (("--max-seconds", "0"), "wall_time", 0),
        (("--max-evaluations", "1"), "evaluations", 2),
    ],
)
def test_limit_of_an_episode_ends_it_and_its_kernel_counts(
    bench: Kc, script: Any, limit: tuple[str, str], stopped: str, iterations: int
) -> None:
    result = bench("--model", script(SOLVES), "--config", "C1", "--json", *limit, exit_code=int(iterations == 0))
    (sample,) = samples_of(result)
    assert (sample["agent"]["stopped"], sample["agent"]["iterations"]) == (stopped, iterations)
    assert sample["status"] == ("passed" if iterations else "syntax_error")


def test_limit_of_a_run_begins_no_further_episode_and_a_higher_one_goes_on(
    bench: Kc, script: Any, tmp_path: Path
) -> None:
    model, path = script(SOLVES), tmp_path / "run"
    common = ("--model", model, "--repeats", "2", "--seed", "s")
    bench(*common, "--out", str(tmp_path / "whole"))
    first = bench(*common, "--run-max-price", "1.6", "--out", str(path), "--json", exit_code=1)
    assert len(samples_of(first)) == 2
    assert codes(first) == ["KC0776"]
    assert "of price" in first.stdout
    cut = sorted(file.name for file in (path / "transcripts").iterdir())
    assert len(cut) == 3  # the third was under way: it does not count, and is kept
    stays = bench("--resume", str(path), "--json", exit_code=1)
    assert len(samples_of(stays)) == 2
    bench("--resume", str(path), "--run-max-price", "100")
    assert scores(path) == scores(tmp_path / "whole")
    assert len([f for f in (path / "transcripts").iterdir() if ".aborted-1." in f.name]) == 1
    assert RunBudget(path, Limits()).spent.iterations == 4 * 3 + 1


@pytest.mark.parametrize(
    ("option", "amount", "words"),
    [
        ("--run-max-iterations", "3", "iterations"),
        ("--run-max-evaluations", "1", "evaluations"),
        ("--run-max-tokens", "1000", "tokens"),
        ("--run-max-output-tokens", "50", "output tokens"),
        ("--run-max-price", "0.5", "price"),
        ("--run-max-seconds", "0", "wall time"),
    ],
)
def test_each_limit_of_a_run_can_be_given_and_is_named_when_it_is_reached(
    bench: Kc, script: Any, option: str, amount: str, words: str
) -> None:
    result = bench("--model", script(SOLVES), option, amount, "--json", exit_code=1)
    (found,) = json.loads(result.stdout)["diagnostics"]
    assert (found["code"], f"its limit of {words}:" in found["message"]) == ("KC0776", True)


def test_limit_on_a_price_that_nobody_knows_is_refused_before_anything_is_asked(bench: Kc, tmp_path: Path) -> None:
    place = ("--model", "local", "--model-set", "base_url=http://127.0.0.1:9/v1", "--config", "C1")
    for option in ("--max-price", "--run-max-price"):
        result = bench(*place, option, "5", "--out", str(tmp_path / "run"), "--json", exit_code=2)
        assert codes(result) == ["KC0751"]
    assert not (tmp_path / "run").exists()


def test_missing_library_is_said_before_any_episode_begins(
    bench: Kc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    result = bench("--model", "gpt-5.2", "--config", "C1", "--out", str(tmp_path / "run"), "--json", exit_code=3)
    assert (codes(result), "kernelcraft-core[agent]" in result.stdout) == (["KC0733"], True)
    assert not (tmp_path / "run" / "transcripts").exists()
    bench("--model", "gpt-5.2", "--config", "C1", "--dry-run")
    bench("--model", "scripted:demo", "--config", "C1")


def test_budget_of_a_run_is_shared_and_made_anew_from_transcripts(bench: Kc, script: Any, tmp_path: Path) -> None:
    path = tmp_path / "run"
    bench("--model", script(SOLVES), "--config", "C1", "--out", str(path))
    (path / FILE).unlink()
    begin(path)
    one, two = RunBudget(path, Limits(tokens=4000)), RunBudget(path, Limits(tokens=4000))
    assert (one.spent.tokens, one.spent.price, one.spent.evaluations) == (3150, 0.75, 1)
    two.charge(Usage(800, 0, 49, 0, None), iterations=1)
    assert (one.spent.tokens, one.spent.unpriced, one.reached()) == (3999, 1, None)
    one.charge(Usage(1, 0, 0, 0, 0.0))
    assert (two.reached(), two.left("tokens")) == ("tokens", 0)
    with (path / FILE).open("a") as stream:
        stream.write('{"tokens": 7')  # a line that is not whole yet
    assert two.spent.tokens == 4000
    begin(path)
    assert two.spent.tokens == 3150


def test_what_is_spent_is_shown_beside_the_limits(tmp_path: Path) -> None:
    begin(tmp_path)
    budget = RunBudget(tmp_path, Limits(tokens=9000, price=2.5, wall_time=60))
    budget.charge(Usage(1000, 0, 234, 0, 0.5))
    assert spent_text(budget) == "1,234 of 9,000 tokens, 0.50 of 2.50 USD, 0 of 60 s"
    budget.charge(Usage(1, 0, 0, 0, None))
    assert "0.50 of 2.50 USD and an unknown part" in spent_text(budget)
    all_of_them = Limits(iterations=9, evaluations=8, output_tokens=7000)
    ends = "0 of 9 replies, 0 of 8 evaluations, 234 of 7,000 tokens written"
    assert spent_text(RunBudget(tmp_path, all_of_them)).endswith(ends)
    assert spent_text(RunBudget(tmp_path, Limits())) == "1,235 tokens, 0.50 USD and an unknown part"


def test_unknown_price_ends_a_run_with_a_price_limit_unless_it_is_allowed(bench: Kc) -> None:
    common = ("--model", "scripted:demo", "--config", "C1", "--run-max-price", "5", "--json")
    stopped = bench(*common, exit_code=1)
    assert (samples_of(stopped), codes(stopped)) == ([], ["KC0776"])
    assert [s["status"] for s in samples_of(bench(*common, "--allow-unknown-price"))] == ["passed"]


# --- services that fail ----------------------------------------------------------------------------------------------


def test_refused_key_holds_back_the_model_only_and_is_tried_again_later(bench: Kc, script: Any, tmp_path: Path) -> None:
    bad, good, path = script(REFUSED, "bad"), script(SOLVES, "good"), tmp_path / "run"
    result = bench("--model", bad, "--model", good, "--out", str(path), "--json", exit_code=1)
    found = samples_of(result)
    assert [(s["subject"]["model"], s["status"]) for s in found] == [
        (bad, "harness_error"),
        (good, "passed"),
        (good, "passed"),
    ]
    assert (found[0]["agent"]["failure"], found[0]["diagnostics"][0]["code"]) == ("provider", "KC0770")
    assert codes(result) == ["KC0777"]
    assert "1 more episodes were not begun" in result.stdout
    again = bench("--resume", str(path), "--json", exit_code=1)
    assert len(samples_of(again)) == 3
    aside = path / f"transcripts/{found[0]['id']}.aborted-1.jsonl"
    assert list(read(aside))[-1]["outcome"]["failure"] == "provider"


def test_episode_whose_service_was_down_is_run_again_and_then_counts(kc: Kc, plugin: Any, tmp_path: Path) -> None:
    path = tmp_path / "run"
    first = (*plugin, "bench", "--jobs", "1", "--model", "counting", "--task", "triple", "--config", "C1")
    (down,) = samples_of(kc(*first, "--out", str(path), "--json", exit_code=1))
    assert (down["status"], down["agent"]["error"]["kind"]) == ("harness_error", "server")
    (sample,) = samples_of(kc(*plugin, "bench", "--resume", str(path), "--jobs", "1", "--json", exit_code=1))
    assert (sample["status"], sample["agent"]["failure"], sample["kernel"]) == ("syntax_error", "no_kernel", None)
    assert sample["diagnostics"][0]["code"] == "KC0771"
    assert [s["status"] for s in RunFolder.open(path).samples()] == ["harness_error", "syntax_error"]


def test_episode_whose_process_dies_is_tried_again_and_counts_once(kc: Kc, plugin: Any, tmp_path: Path) -> None:
    path = tmp_path / "run"
    command = (*plugin, "bench", "--jobs", "2", "--model", "dying", "--task", "triple", "--out", str(path), "--json")
    found = samples_of(kc(*command, exit_code=1))
    assert [(s["config"], s["status"], s["agent"]["failure"]) for s in found] == [
        ("C1", "syntax_error", "no_kernel"),
        ("C2", "syntax_error", "no_kernel"),
    ]
    assert [f.name for f in (path / "transcripts").iterdir() if ".aborted-" in f.name]
    assert len(list(RunFolder.open(path).samples())) == 2


def test_episode_that_ended_before_its_score_was_kept_is_not_played_again(
    bench: Kc, script: Any, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    bench("--model", script(SOLVES), "--config", "C1", "--out", str(path))
    before = scores(path)
    (path / "samples.jsonl").unlink()
    bench("--resume", str(path))
    assert scores(path) == before
    assert len(list((path / "transcripts").iterdir())) == 1


def test_episode_whose_files_are_damaged_begins_anew(bench: Kc, script: Any, tmp_path: Path) -> None:
    path = tmp_path / "run"
    bench("--model", script(SOLVES), "--config", "C1", "--out", str(path))
    before = scores(path)
    (path / "samples.jsonl").unlink()
    next((path / "episodes").glob("*/episode.json")).write_text("{")
    bench("--resume", str(path))
    assert scores(path) == before
    assert len(list((path / "episodes").iterdir())) == len(list((path / "transcripts").iterdir())) == 2


def test_damaged_transcript_makes_only_its_own_episode_begin_anew(bench: Kc, script: Any, tmp_path: Path) -> None:
    path = tmp_path / "run"
    bench("--model", script(SOLVES), "--out", str(path))
    before = scores(path)
    samples = (path / "samples.jsonl").read_text().splitlines(keepends=True)
    (path / "samples.jsonl").write_text("".join(samples[1:]))
    for sample in map(json.loads, samples[:2]):  # of an episode that has no score, and of one that has
        file = path / sample["agent"]["transcript"]
        file.write_bytes(file.read_bytes().replace(b'"kind"', b'"kind', 1))
    result = bench("--resume", str(path), "--json")
    assert codes(result) == ["KC0839", "KC0839"]
    assert scores(path) == before
    aborted = [file.name for file in (path / "transcripts").iterdir() if ".aborted-" in file.name]
    assert aborted == [f"{json.loads(samples[0])['id']}.aborted-1.jsonl"]


@pytest.mark.parametrize(
    "agent",
    [
        {"grids": 5},
        {"grids": []},
        {"grids": [5], "limits": {}, "lenient": True, "name": None},
        {"grids": [{"models": ["baseline"], "repeats": "x"}], "limits": {}, "lenient": False, "name": None},
        {"grids": [{"models": ["baseline"]}], "limits": {"tokens": -1}, "lenient": False, "name": None},
        {"grids": [{"models": ["baseline"]}], "limits": 5, "lenient": False, "name": None},
        "x",
        [1],
    ],
)
def test_record_whose_study_is_damaged_is_refused(bench: Kc, tmp_path: Path, agent: Any) -> None:
    path = tmp_path / "run"
    bench("--model", "baseline", "--config", "C1", "--out", str(path))
    record = json.loads((path / "run.json").read_text())
    record["settings"]["agent"] = agent
    (path / "run.json").write_text(json.dumps(record))
    result = bench("--resume", str(path), "--json", exit_code=2)
    assert codes(result) == ["KC0801"]
    assert "run.json" in result.stdout


# --- prompts ---------------------------------------------------------------------------------------------------------


def test_example_of_another_task_is_found_and_its_own_task_left_out(kc: Kc, plugin: Any, tmp_path: Path) -> None:
    common = (*plugin, "bench", "--jobs", "1", "--model", "baseline", "--config", "C1", "--json")
    path = tmp_path / "auto"
    automatic = samples_of(kc(*common, "--one-shot", "auto", "--out", str(path)))
    assert [s["subject"]["settings"] for s in automatic] == [{"one_shot": "auto"}] * 2
    shown = {s["task"]: next(read(path / s["agent"]["transcript"]))["prompt"]["example"] for s in automatic}
    assert shown == {"thrice": "triple/C1:compiler", "triple": "thrice/C1:compiler"}
    named = kc(*common, "--one-shot", "triple/C2:compiler")
    assert [s["task"] for s in samples_of(named)] == ["thrice"]
    assert codes(named) == ["KC0774"]


def test_documents_that_are_left_out_are_neither_told_nor_found(bench: Kc, tmp_path: Path) -> None:
    path = tmp_path / "run"
    bench("--model", "scripted:demo", "--config", "C1", "--docs", "none", "--out", str(path))
    start, *events = read(next((path / "transcripts").iterdir()))
    assert start["prompt"]["documents"] == []
    found = next(event for event in events if event.get("tool") == "grep_docs")
    assert "isa.md" not in found["message"]["content"]


# --- asking for it ---------------------------------------------------------------------------------------------------


def test_dry_run_asks_no_model_and_leaves_nothing(
    kc: Kc, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "cwd"
    place.mkdir()
    monkeypatch.chdir(place)
    common = (*plugin, "bench", "--model", "counting", "--task", "triple", "--dry-run")
    entry = json.loads(kc(*common, "--json", "--out", str(tmp_path / "run")).stdout)
    assert [(c["config"], c["repeat"]) for c in entry["cells"]] == [("C1", 0), ("C2", 0)]
    first = entry["cells"][0]["estimate"]
    assert first["iterations"] == 15
    assert first["input_tokens"] > 15 * first["prompt"] > 0
    assert (entry["totals"]["price_usd"], entry["totals"]["unpriced"]) == (None, 2)
    assert "2 episodes of unknown price" in kc(*common).stdout
    short = json.loads(kc(*common, "--json", "--max-iterations", "2", "--max-tokens", "9000").stdout)
    assert short["cells"][0]["estimate"]["input_tokens"] < first["input_tokens"]
    assert not (tmp_path / "calls").exists()
    assert list(place.iterdir()) == []
    assert not (tmp_path / "run").exists()


def test_dry_run_prices_what_the_settings_say(bench: Kc) -> None:
    price = 'price={"input": 2.0, "output": 10.0}'
    common = ("--model", "openai/x", "--model-set", price, "--config", "C1", "--dry-run", "--json")
    made = json.loads(bench(*common).stdout)["cells"][0]["estimate"]
    assert made["price_usd"] == pytest.approx((2 * made["input_tokens"] + 10 * made["output_tokens"]) / 1e6)
    free = json.loads(bench("--model", "scripted:demo", "--config", "C1", "--dry-run", "--json").stdout)
    assert free["totals"]["price_usd"] == 0


def test_dry_run_of_kernels_lists_the_cells(bench: Kc) -> None:
    lines = bench("--kind", "all", "--dry-run").stdout.splitlines()
    assert len(lines) == 7
    assert lines[1].split() == ["toy", "triple/C1", "compiler", "0"]


def test_results_of_a_model_that_may_cost_something_are_kept_even_without_out(
    kc: Kc, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    common = (*plugin, "bench", "--jobs", "1", "--task", "triple", "--config", "C1")
    kc(*common, "--model", "scripted:demo")
    assert not (tmp_path / "runs").exists()
    result = kc(*common, "--model", "counting", exit_code=1)
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("Z-counting")
    assert f"the run is kept in runs/{folder.name}" in result.stderr
    assert len(list(RunFolder.open(folder).samples())) == 1


def test_jsonl_is_a_line_per_sample_and_the_summary(bench: Kc, tmp_path: Path) -> None:
    result = bench("--model", "baseline", "--out", str(tmp_path / "run"), "--jsonl")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["schema"] for line in lines] == ["kc.sample/1", "kc.sample/1", "kc.bench/1"]
    assert lines[2]["totals"][0]["passed"] == 2


def test_dry_run_of_a_run_that_is_kept_has_what_is_left(bench: Kc, tmp_path: Path) -> None:
    path = tmp_path / "run"
    bench("--model", "baseline", "--out", str(path))
    lines = (path / "samples.jsonl").read_text().splitlines(keepends=True)
    (path / "samples.jsonl").write_text(lines[0])
    entry = json.loads(bench("--resume", str(path), "--dry-run", "--json").stdout)
    assert [cell["config"] for cell in entry["cells"]] == ["C2"]
    assert (path / "samples.jsonl").read_text() == lines[0]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--repeats", "2"), "--repeats needs --model"),
        (("--max-price", "2"), "--max-price needs --model"),
        (("--model", "baseline", "--kind", "all"), "--kind is for runs of kernels"),
        (("--experiment", "paper-table5", "--one-shot", "auto"), "no place beside --experiment"),
        (("--model", "baseline", "--model-set", "temperature"), "not of the form NAME=VALUE"),
        (("--model", "baseline", "--reasoning", "low"), "has no setting 'reasoning'"),
        (("--model", "scripted:nothing"), "no script 'nothing'"),
        (("--model", "baseline", "--docs", "poem", "--json"), "no document 'poem'"),
    ],
)
def test_wrong_options_about_models_are_said(bench: Kc, args: tuple[str, ...], words: str) -> None:
    result = bench(*args, exit_code=None)
    assert result.exit_code == 2
    assert words in result.output


def test_resume_takes_everything_from_the_run_but_its_limits(bench: Kc, tmp_path: Path) -> None:
    path = tmp_path / "run"
    bench("--model", "baseline", "--config", "C1", "--out", str(path))
    for option in (("--model", "baseline"), ("--max-tokens", "5"), ("--template",), ("--repeats", "3")):
        result = bench("--resume", str(path), *option, exit_code=2)
        assert f"{option[0]} has no place beside --resume" in result.stderr
    bench("--resume", str(path), "--run-max-tokens", "5")


def test_person_takes_part_in_this_process_only(kc: Kc, plugin: Any, tmp_path: Path) -> None:
    command = ("bench", "--model", "human", "--executor", "threads", "--task", "triple")
    result = kc(*plugin, *command, "--out", str(tmp_path / "run"), exit_code=2)
    assert "--executor must be local" in result.output


def test_conversation_asks_the_person_at_the_terminal(kc: Kc, script: Any, tmp_path: Path) -> None:
    talk = script(f'{HEAD}[[turn]]\ntext = "Shall I?"\n[[turn]]\n{WRITE}[[turn]]\n{RUN}[[turn]]\ntext = "Enough?"\n')
    path = tmp_path / "run"
    command = ("bench", "--model", talk, "--config", "C1", "--conversation", "--out", str(path), "--json")
    (sample,) = samples_of(kc(*command, input="Yes,\nplease.\n\n"))
    assert (sample["status"], sample["agent"]["stopped"]) == ("passed", "finished")
    events = list(read(path / sample["agent"]["transcript"]))
    assert [e["message"]["content"] for e in events if e.get("why") == "person"] == ["Yes,\nplease.\n"]
