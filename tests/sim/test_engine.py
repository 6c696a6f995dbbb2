"""The run loop: traps, limits, undefined memory, results in flight, words of several lengths, where execution goes."""

from __future__ import annotations

import time
from typing import Any

import pytest

from kernelcraft_core.isa import Imm, Instr, Isa, Opaque, Program, Reg, RegFile
from kernelcraft_core.isa.primitives import Primitive
from kernelcraft_core.sim import Limits, Machine, Rule, Simulator
from kernelcraft_core.testing.compare import differences

LOOP = {
    "set": "x[rd] = imm",
    "add": "x[rd] = x[rs1] + imm",
    "bne": "if x[rs1] != x[rs2]: pc = pc + imm",
    "jump": "pc = pc + imm",
    "put": "m[x[rs1]] = acc",
    "get": "acc = m[x[rs1]]",
    "div": "x[rd] = x[rs1] // x[rs2]",
    "word": "w[x[rs1]] = x[rs2]",
    "load": "x[rd] = load(dmem, x[rs1], 4)",
    "store": "store(dmem, x[rs1], imm, x[rs2])",
}


# --- traps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "kind", "instruction"),
    [
        (("put", 0, 1), "out_of_bounds", "put"),
        (("div", 4, 1, 3), "arithmetic", "div"),
        (("word", 0, 1, 3), "out_of_bounds", "word"),
        (("load", 3, 1), "out_of_bounds", "load"),
    ],
)
@pytest.mark.parametrize("timing", ["static", "dynamic"])
def test_trap_in_a_compiled_loop_is_placed_exactly(
    tiny: Any, engine: str, bad: Any, kind: str, instruction: str, timing: str
) -> None:
    """x1 grows by 16 and x3 shrinks to 0: the bad instruction traps late, in the middle of a loop to itself."""
    instrs = {
        **LOOP,
        "step": "x[1] = x[1] + 16; x[3] = x[3] - 1",
        "put": "m[x[rs1] & 4092] = acc",
        "word": "w[x[2] >> 2] = x[3]",
        "load": "x[rd] = load(dmem, 256 + (x[rs1] & 4092), 4)",
    }
    latency = "1 + (x[3] & 3)" if timing == "dynamic" else "2"
    isa = tiny.isa({n: {"semantics": s, "latency": latency} for n, s in instrs.items()})
    lines = [("set", 3, 0, 0, 100), ("step",), ("add", 2, 2, 0, 1), bad, ("bne", 0, 1, 0, -12), "halt"]
    result = tiny.run(isa, lines, {"x": {1: 0}}, engine=engine)
    assert result.status == "trap"
    trap = result.trap
    assert (trap.kind, trap.pc, trap.line, trap.instruction) == (kind, 12, 4, instruction)
    iterations = int(result.state["x"][2])
    assert iterations > 40
    assert result.instret == 1 + 4 * (iterations - 1) + 2
    assert result.cycles == sum(line.cycles for line in result.profile.lines)
    assert sum(line.count for line in result.profile.lines) == result.instret
    if timing == "static":
        assert result.cycles == 2 * result.instret
    reference = tiny.run(isa, lines, {"x": {1: 0}}, engine="closures")
    assert not differences(reference, result)


def test_trap_names_the_registers_of_the_instruction(tiny: Any, engine: str) -> None:
    result = tiny.run(LOOP, [("set", 2, 0, 0, 7), ("div", 1, 2, 3)], engine=engine)
    assert dict(result.trap.registers) == {"x1": 0, "x2": 7, "x3": 0}
    assert "x2 = 7" in result.trap.diagnostic().render()


def test_a_trap_leaves_the_state_before_its_instruction(tiny: Any, engine: str) -> None:
    isa = tiny.isa({"both": "x[1] = 5; s = 3; x[(8 // x[2]) & 7] = 1; m[x[3]] = acc"})
    for x, kind in (({2: 0}, "arithmetic"), ({2: 1, 3: 2}, "misaligned")):
        result = tiny.run(isa, ["both"], {"x": x}, engine=engine)
        assert result.trap.kind == kind
        assert (result.state["x"][1], result.state["s"]) == (0, 0)


def test_which_of_two_traps_comes_first_is_the_same(tiny: Any, engine: str) -> None:
    isa = tiny.isa(
        {
            "index": "x[(1 // x[7]) & 7] = w[x[1]]",
            "row": "m[x[1]] = 1 // x[7]",
            "zero": "x[x[7] & 7] = 1 // x[7]",
            "order": "w[x[1]] = 1 // x[7]",
        }
    )
    for name in isa.definitions:
        if name != "halt":
            result = tiny.run(isa, [name], {"x": {1: 999}}, engine=engine)
            assert result.trap.kind == "arithmetic", name


def test_accesses_of_odd_lengths_trap(tiny: Any, engine: str) -> None:
    for length in (0, 3, 16, -1):
        result = tiny.run(LOOP, [("store", 0, 1, 2, length)], {"x": {1: 0x100}}, engine=engine)
        assert (result.trap.kind, result.instret) == ("illegal_operands", 0)


# --- where execution goes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [-4, -8, -1, -128, 3, 12, 100])
def test_a_jump_out_of_the_program_traps(tiny: Any, engine: str, offset: int) -> None:
    result = tiny.run(LOOP, [("jump", 0, 0, 0, offset), "halt"], engine=engine)
    assert result.trap.kind == "out_of_bounds"
    assert result.trap.pc == offset % (1 << 32)
    assert (result.trap.line, result.instret) == (None, 1)


def test_a_jump_to_the_end_of_the_program_does_what_the_isa_says(tiny: Any, engine: str) -> None:
    for ends, status in (("halt", "halted"), ("trap", "trap")):
        isa = tiny.isa(LOOP, ends=ends)
        assert tiny.run(isa, [("jump", 0, 0, 0, 8), "halt"], engine=engine).status == status


def test_halt_in_the_middle(tiny: Any, engine: str) -> None:
    isa = tiny.isa({**LOOP, "stop": "x[1] = 9\nif x[rs1] == 3: halt()"})
    lines = [("add", 2, 2, 0, 1), ("stop", 0, 2), ("jump", 0, 0, 0, -8)]
    result = tiny.run(isa, lines, engine=engine)
    assert (result.status, result.state["pc"], result.instret) == ("halted", 4, 8)
    assert result.state["x"][1] == 9


def test_empty_program(tiny: Any, engine: str) -> None:
    for ends, status in (("halt", "halted"), ("trap", "trap")):
        result = tiny.run(tiny.isa(LOOP, ends=ends), [], engine=engine)
        assert (result.status, result.instret, result.cycles, result.profile.lines) == (status, 0, 0, [])


@pytest.mark.parametrize("pc", [0, 4, 8, 12, 2, 1 << 40])
def test_entry_by_state(tiny: Any, engine: str, pc: int) -> None:
    result = tiny.run(LOOP, [("set", 1, 0, 0, 1), ("set", 2, 0, 0, 2), "halt"], {"pc": pc}, engine=engine)
    assert result.status == ("halted" if pc in (0, 4, 8, 12) else "trap")
    assert result.state["x"].tolist()[1:3] == {0: [1, 2], 4: [0, 2]}.get(pc, [0, 0])


def test_blocks_that_end_alike_report_their_own_lines(tiny: Any, engine: str) -> None:
    """Two blocks with the same generated source: the first instruction of the longer one leaves no code."""
    isa = tiny.isa({**LOOP, "nop": "x[0] = 0"})
    lines = [("nop",), ("load", 2, 3), ("add", 1, 1, 0, 1), ("bne", 0, 1, 4, -8), "halt"]
    result = tiny.run(isa, lines, {"x": {3: 0x100, 4: 50}}, engine=engine, fill="pattern")
    assert {read.line for read in result.undefined_reads} == {2}


# --- words of several lengths ----------------------------------------------------------------------------------------


def mixed(ends: str = "halt") -> Isa:
    return Isa(
        "mixed",
        [Reg("x", bits=4, prefix="x"), Imm("u8", bits=8), Imm("u16", bits=16)],
        [RegFile("x", 16, bits=32)],
        [
            Instr("li rd:x, imm:u8", "imm rd 0001", "x[rd] = imm", "alu", "u"),
            Instr("lw rd:x, imm:u16", "imm -------- rd 0010", "x[rd] = imm", "alu", "u", latency=3),
            Instr("j rd:x", "-------- rd 0011", "pc = x[rd]", "branch", "u"),
            Instr("hop", "-{28} 0110", "pc = next_pc", "branch", "u"),
        ],
        width=32,
        ends=ends,
    )


def assemble_mixed(isa: Isa, *items: tuple[int, int]) -> Program:
    addresses = [sum(length for _, length in items[:i]) for i in range(len(items))]
    return Program(
        isa.name,
        isa.digest,
        [word for word, _ in items],
        addresses,
        range(1, len(items) + 1),
        4,
        1,
        [length for _, length in items],
    )


def test_words_of_two_lengths(engine: str) -> None:
    isa = mixed()
    program = assemble_mixed(isa, (0x0511, 2), (0x12340022, 4), (0x0006, 4), (0x0733, 2), (0x0711, 2))
    result = Simulator(isa, Machine("m")).run(program, {"x": {3: 12}}, engine=engine)
    assert result.status == "halted"
    assert result.state["x"][:4].tolist() == [0, 7, 0x1234, 12]
    assert (result.instret, result.cycles) == (5, 7)
    assert [line.pc for line in result.profile.lines] == [0, 2, 6, 10, 12]


@pytest.mark.parametrize("first", [0, 1])
def test_equal_words_of_other_lengths_are_other_instructions(engine: str, first: int) -> None:
    """0x0511 is an instruction of 16 bits; the same number in 32 bits is none."""
    isa = mixed()
    items = [(0x0511, 2), (0x0511, 4)]
    program = assemble_mixed(isa, *(items if first == 0 else items[::-1]))
    result = Simulator(isa, Machine("m")).run(program, engine=engine)
    assert (result.status, result.trap.kind, result.instret) == ("trap", "illegal_instruction", 1 - first)
    assert "0x00000511" in result.trap.message


def test_jump_into_the_middle_of_a_word_traps(engine: str) -> None:
    isa = mixed()
    program = assemble_mixed(isa, (0x12340022, 4), (0x0033, 2))
    result = Simulator(isa, Machine("m")).run(program, {"x": {3: 2}}, engine=engine)
    assert (result.trap.kind, result.trap.pc) == ("out_of_bounds", 2)


# --- limits ----------------------------------------------------------------------------------------------------------

COUNT = [("add", 1, 1, 0, 1), ("add", 2, 2, 0, 2), ("jump", 0, 0, 0, -8)]


@pytest.mark.parametrize("most", [0, 1, 2, 3, 100, 299, 300, 301])
def test_instruction_limit_is_exact(tiny: Any, engine: str, most: int) -> None:
    result = tiny.run(LOOP, COUNT, limits=Limits(most), engine=engine)
    assert (result.status, result.limit.kind, result.instret, result.cycles) == ("limit", "instructions", most, most)
    assert result.limit.pc == 4 * (most % 3)
    assert result.limit.line == most % 3 + 1
    assert result.state["x"][1] == (most + 2) // 3
    assert "instructions" in result.limit.as_dict()["message"]


@pytest.mark.parametrize("most", [0, 1, 2, 7, 100, 301, 302])
@pytest.mark.parametrize("latency", ["3", "1 + (x[1] & 3)"])
def test_cycle_limit_stops_after_the_instruction_that_passes_it(
    tiny: Any, engine: str, most: int, latency: str
) -> None:
    isa = tiny.isa({n: {"semantics": s, "latency": latency} for n, s in LOOP.items()})
    result = tiny.run(isa, COUNT, limits=Limits(1000, cycles=most), engine=engine)
    assert (result.status, result.limit.kind) == ("limit", "cycles")
    last = tiny.run(isa, COUNT, limits=Limits(result.instret - 1), engine=engine)
    assert last.cycles <= most < result.cycles


@pytest.mark.parametrize("latency", ["1", "1 + (x[1] & 3)"])
def test_wall_time_stops_an_endless_loop(tiny: Any, engine: str, latency: str) -> None:
    isa = tiny.isa({n: {"semantics": s, "latency": latency} for n, s in LOOP.items()})
    start = time.monotonic()
    result = tiny.run(isa, COUNT, limits=Limits(1 << 50, wall_time=0.1), engine=engine)
    assert (result.status, result.limit.kind) == ("limit", "wall_time")
    assert time.monotonic() - start < 1


def test_wall_time_holds_for_slow_instructions(tiny: Any, engine: str) -> None:
    nap = Primitive("nap", ("int",), "", lambda context: lambda milliseconds: time.sleep(milliseconds / 1000))
    isa = tiny.isa({"nap": "nap(imm)", "jump": "pc = pc + imm"}, primitives=[nap])
    start = time.monotonic()
    result = tiny.run(isa, [("nap", 0, 0, 0, 2), ("jump", 0, 0, 0, -4)], limits=Limits(wall_time=0.1), engine=engine)
    assert (result.status, result.limit.kind) == ("limit", "wall_time")
    assert time.monotonic() - start < 1.5


class Clock:
    """State whose primitive lowers the deadline."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.seen: list[int] = []


def lower_deadline(context: Any, clock: Clock) -> Any:
    def lower(more: int) -> int:
        clock.seen.append(context.instret)
        if more and context.deadline == context.instruction_limit:
            context.deadline = min(context.instret + more, context.instruction_limit)
            context.explain = lambda: ("loop", "the loop runs too long")
        return 1

    return lower


@pytest.mark.parametrize("jumps", [False, True])
@pytest.mark.parametrize("more", [1, 2, 5, 100])
def test_a_primitive_may_lower_the_deadline(tiny: Any, engine: str, more: int, jumps: bool) -> None:
    lower = Primitive("lower", ("rw:clock", "int"), "int<0,1>", lower_deadline)
    text = "x[1] = x[1] + lower(clock, imm if x[1] >= 60 else 0)"
    isa = tiny.isa(
        {**LOOP, "lower": text + ("; pc = pc - 4" if jumps else "")},
        state=[Opaque("clock", Clock, clocked=True)],
        primitives=[lower],
    )
    lines = [("add", 2, 2, 0, 1), ("lower", 0, 0, 0, more), ("jump", 0, 0, 0, -8)]
    result = tiny.run(isa, lines, engine=engine)
    assert (result.status, result.limit.kind) == ("limit", "loop")
    each = 2 if jumps else 3
    assert result.instret == 60 * each + 1 + more
    assert result.cycles == result.instret


# --- undefined memory ------------------------------------------------------------------------------------------------


def test_undefined_reads_are_reported_with_place(tiny: Any, engine: str) -> None:
    isa = tiny.isa({**LOOP, "peek": "x[rd] = w[x[rs1]]; acc = m[x[rs2] * 4]"})
    lines = [
        ("peek", 1, 4, 5),  # w[3], m[8]: defined
        ("peek", 2, 5, 4),  # w[2], m[12]: not
        ("load", 3, 6),  # the second granule of 64 bytes
        ("load", 3, 7),
        "halt",
    ]
    state = {"x": {4: 3, 5: 2, 6: 0x140, 7: 0x13C}, "w": {3: 1}, "m": {2: [1] * 4}, "dmem": {0x13C: b"abcd"}}
    runs = [tiny.run(isa, lines, state, engine=engine, fill="pattern", seed=seed) for seed in (1, 1, 2)]
    reads = [(r.memory, r.address, r.pc, r.line) for r in runs[0].undefined_reads]
    assert reads == [("w", 2, 4, 2), ("m", 12, 4, 2), ("dmem", 0x140, 8, 3)]
    assert runs[0].undefined_count == len(reads)
    values = [(int(r.state["x"][2]), r.state["acc"].tolist(), int(r.state["x"][3])) for r in runs]
    assert values[0] == values[1]
    assert values[0][0] != values[2][0]
    assert values[0][1] != values[2][1]
    assert values[0][2] == int.from_bytes(b"abcd", "little")
    zero = tiny.run(isa, lines, state, engine=engine)
    assert (zero.undefined_reads, zero.undefined_count) == ((), 0)


def test_presets_survive_the_pattern(tiny: Any) -> None:
    data = bytes(range(1, 71))
    result = tiny.run(LOOP, ["halt"], {"dmem": {0x110: data}}, fill="pattern")
    assert result.state["dmem"].at(0x110, 70).tobytes() == data


def test_untouched_memory_shows_its_noise_outside_too(tiny: Any, engine: str) -> None:
    """A kernel that leaves its output as it was must not be right because zeros were wanted."""
    runs = [tiny.run(LOOP, ["halt"], {"m": {1: [1] * 4}}, fill="pattern", seed=s, engine=engine) for s in (1, 1, 2)]
    rows = [run.state["m"][:3] for run in runs]
    assert rows[0][1].tolist() == [1] * 4
    assert rows[0][0].all()
    assert rows[0][2].all()
    assert rows[0].tolist() == rows[1].tolist()
    assert rows[0].tolist() != rows[2].tolist()
    data = [run.state["dmem"] for run in runs]
    assert len(set(data[0][900:].tolist())) > 50
    assert data[0].at(0x4E0, 8).tolist() == data[1][-8:].tolist() == data[0][992:].tolist()
    assert data[0][:].tolist() != data[2][:].tolist()
    assert runs[0].state["m"].touched == [1]


def test_words_of_noise_are_values_of_their_format(tiny: Any, engine: str) -> None:
    isa = tiny.isa({"get": "fs = fw[imm]; g[rd] = fw[imm]"})
    result = tiny.run(isa, [("get", 0, 0, 0, 3)], fill="pattern", engine=engine)
    assert result.state["fs"] == result.state["g"][0] != 0


# --- results in flight -----------------------------------------------------------------------------------------------


def slow(tiny: Any, **more: Any) -> Isa:
    instrs = {
        **LOOP,
        "late": {"semantics": "x[rd] = imm", "delay": 10},
        "soon": {"semantics": "x[rd] = imm", "delay": 3},
        "pick": {"semantics": "x[x[rs1] & 7] = imm; s = imm", "delay": 3},
        "wait": {"semantics": "x[0] = 0", "latency": "imm & 63"},
        "pure": "x[rd] = s",
        **more,
    }
    isa: Isa = tiny.isa(instrs)
    return isa


def test_a_result_is_visible_after_its_delay(tiny: Any, engine: str) -> None:
    for pause in range(12):
        lines = [("late", 1, 0, 0, 5), ("wait", 0, 0, 0, pause), ("add", 2, 1, 0, 0), "halt"]
        result = tiny.run(slow(tiny), lines, engine=engine)
        assert result.state["x"].tolist()[1:3] == [5, 5 if 1 + pause >= 10 else 0]
        assert result.cycles == max(3 + pause, 10)  # work in flight is drained and counted


def test_delays_cross_blocks(tiny: Any, engine: str) -> None:
    lines = [
        ("soon", 1, 0, 0, 5),
        ("jump", 0, 0, 0, 4),
        ("add", 2, 1, 0, 0),
        ("jump", 0, 0, 0, 4),
        ("add", 3, 1),
        "halt",
    ]
    result = tiny.run(slow(tiny), lines, engine=engine)
    assert result.state["x"].tolist()[1:4] == [5, 0, 5]


def test_results_arrive_in_the_order_of_time(tiny: Any, engine: str) -> None:
    for pause in (0, 5, 20):
        lines = [("late", 1, 0, 0, 1), ("soon", 1, 0, 0, 2), ("wait", 0, 0, 0, pause), ("add", 2, 1), "halt"]
        result = tiny.run(slow(tiny), lines, engine=engine)
        assert result.state["x"][1] == 1  # the earlier instruction's result is the later one
        assert result.state["x"][2] == {0: 0, 5: 2, 20: 1}[pause]


def test_delays_hold_for_computed_numbers_and_single_registers(tiny: Any, engine: str) -> None:
    lines = [
        ("set", 1, 0, 0, 3),
        ("pick", 0, 1, 0, 7),
        ("pick", 0, 0, 0, 9),
        ("pure", 2),
        ("wait", 0, 0, 0, 9),
        ("pure", 4),
    ]
    result = tiny.run(slow(tiny), lines, engine=engine)
    assert result.state["x"].tolist()[:5] == [0, 3, 0, 7, 9]


def test_strict_runs_refuse_what_is_not_ready(tiny: Any, engine: str) -> None:
    isa = slow(tiny)
    for last in (("add", 2, 1), ("set", 1)):
        lines = [("soon", 1, 0, 0, 5), last, "halt"]
        assert tiny.run(isa, lines, engine=engine).status == "halted"
        result = tiny.run(isa, lines, engine=engine, strict=True)
        assert (result.trap.kind, result.trap.pc, result.instret) == ("hazard", 4, 1)
        assert "x[1] is not ready before cycle 3" in result.trap.message
    lines = [("pick", 0, 1, 0, 5), ("pure", 2), "halt"]
    assert tiny.run(isa, lines, engine=engine, strict=True).trap.kind == "hazard"


def test_functional_runs_compute_the_same_with_delays(tiny: Any, engine: str) -> None:
    lines = [("late", 1, 0, 0, 5), ("wait", 0, 0, 0, 20), ("add", 2, 1, 0, 0), "halt"]
    result = tiny.run(slow(tiny), lines, engine=engine, timing="none", machine=Machine("m", clock_ns=1.0))
    assert result.state["x"][2] == 5
    assert result.latency_ns is None


# --- prices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "latency",
    ["1 + x[rs1] % 4", "x[rs2] & 3", "imm & 3", "2 if imm > 0 else y[rs1] & 7", "1 + (pc & 7)", "x[0] + 1", "s"],
)
def test_cycles_are_the_same_whatever_decides_them(tiny: Any, latency: str) -> None:
    isa = tiny.isa({**LOOP, "work": {"semantics": "x[1] = x[1] + 1; y[1] = y[1] + 3", "latency": latency}})
    for operands in ((0, 0, 0, 5), (0, 1, 1, -5), (0, 0, 1, 0), (0, 1, 0, 1)):
        lines = [("work", *operands), ("work", *operands), ("add", 2, 2, 0, 1), ("bne", 0, 2, 5, -12), "halt"]
        runs = [tiny.run(isa, lines, {"x": {5: 100}, "s": 3}, engine=e) for e in ("closures", "generated", "auto")]
        assert not differences(runs[0], runs[1])
        assert not differences(runs[0], runs[2])
        assert sum(line.cycles for line in runs[0].profile.lines) == runs[0].cycles


def test_a_timing_rule_sees_time_and_values(tiny: Any, engine: str) -> None:
    seen: list[tuple[int, ...]] = []

    def price(now: int, *values: int) -> int:
        seen.append((now, *values))
        return values[0] % 5

    class Model:
        def rule(self, definition: Any) -> Rule | None:
            return Rule(("x[1]", "imm"), price, 4) if definition.name == "add" else None

    machine = Machine("m", timing=lambda isa, machine: Model())
    result = tiny.run(
        LOOP, [("add", 1, 1, 0, 1), ("bne", 0, 1, 2, -4), "halt"], {"x": {2: 90}}, machine=machine, engine=engine
    )
    assert seen[:3] == [(0, 0, 1), (1, 1, 1), (3, 2, 1)]
    assert len(seen) == 90
    assert result.cycles == sum(i % 5 for i in range(90)) + 90 + 1
    assert result.profile.by_mnemonic == {"add": 180, "bne": 90, "halt": 1}
    assert result.profile.by_unit == {"u": 271}
    assert result.profile.by_category == {"alu": 270, "sync": 1}
    assert result.profile.counts == {"add": 90, "bne": 90, "halt": 1}
    assert result.profile.hottest(1)[0].mnemonic == "add"


def test_trace(tiny: Any, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [("add", 1, 1, 0, 1), ("bne", 0, 1, 2, -4), "halt"]
    state = {"x": {2: 2}}
    result = tiny.run(LOOP, lines, state, engine=engine, trace=True)
    assert result.trace == [(0, 1, 0), (1, 1, 4), (2, 1, 0), (3, 1, 4), (4, 1, 8)]
    assert not differences(result, tiny.run(LOOP, lines, state, engine=engine))
    monkeypatch.setattr("kernelcraft_core.sim.engine.MAX_TRACE", 3)
    assert len(tiny.run(LOOP, lines, state, engine=engine, trace=True).trace) == 3
    assert tiny.run(LOOP, lines, state, engine=engine).trace is None
