"""Null results and mutants: what a workload must catch."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from kc_toy.tasks import X, loop, unrolled
from kernelcraft_core.diagnostics import EvaluationError
from kernelcraft_core.evaluation import Evaluator, plan
from kernelcraft_core.evaluation.bite import check, check_nulls
from kernelcraft_core.evaluation.mutants import KINDS, Mutator
from kernelcraft_core.evaluation.nulls import null_results
from kernelcraft_core.tasks import Case, Family, Kernel, Tolerance, Workload


def kernel(text: str) -> Kernel:
    return Kernel("template", lambda: text)


def test_null_results_cover_what_a_lazy_kernel_could_leave(evaluator: Evaluator, workload: Workload) -> None:
    first, second = plan(workload, "a", 2)
    case, other = evaluator.case(workload, first), evaluator.case(workload, second)
    found = dict(null_results(case, other, evaluator.untouched(workload, first)))
    golden = case.goldens["exact"]["y"]
    assert set(found) == {
        "halt only",
        "zeros",
        "ones",
        "mean of the golden result",
        "copy of x",
        "answer to another seed (exact)",
    }
    assert found["copy of x"]["y"].tolist() == case.inputs["x"].tolist()
    assert all(g["y"].shape == golden.shape and g["y"].dtype == golden.dtype for g in found.values())


def test_check_nulls_all_fail_on_a_workload_that_bites(evaluator: Evaluator, workload: Workload) -> None:
    assert check_nulls(evaluator, workload, "a") == (6, ())


def test_check_nulls_names_those_that_pass(evaluator: Evaluator, workload: Workload) -> None:
    loose = attrs.evolve(workload, tolerance=Tolerance(atol=1e10))
    tried, passing = check_nulls(evaluator, loose, "a")
    assert tried == 6
    assert set(passing) >= {"halt only", "zeros", "ones", "copy of x"}


@pytest.mark.parametrize("text", [loop(4), unrolled(4)], ids=["loop", "unrolled"])
def test_check_kills_mutants_that_differ(evaluator: Evaluator, workload: Workload, text: str) -> None:
    bite = check(evaluator, workload, kernel(text), 60, "a")
    assert bite.mutants == 60
    assert bite.kill_rate == 1.0
    assert bite.identical < 20
    assert bite.passing_nulls == ()


def test_check_lists_survivors_of_a_loose_tolerance(evaluator: Evaluator, workload: Workload) -> None:
    """With a tolerance that lets everything pass, whatever runs to its end and differs survives."""
    loose = attrs.evolve(workload, tolerance=Tolerance(atol=1e10))
    bite = check(evaluator, loose, kernel(unrolled(4)), 40, "a")
    assert bite.survivors
    assert bite.kill_rate is not None
    assert bite.kill_rate < 0.9
    assert all("->" in mutant.describe() for mutant in bite.survivors)
    assert bite.as_dict()["kill_rate"] == bite.kill_rate


def test_check_kernel_that_fails_itself_is_refused(evaluator: Evaluator, workload: Workload) -> None:
    with pytest.raises(EvaluationError) as error:
        check(evaluator, workload, kernel(loop(3)), 5, "a")
    assert error.value.code == "KC0610"


def test_check_dead_code_counts_as_identical(evaluator: Evaluator, workload: Workload) -> None:
    padding = "\n".join("add x9, x10, x11" for _ in range(60))
    bite = check(evaluator, workload, kernel(padding + "\n" + unrolled(4)), 50, "a")
    assert bite.identical > 20
    assert bite.kill_rate == 1.0


def test_check_mutant_that_only_inputs_outside_the_score_tell_survives(
    evaluator: Evaluator, workload: Workload
) -> None:
    """Draws of the score hold nothing but zeros here, which a mutant that adds too little leaves as they are."""
    zeros = {draw.seed for draw in plan(workload, "a", 3)}

    def draw(seed: int, family: Family) -> Case:
        case = workload.draw(seed, family)
        if seed not in zeros:
            return case
        x = np.zeros_like(case.inputs["x"])
        return Case({"x": x}, {"dmem": {X: x.view(np.uint8)}}, {"exact": {"y": x}})

    blind = attrs.evolve(workload, draw=draw)
    bite = check(evaluator, blind, kernel(unrolled(4)), 60, "a")
    assert {mutant.before.split()[0] for mutant in bite.survivors} >= {"add"}
    assert len(bite.survivors) > 10
    seeing = Evaluator(evaluator.catalogue)
    assert check(seeing, workload, kernel(unrolled(4)), 60, "a").survivors == ()


def test_check_kernel_that_fails_on_a_further_draw_is_refused(evaluator: Evaluator, workload: Workload) -> None:
    further = {draw.seed for draw in plan(workload, "a/further", 3)}

    def draw(seed: int, family: Family) -> Case:
        case = workload.draw(seed, family)
        return attrs.evolve(case, goldens={"exact": {"y": case.goldens["exact"]["y"] ^ np.uint32(seed in further)}})

    padding = "\n".join("add x9, x10, x11" for _ in range(60))
    with pytest.raises(EvaluationError) as error:
        check(evaluator, attrs.evolve(workload, draw=draw), kernel(padding + "\n" + unrolled(4)), 50, "a")
    assert error.value.code == "KC0610"


def test_mutants_are_distinct_valid_and_of_all_kinds(evaluator: Evaluator, workload: Workload) -> None:
    target = evaluator.target(workload)
    found = [mutant for mutant, _ in Mutator(target, loop(4), 7).mutants(100)]
    assert len({m.text for m in found}) == len(found) > 50
    assert loop(4) not in {m.text for m in found}
    assert {m.kind for m in found} == set(KINDS) - {"shorten"}  # no loop instruction of this target has a count
    for mutant in found:
        target.assemble(mutant.text)  # raises when it does not assemble


def test_mutants_same_seed_gives_the_same_ones(evaluator: Evaluator, workload: Workload) -> None:
    target = evaluator.target(workload)
    first, again, other = ([m for m, _ in Mutator(target, loop(4), seed).mutants(20)] for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("text", ["", "halt", "# nothing here"])
def test_mutants_of_next_to_nothing_end(evaluator: Evaluator, workload: Workload, text: str) -> None:
    found = list(Mutator(evaluator.target(workload), text, 1).mutants(50))
    assert len(found) <= 1  # at most the halt left out


def test_mutants_change_only_the_line_they_name(evaluator: Evaluator, workload: Workload) -> None:
    lines = loop(4).splitlines()
    for mutant, _ in Mutator(evaluator.target(workload), loop(4), 3).mutants(60):
        changed = [i + 1 for i, (a, b) in enumerate(zip(lines, mutant.text.splitlines(), strict=False)) if a != b]
        assert mutant.line in changed
        assert len(changed) <= (2 if mutant.kind == "swap" else 1)


def test_check_of_a_workload_that_fails_names_it(evaluator: Evaluator, workload: Workload) -> None:
    def draw(seed: int, family: object) -> Case:
        raise ZeroDivisionError

    with pytest.raises(EvaluationError, match="triple/C1: ZeroDivisionError") as error:
        check(evaluator, attrs.evolve(workload, draw=draw), kernel(unrolled(4)), 1, "a")
    assert error.value.code == "KC0609"


def test_mutants_of_a_wrapped_kernel_are_of_its_own_lines(evaluator: Evaluator, workload: Workload) -> None:
    wrapped = attrs.evolve(workload, wrap=lambda text: f"{text}\nhalt")
    text = unrolled(4).removesuffix("\nhalt")
    bite = check(evaluator, wrapped, kernel(text), 30, "a")
    assert bite.kill_rate == 1.0
    assert bite.mutants == 30
    found = Mutator(evaluator.target(workload), text, 1, lambda t, name: evaluator.assemble(wrapped, t, name)).mutants(
        60
    )
    assert all(mutant.line <= len(text.splitlines()) for mutant, _ in found)
