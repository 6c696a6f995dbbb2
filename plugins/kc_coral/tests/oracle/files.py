"""The two files Spike reads: an ELF program and a device tree, written from scratch so that no toolchain is needed.

Source: ELF specification 1.2 with the RISC-V psABI; Devicetree Specification 0.4, chapter 5 (flattened format).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from attrs import frozen

Node = Mapping[str, "bytes | Node"]
"""Properties and nodes of a device tree by name."""


@frozen
class Segment:
    """Bytes that stand at a physical address."""

    address: int
    data: bytes


_HEADER, _PROGRAM, _SECTION, _SYMBOL = 52, 32, 40, 16
_RISCV, _EXECUTABLE, _LOAD, _ALL = 243, 2, 1, 7
_SYMTAB, _STRTAB, _ABSOLUTE, _GLOBAL = 2, 3, 0xFFF1, 1 << 4


def elf(entry: int, segments: Sequence[Segment], symbols: Mapping[str, int]) -> bytes:
    """Return an executable file for a 32-bit machine."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in symbols)
    table = bytes(_SYMBOL)
    for symbol, value in symbols.items():
        place = names.index(b"\0" + symbol.encode() + b"\0") + 1
        table += struct.pack("<IIIBBH", place, value, 8, _GLOBAL, 0, _ABSOLUTE)
    kinds = b"\0.symtab\0.strtab\0.shstrtab\0"
    at = _HEADER + _PROGRAM * len(segments)
    headers, body = b"", b""
    for segment in segments:
        size = len(segment.data)
        headers += struct.pack("<8I", _LOAD, at + len(body), segment.address, segment.address, size, size, _ALL, 4)
        body += segment.data + bytes(-size % 8)
    sections = bytes(_SECTION)
    for name, kind, data, link, info, size in (
        (b".symtab", _SYMTAB, table, 2, 1, _SYMBOL),
        (b".strtab", _STRTAB, names, 0, 0, 0),
        (b".shstrtab", _STRTAB, kinds, 0, 0, 0),
    ):
        sections += struct.pack(
            "<10I", kinds.index(b"\0" + name) + 1, kind, 0, 0, at + len(body), len(data), link, info, 4, size
        )
        body += data + bytes(-len(data) % 8)
    identity = b"\x7fELF\x01\x01\x01" + bytes(9)
    counts = (_HEADER, _PROGRAM, len(segments), _SECTION, len(sections) // _SECTION, 3)
    header = struct.pack("<HHIIIIIHHHHHH", _EXECUTABLE, _RISCV, 1, entry, _HEADER, at + len(body), 0, *counts)
    return identity + header + headers + body + sections


def cells(*values: int) -> bytes:
    """Return a property of 32-bit numbers."""
    return struct.pack(f">{len(values)}I", *values)


def text(value: str) -> bytes:
    """Return a property that is a text."""
    return value.encode() + b"\0"


_BEGIN, _END, _PROPERTY, _LAST = 1, 2, 3, 9
_MAGIC, _VERSION, _COMPATIBLE = 0xD00DFEED, 17, 16


def device_tree(root: Node) -> bytes:
    """Return a device tree blob."""
    names: dict[str, int] = {}
    strings = b""

    def place(name: str) -> int:
        nonlocal strings
        if name not in names:
            names[name] = len(strings)
            strings += text(name)
        return names[name]

    def padded(data: bytes) -> bytes:
        return data + bytes(-len(data) % 4)

    def node(name: str, content: Node) -> bytes:
        out = cells(_BEGIN) + padded(text(name))
        for key, value in content.items():
            if isinstance(value, bytes):
                out += cells(_PROPERTY, len(value), place(key)) + padded(value)
        return out + b"".join(node(k, v) for k, v in content.items() if not isinstance(v, bytes)) + cells(_END)

    structure = node("", root) + cells(_LAST)
    reserved, header = bytes(16), 40
    at = header + len(reserved)
    total = at + len(structure) + len(strings)
    fields = (_MAGIC, total, at, at + len(structure), header, _VERSION, _COMPATIBLE, 0, len(strings), len(structure))
    return cells(*fields) + reserved + structure + strings
