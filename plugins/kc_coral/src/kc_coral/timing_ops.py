"""Static timing records: what the scoreboard must know of an instruction, worked out once from its word and address.

Field numbers, sources and classes follow the ratified encodings; vector fields double as scalar register numbers in the
dispatch rules, which is how the hardware compares them.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), behaviour measured on the generated RTL.
"""

from __future__ import annotations

from functools import lru_cache

from kc_coral.timing_uops import Template, template

ALU, MUL, DIV, BRANCH, JUMP, LOAD, STORE, CSR, SYSTEM, MPAUSE, VSET, VECTOR, VMEMORY = range(13)
"""Classes of instructions: how results and completion are timed."""

MPAUSE_WORD = 0x0800_0073
VXSAT, VXRM = 0x009, 0x00A
_INTERLOCKED_M = {*range(8), 0b010100, 0b010111}  # reductions; vmsbf vmsof vmsif viota (vid excepted); vcompress
_DIVISIONS = range(0b100000, 0b100100)
_VWADD = {0b110000, 0b110001}
_VID, _VCPOP, _VFIRST = 17, 16, 17


class Op:
    """The timing record of one static instruction.

    Attributes:
        pc: byte address of a vector store, 0 for others.
        word: the instruction.
        kind: class (`ALU` .. `VMEMORY`).
        field: bits 11:7.
        rd: scalar register written, 0 for none.
        sources: scalar registers that must be ready.
        late: scalar registers that are needed a cycle earlier than others (bases, scalar store data, jalr).
        reads: bit set of all scalar registers read.
        own: bit set of `field`; 0 for scalar stores and branches, which reserve nothing.
        waits: `field` when dispatch waits for an older write of it, 0 otherwise.
        new_line: the address starts a fetch line.
        predicted: predicted taken.
        first: must be first in its dispatch group.
        ends: ends its dispatch group.
        dynamic: its cost depends on a value (`timing_model.Scoreboard`).
        vector: counts as a vector instruction for the configuration interlock.
        interlocked: waits for the configuration interlock.
        csr: number of the CSR accessed, -1 for none.
        size: bytes of a scalar access, or of an element of a vector access.
        signed: for divisions, whether the operands are signed.
        templates: micro-ops by configuration (`vl << 8 | vtype`).
    """

    __slots__ = (
        "csr",
        "dynamic",
        "ends",
        "field",
        "first",
        "interlocked",
        "kind",
        "late",
        "new_line",
        "own",
        "pc",
        "predicted",
        "rd",
        "reads",
        "signed",
        "size",
        "sources",
        "templates",
        "vector",
        "waits",
        "word",
    )

    def __init__(self, word: int, pc: int, kind: int, *, new_line: bool) -> None:
        self.pc = pc
        self.word = word
        self.kind = kind
        self.field = word >> 7 & 31
        self.rd = self.field
        self.sources: tuple[int, ...] = ()
        self.late: tuple[int, ...] = ()
        self.reads = 0
        reserves = kind not in (STORE, BRANCH)
        self.own = 1 << self.field if reserves else 0
        self.waits = self.field if reserves else 0
        self.new_line = new_line
        self.predicted = False
        self.first = kind in (CSR, SYSTEM, MPAUSE, DIV)
        self.ends = kind in (BRANCH, JUMP, CSR, SYSTEM, MPAUSE)
        self.vector = kind in (VSET, VECTOR, VMEMORY)
        self.interlocked = kind == VMEMORY
        self.csr = -1
        self.size = 0
        self.signed = False
        self.dynamic = kind in (BRANCH, LOAD, STORE, VMEMORY)
        self.templates: dict[int, Template] = {}

    def template(self, config: int) -> Template:
        """Return the micro-ops under `config` (`vl << 8 | vtype`)."""
        found = self.templates.get(config)
        if found is None:
            found = self.templates[config] = template(self.word, config >> 8, config & 0xFF)
        return found


def _read(op: Op, sources: tuple[int, ...], late: tuple[int, ...] = ()) -> Op:
    op.sources, op.late = sources, late
    for register in sources + late:
        op.reads |= 1 << register
    return op


def _multiply(op: Op, rs1: int, rs2: int) -> Op:
    function = op.word >> 12 & 7
    if op.word >> 25 == 1:
        op.kind = DIV if function >= 4 else MUL
        op.first = op.dynamic = function >= 4
        op.signed = function in (4, 6)
    return _read(op, (rs1, rs2))


def _system(op: Op, rs1: int) -> Op:
    function = op.word >> 12 & 7
    if function:
        op.csr = op.word >> 20
        op.vector = op.csr in (VXSAT, VXRM)
        return _read(op, () if function & 4 else (rs1,))
    op.kind = MPAUSE if op.word == MPAUSE_WORD else SYSTEM
    return op


def _vector(op: Op, rs1: int, rs2: int) -> Op:
    word = op.word
    function, funct6 = word >> 12 & 7, word >> 26
    if function == 7:
        op.kind, op.dynamic = VSET, True
        if not word >> 31:
            return _read(op, (rs1,))
        return op if word >> 30 == 3 else _read(op, (rs1, rs2))
    op.rd = 0
    op.dynamic = function in (2, 6) and funct6 in _DIVISIONS
    if function == 2:
        op.interlocked = funct6 in _INTERLOCKED_M and not (funct6 == 0b010100 and rs1 == _VID)
        op.interlocked |= funct6 in _VWADD or (funct6 == 0b010000 and rs1 in (_VCPOP, _VFIRST))
        if funct6 == 0b010000:
            op.rd = op.field
    return _read(op, (rs1,)) if function in (4, 6) else op


def describe(word: int, pc: int, line: int = 16) -> Op:
    """Return the timing record of the instruction `word` at byte address `pc`; words are taken to be legal.

    Equal instructions share a record, except for vector stores, whose passes the hardware tells apart by their address.

    Source: the RISC-V unprivileged specification and RVV 1.0 for the fields.
    """
    return _described(word, pc % line == 0, pc if word & 0x7F == 0x27 else 0)


@lru_cache(maxsize=1 << 14)
def _described(word: int, new_line: bool, pc: int) -> Op:
    opcode, rs1, rs2 = word & 0x7F, word >> 15 & 31, word >> 20 & 31
    width = word >> 12 & 7
    kinds = {0x63: BRANCH, 0x6F: JUMP, 0x67: JUMP, 0x03: LOAD, 0x23: STORE, 0x73: CSR, 0x57: VECTOR}
    kind = VMEMORY if opcode in (0x07, 0x27) else kinds.get(opcode, ALU)
    if opcode == 0x0F and width == 1:
        kind = SYSTEM
    if word == MPAUSE_WORD:
        kind = MPAUSE
    op = Op(word, pc, kind, new_line=new_line)
    if opcode == 0x63:
        op.rd = 0
        op.predicted = bool(word >> 31)
        return _read(op, (rs1, rs2))
    if opcode == 0x6F:
        op.predicted = True
    elif opcode == 0x67:
        _read(op, (), (rs1,))
    elif opcode in (0x03, 0x23):
        op.size = 1 << (width & 3)
        op.rd = op.field if opcode == 0x03 else 0
        _read(op, (), (rs1,) if opcode == 0x03 else (rs1, rs2))
    elif opcode == 0x13:
        _read(op, (rs1,))
    elif opcode == 0x33:
        _multiply(op, rs1, rs2)
    elif opcode == 0x73:
        _system(op, rs1)
    elif opcode == 0x57:
        _vector(op, rs1, rs2)
    elif opcode in (0x07, 0x27):
        op.rd = 0
        op.size = {0: 1, 5: 2, 6: 4}[width]
        _read(op, (rs2,) if word >> 26 & 3 == 2 else (), (rs1,))
    return op
