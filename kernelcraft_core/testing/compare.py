"""Comparison of two runs, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelcraft_core.sim import RunResult
from kernelcraft_core.sim.preset import MemoryView
from kernelcraft_core.sim.state import ByteMemory


def differences(a: RunResult, b: RunResult) -> list[str]:
    """Return what differs between two runs of one program: status, counters, traps, all state, profile; empty when nothing."""
    out: list[str] = []
    for name in ("status", "cycles", "instret", "latency_ns", "undefined_count"):
        if getattr(a, name) != getattr(b, name):
            out.append(f"{name}: {getattr(a, name)!r} and {getattr(b, name)!r}")
    for name in ("trap", "limit"):
        x, y = getattr(a, name), getattr(b, name)
        if repr(x.as_dict() if x else None) != repr(y.as_dict() if y else None):
            out.append(f"{name}: {x} and {y}")
    for name in a.state:
        out += _state(name, a.state[name], b.state[name])
    p, q = a.profile, b.profile
    if [(r.pc, r.count, r.cycles) for r in p.lines] != [(r.pc, r.count, r.cycles) for r in q.lines]:
        out.append("profile: counts or cycles by line differ")
    return out


def _state(name: str, x: Any, y: Any) -> list[str]:
    if isinstance(x, MemoryView):
        return _memory(name, x, y)
    if isinstance(x, np.ndarray):
        if x.dtype != y.dtype or x.shape != y.shape:
            return [f"{name}: {x.dtype}{x.shape} and {y.dtype}{y.shape}"]
        if not same_bits(x, y):
            where = np.argwhere(_bits(x) != _bits(y))[:3].tolist()
            return [f"{name} differs at {where}"]
        return []
    return [] if x == y or (x != x and y != y) else [f"{name}: {x!r} and {y!r}"]


def _memory(name: str, x: MemoryView, y: MemoryView) -> list[str]:
    out = []
    if isinstance(x.memory, ByteMemory):
        assert isinstance(y.memory, ByteMemory)
        left, right = dict(x.memory.dirty_ranges()), dict(y.memory.dirty_ranges())
        for address in sorted(left.keys() | right.keys()):
            if x.at(address, 4096).tobytes() != y.at(address, 4096).tobytes():
                out.append(f"{name} differs in the page at {address:#x}")
        return out
    for row in sorted(set(x.touched) | set(y.touched)):
        if not same_bits(x[row], y[row]):
            out.append(f"{name} row {row} differs")
    return out[:5]


def _bits(x: Any) -> Any:
    """Return the words of an array with all NaNs alike: which NaN an operation gives is not part of any format here."""
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x)
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


def same_bits(x: Any, y: Any) -> bool:
    """Return whether two arrays hold the same bits, all NaNs counting as one."""
    return bool(np.array_equal(_bits(x), _bits(y)))
