"""Reads a program for one run: instructions from words, blocks from addresses; what the plan knows is not worked out again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from attrs import define, evolve, field

from kernelcraft_core.isa import Decoded, Isa, Program
from kernelcraft_core.sim.bind import Bindings
from kernelcraft_core.sim.closures import ClosureCompiler, Step
from kernelcraft_core.sim.codegen import BlockCompiler, CompiledBlock
from kernelcraft_core.sim.pipeline import Pipeline, Placed
from kernelcraft_core.sim.plan import Facts, Plan, Shape, Template
from kernelcraft_core.sim.result import Trap

MAX_BLOCK = 256
REPEATS = 4
"""How often an instruction stands in a program, or in a loop, that makes it a function of its own there."""


@define(eq=False)
class Reader:
    """Gives the instructions and blocks of a program, and what executes them in this run."""

    program: Program
    plan: Plan
    bindings: Bindings
    closures: ClosureCompiler
    generated: BlockCompiler
    pipeline: Pipeline | None
    strict: bool
    isa: Isa = field(init=False)
    keys: Sequence[int] = field(init=False)
    """What tells instructions apart, by index: the word, and its length where lengths differ."""
    _ids: Sequence[int] = field(init=False)  # what facts are filed under, by index
    _known: dict[Hashable, Facts] = field(init=False)
    _index: dict[int, int] | None = None

    def __attrs_post_init__(self) -> None:
        program = self.program
        self.isa = self.bindings.isa
        self.keys = program.words
        if program.lengths is not None:
            self._index = {address: i for i, address in enumerate(program.addresses)}
            self.keys = [w << 8 | n for w, n in zip(program.words, program.lengths, strict=True)]
        piped = self.pipeline is not None
        self._ids = range(len(program)) if piped else self.keys
        self._known = self.plan.facts if piped else self.plan.code.facts

    def index_of(self, pc: int) -> int:
        """Return the index of the instruction at `pc`, or -1."""
        if self._index is not None:
            return self._index.get(pc, -1)
        if not len(self.program):
            return -1
        step = self.program.unit // self.program.pc_unit
        index, rest = divmod(pc - self.program.addresses[0], step)
        return index if rest == 0 and 0 <= index < len(self.program) else -1

    def place(self, index: int) -> tuple[int, int]:
        """Return the address of an instruction, and of the one behind it."""
        pc = self.program.addresses[index]
        return pc, pc + self.program.length_of(index) // self.program.pc_unit

    def decode(self, index: int) -> Decoded | None:
        """Return the decoded instruction at `index`, None when it is illegal; equal words are decoded once."""
        word, key, known = self.program.words[index], self.keys[index], self.plan.code.decoded
        if key in known:
            return known[key]
        bits = 8 * self.program.length_of(index)
        result = self.isa.decode(word, strict=self.strict, available=bits)
        if result is not None and result.definition.encoding.width != bits:
            result = None
        known[key] = result
        return result

    def facts(self, index: int) -> Facts:
        """Return what is known of the instruction at `index`."""
        found = self._known.get(self._ids[index])
        if found is None:
            found = self._known[self._ids[index]] = self._facts(index)
        return found

    def _facts(self, index: int) -> Facts:
        if self.pipeline is None:
            return self._unwatched(index)
        key, code = self.keys[index], self.plan.code
        at = (key, self.program.addresses[index])
        facts = code.facts.get(at)
        if facts is None:
            facts = self._unwatched(index)
            if facts.decoded is not None:
                watch, exprs = self.bindings.watch(Placed(facts.decoded, self.program.words[index], *self.place(index)))
                facts = code.watched.setdefault((key, watch), evolve(facts, watch=watch, exprs=exprs))
            code.facts[at] = facts
        return facts

    def _unwatched(self, index: int) -> Facts:
        decoded = self.decode(index)
        if decoded is None:
            return Facts(None, 0, 0, True)
        cycles = self.closures.price(decoded)
        bound = self.bindings.price(decoded.definition).bound if cycles is None else cycles
        return Facts(decoded, cycles, bound, *self.bindings.traits(decoded.definition))

    def shape_at(self, pc: int) -> Shape | None:
        """Return the block that starts at `pc`, or None outside the program."""
        shape = self.plan.shapes.get(pc)
        if shape is None:
            first = self.index_of(pc)
            if first < 0:
                return None
            shape = self.plan.shapes[pc] = self._shape(first)
        if self.pipeline is not None:
            self.pipeline.block(shape.number, shape.first, shape.facts)
        return shape

    def _shape(self, first: int) -> Shape:
        facts: list[Facts] = []
        known, ids = self._known, self._ids
        for index in range(first, min(len(ids), first + MAX_BLOCK)):
            fact = known.get(ids[index]) or self.facts(index)
            if facts and fact.timed and self.pipeline is not None:  # priced before it is executed: a block of its own
                break
            facts.append(fact)
            if fact.jumps or fact.clocked:  # a clocked step may set a limit: what follows must look at it
                break
        bound, number = sum([f.bound for f in facts]), -1
        if self.pipeline is not None:
            del facts[self._loop(first, facts) :]
        pc, end = self.program.addresses[first], first + len(facts)
        if self.pipeline is not None:
            bound = self.pipeline.bound(facts)
            number = self.pipeline.memo.number((pc, *self.keys[first:end]))
        return Shape(first, len(facts), pc, self.place(end - 1)[1], facts, bound, number)

    def _loop(self, first: int, facts: Sequence[Facts]) -> int:
        """Return how many instructions stand in front of a loop at the end of a block, all of them without one.

        The loop is then a block of its own, so that it is compiled once, not once more behind what leads to it.
        """
        last = first + len(facts) - 1
        decoded = facts[-1].decoded
        target = self.closures.target(decoded, *self.place(last)) if decoded is not None and facts[-1].jumps else None
        start = -1 if target is None else self.index_of(target)
        return start - first if first < start <= last else len(facts)

    def step(self, index: int) -> Step:
        """Return the closure of the instruction at `index`, and what it leaves behind."""
        facts = self.facts(index)
        if facts.decoded is None:
            return Step(self._illegal(index))
        return self.closures.step(self.keys[index], facts, *self.place(index), self.bindings.watched(facts))

    def steps(self, shape: Shape) -> list[Step]:
        """Return the closures of a block."""
        keys, known = self.keys, self.closures.shared
        return [known.get(keys[i]) or self.step(i) for i in range(shape.first, shape.first + shape.size)]

    def compile(self, shape: Shape) -> CompiledBlock:
        """Return a block as a function of this run.

        Raises:
            SyntaxError, RecursionError, MemoryError: it is nested more deeply than Python's parser goes.
        """
        known = self.plan.code.templates
        if shape.template is None:
            shape.template = known.get(shape.number) or self._template(shape)
            if (
                self.pipeline is not None
            ):  # what is not known at compile time is then not in the code: others may have it
                known[shape.number] = shape.template
        return self.generated.bind(shape.template)

    def _template(self, shape: Shape) -> Template:
        end, piped = shape.first + shape.size, self.pipeline is not None
        keys, places = self.keys[shape.first : end], [self.place(index) for index in range(shape.first, end)]
        often: set[int] = set()
        if piped:  # a block is compiled before it is known to run often
            last = shape.facts[-1].decoded
            alone = last is not None and self.closures.target(last, *places[-1]) == shape.pc  # a loop
            often = {key for key, times in Counter(keys if alone else self.keys).items() if times >= REPEATS}
        return self.generated.compile(shape, keys, places, often, piped)

    def _illegal(self, index: int) -> Callable[[], Any]:
        word, length = self.program.words[index], self.program.length_of(index)
        text = f"{word:#0{2 + 2 * length}x} is not an instruction of {self.isa.name}"
        if self.strict and self.isa.decode(word, strict=False, available=8 * length) is not None:
            text = f"{word:#0{2 + 2 * length}x} is a reserved encoding"

        def stop() -> None:
            raise Trap("illegal_instruction", text, None, {"word": word} if self.isa.memory else None)

        return stop
