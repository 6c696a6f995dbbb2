"""`Simulator`: one call that runs a program on a fresh machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define, evolve, field

from kernelcraft_core.diagnostics import Diagnostic, SimulationError, did_you_mean, printable
from kernelcraft_core.isa import Isa, Program
from kernelcraft_core.sim.engine import ENGINES, Engine
from kernelcraft_core.sim.machine import Machine
from kernelcraft_core.sim.pipeline import PipelineModel
from kernelcraft_core.sim.preset import StateView, apply_state, load_program
from kernelcraft_core.sim.result import Limits, LineProfile, Profile, RunResult, UndefinedRead
from kernelcraft_core.sim.reuse import learnt
from kernelcraft_core.sim.state import Context, Storage
from kernelcraft_core.sim.timing import SequentialTiming, TimingModel

FILLS = ("zero", "pattern")
TIMINGS = ("default", "none")


@define(eq=False)
class Simulator:
    """The table-driven simulator: everything it does comes from the ISA and the machine."""

    isa: Isa
    machine: Machine
    engine: str = field(default="auto")

    def run(
        self,
        program: Program,
        state: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        *,
        engine: str | None = None,
        fill: str = "zero",
        seed: int = 0,
        strict: bool = False,
        trace: bool = False,
        timing: str = "default",
    ) -> RunResult:
        """Return the outcome of running `program` on a fresh machine.

        Args:
            program: what to run; it must have been assembled for this ISA.
            state: presets by name (see `apply_state`).
            limits: instructions, cycles, wall time.
            engine: `auto`, `closures` or `generated`.
            fill: `zero`, or `pattern`: memory nothing defines holds noise that depends on `seed`, and reads of it are
                reported.
            seed: of the noise.
            strict: reserved encodings and reads of results in flight trap.
            trace: record (start cycle, duration, pc) of up to a million instructions.
            timing: `default`, or `none` for functional runs (all costs are 0, unless the ISA exposes delays).

        Raises:
            SimulationError: KC0402 the program is for another ISA, KC0403 an option is unknown, KC0404 a limit is not usable.
            MachineError: KC051x a preset is wrong.
        """
        engine = engine or self.engine
        _choice("engine", engine, ENGINES)
        _choice("timing", timing, TIMINGS)
        limits = limits if limits is not None else Limits()
        program, storage = prepare(self.isa, self.machine, program, state, limits, fill=fill, seed=seed, strict=strict)
        context = storage.context
        model: TimingModel | PipelineModel | None = None
        known = learnt(self.isa, self.machine)
        # Where results become visible cycles later, what a program computes depends on time: it goes on, unreported.
        if timing != "none" or known.has_delays:
            model = self.machine.timing(self.isa, self.machine) if self.machine.timing else SequentialTiming()
        loop = Engine(program, storage, model, limits, engine, strict, [] if trace else None, known)
        with np.errstate(all="ignore"):
            outcome = loop.run()
            loop.close()
        clock = self.machine.clock_ns
        reads = tuple(
            UndefinedRead(memory, address, program.addresses[index], program.lines[index] or None)
            for memory, address, index in context.undefined
        )
        return RunResult(
            outcome.status,
            context.cycles,
            context.instret,
            None if clock is None or timing == "none" else context.cycles * clock,
            outcome.trap,
            outcome.limit,
            lambda: _profile(loop),
            StateView(storage, outcome.pc),
            reads,
            context.undefined_count,
            loop.trace,
            lambda: "\n".join(f"# block at pc {pc}\n{text}" for pc, text in loop.source_log),
        )


def prepare(
    isa: Isa,
    machine: Machine,
    program: Program,
    state: Mapping[str, Any] | None,
    limits: Limits,
    *,
    fill: str = "zero",
    seed: int = 0,
    strict: bool = False,
) -> tuple[Program, Storage]:
    """Return the program with its entry, and the storage it starts on; what is asked for is checked.

    Simulators of other back ends start from it as well, so that a program finds the same memory on all of them.

    Args:
        isa: of the machine.
        machine: what the program is to run on.
        program: it must have been assembled for this ISA.
        state: presets by name, a preset `pc` included (see `apply_state`).
        limits: of the run; only checked.
        fill: `zero` or `pattern`.
        seed: of the pattern.
        strict: as in `Simulator.run`.

    Raises:
        SimulationError: KC0402 the program is for another ISA, KC0403 an option is unknown, KC0404 a limit is not usable.
        MachineError: KC051x a preset is wrong.
    """
    _choice("fill", fill, FILLS)
    _check_limits(limits)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 128:
        raise SimulationError(Diagnostic("KC0403", "seed is not a whole number in 0..2**128-1"))
    if not isinstance(program, Program):
        message = f"a program is needed, not {type(program).__name__}"
        raise SimulationError(Diagnostic("KC0402", message, hint="assemble the text first"))
    if program.digest != isa.digest:
        ours, theirs = f"{isa.name} {isa.digest[:12]}", f"{program.isa_name} {program.digest[:12]}"
        message = f"the program was assembled for {theirs}, this is {ours}"
        raise SimulationError(
            Diagnostic("KC0402", message, hint="assemble it again for this target and its extensions")
        )
    storage = Storage(isa, Context(isa, machine, strict, fill == "pattern", seed))
    load_program(storage, program)
    entry = apply_state(storage, state or {})
    return program if entry is None else evolve(program, entry=entry), storage


def _profile(loop: Engine) -> Profile:
    counts, cycles = loop.totals()
    lines: list[LineProfile] = []
    unit: dict[str, int] = {}
    category: dict[str, int] = {}
    mnemonic: dict[str, int] = {}
    executed: dict[str, int] = {}
    for index, count in enumerate(counts):
        if not count:
            continue
        decoded = loop.reader.decode(index)
        if decoded is None:
            continue
        record, name, spent = decoded.definition.record, decoded.definition.mnemonic, cycles[index]
        lines.append(LineProfile(loop.program.lines[index], loop.program.addresses[index], name, count, spent))
        unit[record.unit] = unit.get(record.unit, 0) + spent
        category[record.category] = category.get(record.category, 0) + spent
        mnemonic[name] = mnemonic.get(name, 0) + spent
        executed[name] = executed.get(name, 0) + count
    return Profile(lines, unit, category, mnemonic, executed)


def _choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        hint = did_you_mean(str(value), choices) or f"one of {', '.join(choices)}"
        raise SimulationError(Diagnostic("KC0403", f"{what} {value!r} is not known", hint=hint))


def _check_limits(limits: Limits) -> None:
    if not isinstance(limits, Limits):
        raise SimulationError(Diagnostic("KC0404", f"limits are a Limits record, not {type(limits).__name__}"))
    for name in ("instructions", "cycles", "wall_time"):
        value = getattr(limits, name)
        if value is None and name != "instructions":
            continue
        kinds = (int, float) if name == "wall_time" else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds) or not value >= 0 or value > 1 << 60:
            shown = printable(repr(value)) if not isinstance(value, int) or abs(value) < 1 << 64 else "(too large)"
            raise SimulationError(Diagnostic("KC0404", f"limit {name} = {shown} is not a usable number"))
