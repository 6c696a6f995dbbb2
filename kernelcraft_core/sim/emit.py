"""Pieces of generated source: values with their types, folding of what is known, integer ranges."""

from __future__ import annotations

from functools import lru_cache

from attrs import frozen

from kernelcraft_core.isa import ir
from kernelcraft_core.isa.ir import ArrayType, Float, Int
from kernelcraft_core.sim.result import Trap

UFUNC = {"+": "np_add", "-": "np_subtract", "*": "np_multiply"}


@frozen(eq=False)
class Value:
    """Emitted source of an expression, its type, and its value when that is known already."""

    src: str
    type: ir.Type
    const: int | float | None = None
    simple: bool = False
    view: bool = False  # names storage that a later write may change


def divide(a: int, b: int) -> int:
    """Return a // b, rounding down; trap on zero."""
    if b == 0:
        raise Trap("arithmetic", "division by zero")
    return a // b


def modulo(a: int, b: int) -> int:
    """Return a % b with the sign of b; trap on zero."""
    if b == 0:
        raise Trap("arithmetic", "division by zero")
    return a % b


@lru_cache(maxsize=4096)
def constant(value: int) -> Value:
    """Return the value of a known integer."""
    return Value(repr(value) if value >= 0 else f"({value})", Int(value, value), value)


def float_text(value: float) -> str:
    """Return source text of a float, infinities and NaN included."""
    if value != value or value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    return repr(value)


def plus(name: str, number: int) -> str:
    """Return `name + number`, or `name` for zero."""
    return f"{name} + {number}" if number else name


def join(a: ir.Type, b: ir.Type) -> Int:
    """Return the smallest range that holds both."""
    assert isinstance(a, Int)
    assert isinstance(b, Int)
    lo = None if a.lo is None or b.lo is None else min(a.lo, b.lo)
    hi = None if a.hi is None or b.hi is None else max(a.hi, b.hi)
    return Int(lo, hi)


def negate(op: str, value: Value, kind: ir.Type) -> Value:
    """Return `op value` for - ~ not."""
    if isinstance(kind, ArrayType):
        return Value(f"np_negative({value.src})", kind)
    if value.const is not None:
        if op == "not":
            return constant(int(not value.const))
        if isinstance(value.const, int):
            return constant(-value.const if op == "-" else ~value.const)
        return Value(float_text(-value.const), kind, -value.const)
    if op == "not":
        return Value(f"(0 if {value.src} else 1)", Int(0, 1))
    return Value(f"({op}{value.src})", kind)


def extend(value: Value, bits: int, signed: bool) -> Value:
    """Return the low bits of a value, read as signed or unsigned."""
    kind = value.type
    assert isinstance(kind, Int)
    mask, half = (1 << bits) - 1, 1 << (bits - 1)
    low, high = (-half, half - 1) if signed else (0, mask)
    if value.const is not None:
        number = int(value.const) & mask
        return constant(number - (1 << bits) if signed and number >= half else number)
    if kind.lo is not None and kind.hi is not None and low <= kind.lo and kind.hi <= high:
        return value
    if signed and kind.lo is not None and kind.lo >= 0 and kind.hi is not None and kind.hi <= mask:
        return Value(f"((({value.src}) ^ {half}) - {half})", Int(low, high))
    if signed:
        return Value(f"((({value.src}) & {mask} ^ {half}) - {half})", Int(low, high))
    return Value(f"(({value.src}) & {mask})", Int(0, mask))


def within(kind: Int, size: int) -> bool:
    """Return whether values of this range are no larger than `size` in either direction."""
    return kind.lo is not None and kind.hi is not None and -size <= kind.lo and kind.hi <= size


def may_trap(node: ir.Expr) -> bool:
    """Return whether the node itself may stop the program: memories, primitives, division by what may be zero."""
    if isinstance(node, ir.Bin) and node.op in ("//", "%"):
        return not (isinstance(node.right.type, Int) and node.right.type.lo is not None and node.right.type.lo > 0)
    return isinstance(node, ir.ReadMem | ir.Call)


def exact_halves(node: ir.Expr) -> bool:
    """Return whether `node` is one operation on two values that are exact in binary16."""
    return (
        isinstance(node, ir.Bin)
        and node.op in UFUNC
        and all(isinstance(side.type, Float) and side.type.dtype == "f16" for side in (node.left, node.right))
    )
