"""One call that runs a program: its options, what it refuses, runs side by side."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from kernelcraft_core.diagnostics import SimulationError
from kernelcraft_core.sim import Limits, Machine, Simulator
from kernelcraft_core.testing.compare import differences

INSTRS = {
    "add": "x[rd] = x[rs1] + imm",
    "bne": "if x[rs1] != x[rs2]: pc = pc + imm",
    "sum": "m[x[rs1] & 28] = m[0] + acc",
}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"engine": "closure"}, "KC0403"),
        ({"engine": 5}, "KC0403"),
        ({"fill": "random"}, "KC0403"),
        ({"timing": "off"}, "KC0403"),
        ({"timing": None}, "KC0403"),
        ({"seed": -1}, "KC0403"),
        ({"seed": 1.0}, "KC0403"),
        ({"seed": True}, "KC0403"),
        ({"seed": "1"}, "KC0403"),
        ({"seed": 10**5000}, "KC0403"),
        ({"limits": 5}, "KC0404"),
        ({"limits": {"instructions": 5}}, "KC0404"),
        ({"limits": Limits(instructions=-1)}, "KC0404"),
        ({"limits": Limits(instructions=True)}, "KC0404"),
        ({"limits": Limits(instructions=None)}, "KC0404"),  # type: ignore[arg-type]
        ({"limits": Limits(instructions=1.5)}, "KC0404"),  # type: ignore[arg-type]
        ({"limits": Limits(instructions=10**5000)}, "KC0404"),
        ({"limits": Limits(cycles=-1)}, "KC0404"),
        ({"limits": Limits(cycles="1")}, "KC0404"),  # type: ignore[arg-type]
        ({"limits": Limits(wall_time=float("nan"))}, "KC0404"),
        ({"limits": Limits(wall_time=-0.5)}, "KC0404"),
        ({"limits": Limits(wall_time=float("inf"))}, "KC0404"),
    ],
)
def test_wrong_options_are_refused(tiny: Any, options: dict[str, Any], code: str) -> None:
    isa = tiny.isa(INSTRS)
    with pytest.raises(SimulationError) as caught:
        Simulator(isa, Machine("m")).run(tiny.program(isa, "halt"), **options)
    assert caught.value.code == code
    assert len(str(caught.value)) < 300


def test_programs_of_another_isa_are_refused(tiny: Any) -> None:
    isa, other = tiny.isa(INSTRS), tiny.isa({**INSTRS, "more": "x[1] = 1"})
    with pytest.raises(SimulationError, match="assemble it again") as caught:
        Simulator(isa, Machine("m")).run(tiny.program(other, "halt"))
    assert caught.value.code == "KC0402"
    for nothing in ("halt", None, b"\0\0\0\xff"):
        with pytest.raises(SimulationError) as caught:
            Simulator(isa, Machine("m")).run(nothing)  # type: ignore[arg-type]
        assert caught.value.code == "KC0402"


def test_reserved_bits_are_refused_in_strict_runs(tiny: Any, engine: str) -> None:
    isa = tiny.isa(INSTRS)
    program = tiny.program(isa, ("add", 1, 0, 0, 7), "halt")
    program.words[0] |= 1 << 9
    assert Simulator(isa, Machine("m")).run(program, engine=engine).state["x"][1] == 7
    result = Simulator(isa, Machine("m")).run(program, engine=engine, strict=True)
    assert (result.trap.kind, result.instret) == ("illegal_instruction", 0)
    assert "reserved encoding" in result.trap.message


def test_an_illegal_word_traps_when_it_is_reached(tiny: Any, engine: str) -> None:
    isa = tiny.isa(INSTRS)
    program = tiny.program(isa, ("add", 1, 1, 0, 1), ("bne", 0, 1, 2, -4), ("add", 3, 3, 0, 1), "halt")
    program.words[3] = 0x77
    result = Simulator(isa, Machine("m")).run(program, {"x": {2: 100}}, engine=engine)
    assert (result.trap.kind, result.trap.line, result.instret) == ("illegal_instruction", 4, 201)
    assert "0x00000077 is not an instruction of tiny" in result.trap.message
    assert sum(line.count for line in result.profile.lines) == 201


def test_runs_do_not_share_state(tiny: Any, engine: str) -> None:
    isa = tiny.isa(INSTRS)
    simulator, program = (
        Simulator(isa, Machine("m"), engine),
        tiny.program(isa, ("add", 1, 1, 0, 1), ("sum", 0, 1), "halt"),
    )
    first = simulator.run(program, {"acc": [1] * 4})
    second = simulator.run(program, {"acc": [1] * 4})
    assert not differences(first, second)
    assert second.state["x"][1] == 1


def test_runs_side_by_side_are_right(tiny: Any) -> None:
    isa = tiny.isa(INSTRS)
    simulator = Simulator(isa, Machine("m"))
    program = tiny.program(isa, ("add", 1, 1, 0, 1), ("sum", 0, 1), ("sum", 0, 0), ("bne", 0, 1, 2, -12), "halt")
    jobs = [
        ({"x": {2: 1500}, "acc": [i, i / 3, -i, 1e-3 * i], "m": np.full((8, 4), 1 / (i + 1))}, name)
        for i in range(8)
        for name in ("closures", "generated", "auto")
    ]

    def run(job: Any) -> Any:
        return simulator.run(program, job[0], engine=job[1])

    alone = [run(job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, jobs))
    for a, b in zip(alone, together, strict=True):
        assert not differences(a, b)
    for a, b, c in zip(alone[::3], alone[1::3], alone[2::3], strict=True):
        assert not differences(a, b)
        assert not differences(a, c)


def test_results_say_why_they_cannot_be_pickled(tiny: Any) -> None:
    result = tiny.run(INSTRS, ["halt"])
    with pytest.raises(TypeError, match="live memories"):
        pickle.dumps(result)
    assert result.ok
    assert pickle.loads(pickle.dumps(result.profile)) == result.profile


def test_no_warnings_reach_the_caller(tiny: Any, engine: str, recwarn: pytest.WarningsRecorder) -> None:
    state = {"acc": [1e39, 3e38, -3e38, float("inf")], "m": np.full((1, 4), 3.4e38), "fs": 1e300, "h": [1e300]}
    tiny.run(INSTRS, [("sum",), ("sum",), "halt"], state, engine=engine)
    assert not recwarn.list
