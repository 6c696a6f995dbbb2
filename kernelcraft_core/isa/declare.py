"""What operand kinds and state may declare: names, widths and sizes that make sense.

Sizes come from people and from files of agents, so they are bounded before anything is computed or allocated from them.
"""

from __future__ import annotations

import itertools
import keyword
import re
from math import prod

from kernelcraft_core.isa.model import (
    Array,
    Bytes,
    Imm,
    Kind,
    Opaque,
    Placeholder,
    Reg,
    RegFile,
    Rows,
    Scalar,
    Space,
    State,
    Words,
)
from kernelcraft_core.isa.semantics import RESERVED_NAMES
from kernelcraft_core.isa.types import Scope

MAX_OPERAND_BITS = 128
MAX_REGISTER_BITS = 64
MAX_REGISTERS = 1 << 16
MAX_WORDS = 1 << 24
MAX_ELEMENTS = 1 << 32
MAX_MEMORY_BYTES = 1 << 40
FLOATS = ("f16", "bf16", "f32")
ELEMENTS = (*FLOATS, "f64", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64")
NUMBERS = ("distance", "address", "none")
"""What a number may stand for in a relative operand."""
FAULTS = frozenset(("load", "store", "fetch", "load_misaligned", "store_misaligned"))
"""What may go wrong in an address space."""
_SPELLING = re.compile(r"[^\s,()\[\]{}:;#\"']{1,32}", re.ASCII)


def is_name(name: str) -> bool:
    """Return whether `name` can be used in the texts of records: an ASCII identifier that is no Python keyword."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def kind_problem(kind: Kind, state: dict[str, State]) -> str | None:
    """Return what is wrong with an operand kind, or None."""
    match kind:
        case Reg():
            if not 1 <= kind.bits <= 32:
                return f"a register field has 1 to 32 bits, not {kind.bits}"
            if not 1 <= kind.size <= 1 << kind.bits:
                return f"{kind.size} registers do not fit a field of {kind.bits} bits"
            if not kind.prefix and len(set(kind.names.values())) < (1 if kind.partial else kind.size):
                return "registers without a prefix need a name for each index"
            if kind.prefix and not _SPELLING.fullmatch(kind.prefix):
                return f"the prefix {kind.prefix[:40]!r} cannot be written in a program"
            for spelling, index in kind.names.items():
                if not _SPELLING.fullmatch(spelling):
                    return f"the register name {spelling[:40]!r} cannot be written in a program"
                if not 0 <= index < kind.size:
                    return f"the register name {spelling!r} stands for {index}, which is not in 0..{kind.size - 1}"
            if kind.file is not None and not isinstance(state.get(kind.file), RegFile):
                return f"its register file {kind.file[:40]!r} is not declared"
        case Imm():
            return _imm_problem(kind)
        case Placeholder():
            if not kind.spellings or not all(_SPELLING.fullmatch(s) for s in kind.spellings):
                return "a placeholder needs spellings that can be written in a program"
    return None


def _imm_problem(kind: Imm) -> str | None:
    if not 1 <= kind.bits <= MAX_OPERAND_BITS:
        return f"an immediate has 1 to {MAX_OPERAND_BITS} bits, not {kind.bits}"
    if not 1 <= kind.align <= 1 << kind.bits:
        return f"an alignment of {kind.align} makes no sense for {kind.bits} bits"
    bottom = -(1 << (kind.bits - 1)) if kind.signed else 0
    top = (1 << (kind.bits - 1 if kind.signed else kind.bits)) - 1
    sign = "signed" if kind.signed else "unsigned"
    for name, bound in (("min", kind.min), ("max", kind.max)):
        if bound is not None and not bottom <= bound <= top:
            return f"{name} = {bound} does not fit {kind.bits} {sign} bits ({bottom}..{top})"
    if kind.numbers not in NUMBERS or (kind.numbers != NUMBERS[0] and not kind.relative):
        return f"numbers is one of {', '.join(NUMBERS)}, and the first unless it is relative; not {kind.numbers[:40]!r}"
    for spelling, value in kind.names.items():
        if not _SPELLING.fullmatch(spelling):
            return f"the name {spelling[:40]!r} cannot be written in a program"
        if not kind.low <= value <= kind.high or value % kind.align:
            return f"the name {spelling!r} stands for {value}, which is not legal"
    if -(-kind.low // kind.align) * kind.align > kind.high:
        return f"no multiple of {kind.align} lies in its range"
    return None


def state_problem(state: State, scope: Scope) -> str | None:
    """Return what is wrong with a state declaration under the parameters of `scope`, or None.

    Raises:
        IsaError: KC0105 a size is not a parameter.
    """
    match state:
        case RegFile() | Scalar() | Words():
            if (state.bits is None) == (state.dtype is None):
                return "give either bits (integers) or dtype (floats)"
            if state.bits is not None and not 1 <= state.bits <= MAX_REGISTER_BITS:
                return f"bits is in 1..{MAX_REGISTER_BITS}, not {state.bits}"
            if state.dtype is not None and state.dtype not in FLOATS:
                return f"dtype is one of {', '.join(FLOATS)}, not {state.dtype[:40]!r}"
        case Array() | Rows():
            if state.dtype not in ELEMENTS:
                return f"dtype is one of {', '.join(ELEMENTS)}, not {state.dtype[:40]!r}"
            if not 1 <= len(state.shape) <= 4:
                return "shape has 1 to 4 dimensions"
        case Space():
            return _space_problem(state, scope)
        case _:
            pass
    return _size_problem(state, scope)


def _space_problem(space: Space, scope: Scope) -> str | None:
    if not space.regions:
        return "an address space has at least one region"
    spans: list[tuple[int, int, str]] = []
    for region in space.regions:
        memory = scope.state.get(region.memory)
        if not isinstance(memory, Bytes):
            return f"{region.memory[:40]!r} is not a byte memory"
        if not region.access or set(region.access) - set("rwx"):
            return f"access to {region.memory!r} is some of r, w and x, not {region.access[:40]!r}"
        base = scope.dim(memory.base)
        spans.append((base, base + scope.dim(memory.size), region.memory))
    spans.sort()
    for (_, end, a), (start, _, b) in itertools.pairwise(spans):
        if start < end:
            return f"{a!r} and {b!r} overlap"
    unknown = set(space.faults) - FAULTS
    return f"faults are {', '.join(sorted(FAULTS))}; not {sorted(unknown)[0][:40]!r}" if unknown else None


def _size_problem(state: State, scope: Scope) -> str | None:
    def outside(name: str, given: int | str, low: int, high: int) -> str | None:
        value = scope.dim(given)
        shown = f"{name} = {value}" if isinstance(given, int) else f"{name} = {given} = {value}"
        return None if low <= value <= high else f"{shown} is not in {low}..{high}"

    match state:
        case RegFile():
            if state.zero is not None and not 0 <= state.zero < state.count:
                return f"the zero register {state.zero} does not exist"
            return outside("count", state.count, 1, MAX_REGISTERS)
        case Scalar():
            if state.bits is not None and not (isinstance(state.reset, int) and 0 <= state.reset < 1 << state.bits):
                return f"the reset value {state.reset} does not fit {state.bits} bits"
        case Words():
            return outside("count", state.count, 1, MAX_WORDS)
        case Bytes():
            return outside("size", state.size, 1, MAX_MEMORY_BYTES) or outside("base", state.base, 0, 1 << 64)
        case Array() | Rows():
            sizes = (*state.shape, state.count) if isinstance(state, Rows) else state.shape
            for size in sizes:
                if problem := outside("a size", size, 1, MAX_ELEMENTS):
                    return problem
            if (total := prod(map(scope.dim, sizes))) > MAX_ELEMENTS:
                return f"{total} elements; at most {MAX_ELEMENTS} are allowed"
        case Opaque():
            pass
    return None


def name_problem(name: str) -> str | None:
    """Return why `name` cannot name state or a parameter, or None."""
    if not is_name(name):
        return "is not a name"
    return "has a fixed meaning in semantics" if name in RESERVED_NAMES else None
