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

from kernelcraft_core.isa import Decoded, Isa, Program
from kernelcraft_core.sim.bind import Bindings, operand_values, registers_used
from kernelcraft_core.sim.closures import ClosureCompiler, Step
from kernelcraft_core.sim.codegen import SEEN, BlockCompiler, CompiledBlock, Timing
from kernelcraft_core.sim.pipeline import Pipeline, PipelineModel, Placed, Watched
from kernelcraft_core.sim.result import HALTED, LIMIT, TRAP, LimitInfo, Limits, Trap, TrapInfo
from kernelcraft_core.sim.space import AddressSpace
from kernelcraft_core.sim.state import Storage
from kernelcraft_core.sim.timing import TimingModel

MAX_BLOCK = 256
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
    """A run of instructions: indices `first .. first + size`."""

    first: int
    size: int
    pc: int
    steps: list[Step]
    head: list[Callable[[], Any]]
    last: Callable[[], Any]
    cycles: int  # static cycles in all
    bound: int  # cycles one execution takes at most
    plain: bool  # all prices are static and nothing is in flight: closures can run without a look at the clock
    final_jumps: bool
    next_pc: int
    number: int = -1  # what a pipeline model knows it by
    asking: tuple[Step, ...] = ()  # the steps whose values it asks for
    count: int = 0  # whole executions, for the profile
    heat: int = 0  # executions since the start, for the decision to compile
    compiled: CompiledBlock | None = None


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
    isa: Isa = field(init=False)
    bindings: Bindings = field(init=False)
    pending: list[Any] = field(factory=list)
    closures: ClosureCompiler = field(init=False)
    generated: BlockCompiler = field(init=False)
    blocks: dict[int, Block] = field(factory=dict)
    counts: list[int] = field(init=False)
    dynamic: list[int] = field(init=False)
    decoded: dict[int, Decoded | None] = field(factory=dict)
    pipeline: Pipeline | None = None
    watched: dict[int, Watched] = field(factory=dict)
    """What the pipeline model wants of the instructions met so far, by index."""
    source_log: list[tuple[int, str]] = field(factory=list)
    trace_full: bool = False
    _index: dict[int, int] | None = None
    _keys: Sequence[int] = ()
    """What tells instructions apart, by index: the word, and its length where lengths differ."""
    _position: Any = None
    _entered: int = 0
    _stepped: int = -1
    _block: Block | None = None

    def __attrs_post_init__(self) -> None:
        self.isa = self.storage.isa
        self.bindings = Bindings(self.storage, self.timing)
        self.closures = ClosureCompiler(self.bindings, self.pending)
        self.generated = BlockCompiler(self.bindings, self.storage.context.tracked, self.strict)
        self.generated.namespace |= {"pending": self.pending, "settle": self.settle}
        size = len(self.program)
        self.counts = [0] * size
        self.dynamic = [0] * size
        if self.bindings.pipeline is not None:
            self.pipeline = Pipeline(self.bindings.pipeline, self.dynamic)
        self._keys = self.program.words
        if self.program.lengths is not None:
            self._index = {address: i for i, address in enumerate(self.program.addresses)}
            self._keys = [w << 8 | n for w, n in zip(self.program.words, self.program.lengths, strict=True)]

    # -- program ------------------------------------------------------------------------------------------------------

    def index_of(self, pc: int) -> int:
        """Return the index of the instruction at `pc`, or -1."""
        if self._index is not None:
            return self._index.get(pc, -1)
        if not len(self.program):
            return -1
        step = self.program.unit // self.program.pc_unit
        index, rest = divmod(pc - self.program.addresses[0], step)
        return index if rest == 0 and 0 <= index < len(self.program) else -1

    def decode(self, index: int) -> Decoded | None:
        """Return the decoded instruction at `index`, None when it is illegal; equal words are decoded once."""
        word, key = self.program.words[index], self._keys[index]
        if key in self.decoded:
            return self.decoded[key]
        bits = 8 * self.program.length_of(index)
        result = self.isa.decode(word, strict=self.strict, available=bits)
        if result is not None and result.definition.encoding.width != bits:
            result = None
        self.decoded[key] = result
        return result

    def _step(self, index: int) -> Step:
        pc = self.program.addresses[index]
        decoded = self.decode(index)
        if decoded is None:
            return Step(self._illegal(index), 0, True, 0, clocked=False)
        next_pc = pc + self.program.length_of(index) // self.program.pc_unit
        watched = None
        if self.pipeline is not None:
            watched = self.watched.get(index)
            if watched is None:
                placed = Placed(decoded, self.program.words[index], pc, next_pc)
                watched = self.watched[index] = self.bindings.watch(placed)
        return self.closures.step(self._keys[index], decoded, pc, next_pc, watched)

    def _illegal(self, index: int) -> Callable[[], Any]:
        word, length = self.program.words[index], self.program.length_of(index)
        text = f"{word:#0{2 + 2 * length}x} is not an instruction of {self.isa.name}"
        if self.strict and self.isa.decode(word, strict=False, available=8 * length) is not None:
            text = f"{word:#0{2 + 2 * length}x} is a reserved encoding"

        def stop() -> None:
            raise Trap("illegal_instruction", text, None, {"word": word} if self.isa.memory else None)

        return stop

    def block_at(self, pc: int) -> Block | None:
        """Return the block that starts at `pc`, or None outside the program."""
        block = self.blocks.get(pc)
        if block is not None:
            return block
        first = self.index_of(pc)
        if first < 0:
            return None
        steps: list[Step] = []
        keys, known_steps = self._keys, self.closures.shared
        for index in range(first, min(len(keys), first + MAX_BLOCK)):
            step = known_steps.get(keys[index]) or self._step(index)
            if steps and step.timed and self.pipeline is not None:  # priced before it is executed: a block of its own
                break
            steps.append(step)
            if step.jumps or step.clocked:  # a clocked step may set a limit: what follows must look at it
                break
        end = first + len(steps) - 1
        static = [s.cycles for s in steps if s.cycles is not None]
        block = Block(
            first,
            len(steps),
            pc,
            steps,
            [s.run for s in steps[:-1]],
            steps[-1].run,
            sum(static),
            sum(s.bound for s in steps),
            len(static) == len(steps) and not any(s.delays or s.timed for s in steps),
            steps[-1].jumps,
            self.program.addresses[end] + self.program.length_of(end) // self.program.pc_unit,
        )
        if self.pipeline is not None:
            known = [self.watched[i] for i in range(first, first + len(steps)) if i in self.watched]  # not illegal ones
            block.bound, block.number = self.pipeline.bound(known), self.pipeline.block(first, known)
            block.asking = tuple(step for step, w in zip(steps, known, strict=False) if w.exprs)
        self.blocks[pc] = block
        return block

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
                    elif block.final_jumps:
                        times = min(room, most) // size or 1
                        if times > 1 and cycle_limit != _ENDLESS:
                            times = max(1, min(times, (cycle_limit - context.cycles) // max(1, block.bound)))
                        result = compiled.run(start, times)
                        done = context.iterations
                        spent += patience if done >= times > 1 else done * size >> 6
                        context.instret = start + done * size
                        if not compiled.timed:
                            context.cycles += done * block.cycles
                        block.count += done
                    else:
                        result = compiled.run(start, 1)
                        context.instret = start + size
                        if not compiled.timed:
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
        self._position = steps = iter(block.head)
        for run in steps:
            run()
        self._position = None
        context.instret += block.size - 1
        target = block.last()
        context.instret += 1
        if self.pipeline is None:
            context.cycles += block.cycles
        else:
            key = (block.number, *[step.seen[0] for step in block.asking])
            context.cycles += self.pipeline.price(key, context.cycles)
        block.count += 1
        block.heat += 1
        return block.next_pc if target is None else int(target)

    def _slow(self, block: Block, cycle_limit: int) -> int | Outcome:
        """Execute a block with every limit checked before every instruction; return the next pc, or how it ended."""
        context, trace = self.storage.context, self.trace
        addresses = self.program.addresses
        for offset, step in enumerate(block.steps):
            index = self._stepped = block.first + offset
            pc = addresses[index]
            if context.instret >= context.deadline:
                return self._deadline(pc)
            if context.cycles > cycle_limit:
                return self._limit("cycles", pc, f"{cycle_limit:,} cycles")
            before = context.cycles
            try:
                if self.pending:
                    decoded = self.decode(index)
                    self.settle(before, registers_used(decoded) if self.strict and decoded else ())
                target = step.run() if self.pipeline is None else self._timed(self.pipeline, index, step)
            except Trap as trap:
                return self._stop(index, trap)
            if step.cycles is not None:
                context.cycles += step.cycles
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
        return block.next_pc

    def _timed(self, pipeline: Pipeline, index: int, step: Step) -> int | None:
        """Execute one instruction and let the pipeline model move the clock; return the next pc if it may jump."""
        context, watched = self.storage.context, self.watched.get(index)
        target: int | None
        if watched is None:  # it is illegal
            target = step.run()
            return target
        now = context.cycles
        if not step.timed:
            target = step.run()
            context.cycles = now + pipeline.step(index, watched, step.seen[0], now)
            return target
        cycles = pipeline.step(index, watched, None, now)
        context.shown = pipeline.model.clock()
        target = step.run()
        context.cycles = now + cycles
        return target

    def _may_compile(self, block: Block) -> bool:
        if self.pipeline is not None and (block.steps[0].timed or self.bindings.has_delays):
            block.heat = -_ENDLESS  # the clock must be right within the block: it is executed step by step
            return False
        legal = all(self.decode(i) is not None for i in range(block.first, block.first + block.size))
        if not legal:
            block.heat = -_ENDLESS
        return legal

    def _compile(self, block: Block) -> None:
        items = []
        for index in range(block.first, block.first + block.size):
            decoded = self.decode(index)
            assert decoded is not None
            pc = self.program.addresses[index]
            items.append((decoded, pc, pc + self.program.length_of(index) // self.program.pc_unit))
        statics = [step.cycles for step in block.steps]
        timing = None
        if self.pipeline is not None:
            watched = [self.watched[i] for i in range(block.first, block.first + block.size)]
            timing = Timing(self.pipeline.price, block.number, watched)
        try:
            block.compiled = self.generated.compile(items, statics, self.dynamic, block.first, timing)
        except (SyntaxError, RecursionError, MemoryError):  # nested more deeply than Python's parser goes
            block.heat = -_ENDLESS
            return
        self.source_log.append((block.pc, block.compiled.source))

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

    def drain(self) -> None:
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
        return Outcome(HALTED, self.program.addresses[block.first + block.size - 1], None, None)

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
        context = self.storage.context
        compiled = block.compiled
        done = 0
        if compiled is None:
            offset = self._offset_of_closure(block)
        else:
            offset = self._offset_of_line(compiled, trap)
            done = context.iterations if block.final_jumps else 0
            block.count += done
        context.instret = self._entered + done * block.size + offset
        if compiled is not None and compiled.timed:
            context.cycles += compiled.unsynced[offset]
        else:
            context.cycles += done * block.cycles + sum(s.cycles or 0 for s in block.steps[:offset])
        for index in range(block.first, block.first + offset):
            self.counts[index] += 1
        if self.pipeline is not None:  # values of instructions in front of the trap are still where they were kept
            seen = _trace_in(compiled, trap).tb_frame.f_locals if compiled is not None else {}
            for position, step in enumerate(block.steps[:offset]):
                index, now = block.first + position, context.cycles
                value = step.seen[0] if compiled is None else seen.get(f"{SEEN}{position}")
                context.cycles = now + self.pipeline.step(index, self.watched[index], value, now)
        return self._stop(block.first + offset, trap)

    def _offset_of_closure(self, block: Block) -> int:
        if self._position is None:
            return block.size - 1
        return block.size - 2 - int(self._position.__length_hint__())

    def _offset_of_line(self, compiled: CompiledBlock, trap: Trap) -> int:
        return compiled.offsets[_trace_in(compiled, trap).tb_lineno - 1]

    def _locate(self) -> int:
        """Return the index of the instruction that is executing (rare: used to place reports)."""
        if self._stepped >= 0:
            return self._stepped
        block = self._block
        assert block is not None
        if block.compiled is None:
            return block.first + self._offset_of_closure(block)
        frame = sys._getframe()
        while frame.f_code is not block.compiled.code:
            assert frame.f_back is not None
            frame = frame.f_back
        return block.first + block.compiled.offsets[frame.f_lineno - 1]

    def _stop(self, index: int, trap: Trap) -> Outcome:
        pc = self.program.addresses[index]
        decoded = self.decode(index)
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
                for index in range(block.first, block.first + block.size):
                    counts[index] += block.count
        for index, count in enumerate(counts):
            if self.pipeline is None and count and (price := self._step(index).cycles) is not None:
                cycles[index] = count * price
        return counts, cycles
