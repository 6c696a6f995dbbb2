"""Zbb: words as the GNU assembler gives them, results against plain definitions on bit strings."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import attrs
import pytest

from kernelcraft_core import riscv
from kernelcraft_core.asm import Assembler
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Isa
from kernelcraft_core.sim import Machine, Simulator

WORDS = {
    "andn a0, a1, a2": 0x40C5F533,
    "orn a0, a1, a2": 0x40C5E533,
    "xnor a0, a1, a2": 0x40C5C533,
    "min a0, a1, a2": 0x0AC5C533,
    "minu a0, a1, a2": 0x0AC5D533,
    "max a0, a1, a2": 0x0AC5E533,
    "maxu a0, a1, a2": 0x0AC5F533,
    "rol a0, a1, a2": 0x60C59533,
    "ror a0, a1, a2": 0x60C5D533,
    "rori a0, a1, 4": 0x6045D513,
    "clz a0, a1": 0x60059513,
    "ctz a0, a1": 0x60159513,
    "cpop a0, a1": 0x60259513,
    "sext.b a0, a1": 0x60459513,
    "sext.h a0, a1": 0x60559513,
    "orc.b a0, a1": 0x2875D513,
    "rev8 a0, a1": 0x6985D513,
    "zext.h a0, a1": 0x0805C533,
}
"""Source: GNU assembler (binutils 2.40), -march=rv32im_zbb."""

EDGES = (0, 1, 0x80, 0xFF00, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x0100_00FF)


def bits(value: int) -> str:
    return format(value % 2**32, "032b")


def signed(value: int) -> int:
    return value - (value >> 31 << 32)


def number(text: str) -> int:
    return int(text, 2)


def octets(value: int) -> list[str]:
    return [bits(value)[i : i + 8] for i in range(0, 32, 8)]


def extended(value: int, count: int) -> int:
    return number(bits(value)[-count] * (32 - count) + bits(value)[-count:])


MEANING: dict[str, Callable[[int, int], int]] = {
    "andn": lambda a, b: a & (2**32 - 1 - b),
    "orn": lambda a, b: a | (2**32 - 1 - b),
    "xnor": lambda a, b: 2**32 - 1 - (a ^ b),
    "min": lambda a, b: min(a, b, key=signed),
    "minu": min,
    "max": lambda a, b: max(a, b, key=signed),
    "maxu": max,
    "rol": lambda a, b: number(bits(a)[b % 32 :] + bits(a)[: b % 32]),
    "ror": lambda a, b: number((bits(a) * 2)[32 - b % 32 : 64 - b % 32]),
    "rori": lambda a, b: number(bits(a)[-4:] + bits(a)[:-4]),
    "clz": lambda a, b: len(bits(a)) - len(bits(a).lstrip("0")),
    "ctz": lambda a, b: len(bits(a)) - len(bits(a).rstrip("0")),
    "cpop": lambda a, b: bits(a).count("1"),
    "sext.b": lambda a, b: extended(a, 8),
    "sext.h": lambda a, b: extended(a, 16),
    "zext.h": lambda a, b: number(bits(a)[16:]),
    "orc.b": lambda a, b: number("".join("1" * 8 if "1" in octet else "0" * 8 for octet in octets(a))),
    "rev8": lambda a, b: number("".join(reversed(octets(a)))),
}


@cache
def with_bits(isa: Isa) -> Isa:
    return attrs.evolve(isa, instrs=[*isa.instrs, *riscv.zbb(32)], primitives=[*isa.primitives, *riscv.BIT_PRIMITIVES])


@pytest.mark.parametrize("text", WORDS)
def test_words_are_those_of_the_gnu_assembler(rv: Target, text: str) -> None:
    assert list(Assembler(with_bits(rv.isa), rv.assembler.dialect).assemble(text).words) == [WORDS[text]]


@pytest.mark.parametrize("engine", ["closures", "generated"])
@pytest.mark.parametrize("text", WORDS)
def test_results_are_those_of_the_definition(rv: Target, text: str, engine: str) -> None:
    isa, rng = with_bits(rv.isa), random.Random(text)
    pairs = [(a, b) for a in EDGES for b in EDGES] + [(rng.getrandbits(32), rng.getrandbits(32)) for _ in range(30)]
    body = "".join(f"li a1, {a}; li a2, {b}; {text}; sw a0, {4 * i}(s0)\n" for i, (a, b) in enumerate(pairs))
    program = Assembler(isa, rv.assembler.dialect).assemble(f"lui s0, 0x10\n{body}mpause")
    result = Simulator(isa, Machine("m")).run(program, engine=engine)
    assert result.ok, result.trap
    found = result.state["data"].at(0x10000, 4 * len(pairs)).view("<u4").tolist()
    assert found == [MEANING[text.split()[0]](a, b) for a, b in pairs]
