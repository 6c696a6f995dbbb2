"""What the instructions do, against a reference of its own and against programs measured on an RTL."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.facade import Target
from kernelcraft_core.sim import Limits, RunResult

Run = Callable[..., RunResult]
HERE = Path(__file__).parent
DATA = 0x10000
EDGES = (0, 1, 2, 5, 31, 32, 0x7FF, 0x800, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF)
REGISTER = "add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu".split()
IMMEDIATE = {"addi": "add", "slti": "slt", "sltiu": "sltu", "xori": "xor", "ori": "or", "andi": "and"}
SHIFTS = {"slli": "sll", "srli": "srl", "srai": "sra"}

_spec = importlib.util.spec_from_file_location("rv_reference", HERE / "reference.py")
assert _spec is not None
assert _spec.loader is not None
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)


def pairs() -> list[tuple[int, int]]:
    rng = random.Random(7)
    return [(a, b) for a in EDGES for b in EDGES] + [(rng.getrandbits(32), rng.getrandbits(32)) for _ in range(60)]


def table(run: Run, lines: list[str], values: list[tuple[int, int]]) -> list[list[int]]:
    """Return, for each pair in a0 and a1, what each line leaves in a2."""
    step = 4 * len(lines)
    body = "\n".join(f"{line}\nsw a2, {4 * i}(s1)" for i, line in enumerate(lines))
    text = f"""
            la s0, pairs; li s1, 0x20000000; li s2, {len(values)}
        1:  lw a0, 0(s0); lw a1, 4(s0)
            {body}
            addi s0, s0, 8; addi s1, s1, {step}; addi s2, s2, -1
            bnez s2, 1b
            mpause
            .data
        pairs: .word {", ".join(f"{a}, {b}" for a, b in values)}
    """
    result = run(text)
    assert result.ok, result.trap
    found = result.state["far"].at(0x2000_0000, step * len(values)).view("<u4").reshape(len(values), -1)
    return [[int(x) for x in row] for row in found]


def test_register_instructions_give_what_the_reference_gives(run: Run) -> None:
    values = pairs()
    found = table(run, [f"{name} a2, a0, a1" for name in REGISTER], values)
    assert found == [[reference.register(name, a, b) for name in REGISTER] for a, b in values]


def test_immediate_instructions_give_what_the_reference_gives(run: Run) -> None:
    immediates = (-2048, -1, 0, 1, 5, 2047)
    cases = [(name, imm) for name in IMMEDIATE for imm in immediates] + [(n, s) for n in SHIFTS for s in (0, 1, 31)]
    values = [(a, 0) for a, _ in pairs()][::3]
    found = table(run, [f"{name} a2, a0, {imm}" for name, imm in cases], values)
    names = IMMEDIATE | SHIFTS
    assert found == [[reference.register(names[n], a, i % 2**32) for n, i in cases] for a, _ in values]


def test_branches_are_taken_when_the_reference_says_so(run: Run) -> None:
    names = ("beq", "bne", "blt", "bge", "bltu", "bgeu")
    values = pairs()
    found = table(run, [f"li a2, 1; {name} a0, a1, 2f; li a2, 0; 2:" for name in names], values)
    assert found == [[int(reference.taken(name, a, b)) for name in names] for a, b in values]


@pytest.mark.parametrize("memory", [DATA + 0x100, 0x2000_0100])
def test_loads_and_stores_of_any_alignment_move_bytes(run: Run, memory: int) -> None:
    rng = random.Random(3)
    data = bytearray(rng.randbytes(64))
    names = ("lb", "lbu", "lh", "lhu", "lw")
    loads = [(name, at) for name in names for at in range(9)]
    stores = [(name, at) for name, at in zip(("sb", "sh", "sw", "sw", "sh"), (20, 25, 31, 36, 44), strict=True)]
    text = f"li s0, {memory}; li s1, {DATA}\n"
    text += "".join(f"{name} a0, {at}(s0); sw a0, {4 * i}(s1)\n" for i, (name, at) in enumerate(loads))
    text += "li a1, 0x89abcdef\n" + "".join(f"{name} a1, {at}(s0)\n" for name, at in stores) + "mpause"
    where = "data" if memory < 0x2000_0000 else "far"
    result = run(text, {where: {memory: bytes(data)}})
    found = result.state["data"].at(DATA, 4 * len(loads)).view("<u4").tolist()
    assert found == [reference.loaded(name, bytes(data[at:])) for name, at in loads]
    for name, at in stores:
        size = {"b": 1, "h": 2, "w": 4}[name[1]]
        data[at : at + size] = 0x89ABCDEF.to_bytes(4, "little")[:size]
    assert result.state[where].at(memory, 64).tobytes() == data


def test_jumps_link_and_clear_the_lowest_bit(run: Run) -> None:
    result = run(
        """
            jal a0, 1f
            li a7, 1
        1:  la a1, 2f
            addi a1, a1, 1
            jalr a2, 0(a1)
            li a7, 2
        2:  la a3, 3f
            addi a3, a3, -8
            jalr a3, 8(a3)          # reads its base before it writes it
            li a7, 3
        3:  auipc a4, 0xfffff
            lui a5, 0x80000
            mpause
        """
    )
    assert result.ok
    x = [int(value) for value in result.state["x"]]
    assert (x[10], x[12], x[13], x[17]) == (4, 24, 44, 0)
    assert (x[14], x[15]) == ((48 - 0x1000) % 2**32, 0x8000_0000)


def test_x0_stays_zero(run: Run) -> None:
    result = run(
        "addi zero, zero, 5; lui x0, 1; auipc x0, 1; jal x0, 1f; 1: lw x0, 0(sp); add a0, x0, x0; mpause",
        {"x": {2: DATA}},
    )
    assert result.ok
    assert result.state["x"][[0, 10]].tolist() == [0, 0]


@pytest.mark.parametrize("name", sorted(json.loads((HERE / "vectors" / "rtl_programs.json").read_text())["programs"]))
def test_programs_leave_the_registers_measured_on_the_rtl(run: Run, name: str) -> None:
    measured = json.loads((HERE / "vectors" / "rtl_programs.json").read_text())["programs"][name]
    result = run(measured["text"])
    assert result.ok, result.trap
    assert [hex(value) for value in result.state["x"]] == measured["x"]
    assert result.instret == measured["instructions"]


# --- control and status registers ----------------------------------------------------------------------------------------


def test_csr_instructions_read_and_change_bits(run: Run) -> None:
    result = run(
        """
            li s0, 0xf0f0; csrw mscratch, s0
            li s1, 0x0ff0
            csrrs a0, mscratch, s1
            csrrc a1, mscratch, s1
            csrrw a2, mscratch, s1
            csrrwi a3, mscratch, 31
            csrrsi a4, mscratch, 0
            csrrci a5, mscratch, 3
            csrr a6, mscratch
            mpause
        """
    )
    assert result.ok
    expected = [0xF0F0, 0xFFF0, 0xF000, 0x0FF0, 31, 31, 28]
    assert [int(value) for value in result.state["x"][10:17]] == expected


def test_csr_rows_say_what_reads_show_and_writes_change(run: Run) -> None:
    text = (
        "li t0, -1; csrw vxsat, t0; csrr a0, vxsat; csrw vxrm, t0; csrr a1, vxrm; csrw misa, t0; csrr a2, misa; mpause"
    )
    result = run(text)
    assert result.ok
    assert [int(value) for value in result.state["x"][10:13]] == [1, 3, 0x4020_1120]
    assert result.state["vxrm"] == 3


def test_counters_count_and_can_be_set(run: Run) -> None:
    text = """
        csrr a0, minstret; nop; nop; csrr a1, minstret; sub a1, a1, a0
        csrr a2, mcycle; nop; csrr a3, mcycle; sub a3, a3, a2
        li t0, -1; csrw mcycle, t0; csrr a4, mcycleh; csrr a5, mcycleh
        mpause
    """
    result = run(text)
    assert result.ok
    assert [int(result.state["x"][i]) for i in (10, 11, 12, 13, 15)] == [0, 3, 5, 2, 1]


@pytest.mark.parametrize("text", ["csrr a0, 0x123", "csrw mhartid, a0", "csrw vstart, sp", "csrrs a0, mhartid, sp"])
def test_forbidden_csr_accesses_are_illegal_instructions(run: Run, text: str) -> None:
    result = run(f"nop\n{text}", {"x": {2: DATA}})
    assert result.trap is not None
    assert (result.trap.kind, result.trap.pc) == ("illegal_instruction", 4)
    assert result.trap.detail == {"cause": 2, "value": 0}
    assert result.state["x"][10] == 0


@pytest.mark.parametrize(
    "text", ["csrr a0, mhartid", "csrrs a0, mhartid, x0", "csrrci a0, mhartid, 0", "csrwi vstart, 0"]
)
def test_harmless_csr_accesses_are_accepted(run: Run, text: str) -> None:
    assert run(f"{text}\nmpause").ok


# --- traps -----------------------------------------------------------------------------------------------------------------

TRAPS: dict[str, tuple[str, int, int, int]] = {
    "ecall": ("environment", 11, 0, 0),
    "ebreak": ("breakpoint", 3, 0, 0),
    ".word 0": ("illegal_instruction", 2, 0, 0),
    ".word 0xffffffff": ("illegal_instruction", 2, 0, 0xFFFF_FFFF),
    "lw a0, 0(zero)\nlw a0, -4(zero)": ("out_of_bounds", 5, 4, 0xFFFF_FFFC),
    "lw a0, 0x7fd(sp)": ("out_of_bounds", 5, 0, 0x17FFD),
    "lb a0, 0x7ff(sp)\nlb a0, 0(sp)\nlui a0, 0x18\nlb a0, 0(a0)": ("out_of_bounds", 5, 12, 0x18000),
    "sw a0, 16(zero)": ("out_of_bounds", 7, 0, 16),
    "li t0, 0x30000\nsh a0, 2(t0)": ("out_of_bounds", 7, 4, 0x30002),
    "j .+6": ("misaligned", 0, 0, 6),
    "nop\nbeq x0, x0, .+10": ("misaligned", 0, 4, 14),
    "li t0, 7\njr t0": ("misaligned", 0, 4, 6),
    "lui t0, 0x10\njr t0": ("out_of_bounds", 1, 0x10000, 0x10000),
    "li t0, 0x1ffc\njr t0": ("illegal_instruction", 2, 0x1FFC, 0),
    "j .+0x2000": ("out_of_bounds", 1, 0x2000, 0x2000),
    "nop": ("illegal_instruction", 2, 4, 0),
}


@pytest.mark.parametrize("text", TRAPS)
def test_what_goes_wrong_has_kind_cause_and_value(run: Run, text: str) -> None:
    from kernelcraft_core.riscv import cause_of

    result = run(text, {"x": {2: 0x17800}})
    kind, cause, pc, value = TRAPS[text]
    assert result.trap is not None
    assert (result.trap.kind, result.trap.pc) == (kind, pc)
    assert cause_of(result.trap.kind, result.trap.detail) == (cause, value)


def test_a_jump_that_traps_writes_nothing(run: Run) -> None:
    result = run("jal ra, .+6")
    assert result.trap is not None
    assert result.state["x"][1] == 0


def test_a_branch_that_is_not_taken_may_have_a_misaligned_target(run: Run) -> None:
    assert run("bne x0, x0, .+6\nmpause").ok


def test_reserved_fence_encodings_run_unless_strict(rv: Target) -> None:
    program = rv.assemble(".word 0x0ff5050f\nmpause")
    assert rv.simulate(program).ok
    assert rv.simulate(program, strict=True).status == "trap"


# --- programs and memories -----------------------------------------------------------------------------------------------


def test_a_program_with_calls_stack_strings_and_data_runs(run: Run) -> None:
    text = r"""
            .equ ROUNDS, 10
            .globl _start
        _start:
            lui sp, 0x18
            la a0, text
            call length
            mv s0, a0
            li a0, ROUNDS
            call fibonacci
            sw a0, result, t0
            la t0, sum
            lw t1, (t0)
            add t1, t1, s0
            sw t1, (t0)
            mpause
        length:                     # bytes before the 0
            mv t0, a0
        1:  lbu t1, (t0)
            beqz t1, 2f
            addi t0, t0, 1
            j 1b
        2:  sub a0, t0, a0
            ret
        fibonacci:
            li t0, 2
            blt a0, t0, 1f
            addi sp, sp, -16
            sw ra, 12(sp); sw s0, 8(sp); sw s1, 4(sp)
            mv s0, a0
            addi a0, a0, -1
            call fibonacci
            mv s1, a0
            addi a0, s0, -2
            call fibonacci
            add a0, a0, s1
            lw ra, 12(sp); lw s0, 8(sp); lw s1, 4(sp)
            addi sp, sp, 16
        1:  ret
            .rodata
        text: .string "seven\tc"
            .data
            .balign 4
        sum: .word 100
            .bss
            .balign 4
        result: .space 4
    """
    result = run(text, fill="pattern", seed=5)
    assert result.ok, result.trap
    program_data = result.state["data"]
    assert int.from_bytes(program_data.at(0x10010, 4).tobytes(), "little") == 107
    assert int.from_bytes(program_data.at(0x10020, 4).tobytes(), "little") == 55
    assert result.undefined_count == 0


def test_what_no_section_defines_is_noise_when_asked_for(run: Run) -> None:
    result = run("lui t0, 0x11\nlw a0, (t0)\nmpause", fill="pattern", seed=1)
    assert result.undefined_count == 1
    assert result.undefined_reads[0].memory == "data"


def test_presets_go_over_what_the_program_brings(run: Run) -> None:
    result = run("la t0, x; lw a0, (t0); mpause; .data; x: .word 5", {"data": {DATA: b"\x07"}})
    assert result.state["x"][10] == 7


def test_code_can_be_read_as_data(run: Run) -> None:
    result = run("here: lw a0, here\nmpause")
    assert result.state["x"][10] == 0x0000_0517


def test_a_section_outside_all_memories_is_refused(rv: Target) -> None:
    import attrs

    from kernelcraft_core.diagnostics import MachineError
    from kernelcraft_core.isa import Section

    program = attrs.evolve(rv.assemble("nop"), data=(Section(".data", 0x17FFF, b"ab", code=False),))
    with pytest.raises(MachineError) as caught:
        rv.simulate(program)
    assert caught.value.diagnostics[0].code == "KC0514"


def test_the_space_itself_cannot_be_preset(rv: Target) -> None:
    from kernelcraft_core.diagnostics import MachineError

    state: dict[str, Any] = {"mem": b"abc"}
    with pytest.raises(MachineError, match="preset its memories"):
        rv.simulate(rv.assemble("mpause"), state)


def test_limits_hold_in_an_endless_loop(rv: Target) -> None:
    for engine in ("closures", "generated"):
        result = rv.simulate(rv.assemble("1: j 1b"), limits=Limits(instructions=1000), engine=engine)
        assert (result.status, result.instret) == ("limit", 1000)
