"""Checking a whole description: names, sizes, every instruction's texts, and that no word means two instructions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define

from kernelcraft_core.diagnostics import MAX_DIAGNOSTICS, Diagnostic, IsaError, did_you_mean
from kernelcraft_core.isa import declare, ir
from kernelcraft_core.isa.compose import numbered
from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.encoding import overlap, parse_encoding
from kernelcraft_core.isa.model import (
    CATEGORIES,
    Bytes,
    Extension,
    Instr,
    Kind,
    Placeholder,
    Pseudo,
    Reg,
    RegFile,
    Scalar,
    Space,
    State,
)
from kernelcraft_core.isa.places import placed
from kernelcraft_core.isa.primitives import BUILT_IN
from kernelcraft_core.isa.semantics import RESERVED_NAMES, Text, check_cost, check_semantics
from kernelcraft_core.isa.syntax import UNNAMED, Form, parse_form
from kernelcraft_core.isa.types import Scope

if TYPE_CHECKING:
    from kernelcraft_core.isa.isa import Isa

MAX_DELAY = 1000
"""Most cycles after which a result may become visible."""


@define(eq=False)
class Checked:
    """What checking an `Isa` yields."""

    definitions: dict[str, Definition]
    by_mnemonic: dict[str, tuple[Definition, ...]]
    pseudos: dict[str, tuple[tuple[Form, Pseudo], ...]]
    scope: Scope


def _names(records: Iterable[Any], what: str, owner: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for record in records:
        if record.name in out:
            raise IsaError(Diagnostic("KC0104", f"{owner}: {what} {record.name!r} is declared twice"))
        if not declare.is_name(record.name):
            raise IsaError(Diagnostic("KC0104", f"{owner}: {what} {record.name!r} is not a name"))
        out[record.name] = record
    return out


def check(isa: Isa) -> Checked:
    """Check the whole description; see `Isa` for the errors."""
    kinds = _names(isa.kinds, "operand kind", isa.name)
    state = _names(isa.state, "state", isa.name)
    primitives = _names((*BUILT_IN, *isa.primitives), "primitive", isa.name)
    scope = Scope(state, dict(isa.params), primitives)
    problems = _declarations(isa, scope)
    if problems:
        raise IsaError(problems[:MAX_DIAGNOSTICS])
    definitions: dict[str, Definition] = {}
    origins = {id(i): (e, n) for e in isa.extensions for n, i in enumerate(e.instrs)}

    def at(finding: Diagnostic, instr: Instr) -> Diagnostic:
        extension, number = origins.get(id(instr), (None, 0))
        return placed(finding, extension, f"instr.{number}")

    for instr in isa.instrs:
        extension, number = origins.get(id(instr), (None, 0))
        try:
            definition = _define(instr, kinds, scope, isa, extension, number)
        except IsaError as error:
            problems += [at(finding, instr) for finding in error.diagnostics]
            continue
        if definition.name in definitions:
            hint = "give one of them another `name`"
            finding = Diagnostic("KC0104", f"{isa.name}: instruction {definition.name!r} is described twice", hint=hint)
            problems.append(at(finding, instr))
        definitions[definition.name] = definition
    for finding, instr in _overlaps(definitions.values()):
        problems.append(at(finding, instr))
        if len(problems) >= MAX_DIAGNOSTICS:
            break
    if problems:
        raise IsaError(problems[:MAX_DIAGNOSTICS])
    by_mnemonic: dict[str, tuple[Definition, ...]] = {}
    for definition in definitions.values():
        for mnemonic in dict.fromkeys(f.mnemonic for f in definition.forms):
            by_mnemonic[mnemonic] = (*by_mnemonic.get(mnemonic, ()), definition)
    pseudos: dict[str, tuple[tuple[Form, Pseudo], ...]] = {}
    places = {id(p): (e, f"pseudo.{n}") for e in isa.extensions for n, p in enumerate(e.pseudos)}
    for pseudo in isa.pseudos:
        try:
            form = parse_form(pseudo.syntax, kinds, f"{isa.name}: pseudo-instruction")
        except IsaError as error:
            problems += [placed(finding, *places.get(id(pseudo), (None, ""))) for finding in error.diagnostics]
            continue
        pseudos[form.mnemonic] = (*pseudos.get(form.mnemonic, ()), (form, pseudo))
    if problems:
        raise IsaError(problems[:MAX_DIAGNOSTICS])
    return Checked(definitions, by_mnemonic, pseudos, scope)


def _define(
    instr: Instr, kinds: Mapping[str, Kind], scope: Scope, isa: Isa, extension: Extension | None, number: int
) -> Definition:
    head = instr.syntax.split(None, 1)[0] if instr.syntax.strip() else "?"
    where = f"{extension.name if extension else isa.name}: {instr.name or head}"
    form = parse_form(instr.syntax, kinds, where)
    operands = {o.name: o.kind for o in form.operands if o.name != UNNAMED}
    defaults = {o.name: o.default for o in form.operands if o.default is not None}
    for name in operands:
        if not declare.is_name(name):
            raise IsaError(Diagnostic("KC0103", f"{where}: operand {name!r} is not a name"))
        if name in scope.state or name in scope.params or name in scope.primitives or name in RESERVED_NAMES:
            raise IsaError(Diagnostic("KC0103", f"{where}: operand {name!r} has the name of something else"))
    if instr.category not in CATEGORIES:
        hint = did_you_mean(instr.category, CATEGORIES) or f"one of {', '.join(CATEGORIES)}"
        raise IsaError(Diagnostic("KC0107", f"{where}: category {instr.category!r} is not known", hint=hint))
    if not 0 <= instr.delay <= MAX_DELAY:
        raise IsaError(Diagnostic("KC0107", f"{where}: a delay of {instr.delay} cycles; it is in 0..{MAX_DELAY}"))
    forms = [form]
    for text in instr.also:
        other = parse_form(text, kinds, where)
        given = {o.name: o.kind for o in other.operands if o.name != UNNAMED}
        missing = [n for n in operands if n not in given and n not in defaults]
        if missing or any(operands.get(n) != k for n, k in given.items()):
            raise IsaError(Diagnostic("KC0103", f"{where}: `{text}` does not have the operands of `{instr.syntax}`"))
        forms.append(other)
    widths = {n: _width(kind) for n, kind in operands.items()}
    encoding = parse_encoding(instr.encoding, widths, where)

    def text_of(key: str, text: str) -> Text:
        place = extension.places.get(f"instr.{number}.{key}") if extension else None
        if extension and place:
            return Text(text, f"{where} {key}", extension.origin, *place)
        return Text(text, f"{where} {key}")

    statements, named = check_semantics(text_of("semantics", instr.semantics), scope, operands)
    if instr.delay and not all(_may_wait(statement, scope) for statement in statements):
        message = f"{where}: a delay is for results in registers; this writes memory or has an effect"
        raise IsaError(Diagnostic("KC0107", message))
    latency = check_cost(text_of("latency", str(instr.latency)), scope, operands)
    interval = (
        check_cost(text_of("interval", str(instr.interval)), scope, operands) if instr.interval != "" else latency
    )
    return Definition(
        instr,
        instr.name or form.mnemonic,
        tuple(forms),
        operands,
        defaults,
        encoding,
        statements,
        named,
        latency,
        interval,
        extension.name if extension else "",
    )


def _may_wait(statement: ir.Stmt, scope: Scope) -> bool:
    """Return whether what a statement does can become visible later."""
    if isinstance(statement, ir.Write):
        return isinstance(scope.state[statement.state], RegFile | Scalar)
    return not isinstance(statement, ir.Effect)


def _width(kind: Kind) -> tuple[int, int]:
    if isinstance(kind, Placeholder):
        return (0, 0)
    if isinstance(kind, Reg):
        return (kind.bits, 0)
    return (kind.bits, (kind.align & -kind.align).bit_length() - 1)


def _declarations(isa: Isa, scope: Scope) -> list[Diagnostic]:
    """Return what is wrong with parameters, operand kinds and state, placed where an extension declares them."""
    found: list[Diagnostic] = []
    places = {
        id(r): (e, f"{key}.{n}") for e in isa.extensions for key in ("kind", "state") for n, r in numbered(e, key)
    }

    def note(record: Kind | State, code: str, message: str) -> None:
        extension, entry = places.get(id(record), (None, ""))
        found.append(placed(Diagnostic(code, message), extension, entry))

    for name in isa.params:
        if problem := declare.name_problem(name):
            extension = next((e for e in isa.extensions if name in e.params), None)
            finding = Diagnostic("KC0104", f"{isa.name}: parameter {name!r} {problem}")
            found.append(placed(finding, extension, f"params.{name}"))
    for record in isa.state:
        if record.name in RESERVED_NAMES or record.name in isa.params or record.name in scope.primitives:
            note(record, "KC0104", f"{isa.name}: state {record.name!r} has the name of something else")
            continue
        try:
            problem = declare.state_problem(record, scope)
        except IsaError as error:
            note(record, error.code, f"{isa.name}: state {record.name!r}: {error.diagnostics[0].message}")
            continue
        if problem:
            note(record, "KC0108", f"{isa.name}: state {record.name!r}: {problem}")
    if isa.memory and not isinstance(scope.state.get(isa.memory), Bytes | Space):
        found.append(Diagnostic("KC0108", f"{isa.name}: memory {isa.memory!r} is no address space and no byte memory"))
    for kind in isa.kinds:
        if problem := declare.kind_problem(kind, dict(scope.state)):
            note(kind, "KC0108", f"{isa.name}: operand kind {kind.name!r}: {problem}")
    return found


def _overlaps(definitions: Iterable[Definition]) -> Iterator[tuple[Diagnostic, Instr]]:
    """Yield one finding per pair of definitions that some word would belong to, with the record it is about."""
    items = list(definitions)
    for i, a in enumerate(items):
        for b in items[i + 1 :]:
            if overlap(a.encoding, b.encoding):
                message = f"the encodings of {a.name} and {b.name} overlap: {a.encoding.text!r} and {b.encoding.text!r}"
                about = b if b.extension or not a.extension else a
                yield (
                    Diagnostic("KC0114", message, hint="some word would mean both; change fixed bits of one"),
                    about.record,
                )
