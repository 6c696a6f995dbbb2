"""What is said to an RTL simulator and what it answers, through files in the folder of one run.

`request.json` stands beside the program when the simulator is called; `report.json` and one file for each memory stand there
when it has ended. `docs/how-to/run-on-rtl.md` describes both for whoever writes the simulator's side.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, SimulationError, printable

REQUEST = "kc.coral_rtl_request/1"
REPORT = "kc.coral_rtl_report/1"
HALTED, FAULT, LIMIT = "halted", "fault", "limit"
STATUSES = (HALTED, FAULT, LIMIT)
MAX_REPORT = 1 << 20
"""Largest report in bytes."""
MAX_COUNT = 1 << 63


@frozen
class Memory:
    """A memory whose content at the end is asked for: `NAME.bin` holds it, `size` bytes from `address` on."""

    name: str
    address: int
    size: int


@frozen
class Request:
    """What one run asks for.

    Attributes:
        cycles: where the run is to be broken off.
        latencies: `read_latency` and `write_latency` of external memory in cycles, the machine's RL and WL.
        memories: whose content is wanted.
    """

    cycles: int
    latencies: Mapping[str, int]
    memories: tuple[Memory, ...]

    def text(self) -> str:
        """Return `request.json`."""
        memories = [{"name": m.name, "address": m.address, "bytes": m.size} for m in self.memories]
        return json.dumps({"schema": REQUEST, "cycles": self.cycles, **self.latencies, "memories": memories}, indent=2)


@frozen
class Report:
    """How a run ended, as the simulator reports it.

    Attributes:
        status: one of `STATUSES`. cycles: as the core counts them.
        instructions: executed ones; 0 when they are not counted. pc: where it stopped; None when that is not known.
        registers: of `x` (32 numbers) and `v` (32 times 16 bytes) what is known. memories: name -> content.
    """

    status: str
    cycles: int
    instructions: int
    pc: int | None
    registers: Mapping[str, list[Any]]
    memories: Mapping[str, bytes]


def refusal(message: str, hint: str | None = None) -> SimulationError:
    """Return KC0463."""
    return SimulationError(Diagnostic("KC0463", f"the report of the RTL simulator: {message}", hint=hint))


def read_report(folder: Path, request: Request) -> Report | None:
    """Return what a simulator reports, or None when there is no report.

    Raises:
        SimulationError: KC0463 the report is not of its form, lacks a memory, or is about other latencies.
    """
    path = folder / "report.json"
    if not path.is_file():
        return None
    if path.stat().st_size > MAX_REPORT:
        raise refusal(f"it has more than {MAX_REPORT} bytes")
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise refusal(f"it is no JSON: {printable(str(error))}") from None
    if not isinstance(found, dict) or found.get("schema") != REPORT:
        raise refusal(f"it does not state the schema {REPORT}")
    for name, wanted in request.latencies.items():
        if found.get(name) != wanted:
            message = f"{name} is {printable(repr(found.get(name)))}, and {wanted} was asked for"
            raise refusal(message, "--set RL=... --set WL=... ask for the latencies that the simulator has")
    status = found.get("status")
    if status not in STATUSES:
        raise refusal(f"the status {printable(repr(status))} is none of {', '.join(STATUSES)}")
    return Report(
        status,
        _number(found, "cycles", 1),
        _number(found, "instructions", 0) if "instructions" in found else 0,
        _number(found, "pc", 0, 1 << 32) if "pc" in found else None,
        dict(_registers(found)),
        _memories(folder, request, status),
    )


def _number(found: Mapping[str, Any], name: str, low: int, end: int = MAX_COUNT) -> int:
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value < end:
        raise refusal(f"{name} = {printable(repr(value))} is no whole number from {low} on that can be one")
    return value


def _registers(found: Mapping[str, Any]) -> Any:
    """Yield (name, values) of the register files that are reported."""
    if "x" in found:
        values = found["x"]
        if not isinstance(values, list) or len(values) != 32:
            raise refusal("x is no list of 32 numbers")
        yield "x", [_number({"x": value}, "x", 0, 1 << 32) for value in values]
    if "v" in found:
        rows = found["v"]
        try:
            values = [list(bytes.fromhex(row)) for row in rows]
        except (TypeError, ValueError):
            values = []
        if len(values) != 32 or any(len(row) != 16 for row in values):
            raise refusal("v is no list of 32 texts of 32 hexadecimal digits")
        yield "v", values


def _memories(folder: Path, request: Request, status: str) -> dict[str, bytes]:
    """Return the content of the memories; all of them are there when the program reached its end."""
    out = {}
    for memory in request.memories:
        path = folder / f"{memory.name}.bin"
        if not path.is_file():
            if status == HALTED:
                raise refusal(f"the program halted, and {path.name} is missing")
            continue
        if path.stat().st_size != memory.size:
            raise refusal(f"{path.name} has {path.stat().st_size} bytes, not {memory.size}")
        out[memory.name] = path.read_bytes()
    return out
