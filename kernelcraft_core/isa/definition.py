"""A checked instruction, and what follows from one alone: its word, its operands' roles, the state it touches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import frozen

from kernelcraft_core.isa import ir
from kernelcraft_core.isa.encoding import Encoding
from kernelcraft_core.isa.model import Imm, Instr, Kind, Placeholder, Reg
from kernelcraft_core.isa.syntax import Form


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


def executes(kind: Kind, value: int) -> bool:
    """Return whether the hardware gives `value` a meaning (what a run that is not strict accepts)."""
    return (isinstance(kind, Imm) and kind.lenient) or fits(kind, value)
