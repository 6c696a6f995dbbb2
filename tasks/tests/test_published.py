"""The cited results: complete, well-formed, and as the paper's tables have them."""

from __future__ import annotations

from collections import Counter

import pytest

from kc_tasks.suite import SUITE, published, published_success


def test_published_names_tasks_of_the_suite_and_configurations() -> None:
    slugs = {task.slug for task in SUITE.tasks}
    for row in published():
        assert row.task in slugs
        assert row.config in {"C1", "C2", "C3", "C4", "C5"}
        assert row.cycles > 0


def test_published_has_every_cell_once() -> None:
    cells = Counter((r.target, r.task, r.config, r.method) for r in published())
    assert set(cells.values()) == {1}
    assert set(SUITE.published()) == set(published())


@pytest.mark.parametrize(
    ("cell", "cycles"),
    [
        (("plena", "silu", "C1", "compiler"), 92),
        (("plena", "swiglu", "C5", "compiler"), 3342678),
        (("plena", "silu", "C1", "gpt-5.2"), 75),
        (("plena", "gemm", "C5", "gpt-5.2"), 556524),
        (("plena", "mha", "C4", "gpt-5.2"), 2223983),
    ],
)
def test_published_is_what_the_tables_say(cell: tuple[str, str, str, str], cycles: int) -> None:
    assert {(r.target, r.task, r.config, r.method): r.cycles for r in published()}[cell] == cycles


def test_published_plena_compiler_row_has_forty_cells() -> None:
    rows = [r for r in published() if r.target == "plena" and r.method == "compiler"]
    assert len(rows) == 40


# --- success ---------------------------------------------------------------------------------------------------------

MODELS = ("gpt-5.2", "gemini-3-flash", "claude-sonnet-4", "deepseek-r1")


@pytest.mark.parametrize(
    ("target", "attempted", "solved"),
    [("plena", 100, (55, 35, 12, 1)), ("amdnpu", 110, (19, 12, 3, 1)), ("coral", 75, (35, 29, 2, 1))],
)
def test_published_success_adds_up_to_the_totals_of_the_table(
    target: str, attempted: int, solved: tuple[int, ...]
) -> None:
    for model, total in zip(MODELS, solved, strict=True):
        rows = [r for r in published_success() if (r.target, r.model) == (target, model)]
        assert sum(r.solved for r in rows) == total
        assert sum(r.attempted for r in rows) == attempted


def test_published_success_has_every_task_of_a_target_once_for_each_model() -> None:
    levels = {task.slug: task.level for task in SUITE.tasks}
    keys = Counter((r.target, r.task, r.model) for r in published_success())
    assert set(keys.values()) == {1}
    assert {model for *_, model in keys} == set(MODELS)
    assert len(keys) == len({key[:2] for key in keys}) * len(MODELS)
    for row in published_success():
        assert row.task in levels
        assert 0 <= row.solved <= row.attempted == 5
    assert [(r.target, r.task, r.model) for r in published_success() if r.solved and levels[r.task] == 3] == [
        ("coral", "conv_block", "gemini-3-flash")
    ]
    assert SUITE.published_success() == published_success()


@pytest.mark.parametrize(
    ("cell", "solved"),
    [(("plena", "silu", "claude-sonnet-4"), 2), (("plena", "mha", "gpt-5.2"), 3), (("coral", "silu", "gpt-5.2"), 3)],
)
def test_published_success_is_what_the_table_says(cell: tuple[str, str, str], solved: int) -> None:
    assert {(r.target, r.task, r.model): r.solved for r in published_success()}[cell] == solved


@pytest.mark.parametrize("target", ["plena", "coral"])
def test_every_published_cycle_count_of_a_model_belongs_to_a_solved_configuration(target: str) -> None:
    counts = Counter((r.task, r.method) for r in published() if r.target == target and r.method in MODELS)
    solved = {(r.task, r.model): r.solved for r in published_success() if r.target == target}
    assert {key for key, count in counts.items() if count > solved.get(key, 0)} == set()
