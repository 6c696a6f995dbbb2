"""Registers and memory after programs that were run on the RTL.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), generated SystemVerilog under Verilator.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelcraft_core.facade import Target, target
from kernelcraft_core.isa import Program
from kernelcraft_core.sim import Limits, RunResult

VECTORS = Path(__file__).parent / "vectors"
MEMORIES = (("external", 0x2000_0000), ("dtcm", 0x1_0000), ("itcm", 0))
UNCOUNTED = {"s_csr_cycle": {"x21"}}
"""Registers whose value is not required: a count of completed instructions."""
LIMITS = Limits(instructions=2_000_000)


def programs(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text())["programs"]
    return found


@cache
def coral() -> Target:
    return target("coral", overrides={"RL": 2, "WL": 2})


def assembled(row: dict[str, Any]) -> Program:
    return coral().assemble("\n".join(f".word 0x{word}" for word in row["words"].split()))


def place(address: int) -> tuple[str, int]:
    """Return (memory, its first address)."""
    return next((name, base) for name, base in MEMORIES if base <= address)


def run(row: dict[str, Any]) -> RunResult:
    state: dict[str, dict[int, bytes]] = {}
    for address, data, *times in row.get("data", ()):
        state.setdefault(place(address)[0], {})[address] = bytes.fromhex(data) * (times[0] if times else 1)
    for address, _, _, data in row.get("inputs", ()):
        state.setdefault(place(address)[0], {})[address] = base64.b64decode(data)
    result = coral().simulate(assembled(row), state, LIMITS)
    assert result.status == "halted", result.trap
    assert result.instret == row["instructions"]
    return result


def held(result: RunResult, address: int, length: int) -> bytes:
    memory, base = place(address)
    return bytes(result.state[memory][address - base : address - base + length])


def check_registers(row: dict[str, Any], result: RunResult) -> None:
    found = {f"x{i}": int(value) for i, value in enumerate(result.state["x"]) if value}
    skipped = UNCOUNTED.get(row["name"], set())
    expected = {name: value for name, value in row["x"].items() if name not in skipped}
    assert {name: value for name, value in found.items() if name not in skipped} == expected


@pytest.mark.parametrize("row", programs("micro"), ids=lambda row: row["name"])
def test_micro_program_leaves_what_the_hardware_left(row: dict[str, Any]) -> None:
    result = run(row)
    check_registers(row, result)
    v = np.asarray(result.state["v"])
    assert {f"v{i}": v[i].tobytes().hex() for i in range(32) if v[i].any()} == row.get("v", {})
    for address, data in row.get("mem", ()):
        assert held(result, address, len(data) // 2).hex() == data
    if "ext0" in row:
        known = bytes.fromhex(row["ext0"])
        assert held(result, 0x2000_0000, len(known) + 64) == known + bytes(64)


@pytest.mark.parametrize("row", programs("random"), ids=lambda row: row["name"])
def test_random_program_leaves_what_the_hardware_left(row: dict[str, Any]) -> None:
    check_registers(row, run(row))


@pytest.mark.parametrize("row", programs("kernels"), ids=lambda row: row["name"])
def test_kernel_computes_what_it_computed_on_the_hardware(row: dict[str, Any]) -> None:
    result = run(row)
    address, _, _, data = row["output"]
    expected = base64.b64decode(data)
    assert held(result, address, len(expected)) == expected


def test_all_measured_programs_are_here() -> None:
    assert [len(programs(name)) for name in ("micro", "random", "kernels")] == [129, 48, 18]
