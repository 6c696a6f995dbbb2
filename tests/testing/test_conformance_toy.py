"""The conformance kit on the fixture target: the core's own test of both engines, delays included."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from kernelcraft_core.isa import Definition
from kernelcraft_core.isa.model import Kind
from kernelcraft_core.testing.conformance import TargetConformance
from kernelcraft_core.testing.programs import Line, ProgramSource


class ToyPrograms(ProgramSource):
    """x9..x14 point into data memory; branches stay inside the program; programs end with halt."""

    def state(self, rng: random.Random) -> dict[str, Any]:
        pointers = {r: 0x1000 + 4 * rng.randrange(64, 900) for r in range(9, 15)}
        return {"x": pointers | {r: rng.getrandbits(32) for r in range(1, 9)}, "dmem": rng.randbytes(4096)}

    def operand(self, rng: random.Random, definition: Definition, name: str, kind: Kind) -> int:
        memory = definition.mnemonic in ("lw", "ldd", "sw")
        if memory and name == "rs1":
            return rng.choice(range(9, 15))
        if memory and name == "off":
            return rng.choice((0, 4, -4, 8, 64, 2 if rng.random() < 0.05 else -64))
        if name == "rd":
            return rng.randrange(9)
        return super().operand(rng, definition, name, kind)

    def body(self, rng: random.Random, length: int) -> list[Line]:
        plain = [d for d in self.definitions if d.mnemonic != "halt"]
        lines: list[Line] = []
        for at in range(length):
            definition = rng.choice(plain)
            operands = {n: self.operand(rng, definition, n, k) for n, k in definition.operands.items()}
            if definition.jumps:
                low = -min(at, 6) if rng.random() < 0.3 else 1
                operands["off"] = 4 * rng.randint(low, min(8, length - at))
            lines.append((definition, operands))
        return [*lines, (self.isa["halt"], {})]


class TestToy(TargetConformance):
    target_name = "toy"
    source = ToyPrograms
    zero_cost: ClassVar[set[str]] = set()
    programs = 400
