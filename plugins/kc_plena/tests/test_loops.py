"""The limit on the instructions of one loop iteration, against a model that counts as the emulator does.

Source: AICrossSim/PLENA at ecd5acb, behavioral_simulator/src/main.rs: before each instruction every active loop counts one
and the run stops when a count passes MAX_LOOP_INSTRUCTIONS; C_LOOP_END starts the count of its loop again.
"""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelcraft_core as kc
from kernelcraft_core.testing.programs import build

MOST = 5
ENGINES = ("closures", "generated")


@functools.cache
def target() -> kc.Target:
    return kc.target("plena", overrides={"MAX_LOOP_INSTRUCTIONS": MOST})


def model(lines: list[tuple[str, int, int]], instructions: int) -> tuple[str, int, int]:
    """Return (how it ends, retired instructions, pc) of a program of loop starts, loop ends and fillers."""
    registers = [0] * 16
    loops: list[list[int]] = []  # start pc, register, count
    pc = retired = 0
    while pc < len(lines):
        if retired == instructions:
            return "instructions", retired, pc
        for loop in loops:
            loop[2] += 1
            if loop[2] > MOST:
                return "loop", retired, pc
        name, register, times = lines[pc]
        pc += 1
        if name == "C_LOOP_START":
            registers[register] = times
            loops.append([pc - 1, register, 0])
        elif name == "C_LOOP_END":
            found = next((loop for loop in reversed(loops) if loop[1] == register), None)
            if found is None:
                return "loop_stack", retired, pc - 1
            if registers[register] > 1:
                registers[register] -= 1
                found[2] = 0
                pc = found[0] + 1
            else:
                registers[register] = 0
                loops.remove(found)
        retired += 1
    return "halted", retired, pc


def observed(lines: list[tuple[str, int, int]], instructions: int, engine: str) -> tuple[str, int, int]:
    isa = target().isa
    program = build(isa, [(isa[n], {"rd": r, "rs1": r, "imm": t}) for n, r, t in lines])
    result = target().simulate(program, limits=kc.Limits(instructions=instructions), engine=engine)
    ending = result.limit.kind if result.limit else result.trap.kind if result.trap else result.status
    return ending, result.instret, result.state["pc"]


LINES = st.lists(
    st.one_of(
        st.tuples(st.just("C_LOOP_START"), st.integers(1, 3), st.integers(1, 4)),
        st.tuples(st.just("C_LOOP_END"), st.integers(1, 3), st.just(0)),
        st.tuples(st.just("S_ADDI_INT"), st.integers(5, 6), st.just(1)),
    ),
    max_size=14,
)


@settings(max_examples=300, deadline=None)
@given(lines=LINES, instructions=st.sampled_from([10_000, 10_000, 3, 17]))
@pytest.mark.parametrize("engine", ENGINES)
def test_random_loops_end_as_the_model_says(engine: str, lines: list[tuple[str, int, int]], instructions: int) -> None:
    assert observed(lines, instructions, engine) == model(lines, instructions)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("fillers", "ends"), [(4, ("halted", 16, 6)), (5, ("loop", 6, 6)), (9, ("loop", 6, 6))])
def test_the_first_iteration_counts_too(engine: str, fillers: int, ends: tuple[str, int, int]) -> None:
    lines = [("C_LOOP_START", 1, 3), *[("S_ADDI_INT", 5, 1)] * fillers, ("C_LOOP_END", 1, 0)]
    assert observed(lines, 10_000, engine) == ends


def test_the_message_names_the_loop_and_the_limit() -> None:
    text = "S_ADDI_INT gp5, gp0, 1\nC_LOOP_START gp1, 2\n" + "S_ADDI_INT gp5, gp5, 1\n" * 6 + "C_LOOP_END gp1"
    result = target().simulate(target().assemble(text))
    assert (result.status, result.limit.kind, result.limit.pc, result.limit.line) == ("limit", "loop", 7, 8)
    assert "started at pc 1" in result.limit.message
    assert "5 instructions" in result.limit.message
