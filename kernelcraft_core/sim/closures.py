"""The closure engine: each instruction becomes a Python closure, built directly from the checked semantics.

It shares no lowering with the generated engine (`codegen.py`), so that each is the other's oracle. It needs no compilation,
which makes it the right engine for code that runs once, for stepping and for tracing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import define, field, frozen

from kernelcraft_core.isa import Decoded, ir
from kernelcraft_core.isa.ir import ArrayType
from kernelcraft_core.isa.model import Array, RegFile, Rows, Scalar, Words
from kernelcraft_core.sim.bind import cell_format, zero_of
from kernelcraft_core.sim.pipeline import Watched
from kernelcraft_core.sim.plan import Facts
from kernelcraft_core.sim.result import Trap
from kernelcraft_core.sim.rounding import ARRAY, CELL, SCALAR, round_f32
from kernelcraft_core.sim.thunks import UFUNCS, Env, Thunk, Thunks

Commit = tuple[Any, Any, Any] | Callable[[], Thunk]
"""A write whose place is known (container, key, value), or what resolves the place (and may trap) and returns what writes."""
Prepare = Callable[[list[Commit]], None]
"""First phase of a statement: computes its values and appends its commit."""


@frozen(eq=False)
class Step:
    """One predecoded instruction.

    `run()` executes it and returns the next pc if it may jump, else None. Where its price is not known at decode time, `run`
    adds it to `context.cycles` itself. `seen` holds what a pipeline model asked for, after an execution.
    """

    run: Thunk
    seen: list[Any] = field(factory=lambda: [None])


@define(eq=False)
class ClosureCompiler(Thunks):
    """Builds steps for one run. Equal instructions share a step unless they use the program counter."""

    pending: list[Any]
    shared: dict[int, Step] = field(factory=dict)
    """Steps by word, of instructions that mean the same wherever they stand."""
    _placed: dict[tuple[int, int], Step] = field(factory=dict)

    def step(self, word: int, facts: Facts, pc: int, next_pc: int, watched: Watched | None = None) -> Step:
        """Return the step of a legal instruction; `word` identifies it, with `pc` where its meaning depends on the place.

        With `watched`, it leaves what that asks for in `Step.seen`; its price is then 0.
        """
        found = self.shared.get(word) or self._placed.get((word, pc))
        if found is not None:
            return found
        assert facts.decoded is not None
        env = Env(facts.decoded.operands, pc, next_pc, place_dependent=watched is not None)
        step = self._build(facts.decoded, env, facts, watched)
        if env.place_dependent:
            self._placed[word, pc] = step
        else:
            self.shared[word] = step
        return step

    def price(self, decoded: Decoded) -> int | None:
        """Return the price of an instruction when operands alone decide it, else None."""
        expression = self.bindings.price(decoded.definition).expression
        if isinstance(expression, ir.Const):
            return int(expression.value)
        if expression is None or not ir.is_static(expression):
            return None
        try:
            return int(self._expr(expression, Env(decoded.operands, 0, 0))())
        except Trap:  # division by an operand that is zero here: it stops the program when it gets there
            return None

    def target(self, decoded: Decoded, pc: int, next_pc: int) -> int | None:
        """Return where an instruction at `pc` jumps to, when no state decides that, else None."""
        for statement in decoded.definition.statements:
            if isinstance(statement, ir.Jump) and statement.target != ir.HALT:
                if _depends_on_state(statement.target):
                    return None
                try:
                    return int(self._target(statement.target, Env(decoded.operands, pc, next_pc))())
                except Trap:
                    return None
        return None

    # -- instructions -------------------------------------------------------------------------------------------------

    def _build(self, decoded: Decoded, env: Env, facts: Facts, watched: Watched | None) -> Step:
        definition = decoded.definition
        statements = definition.statements
        for statement in statements:
            if isinstance(statement, ir.Let):
                for name in statement.names:
                    env.slots[name] = len(env.values)
                    env.values.append(None)
        if definition.jumps:
            env.place_dependent = True
        if watched is None or not watched.exprs:
            simple = self._simple(statements, env, decoded) or self._single(statements, env, decoded)
            simple = simple or self._sequence(statements, env)
            if simple is not None and facts.cycles is not None and not facts.clocked:
                return Step(simple)
            watched = None
        return self._general(decoded, env, facts, watched)

    def _simple(self, statements: Sequence[ir.Stmt], env: Env, decoded: Decoded) -> Thunk | None:
        """Return a closure for an instruction that consists of one plain register write, else None."""
        if len(statements) != 1 or decoded.definition.record.delay:
            return None
        write = statements[0]
        if not isinstance(write, ir.Write) or write.index is None or write.guard is not None:
            return None
        isa = self.bindings.isa
        decl = isa.state_named(write.state)
        if not isinstance(decl, RegFile) or decl.bits is None or not isinstance(write.index, ir.OperandRef):
            return None
        number = env.operands[write.index.name]
        if number == decl.zero:
            return None
        return self._integer_write(self.bindings.storage[write.state], number, (1 << decl.bits) - 1, write.value, env)

    def _single(self, statements: Sequence[ir.Stmt], env: Env, decoded: Decoded) -> Thunk | None:
        """Return a closure for an instruction that consists of one write of a row, an array or a float register."""
        if len(statements) != 1 or decoded.definition.record.delay:
            return None
        write = statements[0]
        if not isinstance(write, ir.Write):
            return None
        decl = self.bindings.isa.state_named(write.state)
        if isinstance(decl, RegFile):
            return self._float_write(write, decl, env)
        if isinstance(decl, Array):
            return self._accumulate(write, decl, env)
        if write.guard is not None or not isinstance(decl, Rows) or write.index is None:
            return None
        address, value = self._expr(write.index, env), self._expr(write.value, env)
        rounder, rows = ARRAY.get(decl.dtype), self.bindings.storage[write.state].W
        if not isinstance(write.value.type, ArrayType) or write.value.type.dtype == "f64":
            return None
        if rounder is None or write.value.type.dtype == decl.dtype:

            def copy_row() -> None:
                place, new = address(), value()
                rows[place][...] = new

            return copy_row
        rounds = rounder

        def round_row() -> None:
            place, new = address(), value()
            rounds(new, rows[place])

        return round_row

    def _accumulate(self, write: ir.Write, decl: Array, env: Env) -> Thunk | None:
        """Return a closure for `array = array op value` where no rounding is needed."""
        node = write.value
        if write.guard is not None or decl.dtype != "f32" or not isinstance(node, ir.Bin):
            return None
        if not isinstance(node.type, ArrayType) or any(_is_wide(side) for side in (node.left, node.right)):
            return None
        store, function = self.bindings.storage[write.state], UFUNCS[node.op]
        a, b = self._number(node.left, env), self._number(node.right, env)

        def accumulate() -> None:
            function(a(), b(), store)

        return accumulate

    def _sequence(self, statements: Sequence[ir.Stmt], env: Env) -> Thunk | None:
        """Return a closure for one effect followed by clearing arrays: nothing later reads, so order alone matters."""
        if not statements or not isinstance(effect := statements[0], ir.Effect) or effect.guard is not None:
            return None
        clears: list[tuple[Any, float]] = []
        for clear in statements[1:]:
            if not isinstance(clear, ir.Write) or clear.guard is not None or not isinstance(clear.value, ir.Const):
                return None
            decl = self.bindings.isa.state_named(clear.state)
            if not isinstance(decl, Array) or decl.dtype != "f32":
                return None
            clears.append((self.bindings.storage[clear.state], round_f32(clear.value.value)))
        plain = [a for a in effect.call.args if not isinstance(a, ir.Handle)]
        if self.bindings.clocked(effect.call) or any(isinstance(a.type, ArrayType) for a in plain):
            return None
        function, args = self._function(effect.call), [self._expr(a, env) for a in plain]

        def sequence() -> None:
            function(*[a() for a in args])
            for store, value in clears:
                store.fill(value)

        return sequence

    def _float_write(self, write: ir.Write, decl: RegFile, env: Env) -> Thunk | None:
        if decl.dtype is None or not isinstance(write.index, ir.OperandRef):
            return None
        number = env.operands[write.index.name]
        if number == decl.zero:
            return None
        file, rounder = self.bindings.storage[write.state], SCALAR[decl.dtype]
        value = self._expr(write.value, env)
        guard = self._expr(write.guard, env) if write.guard is not None else None

        def put() -> None:
            if guard is None or guard():
                file[number] = rounder(value())

        return put

    def _integer_write(self, file: list[Any], number: int, mask: int, node: ir.Expr, env: Env) -> Thunk:
        """Return `file[number] = value & mask`, with the two commonest shapes of value built in."""
        if isinstance(node, ir.Bin) and node.op == "+":
            a, b = self._register(node.left, env), self._register(node.right, env)
            known = self._constant(node.right, env)
            if a is not None and known is not None:
                source, i = a

                def add_constant() -> None:
                    file[number] = source[i] + known & mask

                return add_constant
            if a is not None and b is not None:
                left, i = a
                right, j = b

                def add_registers() -> None:
                    file[number] = left[i] + right[j] & mask

                return add_registers
        value = self._expr(node, env)

        def write() -> None:
            file[number] = value() & mask

        return write

    def _register(self, node: ir.Expr, env: Env) -> tuple[list[Any], int] | None:
        if isinstance(node, ir.ReadReg) and isinstance(node.index, ir.OperandRef):
            number = env.operands[node.index.name]
            if number != zero_of(self.bindings.isa, node.state):
                return self.bindings.storage[node.state], number
        return None

    def _constant(self, node: ir.Expr, env: Env) -> int | None:
        if isinstance(node, ir.OperandRef):
            return env.operands[node.name]
        return node.value if isinstance(node, ir.Const) and isinstance(node.value, int) else None

    def _general(self, decoded: Decoded, env: Env, facts: Facts, watched: Watched | None) -> Step:
        """Return the step of any instruction: values in text order, the price's values, places, then writes."""
        definition, fixed = decoded.definition, facts.cycles
        price = self.bindings.price(definition)
        parts = [self._statement(statement, env, decoded) for statement in definition.statements]
        next_pc, jumps, jump = env.next_pc, definition.jumps, env.jump
        context = self.bindings.storage.context
        exprs: tuple[ir.Expr, ...] = ()
        if fixed is None:
            exprs = price.values if price.expression is None else (price.expression,)
        elif watched is not None:
            exprs = watched.exprs
        asked = [self._expr(e, env) for e in exprs]
        function, keep = price.function, [None]

        def execute() -> int | None:
            jump[0] = next_pc
            commits: list[Commit] = []
            for part in parts:
                part(commits)
            seen = [ask() for ask in asked]
            if watched is not None and seen:
                keep[0] = watched.value(seen)
            writes = [c if isinstance(c, tuple) else c() for c in commits]
            for write in writes:
                if isinstance(write, tuple):
                    write[0][write[1]] = write[2]
                else:
                    write()
            if fixed is None:
                context.cycles += function(context.cycles, *seen) if function is not None else seen[0]
            return jump[0] if jumps else None

        def execute_direct() -> int | None:
            jump[0] = next_pc
            commits: list[Any] = []
            for part in parts:
                part(commits)
            for container, key, value in commits:
                container[key] = value
            return jump[0] if jumps else None

        if fixed is not None and not asked and all(self._is_direct(s, decoded) for s in definition.statements):
            execute = execute_direct
        return Step(execute, keep)

    def _is_direct(self, statement: ir.Stmt, decoded: Decoded) -> bool:
        """Return whether the statement's writes need no look at bounds: registers, arrays, the program counter."""
        if isinstance(statement, ir.Write):
            decl = self.bindings.isa.state_named(statement.state)
            return not isinstance(decl, Rows | Words) and not decoded.definition.record.delay
        return not isinstance(statement, ir.Effect)

    def _statement(self, statement: ir.Stmt, env: Env, decoded: Decoded) -> Prepare:
        guard = getattr(statement, "guard", None)
        body = self._body(statement, env, decoded)
        if guard is None:
            return body
        if self._never(guard, env):
            return _nothing
        test = self._expr(guard, env)

        def guarded(commits: list[Commit]) -> None:
            if test():
                body(commits)

        return guarded

    def _never(self, test: ir.Expr, env: Env) -> bool:
        """Return whether operands alone decide that a test does not hold."""
        if isinstance(test, ir.Logic) and test.op == "and":
            return self._never(test.parts[0], env)
        try:
            return ir.is_static(test) and not self._expr(test, env)()
        except Trap:
            return False

    def _body(self, statement: ir.Stmt, env: Env, decoded: Decoded) -> Prepare:
        match statement:
            case ir.Let(names=names, value=value):
                return self._let(names, value, env)
            case ir.TrapIf(kind=kind):
                name = decoded.definition.name

                def stop(commits: list[Commit]) -> None:
                    raise Trap(kind, f"{name} stopped the program")

                return stop
            case ir.Jump(target=target):
                where, jump = self._target(target, env), env.jump

                def go(commits: list[Commit]) -> None:
                    jump[0] = where()

                return go
            case ir.Effect(call=call):
                return self._effect(call, env)
            case ir.Write():
                return self._write(statement, env, decoded)
        raise AssertionError(statement)

    def _target(self, target: ir.Expr, env: Env) -> Thunk:
        """Return where a jump goes, as the program counter holds it."""
        where = self._expr(target, env)
        if target == ir.HALT:
            return where
        mask = (1 << self.bindings.isa.scope.pc_bits) - 1
        if _depends_on_state(target):
            return lambda: where() & mask
        try:
            place = where() & mask
        except Trap:
            return where
        return lambda: place

    def _effect(self, call: ir.Call, env: Env) -> Prepare:
        function = self._function(call)
        plain = [a for a in call.args if not isinstance(a, ir.Handle)]
        args = [self._expr(a, env) for a in plain]
        copies = [isinstance(a.type, ArrayType) for a in plain]

        def effect(commits: list[Commit]) -> None:
            values = [v().copy() if c else v() for v, c in zip(args, copies, strict=True)]
            commits.append(lambda: lambda: function(*values))

        return effect

    def _let(self, names: tuple[str, ...], value: ir.Expr, env: Env) -> Prepare:
        thunk = self._expr(value, env)
        values, first = env.values, env.slots[names[0]]
        if len(names) == 1:
            if isinstance(value.type, ArrayType):

                def name_array(commits: list[Commit]) -> None:
                    values[first] = thunk().copy()

                return name_array

            def name_value(commits: list[Commit]) -> None:
                values[first] = thunk()

            return name_value
        slots = [env.slots[n] for n in names]

        def name_values(commits: list[Commit]) -> None:
            for slot, part in zip(slots, thunk(), strict=True):
                values[slot] = part

        return name_values

    def _write(self, write: ir.Write, env: Env, decoded: Decoded) -> Prepare:
        isa, storage = self.bindings.isa, self.bindings.storage
        decl = isa.state_named(write.state)
        store = storage[write.state]
        bits, dtype = cell_format(isa, write.state)
        value = self._expr(write.value, env)
        index = self._expr(write.index, env) if write.index is not None else None
        if isinstance(decl, RegFile | Scalar | Words):
            convert = self._converter(bits, dtype)
            if isinstance(decl, Words):
                return _write_word(store, index, value, convert)
            zero = decl.zero if isinstance(decl, RegFile) else None
            delay = decoded.definition.record.delay
            return self._write_register(store, index, value, convert, zero, delay, write.state)
        assert dtype is not None
        rounder, scalar = ARRAY.get(dtype), CELL[dtype]
        held = store.data.dtype if index is not None else store.dtype

        def prepare(commits: list[Commit]) -> None:
            address = index() if index is not None else 0
            new = value()
            if isinstance(new, np.ndarray):
                new = new.astype(held)  # a copy: the value may be a view of what is about to be written
                if rounder is not None:
                    rounder(new, new)
            else:
                new = scalar(new)

            if index is None:
                commits.append((store, ..., new))
                return

            def resolve() -> Any:
                return (store.W[address], ..., new)

            commits.append(resolve)

        return prepare

    def _write_register(
        self,
        store: list[Any],
        index: Thunk | None,
        value: Thunk,
        convert: Callable[[Any], Any],
        zero: int | None,
        delay: int,
        name: str,
    ) -> Prepare:
        pending, context = self.pending, self.bindings.storage.context

        def prepare(commits: list[Commit]) -> None:
            number = index() if index is not None else 0
            new = convert(value())
            if number == zero:
                return

            if delay:
                entry = (context.cycles + delay, store, number, new, name)
                commits.append(lambda: lambda: pending.append(entry))
            else:
                commits.append((store, number, new))

        return prepare

    def _converter(self, bits: int | None, dtype: str | None) -> Callable[[Any], Any]:
        if bits is not None:
            mask = (1 << bits) - 1
            return lambda v: v & mask
        assert dtype is not None
        return SCALAR[dtype]


def _depends_on_state(node: ir.Expr) -> bool:
    return any(isinstance(n, ir.ReadReg | ir.ReadState | ir.ReadMem | ir.Local | ir.Call) for n in ir.walk(node))


def _is_wide(node: ir.Expr) -> bool:
    return isinstance(node.type, ArrayType) and node.type.dtype == "f64"


def _write_word(store: Any, index: Thunk | None, value: Thunk, convert: Callable[[Any], Any]) -> Prepare:
    assert index is not None

    def prepare(commits: list[Commit]) -> None:
        address = index()
        new = convert(value())

        def resolve() -> Thunk:
            if not 0 <= address < store.count:
                raise store.bad(address)
            return lambda: store.write(address, new)

        commits.append(resolve)

    return prepare


def _nothing(commits: list[Commit]) -> None:
    """Do nothing: a statement whose condition never holds for these operands."""
