"""Expressions of the semantics as Python closures: the closure engine's half that computes values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import define, field

from kernelcraft_core.isa import ir
from kernelcraft_core.isa.ir import ArrayType, Float, Int
from kernelcraft_core.isa.model import Rows
from kernelcraft_core.sim.bind import Bindings, zero_of
from kernelcraft_core.sim.result import Trap
from kernelcraft_core.sim.rounding import round_f32, to_double

Thunk = Callable[[], Any]
UFUNCS: dict[str, Callable[..., Any]] = {"+": np.add, "-": np.subtract, "*": np.multiply}
_ARITHMETIC: dict[str, Callable[[Thunk, Thunk], Thunk]] = {
    "+": lambda a, b: lambda: a() + b(),
    "-": lambda a, b: lambda: a() - b(),
    "*": lambda a, b: lambda: a() * b(),
    "&": lambda a, b: lambda: a() & b(),
    "|": lambda a, b: lambda: a() | b(),
    "^": lambda a, b: lambda: a() ^ b(),
    "<<": lambda a, b: lambda: a() << b(),
    ">>": lambda a, b: lambda: a() >> b(),
}


@define
class Env:
    """What one instruction is built from: operand values, its place, slots for the values it names."""

    operands: dict[str, int]
    pc: int
    next_pc: int
    slots: dict[str, int] = field(factory=dict)
    values: list[Any] = field(factory=list)
    jump: list[int] = field(factory=lambda: [0])
    place_dependent: bool = False


@define(eq=False)
class Thunks:
    """Turns typed expressions into closures over one run's storage."""

    bindings: Bindings

    def _expr(self, node: ir.Expr, env: Env) -> Thunk:
        match node:
            case ir.Const(value=value):
                return lambda: value
            case ir.OperandRef(name=name):
                number = env.operands[name]
                return lambda: number
            case ir.Local(name=name):
                values, slot = env.values, env.slots[name]
                return lambda: values[slot]
            case ir.Pc():
                env.place_dependent = True
                pc = env.pc
                return lambda: pc
            case ir.NextPc():
                env.place_dependent = True
                next_pc = env.next_pc
                return lambda: next_pc
            case ir.ReadReg():
                return self._read_register(node, env)
            case ir.ReadState(state=state, type=kind):
                store = self.bindings.storage[state]
                return (lambda: store) if isinstance(kind, ArrayType) else (lambda: store[0])
            case ir.ReadMem(state=state, address=address):
                store, where = self.bindings.storage[state], self._expr(address, env)
                if isinstance(self.bindings.isa.state_named(state), Rows):
                    rows = store.R
                    return lambda: rows[where()]
                return lambda: store.read(where())
            case ir.Bin():
                return self._binary(node, env)
            case ir.Neg(op=op, value=inner):
                negated = self._expr(inner, env)
                return {"-": lambda: -negated(), "~": lambda: ~negated(), "not": lambda: 0 if negated() else 1}[op]
            case ir.Compare(op=op, left=left, right=right):
                compare = ir.COMPARE[op]
                a, b = self._expr(left, env), self._expr(right, env)
                return lambda: 1 if compare(a(), b()) else 0
            case ir.Logic(op=op, parts=parts):
                thunks = [self._expr(p, env) for p in parts]
                if op == "and":
                    return lambda: 1 if all(t() for t in thunks) else 0
                return lambda: 1 if any(t() for t in thunks) else 0
            case ir.IfExp(test=test, then=then, other=other):
                cond, yes, no = self._expr(test, env), self._expr(then, env), self._expr(other, env)
                return lambda: yes() if cond() else no()
            case ir.Extend(value=inner, bits=bits, signed=signed):
                return _extension(self._expr(inner, env), bits, signed)
            case ir.Round(value=inner):
                exact = self._expr(inner, env)
                return lambda: round_f32(exact())
            case ir.Call(args=args):
                function = self._function(node)
                thunks = [self._expr(a, env) for a in args if not isinstance(a, ir.Handle)]
                if len(thunks) == 1:
                    only = thunks[0]
                    return lambda: function(only())
                if len(thunks) == 2:
                    first, second = thunks
                    return lambda: function(first(), second())
                return lambda: function(*[t() for t in thunks])
        raise AssertionError(node)

    def _read_register(self, node: ir.ReadReg, env: Env) -> Thunk:
        store = self.bindings.storage[node.state]
        zero = zero_of(self.bindings.isa, node.state)
        if isinstance(node.index, ir.OperandRef):
            number = env.operands[node.index.name]
            if number == zero:
                nothing: int | float = 0 if isinstance(node.type, Int) else 0.0
                return lambda: nothing
            return lambda: store[number]
        index = self._expr(node.index, env)
        return lambda: store[index()]

    def _binary(self, node: ir.Bin, env: Env) -> Thunk:
        if isinstance(node.type, ArrayType | Float):
            a, b = self._number(node.left, env), self._number(node.right, env)
            if isinstance(node.type, Float):
                return _ARITHMETIC[node.op](a, b)
            function = UFUNCS[node.op]
            return lambda: function(a(), b(), dtype=np.float32)
        a, b = self._expr(node.left, env), self._expr(node.right, env)
        if node.op in ("//", "%"):
            return _division(node.op, a, b)
        return _ARITHMETIC[node.op](a, b)

    def _number(self, node: ir.Expr, env: Env) -> Thunk:
        """Return an operand of float arithmetic: integers that no float holds become infinities."""
        value = self._expr(node, env)
        kind = node.type
        if isinstance(kind, Int) and (kind.lo is None or kind.hi is None or max(-kind.lo, kind.hi) >> 1000):
            return lambda: to_double(value())
        return value

    def _function(self, call: ir.Call) -> Callable[..., Any]:
        handles = tuple(a.state for a in call.args if isinstance(a, ir.Handle))
        return self.bindings.primitive(call.primitive, handles)


def _division(op: str, a: Thunk, b: Thunk) -> Thunk:
    def divide() -> int:
        x, y = a(), b()
        if y == 0:
            raise Trap("arithmetic", "division by zero")
        return int(x // y if op == "//" else x % y)

    return divide


def _extension(value: Thunk, bits: int, signed: bool) -> Thunk:
    modulus = 1 << bits
    if not signed:
        return lambda: value() % modulus
    half = modulus >> 1
    return lambda: (value() + half) % modulus - half
