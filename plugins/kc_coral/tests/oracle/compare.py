"""The target and Spike on the same programs: what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import attrs
import numpy as np
from attrs import define
from coral_oracle import spike
from coral_oracle.differences import CAUSES, PARTIAL, replaced
from coral_oracle.image import DTCM, EXTERNAL, PAGE, Case, Outcome
from coral_oracle.programs import OraclePrograms

from kernelcraft_core.facade import Target, target
from kernelcraft_core.isa import Decoded
from kernelcraft_core.riscv import cause_of
from kernelcraft_core.sim import Limits, RunResult

LIMIT = 50_000
"""Instructions; no program comes near it."""
ILLEGAL = 2
NOTHING = 0x13
"""The word of a no-operation."""
MOST_REPLACED = 50
MOST_WRITTEN = 8
"""Registers that one load writes."""


@define
class Tally:
    """What a comparison found.

    Attributes:
        programs: that were to be compared. agreed: those on which both did the same. endings: how they ended, with their numbers.
        listed: instructions that were replaced, and ends after which something was not compared, by listed difference.
        touched: programs that have one of these. instructions: executed by the target. found: what differs, one line each.
    """

    programs: int = 0
    agreed: int = 0
    endings: Counter[str] = attrs.field(factory=Counter)
    listed: Counter[str] = attrs.field(factory=Counter)
    touched: int = 0
    instructions: int = 0
    found: list[str] = attrs.field(factory=list)

    def add(self, other: Tally) -> None:
        """Add what another comparison found."""
        self.programs += other.programs
        self.agreed += other.agreed
        self.endings += other.endings
        self.listed += other.listed
        self.touched += other.touched
        self.instructions += other.instructions
        self.found += other.found


@cache
def setting() -> tuple[Target, OraclePrograms]:
    """Return the target and the maker of programs; once per process."""
    coral = target("coral")
    return coral, OraclePrograms(coral.isa)


def prepare(seed: int) -> tuple[Case, RunResult, list[str]]:
    """Return a program both sides can run, what the target makes of it, and the listed differences that it meets."""
    coral, source = setting()
    case = Case(seed, *source.make(seed))
    names: list[str] = []
    for _ in range(MOST_REPLACED):
        result = coral.simulate(case.program, case.state, Limits(instructions=LIMIT))
        trap, stopped = result.trap, _stopped(case, result)
        if trap is None or stopped is None:
            return case, result, names
        name = replaced(trap.message, stopped.definition.name)
        if name is None:
            return case, result, names + [PARTIAL] * (_open(case, result) is not None)
        names.append(name)
        words = list(case.program.words)
        words[trap.pc // 4] = NOTHING
        case = attrs.evolve(case, program=attrs.evolve(case.program, words=words))
    raise AssertionError(f"seed {seed}: more than {MOST_REPLACED} instructions to replace: {names}")


def compare(executable: str, seeds: Sequence[int]) -> Tally:
    """Return what differs between the target and Spike on the programs of some seeds, in one batch."""
    prepared = [prepare(seed) for seed in seeds]
    tally = Tally(len(prepared))
    outcomes = spike.run(executable, [case for case, _, _ in prepared])
    for (case, result, names), outcome in zip(prepared, outcomes, strict=True):
        tally.listed.update(names)
        tally.touched += bool(names)
        tally.instructions += result.instret
        found = differences(case, result, outcome)
        tally.agreed += not found
        if found:
            tally.found.append(f"seed {case.seed}: {'; '.join(found)}")
        tally.endings[result.status if result.trap is None else f"{result.status} {result.trap.kind}"] += 1
    return tally


# ------------------------------------------------------------------------------------------------------- one program


def differences(case: Case, result: RunResult, outcome: Outcome) -> list[str]:
    """Return what differs between a run and what Spike made of the program: the end, registers, CSRs, memory."""
    ours, theirs = _end(case, result), _their_end(outcome)
    if ours != theirs:
        return [f"ends with {ours}, on Spike with {theirs}"]
    state = result.state
    found = [
        f"x{n} is {a:#x}, on Spike {b:#x}"
        for n, (a, b) in enumerate(zip(map(int, state["x"]), outcome.x, strict=True))
        if a != b
    ]
    left_open = _open(case, result)
    ours_v, theirs_v = np.asarray(state["v"]), np.frombuffer(outcome.v, np.uint8).reshape(32, 16)
    for n in np.flatnonzero((ours_v != theirs_v).any(axis=1)):
        if left_open is None or n not in left_open:
            found.append(f"v{n} is {ours_v[n].tobytes().hex()}, on Spike {theirs_v[n].tobytes().hex()}")
    for name in ("vl", "vtype", "vxrm", "vxsat"):
        if state[name] != outcome.words[name]:
            found.append(f"{name} is {state[name]:#x}, on Spike {outcome.words[name]:#x}")
    return found if left_open == range(0) else found + _memory(case, result, outcome)


def _stopped(case: Case, result: RunResult) -> Decoded | None:
    """Return the instruction at which the target stopped; None if it halted or left the program."""
    at = len(case.program.words) if result.trap is None else result.trap.pc // 4
    return setting()[0].isa.decode(case.program.words[at]) if at < len(case.program.words) else None


def _open(case: Case, result: RunResult) -> range | None:
    """Return the registers that a vector load at fault may have written (none: it is a store), or None: all is compared."""
    stopped = _stopped(case, result)
    form = None if stopped is None else setting()[1].forms.get(stopped.definition.name)
    if stopped is None or form is None or result.trap is None or result.trap.kind != "out_of_bounds":
        return None
    first = stopped.operands.get("vd")
    return range(0) if first is None else range(first, first + MOST_WRITTEN)


def _end(case: Case, result: RunResult) -> tuple[Any, ...]:
    """Return how a run ended: (`halted`, pc) or (cause, pc)."""
    if result.trap is None:
        return (result.status, len(case.program.words) * 4 - 4)
    if result.trap.kind == "illegal_operands":
        return (ILLEGAL, result.trap.pc)
    cause = cause_of(result.trap.kind, result.trap.detail)
    return (None if cause is None else cause[0], result.trap.pc)


def _their_end(outcome: Outcome) -> tuple[Any, ...]:
    cause, pc = outcome.words["mcause"], outcome.words["mepc"]
    if cause == ILLEGAL and outcome.words["mtval"] == setting()[0].isa["mpause"].encode({}):
        return ("halted", pc)
    return (CAUSES.get(cause, cause), pc)


def _memory(case: Case, result: RunResult, outcome: Outcome) -> list[str]:
    """Return the pages that differ, of all that one of the two wrote or that were preset."""
    preset, found = case.memories, []
    touched = set(outcome.pages)
    for name in ("dtcm", "external"):
        touched |= {address for address, _ in result.state[name].memory.dirty_ranges()}
    for address in sorted(touched):
        name = "external" if address >= EXTERNAL else "dtcm" if address >= DTCM else "itcm"
        ours = result.state[name].at(address, PAGE).tobytes()
        theirs = outcome.pages.get(address) or preset.get(address) or bytes(PAGE)
        if ours != theirs:
            first = next(n for n in range(PAGE) if ours[n] != theirs[n])
            found.append(f"memory at {address + first:#x} is {ours[first]:#x}, on Spike {theirs[first]:#x}")
    return found
