"""The conformance kit on RV32IM."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import pytest

from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Definition, Isa
from kernelcraft_core.isa.model import Kind
from kernelcraft_core.testing.conformance import TargetConformance
from kernelcraft_core.testing.programs import Line, ProgramSource

DATA = 0x10000


class Programs(ProgramSource):
    """x16..x23 point into data memory; branches go forward or a little back; programs end with mpause."""

    def state(self, rng: random.Random) -> dict[str, Any]:
        pointers = {r: DATA + rng.randrange(0x100, 0x7000) for r in range(16, 24)}
        edges = (0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
        values = {r: rng.choice(edges) if rng.random() < 0.3 else rng.getrandbits(32) for r in range(1, 16)}
        return {"x": pointers | values, "data": rng.randbytes(0x8000)}

    def operand(self, rng: random.Random, definition: Definition, name: str, kind: Kind) -> int:
        record = definition.record
        if record.category in ("load", "store") and name == "rs1":
            return rng.choice(range(16, 24))
        if record.category in ("load", "store") and name == "imm":
            return rng.randrange(-64, 64)
        if name == "rd":
            return rng.randrange(16)
        if name == "csr":
            return rng.choice((0x009, 0x00A, 0x301, 0x340, 0xB00, 0xB02, 0xC20, 0xB80))
        return super().operand(rng, definition, name, kind)

    def body(self, rng: random.Random, length: int) -> list[Line]:
        never = ("mpause", "jalr", "ecall", "ebreak")
        plain = [d for d in self.definitions if d.mnemonic not in never]
        lines: list[Line] = []
        for at in range(length):
            definition = rng.choice(plain)
            operands = {n: self.operand(rng, definition, n, k) for n, k in definition.operands.items()}
            if definition.jumps:
                low = -min(at, 6) if rng.random() < 0.3 else 1
                operands["off"] = 4 * rng.randint(low, min(8, length - at))
            lines.append((definition, operands))
        return [*lines, (self.isa["mpause"], {})]


class TestRv32(TargetConformance):
    target_name = "rv32"
    source = Programs
    zero_cost: ClassVar[set[str]] = set()
    programs = 160

    @pytest.fixture
    def unit(self, rv: Target) -> Target:
        return rv

    @pytest.fixture
    def isa(self, rv: Target) -> Isa:
        return rv.isa
