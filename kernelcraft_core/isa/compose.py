"""Composing an ISA and an extension: what may be added, what must be stated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from kernelcraft_core.diagnostics import MAX_DIAGNOSTICS, Diagnostic, IsaError, did_you_mean
from kernelcraft_core.isa.model import Extension, Kind, State
from kernelcraft_core.isa.places import placed

if TYPE_CHECKING:
    from kernelcraft_core.isa.isa import Isa


def numbered(extension: Extension, key: str) -> Iterator[tuple[int, Kind | State]]:
    """Return an extension's operand kinds or state, numbered as in its file."""
    return enumerate(extension.kinds if key == "kind" else extension.state)


def _clashes(isa: Isa, extension: Extension) -> list[Diagnostic]:
    """Return one finding per name that `extension` adds although something has it."""
    found: list[Diagnostic] = []

    def check(what: str, name: str, taken: set[str], entry: str) -> None:
        if name in taken:
            finding = Diagnostic(
                "KC0141", f"extension {extension.name}: {what} {name!r} exists already", hint="use another name"
            )
            found.append(placed(finding, extension, entry))
        taken.add(name)

    inner = {name for d in isa for name in (*d.operands, *d.locals)}  # names in the texts of the base
    taken = {*isa.params, *inner}
    for name in extension.params:
        check("parameter or operand", name, taken, f"params.{name}")
    for key, what, old in (("kind", "operand kind", isa.kinds), ("state", "state", isa.state)):
        taken = {record.name for record in (*old,)} | (inner if key == "state" else set())
        for number, record in numbered(extension, key):
            check(what, record.name, taken, f"{key}.{number}.name")
    # a pseudo-instruction that takes the name of something else would change what existing programs mean
    gone = {i.replaces for i in extension.instrs}
    taken = {f.mnemonic for d in isa if d.name not in gone for f in d.forms} | set(isa.pseudo_forms)
    for number, pseudo in enumerate(extension.pseudos):
        check("mnemonic", _head(pseudo.syntax), {*taken}, f"pseudo.{number}.syntax")
    for number, instr in enumerate(extension.instrs):
        for mnemonic in dict.fromkeys(map(_head, (instr.syntax, *instr.also))):
            check("pseudo-instruction", mnemonic, {*isa.pseudo_forms}, f"instr.{number}.syntax")
    return found


def _head(syntax: str) -> str:
    return syntax.split(None, 1)[0] if syntax.strip() else ""


def extend(isa: Isa, extension: Extension) -> Isa:
    """Return `isa` with one extension; see `Isa.extended`."""

    def fail(code: str, message: str, hint: str | None = None, entry: str = "extends") -> IsaError:
        return IsaError(placed(Diagnostic(code, f"extension {extension.name}: {message}", hint=hint), extension, entry))

    applied = [e.name for e in isa.extensions]
    if extension.extends != isa.name:
        raise fail("KC0140", f"is for the ISA {extension.extends!r}, not {isa.name!r}")
    if extension.name in applied:
        raise fail("KC0140", "is applied already", entry="name")
    for name in extension.requires:
        if name not in applied:
            raise fail("KC0140", f"requires the extension {name!r}", "apply it before", "requires")
    problems = _clashes(isa, extension)
    instrs = list(isa.instrs)
    replaced: set[str] = set()
    for number, added in enumerate(extension.instrs):
        if added.replaces is None:
            continue
        if added.replaces not in isa or added.replaces in replaced:
            known = added.replaces in replaced
            message = f"extension {extension.name}: {added.replaces!r} is replaced " + (
                "twice" if known else "but does not exist"
            )
            hint = None if known else did_you_mean(added.replaces, isa.definitions)
            where = placed(Diagnostic("KC0142", message, hint=hint), extension, f"instr.{number}.replaces")
            problems.append(where)
            continue
        replaced.add(added.replaces)
        old = isa[added.replaces].record
        instrs = [i for i in instrs if i is not old]
    if problems:
        raise IsaError(problems[:MAX_DIAGNOSTICS])
    changes: dict[str, Any] = {
        "params": {**isa.params, **extension.params},
        "kinds": (*isa.kinds, *extension.kinds),
        "state": (*isa.state, *extension.state),
        "instrs": (*instrs, *extension.instrs),
        "pseudos": (*isa.pseudos, *extension.pseudos),
        "extensions": (*isa.extensions, extension),
    }
    return attrs.evolve(isa, **changes)
