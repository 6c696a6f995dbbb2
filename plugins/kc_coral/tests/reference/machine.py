"""Functional interpreter of the Coral NPU: scalar part, memories, traps, end of a run; a test oracle.

Source: google-coral/coralnpu (early 2026), behaviour measured on the generated RTL; the RISC-V specifications for the rest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from coral_reference import vector
from coral_reference.decode import IllegalWordError, Instr, decode, signed
from coral_reference.errors import Rejected, Trap

M32 = 0xFFFF_FFFF
ITCM, DTCM, EXTERNAL = 0, 0x1_0000, 0x2000_0000
SIZES = {ITCM: 8 << 10, DTCM: 32 << 10, EXTERNAL: 4 << 20}
WRITABLE_CSRS = (0x009, 0x00A, 0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343)
FIXED_CSRS = {0x301: 0x4020_1120, 0xC22: 16, 0xF11: 0x426, 0xF12: 0, 0xF13: 0, 0xF14: 0}
CSR_MASKS = {0x009: 1, 0x00A: 3}
COUNTERS = (0xB00, 0xB80, 0xB02, 0xB82)

decode = functools.lru_cache(maxsize=4096)(decode)


@dataclass
class Event:
    """What one executed instruction showed the timing: its word, its address and the values it depended on."""

    pc: int
    word: int
    taken: bool = False
    address: int = 0
    operands: tuple[int, int] = (0, 0)  # dividend, divisor
    vl: int = 0  # after the instruction
    vtype: int = 0
    stride: int = 0
    indices: tuple[int, ...] = ()
    mask: int = -1
    divisions: tuple[Any, ...] = ()  # per register: dividends, divisors


@dataclass
class Machine:
    """One core and its memories. `observe` is called once per instruction and may return its dispatch cycle."""

    observe: Callable[[Event], int | None] = lambda event: None
    pc: int = 0
    x: list[int] = field(default_factory=lambda: [0] * 32)
    v: bytearray = field(default_factory=lambda: bytearray(512))
    vl: int = 0
    vtype: int = 1 << 31
    csrs: dict[int, int] = field(default_factory=lambda: dict.fromkeys((*WRITABLE_CSRS, 0x008), 0))
    memory: dict[int, bytearray] = field(default_factory=lambda: {a: bytearray(n) for a, n in SIZES.items()})
    instructions: int = 0
    status: str = "running"

    def __post_init__(self) -> None:
        view = memoryview(self.v)
        self.elements = {(1, 0): view, (1, 1): view.cast("b"), (2, 0): view.cast("H"), (2, 1): view.cast("h")}
        self.elements |= {(4, 0): view.cast("I"), (4, 1): view.cast("i")}

    def place(self, address: int, size: int, store: bool) -> tuple[bytearray, int]:
        """Return (memory, offset) of an access; trap where there is none."""
        for base in (EXTERNAL, DTCM, ITCM):
            if base <= address:
                memory = self.memory[base]
                if address + size <= base + len(memory) and not (store and base == ITCM):
                    return memory, address - base
                break
        raise Trap(7 if store else 5, address)

    def load(self, address: int, size: int) -> int:
        memory, at = self.place(address & M32, size, store=False)
        return int.from_bytes(memory[at : at + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        memory, at = self.place(address & M32, size, store=True)
        memory[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def preset(self, address: int, data: bytes) -> None:
        """Put `data` at `address`, from the host's side."""
        memory, at = self.place(address, len(data), store=False)
        memory[at : at + len(data)] = data

    def run(self, limit: int = 1_000_000) -> str:
        """Return how the run ended: halted (mpause), fault (ebreak) or limit; raise Trap or Rejected."""
        while self.status == "running":
            if self.instructions >= limit:
                return "limit"
            self.step()
        return self.status

    def step(self) -> None:
        """Execute one instruction."""
        if not 0 <= self.pc < SIZES[ITCM]:
            raise Trap(1, self.pc)
        word = int.from_bytes(self.memory[ITCM][self.pc : self.pc + 4], "little")
        try:
            instr = decode(word)
        except IllegalWordError:
            raise Trap(2, word) from None
        event = Event(self.pc, word)
        self.following = self.pc + 4
        if instr.form:
            vector.execute(self, instr, event)
        else:
            self._scalar(instr, event)
        event.vl, event.vtype = self.vl, self.vtype
        if not instr.name.startswith("csr"):
            self.observe(event)
        self.instructions += 1
        self.pc = self.following

    def write(self, rd: int, value: int) -> None:
        if rd:
            self.x[rd] = value & M32

    def _scalar(self, i: Instr, event: Event) -> None:
        name, a, b = i.name, self.x[i.rs1], self.x[i.rs2]
        if name in BINARY:
            self.write(i.rd, BINARY[name](a, b))
            event.operands = (a, b)
        elif name in IMMEDIATE:
            self.write(i.rd, BINARY[IMMEDIATE[name]](a, i.imm & M32))
        elif name == "lui":
            self.write(i.rd, i.imm)
        elif name == "auipc":
            self.write(i.rd, self.pc + i.imm)
        elif name in BRANCH:
            event.taken = BRANCH[name](a, b)
            if event.taken:
                self._jump(self.pc + i.imm)
        elif name in ("jal", "jalr"):
            self._jump(self.pc + i.imm if name == "jal" else a + i.imm & ~1)
            self.write(i.rd, self.pc + 4)
        elif name in ("lb", "lh", "lw", "lbu", "lhu"):
            event.address = a + i.imm & M32
            value = self.load(event.address, i.width)
            self.write(i.rd, value if name.endswith("u") else signed(value, 8 * i.width))
        elif name in ("sb", "sh", "sw"):
            event.address = a + i.imm & M32
            self.store(event.address, i.width, b)
        elif name.startswith("csr"):
            self._csr(i, event)
        elif name == "ecall":
            raise Trap(11, 0)
        elif name in ("mpause", "ebreak"):
            self.status = "halted" if name == "mpause" else "fault"

    def _jump(self, target: int) -> None:
        if target & 3:
            raise Trap(0, target & M32)
        if not 0 <= target & M32 < SIZES[ITCM]:
            raise Trap(1, target & M32)
        self.following = target & M32

    def _csr(self, i: Instr, event: Event) -> None:
        number, kind = i.imm, i.name[4]
        event.vl, event.vtype = self.vl, self.vtype
        cycle = self.observe(event)
        if number in FIXED_CSRS:
            old = FIXED_CSRS[number]
        elif number == 0xC20:
            old = self.vl & 0x7F
        elif number == 0xC21:
            old = self.vtype
        elif number in COUNTERS:
            counts = {0xB00: (cycle or 0) + 4, 0xB02: self.instructions}
            old = counts.get(number, 0)
        elif number in self.csrs:
            old = self.csrs[number]
        else:
            raise Trap(2, 0)
        value = i.rs1 if i.name.endswith("i") else self.x[i.rs1]
        self.write(i.rd, old)
        if kind != "w" and not i.rs1:
            return
        new = {"w": value, "s": old | value, "c": old & ~value}[kind]
        if number == 0x008 and new:
            raise Rejected("vstart is written")
        if number in self.csrs:
            self.csrs[number] = new & CSR_MASKS.get(number, M32)


def _div(a: int, b: int) -> int:
    a, b = signed(a, 32), signed(b, 32)
    return -1 if not b else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def _rem(a: int, b: int) -> int:
    a, b = signed(a, 32), signed(b, 32)
    return a if not b else abs(a) % abs(b) * (-1 if a < 0 else 1)


def _s(value: int) -> int:
    return signed(value, 32)


BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "sll": lambda a, b: a << (b & 31),
    "slt": lambda a, b: _s(a) < _s(b),
    "sltu": lambda a, b: a < b,
    "xor": lambda a, b: a ^ b,
    "srl": lambda a, b: a >> (b & 31),
    "sra": lambda a, b: _s(a) >> (b & 31),
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "mul": lambda a, b: a * b,
    "mulh": lambda a, b: _s(a) * _s(b) >> 32,
    "mulhsu": lambda a, b: _s(a) * b >> 32,
    "mulhu": lambda a, b: a * b >> 32,
    "div": _div,
    "divu": lambda a, b: a // b if b else M32,
    "rem": _rem,
    "remu": lambda a, b: a % b if b else a,
}
IMMEDIATE = {"addi": "add", "slti": "slt", "sltiu": "sltu", "xori": "xor", "ori": "or", "andi": "and"}
IMMEDIATE |= {"slli": "sll", "srli": "srl", "srai": "sra"}
BRANCH: dict[str, Callable[[int, int], bool]] = {
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "blt": lambda a, b: _s(a) < _s(b),
    "bge": lambda a, b: _s(a) >= _s(b),
    "bltu": lambda a, b: a < b,
    "bgeu": lambda a, b: a >= b,
}
