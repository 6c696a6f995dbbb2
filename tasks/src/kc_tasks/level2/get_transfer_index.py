"""get_transfer_index: which tokens a diffusion language model fixes in one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kc_tasks.reference import inverse_confidences
from kernelcraft_core.tasks import Task, Tensor, standard_families


def _reference(
    inputs: Mapping[str, NDArray[Any]], parameters: Mapping[str, int], flags: Mapping[str, Any]
) -> dict[str, NDArray[np.int64]]:
    shape = (parameters["B"], parameters["L"])
    logits = np.asarray(inputs["logits"], np.float64).reshape(*shape, parameters["V"])
    masked = np.asarray(inputs["mask"]) != 0
    x = np.asarray(inputs["x"]).astype(np.int64)
    x0 = np.where(masked, np.argmax(logits, axis=-1), x)
    # Most confident first; a stable sort keeps equal ones in order of position.
    order = np.argsort(inverse_confidences(logits), axis=-1, kind="stable")
    result = x.copy()
    for row in range(shape[0]):
        chosen = [position for position in order[row] if masked[row, position]][: parameters["k"]]
        result[row, chosen] = x0[row, chosen]
    return {"x": result, "x0": x0}


TASK = Task(
    slug="get_transfer_index",
    title="get_transfer_index",
    level=2,
    category="sampling",
    formula="x0 = mask ? argmax(logits) : x; x := x0 at the k masked positions of each row with the largest "
    "max softmax(logits)",
    parameters={
        "B": "rows",
        "L": "positions in a row",
        "V": "words of the vocabulary",
        "k": "positions that are fixed in each row; all masked ones when there are fewer",
    },
    inputs=(
        Tensor("logits", ("B * L", "V"), doc="of position p of row b in line b * L + p"),
        Tensor("mask", ("B", "L"), "mask", "not 0 where the token is still open"),
        Tensor("x", ("B", "L"), "tokens", "the tokens before the step"),
    ),
    outputs=(
        Tensor("x", ("B", "L"), "result", "the tokens after the step"),
        Tensor("x0", ("B", "L"), "result", "the most probable tokens where masked, x elsewhere"),
    ),
    # A maximum that starts at 0 is wrong for negative logits; ties show which index wins.
    families=standard_families("offset_negative", "negative", "large", "ties"),
    reference=_reference,
    doc="Results are integers (int64) and exact. Of equal logits the lowest token wins, of equal confidences the "
    "lowest position. What the memory of x0 holds before the step does not matter.",
)
