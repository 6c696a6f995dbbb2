"""FFN: two linear layers with an activation in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks.parts import HIDDEN, PRODUCT, activation, switch
from kc_tasks.reference import ACTIVATIONS, F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    hidden = inputs["X"] @ inputs["Wup"]
    hidden = ACTIVATIONS[flags["activation"]](hidden + inputs["bup"] if flags["bias"] else hidden)
    y = hidden @ inputs["Wdown"]
    return {"Y": y + inputs["bdown"] if flags["bias"] else y}


TASK = Task(
    slug="ffn",
    number=14,
    title="FFN",
    level=2,
    category="mlp",
    formula="Y = activation(X Wup [+ bup]) Wdown [+ bdown]",
    parameters=HIDDEN,
    inputs=(
        Tensor("X", ("n", "h")),
        Tensor("Wup", ("h", "hi"), "weight"),
        Tensor("Wdown", ("hi", "h"), "weight"),
        Tensor("bup", ("1", "hi"), "bias", "used with bias"),
        Tensor("bdown", ("1", "h"), "bias", "used with bias"),
    ),
    outputs=(Tensor("Y", ("n", "h"), "result"),),
    families=PRODUCT,
    reference=_reference,
    flags={"activation": activation("silu"), "bias": switch(False, "whether both layers have a bias")},
)
