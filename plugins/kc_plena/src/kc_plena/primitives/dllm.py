"""Operations of the diffusion-LLM extension `Xdllm`.

Source: AICrossSim/PLENA, branch gm/dllm, commit c5c74f6; the order among equal confidences is not specified there: the
lowest index goes first here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kc_plena.primitives.vector import VLEN
from kernelcraft_core.isa import Primitive, pure
from kernelcraft_core.sim import Trap

F32 = NDArray[np.float32]


def arg_max(row: F32) -> tuple[float, int]:
    """Return (maximum, lowest index that has it); NaN never wins, and a row of NaN gives (-inf, 0)."""
    clean = np.where(np.isnan(row), -np.inf, row)
    index = int(np.argmax(clean))
    return float(clean[index]), index


def choose(mask: F32, yes: F32, no: F32) -> F32:
    """Return (VLEN,) float32: lane i of `yes` where `mask[i]` is not 0, else of `no`."""
    return np.where(mask != 0, yes, no)


def topk_mask(confidence: F32, mask: F32, wanted: int, length: int) -> F32:
    """Return (VLEN,) float32 of 0 and 1: 1 at the `wanted` most confident of the first `length` lanes with mask not 0.

    Raises:
        Trap: `illegal_operands` when length exceeds VLEN.
    """
    if length > VLEN:
        raise Trap("illegal_operands", f"length {length} exceeds a row of {VLEN} lanes")
    out = np.zeros(VLEN, np.float32)
    keys = np.where((mask != 0) & ~np.isnan(confidence), confidence, -np.inf)[:length]
    order = np.argsort(-keys, kind="stable")[: min(wanted, length)]
    chosen = order[mask[order] != 0]
    out[chosen] = 1.0
    return out


def make_select_int(context: Any, int_mem: Any, vram: Any) -> Callable[[int, int, int, int, int], None]:
    """Bind `select_int`: INT_MEM[d + i] = mask lane i != 0 ? INT_MEM[a + i] : INT_MEM[b + i], one i after the other."""

    def select_int(destination: int, yes: int, no: int, mask: int, length: int) -> None:
        if length > VLEN:
            raise Trap("illegal_operands", f"length {length} exceeds a row of {VLEN} lanes")
        lanes = vram.R[mask].tolist()
        for i in range(length):
            value = int_mem.read((yes if lanes[i] != 0 else no) + i)
            int_mem.write(destination + i, value)

    return select_int


DLLM_PRIMITIVES: tuple[Primitive, ...] = (
    pure("arg_max", ("array",), "f32 int<0,63>", arg_max, "arg_max(row): maximum and its lowest index"),
    pure("choose", ("array", "array", "array"), "bf16[VLEN]", choose, "choose(mask, yes, no): lanewise selection"),
    pure(
        "topk_mask",
        ("array", "array", "int", "int"),
        "bf16[VLEN]",
        topk_mask,
        "topk_mask(confidence, mask, wanted, length): 1 at the most confident enabled lanes",
        ("illegal_operands",),
    ),
    Primitive(
        "select_int",
        ("rw:int_mem", "r:vram", "int", "int", "int", "int", "int"),
        "",
        make_select_int,
        "select_int(int_mem, vram, destination, yes, no, mask, length): selection between two integer arrays",
        ("misaligned", "out_of_bounds", "illegal_operands"),
    ),
)
