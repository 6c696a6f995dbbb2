"""Judging a proposed extension: does it fit its target, is its cost believable, what does it change.

`kc isa check` prints what is found here; an agent or a script calls `check_proposal` and gets the same facts as data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
from attrs import frozen

from kernelcraft_core.diagnostics import WARNING, AssemblyError, Diagnostic, IsaError
from kernelcraft_core.isa import Extension, Isa, cost
from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.diff import IsaDiff, diff
from kernelcraft_core.isa.places import placed
from kernelcraft_core.isa.space import Space, free_encodings

if TYPE_CHECKING:
    from kernelcraft_core.facade import Target


@frozen(eq=False)
class Proposal:
    """What a fitting extension does to a target.

    Attributes:
        extension: the proposal. base, composed: the ISA without and with it.
        changes: the differences between the two.
        warnings: what is legal and should be looked at (KC015x).
        space: the encoding space that is left, by word length.
    """

    extension: Extension
    base: Isa
    composed: Isa
    changes: IsaDiff
    warnings: tuple[Diagnostic, ...]
    space: tuple[Space, ...]

    @property
    def added(self) -> tuple[Definition, ...]:
        """The instructions of the extension, replacing ones included."""
        return tuple(d for d in self.composed if d.extension == self.extension.name)

    @property
    def replaced(self) -> Mapping[str, str]:
        """Name of each replaced instruction -> name of the one that takes its place."""
        return {d.record.replaces: d.name for d in self.added if d.record.replaces is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "extension": self.extension.name,
            "extends": self.extension.extends,
            "requires": list(self.extension.requires),
            "digest": self.composed.digest,
            "base_digest": self.base.digest,
            "added": [d.name for d in self.added],
            "replaced": dict(self.replaced),
            "cost": {d.name: _cost(d) for d in self.added},
            "changes": self.changes.as_dict()["changes"],
            "space": [space.as_dict() for space in self.space],
            "warnings": [finding.as_dict() for finding in self.warnings],
        }


def _cost(definition: Definition) -> dict[str, Any]:
    low, high = cost.bounds(definition.latency)
    return {"unit": definition.record.unit, "text": str(definition.record.latency), "low": low, "high": high}


def check_proposal(base: Target, composed: Target) -> Proposal:
    """Return what the last extension of `composed` adds to `base`, a target with all its extensions but that one.

    Raises:
        IsaError: KC0151 an example of the extension does not assemble to the instruction it is an example of; KC0240 a
            pseudo-instruction of it is wrong.
    """
    extension = composed.isa.extensions[-1]
    definitions = {id(d.record): d for d in composed.isa}
    problems = _pseudo_problems(composed, extension)
    if problems:
        raise IsaError(problems)
    warnings: list[Diagnostic] = []
    floor = _cheapest(base.isa)
    for number, record in enumerate(extension.instrs):
        definition = definitions[id(record)]
        for index, example in enumerate(record.examples):
            if problem := _example_problem(composed, definition, example):
                problems.append(placed(problem, extension, f"instr.{number}.examples.{index}"))
        for key, message, hint in _doubts(definition, floor):
            finding = Diagnostic("KC0152", f"{definition.name}: {message}", hint=hint, severity=WARNING)
            warnings.append(placed(finding, extension, f"instr.{number}.{key}"))
    if problems:
        raise IsaError(problems)
    changes = diff(base.isa, composed.isa)
    return Proposal(extension, base.isa, composed.isa, changes, tuple(warnings), free_encodings(composed.isa))


def _pseudo_problems(target: Target, extension: Extension) -> list[Diagnostic]:
    """Return what is wrong with pseudo-instructions: they are compiled when the assembler is made."""
    try:
        _ = target.assembler
    except IsaError as error:
        findings = error.diagnostics
    else:
        return []
    out = []
    for finding in findings:
        for number, pseudo in enumerate(extension.pseudos):
            mnemonic = re.escape(pseudo.syntax.split(None, 1)[0])
            if re.search(rf"pseudo-instruction {mnemonic}\b", finding.message):
                key = "when" if f"{mnemonic} when" in finding.message else "expansion"
                out.append(placed(attrs.evolve(finding, span=None), extension, f"pseudo.{number}.{key}"))
                break
        else:
            out.append(finding)
    return out


def _example_problem(target: Target, definition: Definition, example: str) -> Diagnostic | None:
    """Return what is wrong with an example: it must assemble, and to the instruction it stands for."""
    where = f"{definition.name}: the example {example!r}"
    try:
        program = target.assemble(example + "\n", filename="<example>")
        decoded = target.isa.decode(program.words[0]) if len(program) else None
        if decoded is None or decoded.definition is not definition:
            found = decoded.definition.name if decoded else "no instruction"
            return Diagnostic("KC0151", f"{where} assembles to {found}")
        again = target.assemble(target.disassemble(program), filename="<disassembly>")
    except AssemblyError as error:
        first = error.diagnostics[0]
        return Diagnostic("KC0151", f"{where} does not assemble: {first.message}", hint=first.hint)
    if list(again.words) != list(program.words):
        return Diagnostic("KC0151", f"{where} disassembles to a line with another encoding")
    return None


def _cheapest(isa: Isa) -> dict[str, int]:
    """Return the fewest cycles that an instruction of the base takes, by unit."""
    out: dict[str, int] = {}
    for definition in isa:
        low, high = cost.bounds(definition.latency)
        if low or high == 0:  # `cycles if rd else 0`: the zero is a special case, not the price
            out[definition.record.unit] = min(low, out.get(definition.record.unit, low))
    return out


def _doubts(definition: Definition, floor: Mapping[str, int]) -> list[tuple[str, str, str | None]]:
    """Return (key, message, hint) of what a reviewer should look at."""
    record = definition.record
    out: list[tuple[str, str, str | None]] = []
    _, high = cost.bounds(definition.latency)
    if high == 0:
        out.append(
            ("latency", "it takes no time: a speedup from it says nothing", "state what the hardware would need")
        )
    elif record.unit in floor and high is not None and high < floor[record.unit]:
        least = floor[record.unit]
        message = f"it takes at most {high} cycles, less than every instruction of the unit {record.unit!r} ({least})"
        out.append(("latency", message, None))
    if record.unit not in floor:
        known = ", ".join(sorted(floor))
        out.append(
            ("unit", f"the base has no unit {record.unit!r}: this is new hardware", f"units of the base: {known}")
        )
    if not record.doc:
        out.append(("syntax", "it has no doc", "say what it does in a sentence"))
    if not record.examples:
        out.append(("syntax", "it has no examples", "give lines that must assemble"))
    return out
