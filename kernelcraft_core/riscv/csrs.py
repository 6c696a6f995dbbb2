"""Control and status registers as a table, and the Zicsr instructions over it. A target supplies the rows.

The registers live in one opaque state, `csrs`. A row may instead mirror a single register of the ISA's state (`vl`), so that
other instructions reach it at full speed; the primitives are then handed those registers too.

Source: unprivileged manual, chapter Zicsr.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import frozen

from kernelcraft_core.isa import Imm, Instr, Opaque, Primitive
from kernelcraft_core.isa.model import Kind, State
from kernelcraft_core.riscv.traps import ILLEGAL, exception

ACCEPT, IGNORE, ZERO, TRAP = "accept", "ignore", "zero", "trap"
"""What a write does: it is kept, it has no effect, only 0 may be written, it is an illegal instruction."""


@frozen
class Csr:
    """One register.

    Attributes:
        number: 0..4095. name: as programs write it. reset: value at the start.
        counts: `cycle` or `instret` when it counts; it then reads as that count plus `offset`.
        high: for a counter: its upper half, where registers have 32 bits.
        state: name of the single register it mirrors.
        read_mask: bits a read shows. write_mask: bits a write changes.
        write: one of `accept`, `ignore`, `zero`, `trap`.
    """

    number: int
    name: str
    reset: int = 0
    counts: str = ""
    high: bool = False
    offset: int = 0
    state: str = ""
    read_mask: int = (1 << 64) - 1
    write_mask: int = (1 << 64) - 1
    write: str = ACCEPT
    doc: str = ""


COUNTERS: tuple[Csr, ...] = (
    Csr(0xB00, "mcycle", counts="cycle", doc="cycles since the start"),
    Csr(0xB02, "minstret", counts="instret", doc="completed instructions"),
    Csr(0xB80, "mcycleh", counts="cycle", high=True, doc="upper half of mcycle"),
    Csr(0xB82, "minstreth", counts="instret", high=True, doc="upper half of minstret"),
)
"""The machine-mode counters of a 32-bit machine."""


class CsrFile:
    """The registers of one run."""

    def __init__(self, table: Iterable[Csr], xlen: int, context: Any) -> None:
        """All registers have their reset values."""
        self.rows = {row.number: row for row in table}
        self.values = {row.number: row.reset for row in self.rows.values()}
        self.added = {"cycle": 0, "instret": 0}  # what writes to counters have added to them
        self.mask = (1 << xlen) - 1
        self.context = context

    def row(self, number: int) -> Csr:
        """Return the row of a register.

        Raises:
            Trap: `illegal_instruction`, there is none of that number.
        """
        row = self.rows.get(number)
        if row is None:
            raise exception(ILLEGAL, 0, f"there is no CSR {number:#05x}")
        return row

    def count(self, row: Csr) -> int:
        """Return the whole count, of 64 bits, behind a counter register."""
        now: int = self.context.clock if row.counts == "cycle" else self.context.instret
        return now + row.offset + self.added[row.counts] & (1 << 64) - 1

    def read(self, number: int, mirrors: dict[str, list[int]]) -> int:
        """Return what a read gives."""
        row = self.row(number)
        if row.counts:
            value = self.count(row) >> (32 if row.high else 0)
        else:
            value = mirrors[row.state][0] if row.state else self.values[number]
        return value & row.read_mask & self.mask

    def write(self, number: int, value: int, mirrors: dict[str, list[int]]) -> None:
        """Do what a write of `value` does.

        Raises:
            Trap: `illegal_instruction` the register is read-only, `illegal_operands` only 0 may be written.
        """
        row = self.row(number)
        if row.write == TRAP:
            raise exception(ILLEGAL, 0, f"{row.name} is read-only")
        if row.write == ZERO and value:
            raise exception(ILLEGAL, 0, f"{row.name} may only be written with 0 here, not with {value:#x}")
        if row.write == IGNORE:
            return
        if row.counts:
            old = self.count(row)
            part = (1 << 32) - 1 if self.mask < 1 << 32 else self.mask
            shift = 32 if row.high else 0
            self.added[row.counts] += (old & ~(part << shift) | (value & part) << shift) - old
            return
        store, place = (mirrors[row.state], 0) if row.state else (self.values, number)
        store[place] = store[place] & ~row.write_mask | value & row.write_mask


def csr_state(table: Sequence[Csr], xlen: int) -> tuple[State, ...]:
    """Return the state the registers live in."""
    rows = tuple(table)
    names = ", ".join(row.name for row in rows)
    return (
        Opaque("csrs", lambda context: CsrFile(rows, xlen, context), clocked=True, timed=True, doc=f"CSRs: {names}"),
    )


def csr_kinds(table: Iterable[Csr]) -> tuple[Kind, ...]:
    """Return the operand kinds of Zicsr: a register by number or name, and a 5-bit immediate."""
    return (Imm("csr", bits=12, names={row.name: row.number for row in table}), Imm("u5", bits=5))


def _mirrors(table: Iterable[Csr]) -> list[str]:
    return list(dict.fromkeys(row.state for row in table if row.state))


def csr_primitives(table: Sequence[Csr]) -> tuple[Primitive, ...]:
    """Return the primitives that read and write the registers of `table`."""
    names = _mirrors(table)

    def make_read(context: Any, file: CsrFile, *stores: list[int]) -> Callable[[int], int]:
        mirrors = dict(zip(names, stores, strict=True))
        return lambda number: file.read(number, mirrors)

    def make_write(context: Any, file: CsrFile, *stores: list[int]) -> Callable[[int, int], None]:
        mirrors = dict(zip(names, stores, strict=True))
        return lambda number, value: file.write(number, value, mirrors)

    stops = ("illegal_instruction",)
    return (
        Primitive(
            "csr_read",
            ("r:csrs", *(f"r:{name}" for name in names), "int"),
            "int<0,18446744073709551615>",
            make_read,
            "csr_read(csrs, ..., number): the value of a control and status register",
            stops,
        ),
        Primitive(
            "csr_write",
            ("rw:csrs", *(f"rw:{name}" for name in names), "int", "int"),
            "",
            make_write,
            "csr_write(csrs, ..., number, value): write a control and status register",
            stops,
        ),
    )


_OPERATIONS = (  # mnemonic, funct3, new value, whether operand 0 means no write, what it does
    ("csrrw", "001", "{v}", False, "writes {o} to csr"),
    ("csrrs", "010", "old | {v}", True, "sets the bits of csr that are set in {o}"),
    ("csrrc", "011", "old & ~{v}", True, "clears the bits of csr that are set in {o}"),
)


def zicsr(table: Sequence[Csr]) -> tuple[Instr, ...]:
    """Return the instructions that read and write the registers of `table`."""
    handles = ", ".join(("csrs", *_mirrors(table)))
    example = next(iter(table)).name
    out = []
    for mnemonic, funct3, value, guarded, what in _OPERATIONS:
        for suffix, operand, source, shown in (("", "rs1:x", "x[rs1]", "rs1"), ("i", "uimm:u5", "uimm", "uimm")):
            name = operand.partition(":")[0]
            guard = f"if {name}: " if guarded else ""
            number = funct3 if not suffix else f"1{funct3[1:]}"
            write = f"{guard}csr_write({handles}, csr, {value.format(v=source)})"
            out.append(
                Instr(
                    f"{mnemonic}{suffix} rd:x, csr:csr, {operand}",
                    encoding=f"csr {name} {number} rd 1110011",
                    semantics=f"old = csr_read({handles}, csr)\n{write}\nx[rd] = old",
                    category="config",
                    unit="csr",
                    doc=f"Reads csr into rd and {what.format(o=shown)}.",
                    examples=(f"{mnemonic}{suffix} a0, {example}, {'5' if suffix else 'a1'}",),
                )
            )
    return tuple(out)
