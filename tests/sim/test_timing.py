"""Timing models: fresh for every run, asked once per instruction, off on request."""

from __future__ import annotations

from typing import Any

import pytest

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.sim import Limits, Machine, Rule, SequentialTiming

INSTRS = {"add": {"semantics": "v = x[rs1] + imm; x[rd] = v", "latency": 2}, "put": "m[x[rs1] * 4] = acc"}


class Growing:
    """The n-th execution of `add` takes n cycles; the value it names is asked for too."""

    made = 0

    def __init__(self) -> None:
        Growing.made += 1
        self.asked: list[str] = []
        self.calls: list[tuple[int, ...]] = []

    def rule(self, definition: Any) -> Rule | None:
        self.asked.append(definition.name)
        return Rule(("v", "x[rd]"), self.price, 100) if definition.name == "add" else None

    def price(self, now: int, value: int, before: int) -> int:
        self.calls.append((now, value, before))
        return len(self.calls)


def test_a_model_is_fresh_for_every_run_and_asked_once(tiny: Any, engine: str) -> None:
    models: list[Growing] = []

    def make(isa: Any, machine: Machine) -> Growing:
        models.append(Growing())
        return models[-1]

    machine = Machine("m", timing=make, clock_ns=0.5)
    lines = [("add", 1, 1, 0, 3), ("add", 1, 1, 0, 4), "halt"]
    for _ in range(2):
        result = tiny.run(INSTRS, lines, machine=machine, engine=engine)
        assert (result.cycles, result.latency_ns) == (4, 2.0)
    assert [model.calls for model in models] == [[(0, 3, 0), (1, 7, 3)]] * 2
    assert all(sorted(set(model.asked)) == sorted(model.asked) for model in models)


def test_a_trap_before_the_price_costs_nothing(tiny: Any, engine: str) -> None:
    calls: list[int] = []

    class Model:
        def rule(self, definition: Any) -> Rule | None:
            return Rule(("x[rs1]",), lambda now, x: calls.append(x) or 7, 7) if definition.name == "put" else None

    machine = Machine("m", timing=lambda isa, machine: Model())
    result = tiny.run(INSTRS, [("put", 0, 1), ("put", 0, 2)], {"x": {2: 600}}, machine=machine, engine=engine)
    assert (result.status, result.instret, result.cycles, calls) == ("trap", 1, 7, [0])


def test_cycle_limit_with_rules(tiny: Any, engine: str) -> None:
    machine = Machine("m", timing=lambda isa, machine: Growing())
    lines = [("add", 1, 1, 0, 1)] * 10
    result = tiny.run(INSTRS, lines, limits=Limits(100, cycles=6), machine=machine, engine=engine)
    assert (result.status, result.instret, result.cycles) == ("limit", 4, 10)


def test_timing_can_be_off(tiny: Any, engine: str) -> None:
    machine = Machine("m", timing=lambda isa, machine: Growing(), clock_ns=1.0)
    result = tiny.run(INSTRS, [("add", 1, 1, 0, 3), "halt"], machine=machine, engine=engine, timing="none")
    assert (result.cycles, result.latency_ns, result.instret) == (0, None, 2)
    assert result.profile.by_unit == {"u": 0}


def test_sequential_timing_is_what_records_say(tiny: Any, engine: str) -> None:
    machine = Machine("m", timing=lambda isa, machine: SequentialTiming())
    runs = [tiny.run(INSTRS, [("add", 1, 1), "halt"], machine=m, engine=engine) for m in (machine, None)]
    assert runs[0].cycles == runs[1].cycles == 3
    assert runs[0].latency_ns is None


@pytest.mark.parametrize("latency", ["imm", "0 - 1", "acc", "8 % imm"])
def test_costs_that_make_no_sense_are_refused(tiny: Any, latency: str) -> None:
    with pytest.raises(IsaError):
        tiny.isa({"go": {"semantics": "x[1] = 0", "latency": latency}})
