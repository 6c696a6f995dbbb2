"""The comparison of runs sees every difference: an oracle that misses one would make all others worthless."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelcraft_core.isa import Array, Bytes, Imm, Instr, Isa, Reg, RegFile, Rows, Scalar, Words
from kernelcraft_core.sim import Limits, Machine, RunResult, Simulator
from kernelcraft_core.testing.compare import differences, same_bits
from kernelcraft_core.testing.programs import build


def instr(name: str, opcode: int, semantics: str, latency: str = "1") -> Instr:
    return Instr(f"{name} rd:x, imm:s12", f"imm rd {opcode:016b}", semantics, "alu", "alu", latency)


ISA = Isa(
    "tiny",
    kinds=[Reg("x", bits=4, prefix="x"), Imm("s12", bits=12, signed=True)],
    state=[
        RegFile("x", 16, bits=32),
        RegFile("f", 4, dtype="f16"),
        Scalar("s", bits=8),
        Scalar("fs", dtype="f32"),
        Array("acc", "f32", (4,)),
        Rows("rows", "bf16", (4,), 8),
        Words("w", 8, bits=16),
        Bytes("mem", 8192),
    ],
    instrs=[
        instr("set", 1, "x[rd] = imm"),
        instr("slow", 2, "x[rd] = imm", "2"),
        instr("row", 3, "rows[4] = imm"),
        instr("acc", 4, "acc = imm"),
        instr("word", 5, "w[3] = imm"),
        instr("byte", 6, "store(mem, 5000, 1, imm)"),
        instr("one", 7, "s = imm"),
        instr("half", 8, "f[1] = imm"),
        instr("stop", 9, "trap(breakpoint)"),
        instr("jump", 10, "pc = next_pc"),
    ],
    ends="halt",
)


def run(*lines: tuple[str, int], **options: Any) -> RunResult:
    program = build(ISA, [(ISA[name], {"rd": 1, "imm": imm}) for name, imm in lines])
    return Simulator(ISA, Machine("m", clock_ns=1.0)).run(program, **options)


def test_equal_runs_have_no_differences() -> None:
    lines = [(name, 3) for name in ("set", "row", "acc", "word", "byte", "one", "half", "jump")]
    assert differences(run(*lines), run(*lines)) == []


@pytest.mark.parametrize(
    ("name", "seen"),
    [("set", "x"), ("row", "rows"), ("acc", "acc"), ("word", "w"), ("byte", "mem"), ("one", "s"), ("half", "f")],
)
def test_a_difference_in_any_state_is_named(name: str, seen: str) -> None:
    found = differences(run((name, 3)), run((name, 4)))
    assert len(found) == 1
    assert found[0].startswith(seen)


@pytest.mark.parametrize(
    ("a", "b", "seen"),
    [
        ([("set", 1)], [("slow", 1)], {"cycles", "latency_ns", "profile"}),
        ([("set", 1)], [("set", 1), ("set", 1)], {"cycles", "latency_ns", "profile", "instret", "pc"}),
        ([("set", 1), ("stop", 0)], [("set", 1)], {"status", "trap"}),
    ],
)
def test_counters_endings_and_the_profile_are_compared(
    a: list[tuple[str, int]], b: list[tuple[str, int]], seen: set[str]
) -> None:
    assert {text.split(":")[0] for text in differences(run(*a), run(*b))} == seen


def test_limits_are_compared() -> None:
    lines = [("set", 1)] * 4
    short, shorter = (run(*lines, limits=Limits(instructions=n)) for n in (3, 2))
    assert "limit" in {text.split(":")[0] for text in differences(short, shorter)}


def test_undefined_reads_are_compared() -> None:
    lines = [("byte", 1)]
    assert differences(run(*lines, fill="pattern", seed=1), run(*lines, fill="pattern", seed=1)) == []
    assert differences(run(*lines, fill="pattern", seed=1), run(*lines, fill="pattern", seed=2)) != []


def test_bits_tell_zeros_apart_and_nans_not() -> None:
    zeros = np.array([0.0, -0.0], np.float32)
    assert not same_bits(zeros, zeros[::-1])
    quiet, other = np.array([0x7FC00000, 0xFFC00001], np.uint32).view(np.float32).reshape(2, 1)
    assert same_bits(quiet, other)
    assert not same_bits(quiet, np.array([1.0], np.float32))


@pytest.mark.parametrize("other", [RegFile("x", 16, bits=16), RegFile("x", 15, bits=32)])
def test_registers_of_another_format_are_a_difference(other: RegFile) -> None:
    program = build(ISA, [(ISA["word"], {"rd": 1, "imm": 0})])
    kinds = [Reg("x", bits=4, prefix="x", count=15), Imm("s12", bits=12, signed=True)]
    changed = Isa("tiny", kinds=kinds, state=[other, *ISA.state[1:]], instrs=ISA.instrs, ends="halt")
    twin = build(changed, [(changed["word"], {"rd": 1, "imm": 0})])
    found = differences(Simulator(ISA, Machine("m")).run(program), Simulator(changed, Machine("m")).run(twin))
    assert len(found) == 1
    assert found[0].startswith("x: uint")


@pytest.mark.parametrize(("other", "same"), [(float("nan"), True), (1.0, False), (float("inf"), False)])
def test_a_nan_in_a_single_register_equals_another_nan_only(other: float, same: bool) -> None:
    runs = [run(("jump", 0), state={"fs": value}) for value in (float("nan"), other)]
    assert (differences(*runs) == []) == same
    assert (differences(*reversed(runs)) == []) == same
