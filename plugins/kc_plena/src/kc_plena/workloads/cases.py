"""Cases of the PLENA workloads: state at the start, goldens, and how results are read from the final state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kc_plena.packing import LANES, HbmImage, build_image, from_column_blocks
from kc_plena.shapes import Layout, Parameters
from kc_plena.workloads import draws
from kc_plena.workloads.goldens import goldens, transfer_golden
from kernelcraft_core.tasks import Case, Family

if TYPE_CHECKING:
    from kernelcraft_core.tasks import Workload

TRANSFER = "get_transfer_index"
Read = Callable[[Mapping[str, Any]], NDArray[Any]]


def read_vram(place: Layout) -> Read:
    """Return what reads the results of a layout: (batch * rows, columns) float32 from VRAM's column blocks."""
    rows, columns = place.shape

    def read(state: Mapping[str, Any]) -> NDArray[Any]:
        size = rows * columns
        flat = np.asarray(state["vram"].at(place.output, place.batch * size), np.float32)
        return np.concatenate(
            [from_column_blocks(part.reshape(-1, LANES), rows, columns) for part in flat.reshape(place.batch, size)]
        )

    return read


def read_words(place: Layout, index: int) -> Read:
    """Return what reads array `index` of the layout's results: (rows, columns) uint32 from INT_MEM."""
    rows, columns = place.shape
    start = place.output + index * rows * columns

    def read(state: Mapping[str, Any]) -> NDArray[Any]:
        return np.array(state["int_mem"][start : start + rows * columns], np.uint32).reshape(rows, columns)

    return read


def _hbm(image: HbmImage, padding: int) -> dict[int, NDArray[np.uint8]]:
    return {0: np.concatenate([image.data, np.zeros(padding, np.uint8)])}


def draw(workload: Workload, place: Layout, seed: int, family: Family) -> Case:
    """Return the case of a seed and an input family; the same arguments always give the same case.

    Args:
        workload: what is drawn.
        place: its layout.
        seed: 0..2**64-1.
        family: distribution of the activations.
    """
    rng, p = workload.rng(seed), workload.parameters
    if workload.task == TRANSFER:
        return _transfer_case(p, place, rng, family)
    image = draws.image(workload.task, p, place, rng, family)
    results = goldens(workload.task, image.values, p, place)
    state = {"hbm": _hbm(image, place.padding), "fp_mem": list(place.fp_mem)}
    return Case(dict(image.values), state, {variant: {"Y": golden} for variant, golden in results.items()})


def _transfer_case(p: Parameters, place: Layout, rng: np.random.Generator, family: Family) -> Case:
    """Return a case of get_transfer_index. INT_MEM holds x; the words of x0 behind it are undefined."""
    image = build_image(draws.transfer_tensors(p, rng, family))
    x = rng.integers(0, p["V"], (p["B"], p["L"]), dtype=np.uint32)
    after, proposed = transfer_golden(image.values["logits"], image.values["mask"], x, p)
    state = {"hbm": _hbm(image, place.padding), "fp_mem": list(place.fp_mem), "int_mem": x.ravel().tolist()}
    return Case({**image.values, "x": x}, state, {"exact": {"x": after, "x0": proposed}})
