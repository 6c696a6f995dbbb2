"""What is known of a program without executing it: facts about its instructions, the shapes of its blocks, their code.

Nothing here belongs to one run. A later run of the program on the same machine takes it over (`reuse`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import count
from types import CodeType
from typing import Any, NamedTuple

from attrs import define, field, frozen

from kernelcraft_core.isa import Decoded
from kernelcraft_core.isa.ir import Expr
from kernelcraft_core.sim.pipeline import Watch


class Traits(NamedTuple):
    """What is the same for all instructions of a definition.

    Attributes:
        jumps: it may jump. clocked: it needs an up-to-date `context.instret`. delays: it puts a result in flight.
        timed: it needs an up-to-date `context.cycles` although its price is known. placed: it means something else at
            another place.
    """

    jumps: bool
    clocked: bool
    delays: bool
    timed: bool
    placed: bool


@frozen(eq=False)
class Facts:
    """What one instruction is.

    Attributes:
        decoded: it, or None when the word is illegal.
        cycles: its price when that is known at decode time, else None.
        bound: it costs no more.
        jumps, clocked, delays, timed, placed: its `Traits`.
        watch: what a pipeline model wants of it. exprs: the values that asks for, checked.
    """

    decoded: Decoded | None
    cycles: int | None
    bound: int
    jumps: bool
    clocked: bool = False
    delays: bool = False
    timed: bool = False
    placed: bool = False
    watch: Watch | None = None
    exprs: tuple[Expr, ...] = ()


@frozen(eq=False)
class Template:
    """A block as Python code that is not yet bound to a run.

    `offsets[line]` is the instruction that source line belongs to; `unsynced[i]` are the cycles that passed since the last
    time `context.cycles` was brought up to date; `needs` are the names the code uses, with what makes their values for a run.
    """

    code: CodeType
    source: str
    offsets: Sequence[int]
    unsynced: Sequence[int]
    timed: bool
    needs: Sequence[tuple[str, Callable[[Any], Any]]]


@define(eq=False)
class Shape:
    """A block: instructions `first .. first + size` of the program, of which only the last may jump.

    Attributes:
        cycles: static cycles in all. bound: cycles one execution takes at most.
        plain: all prices are static and nothing is in flight: closures can run without a look at the clock.
        legal: all of it can be decoded.
        number: what a pipeline model knows it by.
        template: its code, once it was compiled.
    """

    first: int
    size: int
    pc: int
    next_pc: int
    facts: Sequence[Facts]
    bound: int
    number: int
    cycles: int = field(init=False)
    plain: bool = field(init=False)
    legal: bool = field(init=False)
    template: Template | None = None

    def __attrs_post_init__(self) -> None:
        static = [f.cycles for f in self.facts if f.cycles is not None]
        self.cycles = sum(static)
        self.plain = len(static) == self.size and not any(f.delays or f.timed for f in self.facts)
        self.legal = all(f.decoded is not None for f in self.facts)


@define(eq=False)
class Code:
    """What is known of instructions and blocks on one machine, under one set of options that code depends on.

    Attributes:
        decoded: instructions by word (with its length where lengths differ), None for an illegal one.
        facts: by the same, with the address where a pipeline model is asked.
        watched: facts by word and what a pipeline model wants, for places that it does not tell apart.
        names: what a name in the code of any block stands for -> the name.
        functions: by name, the code of instructions that are a function of their own.
        templates: by the number that a pipeline model knows a block by.
    """

    decoded: dict[int, Decoded | None] = field(factory=dict)
    facts: dict[Hashable, Facts] = field(factory=dict)
    watched: dict[tuple[int, Watch], Facts] = field(factory=dict)
    names: dict[Hashable, str] = field(factory=dict)
    functions: dict[str, Template] = field(factory=dict)
    templates: dict[int, Template] = field(factory=dict)
    _numbers: Iterator[int] = field(factory=count)

    def name(self, thing: Hashable, wanted: str) -> str:
        """Return the name of a thing, `wanted` with a number: no other thing has it, in whatever thread it is named."""
        name = self.names.get(thing)
        if name is None:
            name = self.names.setdefault(thing, f"{wanted.replace('.', '_')}_{next(self._numbers)}")
        return name


@define(eq=False)
class Plan:
    """What is known of one program.

    Attributes:
        code: what is known of its instructions.
        facts: by index, where a pipeline model is asked.
        shapes: blocks by pc.
    """

    code: Code = field(factory=Code)
    facts: dict[Hashable, Facts] = field(factory=dict)
    shapes: dict[int, Shape] = field(factory=dict)
