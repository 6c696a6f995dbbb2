"""A batch of programs as Spike sees it: a block of physical memory for each, with page tables that give the Coral's memory map.

A program runs in user mode behind Sv32 page tables, so the memories lie at the addresses of the Coral NPU, with its access
rights, and each program has memories of its own. The page tables note which pages were written: only these are handed back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen

from kernelcraft_core.isa import Program

PAGE = 4096
ITCM, ITCM_PAGES = 0, 2
DTCM, DTCM_PAGES = 0x1_0000, 8
EXTERNAL, EXTERNAL_PAGES = 0x2000_0000, 1024

RAM, RAM_SIZE = 0x8000_0000, 0x8000_0000
CODE, SCRATCH, TOHOST, FROMHOST = RAM, RAM + 0x2000, RAM + 0x3000, RAM + 0x3040
BLOCKS = RAM + 0x10_0000
OUTPUT = RAM + 0x1800_0000
PRIVATE = RAM + 0x2000_0000
"""Where the external memories lie, 4 MiB each; Spike holds only the pages that are touched."""
MOST = (RAM + RAM_SIZE - PRIVATE) // (EXTERNAL_PAGES * PAGE)
"""Programs that have room."""

_VALID, _READ, _WRITE, _EXECUTE, _USER, _DIRTY = 1, 2, 4, 8, 16, 128
RECORD, ROOT, LOW_TABLE, HIGH_TABLE, MEMORIES = (n * PAGE for n in range(5))
"""Offsets in a block."""
SATP, X, VXRM, V = 0, 0, 128, 512
"""Offsets in a record: x[r] lies at 4 r; where x0 would lie there is the root of the page tables."""
RESULTS = 256
RESULT_NAMES = ("mcause", "mepc", "mtval", "vl", "vtype", "vxrm", "vxsat", "vstart", "pages")
"""Words behind offset 256, which Spike fills in."""
RECORD_SIZE = 1024


@frozen
class Case:
    """A program with its initial state."""

    seed: int
    program: Program
    state: Mapping[str, Any]

    @property
    def memories(self) -> dict[int, bytes]:
        """The pages that are preset, by address."""
        code = b"".join(int(word).to_bytes(4, "little") for word in self.program.words)
        code, dtcm = code.ljust(ITCM_PAGES * PAGE, b"\0"), self.state["dtcm"].ljust(DTCM_PAGES * PAGE, b"\0")
        pages: dict[int, bytes] = {}
        for start, data in ((ITCM, code), (DTCM, dtcm), *self.state["external"].items()):
            assert start % PAGE == 0
            for at in range(0, len(data), PAGE):
                pages[start + at] = bytes(data[at : at + PAGE]).ljust(PAGE, b"\0")
        return pages


def block_size(case: Case) -> int:
    """Return the bytes of a program's block."""
    return MEMORIES + len(case.memories) * PAGE


def block(case: Case, address: int, private: int) -> bytes:
    """Return the block of a program.

    Args:
        case: the program.
        address: of the block.
        private: of the 4 MiB that serve as its external memory, but for the pages that are preset.
    """
    pages = case.memories
    places = {virtual: address + MEMORIES + n * PAGE for n, virtual in enumerate(pages)}
    low, high = np.zeros(1024, np.uint32), np.zeros(1024, np.uint32)
    high[:] = [_entry(private + n * PAGE, _READ | _WRITE | _USER) for n in range(EXTERNAL_PAGES)]
    for virtual, physical in places.items():
        rights = _READ | _USER | (_EXECUTE if virtual < DTCM else _WRITE)
        table, number = (high, virtual - EXTERNAL) if virtual >= EXTERNAL else (low, virtual)
        table[number // PAGE] = _entry(physical, rights)
    root = np.zeros(1024, np.uint32)
    root[ITCM >> 22], root[EXTERNAL >> 22] = _entry(address + LOW_TABLE, 0), _entry(address + HIGH_TABLE, 0)
    tables = root.tobytes() + low.tobytes() + high.tobytes()
    return _record(case, address).ljust(PAGE, b"\0") + tables + b"".join(pages.values())


def _entry(physical: int, rights: int) -> int:
    return physical >> 12 << 10 | rights | _VALID


def _record(case: Case, address: int) -> bytes:
    words = np.zeros(RECORD_SIZE // 4, np.uint32)
    words[SATP // 4] = 1 << 31 | address + ROOT >> 12
    for register, value in case.state["x"].items():
        words[X // 4 + register] = value
    words[VXRM // 4] = case.state["vxrm"]
    data = bytearray(words.tobytes())
    data[V : V + 512] = bytes(byte for row in case.state["v"] for byte in row)
    return bytes(data)


@frozen
class Outcome:
    """What Spike made of a program.

    Attributes:
        x: 32 registers. v: 512 bytes. words: what `RESULT_NAMES` names. pages: the pages that were written, by address.
    """

    x: tuple[int, ...]
    v: bytes
    words: Mapping[str, int]
    pages: Mapping[int, bytes]


def outcomes(data: bytes) -> list[Outcome]:
    """Return the outcomes of a batch, which Spike wrote one behind the other."""
    found, at = [], 0
    while at < len(data):
        record = np.frombuffer(data, np.uint32, RECORD_SIZE // 4, at)
        first = RESULTS // 4
        words = dict(zip(RESULT_NAMES, record[first : first + len(RESULT_NAMES)].tolist(), strict=True))
        v = data[at + V : at + V + 512]
        at += RECORD_SIZE
        pages = {}
        for _ in range(words["pages"]):
            pages[int.from_bytes(data[at : at + 4], "little")] = data[at + 16 : at + 16 + PAGE]
            at += 16 + PAGE
        found.append(Outcome((0, *record[1:32].tolist()), v, words, pages))
    return found
