"""SiLU, GELU and ReLU in place on an activation in VRAM.

Source: KernelCraft, arXiv 2603.08721, tables 12 and 15; templates of AICrossSim/PLENA at ecd5acb. The published
programs take a prefetch to move as many rows as the batch has, so from C2 on they load only 4 rows of each column
block and are wrong; `per_call = rows` reproduces them, the default of 4 is right. ReLU has no published program.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import GROUP, LANES, advance, li, preload, reset, sigmoid_tail
from kc_plena.baseline.blocks import silu as silu_rows
from kc_plena.baseline.emitter import Emitter


def _load(asm: Emitter, rows: int, width: int, per_call: int | None) -> None:
    """Fetch the activation to VRAM 0, between the register resets of the published programs."""
    reset(asm, ("gp1", "gp2", "gp3"))
    preload(asm, rows, width, GROUP if per_call is None else per_call)
    reset(asm, ("gp1", "gp2", "gp3", "gp4"))


def silu(rows: int, width: int, per_call: int | None = None) -> str:
    """Return SiLU over [rows, width]: x * sigmoid(x). FP_MEM: 0, 1.0."""
    asm = Emitter(f"silu [{rows}, {width}]")
    _load(asm, rows, width, per_call)
    silu_rows(asm, 0, rows * width, rows * width // LANES)
    return asm.text()


def gelu(rows: int, width: int, per_call: int | None = None) -> str:
    """Return GELU over [rows, width] in its sigmoid form: x * sigmoid(1.702 x). FP_MEM: 0, 1.0, 1.702."""
    asm = Emitter(f"gelu [{rows}, {width}]")
    _load(asm, rows, width, per_call)
    x, t, one, slope = "gp1", "gp2", "f1", "f2"
    vectors = rows * width // LANES
    asm.comment(f"gelu over {vectors} rows at 0")
    li(asm, x, 0)
    li(asm, t, rows * width)
    asm.op("S_LD_FP", one, "gp0", 1)
    asm.op("S_LD_FP", slope, "gp0", 2)
    with asm.loop("gp3", vectors):
        asm.op("V_MUL_VF", t, x, slope, 0)
        asm.op("V_SUB_VF", t, t, "f0", 0, 1)
        sigmoid_tail(asm, x, t, one)
        advance(asm, x, LANES)
    return asm.text()


def relu(rows: int, width: int) -> str:
    """Return ReLU over [rows, width], as x * sigmoid(2**30 x): there is no maximum of two rows. FP_MEM: 0, 1.0.

    At that slope the exponential is infinity for x < -1e-7, which makes its reciprocal 0, and 0 for x > 1e-7: the result
    is exact there, apart from the sign of a zero.
    """
    asm = Emitter(f"relu [{rows}, {width}]")
    _load(asm, rows, width, None)
    x, t, one = "gp1", "gp2", "f1"
    powers = two, four, sixteen, slope = "f2", "f3", "f4", "f5"
    vectors = rows * width // LANES
    asm.comment("half the exponent of the slope, 2**15 = 2 * 4 * 16 * 256, is the most binary16 holds")
    asm.op("S_LD_FP", one, "gp0", 1)
    asm.op("S_ADD_FP", two, one, one)
    for power, root in zip(powers[1:], powers, strict=False):
        asm.op("S_MUL_FP", power, root, root)
    for power in (sixteen, four, two):
        asm.op("S_MUL_FP", slope, slope, power)
    negative = "f6"
    asm.op("S_SUB_FP", negative, "f0", slope)
    asm.comment(f"relu over {vectors} rows at 0")
    li(asm, x, 0)
    li(asm, t, rows * width)
    with asm.loop("gp3", vectors):
        asm.op("V_MUL_VF", t, x, negative, 0)
        asm.op("V_MUL_VF", t, t, slope, 0)
        sigmoid_tail(asm, x, t, one)
        advance(asm, x, LANES)
    return asm.text()
