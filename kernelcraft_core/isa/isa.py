"""`Isa`: a checked, immutable instruction set, and what follows from it directly: encoder, decoder, roles, digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import attrs
from attrs import field, frozen

from kernelcraft_core.isa.checking import Checked, check
from kernelcraft_core.isa.compose import extend
from kernelcraft_core.isa.definition import Decoded, Definition, executes, fits
from kernelcraft_core.isa.model import (
    Extension,
    Imm,
    Instr,
    Kind,
    Pseudo,
    State,
    as_instrs,
    as_kinds,
    as_pseudos,
    as_state,
)
from kernelcraft_core.isa.primitives import Primitive
from kernelcraft_core.isa.syntax import Form
from kernelcraft_core.isa.types import Scope


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
        memory: name of the address space (or byte memory) that programs are loaded into and instructions fetched from;
            without one the program is apart from all memories.
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
    memory: str = ""
    doc: str = ""
    extensions: tuple[Extension, ...] = ()
    _checked: Checked = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_checked", check(self))

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
    def pseudo_forms(self) -> Mapping[str, tuple[tuple[Form, Pseudo], ...]]:
        """Mnemonic -> its pseudo-instructions, in order."""
        return self._checked.pseudos

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
        legal = fits if strict else executes
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
            isa = extend(isa, extension)
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
        later = {
            "numbers": "distance",
            "timed": False,
            "partial": False,
        }  # keys that came later do not change what had no use for them

        def plain(record: Any) -> dict[str, Any]:
            data = attrs.asdict(record, filter=lambda a, _: a.name not in skip and a.name != "factory")
            data = {k: v for k, v in data.items() if k not in later or later[k] != v}
            if isinstance(record, Imm) and not record.names:
                del data["names"]
            return {"type": type(record).__name__, **data}

        return {
            "name": self.name,
            "width": self.width,
            "pc_unit": self.pc_unit,
            "ends": self.ends,
            "words": self.words,
            **({"memory": self.memory} if self.memory else {}),
            "params": sorted(self.params),
            "extensions": [e.name for e in self.extensions],
            "kinds": [plain(k) for k in self.kinds],
            "state": [plain(s) for s in self.state],
            "instrs": [{**plain(i), "latency": str(i.latency), "interval": str(i.interval)} for i in self.instrs],
            "pseudos": [plain(p) for p in self.pseudos],
            "primitives": [[p.name, list(p.args), p.result] for p in self.primitives],
        }
