"""Expressions of the semantics as Python source, with operand values folded in and integer ranges kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from attrs import define, field

from kernelcraft_core.isa import ir
from kernelcraft_core.isa.ir import ArrayType, Float, Int
from kernelcraft_core.isa.model import Rows, Words
from kernelcraft_core.isa.types import int_range
from kernelcraft_core.sim.bind import Bindings, zero_of
from kernelcraft_core.sim.emit import UFUNC, Value, constant, exact_halves, extend, float_text, join, negate, within
from kernelcraft_core.sim.plan import Code
from kernelcraft_core.sim.rounding import SCALAR, round_f32, to_double

_ZERO = Int(0, 0)


@define
class Env:
    """What the names in one instruction's texts stand for."""

    operands: dict[str, int]
    locals: dict[str, Value]
    pc: int
    next_pc: int


@define(eq=False)
class Lowering:
    """Turns typed expressions into source; `_needs` collects the names it uses, with what makes their values for a run."""

    bindings: Bindings
    code: Code
    tracked: bool = False
    _needs: dict[str, Callable[[Lowering], Any]] = field(factory=dict, init=False)
    _temps: int = field(default=0, init=False)

    def _temp(self) -> str:
        self._temps += 1
        return f"t{self._temps}"

    def _sides(self, node: ir.Bin, env: Env) -> tuple[str, str, str]:
        """Return both operands of an array operation and what else its call needs to compute in single precision."""
        left, right = self._number(node.left, env), self._number(node.right, env)
        wide = any(isinstance(s.type, ArrayType) and s.type.dtype == "f64" for s in (node.left, node.right))
        return left.src, right.src, ", dtype=single" if wide else ""

    def _number(self, node: ir.Expr, env: Env) -> Value:
        """Return an operand of float arithmetic: integers that no float holds become infinities."""
        value = self._expr(node, env)
        kind = value.type
        if not isinstance(kind, Int) or (value.const is None and within(kind, 1 << 1000)):
            return value
        if value.const is not None:
            number = to_double(value.const)
            return Value(float_text(number), Float("f64"), number)
        return Value(f"to_double({value.src})", Float("f64"))

    def _rounded(self, node: ir.Expr, bits: int | None, dtype: str | None, env: Env) -> Value:
        """Return the value as a cell of this format holds it."""
        if bits is not None:
            value = self._expr(node, env)
            kind = value.type
            assert isinstance(kind, Int)
            top = (1 << bits) - 1
            return self._cell(value, kind, top)
        assert dtype is not None
        if dtype == "f16" and isinstance(node, ir.Round) and exact_halves(node.value):
            # binary32 has more than twice the significand of binary16: rounding to it first changes nothing
            value = self._expr(node.value, env)
            return Value(f"round_f16({value.src})", Float("f16"))
        value = self._expr(node, env)
        if isinstance(value.type, Float) and value.type.dtype in (dtype, "f16" if dtype == "f32" else dtype):
            return value
        if value.const is not None:
            number = SCALAR[dtype](value.const)
            return Value(float_text(number), Float(dtype), number)
        return Value(f"round_{dtype}({value.src})", Float(dtype))

    def _cell(self, value: Value, kind: Int, top: int) -> Value:
        """Return an integer modulo top + 1."""
        if value.const is not None:
            wrapped = int(value.const) & top
            return Value(repr(wrapped), Int(wrapped, wrapped), wrapped)
        if kind.lo is not None and kind.lo >= 0 and kind.hi is not None and kind.hi <= top:
            return value
        return self._wrap(value, kind, top)

    def _wrap(self, value: Value, kind: Int, top: int) -> Value:
        """Return `value` modulo 2**bits. A test is cheaper than masking, and most sums and differences are in range."""
        if kind.lo is not None and kind.hi is not None and top > 0xFFFF:
            temp = self._temp()
            if kind.lo >= 0 and kind.hi <= 2 * top + 1:
                return Value(f"{temp} if ({temp} := {value.src}) <= {top} else {temp} & {top}", Int(0, top))
            if kind.hi <= top and kind.lo >= -top - 1:
                return Value(f"{temp} if ({temp} := {value.src}) >= 0 else {temp} & {top}", Int(0, top))
        return Value(f"{value.src} & {top}", Int(0, top))

    def _expr(self, node: ir.Expr, env: Env) -> Value:
        match node:
            case ir.Const(value=value, type=kind):
                return Value(repr(value) if isinstance(value, int) else float_text(value), kind, value)
            case ir.OperandRef(name=name):
                return constant(env.operands[name])
            case ir.Local(name=name):
                return env.locals[name]
            case ir.Pc():
                return constant(env.pc)
            case ir.NextPc():
                return constant(env.next_pc)
            case ir.ReadReg(state=state, index=index, type=kind):
                place = self._expr(index, env)
                if place.const is not None and place.const == zero_of(self.bindings.isa, state):
                    return constant(0) if isinstance(kind, Int) else Value("0.0", kind, 0.0)
                return Value(f"s_{state}[{place.src}]", kind)
            case ir.ReadState(state=state, type=kind):
                if isinstance(kind, ArrayType):
                    return Value(f"s_{state}", kind, view=True)
                return Value(f"s_{state}[0]", kind)
            case ir.ReadMem():
                return self._read_memory(node, env)
            case ir.Bin():
                return self._binary(node, env)
            case ir.Neg(op=op, value=inner, type=kind):
                return negate(op, self._test(inner, env) if op == "not" else self._expr(inner, env), kind)
            case ir.Compare(op=op, left=left, right=right, type=kind):
                a, b = self._expr(left, env), self._expr(right, env)
                if a.const is not None and b.const is not None:
                    return constant(int(ir.COMPARE[op](a.const, b.const)))
                return Value(f"(1 if {a.src} {op} {b.src} else 0)", kind)
            case ir.Logic():
                truth = self._test(node, env)
                return truth if truth.const is not None else Value(f"(1 if {truth.src} else 0)", truth.type)
            case ir.IfExp(test=test, then=then, other=other, type=kind):
                cond = self._test(test, env)
                if cond.const is not None:
                    return self._expr(then if cond.const else other, env)
                a, b = self._expr(then, env), self._expr(other, env)
                merged = join(a.type, b.type) if isinstance(kind, Int) else kind
                return Value(f"({a.src} if {cond.src} else {b.src})", merged, view=a.view or b.view)
            case ir.Extend():
                return extend(self._expr(node.value, env), node.bits, node.signed)
            case ir.Round(value=inner, type=kind):
                exact = self._expr(inner, env)
                if exact.const is not None:
                    number = round_f32(float(exact.const))
                    return Value(float_text(number), kind, number)
                return Value(f"round_f32({exact.src})", kind)
            case ir.Call(args=args, type=kind):
                values = [self._expr(a, env).src for a in args if not isinstance(a, ir.Handle)]
                result = kind if kind is not None and not isinstance(kind, tuple) else _ZERO
                return Value(f"{self._function(node)}({', '.join(values)})", result)
        raise AssertionError(node)

    def _read_memory(self, node: ir.ReadMem, env: Env) -> Value:
        decl = self.bindings.isa.state_named(node.state)
        address = self._expr(node.address, env)
        if isinstance(decl, Rows):
            return Value(f"R_{node.state}[{address.src}]", node.type, view=True)
        assert isinstance(decl, Words)
        count = self.bindings.isa.scope.dim(decl.count)
        kind = address.type
        assert isinstance(kind, Int)
        inside = kind.lo is not None and kind.lo >= 0 and kind.hi is not None and kind.hi < count
        if inside and not self.tracked:
            return Value(f"c_{node.state}[{address.src}]", node.type)
        return Value(f"m_{node.state}.read({address.src})", node.type)

    def _binary(self, node: ir.Bin, env: Env) -> Value:
        if isinstance(node.type, ArrayType):
            sides = self._sides(node, env)
            return Value(f"{UFUNC[node.op]}({sides[0]}, {sides[1]}{sides[2]})", node.type)
        if isinstance(node.type, Float):
            a, b = self._number(node.left, env), self._number(node.right, env)
            if a.const is not None and b.const is not None:
                number = float(ir.ARITHMETIC[node.op](float(a.const), float(b.const)))
                return Value(float_text(number), node.type, number)
            return Value(f"({a.src} {node.op} {b.src})", node.type)
        a, b = self._expr(node.left, env), self._expr(node.right, env)
        assert isinstance(a.type, Int)
        assert isinstance(b.type, Int)
        zero_divisor = node.op in ("//", "%") and not (b.type.lo is not None and b.type.lo > 0)
        if a.const is not None and b.const is not None and not zero_divisor:
            return constant(ir.ARITHMETIC[node.op](int(a.const), int(b.const)))
        if node.op in ("+", "-", "|", "^", "<<", ">>") and b.const == 0:
            return a
        if node.op in ("+", "|", "^") and a.const == 0:
            return b
        kind = int_range(node.op, a.type, b.type)
        if zero_divisor:
            return Value(f"{'divide' if node.op == '//' else 'modulo'}({a.src}, {b.src})", kind)
        return Value(f"({a.src} {node.op} {b.src})", kind)

    def _logic(self, op: str, values: list[Value]) -> Value:
        decisive = op == "or"
        kept = []
        for value in values:
            if value.const is None:
                kept.append(value)
            elif bool(value.const) == decisive:
                if not kept:
                    return constant(int(decisive))
                kept.append(value)
                break
        if not kept:
            return constant(int(not decisive))
        return Value(f"({f' {op} '.join(v.src for v in kept)})", Int(0, 1))

    def _test(self, node: ir.Expr, env: Env) -> Value:
        """Return a value of which only the truth counts: its source may give any true or false value."""
        match node:
            case ir.Compare(op=op, left=left, right=right, type=kind):
                a, b = self._expr(left, env), self._expr(right, env)
                if a.const is None or b.const is None:
                    return Value(f"({a.src} {op} {b.src})", kind)
            case ir.Logic(op=op, parts=parts):
                return self._logic(op, [self._test(p, env) for p in parts])
        return self._expr(node, env)

    def _function(self, call: ir.Call) -> str:
        handles = tuple(a.state for a in call.args if isinstance(a, ir.Handle))
        primitive = call.primitive
        return self._need(
            (id(primitive), handles),
            "_".join(("p", primitive.name, *handles)),
            lambda run: run.bindings.primitive(primitive, handles),
        )

    def _need(self, thing: Hashable, wanted: str, make: Callable[[Lowering], Any]) -> str:
        """Return the name of a thing in the source; `make` gives it in a run and may hold nothing of this one."""
        name = self.code.name(thing, wanted)
        self._needs[name] = make
        return name
