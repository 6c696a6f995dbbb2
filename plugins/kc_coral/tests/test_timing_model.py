"""The timing model against programs measured on the RTL, driven by the interpreter of `reference/`.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), generated SystemVerilog under Verilator.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from coral_reference.machine import Event, Machine
from hypothesis import given
from hypothesis import strategies as st

from kc_coral import timing_ops
from kc_coral.timing_access import Divider, divide_bits, scalar_access, vector_access
from kc_coral.timing_model import Scoreboard
from kc_coral.timing_ops import Op, describe
from kc_coral.timing_params import TimingParams

HERE = Path(__file__).parent
EXTERNAL = 0x2000_0000
NOP, MPAUSE = "00000013", "08000073"
UNCOUNTED = {"s_csr_cycle": {21}}
"""Registers whose value is not required: minstret."""
COMPRESS = "vcompress is up to two cycles quicker than the model"
Trace = list[tuple[Op, Any]]


def programs(file: str, key: str = "programs") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((HERE / "vectors" / file).read_text())[key]
    return found


MICRO, RANDOM, KERNELS = programs("micro.json"), programs("random.json"), programs("kernels.json")
COSTS = programs("costs.json", "rows")


def named(rows: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("program", rows, ids=[row["name"] for row in rows])


def latency(cycles: int) -> TimingParams:
    return TimingParams(read_latency=cycles, write_latency=cycles)


def value(op: Op, event: Event, config: int, divider: Divider) -> Any:
    """Return what the scoreboard must know of `event`."""
    if op.kind == timing_ops.BRANCH:
        return event.taken
    if op.kind in (timing_ops.LOAD, timing_ops.STORE):
        return scalar_access(event.address, op.size)
    if op.kind == timing_ops.DIV:
        return divide_bits(*event.operands, op.signed)
    if op.kind == timing_ops.VSET:
        return event.vl << 8 | event.vtype & 0xFF
    if op.kind == timing_ops.VMEMORY:
        given = {"stride": event.stride, "indices": event.indices, "mask": event.mask}
        return vector_access(op, config, event.address, **given)
    if op.dynamic:
        return tuple(divider.bits(*map(list, elements)) for elements in event.divisions)
    return None


class Observer:
    """Feeds a scoreboard with what a machine executes, and records it."""

    def __init__(self, params: TimingParams) -> None:
        self.board, self.divider = Scoreboard(params), Divider()
        self.ops: dict[int, Op] = {}
        self.trace: Trace = []
        self.dispatch: list[int] = []

    def __call__(self, event: Event) -> int:
        op = self.ops.get(event.pc)
        if op is None:
            op = self.ops[event.pc] = describe(event.word, event.pc)
        dyn = value(op, event, self.board.config, self.divider)
        self.trace.append((op, dyn))
        self.dispatch.append(self.board.step(op, dyn))
        return self.dispatch[-1]


def execute(program: dict[str, Any], params: TimingParams) -> tuple[Machine, Observer]:
    """Return the machine and the observer after a run, which must halt."""
    observer = Observer(params)
    machine = Machine(observe=observer)
    machine.preset(0, b"".join(int(word, 16).to_bytes(4, "little") for word in program["words"].split()))
    for address, data, *times in program.get("data", ()):
        machine.preset(address, bytes.fromhex(data) * (times[0] if times else 1))
    for address, _, _, data in program.get("inputs", ()):
        machine.preset(address, base64.b64decode(data))
    assert machine.run() == "halted"
    return machine, observer


@cache
def recorded(name: str) -> Trace:
    """Return what a measured program executed."""
    program = next(row for row in (*MICRO, *RANDOM, *KERNELS) if row["name"] == name)
    return execute(program, latency(2))[1].trace


def replay(trace: Trace, params: TimingParams) -> int:
    board = Scoreboard(params)
    for op, dyn in trace:
        board.step(op, dyn)
    return board.finish()


def check_registers(machine: Machine, program: dict[str, Any]) -> None:
    unknown = UNCOUNTED.get(program["name"], set())
    wanted = {r: program["x"].get(f"x{r}", 0) for r in range(1, 32) if r not in unknown}
    assert {r: machine.x[r] for r in wanted} == wanted


@named(MICRO)
def test_micro_program_gives_measured_dispatch_cycles_and_values(program: dict[str, Any]) -> None:
    machine, observer = execute(program, latency(2))
    assert observer.dispatch == program["dispatch"]
    assert observer.board.finish() == program["cycles"]
    check_registers(machine, program)
    vectors = program.get("v") or {}
    wanted = {f"v{r}": vectors.get(f"v{r}", "00" * 16) for r in range(32)}
    assert {f"v{r}": machine.v[16 * r : 16 * r + 16].hex() for r in range(32)} == wanted
    for address, data in [*program.get("mem", ()), (EXTERNAL, program.get("ext0", ""))]:
        memory, at = machine.place(address, len(data) // 2, store=False)
        assert memory[at : at + len(data) // 2].hex() == data


@named(RANDOM)
def test_random_program_takes_measured_cycles(program: dict[str, Any]) -> None:
    machine, observer = execute(program, latency(2))
    assert observer.board.finish() == program["cycles"]
    assert machine.instructions == program["instructions"]
    check_registers(machine, program)


@named(KERNELS)
def test_kernel_takes_measured_cycles_at_both_latencies_and_computes_its_output(program: dict[str, Any]) -> None:
    machine, observer = execute(program, latency(2))
    address, _, _, data = program["output"]
    wanted = base64.b64decode(data)
    memory, at = machine.place(address, len(wanted), store=False)
    assert memory[at : at + len(wanted)] == wanted
    assert machine.instructions == program["instructions"]
    assert [observer.board.finish(), replay(observer.trace, latency(3))] == program["cycles"]


def cost(row: dict[str, Any]) -> float:
    """Return the cycles per counted instruction from the fourth to the twelfth pass through the body."""
    setup, passes = row["setup"].split(), 13
    words = [NOP] * (-len(setup) % 4) + setup + row["body"].split() * passes + [MPAUSE]
    dispatch = execute({"words": " ".join(words)}, latency(2))[1].dispatch
    first = -(-len(setup) // 4) * 4
    executed = (len(dispatch) - 1 - first) // passes
    return (dispatch[first + 12 * executed] - dispatch[first + 4 * executed]) / (8 * row["counts"])


@pytest.mark.parametrize("category", ["scalar", "vector arithmetic", "vector memory"])
def test_steady_state_costs_are_the_measured_ones(category: str) -> None:
    rows = [row for row in COSTS if row["category"] == category]
    off = [(row["instruction"], row.get("lmul"), cost(row), row["cost"]) for row in rows if cost(row) != row["cost"]]
    assert [name for name, *_ in off] == (["vcompress.vm vd,v8,v0"] if category == "vector arithmetic" else []), (
        COMPRESS
    )


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("v_rb_limit", {"window": 16}),
        ("v_add_m1_independent", {"window": 16}),
        ("v_add_m8_independent", {"alu_units": 4, "retire": 8}),
        ("s_alu_independent", {"fetch_period": 1}),
        ("v_load_m8_ext", {"read_latency": 1}),
        ("v_store_m8_ext", {"write_latency": 1}),
        ("v_redsum_m4", {"prc_latency": 1}),
        ("v_mac_m1_chain", {"mul_latency": 1}),
        ("s_mul_chain", {"scalar_mul_latency": 1}),
        ("s_div_sizes", {"scalar_div_latency": 2}),
        ("v_div_e32", {"divide_bits": 4}),
    ],
)
def test_wider_or_quicker_machine_needs_fewer_cycles(name: str, change: dict[str, int]) -> None:
    plain = {"read_latency": 2, "write_latency": 2}
    trace = recorded(name)
    assert replay(trace, TimingParams(**plain | change)) < replay(trace, TimingParams(**plain))


@pytest.mark.parametrize("change", [{"window": 0}, {"read_latency": -1}, {"complete_depth": 8}, {"fetch_buffer": 1}])
def test_impossible_numbers_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        TimingParams(**change)


@pytest.mark.parametrize(
    ("address", "size", "accesses"),
    [(0x10000, 4, 1), (0x1000E, 4, 2), (0x1000F, 1, 1), (0x1000F, 2, 2), (0x2000_0000, 4, -1), (0x2000_000D, 4, -2)],
)
def test_scalar_access_counts_lines_and_marks_external_memory(address: int, size: int, accesses: int) -> None:
    assert scalar_access(address, size) == accesses


E8_M1, E8_M2, E16_M1 = 16 << 8, 32 << 8 | 1, 8 << 8 | 8
VLE8, VSE8, VLSE8, VSSE8, VSUXEI8 = 0x02050407, 0x02050427, 0x0AB50407, 0x0AB50427, 0x06850427
VLSEG2E8 = 0x22050407


@pytest.mark.parametrize(
    ("word", "config", "base", "given", "accesses"),
    [
        (VLE8, E8_M1, 0x10000, {}, (1,)),
        (VLE8, E8_M1, 0x10004, {}, (2,)),
        (VLE8, E8_M2, 0x2000_0004, {}, (-2, -2)),
        (VLE8, 20 << 8 | 3, 0x10000, {}, (1, 1)),  # m8, but vl needs two registers
        (VLE8, E16_M1, 0x1000C, {}, (2,)),  # EEW 8 at SEW 16
        (VLE8, E8_M1, 0x10000, {"mask": 0}, (0,)),
        (VLE8, E8_M1, 0x1000C, {"mask": 0x000F}, (1,)),
        (VLSE8, E8_M1, 0x10000, {"stride": 0}, (1,)),
        (VSSE8, E8_M1, 0x10000, {"stride": 0}, (16,)),  # all write one byte
        (VLSE8, E8_M1, 0x10000, {"stride": 16}, (16,)),
        (VLSE8, E8_M1, 0x1000F, {"stride": -1}, (1,)),
        (VSUXEI8, E8_M1, 0x10000, {"indices": [0, 0, 1, 17] * 4}, (12,)),  # 8 on the first line, 4 on the second
        (VLSEG2E8, E8_M1, 0x10000, {}, (2, 2)),
    ],
)
def test_vector_access_counts_what_each_register_needs(
    word: int, config: int, base: int, given: dict[str, Any], accesses: tuple[int, ...]
) -> None:
    assert vector_access(describe(word, 0), config, base, **given) == accesses


def test_indices_that_are_addresses_tell_external_memory() -> None:
    assert vector_access(describe(VSUXEI8, 0), 1 << 8, 0, indices=[EXTERNAL]) == (-1,)


@pytest.mark.parametrize(
    ("dividend", "divisor", "signed", "bits"),
    [(0, 5, False, 1), (7, 5, False, 3), (0xFFFF_FFFF, 5, False, 31), (0xFFFF_FFFF, 5, True, 1), (9, 0, True, 0)],
)
def test_divide_bits_are_those_of_the_magnitude(dividend: int, divisor: int, signed: bool, bits: int) -> None:
    assert divide_bits(dividend, divisor, signed) == bits


def facts_of(elements: tuple[list[int], list[int]]) -> list[tuple[int, int, bool, bool]]:
    """Return per lane what the divider compares: magnitudes, signs of quotient and remainder."""
    return [(abs(a), abs(b), (a < 0) ^ (b < 0), a < 0) for a, b in zip(*elements, strict=True)]


LANES = st.integers(1, 4).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([-128, -3, -1, 0, 1, 3, 77]), min_size=n, max_size=n)] * 2)
)


@given(st.lists(LANES, max_size=12))
def test_divider_is_quick_when_all_lanes_are_as_in_the_micro_op_before(
    stream: list[tuple[list[int], list[int]]],
) -> None:
    divider, before = Divider(), None
    for dividends, divisors in stream:
        wanted = max((abs(a).bit_length() for a, b in zip(dividends, divisors, strict=True) if b), default=0)
        now = facts_of((dividends, divisors))
        assert divider.bits(dividends, divisors) == (0 if now == before else wanted)
        before = now
