"""`AddressSpace`: several byte memories at their bases behind one pair of load and store, each with its access rights.

The usual access, aligned and in a memory of at most a few, costs a comparison and an index into a typed view of the memory's
bytes. What is unaligned, not defined or wrong takes the memory's own path.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from kernelcraft_core.diagnostics import Diagnostic, MachineError
from kernelcraft_core.isa.model import Fault, Space
from kernelcraft_core.isa.program import Section
from kernelcraft_core.isa.traps import Trap
from kernelcraft_core.sim.state import ByteMemory

_FORMATS: dict[int, Any] = {1: "B", 2: "H", 4: "I", 8: "Q"}
_NOUNS = {"load": ("r", "no load from"), "store": ("w", "no store to"), "fetch": ("x", "no instructions in")}
Views = dict[int, memoryview]
"""By length of an access in bytes: the memory as integers of that length, as far as they go."""


def _views(memory: ByteMemory) -> Views:
    if sys.byteorder != "little" or memory.base % 8:
        return {}
    whole = memoryview(memory.data).cast("B")
    return {n: whole[: memory.size // n * n].cast(code) for n, code in _FORMATS.items()}


class AddressSpace:
    """The memories of a `Space` in one run."""

    def __init__(self, decl: Space, memories: Iterable[ByteMemory]) -> None:
        """`memories` belong to the regions of `decl`, in order."""
        self.name = decl.name
        self.align = decl.align
        self.faults = decl.faults
        self.regions = tuple(zip(decl.regions, memories, strict=True))
        self._by_right = {
            right: tuple(
                (m.base, m.base + m.size, _views(m), m) for region, m in self.regions if right in region.access
            )
            for right in "rwx"
        }
        self._readable, self._writable = self._by_right["r"], self._by_right["w"]

    # -- loads and stores ---------------------------------------------------------------------------------------------

    def load(self, address: int, length: int) -> int:
        """Return `length` bytes (1, 2, 4 or 8) at `address` as an unsigned little-endian integer.

        Raises:
            Trap: `out_of_bounds` or `misaligned`.
        """
        for low, end, views, memory in self._readable:
            if low <= address <= end - length:
                view = views.get(length)
                if view is not None and not address % length:
                    offset = address - low
                    if not memory.tracked or memory.known(offset, length):
                        value: int = view[offset // length]
                        return value
                self._check("load", address, length)
                return int.from_bytes(memory.span(address, length).tobytes(), "little")
        raise self.fault("load", address, length)

    def store(self, address: int, length: int, value: int) -> None:
        """Write the low `length` bytes (1, 2, 4 or 8) of `value` at `address`, little-endian.

        Raises:
            Trap: `out_of_bounds` or `misaligned`.
        """
        for low, end, views, memory in self._writable:
            if low <= address <= end - length:
                view = views.get(length)
                if view is not None and not address % length:
                    offset = address - low
                    if not memory.tracked or memory.known(offset, length):
                        view[offset // length] = value & ((1 << 8 * length) - 1)
                        memory.dirty.add(offset >> 12)
                        return
                self._check("store", address, length)
                data = (value & ((1 << 8 * length) - 1)).to_bytes(length, "little")
                memoryview(memory.target(address, length))[:] = data
                return
        raise self.fault("store", address, length)

    def span(self, address: int, length: int) -> Any:
        """Return a uint8 view of `length` bytes to read, all in one memory.

        Raises:
            Trap: `out_of_bounds`.
        """
        return self._memory("load", address, length).span(address, length)

    def target(self, address: int, length: int) -> Any:
        """Return a uint8 view of `length` bytes to write, all in one memory.

        Raises:
            Trap: `out_of_bounds`.
        """
        return self._memory("store", address, length).target(address, length)

    def window(self, what: str, address: int, length: int) -> Any:
        """Return a uint8 view of bytes to `load` or `store` if they are in one memory that allows it, all defined; else None.

        Bytes of a store count as written.
        """
        for low, end, _, memory in self._readable if what == "load" else self._writable:
            if low <= address <= end - length:
                offset = address - low
                if memory.tracked and not memory.known(offset, length):
                    return None
                if what == "store":
                    memory.mark(offset, length)
                return memory.data[offset : offset + length]
        return None

    def _memory(self, what: str, address: int, length: int) -> ByteMemory:
        for low, end, _, memory in self._by_right[_NOUNS[what][0]]:
            if low <= address <= end - length:
                return memory
        raise self.fault(what, address, length)

    # -- what goes wrong ----------------------------------------------------------------------------------------------

    def fault(self, what: str, address: int, length: int = 1) -> Trap:
        """Return the trap for an access (`load`, `store`, `fetch`) that no region allows as a whole."""
        name = f"{address:#x}" if length == 1 else f"{address:#x}..{address + length - 1:#x}"
        inside = next((m for _, m in self.regions if m.base < address + length and address < m.base + m.size), None)
        if inside is None:
            reason = "there is no memory"
        elif not (inside.base <= address and address + length <= inside.base + inside.size):
            reason = f"it leaves {inside.name} ({inside.base:#x}..{inside.base + inside.size - 1:#x})"
        else:
            reason = f"{_NOUNS[what][1]} {inside.name}"
        return self._trap("out_of_bounds", what, address, f"{name}: {reason}")

    def _check(self, what: str, address: int, length: int) -> None:
        """Refuse accesses of lengths there are not, and those that are not aligned where they must be."""
        if length not in _FORMATS:
            raise Trap("illegal_operands", f"{self.name} is accessed by 1, 2, 4 or 8 bytes, not {length}")
        if self.align and address % length:
            message = f"{address:#x}: not a multiple of {length}"
            raise self._trap("misaligned", f"{what}_misaligned", address, message)

    def _trap(self, kind: str, what: str, address: int, message: str) -> Trap:
        fault = self.faults.get(what, Fault(what.replace("_", " "), -1))
        detail = {"cause": fault.cause, "value": address} if fault.cause >= 0 else {"value": address}
        return Trap(kind, f"{fault.text} at {message}", None, detail)

    def no_instruction(self, pc: int) -> Trap:
        """Return the trap for a program counter where the program has no instruction."""
        for low, end, _, memory in self._by_right["x"]:
            if low <= pc < end:
                word = int.from_bytes(memory.data[pc - low : pc - low + 4].tobytes(), "little")
                message = f"the program has no instruction at {pc:#x} ({memory.name} holds {word:#010x} there)"
                return Trap("illegal_instruction", message, None, {"word": word})
        return self.fault("fetch", pc)

    # -- programs -----------------------------------------------------------------------------------------------------

    def put(self, section: Section) -> None:
        """Load a section of a program before the run.

        Raises:
            MachineError: KC0514 it does not lie in one of the memories.
        """
        end = section.base + len(section.data)
        for _, memory in self.regions:
            if memory.base <= section.base and end <= memory.base + memory.size:
                memory.preset(section.base, memoryview(section.data))
                return
        message = f"section {section.name} at {section.base:#x}..{end - 1:#x} does not lie in a memory of {self.name}"
        known = ", ".join(f"{m.name} {m.base:#x}..{m.base + m.size - 1:#x}" for _, m in self.regions)
        raise MachineError(Diagnostic("KC0514", message, hint=f"memories: {known}"))
