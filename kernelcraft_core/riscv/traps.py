"""Exceptions: their causes, how instructions raise them, and what address spaces call theirs.

A trap carries the numbers `cause` and `value` (what `mcause` and `mtval` would hold) in its detail.

Source: RISC-V Instruction Set Manual, volume II (privileged architecture), table of `mcause` values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kernelcraft_core.isa import Fault, Primitive, Trap

CAUSES: dict[int, tuple[str, str]] = {
    0: ("misaligned", "instruction address misaligned"),
    1: ("out_of_bounds", "instruction access fault"),
    2: ("illegal_instruction", "illegal instruction"),
    3: ("breakpoint", "breakpoint"),
    4: ("misaligned", "load address misaligned"),
    5: ("out_of_bounds", "load access fault"),
    6: ("misaligned", "store address misaligned"),
    7: ("out_of_bounds", "store access fault"),
    8: ("environment", "environment call from U-mode"),
    9: ("environment", "environment call from S-mode"),
    11: ("environment", "environment call from M-mode"),
}
"""Cause -> (trap kind of the closed list, text)."""

FAULTS: dict[str, Fault] = {
    name: Fault(f"{CAUSES[cause][1]} (cause {cause})", cause)
    for name, cause in (
        ("fetch", 1),
        ("load", 5),
        ("store", 7),
        ("load_misaligned", 4),
        ("store_misaligned", 6),
    )
}
"""What goes wrong in an address space of a RISC-V machine."""

ILLEGAL = 2


def exception(cause: int, value: int, text: str = "") -> Trap:
    """Return the trap of a cause, with what `mtval` would hold."""
    kind, name = CAUSES[cause]
    shown = f"{name} (cause {cause})" + (f": {text}" if text else f", value {value:#x}" if value else "")
    return Trap(kind, shown, None, {"cause": cause, "value": value})


def _make(context: Any) -> Callable[[int, int], None]:
    def stop(cause: int, value: int) -> None:
        raise exception(cause, value)

    return stop


EXCEPTION = Primitive(
    "exception",
    ("int", "int"),
    "",
    _make,
    "exception(cause, value): stop with the exception of that cause",
    tuple(sorted({kind for kind, _ in CAUSES.values()})),
)
"""The primitive by which instructions raise exceptions."""


def cause_of(kind: str, detail: Mapping[str, int]) -> tuple[int, int] | None:
    """Return (`mcause`, `mtval`) of a trap, or None where the hardware has no exception for it.

    Args:
        kind: the trap's kind. detail: its numbers.
        detail: see `kind`.
    """
    if "cause" in detail:
        return detail["cause"], detail.get("value", 0)
    if kind == "illegal_instruction" and "word" in detail:  # the engine met a word that is no instruction
        return ILLEGAL, detail["word"]
    return None
