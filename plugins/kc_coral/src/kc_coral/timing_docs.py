"""The table of costs in the reference: what the timing model gives for each class of instructions alone.

Nothing is stated here: micro-ops come from the model's own tables, and cycles from stepping the model through instructions
that do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any

from kc_coral import timing_ops as ops
from kc_coral.timing_model import Scoreboard
from kc_coral.timing_ops import Op, describe
from kc_coral.timing_params import TimingParams
from kc_coral.timing_uops import PERMUTE, U_ALU, U_DIV, U_MUL, U_PRC, WIDE_REDUCE, Template
from kernelcraft_core.isa import Imm, Isa, Reg
from kernelcraft_core.isa.definition import Definition
from kernelcraft_core.isa.docs_costs import CostTable

HEAD = ("unit", "micro-ops", "first result", "one after another")
_INTRO = """\
Instructions overlap, so no instruction has a time of its own: cycles come from a model of the pipeline, and `kc sim --profile`
shows where they go. This is what the model gives for a class when nothing else is in the way, with an external latency of
RL = {read}, WL = {write}; all numbers are cycles.

- Micro-ops: n is the number of registers that vl needs, 1 for m1 up to 8 for m8.
- First result: when the first register can be used, counted from the issue of the micro-op (vector registers) or from dispatch
  (scalar registers).
- One after another: for each of many in a row that do not depend on each other; several numbers are for m1, m2, m4, m8. In
  a chain, where each needs the one before, the larger of this and of the first result counts.
"""
_SCALAR = {
    ops.ALU: "alu",
    ops.MUL: "multiply",
    ops.DIV: "divide",
    ops.BRANCH: "branch",
    ops.JUMP: "jump",
    ops.LOAD: "load",
    ops.STORE: "store",
    ops.CSR: "csr",
    ops.SYSTEM: "system",
    ops.MPAUSE: "end",
    ops.VSET: "vset",
}
_UNITS = {U_ALU: "valu", U_MUL: "vmul", U_PRC: "vprc", U_DIV: "vdiv"}
_STYLES = {PERMUTE: "permute", WIDE_REDUCE: "wide reduce"}
_LMULS = (1, 2, 4, 8)
_E8 = {m: m * 16 << 8 | code for code, m in enumerate(_LMULS)}
"""Registers -> the configuration (`vl << 8 | vtype`) of e8 that fills them."""
_REGISTERS = {"vd": 8, "vs3": 8, "vs2": 16, "vs1": 24, "rd": 10, "rs1": 11, "rs2": 12}
_MSCRATCH, _LINE, _BACKWARD = 0x340, 16, -64
_SETTLED, _MEASURED = 16, 16
"""Instructions before a measurement, and in it."""


@lru_cache(maxsize=16)
def costs(isa: Isa, params: TimingParams) -> CostTable:
    """Return the cost table of `isa` (Coral's, or an extension of it) for a machine with these numbers."""
    classes: dict[str, str] = {}
    rows: dict[str, tuple[str, ...]] = {}
    for definition in isa:
        op = describe(_word(definition), 0)
        name = _class(op)
        classes[definition.name] = name
        if name not in rows:
            rows[name] = _row(definition, op, params)
    intro = _INTRO.format(read=params.read_latency, write=params.write_latency)
    return CostTable(intro, HEAD, {name: rows[name] for name in sorted(rows, key=_rank)}, classes)


def _rank(name: str) -> tuple[int, str]:
    scalar = list(_SCALAR.values())
    return (scalar.index(name.split()[0]) if name.split()[0] in scalar else len(scalar), name)


def _word(definition: Definition, **changed: int) -> int:
    """Return the word of an instruction with operands that do not meet."""
    values: dict[str, int] = {}
    for name, kind in definition.operands.items():
        if name in definition.defaults:
            values[name] = definition.defaults[name]
        elif isinstance(kind, Reg):
            values[name] = _REGISTERS.get(name, 0)
        elif isinstance(kind, Imm):
            values[name] = _MSCRATCH if name == "csr" else max(kind.low, 0)
    return definition.encode(values | changed)


# --- classes ----------------------------------------------------------------------------------------------------------


def _counts(op: Op) -> tuple[int, ...]:
    """Return the micro-ops for m1, m2, m4, m8, as far as a group of that size is legal."""
    return tuple(n for n in (len(_template(op, m).uops) for m in _LMULS) if n <= 8)


def _template(op: Op, registers: int) -> Template:
    return op.template(_config(op, registers))


def _config(op: Op, registers: int) -> int:
    """Return a configuration of so many registers: elements as wide as those a load or store moves, of a byte otherwise."""
    width = {1: 0, 2: 1, 4: 2}[op.size or 1]
    return registers * (16 >> width) << 8 | width << 3 | _LMULS.index(registers)


def _fields(op: Op) -> int:
    return (op.word >> 29) + 1


def _whole(op: Op) -> bool:
    """Return whether a load or store moves whole registers or a mask, whatever LMUL is."""
    return op.word >> 26 & 3 == 0 and op.word >> 20 & 31 in (8, 11)


def _pattern(op: Op) -> str:
    """Return the micro-ops as text: `n`, `2n`, a number, or in words."""
    counts = _counts(op)
    if op.kind == ops.VMEMORY:
        return "1 for each register" if _whole(op) else "n" if _fields(op) == 1 else "n for each field"
    if len(set(counts)) == 1 and len(counts) > 1:
        return str(counts[0])
    return "n" if counts[0] == 1 else f"{counts[0]}n"


def _class(op: Op) -> str:
    """Return the name of the class of an instruction: equal costs, equal names."""
    if op.kind == ops.JUMP and not op.predicted:
        return "jump to register"
    if op.kind in _SCALAR:
        return _SCALAR[op.kind]
    if op.kind == ops.VMEMORY:
        store = op.word & 0x7F == 0x27
        kind = "whole" if _whole(op) else "segment" if _fields(op) > 1 else "vector"
        return f"{kind} {'store' if store else 'load'}"
    work = _template(op, 1)
    unit = _UNITS[work.unit]
    if work.scalar:
        return f"{unit} count" if work.slow else f"{unit} to x"
    return " ".join(part for part in (unit, _STYLES.get(work.style), _pattern(op)) if part)


# --- cycles -----------------------------------------------------------------------------------------------------------


def _row(definition: Definition, op: Op, params: TimingParams) -> tuple[str, ...]:
    """Return the cells of the class of an instruction."""
    if op.kind == ops.VMEMORY:
        return _memory_row(definition, op, params)
    if op.kind == ops.VECTOR:
        return _vector_row(definition, op, params)
    unit = definition.record.unit
    if op.kind == ops.MPAUSE:
        return unit, "", "", "waits for all that is older"
    if op.kind in (ops.BRANCH, ops.JUMP):
        return unit, "", "1 after dispatch" if op.rd else "", _control(definition, op, params)
    results, paces = [], []
    for name, values in _cases(op).items():
        results.append(name + _range([_scalar_result(op, value, params) for value in values]))
        paces.append(name + _range([_pace(_repeated(definition, value), params) for value in values]))
    return unit, "", f"{', '.join(results)} after dispatch" if op.rd else "", ", ".join(paces)


def _cases(op: Op) -> dict[str, tuple[Any, ...]]:
    """Return what the cost of a scalar instruction depends on: name -> values that the model is given."""
    if op.kind == ops.DIV:
        return {"": tuple(range(32))}
    if op.kind in (ops.LOAD, ops.STORE):
        return {"DTCM ": (1,), "external ": (-1,)}
    return {"": (_E8[1] if op.kind == ops.VSET else None,)}


def _scalar_result(op: Op, value: Any, params: TimingParams) -> int:
    board = Scoreboard(params)
    at = board.step(op, value)
    return board.ready[op.rd] - at


def _control(definition: Definition, op: Op, params: TimingParams) -> str:
    """Return what transfers of control cost, each at the start of a fetch line."""

    def pace(value: Any, **changed: int) -> str:
        stream = ((describe(_word(definition, **changed), _LINE * k), value) for k in _numbers())
        return _number(_pace(stream, params))

    if op.kind == ops.JUMP:
        return pace(None)
    (offset,) = (name for name, kind in definition.operands.items() if isinstance(kind, Imm))
    backward = {offset: _BACKWARD}
    falls = _number(_pace(_repeated(definition, False), params))
    return f"not taken {falls}, backward and taken {pace(True, **backward)}, mispredicted {pace(True)}"


def _vector_row(definition: Definition, op: Op, params: TimingParams) -> tuple[str, ...]:
    """Return the cells of the class of a vector instruction that is no load or store."""
    values: tuple[int, ...] = (1, 32) if op.dynamic else (0,)
    first = [_vector_result(op, bits, params) for bits in values]
    paces = []
    for m in _sizes(op):
        streams = [_rotated(definition, m, partial(_lanes, op, bits)) for bits in values]
        paces.append(_range([_pace(stream, params, _E8[m]) for stream in streams]))
    since = "dispatch" if op.rd else "issue"
    return _UNITS[_template(op, 1).unit], _pattern(op), f"{_range(first)} after {since}", ", ".join(paces)


def _sizes(op: Op) -> tuple[int, ...]:
    """Return the group sizes that the cost depends on: those that are legal, or one alone."""
    counts = _counts(op)
    return _LMULS[: len(counts)] if len(set(counts)) > 1 else _LMULS[:1]


def _lanes(op: Op, bits: int, uops: int) -> Any:
    """Return what the model must know of a division: the bits each micro-op works on, none of which finds its results there."""
    return (bits,) * uops if op.dynamic else None


def _vector_result(op: Op, bits: int, params: TimingParams) -> int:
    """Return the cycles from issue to the first result, or from dispatch to a scalar one, with m1."""
    board = Scoreboard(params)
    board.config = _E8[1]
    uops = _template(op, 1).uops
    at = board.step(op, _lanes(op, bits, len(uops)))
    if op.rd:
        return board.ready[op.rd] - at
    result = next(uop.result for uop in uops if uop.result >= 0)
    return board.vready[result] - board.issued[-len(uops)]


def _same(accesses: int, uops: int) -> tuple[int, ...]:
    return (accesses,) * uops


def _memory_row(definition: Definition, op: Op, params: TimingParams) -> tuple[str, ...]:
    """Return the cells of vector loads and stores of aligned data that lie one behind the other."""
    store = op.word & 0x7F == 0x27
    results, paces = [], []
    lines = 1 if _whole(op) else _fields(op)  # a register of a segment access touches as many as there are fields
    for name, line in (("DTCM", lines), ("external", -lines)):
        board = Scoreboard(params)
        board.config = _config(op, 1)
        uops = _template(op, 1).uops
        board.step(op, _same(line, len(uops)))
        results.append(f"{name} {board.vready[_REGISTERS['vd']] - board.issued[-len(uops)]}")
        streams = [(_rotated(definition, m, partial(_same, line)), _config(op, m)) for m in _sizes(op)]
        paces.append(f"{name} {', '.join(_number(_pace(stream, params, config)) for stream, config in streams)}")
    further = params.write_latency + 2 if store else params.read_latency + 1
    if not _whole(op):
        paces.append(f"each further line of a micro-op: DTCM 1, external {further}")
        if _fields(op) > 1:
            paces[0] = f"with {_fields(op)} fields " + paces[0]
    return definition.record.unit, _pattern(op), "" if store else f"{', '.join(results)} after issue", "; ".join(paces)


def _numbers() -> range:
    return range(_SETTLED + _MEASURED + 1)


def _repeated(definition: Definition, value: Any) -> Iterator[tuple[Op, Any]]:
    """Return an instruction again and again, with other destinations each time; a vset keeps its own."""
    rotates = "rd" in definition.operands and definition.record.category != "config"
    for k in _numbers():
        changed = {"rd": 16 + k % 8} if rotates else {}
        yield describe(_word(definition, **changed), 4 * k), value


def _rotated(definition: Definition, registers: int, value: Callable[[int], Any]) -> Iterator[tuple[Op, Any]]:
    """Return a vector instruction again and again, with the destinations v8 to v15 in turn."""
    (name,) = {"vd", "vs3", "rd"} & set(definition.operands)
    uops = len(_template(describe(_word(definition), 0), registers).uops)
    for k in _numbers():
        changed = {name: 8 + max(registers, uops) * k % 8}
        yield describe(_word(definition, **changed), 4 * k), value(uops)


def _pace(stream: Iterable[tuple[Op, Any]], params: TimingParams, config: int = 0) -> float:
    """Return the cycles for each instruction of a stream in steady state."""
    board = Scoreboard(params)
    board.config = config
    at = [board.step(op, value) for op, value in stream]
    return (at[_SETTLED + _MEASURED] - at[_SETTLED]) / _MEASURED


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _range(values: list[int] | list[float]) -> str:
    low, high = min(values), max(values)
    return _number(low) if low == high else f"{_number(low)} to {_number(high)}"
