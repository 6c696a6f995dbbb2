"""The records people write: operand kinds, state, instructions, pseudo-instructions, extensions.

Every record is immutable and holds plain data; `Isa` (in `isa.py`) checks them together. The same keys are accepted from
TOML (`extension.py`), so what a person writes as keyword arguments an agent writes as a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Union

from attrs import field, frozen

CATEGORIES = ("alu", "mul", "load", "store", "branch", "vector", "matrix", "dma", "config", "sync")
"""Closed list of instruction categories used by instruction-mix reports."""

TRAP_KINDS = (
    "illegal_instruction",
    "misaligned",
    "out_of_bounds",
    "illegal_operands",
    "hazard",
    "breakpoint",
    "arithmetic",
    "loop_stack",
    "environment",
)
"""Closed list of trap kinds; a target adds detail in the message, not kinds."""


def _texts(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(items)


# --- operand kinds -------------------------------------------------------------------------------------------------------


@frozen
class Reg:
    """A register operand: `prefix` and an index 0..count-1, in a field of `bits` bits; it indexes the register file `file`.

    `names` gives further spellings (ABI names): spelling -> index. With `partial` an index may have no spelling: it is what
    an operand has that is left out, or the encoding of nothing.
    """

    name: str
    bits: int
    prefix: str
    count: int | None = None
    file: str | None = None
    names: dict[str, int] = field(factory=dict)
    partial: bool = False

    @property
    def size(self) -> int:
        """Number of registers that may be named."""
        return self.count if self.count is not None else 1 << self.bits


@frozen
class Imm:
    """An integer operand of `bits` bits, signed or not, in `min..max`, a multiple of `align`.

    With `relative` the text may be a label and the value is label - pc; `numbers` says what a number stands for there: that
    `distance`, an `address` as a label does, or `none`: only labels may be written. With `lenient` the hardware gives a
    meaning to values the assembler refuses (above `max`): the decoder accepts them unless the run is strict. `names` gives
    spellings of values (`mstatus`), printed in their place.
    """

    name: str
    bits: int
    signed: bool = False
    min: int | None = None
    max: int | None = None
    align: int = 1
    relative: bool = False
    lenient: bool = False
    hint: str | None = None
    numbers: str = "distance"
    names: dict[str, int] = field(factory=dict)

    @property
    def low(self) -> int:
        """Smallest legal value."""
        floor = -(1 << (self.bits - 1)) if self.signed else 0
        return floor if self.min is None else self.min

    @property
    def high(self) -> int:
        """Largest legal value."""
        top = (1 << (self.bits - (1 if self.signed else 0))) - 1
        return (top if self.max is None else self.max) // self.align * self.align


@frozen
class Placeholder:
    """An operand that must be one of `spellings` and is not encoded; the first spelling is what the disassembler prints."""

    name: str
    spellings: tuple[str, ...] = ("0",)


Kind = Union[Reg, Imm, Placeholder]


# --- state ---------------------------------------------------------------------------------------------------------------


@frozen
class RegFile:
    """`count` registers: unsigned integers of `bits` bits that wrap, or floats rounded to `dtype` (`f16`, `bf16`, `f32`).

    Register number `zero`, if given, reads as zero and ignores writes.
    """

    name: str
    count: int
    bits: int | None = None
    dtype: str | None = None
    zero: int | None = None
    doc: str = ""


@frozen
class Scalar:
    """One register: an unsigned integer of `bits` bits that wraps, or a float rounded to `dtype`; `reset` at start."""

    name: str
    bits: int | None = None
    dtype: str | None = None
    reset: int | float = 0
    doc: str = ""


@frozen
class Array:
    """A small array held as one value (an accumulator); dimensions may be parameter names."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    doc: str = ""


@frozen
class Words:
    """A word-addressed memory of `count` words, integers of `bits` bits or floats rounded to `dtype`."""

    name: str
    count: int | str
    bits: int | None = None
    dtype: str | None = None
    doc: str = ""


@frozen
class Rows:
    """A memory of `count` rows (or tiles) of `shape`, addressed in elements; an access names the first element of a row.

    An address that is not a multiple of the row size traps `misaligned`, one past the end `out_of_bounds`.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    count: int | str
    doc: str = ""


@frozen
class Bytes:
    """A byte-addressed memory of `size` bytes from address `base`."""

    name: str
    size: int | str
    base: int | str = 0
    align: bool = True
    doc: str = ""


@frozen
class Region:
    """One byte memory of an address space and what may be done with it: letters of `rwx` (load, store, fetch)."""

    memory: str
    access: str = "rwx"


@frozen
class Fault:
    """What an access that goes wrong is called, and the number the target gives it (its detail `cause`)."""

    text: str
    cause: int


def _as_regions(items: Iterable[Region]) -> tuple[Region, ...]:
    return tuple(items)


@frozen
class Space:
    """An address space: byte memories at their bases, each with its access rights; everything else faults.

    `load` and `store` take it like a byte memory; an access lies in one region as a whole or faults. `faults` names what
    may go wrong: `load`, `store`, `fetch`, and with `align` also `load_misaligned` and `store_misaligned`.
    """

    name: str
    regions: tuple[Region, ...] = field(converter=_as_regions)
    faults: dict[str, Fault] = field(factory=dict)
    align: bool = False
    doc: str = ""


@frozen
class Opaque:
    """State that only primitives understand (a loop stack); `factory(context)` makes a fresh one for each run.

    With `clocked`, `context.instret` is up to date whenever a primitive receives this state; with `timed` also
    `context.cycles`.
    """

    name: str
    factory: Any
    clocked: bool = False
    timed: bool = False
    doc: str = ""


State = Union[RegFile, Scalar, Array, Words, Rows, Bytes, Space, Opaque]


# --- instructions --------------------------------------------------------------------------------------------------------


@frozen
class Instr:
    """One instruction, described once.

    Attributes:
        syntax: the assembly form, `MNEMONIC name:kind, name:kind=default, ...`; punctuation stands for itself.
        encoding: the bit layout (see `encoding.py`).
        semantics: statements over the state before the instruction (see `semantics.py`).
        category: one of `CATEGORIES`.
        unit: the execution resource, a name of the target's.
        latency: cycles, an expression over parameters and operands (and registers, where the time depends on them).
        interval: initiation interval in cycles, an expression; the latency when empty.
        timing: name of a timing class that the machine's timing model prices instead of `latency`.
        also: further accepted syntaxes, never printed; each must provide the same operands.
        replaces: name of the instruction of the base ISA that this one supersedes (extensions only).
        delay: cycles until the result is visible, where the architecture exposes that (0: at once).
        name: unique name; the mnemonic unless several instructions share one.
        note: a remark shown when a program uses the instruction wrongly.
        doc: what it does, one or two sentences. source: where the fact comes from.
        examples: lines that must assemble; shown in the reference.
    """

    syntax: str
    encoding: str
    semantics: str
    category: str
    unit: str
    latency: str | int = "1"
    interval: str | int = ""
    timing: str = ""
    also: tuple[str, ...] = field(default=(), converter=_texts)
    replaces: str | None = None
    delay: int = 0
    name: str = ""
    doc: str = ""
    note: str = ""
    source: str = ""
    examples: tuple[str, ...] = field(default=(), converter=_texts)


@frozen
class Pseudo:
    """A line that stands for other lines; `{expression}` in `expansion` is computed from the operands.

    `when` is a condition over the operands: the first pseudo-instruction of a name whose condition holds is used.
    """

    syntax: str
    expansion: tuple[str, ...] = field(converter=_texts)
    when: str = "1"
    doc: str = ""


@frozen
class Relocation:
    """What `%name(x)` in an operand means: `apply(value of x, address of the statement)`.

    With `of`, x is a label of a statement that used the relocation of that name: the value is the one it was used with
    there, and the address is that statement's (`%pcrel_lo` of RISC-V).
    """

    name: str
    apply: Callable[[int, int], int]
    of: str = ""
    doc: str = ""


def as_kinds(items: Iterable[Kind]) -> tuple[Kind, ...]:
    """Return operand kinds as a tuple."""
    return tuple(items)


def as_state(items: Iterable[State]) -> tuple[State, ...]:
    """Return state declarations as a tuple."""
    return tuple(items)


def as_instrs(items: Iterable[Instr]) -> tuple[Instr, ...]:
    """Return instructions as a tuple."""
    return tuple(items)


def as_pseudos(items: Iterable[Pseudo]) -> tuple[Pseudo, ...]:
    """Return pseudo-instructions as a tuple."""
    return tuple(items)


@frozen
class Extension:
    """A set of additions to a base ISA, named `Xname`.

    `requires` names extensions that must be applied before; `replaces` is stated by the instructions that supersede one.
    `origin` is the file it came from, for messages.
    """

    name: str
    extends: str
    requires: tuple[str, ...] = field(default=(), converter=_texts)
    params: dict[str, int] = field(factory=dict)
    kinds: tuple[Kind, ...] = field(default=(), converter=as_kinds)
    state: tuple[State, ...] = field(default=(), converter=as_state)
    instrs: tuple[Instr, ...] = field(default=(), converter=as_instrs)
    pseudos: tuple[Pseudo, ...] = field(default=(), converter=as_pseudos)
    doc: str = ""
    origin: str = ""
    places: dict[str, tuple[int, int]] = field(factory=dict, eq=False, repr=False)
    """Where fields stand in `origin`: `instr.3.semantics` -> (line, column) of the first character."""
    lines: tuple[str, ...] = field(default=(), converter=_texts, eq=False, repr=False)
    """The lines of `origin`, to show beside a finding."""
