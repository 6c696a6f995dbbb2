"""The sections of instructions in the reference, one for each family, and one instruction as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelcraft_core.isa import cost, ir
from kernelcraft_core.isa import docs_markdown as markdown
from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.docs_costs import CostTable
from kernelcraft_core.isa.docs_families import Family
from kernelcraft_core.isa.model import Imm, Kind, Placeholder, Reg

_ACCESS = {"r": "reads", "w": "writes", "rw": "reads and writes"}
_OPERANDS = ("operand", "role", "what may stand there", "bits", "if left out")


# --- plain data -------------------------------------------------------------------------------------------------------


def instruction_json(definition: Definition, costs: CostTable | None = None) -> dict[str, Any]:
    """Return everything about an instruction as plain data, the same facts as its section in the reference.

    With `costs`, latency and interval are None: instructions overlap, and the record's numbers mean nothing.
    """
    record, encoding = definition.record, definition.encoding
    fields = [{"high": high, "low": low, "text": text} for high, low, text in encoding.field_text()]
    return {
        "name": definition.name,
        "mnemonic": definition.mnemonic,
        "extension": definition.extension or None,
        "replaces": record.replaces,
        "category": record.category,
        "unit": record.unit,
        "syntax": [form.text for form in definition.forms],
        "usage": [form.usage() for form in definition.forms],
        "operands": [_operand_json(definition, name, kind) for name, kind in definition.operands.items()],
        "encoding": {
            "text": encoding.text,
            "width": encoding.width,
            "mask": encoding.mask,
            "match": encoding.match,
            "reserved": encoding.reserved,
            "fields": fields,
        },
        "semantics": record.semantics,
        "touches": dict(definition.touches),
        "jumps": definition.jumps,
        "delay": record.delay,
        "latency": None if costs else _cost_json(str(record.latency), definition.latency),
        "interval": None if costs else _cost_json(str(record.interval), definition.interval),
        "cost": costs.row(definition.name) if costs else None,
        "timing": record.timing or None,
        "doc": record.doc,
        "note": record.note,
        "source": record.source,
        "examples": list(record.examples),
    }


def _operand_json(definition: Definition, name: str, kind: Kind) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": name, "kind": kind.name, "role": definition.roles[name]}
    entry["default"] = definition.defaults.get(name)
    if isinstance(kind, Reg):
        return entry | {
            "type": "register",
            "bits": kind.bits,
            "prefix": kind.prefix,
            "count": kind.size,
            "names": dict(kind.names),
        }
    if isinstance(kind, Imm):
        keys = ("bits", "signed", "align", "relative", "lenient")
        return entry | {"type": "immediate", "low": kind.low, "high": kind.high} | {k: getattr(kind, k) for k in keys}
    return entry | {"type": "placeholder", "spellings": list(kind.spellings)}


def _cost_json(text: str, expr: ir.Expr) -> dict[str, Any]:
    low, high = cost.bounds(expr)
    return {"text": text, "low": low, "high": high}


# --- Markdown ---------------------------------------------------------------------------------------------------------


def heading(family: Family) -> str:
    """Return the title of a family's section: the names, or one with letters for the numbers in it."""
    return family.text(lambda d: d.name) if family.numbers else ", ".join(d.name for d in family.members)


def instruction_markdown(definition: Definition, costs: CostTable | None = None) -> str:
    """Return the section of one instruction, with all that is known of its cost."""
    row = None if costs is None else costs.row(definition.name)
    known = "" if row is None else "; ".join(f"{title} {cell}" for title, cell in row.items() if cell)
    return _section(Family((definition,)), {definition.name: f"costs: {known}"} if known else {})


def family_markdown(family: Family, costs: CostTable | None = None) -> str:
    """Return the section of a family, which leads to the table of costs."""
    classes = {} if costs is None else costs.classes
    return _section(family, {d.name: f"costs as [{classes[d.name]}](#costs)" for d in family.members if classes})


def _section(family: Family, costs: Mapping[str, str]) -> str:
    """Return the section of a family; `costs` has a line for each name where the latencies of the records mean nothing."""
    record = family.first.record
    parts = [f"### {heading(family)}", markdown.prose(family.text(lambda d: d.record.doc))]
    if family.numbers:
        parts.append(f"{family.explained()}.")
    if family.first.extension:
        replaced = f"; it replaces `{record.replaces}` of the base" if record.replaces else ""
        parts.append(f"Part of the extension **{family.first.extension}**{replaced}.")
    parts.append(markdown.fence(_usage(family)))
    parts.append(_encodings(family))
    rows = [_operand_row(d, name, kind) for d in family.members for name, kind in d.operands.items()]
    if rows:
        parts.append(markdown.table(_OPERANDS, dict.fromkeys(rows)))
    parts.append("Meaning:\n\n" + markdown.fence(family.text(lambda d: d.record.semantics.strip()) or "pass"))
    parts.append(_facts(family, costs))
    if record.note:
        parts.append(f"Note: {markdown.prose(record.note)}")
    examples = [line for d in family.members[: 1 if family.numbers else None] for line in d.record.examples]
    if examples:
        parts.append("Examples:\n\n" + markdown.fence("\n".join(examples)))
    if record.source:
        parts.append(f"Source: {markdown.prose(record.source)}")
    return "\n\n".join(part for part in parts if part)


def _usage(family: Family) -> str:
    """Return how the members are written, a line each; one for all when they differ in numbers."""
    if family.numbers:
        return family.text(lambda d: d.forms[0].usage())
    return "\n".join(form.usage() for d in family.members for form in d.forms)


def _encodings(family: Family) -> str:
    """Return the bits of the members, in one table where their fields have the same places."""
    layouts: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for definition in family.members:
        fields = definition.encoding.field_text()
        head = tuple(str(high) if high == low else f"{high}:{low}" for high, low, _ in fields)
        layouts.setdefault(head, []).append((definition.mnemonic, *(text for _, _, text in fields)))
    skip = 1 if len(family.members) == 1 else 0
    return "\n\n".join(
        markdown.table(("instruction", *head)[skip:], [[markdown.code(cell) for cell in row[skip:]] for row in rows])
        for head, rows in layouts.items()
    )


def _operand_row(definition: Definition, name: str, kind: Kind) -> tuple[str, ...]:
    bits = "" if isinstance(kind, Placeholder) else str(kind.bits)
    default = definition.defaults.get(name)
    return (f"`{name}`", definition.roles[name], span(kind), bits, "" if default is None else str(default))


def span(kind: Kind) -> str:
    """Return what may stand in the place of an operand."""
    if isinstance(kind, Reg):
        return f"{kind.prefix}0 to {kind.prefix}{kind.size - 1}" if kind.prefix else ", ".join(kind.names)
    if isinstance(kind, Imm):
        multiple = f", a multiple of {kind.align}" if kind.align > 1 else ""
        return f"{kind.low} to {kind.high}{multiple}"
    return " or ".join(f"`{spelling}`" for spelling in kind.spellings)


def _facts(family: Family, costs: Mapping[str, str]) -> str:
    """Return what is to be said of the members in one line each, with their names where it is not said of all."""
    said: dict[str, list[str]] = {}
    touched: dict[tuple[str, str], list[str]] = {}
    for definition in family.members:
        for line in (*_cost(definition, costs), *_effects(definition)):
            said.setdefault(line, []).append(definition.mnemonic)
        for name, mode in sorted(definition.touches.items()):
            touched.setdefault((mode, name), []).append(definition.mnemonic)
    states: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (mode, name), who in touched.items():
        if mode:
            states.setdefault((mode, tuple(who)), []).append(f"`{name}`")
    lines = [(line, tuple(who)) for line, who in said.items()]
    lines += [(f"{_ACCESS[mode]} {', '.join(names)}", who) for (mode, who), names in states.items()]
    return "\n".join(
        f"- {line}" + (f" ({', '.join(who)})" if len(who) < len(family.members) else "") for line, who in lines
    )


def _cost(definition: Definition, costs: Mapping[str, str]) -> list[str]:
    record = definition.record
    lines = [f"category {record.category}, unit {markdown.prose(record.unit)}, {definition.length} bytes"]
    if costs:
        return [*lines, costs[definition.name]]
    for what, text, expr in (
        ("latency", record.latency, definition.latency),
        ("interval", record.interval, definition.interval),
    ):
        shown = cost.shown(expr)
        written = f"{markdown.code(str(text))} = " if text != "" and str(text) != shown else ""
        cycles = "cycle" if shown == "1" else "cycles"
        if what == "latency" or text != "":
            lines.append(f"{what} {written}{shown} {cycles}")
    if record.timing:
        lines.append(f"priced by the machine's timing model as {markdown.code(record.timing)}")
    return lines


def _effects(definition: Definition) -> list[str]:
    lines = []
    if definition.record.delay:
        lines.append(f"the result is visible {definition.record.delay} cycles later; the pipeline does not wait")
    if definition.jumps:
        lines.append("may set the program counter")
    return lines
