"""What is PLENA's own about assembling: its dialect, and checks of whole programs.

There are no branches, so the nesting of hardware loops is known before a program runs.

| code | severity | meaning |
| --- | --- | --- |
| KC0260 | error | C_LOOP_END without an open loop that counts in its register |
| KC0261 | error | C_LOOP_START that is never closed |
| KC0262 | error | loops cross: the innermost open loop counts in another register |
| KC0263 | error | the counter of an enclosing loop is used again |
| KC0264 | warning | the counter of a loop is written in its body |
| KC0265 | warning | gp0, zero by convention only, is written with something else |
| KC0266 | warning | an instruction that does nothing because of its destination |

Which operand an instruction writes, and when it does nothing, is read off its semantics, so extensions are checked too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kernelcraft_core.asm import Assembler, Dialect, bounded
from kernelcraft_core.diagnostics import MAX_DIAGNOSTICS, WARNING, Diagnostic, Span
from kernelcraft_core.isa import Definition, Isa, Program, Reg, ir
from kernelcraft_core.isa.fold import fold

_HEAD = "profile head (the public emulator of July 2026)"
_DLLM = "the extension Xdllm (machine dllm)"
DIALECT = Dialect(
    comments=(";", "//"),
    labels=False,
    constants=False,
    expressions=False,
    directives=False,
    binary=False,
    elsewhere={
        **dict.fromkeys(("M_BMV", "M_BTMV", "M_BMV_WO", "V_SHFT_V", "V_MAX_VF", "V_MIN_VF", "V_TOPK"), _HEAD),
        **dict.fromkeys(("V_RED_MAX_IDX", "V_SELECT_VVM", "V_TOPK_MASK", "S_SELECT_INT"), _DLLM),
        "C_BREAK": f"{_HEAD}, and does not leave a loop there either: the C_LOOP_END that follows has no partner",
    },
)
"""One instruction per line, `;` and `//` comments, decimal and 0x numbers; no labels, symbols, expressions, directives."""

_LOOP_START, _LOOP_END = "C_LOOP_START", "C_LOOP_END"
_FILE = "gp"
Indices = NDArray[np.int64]
Words = NDArray[np.uint32]


def make_assembler(isa: Isa) -> Assembler:
    """Return the assembler of PLENA, `isa` being the base ISA or one with extensions."""
    return Assembler(isa, DIALECT, checks=(check,))


def check(program: Program, isa: Isa) -> list[Diagnostic]:
    """Return what is wrong or suspicious about a whole program: at most 20 errors, 20 warnings and how many more."""
    words = np.array(program.words, dtype=np.uint32)
    errors, loops = _loops(program, isa, words)
    written = _written(isa, words)
    found: list[Diagnostic] = list(errors)
    more = 0
    for part, extra in (_counters(program, loops, written), _zero(program, isa, words), _idle(program, isa, words)):
        found += part
        more += extra
    return bounded(found, more=more)


# --- places ------------------------------------------------------------------------------------------------------------


def _place(program: Program, index: int, register: str | None = None) -> Span:
    """Return where item `index` stands in the source, the caret under `register` if it is given."""
    line = program.lines[index]
    text = program.source[line - 1] if line <= len(program.source) else ""
    code = re.split(r";|//", text, maxsplit=1)[0]
    m = re.search(rf"\b{register}\b", code) if register else None
    start = m.start() if m else len(code) - len(code.lstrip())
    return Span(program.filename, line, start + 1, max(1, len(m[0]) if m else len(code.strip())), text)


def _warn(
    program: Program, code: str, indices: Iterable[int], messages: Iterable[str], register: str, hint: str | None = None
) -> list[Diagnostic]:
    return [
        Diagnostic(code, message, _place(program, int(index), register), hint, severity=WARNING)
        for index, message in zip(indices, messages, strict=True)
    ]


def _field(words: Words, definition: Definition, operand: str) -> Words:
    """Return the raw bits of an operand in each of `words`."""
    out = np.zeros(len(words), np.uint32)
    for piece in definition.encoding.by_operand[operand]:
        bits = (words >> np.uint32(piece.dst)) & np.uint32((1 << piece.width) - 1)
        out |= bits << np.uint32(piece.src)
    return out


def _of(words: Words, definition: Definition) -> Indices:
    """Return the indices of the words that are this instruction."""
    encoding = definition.encoding
    return np.flatnonzero((words & np.uint32(encoding.mask)) == np.uint32(encoding.match))


# --- loops -------------------------------------------------------------------------------------------------------------


@frozen
class _Loop:
    """A closed loop: indices of its first and last instruction, and its counter register."""

    start: int
    end: int
    register: int


def _loops(program: Program, isa: Isa, words: Words) -> tuple[list[Diagnostic], list[_Loop]]:
    """Return what is wrong with the nesting of loops, and the loops that are closed."""
    if _LOOP_START not in isa or _LOOP_END not in isa:
        return [], []
    first, last = isa[_LOOP_START], isa[_LOOP_END]
    starts, ends = _of(words, first), _of(words, last)
    events = [(int(i), int(r), True) for i, r in zip(starts, _field(words[starts], first, "rd"), strict=True)]
    events += [(int(i), int(r), False) for i, r in zip(ends, _field(words[ends], last, "rd"), strict=True)]
    events.sort()
    found: list[Diagnostic] = []
    loops: list[_Loop] = []
    stack: list[tuple[int, int]] = []
    for index, register, opens in events:
        if len(found) >= MAX_DIAGNOSTICS:
            return found, []
        at = next((n for n in range(len(stack) - 1, -1, -1) if stack[n][1] == register), None)
        if opens:
            if at is not None:
                line = program.lines[stack[at][0]]
                message = f"gp{register} already counts the enclosing loop of line {line}"
                hint = "use another register: this one would lose the outer count"
                found.append(Diagnostic("KC0263", message, _place(program, index, f"gp{register}"), hint))
            stack.append((index, register))
        elif at is None:
            message = f"C_LOOP_END gp{register} without an open C_LOOP_START gp{register}"
            found.append(Diagnostic("KC0260", message, _place(program, index)))
        else:
            if at < len(stack) - 1:
                inner, counter = stack[-1]
                message = f"loops cross: the innermost open loop counts in gp{counter} (line {program.lines[inner]})"
                hint = f"close it first: C_LOOP_END gp{counter}"
                found.append(Diagnostic("KC0262", message, _place(program, index), hint))
            loops.append(_Loop(stack.pop(at)[0], index, register))
    for index, register in stack[: MAX_DIAGNOSTICS - len(found)]:
        message = f"C_LOOP_START gp{register} is never closed"
        found.append(
            Diagnostic("KC0261", message, _place(program, index), f"end its body with C_LOOP_END gp{register}")
        )
    return found, loops


def _counters(program: Program, loops: Sequence[_Loop], written: Mapping[int, Indices]) -> tuple[list[Diagnostic], int]:
    """Return warnings about writes to the counter of a loop in its body, and how many more there are."""
    found: list[tuple[int, _Loop]] = []
    more = 0
    for register in sorted({loop.register for loop in loops}):
        places = written.get(register)
        if places is None:
            continue
        own = [loop for loop in loops if loop.register == register]
        begin = np.searchsorted(places, [loop.start for loop in own], "right")
        end = np.searchsorted(places, [loop.end for loop in own], "left")
        depth = np.zeros(len(places) + 1, np.int64)
        np.add.at(depth, begin, 1)
        np.add.at(depth, end, -1)
        inside = places[np.flatnonzero(np.cumsum(depth[:-1]) > 0)]
        for index in inside[:MAX_DIAGNOSTICS].tolist():
            found.append((index, next(loop for loop in own if loop.start < index < loop.end)))
        more += max(0, len(inside) - MAX_DIAGNOSTICS)
    out = []
    for index, loop in sorted(found, key=lambda pair: pair[0]):
        name = f"gp{loop.register}"
        message = f"{name} counts the loop of line {program.lines[loop.start]}; writing it changes how often it runs"
        out += _warn(program, "KC0264", [index], [message], name)
    return out, more


# --- destinations ------------------------------------------------------------------------------------------------------


@frozen
class _Writer:
    """An instruction that writes the integer register which operand `operand` names; `value` is what it writes."""

    definition: Definition
    operand: str
    value: ir.Expr
    values: Mapping[str, ir.Expr]


@functools.lru_cache(maxsize=8)
def _writers(isa: Isa) -> tuple[_Writer, ...]:
    out = []
    for definition in isa:
        if definition.name == _LOOP_END:
            continue  # its counter is the loop's business
        values = {s.names[0]: s.value for s in definition.statements if isinstance(s, ir.Let) and len(s.names) == 1}
        for statement in definition.statements:
            if isinstance(statement, ir.Write) and statement.state == _FILE:
                if isinstance(statement.index, ir.OperandRef):
                    out.append(_Writer(definition, statement.index.name, statement.value, values))
    return tuple(out)


@functools.lru_cache(maxsize=8)
def _idlers(isa: Isa) -> tuple[tuple[Definition, str], ...]:
    """Return (instruction, register operand) where register 0 as destination makes every effect vanish."""
    out = []
    for definition in isa:
        effects = [s for s in definition.statements if not isinstance(s, ir.Let)]
        for name, role in definition.roles.items():
            if isinstance(definition.operands[name], Reg) and "destination" in role:
                guards = [s.guard for s in effects]
                if all(guard is not None and _fold(guard, {name: 0}, {}) == 0 for guard in guards):
                    out.append((definition, name))
    return tuple(out)


def _written(isa: Isa, words: Words) -> dict[int, Indices]:
    """Return register -> ascending indices of the instructions that write it, C_LOOP_START and C_LOOP_END left out."""
    indices, registers = [], []
    for writer in _writers(isa):
        if writer.definition.name != _LOOP_START:
            at = _of(words, writer.definition)
            indices.append(at)
            registers.append(_field(words[at], writer.definition, writer.operand))
    if not indices:
        return {}
    places, numbers = np.concatenate(indices), np.concatenate(registers)
    return {int(r): np.sort(places[numbers == r]) for r in np.unique(numbers)}


def _zero(program: Program, isa: Isa, words: Words) -> tuple[list[Diagnostic], int]:
    """Return warnings about writes to gp0 that may not be zero, and how many more there are."""
    idle = {(definition.name, operand) for definition, operand in _idlers(isa)}
    found: list[Diagnostic] = []
    more = 0
    for writer in _writers(isa):
        definition = writer.definition
        if (definition.name, writer.operand) in idle:
            continue
        at = _of(words, definition)
        at = at[_field(words[at], definition, writer.operand) == 0]
        distinct, which = np.unique(words[at], return_inverse=True)
        values = [_fold(writer.value, definition.extract(int(word)), writer.values) for word in distinct]
        suspicious = at[np.array([value != 0 for value in values], bool)[which]] if len(at) else at
        shown = suspicious[:MAX_DIAGNOSTICS].tolist()
        messages = [f"{definition.mnemonic} writes gp0, which is zero by convention only: the value stays"] * len(shown)
        hint = "write another register; everything that uses gp0 as zero would see the new value"
        found += _warn(program, "KC0265", shown, messages, "gp0", hint)
        more += len(suspicious) - len(shown)
    return found, more


def _idle(program: Program, isa: Isa, words: Words) -> tuple[list[Diagnostic], int]:
    """Return warnings about instructions that do nothing because of their destination, and how many more there are."""
    found: list[Diagnostic] = []
    more = 0
    for definition, operand in _idlers(isa):
        kind = definition.operands[operand]
        name = f"{kind.prefix}0" if isinstance(kind, Reg) else ""
        at = _of(words, definition)
        at = at[_field(words[at], definition, operand) == 0]
        shown = at[:MAX_DIAGNOSTICS].tolist()
        messages = [f"{definition.mnemonic} into {name} does nothing: the result is dropped"] * len(shown)
        found += _warn(program, "KC0266", shown, messages, name)
        more += len(at) - len(shown)
    return found, more


def _fold(expr: ir.Expr, operands: Mapping[str, int], named: Mapping[str, ir.Expr]) -> int | None:
    """Return the value of an expression as far as the operands decide it, taking gp0 as zero; None when they do not."""

    def known(node: ir.Expr) -> int | None:
        match node:
            case ir.OperandRef(name=name):
                return operands.get(name)
            case ir.Local(name=name) if name in named:
                return fold(named[name], known)
            case ir.ReadReg(state=state, index=index) if state == _FILE:
                return 0 if fold(index, known) == 0 else None
        return None

    return fold(expr, known)
