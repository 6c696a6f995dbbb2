"""Lower bounds of cycles: what a right program needs at least, on this machine, for a workload.

Counted in favour of the program:

- memory: there is one load/store unit, and it moves at most 16 bytes at a time. Beside the bus accesses (RL + 1 cycles for a
  read of the external memory, WL + 2 for a write) such a step takes 3 cycles for a load and 2 for a store. Every byte
  of the inputs that the result depends on is read once and every byte of the result is written once. Tables are not
  counted, for a program may hold them as data of its own.
- second pass: the norms need each element again once the sums over all are known. What does not fit the registers is read
  again, from the external memory or, after a store, from the tightly coupled one.
- multiplier: an exact product of two bytes takes 16 bits of a result; two vector units make 128 bits a cycle each, the scalar
  one makes one product. Products are taken to be ordinary ones: no Strassen, no Winograd.

The load/store unit and the multipliers work side by side, so the larger of the two counts. What issue, dispatch, additions
and requantisation take is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from kc_coral.shapes import layout, sizes
from kernelcraft_core.tasks import Bound

LINE = 16
LOAD_STEP, STORE_STEP = 3, 2
"""Cycles of a load or store step of at most 16 bytes beside its bus accesses."""
TIGHTLY_COUPLED_ACCESS = 1
REGISTER_BYTES = 32 * 16 + 31 * 4
"""Bytes that all registers hold."""
PRODUCTS_PER_CYCLE = 2 * 8 + 1
TABLES = ("lut", "exp")

REASON = (
    "The load/store unit moves at most 16 bytes at a time, in 3 cycles plus RL + 1 for a load and 2 plus WL + 2 for a "
    "store; each input byte but those of tables is read once, each result byte written once; the norms read twice what "
    "does not fit the registers. The multipliers, side by side with it, make 17 exact products of bytes a cycle "
    "(ordinary products, no Winograd). The larger of the two counts."
)


def _macs(task: str, n: Mapping[str, int]) -> int:
    """Return the products of two bytes that a task consists of; 0 where it is not made of products."""
    counts: dict[str, Callable[[], int]] = {
        "gemv": lambda: n["M"] * n["N"],
        "gemm": lambda: n["M"] * n["K"] * n["N"],
        "batch_matmul": lambda: n["BB"] * n["M"] * n["K"] * n["N"],
        "linear": lambda: n["B"] * n["HI"] * n["HO"],
        "conv2d": lambda: _window_terms(n) * n["CI"] * n["CO"],
        "conv_block": lambda: _window_terms(n) * n["CI"] * n["CO"],
        "depthwise_conv": lambda: _window_terms(n) * n["C"],
        "ffn": lambda: 2 * n["N"] * n["H"] * n["HI"],
        "swiglu": lambda: 3 * n["N"] * n["H"] * n["HI"],
    }
    return counts[task]() if task in counts else 0


def _window_terms(n: Mapping[str, int]) -> int:
    """Return the terms of all windows together; those in the padding are known to be zero and left out."""
    edge = (n["KS"] - 1) // 2
    # Along one axis position i of a filter meets the image H - |i - edge| times.
    along = sum(n["H"] - abs(i - edge) for i in range(n["KS"]))
    return along * along


def bound(task: str, config: str, params: Mapping[str, Any]) -> Bound:
    """Return the cycles that no right program can go below.

    Args:
        task: as in `shapes.TASKS`.
        config: C1 to C5.
        params: value of every parameter of the machine, by name; RL and WL are used.

    Raises:
        KeyError: another task, or a parameter is missing.
        ValueError: another configuration.
    """
    place = layout(task, config)
    load, store = LOAD_STEP + params["RL"] + 1, STORE_STEP + params["WL"] + 2
    read = sum(-(-array.size // LINE) for array in place.inputs if array.name not in TABLES)
    parts = {"loads": read * load, "stores": -(-prod(place.output.shape) // LINE) * store}
    if task in ("layernorm", "rmsnorm"):
        kept = STORE_STEP + LOAD_STEP + 2 * TIGHTLY_COUPLED_ACCESS
        parts["second pass"] = max(0, (place.inputs[0].size - REGISTER_BYTES) // LINE) * min(load, kept)
    memory, macs = sum(parts.values()), _macs(task, sizes(task, config))
    if macs:
        parts["products"] = -(-macs // PRODUCTS_PER_CYCLE)
    return Bound(max(memory, parts.get("products", 0)), parts, reason=REASON)
