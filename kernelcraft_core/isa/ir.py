"""The checked form of semantics: a typed tree that both engines lower, each in its own way.

One instruction is a list of statements over the state *before* it: all values and places are evaluated first, in text order,
then all writes and effects happen in text order. Nodes are immutable; every expression node has a `type`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Union

from attrs import frozen

if TYPE_CHECKING:
    from kernelcraft_core.isa.primitives import Primitive

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
"""What the operators of `Bin` do to known numbers."""
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""What the operators of `Compare` do to known numbers."""

HALT_PC = -1
"""The program counter value that means: this instruction ended the program."""


@frozen
class Int:
    """An unbounded integer known to lie in `lo..hi`; None means unbounded on that side."""

    lo: int | None = None
    hi: int | None = None


@frozen
class Float:
    """A scalar whose value is exact in `dtype` (`f16`, `bf16`, `f32`); kept as a Python float."""

    dtype: str = "f32"


@frozen
class ArrayType:
    """A numpy value of `shape`; float dtypes narrower than f32 are held in float32 arrays whose values are exact in `dtype`."""

    dtype: str
    shape: tuple[int, ...]


@frozen
class StateType:
    """The storage itself, handed to a primitive that reads or writes it."""

    name: str


Type = Union[Int, Float, ArrayType, StateType]


@frozen
class Const:
    """A known number."""

    value: int | float
    type: Type


HALT = Const(HALT_PC, Int(HALT_PC, HALT_PC))
"""Where a jump goes that ends the program."""


@frozen
class OperandRef:
    """The value of an operand, known once the instruction is decoded."""

    name: str
    type: Type


@frozen
class Local:
    """A value the instruction named before."""

    name: str
    type: Type


@frozen
class ReadReg:
    """Element `index` of a register file."""

    state: str
    index: Expr
    type: Type


@frozen
class ReadState:
    """A single register or a whole array of state."""

    state: str
    type: Type


@frozen
class ReadMem:
    """One word or row of a memory; out-of-bounds and misaligned addresses trap."""

    state: str
    address: Expr
    type: Type


@frozen
class Pc:
    """The address of the instruction."""

    type: Type


@frozen
class NextPc:
    """The address of the instruction that follows in memory."""

    type: Type


@frozen
class Bin:
    """`op` is one of + - * // % & | ^ << >>."""

    op: str
    left: Expr
    right: Expr
    type: Type


@frozen
class Neg:
    """`op` is one of - ~ not."""

    op: str
    value: Expr
    type: Type


@frozen
class Compare:
    """`op` is one of == != < <= > >=."""

    op: str
    left: Expr
    right: Expr
    type: Type


@frozen
class Logic:
    """Short-circuit `and` / `or` of truth values; the result is 0 or 1."""

    op: str
    parts: tuple[Expr, ...]
    type: Type


@frozen
class IfExp:
    """One of two values; only the chosen one is computed."""

    test: Expr
    then: Expr
    other: Expr
    type: Type


@frozen
class Extend:
    """The low `bits` bits of `value`, read as signed or unsigned."""

    value: Expr
    bits: int
    signed: bool
    type: Type


@frozen
class Round:
    """`value` (computed in double precision) rounded once to float32."""

    value: Expr
    type: Type


@frozen
class Call:
    """A primitive applied to values and state handles."""

    primitive: Primitive
    args: tuple[Expr, ...]
    type: Type | tuple[Type, ...] | None


@frozen
class Handle:
    """State handed to a primitive."""

    state: str
    type: Type


Expr = Union[
    Const,
    OperandRef,
    Local,
    ReadReg,
    ReadState,
    ReadMem,
    Pc,
    NextPc,
    Bin,
    Neg,
    Compare,
    Logic,
    IfExp,
    Extend,
    Round,
    Call,
    Handle,
]


@frozen
class Let:
    """Name one value, or the several values of one primitive call."""

    names: tuple[str, ...]
    value: Expr


@frozen
class Write:
    """Assign to a register (`index`), a memory cell or row (`index` is its address), or a whole state (`index` None)."""

    state: str
    index: Expr | None
    value: Expr
    guard: Expr | None = None


@frozen
class Effect:
    """Call a primitive for what it does to the state handed to it."""

    call: Call
    guard: Expr | None = None


@frozen
class Jump:
    """Set the program counter; HALT_PC ends the program."""

    target: Expr
    guard: Expr | None = None


@frozen
class TrapIf:
    """Stop with a trap of `kind` before anything is written."""

    kind: str
    guard: Expr | None = None


Stmt = Union[Let, Write, Effect, Jump, TrapIf]


def children(node: Expr) -> tuple[Expr, ...]:
    """Return the sub-expressions of `node`, in evaluation order."""
    match node:
        case ReadReg(index=index):
            return (index,)
        case ReadMem(address=address):
            return (address,)
        case Bin(left=left, right=right) | Compare(left=left, right=right):
            return (left, right)
        case Neg(value=value) | Extend(value=value) | Round(value=value):
            return (value,)
        case Logic(parts=parts):
            return parts
        case IfExp(test=test, then=then, other=other):
            return (test, then, other)
        case Call(args=args):
            return args
        case _:
            return ()


def walk(node: Expr) -> Iterator[Expr]:
    """Yield `node` and everything below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def expressions(statement: Stmt) -> tuple[Expr, ...]:
    """Return the expressions a statement evaluates, guard first."""
    guard = getattr(statement, "guard", None)
    head: tuple[Expr, ...] = (guard,) if guard is not None else ()
    match statement:
        case Let(value=value):
            return (*head, value)
        case Write(index=None, value=value):
            return (*head, value)
        case Write(index=index, value=value):
            assert index is not None
            return (*head, index, value)
        case Effect(call=call):
            return (*head, call)
        case Jump(target=target):
            return (*head, target)
        case _:
            return head


def is_static(node: Expr) -> bool:
    """Return whether `node` depends on operands only: its value is known once the instruction is decoded."""
    return all(
        not isinstance(n, ReadReg | ReadState | ReadMem | Local | Call | Handle | Pc | NextPc) for n in walk(node)
    )
