"""What an expression comes to, as far as that is known without running anything."""

from __future__ import annotations

from collections.abc import Callable

from kernelcraft_core.isa import ir

Leaf = Callable[[ir.Expr], "int | None"]


def fold(expr: ir.Expr, leaf: Leaf) -> int | None:
    """Return the value of an integer expression, or None where what is known does not decide it.

    `leaf(node)` gives the value of operands, registers and whatever else is no operation on integers, or None. What one side
    decides alone counts as decided: 0 * x, 0 & x, `0 and x`, `1 or x`. Division by zero has no value.
    """
    match expr:
        case ir.Const(value=int(number)):
            return number
        case ir.Bin(op=op, left=left, right=right):
            return _operation(op, fold(left, leaf), fold(right, leaf))
        case ir.Compare(op=op, left=left, right=right):
            a, b = fold(left, leaf), fold(right, leaf)
            return None if a is None or b is None else int(ir.COMPARE[op](a, b))
        case ir.Neg(op=op, value=inner):
            value = fold(inner, leaf)
            if value is None:
                return None
            return -value if op == "-" else ~value if op == "~" else int(not value)
        case ir.Logic(op=op, parts=parts):
            decisive = op == "or"
            truths = [None if value is None else bool(value) for value in (fold(p, leaf) for p in parts)]
            if decisive in truths:
                return int(decisive)
            return None if None in truths else int(not decisive)
        case ir.IfExp(test=test, then=then, other=other):
            chosen = fold(test, leaf)
            return None if chosen is None else fold(then if chosen else other, leaf)
        case ir.Extend(value=inner, bits=bits, signed=signed):
            value = fold(inner, leaf)
            if value is None:
                return None
            low = value & ((1 << bits) - 1)
            return low - (1 << bits) if signed and low >> (bits - 1) else low
    return leaf(expr)


def _operation(op: str, a: int | None, b: int | None) -> int | None:
    if (op in ("*", "&") and 0 in (a, b)) or (op in ("<<", ">>") and a == 0):
        return 0
    if a is None or b is None or (op in ("//", "%") and b == 0):
        return None
    return int(ir.ARITHMETIC[op](a, b))
