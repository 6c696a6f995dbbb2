"""Pseudo-instructions: expansion lines with `{expression}` in them, compiled when the assembler is built."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, IsaError
from kernelcraft_core.isa import Isa, Pseudo, Reg, ir
from kernelcraft_core.isa.fold import fold
from kernelcraft_core.isa.model import Kind
from kernelcraft_core.isa.semantics import check_values
from kernelcraft_core.isa.syntax import UNNAMED, Form
from kernelcraft_core.isa.types import Scope

MAX_LINES = 1000
"""Most instructions one pseudo-instruction may become, others it uses counted in."""
MAX_DEPTH = 8
"""How deep pseudo-instructions may use one another."""
_KNOWN = (ir.Const, ir.OperandRef, ir.Pc, ir.Neg, ir.Bin, ir.Compare, ir.Logic, ir.IfExp, ir.Extend)
_HOLE = re.compile(r"\{([^{}]*)\}")


@frozen(eq=False)
class Hole:
    """A `{...}`: an expression, or a register operand that is written by its name."""

    value: ir.Expr
    register: Reg | None = None


@frozen(eq=False, slots=False)
class Template:
    """A compiled pseudo-instruction."""

    form: Form
    record: Pseudo
    lines: tuple[tuple[str | Hole, ...], ...]
    when: ir.Expr | None
    """Condition over the operands, None when it always holds."""

    @cached_property
    def placed(self) -> bool:
        """Whether what it stands for depends on its address."""
        parts = [part.value for line in self.lines for part in line if isinstance(part, Hole)]
        exprs = [*parts, *([self.when] if self.when is not None else [])]
        return any(isinstance(node, ir.Pc) for expr in exprs for node in ir.walk(expr))

    @staticmethod
    def uses(parts: Sequence[str | Hole], operand: str) -> bool:
        """Return whether pieces of a line depend on an operand, or on the address."""
        nodes = (node for part in parts if isinstance(part, Hole) for node in ir.walk(part.value))
        return any(isinstance(n, ir.Pc) or (isinstance(n, ir.OperandRef) and n.name == operand) for n in nodes)

    def holds(self, values: Mapping[str, int], pc: int) -> bool:
        """Return whether this variant is meant for these operand values."""
        return self.when is None or bool(compute(self.when, values, pc))

    def expand(self, values: Mapping[str, int], pc: int) -> list[str]:
        """Return the lines it stands for, given operand values and its own address."""
        return ["".join(fill(part, values, pc) for part in line) for line in self.lines]


def fill(part: str | Hole, values: Mapping[str, int], pc: int) -> str:
    """Return a piece of an expansion line for these operand values."""
    if isinstance(part, str):
        return part
    value = compute(part.value, values, pc)
    if part.register is None:
        return str(value)
    names = {index: name for name, index in reversed(part.register.names.items())}
    return f"{part.register.prefix}{value}" if part.register.prefix else names[value]


def compile_pseudo(form: Form, record: Pseudo, isa: Isa) -> Template:
    """Return the compiled pseudo-instruction.

    Raises:
        IsaError: KC0240 an expansion line is empty or uses what is not known when a program is assembled; KC012x an
            expression in it or its condition is wrong.
    """
    where = f"{isa.name}: pseudo-instruction {form.mnemonic}"
    operands = {o.name: o.kind for o in form.operands if o.name != UNNAMED}
    scope = Scope({}, dict(isa.params), {})
    lines = tuple(_compile_line(text, where, operands, scope) for text in record.expansion)
    always = record.when.strip() in ("", "1")
    when = None if always else _expression(record.when, f"{where} when", operands, scope)
    return Template(form, record, lines, when)


def _compile_line(text: str, where: str, operands: Mapping[str, Kind], scope: Scope) -> tuple[str | Hole, ...]:
    if not text.strip():
        raise IsaError(Diagnostic("KC0240", f"{where}: an expansion line is empty"))
    parts: list[str | Hole] = []
    position = 0
    for m in _HOLE.finditer(text):
        before = text[position : m.start()]
        parts.append(before)
        value = _expression(m[1], f"{where} expansion", operands, scope)
        kind = operands.get(m[1].strip())
        spelled = isinstance(kind, Reg) and not (before and (before[-1].isalnum() or before[-1] == "_"))
        parts.append(Hole(value, kind if spelled and isinstance(kind, Reg) else None))
        position = m.end()
    return (*parts, text[position:])


def _expression(text: str, where: str, operands: Mapping[str, Kind], scope: Scope) -> ir.Expr:
    expr = check_values(text.strip(), where, scope, operands, {})
    if not all(isinstance(node, _KNOWN) and isinstance(node.type, ir.Int) for node in ir.walk(expr)):
        raise IsaError(Diagnostic("KC0240", f"{where}: {text!r} may use operands, parameters, `pc` and integers only"))
    return expr


def compute(expr: ir.Expr, values: Mapping[str, int], pc: int) -> int:
    """Return the value of a checked expression over operands and the address; 0 where it divides by zero."""

    def known(node: ir.Expr) -> int | None:
        return values[node.name] if isinstance(node, ir.OperandRef) else pc if isinstance(node, ir.Pc) else None

    return fold(expr, known) or 0
