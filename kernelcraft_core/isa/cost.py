"""What a checked cost expression amounts to, as far as that is known without running anything."""

from __future__ import annotations

from kernelcraft_core.isa import ir
from kernelcraft_core.isa.ir import Int


def value(expr: ir.Expr) -> int | None:
    """Return the number an expression of constants and parameters stands for, or None when it depends on more."""
    try:
        return _value(expr)
    except (LookupError, ZeroDivisionError):
        return None


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


def _value(expr: ir.Expr) -> int:
    match expr:
        case ir.Const(value=int(number)):
            return number
        case ir.Bin(op=op, left=left, right=right):
            return int(ir.ARITHMETIC[op](_value(left), _value(right)))
        case ir.Compare(op=op, left=left, right=right):
            return int(ir.COMPARE[op](_value(left), _value(right)))
        case ir.Neg(op=op, value=inner):
            number = _value(inner)
            return -number if op == "-" else ~number if op == "~" else int(not number)
        case ir.Logic(op=op, parts=parts):
            truths = [bool(_value(part)) for part in parts]
            return int(all(truths) if op == "and" else any(truths))
        case ir.IfExp(test=test, then=then, other=other):
            return _value(then if _value(test) else other)
        case ir.Extend(value=inner, bits=bits, signed=signed):
            low = _value(inner) & ((1 << bits) - 1)
            return low - (1 << bits) if signed and low >> (bits - 1) else low
    raise LookupError(type(expr).__name__)
