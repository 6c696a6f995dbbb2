"""Which inputs a kernel is scored on."""

from __future__ import annotations

import pytest

from kernelcraft_core.diagnostics import EvaluationError
from kernelcraft_core.evaluation import DEVELOPMENT, Evaluator, new_salt, plan
from kernelcraft_core.tasks import Workload
from kernelcraft_core.tasks.catalogue import Catalogue


def test_plan_same_salt_gives_same_draws(workload: Workload) -> None:
    assert plan(workload, "a", 5) == plan(workload, "a", 5)
    assert plan(workload, "a", 5)[:2] == plan(workload, "a", 2)


def test_plan_seeds_differ_by_salt_draw_and_workload(catalogue: Catalogue) -> None:
    c1, c2 = (catalogue.workload("toy", "triple", config) for config in ("C1", "C2"))
    seeds = [d.seed for w in (c1, c2) for salt in ("a", "b", DEVELOPMENT) for d in plan(w, salt, 4)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 1 << 64 for seed in seeds)


def test_plan_first_draw_is_standard_and_the_rest_cover_all_families(workload: Workload) -> None:
    for salt in ("a", "b", "c", "d"):
        names = [d.family for d in plan(workload, salt, len(workload.families))]
        assert names[0] == "standard"
        assert sorted(names) == sorted(workload.families)


def test_plan_the_second_family_depends_on_the_salt(workload: Workload) -> None:
    assert {plan(workload, str(i), 2)[1].family for i in range(40)} == set(workload.families[1:])


@pytest.mark.parametrize("draws", [0, -1, 1001])
def test_plan_unusable_number_of_draws_is_refused(workload: Workload, draws: int) -> None:
    with pytest.raises(EvaluationError) as error:
        plan(workload, "a", draws)
    assert error.value.code == "KC0600"


def test_new_salt_is_different_every_time() -> None:
    assert len({new_salt() for _ in range(100)}) == 100


def test_case_of_a_draw_is_the_same_every_time(evaluator: Evaluator, workload: Workload) -> None:
    draw = plan(workload, "a")[0]
    first = evaluator.case(workload, draw)
    again = Evaluator(evaluator.catalogue).case(workload, draw)
    assert first.inputs["x"].tolist() == again.inputs["x"].tolist()
    other = evaluator.case(workload, plan(workload, "b")[0])
    assert first.inputs["x"].tolist() != other.inputs["x"].tolist()


def test_plan_takes_a_salt_that_is_no_unicode_text(workload: Workload) -> None:
    assert plan(workload, "\udcff") != plan(workload, "\udcfe")
