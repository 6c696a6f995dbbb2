"""The reference of an instruction set as Markdown, and one instruction as plain data; both from the `Isa` alone.

Nothing here is written by hand and nothing depends on the time or the machine, so the pages of two runs are equal and a
repository can check them in and compare.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from kernelcraft_core.isa import cost, ir
from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.isa import Isa
from kernelcraft_core.isa.model import CATEGORIES, Imm, Kind, Placeholder, Pseudo, Reg, RegFile, Region
from kernelcraft_core.isa.syntax import Form

SCHEMA = "kc.instruction/1"
_PAGE = "isa.md"
_ACCESS = {"r": "reads", "w": "writes", "rw": "reads and writes"}
_MARKUP = re.compile(r"^(\s*)([#>=+*-]|\d+[.)]|```|~~~)", re.MULTILINE)


# --- plain data -------------------------------------------------------------------------------------------------------


def instruction_json(definition: Definition) -> dict[str, Any]:
    """Return everything about an instruction as plain data, the same facts as its section in the reference."""
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
        "latency": _cost_json(str(record.latency), definition.latency),
        "interval": _cost_json(str(record.interval), definition.interval),
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


def pages(isa: Isa, documents: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return file name -> Markdown: the generated reference `isa.md`, the target's own documents, and an index of them.

    A document of the target's with the name `isa.md` or `index.md` is kept under the name `target-isa.md` and so on.
    """
    out = {_PAGE: reference(isa)}
    for name, text in sorted((documents or {}).items()):
        out[f"target-{name}" if name in (_PAGE, "index.md") else name] = text.rstrip("\n") + "\n"
    links = [f"- [{_title(text) or name}]({name})" for name, text in out.items()]
    return {"index.md": f"# {_prose(isa.name)}\n\n{_prose(isa.doc)}\n\n" + "\n".join(links) + "\n", **out}


def _title(text: str) -> str:
    first = text.lstrip().split("\n", 1)[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""


def reference(isa: Isa) -> str:
    """Return the reference of `isa` as one Markdown page."""
    sections = [
        _overview(isa),
        _index(isa),
        _extensions(isa),
        _kinds(isa),
        _state(isa),
        _params(isa),
        _primitives(isa),
        "## Instructions\n\n" + "\n\n".join(instruction_markdown(d) for d in isa),
        _pseudos(isa),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def instruction_markdown(definition: Definition) -> str:
    """Return the section of one instruction."""
    record = definition.record
    parts = [f"### {definition.name}", _prose(record.doc)]
    if definition.extension:
        replaced = f"; it replaces `{record.replaces}` of the base" if record.replaces else ""
        parts.append(f"Part of the extension **{definition.extension}**{replaced}.")
    parts.append(_fence("\n".join(form.usage() for form in definition.forms)))
    parts.append(_encoding(definition))
    if definition.operands:
        rows = [_operand_row(definition, name, kind) for name, kind in definition.operands.items()]
        parts.append(_table(("operand", "role", "what may stand there", "bits", "if left out"), rows))
    parts.append("Meaning:\n\n" + _fence(record.semantics.strip() or "pass"))
    parts.append(_facts(definition))
    if record.note:
        parts.append(f"Note: {_prose(record.note)}")
    if record.examples:
        parts.append("Examples:\n\n" + _fence("\n".join(record.examples)))
    if record.source:
        parts.append(f"Source: {_prose(record.source)}")
    return "\n\n".join(part for part in parts if part)


def _overview(isa: Isa) -> str:
    widths = sorted({d.encoding.width for d in isa})
    step = "one byte" if isa.pc_unit == 1 else f"{isa.pc_unit} bytes"
    end = "ends the program" if isa.ends == "halt" else "traps"
    lines = [
        f"- Words of {' or '.join(map(str, widths)) or isa.width} bits, {len(isa)} instructions.",
        f"- The program counter counts in steps of {step}; running past the last instruction {end}.",
        "- Encodings are written most significant bit first; a `-` is a bit that is written as 0, else reserved.",
        "- All values and places in a meaning are taken from the state before the instruction.",
        f"- Digest of the description: `{isa.digest[:16]}`.",
    ]
    return "\n\n".join(
        part for part in (f"# {_prose(isa.name)} instruction set", _prose(isa.doc), "\n".join(lines)) if part
    )


def _index(isa: Isa) -> str:
    out = ["## Index"]
    for category in CATEGORIES:
        rows = [
            (
                f"[{d.name}](#{_anchor(d.name)})",
                _code(d.forms[0].usage()),
                d.record.unit,
                cost.shown(d.latency),
                _first(d.record.doc),
            )
            for d in isa
            if d.record.category == category
        ]
        if rows:
            out.append(f"### Category {category}")
            out.append(_table(("instruction", "written", "unit", "cycles", "what it does"), rows))
    return "\n\n".join(out)


def _extensions(isa: Isa) -> str:
    if not isa.extensions:
        return ""
    out = ["## Extensions"]
    for extension in isa.extensions:
        out.append(f"### Extension {extension.name}")
        out.append(_prose(extension.doc))
        lines = []
        if extension.requires:
            lines.append(f"- requires {', '.join(extension.requires)}")
        mine = [d for d in isa if d.extension == extension.name]
        for definition in mine:
            what = f"replaces `{definition.record.replaces}` by" if definition.record.replaces else "adds"
            lines.append(f"- {what} [{definition.name}](#{_anchor(definition.name)})")
        for what, names in (
            ("operand kind", [k.name for k in extension.kinds]),
            ("state", [s.name for s in extension.state]),
            ("parameter", list(extension.params)),
            ("pseudo-instruction", [p.syntax.split()[0] for p in extension.pseudos if p.syntax.strip()]),
        ):
            lines += [f"- adds the {what} `{name}`" for name in names]
        out.append("\n".join(lines))
    return "\n\n".join(part for part in out if part)


def _kinds(isa: Isa) -> str:
    rows = [(f"`{kind.name}`", _range(kind), _kind_note(kind)) for kind in isa.kinds]
    return "## Operand kinds\n\n" + _table(("kind", "what may stand there", "note"), rows) if rows else ""


_NUMBERS = {
    "distance": "a label may be written",
    "address": "a label may be written, and a number is an address",
    "none": "only a label may be written",
}


def _kind_note(kind: Kind) -> str:
    if isinstance(kind, Reg):
        names = ", ".join(f"`{spelling}` = {kind.prefix}{index}" for spelling, index in kind.names.items())
        return names
    if isinstance(kind, Imm):
        notes = [_prose(kind.hint or "")]
        if kind.names:
            notes.append(", ".join(f"`{spelling}` = {value}" for spelling, value in kind.names.items()))
        if kind.relative:
            notes.append(f"relative to the address of the instruction; {_NUMBERS[kind.numbers]}")
        if kind.lenient:
            notes.append("the hardware gives a meaning to every value of the field; strict runs do not")
        return "; ".join(note for note in notes if note)
    return "not encoded"


def _state(isa: Isa) -> str:
    rows = []
    for record in isa.state:
        fields = {
            f.name: getattr(record, f.name)
            for f in attrs.fields(type(record))
            if f.name not in ("name", "doc", "factory", "faults") and getattr(record, f.name) != f.default
        }
        shown = ", ".join(f"{key} = {_size(value, isa)}" for key, value in fields.items())
        if isinstance(record, RegFile) and record.zero is not None:
            shown += f" ({record.name}[{record.zero}] reads as 0, writes to it are ignored)"
        rows.append((f"`{record.name}`", type(record).__name__.lower(), shown, _prose(record.doc)))
    return "## State\n\n" + _table(("name", "sort", "declared as", "what it is"), rows) if rows else ""


def _size(value: object, isa: Isa) -> str:
    if isinstance(value, Region):
        return f"{value.memory}: {value.access}"
    if isinstance(value, tuple):
        return f"({', '.join(_size(v, isa) for v in value)})"
    return f"{value} = {isa.params[value]}" if isinstance(value, str) and value in isa.params else str(value)


def _params(isa: Isa) -> str:
    rows = [(f"`{name}`", str(value)) for name, value in isa.params.items()]
    return "## Parameters\n\n" + _table(("parameter", "value"), rows) if rows else ""


def _primitives(isa: Isa) -> str:
    rows = []
    for primitive in isa.scope.primitives.values():
        traps = ", ".join(primitive.traps)
        args = ", ".join(primitive.args)
        rows.append(
            (
                _code(f"{primitive.name}({args})"),
                _code(primitive.result) if primitive.result else "",
                traps,
                _prose(primitive.doc),
            )
        )
    if not rows:
        return ""
    intro = (
        "Operations that meanings call by name. `r:`, `w:` and `rw:` mark the state that is read and written; "
        "an extension may use these primitives and cannot bring its own in a file."
    )
    return f"## Primitives\n\n{intro}\n\n" + _table(("call", "gives", "may trap", "what it does"), rows)


def _pseudos(isa: Isa) -> str:
    out = []
    for mnemonic in isa.mnemonics:
        for form, pseudo in isa.pseudo(mnemonic):
            out.append(_pseudo(form, pseudo))
    return "## Pseudo-instructions\n\n" + "\n\n".join(out) if out else ""


def _pseudo(form: Form, pseudo: Pseudo) -> str:
    when = "" if pseudo.when.strip() in ("", "1") else f"When {_code(pseudo.when)}:\n\n"
    parts = [
        f"### {form.mnemonic}",
        _prose(pseudo.doc),
        _fence(form.usage()),
        when + "stands for",
        _fence("\n".join(pseudo.expansion)),
    ]
    return "\n\n".join(part for part in parts if part)


def _encoding(definition: Definition) -> str:
    fields = definition.encoding.field_text()
    head = [str(high) if high == low else f"{high}:{low}" for high, low, _ in fields]
    return _table(head, [[_code(text) for _, _, text in fields]])


def _operand_row(definition: Definition, name: str, kind: Kind) -> tuple[str, ...]:
    bits = "" if isinstance(kind, Placeholder) else str(kind.bits)
    default = definition.defaults.get(name)
    return (f"`{name}`", definition.roles[name], _range(kind), bits, "" if default is None else str(default))


def _range(kind: Kind) -> str:
    if isinstance(kind, Reg):
        return f"{kind.prefix}0 to {kind.prefix}{kind.size - 1}" if kind.prefix else ", ".join(kind.names)
    if isinstance(kind, Imm):
        multiple = f", a multiple of {kind.align}" if kind.align > 1 else ""
        return f"{kind.low} to {kind.high}{multiple}"
    return " or ".join(f"`{spelling}`" for spelling in kind.spellings)


def _facts(definition: Definition) -> str:
    record = definition.record
    lines = [f"- category {record.category}, unit {_prose(record.unit)}, {definition.length} bytes"]
    for what, text, expr in (
        ("latency", record.latency, definition.latency),
        ("interval", record.interval, definition.interval),
    ):
        shown = cost.shown(expr)
        written = f"{_code(str(text))} = " if text != "" and str(text) != shown else ""
        cycles = "cycle" if shown == "1" else "cycles"
        if what == "latency" or text != "":
            lines.append(f"- {what} {written}{shown} {cycles}")
    if record.timing:
        lines.append(f"- priced by the machine's timing model as {_code(record.timing)}")
    if record.delay:
        lines.append(f"- the result is visible {record.delay} cycles later; the pipeline does not wait")
    if definition.jumps:
        lines.append("- may set the program counter")
    lines += [f"- {_ACCESS[mode]} `{name}`" for name, mode in sorted(definition.touches.items()) if mode]
    return "\n".join(lines)


# --- Markdown helpers -------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("\n", " ").replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(head), "|" + " --- |" * len(head), *map(line, rows)])


def _prose(text: str) -> str:
    """Return text of a record so that it stays text: no HTML, no headings or lists of its own."""
    return _MARKUP.sub(r"\1\\\2", html.escape(text.strip(), quote=False))


def _first(text: str) -> str:
    """Return the first sentence."""
    return _prose(re.split(r"(?<=[.;:])\s", text.strip(), maxsplit=1)[0].rstrip(";:"))


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    quote = "`" * (longest + 1)
    return f"{quote} {text} {quote}" if longest else f"{quote}{text}{quote}"


def _fence(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _anchor(name: str) -> str:
    """Return the anchor that Markdown renderers give the heading `name`."""
    return re.sub(r"[^\w-]", "", name.lower())
