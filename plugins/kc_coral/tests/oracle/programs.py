"""Random programs on which the target and an implementation of the standard must agree to the last bit.

They are those of the plug-in's generator, with code added behind the instructions whose results the standard leaves open or
defines otherwise (see `differences.py`): x29 and x30 are scratch of that code, x31 points to its table.
"""

from __future__ import annotations

import random
from typing import Any

from kc_coral.primitives.masks import LOGIC, SCANS
from kc_coral.random_programs import EXTERNAL, CoralPrograms
from kernelcraft_core.isa import Isa
from kernelcraft_core.testing.programs import Line

TABLE = EXTERNAL + 0x3F_0000
"""Address of 129 masks of 16 bytes: mask n has n bits set, from bit 0 on."""
_VL, _OTHER, _TABLE = 29, 30, 31
VXSAT, VXRM, VL, VTYPE, VLENB = 0x009, 0x00A, 0xC20, 0xC21, 0xC22
_READ_ONLY = (VL, VTYPE, VLENB)


def masks() -> bytes:
    """Return the table."""
    return b"".join(((1 << n) - 1).to_bytes(16, "little") for n in range(129))


class OraclePrograms(CoralPrograms):
    """Programs without what the standard leaves open."""

    csrs = (VXSAT, VXRM, *_READ_ONLY)

    def __init__(self, isa: Isa) -> None:
        super().__init__(isa)
        forms = self.forms.items()
        named = {*LOGIC, *SCANS, "vmadc", "vmsbc"}
        self.makes_mask = {name for name, form in forms if form.group == "compare" or form.operation in named}

    def state(self, rng: random.Random) -> dict[str, Any]:
        """Return the state with the table of masks in it."""
        state = super().state(rng)
        state["x"][_TABLE] = TABLE
        state["external"][TABLE] = masks()
        return state

    def _scalar(self, rng: random.Random) -> Line:
        definition, operands = super()._scalar(rng)
        if operands.get("csr") in _READ_ONLY:
            return self.isa["csrrs"], {"rd": operands["rd"], "csr": operands["csr"], "rs1": 0}
        return definition, operands

    def body(self, rng: random.Random, length: int) -> list[Line]:
        """Return the instructions of a program, with what settles open results, and branches that still meet their target."""
        lines = super().body(rng, length)
        settled, starts, bits = [], [0], 0
        for line in lines:
            if line[0].name in ("vsetvli", "vsetivli"):  # one is executed before all that follows in its piece
                bits = 8 << line[1]["sew"]
            settled.append([line, *self._settling(line, bits)])
            starts.append(starts[-1] + len(settled[-1]))
        for at, group in enumerate(settled):
            definition, operands = group[0]
            if definition.jumps and "off" in operands:
                distance = starts[at + operands["off"] // 4] - starts[at]
                group[0] = definition, {**operands, "off": 4 * distance}
        return [line for group in settled for line in group]

    def _settling(self, line: Line, bits: int) -> list[Line]:
        """Return what must follow an instruction; `bits` is the element width."""
        definition, operands = line
        if definition.name == "vmv_x_s":
            shift = {"rd": operands["rd"], "rs1": operands["rd"], "shamt": 32 - bits}
            return [(self.isa["slli"], shift), (self.isa["srli"], shift)]
        if operands.get("csr") == VL:
            return [(self.isa["andi"], {"rd": operands["rd"], "rs1": operands["rd"], "imm": 0x7F})]
        return self._clear_tail(operands["vd"]) if definition.name in self.makes_mask else []

    def _clear_tail(self, vd: int) -> list[Line]:
        """Return code that clears the bits of a mask at and above vl, whatever vl and vtype are."""
        other = 30 if vd == 31 else 31
        rows: tuple[tuple[str, dict[str, int]], ...] = (
            ("csrrs", {"rd": _VL, "csr": VL, "rs1": 0}),
            ("sltiu", {"rd": _OTHER, "rs1": _VL, "imm": 1}),  # reads 0 on the target when it is 128
            ("slli", {"rd": _OTHER, "rs1": _OTHER, "shamt": 7}),
            ("or", {"rd": _VL, "rs1": _VL, "rs2": _OTHER}),
            ("slli", {"rd": _OTHER, "rs1": _VL, "shamt": 4}),
            ("add", {"rd": _OTHER, "rs1": _OTHER, "rs2": _TABLE}),
            ("vl1re8_v", {"vd": other, "rs1": _OTHER}),
            ("csrrs", {"rd": _OTHER, "csr": VTYPE, "rs1": 0}),
            ("vsetivli", {"rd": 0, "avl": 16, "sew": 0, "lmul": 0, "ta": 1, "ma": 1}),
            ("vand_vv", {"vd": vd, "vs2": vd, "vs1": other, "vm": 1}),
            ("vsetvl", {"rd": 0, "rs1": _VL, "rs2": _OTHER}),
        )
        return [(self.isa[name], operands) for name, operands in rows]
