"""The generated engine: Python source for one basic block, from the checked semantics with operand values folded in.

The source is made from the typed tree, never from an author's text, and this is the only module that compiles it. A block
that ends by jumping to its own start keeps looping inside its function. Each source line belongs to one instruction, so a
trap is placed by the line number of the traceback and costs nothing until it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from types import CodeType
from typing import Any

import numpy as np
from attrs import define, field, frozen

from kernelcraft_core.isa import Decoded, ir
from kernelcraft_core.isa.ir import ArrayType, Int
from kernelcraft_core.isa.model import Array, Bytes, Opaque, RegFile, Rows, Scalar, Space, Words
from kernelcraft_core.sim.bind import registers_used
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
from kernelcraft_core.sim.plan import Facts, Shape, Template
from kernelcraft_core.sim.result import Trap
from kernelcraft_core.sim.rounding import ARRAY, CELL, to_double

SEEN = "d"
"""Name, with the position of the instruction, of the local variable that holds what a pipeline model asked for."""


@frozen(eq=False)
class CompiledBlock:
    """A block's function in one run.

    `run(instret, most)` executes the block up to `most` times while it jumps to itself and returns the next pc;
    `context.iterations` then holds how often.
    """

    run: Callable[[int, int], int]
    code: CodeType
    template: Template


@define
class _Site(Env):
    """One instruction while it is emitted: what resolves its places and what commits its writes comes after its values."""

    decoded: Decoded
    elapsed: int  # cycles since `context.cycles` was brought up to date
    facts: Facts
    several: bool = False  # more than one thing happens: values are named before anything is written
    places: list[str] = field(factory=list)
    commits: list[str] = field(factory=list)


@define(eq=False)
class BlockCompiler(Lowering):
    """Compiles blocks, and binds them to one run: all blocks share one namespace of storage and primitives."""

    strict: bool = False
    namespace: dict[str, Any] = field(factory=dict, init=False)
    _lines: list[str] = field(factory=list, init=False)
    _owners: list[int] = field(factory=list, init=False)
    _current: int = field(default=0, init=False)
    _pad: int = field(default=0, init=False)
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
            elif not isinstance(decl, Bytes | Space | Opaque):
                space[f"s_{decl.name}"] = slot
        self.namespace = space

    # -- blocks -------------------------------------------------------------------------------------------------------

    def bind(self, template: Template) -> CompiledBlock:
        """Return the function of a block on the storage of this run."""
        self._provide(template)
        run = self.namespace.pop("block")
        return CompiledBlock(run, run.__code__, template)

    def function(self, name: str, template: Template) -> Any:
        """Return the function of an instruction on the storage of this run."""
        self._provide(template)
        return self.namespace.pop(name)

    def _provide(self, template: Template) -> None:
        """Define what a template defines, and before it what it needs."""
        space = self.namespace
        for name, make in template.needs:
            if name not in space:
                space[name] = make(self)
        exec(template.code, space)

    def compile(
        self,
        shape: Shape,
        keys: Sequence[int],
        places: Sequence[tuple[int, int]],
        often: AbstractSet[int] = frozenset(),
        piped: bool = False,
    ) -> Template:
        """Return the code of a block.

        Args:
            shape: the block, all of it legal.
            keys: what tells its instructions apart: equal ones have equal keys.
            places: (pc, next pc) of each instruction.
            often: keys of instructions that shall be functions of their own, where that is possible.
            piped: a pipeline model prices the block as a whole; the prices in `shape` are then 0.
        """
        facts, functions = shape.facts, self._functions(shape, keys, often)
        self._start()
        settles = self.bindings.has_delays
        timed = piped or settles or not shape.plain
        loops = facts[-1].jumps
        clocked = any(f.clocked for f in facts)
        self._emit("def block(I, most):")
        self._pad = 1
        if timed:
            self._emit("C = ctx.cycles")
        if loops:
            self._emit("k = 0")
        if loops or timed:
            self._emit("try:")
            self._pad += 1
        if loops:
            self._emit("while True:")
            self._pad += 1
        elapsed = 0
        unsynced: list[int] = []
        for position, (fact, (pc, next_pc)) in enumerate(zip(facts, places, strict=True)):
            decoded = fact.decoded
            assert decoded is not None
            self._current = position
            unsynced.append(elapsed)
            if functions[position]:
                self._call(functions[position], fact)
                elapsed += fact.cycles or 0
                continue
            if settles:
                used = registers_used(decoded) if self.strict else ()
                self._emit(f"if pending: settle({plus('C', elapsed)}, {used!r})")
            if fact.clocked:
                self._emit(f"ctx.instret = {plus('I', position)}")
                if fact.timed:
                    self._emit(f"ctx.cycles = {plus('C', elapsed)}")
            site = _Site(decoded.operands, {}, pc, next_pc, decoded, elapsed, fact)
            elapsed = self._instruction(site, shape.first + position)
        if timed and elapsed:
            self._emit(f"C += {elapsed}")
        if piped:
            asking = [f"{SEEN}{i}" for i, fact in enumerate(facts) if fact.exprs]
            self._emit(f"C += price(({', '.join([str(shape.number), *asking])},), C)")
        if loops:
            self._emit("k += 1")
            self._emit(f"if pc != {shape.pc} or k >= most: return pc")
            if clocked:
                self._emit(f"I += {shape.size}")
                self._emit(f"if I + {shape.size} > ctx.deadline: return pc")  # it may have been lowered just now
        else:
            self._emit(f"return {shape.next_pc}")
        if loops or timed:
            self._pad = 1
            self._emit("finally:")
            self._pad = 2
            if loops:
                self._emit("ctx.iterations = k")
            if timed:
                self._emit("ctx.cycles = C")
        return self._finish(tuple(unsynced), timed)

    def _start(self) -> None:
        self._lines, self._owners, self._needs = [], [], {}
        self._current = self._temps = self._scratches = self._pad = 0

    def _finish(self, unsynced: Sequence[int] = (), timed: bool = False) -> Template:
        source = "\n".join(self._lines) + "\n"
        return Template(_compile(source), source, tuple(self._owners), unsynced, timed, tuple(self._needs.items()))

    # -- instructions that stand in a block again and again -----------------------------------------------------------

    def _functions(self, shape: Shape, keys: Sequence[int], often: AbstractSet[int]) -> list[str]:
        """Return the names of the instructions that are functions of their own, by position; empty for the others.

        Compiling an instruction costs as much as executing it a hundred times, calling a function next to nothing.
        """
        names = [""] * shape.size
        if not self.bindings.has_delays:
            for position, (key, fact) in enumerate(zip(keys, shape.facts, strict=True)):
                if key in often and fact.cycles is not None and not (fact.placed or fact.clocked):
                    names[position] = self._function_of(key, fact)
        return names

    def _function_of(self, key: int, fact: Facts) -> str:
        """Return the name of the function of an instruction; it is handed the digest, and returns what is asked for."""
        digest = fact.watch is not None and fact.watch.digest is not None
        thing = (key, fact.watch.values if fact.watch is not None else (), digest)
        name = self.code.name(thing, "w")
        if name not in self.code.functions:
            assert fact.decoded is not None
            self._start()
            self._emit(f"def {name}({'g' if digest else ''}):")
            self._pad = 1
            self._instruction(_Site(fact.decoded.operands, {}, 0, 0, fact.decoded, 0, fact), 0, "g" if digest else "")
            self._emit(f"return {SEEN}0" if fact.exprs else "return")
            self.code.functions[name] = self._finish()
        return name

    def _call(self, name: str, fact: Facts) -> None:
        template = self.code.functions[name]
        self._needs[name] = partial(_function, name, template)
        digest = self._digest(fact) if fact.exprs else ""
        self._emit(f"{SEEN}{self._current} = {name}({digest})" if fact.exprs else f"{name}()")

    def _emit(self, text: str) -> None:
        self._lines.append("    " * self._pad + text)
        self._owners.append(self._current)

    # -- one instruction ----------------------------------------------------------------------------------------------

    def _instruction(self, site: _Site, index: int, digest: str | None = None) -> int:
        """Emit one instruction: values and places first, then writes; return the cycles since the last synchronisation."""
        definition, static = site.decoded.definition, site.facts.cycles
        price = self.bindings.price(definition)
        asked = site.facts.exprs
        if static is None:
            asked = price.values if price.expression is None else (price.expression,)
        statements = [s for s in definition.statements if not self._dead(s, site)]
        # what the price stops on comes after what the values stop on
        site.several = sum(not isinstance(s, ir.Let) for s in statements) > 1 or any(
            may_trap(node) for expr in asked for node in ir.walk(expr)
        )
        if definition.jumps and not any(isinstance(s, ir.Jump) and s.guard is None for s in statements):
            self._emit(f"pc = {site.next_pc}")
        for statement in statements:
            self._statement(statement, site)
        costs: list[str] = []
        for expr in asked:  # prices see the state before the writes
            value = self._expr(expr, site)
            if static is None and not value.simple and value.const is None:
                value = self._name_value(value)
            costs.append(value.src)
        if site.facts.exprs:
            self._keep(self._digest(site.facts) if digest is None else digest, costs)
        for text in (*site.places, *site.commits):
            self._emit(text)
        if static is not None:
            return site.elapsed + static
        cost = costs[0] if price.expression is not None else self._temp()
        if price.expression is None:
            name = f"q_{definition.name}"
            function = self._need(name, name, lambda run: run.bindings.price(definition).function)
            self._emit(f"{cost} = {function}({', '.join([plus('C', site.elapsed), *costs])})")
        self._emit(f"C += {plus(cost, site.elapsed)}")
        self._emit(f"dyn[{index}] += {cost}")
        return 0

    def _digest(self, facts: Facts) -> str:
        """Return the name of what digests the values that a pipeline model asked for, empty where nothing does."""
        if facts.watch is None or facts.watch.digest is None:
            return ""
        return self._need(facts.watch, "g", partial(_bound_digest, facts))

    def _keep(self, digest: str, seen: Sequence[str]) -> None:
        """Emit the assignment of what a pipeline model asked for, where the end of the block and a trap find it."""
        values = ", ".join(seen)
        value = f"{digest}({values})" if digest else values if len(seen) == 1 else f"({values})"
        self._emit(f"{SEEN}{self._current} = {value}")

    def _name_value(self, value: Value, change: str = "") -> Value:
        """Emit an assignment of the value to a fresh name."""
        temp = self._temp()
        self._emit(f"{temp} = {value.src}{change}")
        return Value(temp, value.type, simple=True, view=value.view and not change)

    def _dead(self, statement: ir.Stmt, env: Env) -> bool:
        guard = getattr(statement, "guard", None)
        return guard is not None and self._known(guard, env) == 0

    def _known(self, test: ir.Expr, env: Env) -> int | float | None:
        """Return the value of a test that operands decide, or None."""
        if isinstance(test, ir.Logic) and test.op == "and":  # the first part of nested conditions is often known
            return 0 if self._known(test.parts[0], env) == 0 else None
        return self._expr(test, env).const if ir.is_static(test) else None

    def _statement(self, statement: ir.Stmt, site: _Site) -> None:
        guard_node = getattr(statement, "guard", None)
        if guard_node is None or self._known(guard_node, site) is not None:
            self._body(statement, site)
            return
        guard = self._name_value(self._test(guard_node, site)).src
        self._emit(f"if {guard}:")
        start = len(self._lines)
        outer = site.places, site.commits
        site.places, site.commits = [], []
        self._pad += 1
        self._body(statement, site)
        if len(self._lines) == start:  # nothing to do but the writes, which come later
            self._lines.pop()
            self._owners.pop()
        self._pad -= 1
        for kept, added in zip(outer, (site.places, site.commits), strict=True):
            if added:
                kept += [f"if {guard}:", *(f"    {text}" for text in added)]
        site.places, site.commits = outer

    def _body(self, statement: ir.Stmt, site: _Site) -> None:
        match statement:
            case ir.Let(names=names, value=value):
                self._let(names, value, site)
            case ir.TrapIf(kind=kind):
                message = f"{site.decoded.definition.name} stopped the program"
                self._emit(f"raise Trap({kind!r}, {message!r})")
            case ir.Jump(target=target):
                place = self._hold(self._place(target, site), site.several)
                site.commits.append(f"pc = {place.src}")
            case ir.Effect(call=call):
                held = [self._expr(a, site) for a in call.args if not isinstance(a, ir.Handle)]
                copies = site.several or (any(a.view for a in held) and self._writes_arrays(call))
                args = [self._hold(a, copies) for a in held]
                site.commits.append(f"{self._function(call)}({', '.join(a.src for a in args)})")
            case ir.Write():
                self._write(statement, site)

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

    def _let(self, names: tuple[str, ...], value: ir.Expr, site: _Site) -> None:
        if len(names) == 1:
            site.locals[names[0]] = self._hold(self._expr(value, site), True, copies=site.several)
            return
        temps = [self._temp() for _ in names]
        self._emit(f"{', '.join(temps)} = {self._expr(value, site).src}")
        assert isinstance(value.type, tuple)
        for name, temp, kind in zip(names, temps, value.type, strict=True):
            site.locals[name] = Value(temp, kind, simple=True)

    def _hold(self, value: Value, needed: bool, *, copies: bool = True) -> Value:
        """Name a value, when something else of the instruction could change what it is made of."""
        if not needed or value.const is not None or (value.simple and not (copies and value.view)):
            return value
        return self._name_value(value, ".copy()" if copies and value.view else "")

    def _write(self, write: ir.Write, site: _Site) -> None:
        decl = self.bindings.isa.state_named(write.state)
        index = self._expr(write.index, site) if write.index is not None else None
        if isinstance(decl, RegFile) and index is not None and index.const is not None and index.const == decl.zero:
            value = self._expr(write.value, site)
            if not value.simple and value.const is None:
                self._emit(value.src)  # it may trap
            return
        if index is not None:
            index = self._hold(index, True)
        if isinstance(decl, RegFile | Scalar):
            self._write_register(write, decl, index, site)
        elif isinstance(decl, Words):
            assert index is not None
            value = self._hold(self._rounded(write.value, decl.bits, decl.dtype, site), True)
            self._bounds(write.state, index, decl, site.places)
            if self.tracked:
                site.commits.append(f"m_{write.state}.undefined.discard({index.src})")
            site.commits.append(f"c_{write.state}[{index.src}] = {value.src}")
        else:
            assert isinstance(decl, Array | Rows)
            target = f"s_{write.state}" if index is None else self._temp()
            commit = self._array_value(write.value, decl.dtype, target, site)
            if index is not None:
                site.places.append(f"{target} = W_{write.state}[{index.src}]")
            site.commits.append(commit)

    def _write_register(self, write: ir.Write, decl: RegFile | Scalar, index: Value | None, site: _Site) -> None:
        value = self._rounded(write.value, decl.bits, decl.dtype, site)
        zero = decl.zero if isinstance(decl, RegFile) and index is not None and index.const is None else None
        value = self._hold(value, site.several or zero is not None)
        number = index.src if index is not None else "0"
        text = f"s_{write.state}[{number}] = {value.src}"
        delay = site.decoded.definition.record.delay
        if delay:
            due = plus("C", site.elapsed + delay)
            text = f"pending.append(({due}, s_{write.state}, {number}, {value.src}, {write.state!r}))"
        if zero is not None:
            text = f"if {number} != {zero}: {text}"
        site.commits.append(text)

    def _bounds(self, state: str, index: Value, decl: Words, places: list[str]) -> None:
        count = self.bindings.isa.scope.dim(decl.count)
        kind = index.type
        assert isinstance(kind, Int)
        if kind.lo is not None and kind.lo >= 0 and kind.hi is not None and kind.hi < count:
            return
        test = f"{index.src} >= {count}" if kind.lo is not None and kind.lo >= 0 else f"not 0 <= {index.src} < {count}"
        places.append(f"if {test}: raise m_{state}.bad({index.src})")

    def _array_value(self, node: ir.Expr, dtype: str, target: str, site: _Site) -> str:
        """Emit the value of an array write and return the statement that commits it to `target`."""
        while isinstance(node, ir.IfExp) and (known := self._known(node.test, site)) is not None:
            node = node.then if known else node.other
        kind = node.type
        if not isinstance(kind, ArrayType):
            value = self._hold(self._expr(node, site), site.several or not target.startswith("s_"))
            if value.const is not None:
                return f"{target}.fill({float_text(CELL[dtype](value.const))})"
            return f"{target}.fill(round_{dtype}({value.src}))"
        needs = dtype in ARRAY and kind.dtype != dtype
        if isinstance(node, ir.Bin) and node.op in UFUNC:
            sides = self._sides(node, site)
            accumulates = dtype == "f32" and not site.several and target.startswith("s_")
            if accumulates:
                return f"{UFUNC[node.op]}({sides[0]}, {sides[1]}, {target}{sides[2]})"
            scratch = self._scratch(kind.shape)
            self._emit(f"{UFUNC[node.op]}({sides[0]}, {sides[1]}, {scratch}{sides[2]})")
            return f"into_{dtype}({scratch}, {target})" if needs else f"np_copyto({target}, {scratch})"
        value = self._expr(node, site)
        if needs and kind.dtype == "f64":
            change = ".astype(single)"
        else:
            change = ".copy()" if site.several and value.view else ""
        name = self._name_value(value, change).src
        return f"into_{dtype}({name}, {target})" if needs else f"np_copyto({target}, {name})"

    def _scratch(self, shape: tuple[int, ...]) -> str:
        self._scratches += 1
        name = f"T{self._scratches}_{'x'.join(map(str, shape))}"
        return self._need(name, name, lambda run: np.empty(shape, np.float32))


# --- helpers -------------------------------------------------------------------------------------------------------------


def _function(name: str, template: Template, run: Lowering) -> Any:
    assert isinstance(run, BlockCompiler)
    return run.function(name, template)


def _bound_digest(facts: Facts, run: Lowering) -> Callable[..., Any] | None:
    watched = run.bindings.watched(facts)
    return watched.digest if watched is not None else None


@lru_cache(maxsize=4096)
def _compile(source: str) -> CodeType:
    return compile(source, "<generated block>", "exec", dont_inherit=True)


def forget() -> None:
    """Forget compiled sources."""
    _compile.cache_clear()
