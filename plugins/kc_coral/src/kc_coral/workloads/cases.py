"""Cases of the Coral workloads: memory at the start, goldens, and what is looked at in the final state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kc_coral.isa.state import RESERVED as RESERVED_BYTES
from kc_coral.shapes import CONFIGS, EXTERNAL, EXTERNAL_BYTES, Layout, layout
from kc_coral.start import STACK
from kc_coral.workloads.draws import inputs
from kc_coral.workloads.goldens import golden
from kernelcraft_core.tasks import STANDARD, Case, Family, standard_families

if TYPE_CHECKING:
    from kernelcraft_core.tasks import Workload

FROZEN_IDS: Mapping[str, int] = {
    "silu": 1,
    "relu": 2,
    "gelu": 3,
    "softmax": 4,
    "layernorm": 5,
    "rmsnorm": 6,
    "gemv": 7,
    "gemm": 8,
    "batch_matmul": 9,
    "linear": 10,
    "conv2d": 11,
    "depthwise_conv": 12,
    "ffn": 13,
    "swiglu": 14,
    "conv_block": 23,
}
"""Numbers in the seeds of the reference vectors; they are no task numbers."""


RESERVED = np.full(RESERVED_BYTES, 0xA5, np.uint8)
"""What the reserved bytes of the DTCM hold: a kernel has no business there."""


def memory(place: Layout, values: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """Return the external memory at the start: the inputs, and 0 everywhere else.

    Raises:
        KeyError: an input is missing.
    """
    data = np.zeros(EXTERNAL_BYTES, np.uint8)
    for array in place.inputs:
        start = array.address - EXTERNAL
        little = values[array.name].astype(np.dtype(array.dtype).newbyteorder("<"))
        data[start : start + array.size] = np.frombuffer(little.tobytes(), np.uint8)
    return data


def case(task: str, place: Layout, rng: np.random.Generator, family: Family) -> Case:
    """Return what a generator and a family give."""
    values = inputs(task, place, rng, family)
    state = {"external": {EXTERNAL: memory(place, values)}, "dtcm": {STACK: RESERVED}}
    return Case(dict(values), state, {"exact": {"Y": golden(task, values, place)}})


def draw(workload: Workload, place: Layout, seed: int, family: Family) -> Case:
    """Return the case of a seed and an input family; the same arguments always give the same case.

    Args:
        workload: what is drawn.
        place: its layout.
        seed: 0..2**64-1.
        family: distribution of the activations.
    """
    return case(workload.task, place, workload.rng(seed), family)


def frozen(task: str, config: str) -> Case:
    """Return the case of the reference vectors, which never changes. Raises: KeyError, ValueError as `shapes.layout`."""
    seed = 100 * FROZEN_IDS[task] + CONFIGS.index(config) + 1
    rng = np.random.Generator(np.random.PCG64(seed))
    return case(task, layout(task, config), rng, standard_families(STANDARD)[0])


def read_output(place: Layout, state: Mapping[str, Any]) -> NDArray[np.int8]:
    """Return the result from the final state, in the output's shape."""
    found = np.asarray(state["external"].at(place.output.address, place.output.size), np.uint8)
    return found.view(np.int8).reshape(place.output.shape)


def stray_store(place: Layout, start: Mapping[str, Any], state: Mapping[str, Any]) -> int | None:
    """Return an address whose byte a run must not change and did, or None: the lowest external one, or a reserved one.

    Args:
        place: the layout.
        start: presets of the case.
        state: final state of the run.
    """
    before = start["external"][EXTERNAL]
    after = np.asarray(state["external"].at(EXTERNAL, EXTERNAL_BYTES), np.uint8)
    low = place.output.address - EXTERNAL
    high = low + place.output.size
    for first, last in ((0, low), (high, EXTERNAL_BYTES)):
        changed = np.flatnonzero(before[first:last] != after[first:last])
        if changed.size:
            return EXTERNAL + first + int(changed[0])
    changed = np.flatnonzero(np.asarray(state["dtcm"].at(STACK, RESERVED.size), np.uint8) != RESERVED)
    return STACK + int(changed[0]) if changed.size else None
