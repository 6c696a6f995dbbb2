"""Timing of machines whose instructions overlap: what an instruction costs depends on everything before it.

A `PipelineModel` is fed with instructions in program order and says by how much each one moves the clock. It needs no more than
that to be exact; if it can also put what it remembers into a value (`snapshot`), relative to now, whole blocks are remembered: a
block that is met in a known state with known values takes the time it took before, and leaves the state it left before. A loop
in steady state then costs one look-up per pass.

Source of the idea: Schnarr and Larus, "Fast Out-Of-Order Processor Simulation Using Memoization", ASPLOS 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from attrs import define, field, frozen

from kernelcraft_core.isa import Decoded

if TYPE_CHECKING:
    from kernelcraft_core.sim.plan import Facts

TAKEN = "taken"
"""As a value of a `Watch`: 1 if a jump of the instruction is carried out, else 0."""
CAPACITY = 1 << 13
"""Remembered outcomes; beyond, all are forgotten and learnt again."""


@frozen(eq=False)
class Placed:
    """An instruction at its place in the program."""

    decoded: Decoded
    word: int
    pc: int
    next_pc: int


@frozen(eq=False)
class Watch:
    """What a model wants of one instruction of the program; made once, used at each execution of every run on the machine.

    It may hold nothing that belongs to one run.

    Attributes:
        item: what `step` is handed: the model's own record of the instruction.
        bound: the instruction keeps the machine busy for no more cycles than this.
        values: expressions of the semantics language, over the state before the instruction and the values it names; or
            `taken`. They must be few, and take few different values where that is possible: they identify an outcome.
        states: names of state that `digest` is handed before the values, alive: it must not keep or change it.
        digest: makes the one value that `step` is handed of states and values. Without it, that is the value itself, or
            a tuple if there are several.
        live: `digest` is handed the model of the run in front of all that. It is called once per execution, in order, so it
            may keep in the model what it needs for the next one; what `step` remembers is none of its business.
    """

    item: Any
    bound: int
    values: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    digest: Callable[..., Hashable] | None = None
    live: bool = False


@runtime_checkable
class PipelineModel(Protocol):
    """Times the instructions of one run in program order.

    Attributes:
        backlog: when an instruction begins, no more cycles of work than this are in flight. The clock moves by at most the
            backlog and the bounds of the instructions, over any stretch of the program.
    """

    backlog: int

    def watch(self, placed: Placed) -> Watch:
        """Return how an instruction is timed; called once for each place in the program, not in every run."""
        ...

    def step(self, item: Any, value: Any) -> int:
        """Return by how many cycles the clock moves because of the next instruction, and take in its effects.

        `item` and `value` are what its `Watch` says; `value` is None where it asks for nothing.
        """
        ...

    def clock(self) -> int:
        """Return what the instruction stepped last reads as the cycle counter.

        An instruction that can read it is stepped before it is executed, so its `Watch` may not ask for values.
        """
        ...

    def snapshot(self) -> Hashable | None:
        """Return all that the future depends on, relative to the clock, or None: nothing is to be remembered."""
        ...

    def restore(self, snapshot: Any, now: int) -> None:
        """Go back to a snapshot, the clock being at `now`."""
        ...


@frozen(eq=False)
class Watched:
    """A watch in one run: its expressions are checked, and what its digest is handed is bound."""

    watch: Watch
    exprs: tuple[Any, ...]
    digest: Callable[..., Hashable] | None

    def value(self, seen: Sequence[Any]) -> Any:
        """Return the one value of an execution that saw `seen`."""
        if self.digest is not None:
            return self.digest(*seen)
        return seen[0] if len(seen) == 1 else tuple(seen)


class _State(dict[tuple[Any, ...], "_Outcome"]):
    """A state of the machine, and the outcomes of blocks met in it: (number of the block, values ...) -> outcome."""

    __slots__ = ("snapshot",)

    def __init__(self, snapshot: Hashable | None) -> None:
        super().__init__()
        self.snapshot = snapshot


@define(eq=False)
class _Outcome:
    """What a block did: how far it moved the clock, by instruction; the state behind it; how often this run looked it up."""

    number: int
    cycles: int
    shares: tuple[int, ...]
    state: _State
    times: int = 0


_UNKNOWN = _State(None)
"""The state of a model that was stepped, as long as nobody needs its name; no outcome is kept in it."""
_numbers = count()


@define(eq=False)
class Memo:
    """Outcomes of blocks on one machine: true for every run of every program there.

    Attributes:
        numbers: what a block is (the words of its instructions and where they stand) -> its number.
        states: snapshot -> state.
        outcomes: all of them.
    """

    numbers: dict[Hashable, int] = field(factory=dict)
    states: dict[Hashable, _State] = field(factory=dict)
    outcomes: list[_Outcome] = field(factory=list)

    def number(self, content: Hashable) -> int:
        """Return the number of a block; blocks of equal content share it."""
        if len(self.numbers) >= CAPACITY:
            self.numbers.clear()  # no number is ever given twice
        return self.numbers.setdefault(content, next(_numbers))

    def forget(self) -> None:
        """Forget all outcomes."""
        self.outcomes.clear()
        self.states.clear()


@define(eq=False)
class Pipeline:
    """Times one run, by blocks or by single instructions, with the same result.

    Attributes:
        model: the machine's.
        spent: cycles by index of the instruction; complete after `settle`.
        hits: blocks that were looked up, as of the last `settle`.
        misses: blocks that were computed.
    """

    model: PipelineModel
    spent: list[int]
    memo: Memo = field(factory=Memo)
    hits: int = 0
    misses: int = 0
    _blocks: dict[int, tuple[int, Sequence[Facts]]] = field(factory=dict)
    _state: _State = _UNKNOWN
    _live: bool = True  # whether the model is in the state `_state`

    def block(self, number: int, first: int, facts: Sequence[Facts]) -> None:
        """Take in a block: instructions `first ...` of the program, which are executed in a row."""
        self._blocks[number] = (first, facts)

    def bound(self, facts: Sequence[Facts]) -> int:
        """Return how far the clock moves at most while these instructions are executed."""
        return self.model.backlog + sum([f.watch.bound for f in facts if f.watch is not None])

    def price(self, key: tuple[Any, ...], now: int) -> int:
        """Return by how much a block moved the clock, which was at `now` when it began.

        `key` is the block's number and one value for each of its instructions that asks for any, in order.
        """
        found = self._state.get(key)
        if found is None:
            if self._state is _UNKNOWN:
                self._state = self._named()
                found = self._state.get(key)
            if found is None:
                return self._learn(key, now)
        found.times += 1
        self._state = found.state
        self._live = False
        return found.cycles

    def step(self, index: int, watch: Watch, value: Any, now: int) -> int:
        """Return by how much the instruction of this index moves the clock, which is at `now`."""
        self._revive(now)
        self._state = _UNKNOWN
        cycles = self.model.step(watch.item, value)
        self.spent[index] += cycles
        return cycles

    def settle(self) -> None:
        """Bring `spent` and `hits` up to date."""
        for outcome in self.memo.outcomes:
            if outcome.times:
                self._add(self._blocks[outcome.number][0], outcome.shares, outcome.times)
                self.hits += outcome.times
                outcome.times = 0

    def _add(self, first: int, shares: Sequence[int], times: int = 1) -> None:
        spent = self.spent
        for index, share in enumerate(shares, first):
            spent[index] += share * times

    def _revive(self, now: int) -> None:
        if not self._live:
            self.model.restore(self._state.snapshot, now)
            self._live = True

    def _named(self) -> _State:
        """Return the state the model is in."""
        snapshot = self.model.snapshot()
        if snapshot is None:
            return _UNKNOWN
        states = self.memo.states
        state = states.get(snapshot)
        if state is None:
            state = states[snapshot] = _State(snapshot)
        return state

    def _learn(self, key: tuple[Any, ...], now: int) -> int:
        """Step through a block that was not met in this state, and keep what it did."""
        self._revive(now)
        if len(self.memo.outcomes) >= CAPACITY:
            self.settle()
            self.memo.forget()
        before = self._state
        first, facts = self._blocks[key[0]]
        values, step = iter(key[1:]), self.model.step
        shares = tuple([step(f.watch.item, next(values) if f.exprs else None) for f in facts if f.watch is not None])
        self._add(first, shares)
        self.misses += 1
        self._state = self._named()
        cycles = sum(shares)
        if before is not _UNKNOWN:
            before[key] = outcome = _Outcome(key[0], cycles, shares, self._state)
            self.memo.outcomes.append(outcome)
        return cycles
