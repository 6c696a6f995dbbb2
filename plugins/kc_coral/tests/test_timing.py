"""Cycles of the simulator against programs measured on the RTL, however the engine prices them.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), generated SystemVerilog under Verilator.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest

import kernelcraft_core as kc
from kc_coral.machine import timing_params
from kc_coral.timing import CoralTiming
from kernelcraft_core.isa import Program
from kernelcraft_core.sim import Limits, Placed, RunResult, Simulator, Watch

VECTORS = Path(__file__).parent / "vectors"
MEMORIES = ((0x2000_0000, "external"), (0x0001_0000, "dtcm"), (0, "itcm"))
UNCOUNTED = {"s_csr_cycle": {21}}
"""Registers whose value is not required: minstret."""
Row = dict[str, Any]


def programs(file: str) -> list[Row]:
    found: list[Row] = json.loads((VECTORS / file).read_text())["programs"]
    return found


MICRO, RANDOM, KERNELS = programs("micro.json"), programs("random.json"), programs("kernels.json")


def named(rows: list[Row]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=[row["name"] for row in rows])


@cache
def assembled(words: str) -> Program:
    found: Program = kc.target("coral").assemble("\n".join(f".word 0x{word}" for word in words.split()))
    return found


def presets(row: Row) -> dict[str, dict[int, bytes]]:
    data = [
        (address, bytes.fromhex(text) * (times[0] if times else 1)) for address, text, *times in row.get("data", ())
    ]
    data += [(address, base64.b64decode(text)) for address, _, _, text in row.get("inputs", ())]
    state: dict[str, dict[int, bytes]] = {}
    for address, content in data:
        memory = next(name for base, name in MEMORIES if address >= base)
        state.setdefault(memory, {})[address] = content
    return state


def run(row: Row, latency: int, limits: Limits | None = None, **options: Any) -> RunResult:
    target = kc.target("coral", overrides={"RL": latency, "WL": latency})
    result: RunResult = target.simulate(assembled(row["words"]), presets(row), limits, **options)
    return result


@named(MICRO)
def test_micro_program_dispatches_in_measured_cycles_and_reads_the_measured_clock(row: Row) -> None:
    result = run(row, 2, trace=True)
    assert result.trace is not None
    assert [start + cycles - 1 for start, cycles, _ in result.trace[:-1]] == row["dispatch"][:-1]
    assert (result.status, result.cycles) == ("halted", row["cycles"])
    registers = [r for r in range(1, 32) if r not in UNCOUNTED.get(row["name"], ())]
    assert {r: int(result.state["x"][r]) for r in registers} == {r: row["x"].get(f"x{r}", 0) for r in registers}


@named(MICRO + RANDOM)
@pytest.mark.parametrize("engine", ["closures", "generated"])
def test_program_takes_measured_cycles_and_its_profile_adds_up(row: Row, engine: str) -> None:
    result = run(row, 2, engine=engine)
    assert (result.status, result.cycles) == ("halted", row["cycles"])
    assert sum(line.cycles for line in result.profile.lines) == row["cycles"]


@named(KERNELS)
def test_kernel_takes_measured_cycles_at_both_latencies(row: Row) -> None:
    for latency, cycles in zip((2, 3), row["cycles"], strict=True):
        result = run(row, latency)
        assert (result.status, result.cycles) == ("halted", cycles)
        assert sum(line.cycles for line in result.profile.lines) == cycles


class Recorder(CoralTiming):
    """Notes how often it is asked, and each instruction's cycles beyond its bound."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.excess: list[int] = []
        self.bounds: dict[int, int] = {}

    def watch(self, placed: Placed) -> Watch:
        watch = super().watch(placed)
        self.bounds[id(watch.item)] = watch.bound
        return watch

    def step(self, op: Any, value: Any) -> int:
        cycles = super().step(op, value)
        self.excess.append(cycles - self.bounds[id(op)])
        return cycles


def recorded(row: Row, **options: Any) -> tuple[Recorder, RunResult]:
    target, made = kc.target("coral"), []

    def make(isa: Any, machine: Any) -> Recorder:
        made.append(Recorder(timing_params(machine)))
        return made[-1]

    simulator = Simulator(target.isa, attrs.evolve(target.machine, timing=make))
    result = simulator.run(assembled(row["words"]), presets(row), **options)
    return made[0], result


@pytest.mark.parametrize("rows", [MICRO, RANDOM, KERNELS[:6]], ids=["micro", "random", "kernels"])
def test_no_stretch_of_a_program_exceeds_its_bound(rows: list[Row]) -> None:
    for row in rows:
        model, _ = recorded(row, trace=True)
        worst = most = 0
        for excess in model.excess:
            worst = max(0, worst + excess)
            most = max(most, worst)
        assert most <= model.backlog, row["name"]


@pytest.mark.parametrize("name", ["gemm_c", "gemm_asm", "bmm_c", "gemm_auto_c"])
def test_loop_in_steady_state_is_looked_up(name: str) -> None:
    row = next(row for row in KERNELS if row["name"] == name)
    model, result = recorded(row)
    assert len(model.excess) < result.instret / 8


@pytest.mark.parametrize("engine", ["closures", "generated", "auto"])
def test_cycle_limit_stops_at_the_instruction_that_passed_it(engine: str) -> None:
    row = next(row for row in KERNELS if row["name"] == "gemv_asm")
    trace = run(row, 3, trace=True).trace
    assert trace is not None
    for limit in (0, 1, 100, 101, 102, 103, 900, 1500, 1860, 1861):
        result = run(row, 3, Limits(cycles=limit), engine=engine)
        fits = sum(start <= limit for start, _, _ in trace)
        assert (result.instret, result.cycles) == (fits, sum(cycles for _, cycles, _ in trace[:fits]))


def test_functional_run_takes_no_time() -> None:
    result = run(RANDOM[0], 2, timing="none")
    assert (result.status, result.cycles) == ("halted", 0)


@named(MICRO[::9] + RANDOM[::6] + KERNELS[::3])
def test_later_runs_of_a_program_take_the_same_cycles(row: Row) -> None:
    """What the first run has learnt serves the others: cycles by block, closures, code."""
    results = [run(row, 3, engine=engine) for engine in ("auto", "closures", "generated", "auto")]
    profiles = [[(line.pc, line.count, line.cycles) for line in result.profile.lines] for result in results]
    assert len({result.cycles for result in results}) == 1
    assert all(profile == profiles[0] for profile in profiles)


DIVIDING = """
    vsetvli t0, zero, e8, m4, ta, ma
    vid.v v8
    vadd.vi v8, v8, 1
    vmv.v.v v12, v8
    li t1, 7
    li t2, 40
again:
    vdivu.vx v16, v12, t1
    vadd.vi v12, v12, 3
    addi t2, t2, -1
    bnez t2, again
    .word 0x08000073
"""


def test_loop_that_divides_other_numbers_each_time_is_looked_up() -> None:
    """The time of a division depends on its contents, and on those before it, but through a few small numbers only."""
    target, made = kc.target("coral"), []

    def make(isa: Any, machine: Any) -> Recorder:
        made.append(Recorder(timing_params(machine)))
        return made[-1]

    simulator = Simulator(target.isa, attrs.evolve(target.machine, timing=make))
    program = target.assemble(DIVIDING)
    result = simulator.run(program)
    stepped = target.simulate(program, trace=True)
    assert (result.status, result.cycles) == ("halted", stepped.cycles)
    assert len(made[0].excess) < result.instret / 2
