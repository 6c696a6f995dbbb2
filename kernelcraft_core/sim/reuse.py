"""What one run leaves to the next in a process: plans of programs, and how a pipeline model timed blocks.

All of it follows from ISA, machine and program, so a run with it gives what a run without it gives, only sooner. What is known of
instructions is shared by all programs on a machine, cycles of blocks as well. A run takes the cycles out while it lasts and
puts them back when it ended well; one that overlaps with it starts from nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from functools import cached_property
from typing import Any

from attrs import define, field

from kernelcraft_core.isa import Isa, Program
from kernelcraft_core.isa.ir import Expr
from kernelcraft_core.sim.machine import Machine
from kernelcraft_core.sim.pipeline import Memo
from kernelcraft_core.sim.plan import Code, Plan, Traits

MACHINES, PROGRAMS = 8, 16
"""How many are kept, the last used ones."""
LONGEST = 1 << 13
"""Instructions of the longest program that is kept; what is longer runs longer, too."""
FACTS = 1 << 15
"""Instructions known on a machine; beyond, all are forgotten and learnt again."""


@define(eq=False)
class Learnt:
    """What is known on one machine.

    Attributes:
        traits: of definitions, by name.
        values: checked expressions of a pipeline model, by definition and text.
    """

    isa: Isa
    machine: Machine
    traits: dict[str, Traits] = field(factory=dict)
    values: dict[tuple[str, str], Expr] = field(factory=dict)
    _codes: dict[Hashable, Code] = field(factory=dict)
    _plans: OrderedDict[Hashable, tuple[Program, Plan]] = field(factory=OrderedDict)
    _memos: list[Memo] = field(factory=list)

    @cached_property
    def has_delays(self) -> bool:
        """Whether the ISA has instructions whose results become visible later."""
        return any(definition.record.delay for definition in self.isa)

    def plan(self, program: Program, *options: Hashable) -> Plan:
        """Return the plan of a program under options that its code depends on."""
        if len(program) > LONGEST:
            return Plan()
        code = self._codes.get(options)
        if code is None or len(code.facts) > FACTS:
            code = self._codes[options] = Code()
        key = (id(program), *options)
        entry = self._plans.get(key) or (program, Plan(code))
        _keep(self._plans, key, entry, PROGRAMS)  # with the program, so that no other gets its id
        return entry[1]

    def take(self) -> Memo:
        """Return the memory of outcomes for one run alone."""
        try:
            return self._memos.pop()
        except IndexError:
            return Memo()

    def give(self, memo: Memo) -> None:
        """Keep the memory of a run that has ended."""
        self._memos[:] = [memo]


_learnt: OrderedDict[Hashable, Learnt] = OrderedDict()


def learnt(isa: Isa, machine: Machine) -> Learnt:
    """Return what the process knows of an ISA on a machine."""
    key = (id(isa), id(machine))
    found = _learnt.get(key) or Learnt(isa, machine)
    _keep(_learnt, key, found, MACHINES)
    return found


def forget() -> None:
    """Forget everything, so that the next run is as the first of a process in which all modules are loaded."""
    from kernelcraft_core.sim import codegen

    codegen.forget()
    _learnt.clear()


def _keep(kept: OrderedDict[Hashable, Any], key: Hashable, value: Any, most: int) -> None:
    kept[key] = value
    try:
        kept.move_to_end(key)
        while len(kept) > most:
            kept.popitem(last=False)
    except KeyError:  # another thread was quicker
        return
