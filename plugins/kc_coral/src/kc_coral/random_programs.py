"""Random Coral programs most of which run to their end, for tests and comparisons with other simulators.

Registers have jobs: x16..x22 hold addresses with room around them, x23 counts loops, x15 and x24 are strides, x25..x27 vector
lengths, x28 bounds indices; x1..x14 are scratch. A program is a row of pieces; each sets vtype and vl, so what is legal in it
is known, and branches stay inside. A share of the programs breaks rules on purpose.
"""

from __future__ import annotations

import random
from typing import Any

from attrs import frozen

from kc_coral.primitives.groups import Shape, shape_of, vlmax
from kernelcraft_core.isa import Definition, Isa
from kernelcraft_core.isa.model import Kind
from kernelcraft_core.riscv import VectorForm, vector_forms
from kernelcraft_core.testing.programs import Line, ProgramSource

DTCM, EXTERNAL = 0x1_0000, 0x2000_0000
_NEAR, _FAR, _CODE = (16, 17, 18), (19, 20, 21), 22
_COUNTER, _STRIDE, _WIDE_STRIDE, _LENGTHS, _INDEX_BITS = 23, 24, 15, (25, 26, 27), 28
_SCRATCH = range(1, 15)
_EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
_NEVER = ("mpause", "jalr", "ecall", "ebreak")
_PLAIN_CSRS = (0x009, 0x00A, 0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0x301, 0xC20, 0xC21, 0xC22)
_COUNTERS = (0xB00, 0xB02, 0xB80, 0xB82)
_IDENTITIES = (0xF11, 0xF12, 0xF13, 0xF14)
_WIDE = ("vwadd", "vwsub", "vwmul", "vwmacc", "vnsrl", "vnsra", "vnclip")


@frozen
class _Scene:
    """What is known at a place of a program: the shape, whether vl is exactly that, whether rules may be broken."""

    shape: Shape
    exact: bool
    wild: bool


class CoralPrograms(ProgramSource):
    """Random programs over the whole ISA."""

    length = 60
    wild_share = 0.1
    """Programs that break rules."""
    csrs: tuple[int, ...] = (*_PLAIN_CSRS, *_COUNTERS, *_IDENTITIES)
    """Registers that programs read or write."""

    def __init__(self, isa: Isa) -> None:
        super().__init__(isa)
        self.forms: dict[str, VectorForm] = {f.mnemonic.replace(".", "_"): f for f in vector_forms()}
        vector = [d for d in self.definitions if d.name in self.forms and self.forms[d.name].group != "config"]
        self.memory = [d for d in vector if self.forms[d.name].group in ("load", "store")]
        self.vector = [d for d in vector if self.forms[d.name].group not in ("load", "store")]
        self.scalar = [d for d in self.definitions if d.name not in self.forms and d.name not in _NEVER]

    def state(self, rng: random.Random) -> dict[str, Any]:
        """Return registers with their jobs, edge values and noise, and noise in memory."""
        x = {r: rng.choice(_EDGES) if rng.random() < 0.4 else rng.getrandbits(32) for r in range(1, 32)}
        x |= {r: DTCM + rng.randrange(0x1000, 0x6000) for r in _NEAR}
        x |= {r: EXTERNAL + rng.randrange(0x2_0000, 0x2_1000) for r in _FAR}
        x |= {r: rng.choice((1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 128, 1000)) for r in _LENGTHS}
        x |= {_CODE: 0x40, _STRIDE: rng.choice((0, 1, 4, 16, 17, -4, -20, 40)) & 0xFFFF_FFFF}
        x |= {_WIDE_STRIDE: 36, _INDEX_BITS: 0x7FF}
        v = [[rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.getrandbits(8))) for _ in range(16)] for _ in range(32)]
        noise = rng.randbytes(0x4000)
        return {
            "x": x,
            "v": v,
            "vxrm": rng.randrange(4),
            "dtcm": rng.randbytes(0x8000),
            "external": {EXTERNAL + 0x1_F000: noise},
        }

    def body(self, rng: random.Random, length: int) -> list[Line]:
        """Return pieces of straight code and loops around some of them, and mpause."""
        wild = rng.random() < self.wild_share
        lines: list[Line] = []
        while len(lines) < length:
            piece = self._piece(rng, rng.randint(2, 12), wild)
            lines += self._loop(rng, piece) if rng.random() < 0.25 else piece
        return [*lines, (self.isa["mpause"], {})]

    # -- pieces ---------------------------------------------------------------------------------------------------------

    def _piece(self, rng: random.Random, count: int, wild: bool) -> list[Line]:
        vset, shape, exact = self._configure(rng, wild)
        scene = _Scene(shape, exact, wild)
        lines: list[Line] = [vset]
        while len(lines) <= count:
            if rng.random() < 0.7:
                lines += self._vector(rng, scene)
            else:
                lines.append(self._scalar(rng))
        return [self._bounded(rng, line, len(lines) - at) for at, line in enumerate(lines)]

    def _loop(self, rng: random.Random, piece: list[Line]) -> list[Line]:
        addi, bne = self.isa["addi"], self.isa["bne"]
        start: Line = (addi, {"rd": _COUNTER, "rs1": 0, "imm": rng.choice((1, 2, 3, 20))})
        step: Line = (addi, {"rd": _COUNTER, "rs1": _COUNTER, "imm": -1})
        return [start, *piece, step, (bne, {"rs1": _COUNTER, "rs2": 0, "off": -4 * (len(piece) + 1)})]

    def _configure(self, rng: random.Random, wild: bool) -> tuple[Line, Shape, bool]:
        """Return a vset instruction, the shape it makes, and whether vl is exactly that, or at most."""
        while True:
            fields = {"sew": rng.randrange(3), "lmul": rng.choice((0, 0, 1, 2, 3, 6, 7))}
            most = vlmax(fields["sew"] << 3 | fields["lmul"])
            if most:
                break
        avl = min(rng.choice((1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, rng.randrange(1, 32))), most)
        vtype = fields["sew"] << 3 | fields["lmul"]
        fields |= {"ta": rng.randrange(2), "ma": rng.randrange(2), "rd": rng.choice(_SCRATCH)}
        if wild and rng.random() < 0.1:
            fields["lmul"] = rng.choice((4, 5, 6, 7))
        if rng.random() < 0.5:
            return (self.isa["vsetivli"], {**fields, "avl": avl}), shape_of(vtype, avl), True
        register = 0 if rng.random() < 0.4 else rng.choice(_LENGTHS)
        return (self.isa["vsetvli"], {**fields, "rs1": register}), shape_of(vtype, most), not register

    def _bounded(self, rng: random.Random, line: Line, left: int) -> Line:
        """Return a branch or jump that stays in its piece."""
        definition, operands = line
        if definition.jumps:
            operands = {**operands, "off": 4 * rng.randint(1, left)}
        return definition, operands

    def _scalar(self, rng: random.Random) -> Line:
        definition = rng.choice(self.scalar)
        operands = {n: self.operand(rng, definition, n, k) for n, k in definition.operands.items()}
        if operands.get("csr") in _IDENTITIES:  # these cannot be written
            return self.isa["csrrs"], {"rd": operands["rd"], "csr": operands["csr"], "rs1": 0}
        return definition, operands

    def operand(self, rng: random.Random, definition: Definition, name: str, kind: Kind) -> int:
        """Return an operand of a scalar instruction that respects the registers' jobs."""
        category = definition.record.category
        if category == "load" and name == "rs1":
            return rng.choice((*_NEAR, *_FAR, _CODE))
        if category == "store" and name == "rs1":
            return rng.choice((*_NEAR, *_FAR))
        if category in ("load", "store") and name == "imm":
            return rng.randrange(-64, 64)
        if name == "rd":
            return int(rng.choice((0, *_SCRATCH)))
        if name == "csr":
            return rng.choice(self.csrs)
        return super().operand(rng, definition, name, kind)

    # -- vector instructions --------------------------------------------------------------------------------------------

    def _vector(self, rng: random.Random, scene: _Scene) -> list[Line]:
        """Return a vector instruction that is legal for the shape, with what must go before it."""
        while True:
            definition = rng.choice(self.memory if rng.random() < 0.4 else self.vector)
            form = self.forms[definition.name]
            if scene.wild and rng.random() < 0.1:
                return [(definition, {n: self._any(rng, form, n, k) for n, k in definition.operands.items()})]
            if self._fits(form, scene):
                break
        if form.group in ("load", "store"):
            return self._access(rng, definition, form, scene.shape)
        step = 8 if form.operation == "vmvr" else self._step(form, scene.shape)
        registers = rng.sample(range(8, 32, step), 3) if step < 8 else rng.sample((8, 16, 24), 3)
        operands: dict[str, int] = {}
        for name, kind in definition.operands.items():
            if kind.name == "v":
                operands[name] = registers.pop()
            else:
                operands[name] = self._any(rng, form, name, kind)
        if form.operation in ("vmseq", "vmsne", "vmslt", "vmand", "vmor", "vmxor", "vmnand") and rng.random() < 0.3:
            operands["vd"] = 0
        elif "vs1" in operands and form.group in ("integer", "multiply", "mask", "divide") and rng.random() < 0.2:
            operands["vs1"] = rng.choice((operands["vs2"], operands["vd"]))
        return [(definition, operands)]

    def _any(self, rng: random.Random, form: VectorForm, name: str, kind: Kind) -> int:
        if name == "rd":
            return int(rng.choice((0, *_SCRATCH)))
        if name == "rs1" and form.group in ("load", "store"):
            return rng.choice((*_NEAR, *_FAR))
        if name == "rs1" and form.group == "permute" and rng.random() < 0.7:
            return rng.choice(_LENGTHS)
        if name == "rs2":
            return _STRIDE
        return ProgramSource.operand(self, rng, self.vector[0], name, kind)

    def _step(self, form: VectorForm, s: Shape) -> int:
        lmul = max(8, s.lmul * 2 if form.group in ("widening", "narrowing") or form.form == "vv" else s.lmul)
        return min(8, lmul // 8)

    def _fits(self, form: VectorForm, scene: _Scene) -> bool:
        """Return whether a form has legal uses with this shape that do not depend on values."""
        s = scene.shape
        if form.operation.startswith(_WIDE):
            return s.size < 4 and s.lmul <= 32
        if form.operation.startswith("vwred"):
            return s.size < 4
        if form.operation in ("vzext", "vsext"):
            return s.size >= int(form.form[2:])
        if form.operation in ("vrgather", "vrgatherei16", "vslidedown"):
            return scene.exact and s.held == s.vlmax and 1 <= s.emul(2) <= 64
        if form.group in ("load", "store") and form.form not in ("whole", "mask"):
            return self._access_fits(form, scene)
        return True

    def _access_fits(self, form: VectorForm, scene: _Scene) -> bool:
        s = scene.shape
        size = s.size if form.form == "indexed" else form.eew // 8
        if not 1 <= s.emul(form.eew // 8) <= 64:
            return False
        if form.form == "indexed" and form.eew == 32 and s.size != 4:
            return False
        count = max(1, s.emul(size) // 8)
        same = scene.exact and max(1, s.reduced * size // s.size // 8) == count
        if form.group == "store" and form.form == "indexed" and (form.eew != s.bits or (form.eew == 8 and s.vl > 4)):
            return form.fields == 1  # no indices that keep segments apart: 8 bits hold four steps of 64
        return form.fields == 1 or (form.fields * count <= 8 and same)

    def _access(self, rng: random.Random, definition: Definition, form: VectorForm, s: Shape) -> list[Line]:
        size = s.size if form.form == "indexed" else form.eew // 8
        count = max(1, s.emul(size) // 8) if form.form not in ("whole", "mask") else form.fields
        data, index = 8 * rng.randint(1, 2), 24
        if form.fields == 1 or form.form == "whole":
            data = count * rng.randrange(-(-8 // count), 24 // count)
        wide = form.form == "indexed" and form.eew > 8
        operands = {n: self._any(rng, form, n, k) for n, k in definition.operands.items()}
        operands |= {
            "vd" if form.group == "load" else "vs3": data,
            "rs1": rng.choice(_FAR if wide else (*_NEAR, *_FAR)),
        }
        if form.form == "indexed":
            operands["vs2"] = index
        if form.fields > 1 and form.form == "strided":
            operands["rs2"] = _WIDE_STRIDE
        before: list[Line] = []
        if form.fields > 1 and form.form == "indexed" and form.group == "store":  # segments apart
            number, step = {"vd": index, "vm": 1}, rng.choice((5, 6))
            before = [(self.isa["vid_v"], number), (self.isa["vsll_vi"], {**number, "vs2": index, "imm": step})]
        elif form.form == "indexed" and form.eew == 32:
            bound = {"vd": index, "vs2": index, "rs1": _INDEX_BITS, "vm": 1}
            before = [(self.isa["vand_vx"], bound)]
        return [*before, (definition, operands)]
