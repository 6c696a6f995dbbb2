"""What a checked cost expression amounts to, as far as that is known without running anything."""

from __future__ import annotations

from kernelcraft_core.isa import ir
from kernelcraft_core.isa.fold import fold
from kernelcraft_core.isa.ir import Int


def value(expr: ir.Expr) -> int | None:
    """Return the number an expression of constants and parameters stands for, or None when it depends on more."""
    return fold(expr, lambda node: None)


def bounds(expr: ir.Expr) -> tuple[int, int | None]:
    """Return the least and the greatest number of cycles; None: no bound is known."""
    exact = value(expr)
    if exact is not None:
        return (exact, exact)
    kind = expr.type
    assert isinstance(kind, Int)
    return (kind.lo or 0, kind.hi)


def shown(expr: ir.Expr) -> str:
    """Return the cycles in words: `4`, `0..7`, `0 or more`."""
    low, high = bounds(expr)
    if high is None or high >= 1 << 31:
        return f"{low} or more"
    return str(low) if low == high else f"{low}..{high}"
