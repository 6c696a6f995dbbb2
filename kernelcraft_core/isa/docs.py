"""The reference of an instruction set as Markdown, from the `Isa` and, where instructions overlap, a table of costs.

Instructions that differ in numbers or single words share a section (`docs_families`). Nothing here is written by hand and
nothing depends on the time or the machine, so the pages of two runs are equal and a repository can check them in and compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from kernelcraft_core.isa import cost
from kernelcraft_core.isa import docs_markdown as markdown
from kernelcraft_core.isa.docs_costs import CostTable
from kernelcraft_core.isa.docs_families import Family, families
from kernelcraft_core.isa.docs_instructions import family_markdown, heading, span
from kernelcraft_core.isa.isa import Isa
from kernelcraft_core.isa.model import CATEGORIES, Imm, Kind, Pseudo, Reg, RegFile, Region
from kernelcraft_core.isa.syntax import Form

_PAGE = "isa.md"
_MERGED = (
    "- One section may describe several instructions. Of `{a|b}` each takes the word at its own place, the same in every brace "
    "of the section; `{n}` is one of the numbers that are listed, in any combination."
)


def pages(isa: Isa, documents: Mapping[str, str] | None = None, costs: CostTable | None = None) -> dict[str, str]:
    """Return file name -> Markdown: the generated reference `isa.md`, the target's own documents, and an index of them.

    A document of the target's with the name `isa.md` or `index.md` is kept under the name `target-isa.md` and so on.
    """
    out = {_PAGE: reference(isa, costs)}
    for name, text in sorted((documents or {}).items()):
        out[f"target-{name}" if name in (_PAGE, "index.md") else name] = text.rstrip("\n") + "\n"
    return {"index.md": index_page(isa, out), **out}


def index_page(isa: Isa, files: Mapping[str, str]) -> str:
    """Return a page with a link to each of the pages `files` (file name -> Markdown)."""
    links = [f"- [{_title(text) or name}]({name})" for name, text in files.items()]
    return f"# {markdown.prose(isa.name)}\n\n{markdown.prose(isa.doc)}\n\n" + "\n".join(links) + "\n"


def _title(text: str) -> str:
    first = text.lstrip().split("\n", 1)[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""


def reference(isa: Isa, costs: CostTable | None = None) -> str:
    """Return the reference of `isa` as one Markdown page; `costs` stand in for the latencies of the records."""
    found = families(isa, costs)
    sections = [
        _overview(isa, found),
        _costs(costs),
        _index(found, costs),
        _extensions(isa, found),
        _kinds(isa),
        _state(isa),
        _params(isa),
        _primitives(isa),
        "## Instructions\n\n" + "\n\n".join(family_markdown(family, costs) for family in found),
        _pseudos(isa),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _overview(isa: Isa, found: Sequence[Family]) -> str:
    widths = sorted({d.encoding.width for d in isa})
    step = "one byte" if isa.pc_unit == 1 else f"{isa.pc_unit} bytes"
    end = "ends the program" if isa.ends == "halt" else "traps"
    lines = [
        f"- Words of {' or '.join(map(str, widths)) or isa.width} bits, {len(isa)} instructions.",
        f"- The program counter counts in steps of {step}; running past the last instruction {end}.",
        "- Encodings are written most significant bit first; a `-` is a bit that is written as 0, else reserved.",
        "- All values and places in a meaning are taken from the state before the instruction.",
        *([_MERGED] if any(len(family.members) > 1 for family in found) else []),
        f"- Digest of the description: `{isa.digest[:16]}`.",
    ]
    return "\n\n".join(
        part
        for part in (f"# {markdown.prose(isa.name)} instruction set", markdown.prose(isa.doc), "\n".join(lines))
        if part
    )


def _costs(costs: CostTable | None) -> str:
    if costs is None:
        return ""
    rows = [(name, *cells) for name, cells in costs.rows.items()]
    return f"## Costs\n\n{costs.intro.strip()}\n\n" + markdown.table(("class", *costs.head), rows)


def _index(found: Sequence[Family], costs: CostTable | None) -> str:
    out = ["## Index"]
    for category in CATEGORIES:
        rows = [
            (
                f"[{heading(family)}](#{markdown.anchor(heading(family))})",
                markdown.code(family.text(lambda d: d.forms[0].usage())),
                family.first.record.unit,
                costs.classes[family.first.name] if costs else cost.shown(family.first.latency),
                markdown.first(family.text(lambda d: d.record.doc)),
            )
            for family in found
            if family.first.record.category == category
        ]
        if rows:
            out.append(f"### Category {category}")
            head = ("instruction", "written", "unit", "costs as" if costs else "cycles", "what it does")
            out.append(markdown.table(head, rows))
    return "\n\n".join(out)


def _extensions(isa: Isa, found: Sequence[Family]) -> str:
    if not isa.extensions:
        return ""
    anchors = {d.name: markdown.anchor(heading(family)) for family in found for d in family.members}
    out = ["## Extensions"]
    for extension in isa.extensions:
        out.append(f"### Extension {extension.name}")
        out.append(markdown.prose(extension.doc))
        lines = []
        if extension.requires:
            lines.append(f"- requires {', '.join(extension.requires)}")
        mine = [d for d in isa if d.extension == extension.name]
        for definition in mine:
            what = f"replaces `{definition.record.replaces}` by" if definition.record.replaces else "adds"
            lines.append(f"- {what} [{definition.name}](#{anchors[definition.name]})")
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
    rows = [(f"`{kind.name}`", span(kind), _kind_note(kind)) for kind in isa.kinds]
    return "## Operand kinds\n\n" + markdown.table(("kind", "what may stand there", "note"), rows) if rows else ""


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
        notes = [markdown.prose(kind.hint or "")]
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
        rows.append((f"`{record.name}`", type(record).__name__.lower(), shown, markdown.prose(record.doc)))
    return "## State\n\n" + markdown.table(("name", "sort", "declared as", "what it is"), rows) if rows else ""


def _size(value: object, isa: Isa) -> str:
    if isinstance(value, Region):
        return f"{value.memory}: {value.access}"
    if isinstance(value, tuple):
        return f"({', '.join(_size(v, isa) for v in value)})"
    return f"{value} = {isa.params[value]}" if isinstance(value, str) and value in isa.params else str(value)


def _params(isa: Isa) -> str:
    rows = [(f"`{name}`", str(value)) for name, value in isa.params.items()]
    return "## Parameters\n\n" + markdown.table(("parameter", "value"), rows) if rows else ""


def _primitives(isa: Isa) -> str:
    rows = []
    for primitive in isa.scope.primitives.values():
        traps = ", ".join(primitive.traps)
        args = ", ".join(primitive.args)
        rows.append(
            (
                markdown.code(f"{primitive.name}({args})"),
                markdown.code(primitive.result) if primitive.result else "",
                traps,
                markdown.prose(primitive.doc),
            )
        )
    if not rows:
        return ""
    intro = (
        "Operations that meanings call by name. `r:`, `w:` and `rw:` mark the state that is read and written; "
        "an extension may use these primitives and cannot bring its own in a file."
    )
    return f"## Primitives\n\n{intro}\n\n" + markdown.table(("call", "gives", "may trap", "what it does"), rows)


def _pseudos(isa: Isa) -> str:
    out = []
    for mnemonic in isa.mnemonics:
        found = isa.pseudo(mnemonic)
        if found:
            docs = dict.fromkeys(markdown.prose(pseudo.doc) for _, pseudo in found if pseudo.doc)
            rows = [_pseudo(form, pseudo) for form, pseudo in found]
            out.append("\n\n".join([f"### {mnemonic}", *docs, markdown.table(("written", "when", "stands for"), rows)]))
    if not out:
        return ""
    intro = "The first line whose form fits and whose condition holds is used. Braces are computed from the operands."
    return "\n\n".join(["## Pseudo-instructions", intro, *out])


def _pseudo(form: Form, pseudo: Pseudo) -> tuple[str, ...]:
    when = "" if pseudo.when.strip() in ("", "1") else markdown.code(pseudo.when)
    return markdown.code(form.usage()), when, ", then ".join(map(markdown.code, pseudo.expansion))
