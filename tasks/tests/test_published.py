"""The cited results: complete, well-formed, and as the paper's tables have them."""

from __future__ import annotations

from collections import Counter

import pytest

from kc_tasks.suite import SUITE, published


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
