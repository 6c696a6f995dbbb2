"""`Isa`: a checked, immutable instruction set, and what follows from it directly: encoder, decoder, roles, digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import attrs
from attrs import define, field, frozen

from kernelcraft_core.diagnostics import MAX_DIAGNOSTICS, Diagnostic, IsaError, did_you_mean
from kernelcraft_core.isa import declare, ir
from kernelcraft_core.isa.encoding import Encoding, overlap, parse_encoding
from kernelcraft_core.isa.model import (
    CATEGORIES,
    Extension,
    Imm,
    Instr,
    Kind,
    Placeholder,
    Pseudo,
    Reg,
    RegFile,
    Scalar,
    State,
    as_instrs,
    as_kinds,
    as_pseudos,
    as_state,
)
from kernelcraft_core.isa.places import placed
from kernelcraft_core.isa.primitives import BUILT_IN, Primitive
from kernelcraft_core.isa.semantics import RESERVED_NAMES, Scope, Text, check_cost, check_semantics
from kernelcraft_core.isa.syntax import UNNAMED, Form, parse_form

MAX_DELAY = 1000
"""Most cycles after which a result may become visible."""


@frozen(eq=False)
class Definition:
    """A checked instruction: the record, its forms (the canonical one first), encoding, meaning and cost."""

    record: Instr
    name: str
    forms: tuple[Form, ...]
    operands: Mapping[str, Kind]
    defaults: Mapping[str, int]
    encoding: Encoding
    statements: tuple[ir.Stmt, ...]
    locals: Mapping[str, ir.Type]
    latency: ir.Expr
    interval: ir.Expr
    extension: str = ""

    @property
    def mnemonic(self) -> str:
        """The assembly name."""
        return self.forms[0].mnemonic

    @property
    def length(self) -> int:
        """Length of the word in bytes."""
        return self.encoding.width // 8

    @property
    def jumps(self) -> bool:
        """Whether the instruction can set the program counter."""
        return any(isinstance(s, ir.Jump) for s in self.statements)

    def encode(self, operands: Mapping[str, int]) -> int:
        """Return the word for these operand values; missing optional operands take their defaults.

        Raises:
            ValueError: a value does not fit its operand, or one is missing.
        """
        word = self.encoding.match
        for name, kind in self.operands.items():
            value = operands.get(name, self.defaults.get(name))
            if value is None:
                raise ValueError(f"{self.name}: operand {name} is missing")
            if not fits(kind, value):
                raise ValueError(f"{self.name}: {name} = {value} is not legal")
            word |= self.encoding.insert(name, value)
        return word

    def extract(self, word: int) -> dict[str, int]:
        """Return the operand values in `word`, signed where the kind is signed; they may be illegal ones."""
        out = {}
        for name, kind in self.operands.items():
            value = self.encoding.extract(name, word)
            if isinstance(kind, Imm) and kind.signed and value >> (kind.bits - 1):
                value -= 1 << kind.bits
            out[name] = value
        return out

    @cached_property
    def roles(self) -> dict[str, str]:
        """Operand name -> `source`, `destination`, `source and destination` or `immediate`, read off the semantics."""
        read: set[str] = set()
        written: set[str] = set()
        for statement in self.statements:
            if isinstance(statement, ir.Write) and isinstance(statement.index, ir.OperandRef):
                written.add(statement.index.name)
            for expr in ir.expressions(statement):
                for node in ir.walk(expr):
                    if isinstance(node, ir.ReadReg) and isinstance(node.index, ir.OperandRef):
                        read.add(node.index.name)
        out = {}
        for name, kind in self.operands.items():
            if not isinstance(kind, Reg):
                out[name] = "immediate"
            elif name in read and name in written:
                out[name] = "source and destination"
            else:
                out[name] = "destination" if name in written else "source" if name in read else "selector"
        return out

    @cached_property
    def touches(self) -> dict[str, str]:
        """State name -> `r`, `w` or `rw`: everything the instruction reads and writes."""
        out: dict[str, set[str]] = {}
        for statement in self.statements:
            if isinstance(statement, ir.Write):
                out.setdefault(statement.state, set()).add("w")
            for expr in ir.expressions(statement):
                for node in ir.walk(expr):
                    if isinstance(node, ir.ReadReg | ir.ReadState | ir.ReadMem):
                        out.setdefault(node.state, set()).add("r")
                    elif isinstance(node, ir.Call):
                        for position, mode, _ in node.primitive.handle_modes():
                            arg = node.args[position]
                            assert isinstance(arg, ir.Handle)
                            out.setdefault(arg.state, set()).update(mode)
        return {name: "".join(m for m in "rw" if m in modes) for name, modes in out.items()}


@frozen
class Decoded:
    """A word that was recognised: its definition and operand values."""

    definition: Definition
    operands: dict[str, int]


def fits(kind: Kind, value: int) -> bool:
    """Return whether `value` is legal for an operand of this kind (what the assembler accepts)."""
    if isinstance(kind, Reg):
        return 0 <= value < kind.size
    if isinstance(kind, Placeholder):
        return value == 0
    return kind.low <= value <= kind.high and value % kind.align == 0


def _executes(kind: Kind, value: int) -> bool:
    """Return whether the hardware gives `value` a meaning (what a run that is not strict accepts)."""
    return (isinstance(kind, Imm) and kind.lenient) or fits(kind, value)


@define(eq=False)
class _Checked:
    """What checking an `Isa` yields."""

    definitions: dict[str, Definition]
    by_mnemonic: dict[str, tuple[Definition, ...]]
    pseudos: dict[str, tuple[tuple[Form, Pseudo], ...]]
    scope: Scope


def _as_primitives(items: Iterable[Primitive]) -> tuple[Primitive, ...]:
    return tuple(items)


def _as_params(values: Mapping[str, int]) -> Mapping[str, int]:
    return dict(values)


@frozen(eq=False)
class Isa:
    """An instruction set. Building one checks everything; it never changes afterwards.

    Attributes:
        name: the ISA's name. width: bits of the usual instruction word.
        pc_unit: bytes that one step of the program counter stands for (1: byte addresses, 4: one per 32-bit word).
        ends: what running past the last instruction does: `halt` or `trap`.
        words: whether `.word` may stand for words that are no instruction (disassembly of data).
        kinds, state, primitives, instrs, pseudos, params: see `model.py` and `primitives.py`.
        extensions: names of the extensions applied, in order.

    Raises:
        IsaError: KC0100..KC0139; every finding points at the definition, and into its text where there is one.
    """

    name: str
    kinds: tuple[Kind, ...] = field(converter=as_kinds)
    state: tuple[State, ...] = field(converter=as_state)
    instrs: tuple[Instr, ...] = field(converter=as_instrs)
    width: int = 32
    params: Mapping[str, int] = field(factory=dict, converter=_as_params)
    primitives: tuple[Primitive, ...] = field(default=(), converter=_as_primitives)
    pseudos: tuple[Pseudo, ...] = field(default=(), converter=as_pseudos)
    pc_unit: int = 1
    ends: str = "trap"
    words: bool = True
    doc: str = ""
    extensions: tuple[Extension, ...] = ()
    _checked: _Checked = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_checked", _check(self))

    # -- look-up ------------------------------------------------------------------------------------------------------

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """Instruction name -> checked definition, in order of description."""
        return self._checked.definitions

    @property
    def scope(self) -> Scope:
        """What names mean in this ISA's texts."""
        return self._checked.scope

    def __getitem__(self, name: str) -> Definition:
        return self.definitions[name]

    def __contains__(self, name: object) -> bool:
        return name in self.definitions

    def __iter__(self) -> Iterator[Definition]:
        return iter(self.definitions.values())

    def __len__(self) -> int:
        return len(self.definitions)

    def with_mnemonic(self, mnemonic: str) -> tuple[Definition, ...]:
        """Return the definitions that share a mnemonic (usually one), empty when there is none."""
        return self._checked.by_mnemonic.get(mnemonic, ())

    def pseudo(self, mnemonic: str) -> tuple[tuple[Form, Pseudo], ...]:
        """Return the pseudo-instructions of that name, in order."""
        return self._checked.pseudos.get(mnemonic, ())

    @property
    def mnemonics(self) -> tuple[str, ...]:
        """All mnemonics, pseudo-instructions included."""
        return (*self._checked.by_mnemonic, *self._checked.pseudos)

    def kind(self, name: str) -> Kind:
        """Return the operand kind of that name."""
        return next(kind for kind in self.kinds if kind.name == name)

    def state_named(self, name: str) -> State:
        """Return the state declaration of that name."""
        return self.scope.state[name]

    # -- decoding -----------------------------------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> list[tuple[int, int, dict[int, Definition]]]:
        """Decoder: (width in bits, mask, match -> definition), most specific mask first, short words first."""
        groups: dict[tuple[int, int], dict[int, Definition]] = {}
        for definition in self:
            encoding = definition.encoding
            groups.setdefault((encoding.width, encoding.mask), {})[encoding.match] = definition
        order = sorted(groups, key=lambda key: (key[0], -key[1].bit_count()))
        return [(width, mask, groups[width, mask]) for width, mask in order]

    def match(self, word: int, available: int | None = None) -> Definition | None:
        """Return the definition whose fixed bits `word` has; `available` is how many bits of it are there."""
        for width, mask, table in self._tables:
            if available is not None and width > available:
                continue
            found = table.get(word & mask & ((1 << width) - 1))
            if found is not None:
                return found
        return None

    def decode(self, word: int, *, strict: bool = True, available: int | None = None) -> Decoded | None:
        """Return the instruction `word` encodes, or None.

        A strict decoder refuses reserved encodings: reserved bits that are set, and operand values the assembler would not
        accept. Otherwise the word is taken as the hardware takes it.
        """
        definition = self.match(word, available)
        if definition is None:
            return None
        word &= (1 << definition.encoding.width) - 1
        if strict and word & definition.encoding.reserved:
            return None
        operands = definition.extract(word)
        legal = fits if strict else _executes
        if not all(legal(kind, operands[name]) for name, kind in definition.operands.items()):
            return None
        return Decoded(definition, operands)

    # -- composition --------------------------------------------------------------------------------------------------

    def extended(self, *extensions: Extension) -> Isa:
        """Return a new ISA with the extensions added, in order; this one stays as it is.

        Raises:
            IsaError: KC0140 the extension is for another ISA, applied twice or requires one that is missing, KC0141 it adds
                a name that exists, KC0142 it replaces an instruction that does not exist, or one instruction twice; and
                everything that building an `Isa` raises. Findings point into the extension's file when it has one.
        """
        isa = self
        for extension in extensions:
            isa = _extend(isa, extension)
        return isa

    def with_params(self, values: Mapping[str, int]) -> Isa:
        """Return the same ISA with other parameter values; the digest stays."""
        changes: dict[str, Any] = {"params": {**self.params, **values}}
        return attrs.evolve(self, **changes)

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of everything that gives instructions their syntax, encoding, meaning and cost.

        Documentation and parameter values do not count: the values belong to the machine, and are recorded with it.
        """
        text = json.dumps(self.canonical(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def canonical(self) -> dict[str, Any]:
        """Return the description as plain data, without documentation."""
        skip = {"doc", "note", "source", "examples"}

        def plain(record: Any) -> dict[str, Any]:
            data = attrs.asdict(record, filter=lambda a, _: a.name not in skip and a.name != "factory")
            return {"type": type(record).__name__, **data}

        return {
            "name": self.name,
            "width": self.width,
            "pc_unit": self.pc_unit,
            "ends": self.ends,
            "words": self.words,
            "params": sorted(self.params),
            "extensions": [e.name for e in self.extensions],
            "kinds": [plain(k) for k in self.kinds],
            "state": [plain(s) for s in self.state],
            "instrs": [{**plain(i), "latency": str(i.latency), "interval": str(i.interval)} for i in self.instrs],
            "pseudos": [plain(p) for p in self.pseudos],
            "primitives": [[p.name, list(p.args), p.result] for p in self.primitives],
        }


# --- checking ------------------------------------------------------------------------------------------------------------


def _names(records: Iterable[Any], what: str, owner: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for record in records:
        if record.name in out:
            raise IsaError(Diagnostic("KC0104", f"{owner}: {what} {record.name!r} is declared twice"))
        if not declare.is_name(record.name):
            raise IsaError(Diagnostic("KC0104", f"{owner}: {what} {record.name!r} is not a name"))
        out[record.name] = record
    return out


def _check(isa: Isa) -> _Checked:
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
    return _Checked(definitions, by_mnemonic, pseudos, scope)


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
        id(r): (e, f"{key}.{n}") for e in isa.extensions for key in ("kind", "state") for n, r in _numbered(e, key)
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
    for kind in isa.kinds:
        if problem := declare.kind_problem(kind, dict(scope.state)):
            note(kind, "KC0108", f"{isa.name}: operand kind {kind.name!r}: {problem}")
    return found


def _numbered(extension: Extension, key: str) -> Iterator[tuple[int, Kind | State]]:
    return enumerate(extension.kinds if key == "kind" else extension.state)


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
        for number, record in _numbered(extension, key):
            check(what, record.name, taken, f"{key}.{number}.name")
    # a pseudo-instruction that takes the name of something else would change what existing programs mean
    gone = {i.replaces for i in extension.instrs}
    taken = {f.mnemonic for d in isa if d.name not in gone for f in d.forms} | set(isa._checked.pseudos)
    for number, pseudo in enumerate(extension.pseudos):
        check("mnemonic", _head(pseudo.syntax), {*taken}, f"pseudo.{number}.syntax")
    for number, instr in enumerate(extension.instrs):
        for mnemonic in dict.fromkeys(map(_head, (instr.syntax, *instr.also))):
            check("pseudo-instruction", mnemonic, {*isa._checked.pseudos}, f"instr.{number}.syntax")
    return found


def _head(syntax: str) -> str:
    return syntax.split(None, 1)[0] if syntax.strip() else ""


def _extend(isa: Isa, extension: Extension) -> Isa:
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
