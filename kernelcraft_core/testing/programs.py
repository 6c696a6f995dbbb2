"""Random programs made from an ISA alone, for tests that compare two ways of running them."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from kernelcraft_core.isa import Definition, Isa, Program
from kernelcraft_core.isa.model import Imm, Kind, Placeholder, Reg

Line = tuple[Definition, dict[str, int]]


def edge_values(kind: Kind) -> list[int]:
    """Return the values of an operand that break things most often: ends of the range, 0, 1, -1, powers of two."""
    if isinstance(kind, Placeholder):
        return [0]
    if isinstance(kind, Reg):
        return sorted({0, 1, kind.size // 2, kind.size - 1})
    wanted = {kind.low, kind.high, 0, 1, -1, kind.low + kind.align, kind.high - kind.align}
    wanted |= {1 << b for b in range(0, kind.bits, 3)}
    return sorted(v for v in wanted if kind.low <= v <= kind.high and v % kind.align == 0)


def build(isa: Isa, lines: Iterable[Line]) -> Program:
    """Return the program that consists of these instructions, one source line each, without going through text."""
    words: list[int] = []
    addresses: list[int] = []
    lengths: list[int] = []
    at = 0
    for definition, operands in lines:
        words.append(definition.encode(operands))
        addresses.append(at)
        lengths.append(definition.length)
        at += definition.length // isa.pc_unit
    same = len(set(lengths)) <= 1
    unit = lengths[0] if lengths else isa.width // 8
    packed: Sequence[int] = array("I", words) if unit == 4 and same else words
    return Program(
        isa.name,
        isa.digest,
        packed,
        addresses,
        range(1, len(words) + 1),
        unit,
        isa.pc_unit,
        None if same else lengths,
        filename="<random>",
    )


class ProgramSource:
    """Makes random programs and states. A target overrides what it must for most programs to run to their end.

    Everything depends only on the seed.
    """

    length = 40
    """Instructions of a program, at most."""

    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        self.definitions = list(isa)

    def state(self, rng: random.Random) -> dict[str, Any]:
        """Return the presets of a run."""
        return {}

    def operand(self, rng: random.Random, definition: Definition, name: str, kind: Kind) -> int:
        """Return a legal value for one operand: mostly any, often an edge."""
        if isinstance(kind, Imm):
            if rng.random() < 0.3:
                return rng.choice(edge_values(kind))
            return rng.randrange(kind.low // kind.align, kind.high // kind.align + 1) * kind.align
        if isinstance(kind, Reg):
            return rng.randrange(kind.size)
        return 0

    def instruction(self, rng: random.Random) -> Line:
        """Return one random instruction."""
        definition = rng.choice(self.definitions)
        return definition, {n: self.operand(rng, definition, n, k) for n, k in definition.operands.items()}

    def body(self, rng: random.Random, length: int) -> list[Line]:
        """Return the instructions of a program."""
        return [self.instruction(rng) for _ in range(length)]

    def make(self, seed: int) -> tuple[Program, dict[str, Any]]:
        """Return the program and state of a seed."""
        rng = random.Random(seed)
        length = rng.randint(1, self.length)
        return build(self.isa, self.body(rng, length)), self.state(rng)
