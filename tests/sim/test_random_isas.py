"""Random instruction sets: closures and generated code, which share no lowering, must agree on any well-typed semantics."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import Array, Bytes, Imm, Instr, Isa, Reg, RegFile, Rows, Scalar, Words
from kernelcraft_core.sim import Limits, Machine, Simulator, engine
from kernelcraft_core.testing.compare import differences
from kernelcraft_core.testing.programs import Line, build

ISAS = 300
PARTS = 10
KINDS = [Reg("x", bits=3, prefix="x"), Imm("s8", bits=8, signed=True)]
STATE = [
    RegFile("x", 8, bits=32, zero=0),
    RegFile("y", 8, bits=64),
    RegFile("n", 8, bits=9),
    RegFile("h", 8, dtype="f16", zero=0),
    RegFile("g", 8, dtype="f32"),
    RegFile("b", 8, dtype="bf16"),
    Scalar("s", bits=8),
    Scalar("fs", dtype="f32"),
    Array("acc", "f32", (4,)),
    Array("vec", "bf16", (4,)),
    Rows("m", "bf16", (4,), 8),
    Rows("m16", "f16", (4,), 8),
    Rows("m32", "f32", (4,), 8),
    Words("w", 16, bits=16),
    Words("fw", 16, dtype="f16"),
    Bytes("dmem", 256, base=64),
]
FLOAT_FILES, ROWS = ("h", "g", "b"), ("m", "m16", "m32")
NUMBERS = ("0", "1", "2", "3", "7", "255", "256", "65535", "65536", "2147483648", "4294967295")


class Writer:
    """Writes random texts of the semantics language."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.locals: dict[str, list[str]] = {"int": [], "float": [], "array": []}

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def register(self, depth: int) -> str:
        """Return an index of a file of eight registers."""
        if self.chance(0.75) or depth <= 0:
            return self.pick("rd", "rs1", "rs2", "0", "3")
        return f"({self.integer(depth - 1)} & 7)"

    def word_index(self, depth: int) -> str:
        return f"{self.integer(depth - 1)} & {self.pick('15', '15', '15', '15', '31')}"

    def row_address(self, depth: int) -> str:
        if self.chance(0.05):
            return f"{self.integer(depth - 1)} & 31"
        return f"({self.integer(depth - 1)} & {self.pick('7', '7', '7', '15')}) * 4"

    def byte_address(self, depth: int) -> str:
        if self.chance(0.1):
            return f"64 + ({self.integer(depth - 1)} & 255)"
        return f"64 + ({self.integer(depth - 1)} & 31) * 8"

    def integer(self, depth: int) -> str:
        if depth <= 0:
            known = [*self.locals["int"]] if self.locals["int"] and self.chance(0.5) else []
            return self.pick("imm", "x[rs1]", "x[rs2]", "y[rs1]", "n[rs2]", "s", "rs1", self.pick(*NUMBERS), *known)
        e = self.integer
        match self.rng.randrange(18):
            case 0 | 1 | 2:
                return f"({e(depth - 1)} {self.pick('+', '-')} {e(depth - 1)})"
            case 3:
                return f"(zext({e(depth - 1)}, 40) * sext({e(depth - 1)}, {self.pick('8', '33')}))"
            case 4:
                return f"({e(depth - 1)} {self.pick('&', '|', '^')} {e(depth - 1)})"
            case 5:
                return f"(zext({e(depth - 1)}, 48) << ({e(depth - 1)} & {self.pick('31', '63')}))"
            case 6:
                return f"({e(depth - 1)} >> ({e(depth - 1)} & 63))"
            case 7:
                divisor = e(depth - 1) if self.chance(0.3) else f"(({e(depth - 1)} & 15) + 1)"
                return f"({e(depth - 1)} {self.pick('//', '%')} {divisor})"
            case 8:
                return (
                    f"{self.pick('sext', 'zext')}({e(depth - 1)}, {self.pick('1', '7', '8', '16', '32', '33', '64')})"
                )
            case 9:
                return f"({self.test(depth - 1)})"
            case 10:
                return f"({e(depth - 1)} if {self.test(depth - 1)} else {e(depth - 1)})"
            case 11:
                return f"({self.pick('-', '~', 'not ')}{e(depth - 1)})"
            case 12:
                return f"{self.pick('min', 'max')}({e(0)}, {e(depth - 1)})"
            case 13:
                return f"abs({e(depth - 1)})"
            case 14:
                return f"w[{self.word_index(depth)}]"
            case 15:
                return f"load(dmem, {self.byte_address(depth)}, {self.pick('1', '2', '4', '8')})"
            case 16:
                return f"{self.pick('x', 'y', 'n')}[{self.register(depth)}]"
        return self.pick("pc", "next_pc", "imm")

    def test(self, depth: int) -> str:
        compare = self.pick("==", "!=", "<", "<=", ">", ">=")
        match self.rng.randrange(5):
            case 0:
                return f"{self.integer(depth - 1)} {self.pick('and', 'or')} {self.integer(depth - 1)}"
            case 1:
                return f"{self.floating(depth - 1)} {compare} {self.floating(depth - 1)}"
            case 2:
                return f"imm {compare} {self.pick('0', '1', '-5', 'rs1')}"
        return f"{self.integer(depth - 1)} {compare} {self.integer(depth - 1)}"

    def floating(self, depth: int) -> str:
        if depth <= 0:
            known = [*self.locals["float"]] if self.locals["float"] and self.chance(0.5) else []
            return self.pick("h[rs1]", "h[rs2]", "g[rs1]", "b[rs2]", "fs", "0.1", "1.5", "-0.0", "1e30", *known)
        e = self.floating
        match self.rng.randrange(7):
            case 0 | 1:
                return f"({e(depth - 1)} {self.pick('+', '-', '*')} {e(depth - 1)})"
            case 2:
                return f"({e(depth - 1)} {self.pick('+', '-', '*')} {self.integer(depth - 1)})"
            case 3:
                other = self.integer(depth - 1) if self.chance(0.3) else e(depth - 1)
                return f"({e(depth - 1)} if {self.test(depth - 1)} else {other})"
            case 4:
                return f"(-{e(depth - 1)})"
            case 5:
                return f"fw[{self.word_index(depth)}]"
        return f"{self.pick(*FLOAT_FILES)}[{self.register(depth)}]"

    def array(self, depth: int) -> str:
        if depth <= 0:
            known = [*self.locals["array"]] if self.locals["array"] and self.chance(0.7) else []
            return self.pick("acc", "vec", f"{self.pick(*ROWS)}[{self.row_address(1)}]", *known)
        e = self.array
        match self.rng.randrange(6):
            case 0 | 1:
                return f"({e(depth - 1)} {self.pick('+', '-', '*')} {e(depth - 1)})"
            case 2:
                return f"({e(depth - 1)} {self.pick('+', '-', '*')} {self.floating(depth - 1)})"
            case 3:
                return f"({e(depth - 1)} if {self.test(depth - 1)} else {e(depth - 1)})"
            case 4:
                return f"(-{e(depth - 1)})"
        return e(0)

    def write(self, depth: int) -> str:
        number = self.floating(depth) if self.chance(0.85) else self.integer(depth)
        match self.rng.randrange(13):
            case 0 | 1 | 2 | 3:
                return f"{self.pick('x', 'x', 'y', 'n')}[{self.register(depth)}] = {self.integer(depth)}"
            case 4 | 5:
                return f"{self.pick(*FLOAT_FILES)}[{self.register(depth)}] = {number}"
            case 6:
                return f"s = {self.integer(depth)}"
            case 7:
                return f"fs = {number}"
            case 8:
                return f"{self.pick('acc', 'vec')} = {self.array(depth) if self.chance(0.8) else number}"
            case 9 | 10:
                value = self.array(depth) if self.chance(0.8) else number
                return f"{self.pick(*ROWS)}[{self.row_address(depth)}] = {value}"
            case 11:
                if self.chance(0.5):
                    return f"fw[{self.word_index(depth)}] = {number}"
                return f"w[{self.word_index(depth)}] = {self.integer(depth)}"
        width = self.pick("1", "2", "4", "8")
        return f"store(dmem, {self.byte_address(depth)}, {width}, {self.integer(depth)})"

    def text(self, jump: bool) -> str:
        depth = self.rng.choice((1, 1, 2, 2, 3))
        parts = []
        for number in range(self.rng.choice((0, 0, 0, 1, 2))):
            kind = self.pick("int", "float", "array")
            maker = {"int": self.integer, "float": self.floating, "array": self.array}[kind]
            parts.append(f"v{number} = {maker(depth)}")
            self.locals[kind].append(f"v{number}")
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            guard = f"if {self.test(depth)}: " if self.chance(0.25) else ""
            parts.append(guard + self.write(depth))
        if self.chance(0.03):
            parts.append(f"if {self.test(1)}: trap(illegal_operands)")
        if jump:
            target = self.pick("pc + 8", "pc - 4", "pc - 8", "pc + (imm & 3) * 4", "pc + imm", f"{self.integer(1)}")
            parts.append(f"if {self.test(depth)}: pc = {target}" if self.chance(0.9) else "pc = next_pc + 4")
        return "\n".join(parts)


LATENCIES = (
    "1",
    "1",
    "2",
    "1 + (imm & 3)",
    "1 + x[rs1] % 4",
    "x[rs2] & 3",
    "5 if imm > 0 else y[rd] & 1",
    "8 % (1 + (imm & 3))",
)


def make_isa(seed: int) -> Isa:
    """Return an instruction set of ten random instructions."""
    instrs: list[Instr] = []
    attempt = 0
    while len(instrs) < 10:
        attempt += 1
        number = len(instrs)
        writer = Writer(seed * 1000 + attempt)
        record = Instr(
            f"i{number} rd:x, rs1:x, rs2:x, imm:s8",
            f"imm rs2 rs1 rd -{{7}} {number:08b}",
            writer.text(jump=number < 2),
            "alu",
            writer.pick("a", "b"),
            latency=writer.pick(*LATENCIES),
            delay=writer.rng.choice((1, 3, 20)) if seed % 4 == 1 and writer.chance(0.2) else 0,
        )
        try:
            Isa("probe", KINDS, STATE, [record])
        except IsaError as error:
            # The writer does not count nodes and bits; everything else it writes is legal.
            assert {d.code for d in error.diagnostics} <= {"KC0120", "KC0131", "KC0107"}, (error, record.semantics)
            continue
        instrs.append(record)
    halt = Instr("halt", f"-{{24}} {255:08b}", "halt()", "sync", "a")
    return Isa("random", KINDS, STATE, [*instrs, halt])


def make_program(isa: Isa, rng: random.Random) -> list[Line]:
    edges = (0, 1, -1, 2, 4, 127, -128)
    names = [d for d in isa if d.mnemonic != "halt"]
    lines: list[Line] = []
    for _ in range(rng.randint(4, 16)):
        imm = rng.choice(edges) if rng.random() < 0.5 else rng.randint(-128, 127)
        operands = {"rd": rng.randrange(8), "rs1": rng.randrange(8), "rs2": rng.randrange(8), "imm": imm}
        lines.append((rng.choice(names), operands))
    return [*lines, (isa["halt"], {})]


def make_state(rng: random.Random) -> dict[str, Any]:
    noise = np.random.default_rng(rng.getrandbits(32))
    specials = [0.0, -0.0, float("inf"), float("nan"), 65504.0, 2.0**-24, 3e38, 1e-40]

    def floats(count: int) -> Any:
        scale = 10.0 ** noise.integers(-6, 6, count)
        values = noise.standard_normal(count) * scale
        for index in range(count):
            if rng.random() < 0.2:
                values[index] = rng.choice(specials)
        return values

    def integers(bits: int) -> list[int]:
        top = (1 << bits) - 1
        return [rng.choice((0, 1, 2, top, top >> 1, (top >> 1) + 1, rng.getrandbits(bits))) for _ in range(8)]

    return {
        "x": [0, *integers(32)[1:]],
        "y": integers(64),
        "n": integers(9),
        "h": [0, *floats(7)],
        "g": floats(8),
        "b": floats(8),
        "s": rng.getrandbits(8),
        "fs": rng.choice(specials),
        "acc": floats(4),
        "vec": floats(4),
        "m": floats(16).reshape(4, 4),
        "m16": {rng.randrange(8): floats(4) for _ in range(3)},
        "m32": floats(32).reshape(8, 4),
        "w": [rng.getrandbits(16) for _ in range(rng.randrange(17))],
        "fw": floats(rng.randrange(17)),
        "dmem": {64 + rng.randrange(128): rng.randbytes(100)},
    }


@pytest.mark.parametrize("part", range(PARTS))
def test_engines_agree_on_random_instruction_sets(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "HOT", 2)
    executed = 0
    for seed in range(part, ISAS, PARTS):
        executed += compare(seed)
    assert executed > 10 * (ISAS // PARTS)  # most programs get somewhere


def compare(seed: int) -> int:
    """Compare the engines on one instruction set and return how many instructions ran."""
    isa = make_isa(seed)
    rng = random.Random(seed)
    simulator = Simulator(isa, Machine("m"))
    executed = 0
    for trial in range(3):
        lines = make_program(isa, rng)
        program, state = build(isa, lines), make_state(rng)
        options: dict[str, Any] = {"limits": Limits(200, cycles=rng.choice((None, None, 50)))}
        if seed % 3 == 0:
            options |= {"fill": "pattern", "seed": seed}
        if seed % 2:
            options["strict"] = True
        runs = [simulator.run(program, state, engine=name, **options) for name in engine.ENGINES]
        for other in runs[1:]:
            found = differences(runs[0], other)
            texts = [f"{d.name} {o}: {d.record.semantics!r} [{d.record.latency}; {d.record.delay}]" for d, o in lines]
            assert not found, (seed, trial, found, texts)
            assert runs[0].undefined_reads == other.undefined_reads
        executed += runs[0].instret
    return executed
