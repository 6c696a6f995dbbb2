"""Pipeline models: blocks priced as a whole cost what single steps cost, in every engine, up to every limit and trap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import Opaque, Primitive
from kernelcraft_core.sim import Limits, Machine, PipelineModel, Placed, RunResult, Simulator, Watch
from kernelcraft_core.sim import pipeline as pipelines
from kernelcraft_core.sim.plan import Facts

INSTRS = {
    "add": "x[rd] = x[rs1] + x[rs2] + imm",
    "mul": "x[rd] = x[rs1] * x[rs2]",
    "get": "a = x[rs1] + imm & 252; x[rd] = load(dmem, 256 + a, 4)",
    "peek": "x[rd] = load(dmem, x[rs1] + 256, 4)",
    "bne": "if x[rs1] != x[rs2]: pc = pc + imm",
    "hop": "pc = pc + imm",
    "time": "x[rd] = time(watch)",
}
OPTIONS: dict[str, Any] = {
    "state": [Opaque("watch", lambda context: context, clocked=True, timed=True)],
    "primitives": [
        Primitive("time", ("r:watch",), "int<0,4294967295>", lambda context, watch: lambda: watch.clock, "time(watch)")
    ],
}
LATENCY = {"mul": 3, "get": 4, "peek": 4}
BUSY, FLUSH = 5, 2


def bank(dmem: Any, address: int, old: int) -> int:
    """Return the bank of a load, which depends on values and state as they were before it."""
    found: int = (address >> 2) + dmem.load(256 + address, 4) + old & 3
    return found


class Dual:
    """Issues two instructions per cycle in order, one of them a load; the clock is the issue cycle.

    Results are ready 1, 3 (`mul`) or 4 (`get`) cycles later, one of four banks of memory is busy for 5 cycles after a load,
    and nothing issues in 2 cycles behind a jump that is carried out.
    """

    backlog = 6

    def __init__(self, remembers: bool = True) -> None:
        self.remembers = remembers
        self.now = self.slots = self.fetched = 0
        self.ready, self.banks = [0] * 8, [0] * 4
        self.steps = 0

    def watch(self, placed: Placed) -> Watch:
        name, operands = placed.decoded.definition.name, placed.decoded.operands
        item = (name, *(operands.get(key, 0) for key in ("rd", "rs1", "rs2")))
        if name == "get":
            return Watch(item, 6, ("a", "x[rd]"), ("dmem",), bank)
        if name in ("bne", "hop"):
            return Watch(item, 4, ("taken",))
        return Watch(item, 4, ("rd", "x[rs1]") if name == "peek" else ())

    def step(self, item: Any, value: Any) -> int:
        name, rd, rs1, rs2 = item
        self.steps += 1
        start = max(self.now, self.fetched, self.ready[rs1], self.ready[rs2])
        if name == "get":
            start = max(start, self.banks[value])
        if start == self.now and self.slots == 2:
            start += 1
        if name == "get":
            self.banks[value] = start + BUSY
        cycles: int = start - self.now
        self.slots = 1 if cycles else self.slots + 1
        self.now = start
        if rd:
            self.ready[rd] = start + LATENCY.get(name, 1)
        if name in ("bne", "hop") and value:
            self.fetched = start + 1 + FLUSH
        return cycles

    def clock(self) -> int:
        return 1000 + self.now

    def snapshot(self) -> Any:
        if not self.remembers:
            return None
        times = [max(0, t - self.now) for t in (self.fetched, *self.ready, *self.banks)]
        return (self.slots, *times)

    def restore(self, snapshot: Any, now: int) -> None:
        self.now = now
        self.slots, self.fetched, *rest = snapshot[0], *[t + now for t in snapshot[1:]]
        self.ready, self.banks = rest[:8], rest[8:]


def run(
    tiny: Any,
    lines: list[Any],
    engine: str = "auto",
    limits: Limits | None = None,
    make: Callable[[], PipelineModel] = Dual,
    **options: Any,
) -> RunResult:
    machine = Machine("dual", timing=lambda isa, machine: make())
    state = options.pop("state", {"x": {1: 3}, "dmem": {256: bytes([7, 0, 0, 0] * 3)}})
    isa = tiny.isa(INSTRS, **OPTIONS)
    result: RunResult = tiny.run(isa, lines, state, limits or Limits(100_000), machine, engine=engine, **options)
    return result


def outcome(result: RunResult) -> Any:
    """Return all that two engines must agree on."""
    profile = [(line.pc, line.count, line.cycles) for line in result.profile.lines]
    ended = result.limit or result.trap
    place = (ended.kind, ended.pc) if ended else None
    return result.status, result.cycles, result.instret, place, profile, list(result.state["x"])


LOOP = [
    ("add", 7, 0, 0, 60),
    ("get", 2, 3, 0, 4),
    ("mul", 4, 2, 1),
    ("add", 3, 3, 0, 4),
    ("add", 5, 5, 4),
    ("bne", 0, 2, 0, 8),
    ("add", 6, 6, 0, 1),
    ("add", 7, 7, 0, -1),
    ("bne", 0, 7, 0, -28),
    ("time", 6),
    "halt",
]


@pytest.mark.parametrize(
    ("lines", "starts"),
    [
        ([("add", 2), ("add", 3), ("add", 4), "halt"], [0, 0, 1, 1]),
        ([("add", 2), ("add", 3, 2), ("add", 4, 3), "halt"], [0, 1, 2, 2]),
        ([("mul", 2, 1, 1), ("add", 3, 2), "halt"], [0, 3, 3]),
        ([("get", 2, 0, 0, 0), ("get", 3, 0, 0, 0), ("get", 4, 0, 0, 4), "halt"], [0, 5, 5, 6]),
        ([("bne", 0, 1, 0, 8), "halt", ("bne", 0, 0, 0, 8), "halt"], [0, 3, 3]),
        ([("hop", 0, 0, 0, 4), "halt"], [0, 3]),
    ],
    ids=["two per cycle", "chain", "latency", "busy bank", "taken or not", "jump"],
)
def test_clock_moves_as_the_model_says(tiny: Any, engine: str, lines: list[Any], starts: list[int]) -> None:
    result = run(tiny, lines, engine)
    assert (result.status, result.cycles) == ("halted", starts[-1])
    trace = run(tiny, lines, engine, trace=True).trace
    assert trace is not None
    assert [start + cycles for start, cycles, _ in trace] == starts


def test_profile_adds_up_and_names_who_waited(tiny: Any, engine: str) -> None:
    result = run(tiny, LOOP, engine)
    assert sum(line.cycles for line in result.profile.lines) == result.cycles > 500
    spent = {line.pc: line.cycles for line in result.profile.lines}
    assert spent[16] >= 2 * 60  # it waits for the product
    assert outcome(result) == outcome(run(tiny, LOOP, "closures", trace=True))


def test_program_reads_the_clock_that_the_model_shows(tiny: Any, engine: str) -> None:
    result = run(tiny, LOOP, engine)
    assert result.state["x"][6] == 1000 + result.cycles - 1  # `halt` issues a cycle later
    lines = [("time", 2), ("mul", 3, 1, 1), ("time", 4, 3), ("time", 5), ("time", 6), "halt"]
    assert list(run(tiny, lines, engine).state["x"])[2:7] == [1000, 9, 1003, 1003, 1004]


def test_clock_is_the_sum_of_costs_where_no_model_shows_another(tiny: Any, engine: str) -> None:
    isa = tiny.isa({"add": {"semantics": INSTRS["add"], "latency": 5}, "time": INSTRS["time"]}, **OPTIONS)
    result = tiny.run(isa, [("add", 1), ("time", 2), ("add", 1), ("time", 3), "halt"], engine=engine)
    assert list(result.state["x"])[2:4] == [5, 11]


def test_timing_can_be_off(tiny: Any, engine: str) -> None:
    result = run(tiny, LOOP, engine, timing="none")
    assert (result.status, result.cycles) == ("halted", 0)


CHAIN = [("add", 7, 0, 0, 50), *[("mul", 2, 2, 1)] * 8, ("add", 7, 7, 0, -1), ("bne", 0, 7, 0, -36), "halt"]


@pytest.mark.parametrize("lines", [LOOP, CHAIN], ids=["loop", "chain"])
def test_every_cycle_limit_stops_where_stepping_stops(tiny: Any, engine: str, lines: list[Any]) -> None:
    whole = run(tiny, lines, trace=True)
    assert whole.trace is not None
    starts = [start for start, _, _ in whole.trace]
    for limit in [*range(12), *range(300, 330), *range(whole.cycles - 12, whole.cycles + 3)]:
        result = run(tiny, lines, engine, Limits(100_000, cycles=limit))
        fits = sum(start <= limit for start in starts)  # an instruction begins unless the limit has passed
        assert result.instret == fits
        assert result.status == ("halted" if fits == len(starts) else "limit")
        assert result.cycles == sum(cycles for _, cycles, _ in whole.trace[:fits])


def test_every_instruction_limit_gives_the_cycles_so_far(tiny: Any, engine: str) -> None:
    whole = run(tiny, LOOP, trace=True)
    assert whole.trace is not None
    for limit in (0, 1, 2, 5, 8, 9, 10, 200, 201, 202, 203, 204, 205, 206, 207, 208):
        result = run(tiny, LOOP, engine, Limits(limit))
        assert (result.status, result.instret) == ("limit", limit)
        assert result.cycles == sum(cycles for _, cycles, _ in whole.trace[:limit])


@pytest.mark.parametrize("rounds", [1, 5, 70])
def test_trap_within_a_block_counts_what_came_before(tiny: Any, engine: str, rounds: int) -> None:
    step = 1000 // rounds & ~3
    lines = [("get", 2, 6, 0, 4), ("mul", 4, 2, 1), ("peek", 5, 3), ("add", 3, 3, 7), ("bne", 0, 1, 0, -16)]
    state = {"x": {1: 3, 7: step}}
    result = run(tiny, lines, engine, state=state)
    assert (result.status, result.trap.kind if result.trap else "") == ("trap", "out_of_bounds")
    stepped = run(tiny, lines, "closures", state=state, trace=True)
    assert outcome(result) == outcome(stepped)
    assert stepped.trace is not None
    assert result.cycles == sum(cycles for _, cycles, _ in stepped.trace) > 0


def test_model_without_snapshots_is_stepped(tiny: Any, engine: str) -> None:
    assert outcome(run(tiny, LOOP, engine, make=lambda: Dual(remembers=False))) == outcome(run(tiny, LOOP, engine))


def test_forgetting_changes_no_cycle(tiny: Any, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = outcome(run(tiny, LOOP, engine))
    monkeypatch.setattr(pipelines, "CAPACITY", 3)
    assert outcome(run(tiny, LOOP, engine)) == wanted


def test_loop_in_steady_state_is_not_stepped(tiny: Any, engine: str) -> None:
    models: list[Dual] = []

    def make() -> Dual:
        models.append(Dual())
        return models[-1]

    lines = [("add", 7, 0, 0, 100), ("mul", 2, 2, 1), ("add", 7, 7, 0, -1), ("bne", 0, 7, 0, -8), "halt"]
    result = run(tiny, lines, engine, make=make)
    assert result.instret == 302
    assert models[0].steps < 40


class Alternating:
    """Every other instruction takes 10 cycles instead of 1."""

    backlog = 0

    def __init__(self) -> None:
        self.odd = 0

    def watch(self, placed: Placed) -> Watch:
        raise NotImplementedError

    def step(self, item: Any, value: Any) -> int:
        self.odd ^= 1
        return 1 if self.odd else 10

    def clock(self) -> int:
        raise NotImplementedError

    def snapshot(self) -> int:
        return self.odd

    def restore(self, snapshot: int, now: int) -> None:
        self.odd = snapshot


def test_steps_and_blocks_may_be_mixed() -> None:
    spent = [0] * 3
    pipeline, watch = pipelines.Pipeline(Alternating(), spent), Watch(None, 10)
    facts, pair, single = Facts(None, 0, 0, False, watch=watch), 0, 1
    pipeline.block(pair, 0, [facts] * 2)
    pipeline.block(single, 2, [facts])
    moved = [pipeline.price((number,), 0) for number in (pair, pair, single, pair, single, pair)]
    assert moved == [11, 11, 1, 11, 10, 11]
    assert pipeline.step(2, watch, None, 0) == 1
    assert [pipeline.price((number,), 0) for number in (single, single, pair)] == [10, 1, 11]
    pipeline.settle()
    assert spent == [3 * 1 + 2 * 10, 3 * 10 + 2 * 1, 1 + 10 + 1 + 10 + 1]
    assert (pipeline.hits, pipeline.misses) == (5, 4)


def test_clock_reader_may_not_ask_for_values(tiny: Any, engine: str) -> None:
    class Curious(Dual):
        def watch(self, placed: Placed) -> Watch:
            return Watch(super().watch(placed).item, 4, ("rd",))

    with pytest.raises(ValueError, match="time can read the clock"):
        run(tiny, [("time", 1), "halt"], engine, make=Curious)


def test_value_that_is_no_number_is_refused(tiny: Any, engine: str) -> None:
    class Wrong(Dual):
        def watch(self, placed: Placed) -> Watch:
            return Watch(super().watch(placed).item, 4, ("acc",))

    with pytest.raises(IsaError, match="KC0126"):
        run(tiny, [("add", 1), "halt"], engine, make=Wrong)


# -------------------------------------------------------------------------------------------------------- random programs

REGISTERS = st.integers(0, 5)
PLAIN = st.tuples(
    st.sampled_from(["add", "mul", "get", "get"]), st.integers(2, 5), REGISTERS, REGISTERS, st.integers(-8, 8)
)


@st.composite
def programs(draw: Any) -> list[Any]:
    """Return nested counted loops around random work, with branches that skip some of it."""
    inner = draw(st.lists(PLAIN, min_size=1, max_size=6))
    if draw(st.booleans()):
        inner.insert(draw(st.integers(0, len(inner) - 1)), ("bne", 0, draw(REGISTERS), draw(REGISTERS), 8))
    outer = draw(st.lists(PLAIN | st.tuples(st.just("time"), st.just(5)), max_size=4))
    counter = ("add", 6, 0, 0, draw(st.integers(1, 50)))
    body = [*outer, counter, *inner, ("add", 6, 6, 0, -1), ("bne", 0, 6, 0, -4 * (len(inner) + 1))]
    turns = ("add", 7, 0, 0, draw(st.integers(1, 4)))
    return [turns, *body, ("add", 7, 7, 0, -1), ("bne", 0, 7, 0, -4 * (len(body) + 1)), "halt"]


def ways() -> Iterator[dict[str, Any]]:
    for engine in ("closures", "generated", "auto"):
        yield {"engine": engine}
    yield {"engine": "generated", "make": lambda: Dual(remembers=False)}


def again(tiny: Any, lines: list[Any], limits: Limits | None = None) -> list[RunResult]:
    """Return runs of one program on one machine: what the first have learnt serves the others."""
    isa, machine = tiny.isa(INSTRS, **OPTIONS), Machine("dual", timing=lambda isa, machine: Dual())
    program, state = tiny.program(isa, *lines), {"x": {1: 3}, "dmem": {256: bytes([7, 0, 0, 0] * 3)}}
    simulator = Simulator(isa, machine)
    engines = ("closures", "auto", "generated", "auto", "closures")
    return [simulator.run(program, state, limits or Limits(100_000), engine=engine) for engine in engines]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=programs(), part=st.floats(0, 1.1), by=st.sampled_from(["cycles", "instructions"]))
def test_random_programs_cost_the_same_however_they_are_priced(
    tiny: Any, lines: list[Any], part: float, by: str
) -> None:
    whole = run(tiny, lines, "closures", trace=True)
    assert whole.status == "halted"
    assert all(outcome(run(tiny, lines, **way)) == outcome(whole) for way in ways())
    assert all(outcome(result) == outcome(whole) for result in again(tiny, lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipelines, "CAPACITY", 2)
        assert outcome(run(tiny, lines, "generated")) == outcome(whole)
    limit = int(part * (whole.cycles if by == "cycles" else whole.instret))
    limits = Limits(100_000, cycles=limit) if by == "cycles" else Limits(limit)
    cut = outcome(run(tiny, lines, "closures", limits, trace=True))
    assert all(outcome(run(tiny, lines, limits=limits, **way)) == cut for way in ways())
    assert all(outcome(result) == cut for result in again(tiny, lines, limits))
