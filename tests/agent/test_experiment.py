"""Experiment files: what they mean, what is wrong with them, and the ones that come with the core."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core.agent.experiment import find, parse, shipped
from kernelcraft_core.agent.grid import Grid, ModelChoice, PromptChoice, Study
from kernelcraft_core.agent.limits import Limits
from kernelcraft_core.agent.models import open_model
from kernelcraft_core.diagnostics import EvaluationError

Kc = Callable[..., Result]
HEAD = 'schema = "kc.experiment/1"\n'
SMALL = f"""{HEAD}
title = "Small"
models = ["baseline"]
repeats = 2

[limits]
iterations = 6

[run_limits]
tokens = 1000000

[[grid]]
targets = ["toy", "moon"]
configs = ["c1"]

[[grid]]
targets = ["toy"]
tasks = ["triple", "quadruple"]
configs = ["C2"]
models = ["scripted:demo"]
repeats = 1
prompts = [{{}}, {{ template = true, documents = ["isa"] }}]
limits = {{ iterations = 20 }}
"""
PAPER = {
    # name: (models, targets, cells per model and prompt where everything is installed: tasks of all grids)
    "paper-table5": (4, ["plena", "amdnpu", "coral"], 20 + 22 + 15),
    "paper-table7": (2, ["plena"], 4),
    "paper-table8": (2, ["plena", "amdnpu"], 4),
    "paper-table9": (5, ["plena"], 2),
    "paper-table10": (1, ["boom"], 10),
}


# --- what a file means -----------------------------------------------------------------------------------------------


def test_keys_at_the_top_hold_for_grids_that_say_nothing_else() -> None:
    experiment = parse(SMALL, "small.toml", "small")
    first, second = experiment.study.grids
    assert (experiment.title, experiment.study.limits, experiment.study.lenient) == (
        "Small",
        Limits(tokens=1000000),
        True,
    )
    assert (first.configs, first.repeats, first.limits, first.models) == (
        ("C1",),
        2,
        Limits(iterations=6),
        (ModelChoice("baseline"),),
    )
    assert (second.repeats, second.limits, second.models) == (1, Limits(iterations=20), (ModelChoice("scripted:demo"),))
    assert second.prompts == (PromptChoice(), PromptChoice(template=True, documents=("isa",)))


def test_file_without_grids_is_one_grid() -> None:
    (grid,) = parse(f'{HEAD}models = ["a"]\nlevels = [1]\n', "f.toml", "f").study.grids
    assert grid == Grid(levels=(1,), models=(ModelChoice("a"),))


NAMES = st.lists(st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1, max_size=6), max_size=3)
PROMPTS = st.builds(
    PromptChoice,
    st.none() | st.just("auto"),
    st.booleans(),
    st.none() | NAMES.map(tuple),
    st.booleans(),
)
GRIDS = st.builds(
    Grid,
    NAMES.map(tuple),
    NAMES.map(tuple),
    st.lists(st.sampled_from([1, 2, 3])).map(tuple),
    NAMES.map(lambda names: tuple(name.upper() for name in names)),
    st.lists(st.builds(ModelChoice, st.just("m"), st.fixed_dictionaries({"reasoning": st.just("off")}))).map(tuple),
    st.lists(PROMPTS, min_size=1, max_size=3).map(tuple),
    st.integers(1, 9),
    st.builds(Limits, st.none() | st.integers(0, 9), price=st.none() | st.floats(0, 9)),
)


@given(st.lists(GRIDS, max_size=3).map(tuple), st.booleans(), st.none() | st.just("name"))
def test_study_survives_the_record_of_a_run(grids: tuple[Grid, ...], lenient: bool, name: str | None) -> None:
    study = Study(grids, Limits(price=3.5), lenient, name)
    assert Study.of(json.loads(json.dumps(study.as_dict()))) == study


# --- what is wrong with a file ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = [", 1, "not TOML"),
        (f"{HEAD}a = 1\na = 2", 3, "not TOML"),
        ("models = []", 1, "states no schema"),
        ('\nschema = "kc.experiment/2"', 2, "newer"),
        (f'{HEAD}modls = ["a"]', 2, "did you mean models"),
        (f"{HEAD}title = 7\nmodels = []", 2, "`title` must be a text"),
        (f"{HEAD}models = 7", 2, "`models` must be a list"),
        (f"{HEAD}models = [7]", 2, "a model is a name"),
        (f'{HEAD}models = [{{ name = "a", setings = {{}} }}]', 2, "did you mean settings"),
        (f'{HEAD}models = [\n "b",\n {{ name = "a", settings = 3 }}]', 4, "must be a table"),
        (f"{HEAD}[[grid]]\nlevels = [1]", 2, "no model is named"),
        (f'{HEAD}models = ["a"]\n[[grid]]\nlevels = [1]\n[[grid]]\nlevels = [9]', 6, "key levels.0 of grid 2"),
        (f'{HEAD}models = ["a"]\n[[grid]]\ntasks = [""]', 4, "must hold texts"),
        (f'{HEAD}models = ["a"]\nrepeats = 0', 3, "from 1 to 1000"),
        (f'{HEAD}models = ["a"]\nprompts = []', 3, "`prompts` is empty"),
        (f'{HEAD}models = ["a"]\nprompts = [{{ one_shot = 1 }}]', 3, "TASK/CONFIG"),
        (f'{HEAD}models = ["a"]\nprompts = [{{ template = 1 }}]', 3, "true or false"),
        (f'{HEAD}models = ["a"]\nprompts = [{{ documents = "isa" }}]', 3, "a list of names"),
        (f'{HEAD}models = ["a"]\n[limits]\niterations = -1', 4, "at least 0"),
        (f'{HEAD}models = ["a"]\n[run_limits]\nprize = 1', 4, "did you mean price"),
        (f'{HEAD}models = ["a"]\nlimits = 3', 3, "must be a table"),
        (f'{HEAD}models = ["a"]\ngrid = 3', 3, "one or more tables"),
    ],
)
def test_mistake_in_a_file_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        parse(text, "f.toml", "f")
    found = caught.value.diagnostics[0]
    assert (found.code, found.span and (found.span.file, found.span.line)) == ("KC0778", ("f.toml", line))
    assert words in found.render()


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("paper-tabel5", None, "KC0779", "did you mean paper-table5"),
        ("gone.toml", None, "KC0778", "cannot be read"),
        ("latin.toml", b"\xff", "KC0778", "not UTF-8"),
        ("large.toml", b"#" * (1 << 20) + b"\n", "KC0778", "more than"),
    ],
)
def test_file_that_cannot_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None, code: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(EvaluationError) as caught:
        find(name)
    assert caught.value.code == code
    assert words in caught.value.diagnostics[0].render()


# --- those that come with the core -----------------------------------------------------------------------------------


def test_shipped_experiments_are_those_of_the_paper() -> None:
    assert list(shipped()) == list(PAPER)


@pytest.mark.parametrize("name", PAPER)
def test_shipped_experiment_has_the_models_and_cells_of_its_table(name: str) -> None:
    models, targets, tasks = PAPER[name]
    grids = find(name).study.grids
    assert [target for grid in grids for target in grid.targets] == targets
    assert sum(len(grid.tasks) for grid in grids) == tasks
    for grid in grids:
        opened = [open_model(choice.name, choice.settings) for choice in grid.models]
        assert len({(m.name, json.dumps(dict(m.settings))) for m in opened}) == models


def test_reasoning_is_what_table_7_compares_and_an_example_what_table_8_does() -> None:
    (seven,) = find("paper-table7.toml").study.grids
    assert [m.settings["reasoning"] for m in seven.models] == ["off", "medium"]
    assert [[p.one_shot for p in grid.prompts] for grid in find("paper-table8").study.grids] == [
        [None, "sdpa/C1"],
        [None, "gemm/C1"],
    ]


# --- running one -----------------------------------------------------------------------------------------------------


def test_experiment_runs_what_is_installed_and_reports_the_rest(kc: Kc, tmp_path: Path) -> None:
    file, path = tmp_path / "small.toml", tmp_path / "run"
    file.write_text(SMALL)
    command = ("bench", "--experiment", str(file), "--jobs", "1", "--json")
    result = json.loads(kc(*command, "--out", str(path)).stdout)
    found = [(s["subject"]["model"], s["config"], s["repeat"], s["subject"]["settings"]) for s in result["samples"]]
    assert found == [
        ("baseline", "C1", 0, {"limits": {"iterations": 6}}),
        ("baseline", "C1", 1, {"limits": {"iterations": 6}}),
        ("scripted:demo", "C2", 0, {"limits": {"iterations": 20}}),
        (
            "scripted:demo",
            "C2",
            0,
            {"template": True, "documents": ["isa"], "limits": {"iterations": 20}},
        ),
    ]
    assert {s["status"] for s in result["samples"]} == {"passed"}
    assert [(d["code"], d["severity"]) for d in result["diagnostics"]] == [("KC0773", "warning")] * 2
    assert "'moon' is not installed" in result["diagnostics"][0]["message"]
    assert "'quadruple'" in result["diagnostics"][1]["message"]
    record = json.loads((path / "run.json").read_text())
    assert record["settings"]["agent"]["name"] == "small"
    file.unlink()  # the run keeps its own
    again = json.loads(kc("bench", "--resume", str(path), "--json").stdout)
    assert again["samples"] == result["samples"]


def test_selection_models_repeats_and_limits_of_the_command_line_narrow_an_experiment(kc: Kc, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    more = ("--config", "C1", "--model", "scripted:demo", "--repeats", "1", "--max-iterations", "12")
    result = json.loads(kc("bench", "--experiment", str(file), "--jobs", "1", "--json", *more).stdout)
    (sample,) = result["samples"]
    assert sample["subject"] == {
        "kind": "model",
        "model": "scripted:demo",
        "settings": {"limits": {"iterations": 12}},
    }


def test_experiment_with_nothing_to_run_says_what_is_missing(kc: Kc) -> None:
    result = kc("bench", "--experiment", "paper-table10", exit_code=2)
    assert "KC0775" in result.stderr
    assert "'boom' is not installed" in result.stderr


def test_list_names_the_shipped_experiments(kc: Kc) -> None:
    lines = kc("bench", "--experiment", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(PAPER)
    entries: list[Any] = json.loads(kc("bench", "--experiment", "list", "--json").stdout)["experiments"]
    assert [entry["name"] for entry in entries] == list(PAPER)
