"""A small ISA around the instructions a test needs, and programs of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kernelcraft_core.isa import Array, Bytes, Imm, Instr, Isa, Program, Reg, RegFile, Rows, Scalar, Words
from kernelcraft_core.sim import Limits, Machine, RunResult, Simulator
from kernelcraft_core.testing.programs import build

KINDS = [Reg("x", bits=3, prefix="x"), Imm("s8", bits=8, signed=True)]
STATE = [
    RegFile("x", 8, bits=32, zero=0),
    RegFile("y", 8, bits=64),
    RegFile("h", 8, dtype="f16"),
    RegFile("g", 8, dtype="f32"),
    Scalar("s", bits=8),
    Scalar("fs", dtype="bf16"),
    Array("acc", "f32", (4,)),
    Array("wide", "f64", (4,)),
    Array("ints", "i8", (4,)),
    Rows("m", "bf16", (4,), 600),
    Rows("m16", "f16", (4,), 8),
    Words("w", 16, bits=16),
    Words("fw", 16, dtype="bf16"),
    Bytes("dmem", 1000, base=0x100),
]


class Tiny:
    """Makes ISAs of a few instructions; line i of a program is (name, rd, rs1, rs2, imm), missing ones 0."""

    def isa(self, instrs: Mapping[str, Any], *, ends: str = "halt", **options: Any) -> Isa:
        records = []
        for number, (name, given) in enumerate(instrs.items()):
            fields = {"semantics": given} if isinstance(given, str) else dict(given)
            records.append(
                Instr(
                    f"{name} rd:x, rs1:x, rs2:x, imm:s8",
                    f"imm rs2 rs1 rd -{{7}} {number:08b}",
                    **{"category": "alu", "unit": "u", **fields},
                )
            )
        options = {"state": [*STATE, *options.pop("state", ())], **options}
        return Isa("tiny", KINDS, instrs=[*records, HALT], ends=ends, **options)

    def program(self, isa: Isa, *lines: Sequence[Any] | str) -> Program:
        out = []
        for line in lines:
            name, *values = [line] if isinstance(line, str) else line
            operands = dict(zip(("rd", "rs1", "rs2", "imm"), [*values, 0, 0, 0, 0], strict=False))
            out.append((isa[name], operands if isa[name].operands else {}))
        return build(isa, out)

    def run(
        self,
        instrs: Mapping[str, Any] | Isa,
        lines: Sequence[Any],
        state: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        machine: Machine | None = None,
        **options: Any,
    ) -> RunResult:
        isa = instrs if isinstance(instrs, Isa) else self.isa(instrs)
        simulator = Simulator(isa, machine or Machine("m"))
        return simulator.run(self.program(isa, *lines), state, limits or Limits(100_000), **options)


HALT = Instr("halt", f"-{{24}} {255:08b}", "halt()", "sync", "u")


@pytest.fixture
def tiny() -> Tiny:
    return Tiny()


@pytest.fixture(params=["closures", "generated", "auto"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name
