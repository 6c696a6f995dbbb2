"""Binding: what both engines need to know about one run's instructions, and neither may get differently.

Primitives are bound to the storage they were handed, and each definition gets its price: a static cycle count, an expression
of registers, or a rule of the timing model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import define, field, frozen

from kernelcraft_core.isa import Decoded, Definition, Isa, ir
from kernelcraft_core.isa.ir import Int
from kernelcraft_core.isa.model import Array, Bytes, Opaque, RegFile, Rows, Scalar, Space, Words
from kernelcraft_core.isa.primitives import Primitive
from kernelcraft_core.isa.semantics import check_values
from kernelcraft_core.sim.pipeline import TAKEN, PipelineModel, Placed, Watch, Watched
from kernelcraft_core.sim.plan import Facts, Traits
from kernelcraft_core.sim.reuse import Learnt
from kernelcraft_core.sim.state import Storage
from kernelcraft_core.sim.timing import TimingModel

_REGISTER_BOUND = 1 << 32


@frozen(eq=False)
class Price:
    """The cost of a definition: an expression of cycles, or values and the function that prices them."""

    expression: ir.Expr | None
    values: tuple[ir.Expr, ...] = ()
    function: Callable[..., int] | None = None
    bound: int = 0


@define(eq=False)
class Bindings:
    """Primitives and prices of one run, bound lazily."""

    storage: Storage
    timing: TimingModel | PipelineModel | None  # None: everything is free
    learnt: Learnt
    sequential: TimingModel | None = field(init=False, default=None)
    pipeline: PipelineModel | None = field(
        init=False, default=None
    )  # prices beside the engines, to which everything is free
    _primitives: dict[tuple[int, tuple[str, ...]], Callable[..., Any]] = field(factory=dict)
    _prices: dict[str, Price] = field(factory=dict)
    _watched: dict[Watch, Watched] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if isinstance(self.timing, PipelineModel):
            self.pipeline = self.timing
        else:
            self.sequential = self.timing

    @property
    def isa(self) -> Isa:
        """The ISA that runs."""
        return self.storage.isa

    def primitive(self, primitive: Primitive, handles: tuple[str, ...]) -> Callable[..., Any]:
        """Return `primitive` bound to the storage named by `handles`; the same function for the same binding."""
        key = (id(primitive), handles)
        bound = self._primitives.get(key)
        if bound is None:
            stores = [self.storage[name] for name in handles]
            bound = self._primitives[key] = primitive.make(self.storage.context, *stores)
        return bound

    def price(self, definition: Definition) -> Price:
        """Return what executing `definition` costs."""
        price = self._prices.get(definition.name)
        if price is None:
            price = self._prices[definition.name] = self._make_price(definition)
        return price

    def _make_price(self, definition: Definition) -> Price:
        if self.sequential is None:
            return Price(ir.Const(0, Int(0, 0)))
        rule = self.sequential.rule(definition)
        if rule is None:
            return Price(definition.latency, bound=_upper(definition.latency))
        where = f"{definition.name} timing"
        scope = self.isa.scope
        exprs = tuple(check_values(v, where, scope, definition.operands, definition.locals) for v in rule.values)
        return Price(None, exprs, rule.price, rule.bound)

    def watch(self, placed: Placed) -> tuple[Watch, tuple[ir.Expr, ...]]:
        """Return what a pipeline model wants of an instruction, and the values that asks for.

        Raises:
            IsaError: KC01xx an expression is not usable.
            ValueError: an instruction that can read the clock asks for values.
        """
        assert self.pipeline is not None
        watch, definition = self.pipeline.watch(placed), placed.decoded.definition
        if watch.values and self.traits(definition).timed:
            raise ValueError(f"{definition.name} can read the clock: its timing may ask for no values")
        return watch, tuple([self._asked(definition, value) for value in watch.values])

    def watched(self, facts: Facts) -> Watched | None:
        """Return what the pipeline model wants of an instruction, bound to this run; None without one."""
        watch = facts.watch
        if watch is None:
            return None
        found = self._watched.get(watch)
        if found is None:
            digest = watch.digest
            if digest is not None and (watch.live or watch.states):
                handed = (self.pipeline,) if watch.live else ()
                digest = partial(digest, *handed, *(self.storage[name] for name in watch.states))
            found = self._watched[watch] = Watched(watch, facts.exprs, digest)
        return found

    def _asked(self, definition: Definition, value: str) -> ir.Expr:
        expr = self.learnt.values.get((definition.name, value))
        if expr is None:
            if value == TAKEN:
                expr = _taken(definition)
            else:
                where = f"{definition.name} timing"
                expr = check_values(value, where, self.isa.scope, definition.operands, definition.locals)
            self.learnt.values[definition.name, value] = expr
        return expr

    def clocked(self, call: ir.Call) -> bool:
        """Return whether a call must see an up-to-date `context.instret`."""
        return any(
            isinstance(arg, ir.Handle) and isinstance(decl := self.isa.state_named(arg.state), Opaque) and decl.clocked
            for arg in call.args
        )

    def traits(self, definition: Definition) -> Traits:
        """Return what is the same for all instructions of a definition."""
        known = self.learnt.traits.get(definition.name)
        if known is None:
            nodes = [n for s in definition.statements for e in ir.expressions(s) for n in ir.walk(e)]
            clocked = any(isinstance(n, ir.Call) and self.clocked(n) for n in nodes)
            opaque = [d for n in definition.touches if isinstance(d := self.isa.state_named(n), Opaque)]
            timed = clocked and any(d.timed for d in opaque)
            placed = definition.jumps or any(isinstance(n, ir.Pc | ir.NextPc) for n in nodes)
            known = Traits(definition.jumps, clocked, bool(definition.record.delay), timed, placed)
            self.learnt.traits[definition.name] = known
        return known

    @property
    def has_delays(self) -> bool:
        """Whether the ISA has instructions whose results become visible later."""
        return self.learnt.has_delays


def _taken(definition: Definition) -> ir.Expr:
    """Return whether a jump of the instruction is carried out."""
    guards = [s.guard for s in definition.statements if isinstance(s, ir.Jump)]
    if not guards or None in guards:
        return ir.Const(int(bool(guards)), Int(0, 1))
    return ir.Logic("or", tuple(g for g in guards if g is not None), Int(0, 1))


def _upper(expr: ir.Expr) -> int:
    high = expr.type.hi if isinstance(expr.type, Int) else None
    return _REGISTER_BOUND if high is None else high


def zero_of(isa: Isa, state: str) -> int | None:
    """Return the number of the register that reads as zero, or None."""
    decl = isa.state_named(state)
    return decl.zero if isinstance(decl, RegFile) else None


def cell_format(isa: Isa, state: str) -> tuple[int | None, str | None]:
    """Return (bits, None) for integer state, (None, dtype) for float state."""
    decl = isa.state_named(state)
    if isinstance(decl, RegFile | Scalar | Words):
        return (decl.bits, decl.dtype if decl.bits is None else None)
    if isinstance(decl, Array | Rows):
        return (None, decl.dtype)
    assert isinstance(decl, Bytes | Space | Opaque)
    raise TypeError(state)


def registers_used(decoded: Decoded, *, singles: bool = True) -> tuple[tuple[str, int], ...]:
    """Return the (register file, number) pairs that an instruction reads or writes through its operands.

    With `singles` also (name, 0) of the single registers, and of registers that the semantics names by number.
    """
    used: dict[tuple[str, int], None] = {}
    for statement in decoded.definition.statements:
        write = [(statement.state, statement.index)] if isinstance(statement, ir.Write) else []
        places: list[tuple[str, ir.Expr | None]] = [*write]
        for expr in ir.expressions(statement):
            for node in ir.walk(expr):
                if isinstance(node, ir.ReadReg):
                    places.append((node.state, node.index))
                elif isinstance(node, ir.ReadState):
                    places.append((node.state, None))
        for state, index in places:
            if isinstance(index, ir.OperandRef):
                used[state, decoded.operands[index.name]] = None
            elif singles and (index is None or (isinstance(index, ir.Const) and isinstance(index.value, int))):
                used[state, 0 if index is None else int(index.value)] = None
    return tuple(used)


def operand_values(isa: Isa, decoded: Decoded, storage: Storage) -> Mapping[str, int | float]:
    """Return the registers an instruction names with their values, for trap messages."""
    out: dict[str, int | float] = {}
    prefixes = {getattr(k, "file", None) or k.name: getattr(k, "prefix", "") for k in isa.kinds}
    for state, number in registers_used(decoded, singles=False):
        out[f"{prefixes.get(state) or state}{number}"] = storage[state][number]
    return out
