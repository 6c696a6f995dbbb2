"""Executables as a host loads them into the memories of the Coral NPU: ELF32, little-endian, RISC-V.

There is a program header for each piece of memory and nothing else. Symbols are left out on purpose: benches of the public
tree give labels such as `tohost` a meaning, and a program here must not have one beside what it does.

Source: Tool Interface Standard, Executable and Linking Format 1.2; RISC-V ELF psABI (machine 243). google-coral/coralnpu,
doc/tutorials/host_axi_boot_sequence.md: a host writes each PT_LOAD segment to its physical address.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from attrs import frozen

EXECUTE, WRITE, READ = 1, 2, 4
"""Bits of a segment's flags."""
_HEADER = struct.Struct("<4s5B7x2H5I6H")
_PROGRAM = struct.Struct("<8I")
_ET_EXEC, _EM_RISCV, _PT_LOAD = 2, 243, 1
_CLASS32, _LITTLE, _VERSION = 1, 1, 1
_ALIGN = 16


@frozen
class Segment:
    """Bytes that are in memory from `address` on when the program starts; `flags` of `EXECUTE`, `WRITE`, `READ`."""

    address: int
    data: bytes
    flags: int


def executable(entry: int, segments: Sequence[Segment]) -> bytes:
    """Return the file of a program.

    Args:
        entry: address of the first instruction, 32 bits.
        segments: what memory holds; addresses are multiples of 16.
    """
    header_bytes, entry_bytes = _HEADER.size, _PROGRAM.size
    offset = header_bytes + entry_bytes * len(segments)
    table, content = [], []
    for segment in segments:
        gap = -offset % _ALIGN
        offset += gap
        size = len(segment.data)
        table.append(
            _PROGRAM.pack(_PT_LOAD, offset, segment.address, segment.address, size, size, segment.flags, _ALIGN)
        )
        content += [bytes(gap), segment.data]
        offset += size
    header = _HEADER.pack(
        b"\x7fELF",
        *(_CLASS32, _LITTLE, _VERSION, 0, 0),
        *(_ET_EXEC, _EM_RISCV, _VERSION, entry, header_bytes, 0, 0),
        *(header_bytes, entry_bytes, len(segments), 0, 0, 0),
    )
    return b"".join([header, *table, *content])
