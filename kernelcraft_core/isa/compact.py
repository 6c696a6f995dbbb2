"""The instruction set in short, for readers who pay by the word: four lines per family of instructions, no encodings.

The full reference is `docs.py`; both come from the `Isa` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernelcraft_core.isa import cost, ir
from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.docs_costs import CostTable
from kernelcraft_core.isa.docs_families import Family, families
from kernelcraft_core.isa.isa import Isa
from kernelcraft_core.isa.model import CATEGORIES, Imm, Kind, Opaque, Placeholder, Pseudo, Reg, RegFile, State

_PLACEHOLDER = re.compile(r"_:(\w+)")


def compact_reference(isa: Isa, costs: CostTable | None = None) -> str:
    """Return the reference of `isa` in short: operands, state, operations that meanings name, and every instruction.

    Instructions that differ in numbers or single words share an entry (`docs_families`). `costs` replaces the latencies
    of the records where instructions overlap.
    """
    found = families(isa, costs)
    merged = any(len(family.members) > 1 for family in found)
    sections = [f"# {isa.name} instruction set", isa.doc.strip(), _rules(isa, merged), _operands(isa), _state(isa)]
    sections += [_calls(isa), _costs(costs)]
    for category in CATEGORIES:
        entries = [compact_family(isa, f, costs) for f in found if f.first.record.category == category]
        if entries:
            sections += [f"## Instructions: {category}", *entries]
    sections.append(_pseudos(isa))
    return "\n\n".join(section for section in sections if section) + "\n"


def compact_family(isa: Isa, family: Family, costs: CostTable | None = None) -> str:
    """Return the entry of a family: form, what it does, meaning, cost, an example."""
    definition = family.first
    record = definition.record
    head = f"**`{family.text(lambda d: _spelled(isa, d.record.syntax))}`**"
    if any(d.name != d.mnemonic.replace(".", "_") for d in family.members) and definition.name != definition.mnemonic:
        head += f" ({', '.join(d.name for d in family.members)})"
    if family.numbers:
        head += f" ({family.explained()})"
    if definition.extension:
        head += f" (extension {definition.extension})"
    lines = [f"{head} {family.text(lambda d: d.record.doc.strip())}".rstrip()]
    if record.semantics.strip():
        lines.append(f"`{family.text(_meaning)}`")
    example = f" E.g. `{record.examples[0].strip()}`." if record.examples else ""
    lines.append(f"{_cost(definition, costs)}.{example}")
    if record.note:
        lines.append(f"Note: {record.note.strip()}")
    return "\n".join(lines)


def _meaning(definition: Definition) -> str:
    return "; ".join(part.strip() for part in definition.record.semantics.strip().splitlines() if part.strip())


def _costs(costs: CostTable | None) -> str:
    if costs is None:
        return ""
    rows = ["| class | " + " | ".join(costs.head) + " |", "|" + " --- |" * (1 + len(costs.head))]
    rows += [f"| {name} | " + " | ".join(cells) + " |" for name, cells in costs.rows.items()]
    return f"## Costs\n\n{costs.intro.strip()}\n\n" + "\n".join(rows)


def _cost(definition: Definition, costs: CostTable | None) -> str:
    """Return unit and cycles in words."""
    record = definition.record
    visible = f"; the result is visible {record.delay} cycles later, and nothing waits for it" if record.delay else ""
    if costs is not None:
        return f"Costs as `{costs.classes[definition.name]}`{visible}"
    if record.timing:
        return f"Unit {record.unit}, time by the machine's model `{record.timing}`{visible}"
    shown, text = cost.shown(definition.latency), str(record.latency)
    cycles = f"{shown} cycle" if shown == "1" else f"{shown} cycles"
    if text not in ("", shown):
        cycles += f" (`{text}`)"
    if str(record.interval) not in ("", text):
        cycles += f", the next may start after {cost.shown(definition.interval)}"
    return f"Unit {record.unit}, {cycles}{visible}"


def _spelled(isa: Isa, syntax: str) -> str:
    """Return a syntax string with the spelling of placeholders instead of their kinds."""

    def spelling(match: re.Match[str]) -> str:
        kind = isa.kind(match[1])
        assert isinstance(kind, Placeholder)
        return kind.spellings[0]

    return _PLACEHOLDER.sub(spelling, syntax.strip())


def _rules(isa: Isa, merged: bool) -> str:
    step = "one byte" if isa.pc_unit == 1 else f"{isa.pc_unit} bytes"
    end = "ends the program" if isa.ends == "halt" else "traps"
    families = (
        " One entry may stand for several instructions: of `{a|b}` each takes the word at its own place, the same in every "
        "brace of the entry; `{n}` is one of the numbers behind the form, in any combination."
        if merged
        else ""
    )
    return (
        f"{len(isa)} instructions. Forms are written `MNEMONIC name:kind, ...`, with `=value` for operands that may be left "
        "out; the kinds are below. The line under a form is its meaning: all values and places in it are taken from the state "
        f"before the instruction. The program counter counts in steps of {step}; running past the last instruction {end}."
        + families
    )


def _operands(isa: Isa) -> str:
    lines = [f"- `{kind.name}`: {_range(kind)}" for kind in isa.kinds if not isinstance(kind, Placeholder)]
    return "## Operand kinds\n\n" + "\n".join(lines) if lines else ""


def _range(kind: Kind) -> str:
    if isinstance(kind, Reg):
        names = ", ".join(f"`{name}` = {kind.prefix}{index}" for name, index in kind.names.items())
        span = f"{kind.prefix}0 to {kind.prefix}{kind.size - 1}" if kind.prefix else ""
        return "; ".join(part for part in (span, names) if part)
    assert isinstance(kind, Imm)
    notes = [f"{kind.low} to {kind.high}" + (f", a multiple of {kind.align}" if kind.align > 1 else "")]
    if kind.relative:
        notes.append("relative to the instruction's address; a label may be written")
    if kind.hint:
        notes.append(kind.hint)
    return "; ".join(notes)


def _state(isa: Isa) -> str:
    lines = [f"- `{record.name}`: {_declared(isa, record)}" for record in isa.state]
    params = ", ".join(f"{name} = {value}" for name, value in isa.params.items())
    named = f"\n\nNumbers that meanings and costs name: {params}." if params else ""
    return "## State\n\n" + "\n".join(lines) + named if lines else ""


def _declared(isa: Isa, record: State) -> str:
    """Return the sort, size and purpose of a piece of state."""

    def number(value: int | str) -> str:
        return str(isa.params.get(value, value) if isinstance(value, str) else value)

    if isinstance(record, Opaque):
        return record.doc or "internal"
    what = record.doc or type(record).__name__.lower()
    facts = []
    for name in ("count", "shape", "size", "base", "bits", "dtype"):
        value = getattr(record, name, None)
        if value is None or (name == "base" and value == 0):
            continue
        text = " x ".join(map(number, value)) if isinstance(value, tuple) else number(value)
        facts.append(f"{name} {text}")
    if isinstance(record, RegFile) and record.zero is not None:
        facts.append(f"number {record.zero} reads as 0")
    return f"{what} ({', '.join(facts)})"


def _calls(isa: Isa) -> str:
    """Return the operations that meanings call, those that some instruction of this ISA uses."""
    used = {node.primitive.name for d in isa for node in _nodes(d) if isinstance(node, ir.Call)}
    lines = []
    for primitive in isa.scope.primitives.values():
        if primitive.name not in used:
            continue
        if primitive.doc.startswith(f"{primitive.name}("):
            signature, _, doc = primitive.doc.partition("): ")
            lines.append(f"- `{signature})`: {doc}")
        else:
            args = ", ".join(arg.partition(":")[2] or arg for arg in primitive.args)
            lines.append(f"- `{primitive.name}({args})`: {primitive.doc}")
    return "## Operations that meanings name\n\n" + "\n".join(lines) if lines else ""


def _nodes(definition: Definition) -> Iterator[ir.Expr]:
    for statement in definition.statements:
        for expr in ir.expressions(statement):
            yield from ir.walk(expr)


def _pseudos(isa: Isa) -> str:
    cases: dict[str, list[Pseudo]] = {}
    for mnemonic in dict.fromkeys(isa.mnemonics):
        for _, pseudo in isa.pseudo(mnemonic):
            cases.setdefault(pseudo.syntax, []).append(pseudo)
    lines = [_pseudo(isa, found) for found in cases.values()]
    return "## Pseudo-instructions\n\n" + "\n".join(lines) if lines else ""


def _pseudo(isa: Isa, cases: Sequence[Pseudo]) -> str:
    """Return a pseudo-instruction, whose first case that holds is used."""
    doc = f" {cases[0].doc.strip()}" if cases[0].doc else ""
    parts = []
    for pseudo in cases:
        when = "" if pseudo.when.strip() in ("", "1") else f" when `{pseudo.when}`"
        parts.append(f"`{'`, `'.join(pseudo.expansion)}`{when}")
    return f"- `{_spelled(isa, cases[0].syntax)}` stands for {', else '.join(parts)}.{doc}"
