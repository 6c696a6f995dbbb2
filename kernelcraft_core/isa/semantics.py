"""The semantics language: parsed with `ast`, checked against a whitelist, never evaluated as given.

A text is a list of statements separated by newlines or `;`, in a strict subset of Python's syntax:

| form | meaning |
| --- | --- |
| `name = expr` | names a value (single assignment), or writes a single register or array of state |
| `a, b = primitive(...)` | names the results of a primitive |
| `file[index] = expr` | writes a register, a memory word or a row |
| `pc = expr` | jumps; without it execution goes on with the next instruction |
| `if cond: statement; ...` | writes, jumps and effects that happen only when `cond` holds |
| `primitive(...)` | an effect on the state handed to it |
| `halt()`, `trap(kind)` | end of the program; stop with a trap of a kind of the closed list |

Expressions: integers, operands, parameters, state, `pc`, `next_pc`, `+ - * // % & | ^ ~ << >>`, comparisons, `and or not`,
`x if c else y`, `sext(x, bits)`, `zext(x, bits)`, `min`, `max`, `abs`, and primitives. All values and places are computed
from the state before the instruction; integers are unbounded and wrap when they are written; floats round when written.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from attrs import define, field, frozen

from kernelcraft_core.diagnostics import Diagnostic, IsaError, Span, did_you_mean
from kernelcraft_core.isa import ir
from kernelcraft_core.isa.ir import ArrayType, Float, Int, StateType
from kernelcraft_core.isa.model import (
    TRAP_KINDS,
    Array,
    Kind,
    RegFile,
    Rows,
    Scalar,
    Words,
)
from kernelcraft_core.isa.primitives import LOAD
from kernelcraft_core.isa.types import FLOATS, Scope, cell_type, int_range, is_exact, operand_type, result_type, single

MAX_TEXT = 500
MAX_NODES = 200
MAX_SHIFT = 128
MAX_INT_BITS = 4096
"""No value of a text may be able to grow beyond this: squaring a few times would fill the memory."""
_BITS = Int(0, 1)
_OPS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARES: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
BUILTINS = ("sext", "zext", "min", "max", "abs", "halt", "trap")
RESERVED_NAMES = frozenset((*BUILTINS, "pc", "next_pc", "now"))


@frozen
class Text:
    """A text of a record and where it stands, for messages."""

    text: str
    where: str
    file: str = ""
    line: int = 1
    column: int = 1


@define
class Checker:
    """Parses and checks one text against a scope and the operands of its instruction."""

    scope: Scope
    operands: Mapping[str, Kind]
    source: Text
    locals: dict[str, ir.Type] = field(factory=dict)
    state_reads: bool = True  # costs may read registers, not memories
    pure: bool = False
    _nodes: int = 0

    # -- entry points -------------------------------------------------------------------------------------------------

    def statements(self) -> tuple[ir.Stmt, ...]:
        """Return the checked statements of the text."""
        tree = self._parse("exec")
        assert isinstance(tree, ast.Module)
        out: list[ir.Stmt] = []
        try:
            for node in tree.body:
                self._statement(node, None, out)
        except RecursionError:
            raise self.fail("KC0120", "the text is nested too deeply") from None
        return tuple(out)

    def expression(self) -> ir.Expr:
        """Return the checked expression that the text consists of."""
        tree = self._parse("eval")
        assert isinstance(tree, ast.Expression)
        try:
            return self._expr(tree.body)
        except RecursionError:
            raise self.fail("KC0120", "the text is nested too deeply") from None

    # -- parsing ------------------------------------------------------------------------------------------------------

    def fail(self, code: str, message: str, node: ast.AST | None = None, hint: str | None = None) -> IsaError:
        """Return an error that points into the text."""
        text = self.source.text
        lineno, col = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        lines = text.splitlines() or [""]
        shown = lines[min(lineno, len(lines)) - 1]
        end = getattr(node, "end_col_offset", None)
        length = max(1, (end - col)) if end is not None and getattr(node, "end_lineno", lineno) == lineno else 1
        if self.source.file:
            first = lineno == 1
            span = Span(
                self.source.file, self.source.line + lineno - 1, (self.source.column if first else 1) + col, length
            )
        else:
            span = Span(f"<{self.source.where}>", lineno, col + 1, length, shown)
        return IsaError(Diagnostic(code, f"{self.source.where}: {message}", span, hint))

    def _parse(self, mode: str) -> ast.AST:
        text = self.source.text
        if len(text) > MAX_TEXT:
            raise self.fail("KC0120", f"text of {len(text)} characters; at most {MAX_TEXT} are allowed")
        if not text.isascii() or "\0" in text:
            raise self.fail("KC0121", "only ASCII characters are allowed")
        try:
            tree = ast.parse(text if mode == "exec" else text.strip(), mode=mode)
        except SyntaxError as error:
            place = ast.Constant(0, lineno=error.lineno or 1, col_offset=max(0, (error.offset or 1) - 1))
            raise self.fail("KC0121", f"syntax error: {error.msg}", place) from None
        except (RecursionError, MemoryError, ValueError):
            raise self.fail("KC0120", "the text is nested too deeply") from None
        count = sum(1 for _ in ast.walk(tree))
        if count > 3 * MAX_NODES:  # ast counts context and operator nodes too: about three per node of ours
            raise self.fail("KC0120", f"the text is too large ({count} syntax nodes)")
        return tree

    # -- statements ---------------------------------------------------------------------------------------------------

    def _statement(self, node: ast.stmt, guard: ir.Expr | None, out: list[ir.Stmt]) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, value, guard, out)
            case ast.Expr(value=ast.Call() as call):
                self._effect(call, guard, out)
            case ast.If(test=test, body=body, orelse=orelse):
                cond = self._int(test)
                for child in body:
                    self._statement(child, _both(guard, cond), out)
                negated = ir.Neg("not", cond, _BITS)
                for child in orelse:
                    self._statement(child, _both(guard, negated), out)
            case ast.Pass():
                pass
            case _:
                raise self.fail("KC0122", f"{type(node).__name__} is not allowed here", node, _ALLOWED)

    def _assign(self, target: ast.expr, value: ast.expr, guard: ir.Expr | None, out: list[ir.Stmt]) -> None:
        match target:
            case ast.Name(id="pc"):
                out.append(ir.Jump(self._int(value), guard))
            case ast.Name(id=name) if name in self.scope.state:
                out.append(self._write_state(target, name, self._expr(value), guard))
            case ast.Name(id=name):
                if guard is not None:
                    raise self.fail("KC0123", f"{name!r} is not state; values cannot be named inside `if`", target)
                expr = self._expr(value)
                if isinstance(expr.type, tuple):
                    raise self.fail("KC0123", f"the primitive gives {len(expr.type)} values", target)
                if expr.type is None or isinstance(expr.type, StateType):
                    raise self.fail("KC0125", "this is not a value that can be named", value)
                self._bind(name, _value_type(expr), target)
                out.append(ir.Let((name,), expr))
            case ast.Tuple(elts=elts) if all(isinstance(e, ast.Name) for e in elts) and guard is None:
                expr = self._expr(value)
                if not isinstance(expr.type, tuple) or len(expr.type) != len(elts):
                    raise self.fail(
                        "KC0123", f"{len(elts)} names need a primitive that gives {len(elts)} values", target
                    )
                names = tuple(e.id for e in elts if isinstance(e, ast.Name))
                for name, kind in zip(names, expr.type, strict=True):
                    self._bind(name, kind, target)
                out.append(ir.Let(names, expr))
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                out.append(self._write_cell(target, name, index, self._expr(value), guard))
            case _:
                raise self.fail(
                    "KC0122", "this cannot be assigned to", target, "assign to state, state[index], pc or a name"
                )

    def _bind(self, name: str, kind: ir.Type, node: ast.expr) -> None:
        if name in self.locals or name in self.operands or name in self.scope.params or name in RESERVED_NAMES:
            raise self.fail("KC0123", f"{name!r} already has a meaning here", node)
        if name in self.scope.state or name in self.scope.primitives:
            raise self.fail("KC0123", f"{name!r} is state or a primitive", node)
        self.locals[name] = kind

    def _write_state(self, node: ast.expr, name: str, value: ir.Expr, guard: ir.Expr | None) -> ir.Stmt:
        match self.scope.state[name]:
            case Scalar() as decl:
                self._fits(decl.bits, decl.dtype, (), value, node, name)
            case Array() as decl:
                self._fits(None, decl.dtype, tuple(self.scope.dim(d) for d in decl.shape), value, node, name)
            case _:
                raise self.fail("KC0125", f"{name!r} needs an index", node, f"{name}[...] = value")
        return ir.Write(name, None, value, guard)

    def _write_cell(self, node: ast.expr, name: str, index: ast.expr, value: ir.Expr, guard: ir.Expr | None) -> ir.Stmt:
        place = self._int(index)
        match self.scope.state.get(name):
            case RegFile() as decl:
                self._index_in(place, decl.count, index, name)
                self._fits(decl.bits, decl.dtype, (), value, node, name)
            case Words() as decl:
                self._fits(decl.bits, decl.dtype, (), value, node, name)
            case Rows() as decl:
                self._fits(None, decl.dtype, tuple(self.scope.dim(d) for d in decl.shape), value, node, name)
            case None:
                raise self.fail("KC0124", f"{name!r} is not declared state", node, did_you_mean(name, self.scope.state))
            case _:
                raise self.fail("KC0125", f"{name!r} cannot be written with an index", node)
        return ir.Write(name, place, value, guard)

    def _fits(
        self, bits: int | None, dtype: str | None, shape: tuple[int, ...], value: ir.Expr, node: ast.expr, name: str
    ) -> None:
        kind = value.type
        if isinstance(kind, tuple) or kind is None or isinstance(kind, StateType):
            raise self.fail("KC0125", f"this is not one value that {name!r} could hold", node)
        if shape:
            if isinstance(kind, ArrayType) and kind.shape != shape:
                raise self.fail("KC0126", f"shape {kind.shape} does not fit {name!r} of shape {shape}", node)
            given = kind.dtype if isinstance(kind, ArrayType | Float) else dtype
            if given != dtype and not (given in FLOATS and dtype in FLOATS):
                raise self.fail(
                    "KC0126", f"{given} values do not fit {name!r} of {dtype}; that needs a primitive", node
                )
            return
        if isinstance(kind, ArrayType):
            raise self.fail("KC0126", f"an array of shape {kind.shape} does not fit the single value {name!r}", node)
        if bits is not None and not isinstance(kind, Int):
            raise self.fail("KC0126", f"{name!r} holds integers; this is a float", node)

    def _effect(self, call: ast.Call, guard: ir.Expr | None, out: list[ir.Stmt]) -> None:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name == "halt" and not call.args:
            out.append(ir.Jump(ir.HALT, guard))
            return
        if name == "trap":
            match call.args:
                case [ast.Name(id=kind)] if kind in TRAP_KINDS:
                    out.append(ir.TrapIf(kind, guard))
                    return
            raise self.fail("KC0127", "trap takes one trap kind", call, f"kinds: {', '.join(TRAP_KINDS)}")
        expr = self._call(call)
        if not isinstance(expr, ir.Call) or expr.type is not None:
            raise self.fail("KC0127", f"{name!r} gives a value; it has no effect of its own", call, "assign the value")
        out.append(ir.Effect(expr, guard))

    # -- expressions --------------------------------------------------------------------------------------------------

    def _expr(self, node: ast.expr) -> ir.Expr:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self.fail("KC0120", f"more than {MAX_NODES} nodes")
        match node:
            case ast.Constant(value=bool()):
                raise self.fail("KC0122", "use 0 and 1 for truth values", node)
            case ast.Constant(value=int(value)):
                if value.bit_length() > 128:
                    raise self.fail("KC0122", "integer constants have at most 128 bits", node)
                return ir.Const(value, Int(value, value))
            case ast.Constant(value=float(value)):
                return ir.Const(single(value), Float("f32"))
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self._subscript(name, index, node)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPS:
                return self._binary(_OPS[type(op)], self._expr(left), self._expr(right), node)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, operand, node)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARES:
                a, b = self._expr(left), self._expr(right)
                for side in (a, b):
                    if not isinstance(side.type, Int | Float):
                        raise self.fail("KC0126", "only single numbers can be compared", node)
                return ir.Compare(_COMPARES[type(op)], a, b, _BITS)
            case ast.BoolOp(op=op, values=values):
                return ir.Logic("and" if isinstance(op, ast.And) else "or", tuple(self._int(v) for v in values), _BITS)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._conditional(self._int(test), self._expr(body), self._expr(orelse), node)
            case ast.Call():
                return self._call(node)
        raise self.fail("KC0122", f"{_describe(node)} is not part of the language", node, _ALLOWED)

    def _int(self, node: ast.expr) -> ir.Expr:
        expr = self._expr(node)
        if not isinstance(expr.type, Int):
            raise self.fail("KC0126", "an integer is needed here", node)
        return expr

    def _name(self, name: str, node: ast.expr) -> ir.Expr:
        if name in self.locals:
            return ir.Local(name, self.locals[name])
        if name in self.operands:
            return ir.OperandRef(name, operand_type(self.operands[name]))
        if name in self.scope.params:
            value = self.scope.params[name]
            return ir.Const(value, Int(value, value))
        if name == "pc":
            return ir.Pc(Int(0, (1 << self.scope.pc_bits) - 1))
        if name == "next_pc":
            return ir.NextPc(Int(0, (1 << self.scope.pc_bits)))
        match self.scope.state.get(name):
            case Scalar(bits=bits, dtype=dtype):
                return ir.ReadState(name, cell_type(bits, dtype))
            case Array(dtype=dtype, shape=shape) if self.state_reads:
                return ir.ReadState(name, ArrayType(dtype, tuple(self.scope.dim(d) for d in shape)))
            case None:
                pass
            case _ if self.state_reads:
                return ir.Handle(name, StateType(name))
        known = [*self.operands, *self.locals, *self.scope.state, *self.scope.params, "pc", "next_pc"]
        raise self.fail("KC0124", f"{name!r} is not known here", node, did_you_mean(name, known))

    def _subscript(self, name: str, index: ast.expr, node: ast.expr) -> ir.Expr:
        place = self._int(index)
        match self.scope.state.get(name):
            case RegFile() as decl:
                self._index_in(place, decl.count, index, name)
                return ir.ReadReg(name, place, cell_type(decl.bits, decl.dtype))
            case Words() as decl if self.state_reads:
                return ir.ReadMem(name, place, cell_type(decl.bits, decl.dtype))
            case Rows() as decl if self.state_reads:
                shape = tuple(self.scope.dim(d) for d in decl.shape)
                return ir.ReadMem(name, place, ArrayType(decl.dtype, shape))
            case None:
                raise self.fail("KC0124", f"{name!r} is not declared state", node, did_you_mean(name, self.scope.state))
        raise self.fail("KC0125", f"{name!r} cannot be read with an index here", node)

    def _index_in(self, place: ir.Expr, count: int, node: ast.expr, name: str) -> None:
        kind = place.type
        assert isinstance(kind, Int)
        if kind.lo is None or kind.hi is None or kind.lo < 0 or kind.hi >= count:
            shown = f"{'?' if kind.lo is None else kind.lo}..{'?' if kind.hi is None else kind.hi}"
            raise self.fail("KC0128", f"index {shown} may leave {name!r} (0..{count - 1})", node)

    def _unary(self, op: ast.unaryop, operand: ast.expr, node: ast.expr) -> ir.Expr:
        value = self._expr(operand)
        if isinstance(op, ast.Not):
            if not isinstance(value.type, Int):
                raise self.fail("KC0126", "`not` needs an integer", node)
            return ir.Neg("not", value, _BITS)
        if isinstance(op, ast.USub):
            if isinstance(value, ir.Const):
                number = -value.value
                return ir.Const(number, Int(number, number) if isinstance(number, int) else value.type)
            if isinstance(value.type, Int):
                low, high = value.type.lo, value.type.hi
                return ir.Neg("-", value, Int(None if high is None else -high, None if low is None else -low))
            if isinstance(value.type, Float | ArrayType):
                return ir.Neg("-", value, value.type)
        if isinstance(op, ast.Invert) and isinstance(value.type, Int):
            low, high = value.type.lo, value.type.hi
            return ir.Neg("~", value, Int(None if high is None else ~high, None if low is None else ~low))
        raise self.fail("KC0126", f"{_describe(node)} does not apply to this operand", node)

    def _binary(self, op: str, a: ir.Expr, b: ir.Expr, node: ast.expr) -> ir.Expr:
        left, right = a.type, b.type
        if isinstance(left, Int) and isinstance(right, Int):
            if op in ("<<", ">>") and (right.lo is None or right.lo < 0 or right.hi is None or right.hi > MAX_SHIFT):
                raise self.fail(
                    "KC0129", f"the shift amount must provably be 0..{MAX_SHIFT}", node, "mask it: x << (n & 31)"
                )
            kind = int_range(op, left, right)
            unknown = op in ("*", "<<") and None in (left.lo, left.hi, right.lo, right.hi)
            if unknown or max(abs(kind.lo or 0), abs(kind.hi or 0)).bit_length() > MAX_INT_BITS:
                hint = "bound the operands first, with & or zext(x, bits) or sext(x, bits)"
                raise self.fail("KC0131", f"the result of `{op}` may be longer than {MAX_INT_BITS} bits", node, hint)
            return ir.Bin(op, a, b, kind)
        if op not in ("+", "-", "*"):
            raise self.fail("KC0126", f"`{op}` needs integers", node)
        if isinstance(left, ArrayType) or isinstance(right, ArrayType):
            for side in (left, right):
                if not isinstance(side, ArrayType | Float | Int):
                    raise self.fail("KC0126", f"`{op}` does not apply to these operands", node)
                if isinstance(side, ArrayType) and side.dtype not in FLOATS:
                    raise self.fail("KC0126", f"`{op}` on integer arrays needs a primitive", node)
            shapes = [side.shape for side in (left, right) if isinstance(side, ArrayType)]
            if len(shapes) == 2 and shapes[0] != shapes[1]:
                raise self.fail("KC0126", f"shapes {shapes[0]} and {shapes[1]} differ", node)
            return ir.Bin(op, a, b, ArrayType("f32", shapes[0]))
        if isinstance(left, Float | Int) and isinstance(right, Float | Int):
            return ir.Round(ir.Bin(op, a, b, Float("f64")), Float("f32"))
        raise self.fail("KC0126", f"`{op}` does not apply to these operands", node)

    def _conditional(self, test: ir.Expr, then: ir.Expr, other: ir.Expr, node: ast.expr) -> ir.Expr:
        a, b = then.type, other.type
        if isinstance(a, Int) and isinstance(b, Int):
            lo = None if a.lo is None or b.lo is None else min(a.lo, b.lo)
            hi = None if a.hi is None or b.hi is None else max(a.hi, b.hi)
            return ir.IfExp(test, then, other, Int(lo, hi))
        if isinstance(a, Float | Int) and isinstance(b, Float | Int):
            then, other = _like(then, other), _like(other, then)
            a, b = _value_type(then), _value_type(other)
            if a == b:
                return ir.IfExp(test, then, other, a)
            if all(isinstance(side, Float) and side.dtype != "f64" for side in (a, b)):
                return ir.IfExp(test, then, other, Float("f32"))
            return ir.Round(ir.IfExp(test, then, other, Float("f64")), Float("f32"))
        if isinstance(a, ArrayType) and isinstance(b, ArrayType) and a.shape == b.shape:
            if a == b:
                return ir.IfExp(test, then, other, a)
            if a.dtype in FLOATS and b.dtype in FLOATS:
                wide = "f64" if "f64" in (a.dtype, b.dtype) else "f32"
                return ir.IfExp(test, then, other, ArrayType(wide, a.shape))
        raise self.fail("KC0126", "the two alternatives do not have the same type", node)

    def _call(self, node: ast.Call) -> ir.Expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self.fail("KC0122", "only calls of the form name(arguments) are allowed", node)
        name = node.func.id
        if name in BUILTINS:
            return self._builtin(name, node)
        primitive = self.scope.primitives.get(name)
        if primitive is None:
            known = [*self.scope.primitives, *BUILTINS]
            raise self.fail("KC0124", f"{name!r} is not a primitive", node, did_you_mean(name, known))
        if not self.state_reads:
            raise self.fail("KC0127", "primitives cannot be called here", node)
        if len(node.args) != len(primitive.args):
            want = ", ".join(primitive.args)
            raise self.fail(
                "KC0127", f"{name} takes {len(primitive.args)} arguments ({want}), not {len(node.args)}", node
            )
        args = tuple(self._argument(a, want, name) for a, want in zip(node.args, primitive.args, strict=True))
        results = tuple(result_type(part, self.scope) for part in primitive.result.split())
        if primitive is LOAD and isinstance(args[2], ir.Const):
            results = (Int(0, (1 << 8 * min(8, max(1, int(args[2].value)))) - 1),)
        return ir.Call(primitive, args, None if not results else results[0] if len(results) == 1 else results)

    def _argument(self, node: ast.expr, want: str, name: str) -> ir.Expr:
        expr = self._expr(node)
        kind = expr.type
        if ":" in want:
            state = want.partition(":")[2]
            if not isinstance(expr, ir.Handle | ir.ReadState) or state not in ("*", expr.state):
                raise self.fail("KC0127", f"{name} needs the state {state!r} here", node)
            return ir.Handle(expr.state, StateType(expr.state))
        good = _ARGUMENTS.get(want.partition("[")[0])
        if good is None:
            raise self.fail("KC0127", f"primitive {name} declares an unknown argument type {want!r}", node)
        if not isinstance(kind, good):
            raise self.fail("KC0127", f"{name} needs {want} here", node)
        return expr

    def _builtin(self, name: str, node: ast.Call) -> ir.Expr:
        args = [self._expr(a) for a in node.args]
        if any(not isinstance(a.type, Int) for a in args):
            raise self.fail("KC0126", f"{name} takes integers", node)
        kinds = [a.type for a in args if isinstance(a.type, Int)]
        if name in ("sext", "zext"):
            if len(args) != 2 or not isinstance(args[1], ir.Const) or not 1 <= args[1].value <= MAX_SHIFT:
                raise self.fail("KC0127", f"{name}(value, bits) needs a constant bits in 1..{MAX_SHIFT}", node)
            bits = int(args[1].value)
            signed = name == "sext"
            kind = Int(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else Int(0, (1 << bits) - 1)
            return ir.Extend(args[0], bits, signed, kind)
        if name in ("min", "max") and len(args) == 2:
            test = ir.Compare("<=" if name == "min" else ">=", args[0], args[1], _BITS)
            los, his = [k.lo for k in kinds], [k.hi for k in kinds]
            pick = min if name == "min" else max
            lo = pick(los) if None not in los else None  # type: ignore[type-var]
            hi = pick(his) if None not in his else None  # type: ignore[type-var]
            return ir.IfExp(test, args[0], args[1], Int(lo, hi))
        if name == "abs" and len(args) == 1:
            negative = ir.Compare("<", args[0], ir.Const(0, Int(0, 0)), _BITS)
            lo, hi = kinds[0].lo, kinds[0].hi
            top = None if lo is None or hi is None else max(abs(lo), abs(hi))
            return ir.IfExp(negative, ir.Neg("-", args[0], Int(None, None)), args[0], Int(0, top))
        raise self.fail("KC0127", f"{name} cannot be used like this", node)


_ALLOWED = (
    "allowed: + - * // % & | ^ ~ << >>, comparisons, and/or/not, x if c else y, names, state[index], primitive(...)"
)
_ARGUMENTS: dict[str, tuple[type[Any], ...]] = {"int": (Int,), "float": (Float, Int), "array": (ArrayType,)}


def _like(value: ir.Expr, other: ir.Expr) -> ir.Expr:
    """Return a constant in the float format of the alternative beside it, where it is exact in that."""
    if isinstance(value, ir.Const) and isinstance(other.type, Float) and other.type.dtype in ("f16", "f32"):
        if is_exact(value.value, other.type.dtype):
            return ir.Const(float(value.value), other.type)
    return value


def _both(a: ir.Expr | None, b: ir.Expr) -> ir.Expr:
    return b if a is None else ir.Logic("and", (a, b), _BITS)


def _value_type(expr: ir.Expr) -> ir.Type:
    kind = expr.type
    assert kind is not None
    assert not isinstance(kind, tuple)
    return kind


def _describe(node: ast.AST) -> str:
    names = {
        ast.Attribute: "an attribute",
        ast.Lambda: "a lambda",
        ast.ListComp: "a comprehension",
        ast.GeneratorExp: "a comprehension",
        ast.JoinedStr: "a string",
        ast.Pow: "`**`",
    }
    if isinstance(node, ast.Constant):
        return f"the constant {node.value!r}"
    if isinstance(node, ast.BinOp):
        return f"the operator {type(node.op).__name__}"
    return names.get(type(node), type(node).__name__)


def check_semantics(
    source: Text, scope: Scope, operands: Mapping[str, Kind]
) -> tuple[tuple[ir.Stmt, ...], dict[str, ir.Type]]:
    """Return the checked statements of `source.text` and the types of the values it names.

    Raises:
        IsaError: KC0120 too long or too deep, KC0121 not the language's syntax, KC0122 a form that is not allowed, KC0123
            naming, KC0124 unknown name, KC0125 state used wrongly, KC0126 types, KC0127 calls, KC0128 register index,
            KC0129 shift amount, KC0131 integers that may grow without bound.
    """
    checker = Checker(scope, operands, source)
    statements = checker.statements()
    return statements, checker.locals


def check_cost(source: Text, scope: Scope, operands: Mapping[str, Kind]) -> ir.Expr:
    """Return the checked cycle expression of `source.text`: parameters, operands and registers; never negative.

    Raises:
        IsaError: as `check_semantics`, and KC0130 the cost may be negative, or its divisor zero.
    """
    checker = Checker(scope, operands, source, state_reads=False)
    expr = checker.expression()
    if not isinstance(expr.type, Int) or expr.type.lo is None or expr.type.lo < 0:
        raise checker.fail("KC0130", "a cost is a whole number of cycles that is never negative")
    for part in ir.walk(expr):
        if isinstance(part, ir.Bin) and part.op in ("//", "%"):
            divisor = part.right.type
            if not isinstance(divisor, Int) or divisor.lo is None or divisor.lo <= 0:
                raise checker.fail("KC0130", "the divisor of a cost must provably be above 0", hint="use max(1, ...)")
    return expr


def check_values(
    text: str, where: str, scope: Scope, operands: Mapping[str, Kind], named: Mapping[str, ir.Type]
) -> ir.Expr:
    """Return one checked integer expression that may use the values an instruction names (for timing models)."""
    checker = Checker(scope, operands, Text(text, where), dict(named))
    expr = checker.expression()
    if not isinstance(expr.type, Int | Float):
        raise checker.fail("KC0126", "a timing model can ask for single numbers only")
    return expr
