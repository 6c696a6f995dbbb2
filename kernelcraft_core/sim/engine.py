"""The run loop: blocks, limits, traps, profile. It knows no instruction and no target.

A block is a run of instructions of which only the last may jump. It is first executed step by step (closures); once it has
run often enough to pay for compilation, as one generated function. Limits are exact: a block that could cross one is
stepped instruction by instruction.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from attrs import define, field, frozen

from kernelcraft_core.isa import Isa, Program
from kernelcraft_core.sim.bind import Bindings, operand_values, registers_used
from kernelcraft_core.sim.closures import ClosureCompiler, Step
from kernelcraft_core.sim.codegen import SEEN, BlockCompiler, CompiledBlock
from kernelcraft_core.sim.pipeline import Pipeline, PipelineModel
from kernelcraft_core.sim.plan import Facts, Shape
from kernelcraft_core.sim.reader import Reader
from kernelcraft_core.sim.result import HALTED, LIMIT, TRAP, LimitInfo, Limits, Trap, TrapInfo
from kernelcraft_core.sim.reuse import Learnt
from kernelcraft_core.sim.space import AddressSpace
from kernelcraft_core.sim.state import Storage
from kernelcraft_core.sim.timing import TimingModel

HOT = 40
"""Executions after which a block is compiled."""
MAX_TRACE = 1_000_000
_FIRST_SLICE = 1 << 8
_SLICE = 1 << 19  # instructions one generated call may execute before the clock is looked at, at first and at most
_ENDLESS = 1 << 62
_LOOK, _LOOK_MOST = 16, 2048  # block executions between two looks at the clock, at first and at most
_PATIENCE = 0.02  # seconds between two looks at the clock, about
ENGINES = ("auto", "closures", "generated")


def _trace_in(compiled: CompiledBlock, trap: Trap) -> TracebackType:
    """Return where in a compiled block a trap came up."""
    trace = trap.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is compiled.code:
            return trace
        trace = trace.tb_next
    raise trap


def _due(entry: tuple[int, Any, Any, Any, str]) -> int:
    return entry[0]


@define(eq=False)
class Block:
    """A block in one run: its shape, and what executes it."""

    shape: Shape
    heat: int  # executions so far, for the decision to compile
    count: int = 0  # whole executions, for the profile
    compiled: CompiledBlock | None = None
    steps: Sequence[Step] = ()  # built when it is first stepped or executed by closures
    head: Sequence[Callable[[], Any]] = ()
    asking: Sequence[Step] = ()  # the steps whose values a pipeline model asks for
    size: int = field(init=False)
    cycles: int = field(init=False)
    bound: int = field(init=False)
    plain: bool = field(init=False)
    jumps: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        shape = self.shape
        self.size, self.cycles, self.bound, self.plain = shape.size, shape.cycles, shape.bound, shape.plain
        self.jumps = shape.facts[-1].jumps


@frozen(eq=False)
class Outcome:
    """How the loop ended."""

    status: str
    pc: int
    trap: TrapInfo | None
    limit: LimitInfo | None


@define(eq=False)
class Engine:
    """Executes one program on one storage."""

    program: Program
    storage: Storage
    timing: TimingModel | PipelineModel | None
    limits: Limits
    engine: str = "auto"
    strict: bool = False
    trace: list[tuple[int, int, int]] | None = None
    learnt: Learnt | None = None
    isa: Isa = field(init=False)
    bindings: Bindings = field(init=False)
    reader: Reader = field(init=False)
    pending: list[Any] = field(factory=list)
    blocks: dict[int, Block] = field(factory=dict)
    counts: list[int] = field(init=False)
    dynamic: list[int] = field(init=False)
    pipeline: Pipeline | None = None
    source_log: list[tuple[int, str]] = field(factory=list)
    trace_full: bool = False
    _position: Any = None
    _entered: int = 0
    _stepped: int = -1
    _block: Block | None = None

    def __attrs_post_init__(self) -> None:
        self.isa = self.storage.isa
        tracked, learnt = self.storage.context.tracked, self.learnt or Learnt(self.isa, self.storage.context.machine)
        self.bindings = bindings = Bindings(self.storage, self.timing, learnt)
        plan = learnt.plan(self.program, tracked, self.strict, self.timing is None)
        size = len(self.program)
        self.counts, self.dynamic = [0] * size, [0] * size
        closures = ClosureCompiler(bindings, self.pending)
        generated = BlockCompiler(bindings, plan.code, tracked, self.strict)
        generated.namespace |= {"pending": self.pending, "settle": self.settle, "dyn": self.dynamic}
        if bindings.pipeline is not None:
            self.pipeline = Pipeline(bindings.pipeline, self.dynamic, learnt.take())
            generated.namespace["price"] = self.pipeline.price
        self.reader = Reader(self.program, plan, bindings, closures, generated, self.pipeline, self.strict)

    def close(self) -> None:
        """End a run: finish the work in flight, and leave to the next one what this one has learnt."""
        self._drain()
        if self.pipeline is not None and self.learnt is not None:
            self.pipeline.settle()
            self.learnt.give(self.pipeline.memo)

    def block_at(self, pc: int) -> Block | None:
        """Return the block that starts at `pc`, or None outside the program."""
        block = self.blocks.get(pc)
        if block is None:
            shape = self.reader.shape_at(pc)
            if shape is None:
                return None
            # Code that is there costs less than closures; with a pipeline model, where these cannot be shared, new code does.
            ready = shape.template is not None or self.pipeline is not None
            block = self.blocks[pc] = Block(shape, HOT if ready else 0)
        return block

    def _build(self, block: Block) -> None:
        """Make the closures of a block."""
        block.steps = steps = self.reader.steps(block.shape)
        block.head = [step.run for step in steps[:-1]]
        block.asking = [step for step, fact in zip(steps, block.shape.facts, strict=True) if fact.exprs]

    # -- running ------------------------------------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Execute from the entry until the program ends, traps or meets a limit."""
        context, limits = self.storage.context, self.limits
        context.instruction_limit = limits.instructions
        context.deadline = limits.instructions
        context.locate = self._locate
        cycle_limit = _ENDLESS if limits.cycles is None else limits.cycles
        stop_at = None if limits.wall_time is None else time.monotonic() + limits.wall_time
        most = _FIRST_SLICE if stop_at is not None else _ENDLESS
        patience, looked = _LOOK, 0.0
        hot = {"auto": HOT, "closures": _ENDLESS, "generated": 0}[self.engine]
        stepping = self.trace is not None
        blocks = self.blocks
        pc = self.program.entry
        spent = 0
        while True:
            block = blocks.get(pc) or self.block_at(pc)
            if block is None:
                return self._leave(pc)
            size = block.size
            start = self._entered = context.instret
            self._block = block
            if stop_at is not None:
                spent += 1
                if spent >= patience:
                    now = time.monotonic()
                    if now > stop_at:
                        return self._limit("wall_time", pc, f"{limits.wall_time} s")
                    # How long an instruction takes differs by five orders of magnitude: look about every 20 ms.
                    slow = looked and now - looked > _PATIENCE
                    most = max(1, most >> 2) if slow else min(most << 1, _SLICE)
                    patience = max(1, patience >> 2) if slow else min(patience << 1, _LOOK_MOST)
                    spent, looked = 0, now
            room = context.deadline - start
            compiled = block.compiled
            if room < size or context.cycles + block.bound > cycle_limit or stepping:
                result = self._slow(block, cycle_limit)
            elif compiled is None and block.heat >= hot and self._may_compile(block):
                self._compile(block)
                continue
            elif compiled is None and (self.pending or not block.plain):
                block.heat += 1
                result = self._slow(block, cycle_limit)
            else:
                try:
                    if compiled is None:
                        result = self._closures(block)
                    elif block.jumps:
                        times = min(room, most) // size or 1
                        if times > 1 and cycle_limit != _ENDLESS:
                            times = max(1, min(times, (cycle_limit - context.cycles) // max(1, block.bound)))
                        result = compiled.run(start, times)
                        done = context.iterations
                        spent += patience if done >= times > 1 else done * size >> 6
                        context.instret = start + done * size
                        if not compiled.template.timed:
                            context.cycles += done * block.cycles
                        block.count += done
                    else:
                        result = compiled.run(start, 1)
                        context.instret = start + size
                        if not compiled.template.timed:
                            context.cycles += block.cycles
                        block.count += 1
                except Trap as trap:
                    return self._trapped(block, trap)
                if result < 0:
                    return self._halt(block)
            if not isinstance(result, int):
                return result
            pc = result

    def _closures(self, block: Block) -> int:
        """Execute a plain block by closures; only its last step may need the clock."""
        context = self.storage.context
        if not block.steps:
            self._build(block)
        self._position = steps = iter(block.head)
        for run in steps:
            run()
        self._position = None
        context.instret += block.size - 1
        target = block.steps[-1].run()
        context.instret += 1
        if self.pipeline is None:
            context.cycles += block.cycles
        else:
            key = (block.shape.number, *[step.seen[0] for step in block.asking])
            context.cycles += self.pipeline.price(key, context.cycles)
        block.count += 1
        block.heat += 1
        return block.shape.next_pc if target is None else int(target)

    def _slow(self, block: Block, cycle_limit: int) -> int | Outcome:
        """Execute a block with every limit checked before every instruction; return the next pc, or how it ended."""
        context, trace = self.storage.context, self.trace
        addresses, facts = self.program.addresses, block.shape.facts
        if not block.steps:
            self._build(block)
        for offset, step in enumerate(block.steps):
            index = self._stepped = block.shape.first + offset
            pc = addresses[index]
            if context.instret >= context.deadline:
                return self._deadline(pc)
            if context.cycles > cycle_limit:
                return self._limit("cycles", pc, f"{cycle_limit:,} cycles")
            before = context.cycles
            try:
                if self.pending:
                    decoded = facts[offset].decoded
                    self.settle(before, registers_used(decoded) if self.strict and decoded else ())
                target = step.run() if self.pipeline is None else self._timed(self.pipeline, index, facts[offset], step)
            except Trap as trap:
                return self._stop(index, trap)
            cycles = facts[offset].cycles
            if cycles is not None:
                context.cycles += cycles
            else:
                self.dynamic[index] += context.cycles - before
            context.instret += 1
            self.counts[index] += 1
            if trace is not None:
                if len(trace) < MAX_TRACE:
                    trace.append((before, context.cycles - before, pc))
                else:
                    self.trace_full = True
            if target is not None:
                self._stepped = -1
                return Outcome(HALTED, pc, None, None) if target < 0 else int(target)
        self._stepped = -1
        return block.shape.next_pc

    def _timed(self, pipeline: Pipeline, index: int, facts: Facts, step: Step) -> int | None:
        """Execute one instruction and let the pipeline model move the clock; return the next pc if it may jump."""
        context, watch = self.storage.context, facts.watch
        target: int | None
        if watch is None:  # it is illegal
            target = step.run()
            return target
        now = context.cycles
        if not facts.timed:
            target = step.run()
            context.cycles = now + pipeline.step(index, watch, step.seen[0], now)
            return target
        cycles = pipeline.step(index, watch, None, now)
        context.shown = pipeline.model.clock()
        target = step.run()
        context.cycles = now + cycles
        return target

    def _may_compile(self, block: Block) -> bool:
        # The clock must be right within a block that reads it or puts something in flight: it is executed step by step.
        stepped = self.pipeline is not None and (block.shape.facts[0].timed or self.bindings.has_delays)
        if stepped or not block.shape.legal:
            block.heat = -_ENDLESS
            return False
        return True

    def _compile(self, block: Block) -> None:
        try:
            block.compiled = self.reader.compile(block.shape)
        except (SyntaxError, RecursionError, MemoryError):  # nested more deeply than Python's parser goes
            block.heat = -_ENDLESS
            return
        self.source_log.append((block.shape.pc, block.compiled.template.source))

    # -- exposed pipelines --------------------------------------------------------------------------------------------

    def settle(self, now: int, used: Sequence[tuple[str, int]]) -> None:
        """Make results visible whose delay has passed at cycle `now`.

        Raises:
            Trap: `hazard`, when a register of `used` has a result in flight (strict runs name them).
        """
        self.pending.sort(key=_due)
        waiting = [entry for entry in self.pending if entry[0] > now]
        for _, store, number, value, _ in self.pending[: len(self.pending) - len(waiting)]:
            store[number] = value
        self.pending[:] = waiting
        for state, number in used:
            for due, _, reg, _, name in waiting:
                if name == state and reg == number:
                    raise Trap("hazard", f"{state}[{number}] is not ready before cycle {due}; this is cycle {now}")

    def _drain(self) -> None:
        """Finish work in flight at the end of a run and count its cycles."""
        context = self.storage.context
        for due, store, number, value, _ in sorted(self.pending, key=_due):
            store[number] = value
            context.cycles = max(context.cycles, due)
        self.pending.clear()

    # -- endings ------------------------------------------------------------------------------------------------------

    def _leave(self, pc: int) -> Outcome:
        if pc == self.program.end and self.isa.ends == "halt":
            return Outcome(HALTED, pc, None, None)
        if self.isa.memory and isinstance(space := self.storage[self.isa.memory], AddressSpace):
            trap = space.no_instruction(pc)
            return Outcome(TRAP, pc, TrapInfo(trap.kind, trap.message, pc, None, detail=trap.detail), None)
        info = TrapInfo("out_of_bounds", f"the program counter {pc} is outside the program", pc, None)
        return Outcome(TRAP, pc, info, None)

    def _halt(self, block: Block) -> Outcome:
        return Outcome(HALTED, self.program.addresses[block.shape.first + block.size - 1], None, None)

    def _deadline(self, pc: int) -> Outcome:
        context = self.storage.context
        if context.instret >= context.instruction_limit:
            return self._limit("instructions", pc, f"{context.instruction_limit:,} instructions")
        kind, message = context.explain()
        return self._limit(kind, pc, message)

    def _limit(self, kind: str, pc: int, what: str) -> Outcome:
        line = self.program.line_at(pc)
        return Outcome(LIMIT, pc, None, LimitInfo(kind, f"{kind} limit reached: {what}", pc, line))

    def _trapped(self, block: Block, trap: Trap) -> Outcome:
        """Bring counters up to the instruction that trapped inside a block."""
        context, shape = self.storage.context, block.shape
        compiled = block.compiled
        done = 0
        if compiled is None:
            offset = self._offset_of_closure(block)
        else:
            offset = self._offset_of_line(compiled, trap)
            done = context.iterations if block.jumps else 0
            block.count += done
        context.instret = self._entered + done * block.size + offset
        if compiled is not None and compiled.template.timed:
            context.cycles += compiled.template.unsynced[offset]
        else:
            context.cycles += done * block.cycles + sum(f.cycles or 0 for f in shape.facts[:offset])
        for index in range(shape.first, shape.first + offset):
            self.counts[index] += 1
        if self.pipeline is not None:  # values of instructions in front of the trap are still where they were kept
            seen = _trace_in(compiled, trap).tb_frame.f_locals if compiled is not None else {}
            for position, fact in enumerate(shape.facts[:offset]):
                assert fact.watch is not None
                index, now = shape.first + position, context.cycles
                value = block.steps[position].seen[0] if compiled is None else seen.get(f"{SEEN}{position}")
                context.cycles = now + self.pipeline.step(index, fact.watch, value, now)
        return self._stop(shape.first + offset, trap)

    def _offset_of_closure(self, block: Block) -> int:
        if self._position is None:
            return block.size - 1
        return block.size - 2 - int(self._position.__length_hint__())

    def _offset_of_line(self, compiled: CompiledBlock, trap: Trap) -> int:
        return compiled.template.offsets[_trace_in(compiled, trap).tb_lineno - 1]

    def _locate(self) -> int:
        """Return the index of the instruction that is executing (rare: used to place reports)."""
        if self._stepped >= 0:
            return self._stepped
        block = self._block
        assert block is not None
        if block.compiled is None:
            return block.shape.first + self._offset_of_closure(block)
        frame = sys._getframe()
        while frame.f_code is not block.compiled.code:
            assert frame.f_back is not None
            frame = frame.f_back
        return block.shape.first + block.compiled.template.offsets[frame.f_lineno - 1]

    def _stop(self, index: int, trap: Trap) -> Outcome:
        pc = self.program.addresses[index]
        decoded = self.reader.decode(index)
        registers = operand_values(self.isa, decoded, self.storage) if decoded else {}
        info = TrapInfo(
            trap.kind,
            trap.message,
            pc,
            self.program.lines[index] or None,
            decoded.definition.mnemonic if decoded else None,
            trap.hint,
            registers,
            self.program.span_at(pc),
            trap.detail,
        )
        return Outcome(TRAP, pc, info, None)

    def totals(self) -> tuple[list[int], list[int]]:
        """Return (executions, cycles) of each instruction."""
        counts = list(self.counts)
        if self.pipeline is not None:
            self.pipeline.settle()
        cycles = list(self.dynamic)  # with a pipeline model that is all of them
        for block in self.blocks.values():
            if block.count:
                for index in range(block.shape.first, block.shape.first + block.size):
                    counts[index] += block.count
        if self.pipeline is None:
            for index, count in enumerate(counts):
                if count and (price := self.reader.facts(index).cycles) is not None:
                    cycles[index] = count * price
        return counts, cycles
