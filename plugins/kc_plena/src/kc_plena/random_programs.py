"""Random PLENA programs most of which run to their end, for tests and the large comparison script.

Registers have jobs: gp8..gp14 hold addresses that fit every memory and are not written, gp15 a length, gp1..gp5 are scratch,
gp6 and gp7 count loops. A share of the programs breaks the rules on purpose.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from kernelcraft_core.isa import Definition
from kernelcraft_core.isa.model import Kind
from kernelcraft_core.testing.programs import Line, ProgramSource

_ADDRESSES = range(8, 15)
_LENGTH = 15
_SCRATCH = range(1, 6)
_ROW_STEP = 4096
_WILD = 0.15
_SMALL_IMMEDIATE = {"M_MM_WO": 4, "M_BMM_WO": 64, "M_MV_WO": 64}


class PlenaPrograms(ProgramSource):
    """Random programs over the whole ISA with a state that makes addresses legal."""

    length = 60

    def state(self, rng: random.Random) -> dict[str, Any]:
        """Return registers, memories with ordinary and extreme values, and an HBM image of valid MXFP8."""
        noise = np.random.default_rng(rng.getrandbits(32))
        extreme = [0.0, -0.0, 1.0, -1.5, 3e38, -3e38, 1e-40, float("inf"), float("-inf"), float("nan"), 65504.0, 6e-8]

        def values(count: int) -> list[float]:
            plain = noise.standard_normal(count) * 10.0 ** noise.integers(-3, 4)
            return np.where(noise.random(count) < 0.05, noise.choice(extreme, count), plain).tolist()  # type: ignore[no-any-return]

        vram = {row: noise.standard_normal(64) * 10.0 ** int(noise.integers(-2, 3)) for row in range(0, 520, 40)}
        for row in range(0, 260, 30):
            vram[row] = np.array(values(64))
        image = noise.integers(0, 256, 4096 * 5, np.uint8)
        image[image % 128 >= 120] = 0x38  # E4M3 exponent 15 never comes out of a quantiser
        registers = {r: int(noise.integers(0, 4)) * _ROW_STEP for r in _ADDRESSES}
        registers |= {r: int(noise.integers(0, 900)) for r in _SCRATCH} | {_LENGTH: int(noise.integers(0, 65))}
        return {
            "gp": registers,
            "f": values(8),
            "a": [int(noise.integers(0, 4)) * 64 for _ in range(8)],
            "scale": int(noise.integers(0, 512)) * 8,
            "stride": int(noise.integers(1, 5)) * 64,
            "v_mask": int(noise.integers(0, 16)),
            "fp_mem": values(1024),
            "int_mem": {i: int(noise.integers(0, 1 << 32)) for i in range(0, 1024, 7)},
            "vram": vram,
            "mram": {t: noise.standard_normal((64, 64)) for t in range(2)},
            "hbm": image,
        }

    def operand(self, rng: random.Random, definition: Definition, name: str, kind: Kind) -> int:
        """Return an operand that respects the registers' jobs."""
        mnemonic, role = definition.mnemonic, definition.roles[name]
        if kind.name in ("gp", "gpz"):
            if (mnemonic == "M_BMM" and name == "rd") or (mnemonic == "M_BTMM" and name == "rd"):
                return 0
            if mnemonic == "M_MM_WO" and name == "rs1":
                return rng.choice((0, 0, 1, 2))
            if mnemonic.startswith(("S_LD_", "S_ST_", "S_MAP_V_FP")) and name == "rs1":
                return 0
            if role == "destination" and mnemonic.startswith(("S_", "C_", "V_RED")):
                return rng.choice(_SCRATCH)
            if mnemonic in ("C_SET_SCALE_REG", "C_SET_STRIDE_REG", "C_SET_ADDR_REG"):
                return 0 if name == "rs1" else rng.choice(_ADDRESSES)
            if mnemonic.startswith("S_") and mnemonic != "S_MAP_V_FP" and mnemonic != "S_SELECT_INT":
                return int(rng.choice((*_SCRATCH, 0, 8)))
            if name == "rlen" or (mnemonic == "V_TOPK_MASK" and name == "rs3"):
                return rng.choice((0, _LENGTH))
            if mnemonic == "S_SELECT_INT" and name != "rs3":
                return rng.choice((0, _LENGTH))
            return rng.choice(_ADDRESSES)
        if kind.name in ("i18", "i14"):
            if mnemonic in _SMALL_IMMEDIATE:
                return rng.randrange(0, 64) * _SMALL_IMMEDIATE[mnemonic]
            if mnemonic.startswith(("S_LD_", "S_ST_")):
                return rng.choice((0, 1, 7, 1000, 1023, rng.randrange(1024)))
            if mnemonic == "S_MAP_V_FP":
                return rng.randrange(0, 900)
        return super().operand(rng, definition, name, kind)

    def body(self, rng: random.Random, length: int) -> list[Line]:
        """Return straight code, loops of up to two levels around pieces of it, and sometimes an illegal surprise."""
        plain = [d for d in self.definitions if not d.mnemonic.startswith("C_LOOP")]
        wild = rng.random() < _WILD
        lines: list[Line] = []
        while len(lines) < length:
            piece = self._piece(rng, plain, rng.randint(1, 8), wild)
            if rng.random() < 0.4:
                if rng.random() < 0.3:
                    piece = [
                        *self._piece(rng, plain, 2, wild),
                        *self._loop(rng, 7, piece),
                        *self._piece(rng, plain, 1, wild),
                    ]
                piece = self._loop(rng, 6, piece)
            lines += piece
        return lines

    def _piece(self, rng: random.Random, plain: list[Definition], count: int, wild: bool) -> list[Line]:
        out: list[Line] = []
        for _ in range(count):
            definition = rng.choice(self.definitions if wild and rng.random() < 0.1 else plain)
            operands = {n: self.operand(rng, definition, n, k) for n, k in definition.operands.items()}
            if wild and rng.random() < 0.1:
                operands = {
                    n: ProgramSource.operand(self, rng, definition, n, k) for n, k in definition.operands.items()
                }
            if definition.mnemonic == "C_LOOP_START":
                operands["imm"] = 1 + operands["imm"] % 50
            out.append((definition, operands))
        return out

    def _loop(self, rng: random.Random, counter: int, body: list[Line]) -> list[Line]:
        start, end = self.isa["C_LOOP_START"], self.isa["C_LOOP_END"]
        times = rng.choice((1, 2, 3, 5, 45))
        return [(start, {"rd": counter, "imm": times}), *body, (end, {"rd": counter})]
