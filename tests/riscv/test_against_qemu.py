"""The same program in qemu-user and in both engines; runs where `qemu-riscv32` is installed (Debian: `qemu-user`)."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from pathlib import Path

import attrs
import pytest

from kernelcraft_core.asm import Area, Assembler
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Program

QEMU = shutil.which("qemu-riscv32")
BASE = 0x0010_0000
EDGES = (0, 1, 31, 0x7FF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
REGISTER = "add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu".split()
IMMEDIATE = "addi slti sltiu xori ori andi".split()


def elf(program: Program) -> bytes:
    """Return the program as an ELF file with one segment per section."""
    sections = [s for s in program.sections if s.data]
    offset = 52 + 32 * len(sections)
    head = b"\x7fELF\x01\x01\x01" + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, program.entry, 52, 0, 0, 52, 32, len(sections), 0, 0, 0)
    body = b""
    for section in sections:
        place = offset + len(body)
        body += bytes((section.base - place) % 4096)
        place = offset + len(body)
        size = len(section.data)
        head += struct.pack("<IIIIIIII", 1, place, section.base, section.base, size, size, 7, 4096)
        body += section.data
    return head + body


def text(seed: int) -> tuple[str, int]:
    """Return a program that computes many results, writes them to file 1 and exits, and how many words it writes."""
    rng = random.Random(seed)
    lines = [f"{name} a2, a0, a1" for name in REGISTER]
    lines += [f"{name} a2, a0, {rng.choice((-2048, -1, 0, 3, 2047))}" for name in IMMEDIATE]
    lines += [f"{name} a2, a0, {rng.randrange(32)}" for name in ("slli", "srli", "srai")]
    lines += [
        f"sw a1, (s3); sh a0, 1(s3); sb a1, 3(s3); {name} a2, {rng.randrange(3)}(s3)"
        for name in ("lb", "lbu", "lh", "lhu", "lw")
    ]
    lines += [f"li a2, 1; {name} a0, a1, 2f; li a2, 0; 2:" for name in ("beq", "bne", "blt", "bge", "bltu", "bgeu")]
    values = [(a, b) for a in EDGES for b in EDGES] + [(rng.getrandbits(32), rng.getrandbits(32)) for _ in range(60)]
    body = "\n".join(f"{line}\nsw a2, {4 * i}(s1)" for i, line in enumerate(lines))
    words = len(lines) * len(values)
    program = f"""
            la s0, pairs; la s1, results; li s2, {len(values)}; la s3, scratch
        1:  lw a0, 0(s0); lw a1, 4(s0)
            {body}
            addi s0, s0, 8; addi s1, s1, {4 * len(lines)}; addi s2, s2, -1
            bnez s2, 1b
            li a0, 1; la a1, results; li a2, {4 * words}; li a7, 64
            ecall
            li a0, 0; li a7, 93
            ecall
            .data
        pairs: .word {", ".join(f"{a}, {b}" for a, b in values)}
        scratch: .word 0, 0
            .balign 4
        results: .space {4 * words}
    """
    return program, words


@pytest.mark.skipif(QEMU is None, reason="qemu-riscv32 is not installed")
@pytest.mark.parametrize("seed", range(3))
def test_engines_and_qemu_agree(rv: Target, tmp_path: Path, seed: int) -> None:
    from kernelcraft_core.isa import Bytes
    from kernelcraft_core.sim import Machine, Simulator

    state = [
        attrs.evolve(s, size=1 << 20, base={"code": BASE, "data": 2 * BASE}[s.name])
        if isinstance(s, Bytes) and s.name in ("code", "data")
        else s
        for s in rv.isa.state
    ]
    isa = attrs.evolve(rv.isa, state=state)
    areas = (Area("code", (".text",), BASE, 1 << 20), Area("data", (".data",), 2 * BASE, 1 << 20))
    source, words = text(seed)
    program = Assembler(isa, attrs.evolve(rv.assembler.dialect, areas=areas)).assemble(source)
    path = tmp_path / "program"
    path.write_bytes(elf(program))
    path.chmod(0o755)
    assert QEMU is not None
    theirs = subprocess.run([QEMU, str(path)], capture_output=True, timeout=60, check=True).stdout
    assert len(theirs) == 4 * words
    for engine in ("closures", "generated"):
        result = Simulator(isa, Machine("m")).run(program, engine=engine)
        assert result.trap is not None
        assert result.trap.kind == "environment"
        assert result.state["data"].at(program.symbols["results"], 4 * words).tobytes() == theirs
