"""A small ISA with what is hard: two word lengths, split immediates, reserved bits, lenient and aligned operands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import (
    Array,
    Bytes,
    Imm,
    Instr,
    Isa,
    Placeholder,
    Primitive,
    Pseudo,
    Reg,
    RegFile,
    Rows,
    Scalar,
    Words,
    pure,
)

KINDS = (
    Reg("x", bits=3, prefix="x"),
    Reg("g", bits=3, prefix="g", count=6, file="x", names={"sp": 5}),
    Imm("s12", bits=12, signed=True),
    Imm("u5", bits=5, min=1, max=20),
    Imm("b13", bits=13, signed=True, align=2, relative=True),
    Imm("w8", bits=8, align=4, max=100),
    Imm("flag", bits=4, max=1, lenient=True),
    Placeholder("zero", ("0", "x0")),
)
STATE = (
    RegFile("r", bits=32, count=8, zero=0),
    RegFile("x", bits=32, count=8),
    RegFile("f", dtype="f16", count=8),
    Scalar("status", bits=8, reset=3),
    Array("acc", "f32", ("N",)),
    Words("words", count="N", bits=16),
    Rows("rows", dtype="bf16", shape=("N",), count=16),
    Bytes("ram", size=4096, base=0x100),
)
PRIMITIVES: tuple[Primitive, ...] = (
    pure("rsum", ("array",), "f32", lambda a: a.sum(), "sum of a row"),
    pure("divmod_", ("int", "int"), "int int", divmod),
    pure("any_int", (), "int", lambda: 1),
    pure("clock", (), "int<0,63>", lambda: 1),
)


def instr(syntax: str = "T rd:x, rs1:x", semantics: str = "x[rd] = x[rs1]", **more: Any) -> Instr:
    """Return an instruction of 16 bits that only has to be legal where a test does not say otherwise."""
    base: dict[str, Any] = {"encoding": "-{6} rs1 rd 0101", "category": "alu", "unit": "alu"}
    return Instr(syntax, semantics=semantics, **(base | more))


INSTRS = (
    instr("ADD rd:x, rs1:x, rs2:x", "x[rd] = x[rs1] + x[rs2]", encoding="0{3} rs2 rs1 rd 0001"),
    instr("MOVS rd:g, imm:u5", "x[rd] = imm", encoding="-{3} 0 imm rd 0010"),
    instr("NOP16", "", encoding="0{12} 0011"),
    instr("ADDI rd:x, rs1:x, imm:s12", "x[rd] = x[rs1] + imm", encoding="imm[11:5] -- imm[4:0] 0000 -- rs1 -- rd 0100"),
    instr(
        "BEQ rs1:x, rs2:x, off:b13",
        "if x[rs1] == x[rs2]: pc = pc + off",
        encoding="off[12|10:5] -- rs2 rs1 off[4:1|11] 000 ---- 0 0111",
        category="branch",
    ),
    instr("LDW rd:x, off:w8(rs1:x)", "x[rd] = load(ram, x[rs1] + off, 4)", encoding="off[7:2] -{12} rs1 rd 000 - 1000"),
    instr("FLG rd:x, _:zero, mode:flag=0", "x[rd] = mode", encoding="-{17} mode rd 0000 1110"),
)


def make(*more: Instr, **changes: Any) -> Isa:
    """Return the ISA with further instructions; `changes` override what it is built from."""
    parts: dict[str, Any] = {
        "kinds": KINDS,
        "state": STATE,
        "primitives": PRIMITIVES,
        "instrs": (*INSTRS, *more),
        "params": {"N": 8, "COST": 4},
    }
    return Isa("hard", **(parts | changes))


def codes(call: Any, *args: Any, **kwargs: Any) -> list[str]:
    """Return the codes of the `IsaError` that a call raises."""
    with pytest.raises(IsaError) as caught:
        call(*args, **kwargs)
    assert all(finding.message for finding in caught.value.diagnostics)
    return [finding.code for finding in caught.value.diagnostics]


@pytest.fixture(scope="session")
def hard() -> SimpleNamespace:
    """Return `isa` and the functions to make others: `make(*instrs, **changes)`, `instr(...)`, `codes(call, ...)`."""
    isa = make(pseudos=(Pseudo("MV rd:x, rs1:x", ("ADD {rd}, {rs1}, x0",)),))
    return SimpleNamespace(isa=isa, make=make, instr=instr, codes=codes)
