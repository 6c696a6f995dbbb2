"""Scoring kernels on the toy target: every status, the numbers, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest

from kc_toy.tasks import X, Y, loop, unrolled
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, MachineError
from kernelcraft_core.evaluation import DEVELOPMENT, Evaluator, plan
from kernelcraft_core.sim import Limits
from kernelcraft_core.tasks import Bound, Case, Tolerance, Workload

ENDLESS = "again: jal x0, again"
WILD = "lw x1, 0(x0)\nhalt"
"""Reads below the data memory."""


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        (loop(4), "passed", None),
        (unrolled(4), "passed", None),
        ("", "trap", "KC0401"),
        ("halt", "mismatch", None),
        (loop(3), "mismatch", None),
        ("hlt", "syntax_error", "KC0201"),
        (WILD, "trap", "KC0401"),
        (ENDLESS, "limit", "KC0405"),
        (b"\xff\xfe", "syntax_error", "KC0211"),
    ],
)
def test_evaluate_status_of_a_kernel(
    evaluator: Evaluator, workload: Workload, text: str | bytes, status: str, code: str | None
) -> None:
    score = evaluator.evaluate(workload, text)
    assert score.status == status
    assert score.passed is (status == "passed")
    assert [d.code for d in score.diagnostics][:1] == ([code] if code else [])
    if not score.passed:
        assert score.speedup is None
        assert score.bound_share is None


def test_evaluate_counts_cycles_instructions_and_mix(evaluator: Evaluator, workload: Workload) -> None:
    score = evaluator.evaluate(workload, unrolled(4))
    assert (score.instructions, score.code_bytes, score.instret) == (18, 72, 18)
    assert score.cycles == 1 + 4 * (2 + 1 + 1 + 1) + 1  # lui, (lw, add, add, sw) x 4, halt
    assert score.latency_ns == score.cycles
    assert score.mix == {"alu": 9, "load": 4, "store": 4, "sync": 1} == score.static_mix
    looped = evaluator.evaluate(workload, loop(4))
    assert looped.instructions == 10
    assert looped.mix["load"] == 4
    assert looped.static_mix["load"] == 1


def test_evaluate_speedup_is_baseline_over_kernel(evaluator: Evaluator, workload: Workload) -> None:
    baseline = evaluator.evaluate(workload, loop(4))
    score = evaluator.evaluate(workload, unrolled(4), baseline=baseline, baseline_kind="compiler")
    assert score.speedup == pytest.approx(35 / 22)
    assert score.baseline_kind == "compiler"
    assert score.bound is not None
    assert score.bound_share == pytest.approx(12 / 22)


def test_evaluate_failing_baseline_gives_no_speedup(evaluator: Evaluator, workload: Workload) -> None:
    baseline = evaluator.evaluate(workload, loop(3))
    assert evaluator.evaluate(workload, unrolled(4), baseline=baseline).speedup is None


def test_evaluate_reports_the_draw_that_fails(evaluator: Evaluator, workload: Workload) -> None:
    """A kernel that is right for small values only is caught by the family of large ones."""
    small = unrolled(4).replace("add x4, x4, x3", "add x4, x4, x3\naddi x5, x0, 20\nmul x6, x3, x5", 1)
    assert evaluator.evaluate(workload, small).passed
    score = evaluator.evaluate(workload, loop(3), draws=3)
    assert [d.status for d in score.draws] == ["mismatch"]  # the first that fails ends it
    assert score.match_rate == 0.75
    assert score.comparison is not None
    assert score.comparison.worst[0].index == (3,)


def test_evaluate_machine_parameters_change_cycles_and_bound(evaluator: Evaluator, workload: Workload) -> None:
    slow = Evaluator(evaluator.catalogue, {"LOAD_CYCLES": 10})
    base, score = evaluator.evaluate(workload, unrolled(4)), slow.evaluate(workload, unrolled(4))
    assert base.cycles is not None
    assert score.cycles == base.cycles + 4 * 8
    assert score.bound is not None
    assert score.bound.cycles == 44


def test_evaluate_unknown_machine_parameter_is_refused(evaluator: Evaluator, workload: Workload) -> None:
    with pytest.raises(MachineError) as error:
        Evaluator(evaluator.catalogue, {"LAOD_CYCLES": 10}).evaluate(workload, "halt")
    assert error.value.code == "KC0501"


def changed(workload: Workload, **values: Any) -> Workload:
    return attrs.evolve(workload, **values)


def test_evaluate_result_below_the_bound_is_an_error_of_ours(evaluator: Evaluator, workload: Workload) -> None:
    score = evaluator.evaluate(changed(workload, bound=lambda machine: Bound(23)), unrolled(4))
    assert score.status == "harness_error"
    assert score.diagnostics[-1].code == "KC0608"
    assert evaluator.evaluate(changed(workload, bound=lambda machine: Bound(22)), unrolled(4)).passed


def _raise(*args: Any) -> Any:
    raise ZeroDivisionError("no such thing")


@pytest.mark.parametrize("part", ["draw", "bound", "read"])
def test_evaluate_exception_of_a_workload_is_an_error_of_ours(
    evaluator: Evaluator, workload: Workload, part: str
) -> None:
    if part == "read":
        broken = changed(workload, outputs=[attrs.evolve(workload.outputs[0], read=_raise)])
    else:
        broken = changed(workload, **{part: _raise})
    score = evaluator.evaluate(broken, unrolled(4))
    assert score.status == "harness_error"
    assert "ZeroDivisionError: no such thing" in score.diagnostics[-1].message
    assert score.diagnostics[-1].code == "KC0609"


def test_evaluate_presets_that_do_not_fit_are_an_error_of_ours(evaluator: Evaluator, workload: Workload) -> None:
    def draw(seed: int, family: Any) -> Case:
        return attrs.evolve(workload.draw(seed, family), state={"dmem": {0: b"below the memory"}})

    score = evaluator.evaluate(changed(workload, draw=draw), unrolled(4))
    assert score.status == "harness_error"


@pytest.mark.parametrize(
    "tolerance", [Tolerance(atol=float("inf")), Tolerance(atol=1e12), Tolerance(rtol=float("inf"))], ids=str
)
def test_evaluate_workload_that_a_null_result_passes_is_refused(
    evaluator: Evaluator, workload: Workload, tolerance: Tolerance
) -> None:
    with pytest.raises(EvaluationError) as error:
        evaluator.evaluate(changed(workload, tolerance=tolerance), unrolled(4))
    assert error.value.code == "KC0606"


def test_evaluate_workload_whose_memory_holds_the_answer_at_the_start_is_refused(
    evaluator: Evaluator, workload: Workload
) -> None:
    """A kernel that only halts would pass it, though no other null result does."""

    def draw(seed: int, family: Any) -> Case:
        case = workload.draw(seed, family)
        answer = case.goldens["exact"]["y"].view("uint8")
        return attrs.evolve(case, state={"dmem": {**case.state["dmem"], Y: answer}})

    with pytest.raises(EvaluationError) as error:
        evaluator.evaluate(changed(workload, draw=draw), unrolled(4))
    assert error.value.code == "KC0606"
    assert "halt only" in str(error.value)


def test_evaluate_undefined_memory_differs_between_draws(evaluator: Evaluator, workload: Workload) -> None:
    """A kernel that copies what nothing defined reads noise: reported, and never right."""
    text = f"lui x1, 1\nlw x3, {Y - X}(x1)\nsw x3, {Y - X + 4}(x1)\nhalt"
    score = evaluator.evaluate(workload, text)
    assert score.status == "mismatch"
    assert score.draws[0].undefined_reads >= 1


def test_evaluate_work_in_flight_at_halt_is_drained_and_counted(evaluator: Evaluator, workload: Workload) -> None:
    """The last load is still on its way when the program halts; its value never reaches the result."""
    text = unrolled(4).replace("halt", "ldd x4, 12(x1)\nhalt")
    score = evaluator.evaluate(workload, text)
    assert score.passed
    base = evaluator.evaluate(workload, unrolled(4))
    assert score.cycles is not None
    assert base.cycles is not None
    assert score.cycles > base.cycles + 1


def test_evaluate_read_before_the_result_is_ready_traps(evaluator: Evaluator, workload: Workload) -> None:
    score = evaluator.evaluate(workload, unrolled(4).replace("lw x3", "ldd x3"))
    assert score.status == "trap"
    assert "hazard" in score.diagnostics[-1].message


def test_evaluate_limits_of_the_workload_hold(evaluator: Evaluator, workload: Workload) -> None:
    score = evaluator.evaluate(changed(workload, limits=Limits(instructions=10)), unrolled(4))
    assert score.status == "limit"


def test_evaluate_any_accepted_golden_will_do(evaluator: Evaluator, workload: Workload) -> None:
    def draw(seed: int, family: Any) -> Case:
        case = workload.draw(seed, family)
        other: Mapping[str, Any] = {"y": 5 * case.inputs["x"]}
        return attrs.evolve(case, goldens={"five times": other, **case.goldens})

    score = evaluator.evaluate(changed(workload, draw=draw), unrolled(4))
    assert score.passed
    assert score.comparison is not None
    assert score.comparison.variant == "exact"


def test_evaluate_scoring_inputs_are_not_the_development_ones(evaluator: Evaluator, workload: Workload) -> None:
    """A kernel that holds the answers of a development run is right there and wrong where it counts."""
    draw = plan(workload, DEVELOPMENT)[0]
    answer = evaluator.case(workload, draw).goldens["exact"]["y"].tolist()
    lines = ["lui x1, 1"]
    for i, value in enumerate(answer):
        low = (value & 0xFFF) - (value & 0x800) * 2
        high = ((value - low) >> 12) & 0xFFFFF
        lines += [f"lui x2, {high}", f"addi x2, x2, {low}", f"sw x2, {Y - X + 4 * i}(x1)"]
    text = "\n".join([*lines, "halt"])
    assert evaluator.evaluate(workload, text, draws=1).passed
    assert evaluator.evaluate(workload, text, draws=1, salt="secret").status == "mismatch"


def test_as_dict_is_plain_and_hides_the_seeds(evaluator: Evaluator, workload: Workload) -> None:
    import json

    score = evaluator.evaluate(workload, loop(3), salt="secret")
    text = json.dumps(score.as_dict())
    assert str(plan(workload, "secret")[0].seed) not in text
    assert score.as_dict()["status"] == "mismatch"


def test_evaluate_interrupt_is_passed_on(evaluator: Evaluator, workload: Workload) -> None:
    def stop(*args: Any) -> Any:
        raise KeyboardInterrupt

    read: Callable[..., Any] = stop
    broken = changed(workload, outputs=[attrs.evolve(workload.outputs[0], read=read)])
    with pytest.raises(KeyboardInterrupt):
        evaluator.evaluate(broken, unrolled(4))


def test_evaluate_golden_result_without_an_output_is_our_mistake(evaluator: Evaluator, workload: Workload) -> None:
    """A variant that lacks an output must not make that output free."""
    first = workload.outputs[0]
    both = attrs.evolve(workload, outputs=[first, attrs.evolve(first, name="z")])
    score = evaluator.evaluate(both, unrolled(4))
    assert (score.status, [d.code for d in score.diagnostics]) == ("harness_error", ["KC0609"])


@pytest.mark.parametrize("code", ["KC0400", "KC0600"])
def test_evaluate_error_that_a_workload_raises_is_our_mistake(
    evaluator: Evaluator, workload: Workload, code: str
) -> None:
    def draw(seed: int, family: Any) -> Case:
        raise EvaluationError(Diagnostic(code, "the plug-in says so"))

    score = evaluator.evaluate(attrs.evolve(workload, draw=draw), unrolled(4))
    assert (score.status, [d.code for d in score.diagnostics]) == ("harness_error", [code])


def test_evaluate_wraps_a_kernel_in_what_the_workload_puts_around_it(evaluator: Evaluator, workload: Workload) -> None:
    bare = unrolled(4).removesuffix("\nhalt")
    wrapped = changed(workload, wrap=lambda text: f"{text}\nhalt")
    assert evaluator.evaluate(workload, bare).status == "trap"
    assert evaluator.evaluate(wrapped, bare).passed
    assert evaluator.evaluate(wrapped, bare.encode()).passed
    score = evaluator.evaluate(wrapped, "nop\nhlt")
    assert [d.line for d in score.diagnostics] == [2]
    assert evaluator.evaluate(wrapped, b"\xff").status == "syntax_error"


def test_evaluate_wrap_that_fails_is_an_error_of_ours(evaluator: Evaluator, workload: Workload) -> None:
    assert evaluator.evaluate(changed(workload, wrap=_raise), unrolled(4)).status == "harness_error"
    assert evaluator.evaluate(changed(workload, wrap=lambda text: None), unrolled(4)).status == "harness_error"


def test_evaluate_what_a_workload_forbids_fails_with_the_reason(evaluator: Evaluator, workload: Workload) -> None:
    def inspect(case: Case, state: Mapping[str, Any]) -> str | None:
        changed_words = state["dmem"].at(X, 16).tobytes() != case.inputs["x"].tobytes()
        return "the kernel changed its input" if changed_words else None

    guarded = changed(workload, inspect=inspect)
    assert evaluator.evaluate(guarded, unrolled(4)).passed
    score = evaluator.evaluate(guarded, unrolled(4).replace("halt", "sw x0, 0(x1)\nhalt"))
    assert score.status == "mismatch"
    assert (score.diagnostics[-1].code, score.diagnostics[-1].message) == ("KC0611", "the kernel changed its input")
    assert score.draws[0].problem == "the kernel changed its input"
    assert evaluator.evaluate(changed(workload, inspect=_raise), unrolled(4)).status == "harness_error"


def test_evaluate_makes_as_many_draws_as_the_workload_needs(evaluator: Evaluator, workload: Workload) -> None:
    score = evaluator.evaluate(changed(workload, draws=3), unrolled(4), draws=2)
    assert sorted(d.draw.family for d in score.draws) == sorted(workload.families)
    assert len(evaluator.evaluate(changed(workload, draws=3), unrolled(4), draws=5).draws) == 5


def test_evaluate_shows_each_run_that_it_makes(evaluator: Evaluator, workload: Workload) -> None:
    runs: list[Any] = []
    score = evaluator.evaluate(workload, unrolled(4), draws=3, on_run=runs.append)
    assert [run.score for run in runs] == list(score.draws)
    assert all(run.outputs["y"].shape == (4,) for run in runs)


def test_evaluate_inspection_that_returns_no_text_is_an_error_of_ours(evaluator: Evaluator, workload: Workload) -> None:
    score = evaluator.evaluate(changed(workload, inspect=lambda case, state: 5), unrolled(4))
    assert score.status == "harness_error"
