"""A stand-in for a simulator made of the RTL: keeps the contract of `docs/how-to/run-on-rtl.md`, runs the reference interpreter.

It is started as a program of its own, imports nothing of the plug-in, and takes the file apart by itself. One instruction takes
a hundred cycles here, so that nobody takes its cycles for those of the core's simulator.

    python stand_in.py --binary PROGRAM.elf --cycles N
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

CYCLES = 100


def loaded(data: bytes, machine: Any) -> int:
    """Put the segments of an executable into a machine's memories; return the entry."""

    def field(at: int, size: int) -> int:
        return int.from_bytes(data[at : at + size], "little")

    assert data[:7] == b"\x7fELF\x01\x01\x01", "an ELF file of 32 bits, little-endian"
    assert (field(16, 2), field(18, 2)) == (2, 243), "an executable for RISC-V"
    start, size, count = field(28, 4), field(42, 2), field(44, 2)
    for at in range(start, start + size * count, size):
        if field(at, 4) == 1:
            offset, physical, length = field(at + 4, 4), field(at + 12, 4), field(at + 16, 4)
            machine.preset(physical, data[offset : offset + length])
    return field(24, 4)


def main() -> int:
    """Run a program; return the exit code."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binary", type=Path, required=True)
    arguments.add_argument("--cycles", type=int, required=True)
    given = arguments.parse_args()
    from coral_reference import errors
    from coral_reference import machine as reference

    folder = given.binary.parent
    request = json.loads((folder / "request.json").read_text())
    machine = reference.Machine()
    machine.pc = loaded(given.binary.read_bytes(), machine)
    try:
        status = machine.run(given.cycles // CYCLES)
    except errors.Trap:  # the core starts again at address 0 and does not come to an end
        status = "limit"
    report = {
        "schema": "kc.coral_rtl_report/1",
        "status": status,
        "cycles": given.cycles if status == "limit" else machine.instructions * CYCLES,
        "instructions": machine.instructions,
        "pc": machine.pc if status == "limit" else machine.pc - 4,
        "x": machine.x,
        "v": [bytes(machine.v[i : i + 16]).hex() for i in range(0, 512, 16)],
        **{name: request[name] for name in ("read_latency", "write_latency")},
    }
    for memory in request["memories"]:
        content = machine.memory[memory["address"]]
        assert len(content) == memory["bytes"]
        (folder / f"{memory['name']}.bin").write_bytes(content)
    (folder / "report.json").write_text(json.dumps(report))
    return 0


if __name__ == "__main__":
    path = Path(__file__).parent / "conftest.py"
    spec = importlib.util.spec_from_file_location("conftest", path)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))  # makes coral_reference importable
    sys.exit(main())
