"""Random programs on the target and on the independent interpreter of `reference/`: state, or why they stop."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from coral_reference.machine import Machine, Rejected, Trap

from kc_coral.random_programs import CoralPrograms
from kernelcraft_core.facade import Target, target
from kernelcraft_core.isa import Program
from kernelcraft_core.riscv import cause_of
from kernelcraft_core.sim import Limits, RunResult

DTCM, EXTERNAL = 0x1_0000, 0x2000_0000
PARTS, PROGRAMS = 4, 240
LIMIT = 5_000
OURS_ALONE = "segments of"
"""A rule that the interpreter does not check: stores of segments that overlap in memory."""


class Untimed(CoralPrograms):
    """Programs that read no counter: the interpreter has no clock."""

    csrs = tuple(number for number in CoralPrograms.csrs if number >> 8 != 0xB)


@cache
def coral() -> Target:
    return target("coral")


def interpreted(program: Program, state: dict[str, Any]) -> tuple[Machine, tuple[Any, ...]]:
    """Return the interpreter after a program, and how it ended."""
    machine = Machine()
    for register, value in state["x"].items():
        machine.x[register] = value
    machine.v[:] = bytes(byte for row in state["v"] for byte in row)
    machine.csrs[0x00A] = state["vxrm"]
    machine.preset(DTCM, state["dtcm"])
    for address, data in state["external"].items():
        machine.preset(address, data)
    machine.preset(0, b"".join(word.to_bytes(4, "little") for word in program.words))
    try:
        return machine, (machine.run(LIMIT),)
    except Trap as trap:
        return machine, ("trap", trap.cause, machine.pc)
    except Rejected:
        return machine, ("rejected", machine.pc)


def ending(result: RunResult) -> tuple[Any, ...]:
    """Return how the target ended, in the interpreter's words."""
    if result.trap is None:
        return (result.status,)
    if result.trap.kind == "illegal_operands":
        return ("rejected", result.trap.pc)
    cause = cause_of(result.trap.kind, result.trap.detail)
    return ("trap", None if cause is None else cause[0], result.trap.pc)


def differences(machine: Machine, result: RunResult) -> list[str]:
    """Return the names of what differs."""
    external = machine.memory[EXTERNAL]
    pairs = {
        "x": (machine.x, [int(value) for value in result.state["x"]]),
        "v": (bytes(machine.v), np.asarray(result.state["v"]).tobytes()),
        "vl": (machine.vl, result.state["vl"]),
        "vtype": (machine.vtype, result.state["vtype"]),
        "vxsat": (machine.csrs[0x009], result.state["vxsat"]),
        "vxrm": (machine.csrs[0x00A], result.state["vxrm"]),
        "dtcm": (machine.memory[DTCM], bytes(result.state["dtcm"][:])),
        "external": (external[:0x4_0000], bytes(result.state["external"][:0x4_0000])),
    }
    return [name for name, (expected, found) in pairs.items() if expected != found]


@pytest.mark.parametrize("part", range(PARTS))
def test_target_does_what_the_independent_interpreter_does(part: int) -> None:
    source, halted = Untimed(coral().isa), 0
    seeds = range(part, PROGRAMS, PARTS)
    for seed in seeds:
        program, state = source.make(seed)
        result = coral().simulate(program, state, Limits(instructions=LIMIT))
        if result.trap is not None and result.trap.message.startswith(OURS_ALONE):
            continue
        machine, ended = interpreted(program, state)
        assert ending(result) == ended, f"seed {seed}: {result.trap}"
        if ended == ("halted",):
            halted += 1
            assert not differences(machine, result), f"seed {seed}"
    assert halted > 0.8 * len(seeds)


def test_random_programs_hold_nearly_every_instruction() -> None:
    isa = coral().isa
    seen = {isa.match(word) for seed in range(PROGRAMS) for word in Untimed(isa).make(seed)[0].words}
    missing = sorted(d.name for d in isa if d not in seen)
    assert {"jalr", "ecall", "ebreak", "vsetvl"} <= set(missing)
    assert len(missing) < 0.1 * len(isa), missing


def test_runs_with_undefined_memory_noted_do_the_same_where_they_read_none() -> None:
    source, compared = Untimed(coral().isa), 0
    for seed in range(1000, 1060):
        program, state = source.make(seed)
        noted = coral().simulate(program, state, Limits(instructions=LIMIT), fill="pattern", seed=seed)
        if noted.status != "halted" or noted.undefined_count:
            continue
        plain = coral().simulate(program, state, Limits(instructions=LIMIT))
        assert list(plain.state["x"]) == list(noted.state["x"])
        assert np.array_equal(plain.state["v"], noted.state["v"])
        assert np.array_equal(plain.state["dtcm"][:], noted.state["dtcm"][:])
        compared += 1
    assert compared >= 20
