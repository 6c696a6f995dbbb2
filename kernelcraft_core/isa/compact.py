"""The instruction set in short, for readers who pay by the word: four lines per instruction, no encodings, no sources.

The full reference is `docs.py`; both come from the `Isa` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelcraft_core.isa import cost, ir
from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.isa import Isa
from kernelcraft_core.isa.model import CATEGORIES, Imm, Kind, Opaque, Placeholder, Pseudo, Reg, RegFile, State

_PLACEHOLDER = re.compile(r"_:(\w+)")


def compact_reference(isa: Isa) -> str:
    """Return the reference of `isa` in short: operands, state, operations that meanings name, and every instruction."""
    sections = [f"# {isa.name} instruction set", isa.doc.strip(), _rules(isa), _operands(isa), _state(isa), _calls(isa)]
    for category in CATEGORIES:
        found = [compact_instruction(isa, d) for d in isa if d.record.category == category]
        if found:
            sections += [f"## Instructions: {category}", *found]
    sections.append(_pseudos(isa))
    return "\n\n".join(section for section in sections if section) + "\n"


def compact_instruction(isa: Isa, definition: Definition) -> str:
    """Return one instruction: form, what it does, meaning, cost, an example."""
    record = definition.record
    written = _spelled(isa, record.syntax)
    head = f"**`{written}`**" if definition.name == definition.mnemonic else f"**`{written}`** ({definition.name})"
    if definition.extension:
        head += f" (extension {definition.extension})"
    lines = [f"{head} {record.doc.strip()}".rstrip()]
    if record.semantics.strip():
        lines.append(f"`{'; '.join(part.strip() for part in record.semantics.strip().splitlines() if part.strip())}`")
    example = f" E.g. `{record.examples[0].strip()}`." if record.examples else ""
    lines.append(f"{_cost(definition)}.{example}")
    if record.note:
        lines.append(f"Note: {record.note.strip()}")
    return "\n".join(lines)


def _cost(definition: Definition) -> str:
    """Return unit and cycles in words."""
    record = definition.record
    visible = f"; the result is visible {record.delay} cycles later, and nothing waits for it" if record.delay else ""
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


def _rules(isa: Isa) -> str:
    step = "one byte" if isa.pc_unit == 1 else f"{isa.pc_unit} bytes"
    end = "ends the program" if isa.ends == "halt" else "traps"
    return (
        f"{len(isa)} instructions. Forms are written `MNEMONIC name:kind, ...`, with `=value` for operands that may be left "
        "out; the kinds are below. The line under a form is its meaning: all values and places in it are taken from the state "
        f"before the instruction. The program counter counts in steps of {step}; running past the last instruction {end}."
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
    lines = [_pseudo(isa, pseudo) for mnemonic in isa.mnemonics for _, pseudo in isa.pseudo(mnemonic)]
    return "## Pseudo-instructions\n\n" + "\n".join(lines) if lines else ""


def _pseudo(isa: Isa, pseudo: Pseudo) -> str:
    when = "" if pseudo.when.strip() in ("", "1") else f" when `{pseudo.when}`"
    doc = f" {pseudo.doc.strip()}" if pseudo.doc else ""
    return f"- `{_spelled(isa, pseudo.syntax)}` stands for `{'`, `'.join(pseudo.expansion)}`{when}.{doc}"
