"""What a run leaves to the next: it changes no result, is shared where it is true, and held by one run at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kernelcraft_core.isa import Isa, Program
from kernelcraft_core.sim import Limits, Machine, Placed, RunResult, Simulator, Watch, reuse
from kernelcraft_core.sim.codegen import BlockCompiler

INSTRS = {"add": "x[rd] = x[rs1] + x[rs2] + imm", "bne": "if x[rs1] != x[rs2]: pc = pc + imm", "peek": "x[rd] = w[imm]"}
COUNTED = [("add", 1, 0, 0, 9), ("add", 2, 2, 1), ("add", 1, 1, 0, -1), ("bne", 0, 1, 0, -8), "halt"]
OTHER = [("add", 1, 0, 0, 9), ("add", 2, 2, 1), ("add", 1, 1, 0, -1), ("bne", 0, 1, 0, -8), ("add", 3), "halt"]
STRAIGHT = [("add", 1, 1, 0, 1)] * 6 + [("add", 2, 1, 1)] + [("add", 1, 1, 0, 1)] * 3


class Slow:
    """Every instruction takes one cycle more than the one before, up to five; counts how often it is stepped."""

    backlog = 0

    def __init__(self) -> None:
        self.taken = self.steps = 0

    def watch(self, placed: Placed) -> Watch:
        return Watch(None, 5, ("taken",) if placed.decoded.definition.name == "bne" else ())

    def step(self, item: Any, value: Any) -> int:
        self.steps += 1
        self.taken = min(5, self.taken + 1)
        return self.taken

    def clock(self) -> int:
        raise NotImplementedError

    def snapshot(self) -> int:
        return self.taken

    def restore(self, snapshot: int, now: int) -> None:
        self.taken = snapshot


class Bench:
    """An ISA and a machine whose models are kept."""

    def __init__(self, tiny: Any, make: Callable[[], Slow] = Slow) -> None:
        self.models: list[Slow] = []
        self.tiny, self.isa = tiny, tiny.isa(INSTRS)
        self.machine = Machine("slow", timing=lambda isa, machine: self.model(make()))

    def model(self, model: Slow) -> Slow:
        self.models.append(model)
        return model

    def program(self, lines: list[Any]) -> Program:
        made: Program = self.tiny.program(self.isa, *lines)
        return made

    def run(self, program: Program, **options: Any) -> RunResult:
        return Simulator(self.isa, self.machine).run(program, None, Limits(10_000), **options)


@pytest.fixture
def bench(tiny: Any) -> Bench:
    return Bench(tiny)


def outcome(result: RunResult) -> Any:
    lines = [(line.pc, line.count, line.cycles) for line in result.profile.lines]
    return result.status, result.cycles, result.instret, lines, result.state["x"].tolist(), result.undefined_count


def alone(bench: Bench, program: Program, **options: Any) -> Any:
    """Return the outcome of a run that knows nothing of any other."""
    reuse.forget()
    return outcome(bench.run(program, **options))


def test_second_run_of_a_program_steps_through_nothing(bench: Bench, engine: str) -> None:
    program = bench.program(COUNTED)
    first, second = bench.run(program, engine=engine), bench.run(program, engine=engine)
    assert outcome(first) == outcome(second)
    assert [model.steps > 0 for model in bench.models] == [True, False]


def test_profile_asked_for_after_another_run_is_that_of_its_own(bench: Bench, engine: str) -> None:
    program = bench.program(COUNTED)
    wanted = outcome(bench.run(program, engine=engine, trace=True))
    results = [bench.run(program, engine=engine) for _ in range(3)]
    assert [outcome(result) for result in results] == [wanted] * 3


def test_programs_share_the_cycles_of_equal_blocks(bench: Bench) -> None:
    bench.run(bench.program(COUNTED))
    bench.run(bench.program(OTHER))
    assert bench.models[1].steps == 2  # `add` and `halt` behind the loop


def test_programs_share_the_code_of_equal_blocks(bench: Bench) -> None:
    def spoilt(*args: Any, **options: Any) -> Any:
        raise AssertionError("compiled again")

    first, second = bench.program(COUNTED), bench.program(COUNTED)
    wanted = outcome(bench.run(first))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BlockCompiler, "compile", spoilt)
        assert outcome(bench.run(second)) == wanted


def test_threads_may_run_at_the_same_time(bench: Bench) -> None:
    programs = [bench.program([("add", 3, 0, 0, k), *STRAIGHT, *COUNTED]) for k in range(12)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(bench.run, programs * 3))
    assert [outcome(result) for result in results] == [alone(bench, program) for program in programs] * 3


def test_programs_of_one_length_are_not_taken_for_each_other(bench: Bench, engine: str) -> None:
    programs = [bench.program([("add", 3, 0, 0, k), *COUNTED]) for k in range(4)]
    found = [outcome(bench.run(program, engine=engine)) for program in programs]
    assert found == [alone(bench, program, engine=engine) for program in programs]
    assert [x[3] for *_, x, _ in found] == [0, 1, 2, 3]


def test_machines_and_isas_share_nothing(tiny: Any) -> None:
    benches = [Bench(tiny), Bench(tiny)]
    for each in benches:
        each.run(each.program(COUNTED))
    assert benches[0].models[0].steps == benches[1].models[0].steps > 0


def test_machines_of_one_isa_share_no_cycles(bench: Bench, engine: str) -> None:
    class Quick(Slow):
        def step(self, item: Any, value: Any) -> int:
            super().step(item, value)
            return 1

    program = bench.program(COUNTED)
    slow = outcome(bench.run(program, engine=engine))
    bench.machine = Machine("quick", timing=lambda isa, machine: bench.model(Quick()))
    quick = outcome(bench.run(program, engine=engine))
    assert quick[1] < slow[1]
    assert quick == alone(bench, program, engine=engine)


def test_runs_that_overlap_do_not_count_for_each_other(bench: Bench) -> None:
    """Another run begins and ends while this one is under way: in the middle of a step of its model."""
    program = bench.program(COUNTED)
    inner: list[Any] = []

    class Nested(Slow):
        def step(self, item: Any, value: Any) -> int:
            if not inner:
                inner.append(None)
                inner[0] = bench.run(program)
            return super().step(item, value)

    wanted = outcome(Bench(bench.tiny).run(program_of(bench, COUNTED)))
    bench.machine = Machine("nested", timing=lambda isa, machine: bench.model(Nested()))
    outer = bench.run(program)
    assert outcome(outer) == outcome(inner[0]) == wanted


def program_of(bench: Bench, lines: list[Any]) -> Program:
    made: Program = bench.tiny.program(bench.tiny.isa(INSTRS), *lines)
    return made


def test_run_that_breaks_off_leaves_no_cycles_behind(bench: Bench) -> None:
    class Broken(Slow):
        def step(self, item: Any, value: Any) -> int:
            if len(bench.models) == 2 and self.steps == 8:
                raise RuntimeError("broken")
            return super().step(item, value)

    bench.machine = Machine("broken", timing=lambda isa, machine: bench.model(Broken()))
    first = bench.run(bench.program(COUNTED))
    with pytest.raises(RuntimeError):
        bench.run(bench.program([("add", 4, 4, 0, 1)] * 9 + COUNTED))
    assert outcome(bench.run(bench.program(COUNTED))) == outcome(first)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_forgetting_programs_and_machines_changes_nothing(
    bench: Bench, engine: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [bench.program(COUNTED), bench.program(OTHER)]
    wanted = [outcome(bench.run(program, engine=engine)) for program in programs]
    for name in ("MACHINES", "PROGRAMS", "LONGEST"):
        monkeypatch.setattr(reuse, name, most)
        assert [outcome(bench.run(p, engine=engine)) for p in programs * 2] == wanted * 2
        assert len(reuse._learnt) <= max(most, reuse.MACHINES if name != "MACHINES" else 0)


def test_options_that_code_depends_on_are_kept_apart(tiny: Any, engine: str) -> None:
    isa: Isa = tiny.isa(INSTRS)
    program, machine = tiny.program(isa, ("peek", 1, 0, 0, 3), *COUNTED[:4], "halt"), Machine("m")
    for _ in range(2):
        for fill, count in (("zero", 0), ("pattern", 1)):
            for timing, cycles in (("default", 30), ("none", 0)):
                run = Simulator(isa, machine).run(program, None, fill=fill, timing=timing, engine=engine, seed=5)
                assert (run.undefined_count, run.cycles, run.instret) == (count, cycles, 30)


# ---------------------------------------------------------------------------- loops, and instructions that are functions


def test_loop_is_compiled_once(bench: Bench) -> None:
    lines = [("add", 3, 0, 0, 70), *COUNTED]
    source = bench.run(bench.program(lines)).generated_source
    assert source.count("# block at pc") == 3  # in front of it, the loop, behind it


def test_instruction_that_stands_there_often_is_a_function(bench: Bench) -> None:
    result = bench.run(bench.program([*STRAIGHT, "halt"]))
    assert result.state["x"].tolist()[1:3] == [9, 12]
    assert len(re.findall(r"^ +w_\d+\(\)$", result.generated_source, re.MULTILINE)) == 9
    assert outcome(result) == outcome(bench.run(bench.program([*STRAIGHT, "halt"]), engine="closures", trace=True))


@pytest.mark.parametrize("before", [0, 3, 5])
def test_trap_and_report_in_such_a_function_name_the_place(tiny: Any, before: int) -> None:
    """`walk` reads words 12, 13, ...: the first of them that is outside the memory of 16 stops the program."""
    instrs = {**INSTRS, "walk": "x[2] = w[x[1]]; x[1] = x[1] + 1"}
    bench = Bench(tiny)
    bench.isa = tiny.isa(instrs)
    lines = [("add", 1, 0, 0, 12), *[("add", 3)] * before, *[("walk",)] * 6, "halt"]
    runs = [bench.run(bench.program(lines), fill="pattern", engine=e) for e in ("auto", "auto", "closures")]
    for run in runs:
        assert run.trap is not None
        assert (run.trap.kind, run.trap.pc, run.instret) == ("out_of_bounds", 4 * (before + 5), before + 5)
        assert [read.pc for read in run.undefined_reads] == [4 * (before + k) for k in range(1, 5)]
    assert len({(run.cycles, str(outcome(run))) for run in runs}) == 1
