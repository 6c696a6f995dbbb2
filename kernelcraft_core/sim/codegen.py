"""The generated engine: Python source for one basic block, from the checked semantics with operand values folded in.

The source is made from the typed tree, never from an author's text, and this is the only module that compiles it. A block
that ends by jumping to its own start keeps looping inside its function. Each source line belongs to one instruction, so a
trap is placed by the line number of the traceback and costs nothing until it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np
from attrs import define, field, frozen

from kernelcraft_core.isa import Decoded, ir
from kernelcraft_core.isa.ir import ArrayType, Int
from kernelcraft_core.isa.model import Array, Bytes, Opaque, RegFile, Rows, Scalar, Words
from kernelcraft_core.sim.bind import cell_format, registers_used
from kernelcraft_core.sim.emit import (
    UFUNC,
    Value,
    divide,
    float_text,
    may_trap,
    modulo,
    plus,
)
from kernelcraft_core.sim.lowering import Env, Lowering
from kernelcraft_core.sim.result import Trap
from kernelcraft_core.sim.rounding import ARRAY, CELL, to_double


@frozen(eq=False)
class CompiledBlock:
    """A block's function and how to read a trap in it.

    `run(instret, most)` executes the block up to `most` times while it jumps to itself and returns the next pc;
    `context.iterations` then holds how often. `offsets[line]` is the instruction that source line belongs to;
    `unsynced[i]` are the cycles that passed since the last time `context.cycles` was brought up to date.
    """

    run: Callable[[int, int], int]
    code: CodeType
    source: str
    offsets: Sequence[int]
    unsynced: Sequence[int]
    timed: bool


@define(eq=False)
class BlockCompiler(Lowering):
    """Compiles blocks of one run; all blocks share one namespace of bound storage and primitives."""

    strict: bool = False
    _lines: list[str] = field(factory=list, init=False)
    _owners: list[int] = field(factory=list, init=False)
    _current: int = field(default=0, init=False)
    _scratches: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        storage = self.bindings.storage
        space: dict[str, Any] = {
            "ctx": storage.context,
            "np_add": np.add,
            "np_subtract": np.subtract,
            "np_multiply": np.multiply,
            "np_negative": np.negative,
            "np_copyto": np.copyto,
            "Trap": Trap,
            "divide": divide,
            "modulo": modulo,
            "single": np.float32,
            "to_double": to_double,
            **{f"round_{name}": function for name, function in CELL.items()},
            **{f"into_{name}": function for name, function in ARRAY.items()},
        }
        for decl in storage.isa.state:
            slot = storage[decl.name]
            if isinstance(decl, Rows):
                space[f"R_{decl.name}"], space[f"W_{decl.name}"] = slot.R, slot.W
            elif isinstance(decl, Words):
                space[f"c_{decl.name}"], space[f"m_{decl.name}"] = slot.cells, slot
            elif not isinstance(decl, Bytes | Opaque):
                space[f"s_{decl.name}"] = slot
        self.namespace = space

    # -- blocks -------------------------------------------------------------------------------------------------------

    def compile(
        self, items: Sequence[tuple[Decoded, int, int]], statics: Sequence[int | None], dynamic: list[int], base: int
    ) -> CompiledBlock:
        """Return the function of a block.

        Args:
            items: (instruction, pc, next pc) of each instruction; only the last one may jump.
            statics: cycles of each instruction where the step knows them: the run loop adds them, so both must agree.
            dynamic: cycles by instruction index for prices known only at run time; `base` is the block's first index.
            base: see `dynamic`.
        """
        self._lines, self._owners = [], []
        self._temps = self._scratches = 0
        space = self.namespace
        space["dyn"] = dynamic
        settles = self.bindings.has_delays
        prices = [self.bindings.price(d.definition) for d, _, _ in items]
        timed = settles or any(s is None for s in statics)
        loops = items[-1][0].definition.jumps
        clocked = any(self.bindings.uses_clock(d.definition) for d, _, _ in items)
        self._emit(0, "def block(I, most):")
        pad = 1
        if timed:
            self._emit(1, "C = ctx.cycles")
        if loops:
            self._emit(1, "k = 0")
        if loops or timed:
            self._emit(1, "try:")
            pad = 2
        if loops:
            self._emit(pad, "while True:")
            pad += 1
        elapsed = 0
        unsynced: list[int] = []
        for position, (decoded, pc, next_pc) in enumerate(items):
            self._current = position
            unsynced.append(elapsed)
            if settles:
                used = registers_used(decoded) if self.strict else ()
                self._emit(pad, f"if pending: settle({plus('C', elapsed)}, {used!r})")
            elapsed = self._instruction(
                pad, decoded, pc, next_pc, position, prices[position], statics[position], elapsed, base, clocked
            )
        if loops:
            if timed and elapsed:
                self._emit(pad, f"C += {elapsed}")
            self._emit(pad, "k += 1")
            self._emit(pad, f"if pc != {items[0][1]} or k >= most: return pc")
            if clocked:
                self._emit(pad, f"I += {len(items)}")
                self._emit(pad, f"if I + {len(items)} > ctx.deadline: return pc")  # it may have been lowered just now
        else:
            if timed and elapsed:
                self._emit(pad, f"C += {elapsed}")
            self._emit(pad, f"return {items[-1][2]}")
        if loops or timed:
            self._emit(1, "finally:")
            if loops:
                self._emit(2, "ctx.iterations = k")
            if timed:
                self._emit(2, "ctx.cycles = C")
        source = "\n".join(self._lines) + "\n"
        code = _compile(source)
        exec(code, space)
        run = space.pop("block")
        return CompiledBlock(run, run.__code__, source, tuple(self._owners), tuple(unsynced), timed)

    def _emit(self, pad: int, text: str) -> None:
        self._lines.append("    " * pad + text)
        self._owners.append(self._current)

    # -- one instruction ----------------------------------------------------------------------------------------------

    def _instruction(
        self,
        pad: int,
        decoded: Decoded,
        pc: int,
        next_pc: int,
        position: int,
        price: Any,
        static: int | None,
        elapsed: int,
        base: int,
        clocked: bool,
    ) -> int:
        """Emit one instruction: values and places first, then writes; return the cycles since the last synchronisation."""
        env = Env(decoded.operands, {}, pc, next_pc)
        definition = decoded.definition
        statements = [s for s in definition.statements if not self._dead(s, env)]
        if clocked and self.bindings.uses_clock(definition):
            self._emit(pad, f"ctx.instret = I + {position}" if position else "ctx.instret = I")
        several = sum(not isinstance(s, ir.Let) for s in statements) > 1
        if static is None and not several:  # what the price stops on comes after what the values stop on
            asked = price.values if price.expression is None else (price.expression,)
            several = any(may_trap(node) for expr in asked for node in ir.walk(expr))
        commits: list[tuple[int, str]] = []
        places: list[tuple[int, str]] = []
        if definition.jumps:
            unconditional = any(isinstance(s, ir.Jump) and s.guard is None for s in statements)
            if not unconditional:
                self._emit(pad, f"pc = {next_pc}")
        for statement in statements:
            self._statement(pad, statement, env, several, places, commits, decoded, elapsed)
        cost_args: list[str] = []
        if static is None:  # prices see the state before the writes
            exprs = price.values if price.expression is None else (price.expression,)
            for expr in exprs:
                value = self._expr(expr, env)
                if not value.simple and value.const is None:
                    name = self._temp()
                    self._emit(pad, f"{name} = {value.src}")
                    value = Value(name, value.type)
                cost_args.append(value.src)
        for depth, text in (*places, *commits):
            self._emit(pad + depth, text)
        if static is not None:
            return elapsed + static
        name = self._temp()
        if price.expression is None:
            function = self._bind(f"q_{definition.name}", price.function)
            self._emit(pad, f"{name} = {function}({', '.join([plus('C', elapsed), *cost_args])})")
        else:
            name = cost_args[0]
        self._emit(pad, f"C += {plus(name, elapsed)}")
        self._emit(pad, f"dyn[{base + position}] += {name}")
        return 0

    def _dead(self, statement: ir.Stmt, env: Env) -> bool:
        guard = getattr(statement, "guard", None)
        return guard is not None and self._known(guard, env) == 0

    def _known(self, test: ir.Expr, env: Env) -> int | float | None:
        """Return the value of a test that operands decide, or None."""
        return self._expr(test, env).const if ir.is_static(test) else None

    def _statement(
        self,
        pad: int,
        statement: ir.Stmt,
        env: Env,
        several: bool,
        places: list[tuple[int, str]],
        commits: list[tuple[int, str]],
        decoded: Decoded,
        elapsed: int,
    ) -> None:
        guard_node = getattr(statement, "guard", None)
        guard: str | None = None
        depth = 0
        if guard_node is not None and self._known(guard_node, env) is None:
            guard = self._temp()
            self._emit(pad, f"{guard} = {self._test(guard_node, env).src}")
            self._emit(pad, f"if {guard}:")
            depth = 1
        start = len(self._lines)
        inner = pad + depth
        own_places: list[str] = []
        own_commits: list[str] = []
        match statement:
            case ir.Let(names=names, value=value):
                self._let(pad, names, value, env, several)
            case ir.TrapIf(kind=kind):
                self._emit(inner, f"raise Trap({kind!r}, {f'{decoded.definition.name} stopped the program'!r})")
            case ir.Jump(target=target):
                place = self._hold(inner, self._place(target, env), several)
                own_commits.append(f"pc = {place.src}")
            case ir.Effect(call=call):
                held = [self._expr(a, env) for a in call.args if not isinstance(a, ir.Handle)]
                copies = several or (any(a.view for a in held) and self._writes_arrays(call))
                args = [self._hold(inner, a, copies) for a in held]
                own_commits.append(f"{self._function(call)}({', '.join(a.src for a in args)})")
            case ir.Write():
                self._write(inner, statement, env, several, own_places, own_commits, decoded, elapsed)
        if guard is not None:
            if len(self._lines) == start:
                self._emit(inner, "pass")
            if own_places:
                places.append((0, f"if {guard}:"))
            if own_commits:
                commits.append((0, f"if {guard}:"))
        places += [(depth, text) for text in own_places]
        commits += [(depth, text) for text in own_commits]

    def _place(self, target: ir.Expr, env: Env) -> Value:
        """Return where a jump goes, as the program counter holds it."""
        place = self._expr(target, env)
        if target == ir.HALT or not isinstance(place.type, Int):
            return place
        return self._cell(place, place.type, (1 << self.bindings.isa.scope.pc_bits) - 1)

    def _writes_arrays(self, call: ir.Call) -> bool:
        """Return whether a primitive is handed rows or arrays to write: a view of them must not change under it."""
        for position, mode, _ in call.primitive.handle_modes():
            handle = call.args[position]
            assert isinstance(handle, ir.Handle)
            if "w" in mode and isinstance(self.bindings.isa.state_named(handle.state), Rows | Array | Opaque):
                return True
        return False

    def _let(self, pad: int, names: tuple[str, ...], value: ir.Expr, env: Env, several: bool) -> None:
        if len(names) == 1:
            env.locals[names[0]] = self._hold(pad, self._expr(value, env), True, copies=several)
            return
        temps = [self._temp() for _ in names]
        self._emit(pad, f"{', '.join(temps)} = {self._expr(value, env).src}")
        assert isinstance(value.type, tuple)
        for name, temp, kind in zip(names, temps, value.type, strict=True):
            env.locals[name] = Value(temp, kind, simple=True)

    def _hold(self, pad: int, value: Value, several: bool, *, copies: bool = True) -> Value:
        """Name a value, when something else of the instruction could change what it is made of."""
        if not several or value.const is not None or (value.simple and not (copies and value.view)):
            return value
        temp = self._temp()
        self._emit(pad, f"{temp} = {value.src}{'.copy()' if copies and value.view else ''}")
        return Value(temp, value.type, simple=True, view=value.view and not copies)

    def _write(
        self,
        pad: int,
        write: ir.Write,
        env: Env,
        several: bool,
        places: list[str],
        commits: list[str],
        decoded: Decoded,
        elapsed: int,
    ) -> None:
        isa = self.bindings.isa
        decl = isa.state_named(write.state)
        bits, dtype = cell_format(isa, write.state)
        index = self._expr(write.index, env) if write.index is not None else None
        if isinstance(decl, RegFile) and index is not None and index.const is not None and index.const == decl.zero:
            value = self._expr(write.value, env)
            if not value.simple and value.const is None:
                self._emit(pad, value.src)  # it may trap
            return
        if isinstance(decl, RegFile | Scalar | Words):
            if index is not None:
                index = self._hold(pad, index, True)
            value = self._rounded(write.value, bits, dtype, env)
            zero = decl.zero if isinstance(decl, RegFile) and index is not None and index.const is None else None
            value = self._hold(pad, value, several or isinstance(decl, Words) or zero is not None)
            if isinstance(decl, RegFile | Scalar):
                number = index.src if index is not None else "0"
                text = f"s_{write.state}[{number}] = {value.src}"
                if decoded.definition.record.delay:
                    due = plus("C", elapsed + decoded.definition.record.delay)
                    text = f"pending.append(({due}, s_{write.state}, {number}, {value.src}, {write.state!r}))"
                if zero is not None:
                    text = f"if {number} != {zero}: {text}"
                commits.append(text)
            else:
                assert index is not None
                self._bounds(write.state, index, decl, places)
                if self.tracked:
                    commits.append(f"m_{write.state}.undefined.discard({index.src})")
                commits.append(f"c_{write.state}[{index.src}] = {value.src}")
            return
        target = f"s_{write.state}"
        if index is not None:
            index = self._hold(pad, index, True)
            target = self._temp()
        assert dtype is not None
        commit = self._array_value(pad, write.value, dtype, target, env, several)
        if index is not None:
            places.append(f"{target} = W_{write.state}[{index.src}]")
        commits.append(commit)

    def _bounds(self, state: str, index: Value, decl: Words, places: list[str]) -> None:
        count = self.bindings.isa.scope.dim(decl.count)
        kind = index.type
        assert isinstance(kind, Int)
        if kind.lo is not None and kind.lo >= 0 and kind.hi is not None and kind.hi < count:
            return
        test = f"{index.src} >= {count}" if kind.lo is not None and kind.lo >= 0 else f"not 0 <= {index.src} < {count}"
        places.append(f"if {test}: raise m_{state}.bad({index.src})")

    def _array_value(self, pad: int, node: ir.Expr, dtype: str, target: str, env: Env, several: bool) -> str:
        """Emit the value of an array write and return the statement that commits it to `target`."""
        while isinstance(node, ir.IfExp) and (known := self._known(node.test, env)) is not None:
            node = node.then if known else node.other
        kind = node.type
        if not isinstance(kind, ArrayType):
            value = self._hold(pad, self._expr(node, env), several or not target.startswith("s_"))
            if value.const is not None:
                return f"{target}.fill({float_text(CELL[dtype](value.const))})"
            return f"{target}.fill(round_{dtype}({value.src}))"
        needs = dtype in ARRAY and kind.dtype != dtype
        if isinstance(node, ir.Bin) and node.op in UFUNC:
            sides = self._sides(node, env)
            accumulates = dtype == "f32" and not several and target.startswith("s_")
            if accumulates:
                return f"{UFUNC[node.op]}({sides[0]}, {sides[1]}, {target}{sides[2]})"
            scratch = self._scratch(kind.shape)
            self._emit(pad, f"{UFUNC[node.op]}({sides[0]}, {sides[1]}, {scratch}{sides[2]})")
            return f"into_{dtype}({scratch}, {target})" if needs else f"np_copyto({target}, {scratch})"
        value = self._expr(node, env)
        name = self._temp()
        if needs and kind.dtype == "f64":
            change = ".astype(single)"
        else:
            change = ".copy()" if several and value.view else ""
        self._emit(pad, f"{name} = {value.src}{change}")
        return f"into_{dtype}({name}, {target})" if needs else f"np_copyto({target}, {name})"

    def _scratch(self, shape: tuple[int, ...]) -> str:
        self._scratches += 1
        name = f"T{self._scratches}_{'x'.join(map(str, shape))}"
        if name not in self.namespace:
            self.namespace[name] = np.empty(shape, np.float32)
        return name


# --- helpers -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _compile(source: str) -> CodeType:
    return compile(source, "<generated block>", "exec", dont_inherit=True)
