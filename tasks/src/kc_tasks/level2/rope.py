"""RoPE: rotary position embedding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import ELEMENTWISE
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": reference.rope(inputs["X"], inputs["COS"], inputs["SIN"])}


TASK = Task(
    slug="rope",
    number=13,
    title="RoPE",
    level=2,
    category="position",
    formula="Y = X * COS + rotate_half(X) * SIN, rotate_half([x1, x2]) = [-x2, x1]",
    parameters={"s": "positions", "d": "columns, an even number"},
    inputs=(
        Tensor("X", ("s", "d")),
        Tensor("XROT", ("s", "d"), "table", "rotate_half(X), for targets that cannot turn rows; follows from X"),
        Tensor("COS", ("s", "d"), "table", "cosines by position and column; both halves of the columns equal"),
        Tensor("SIN", ("s", "d"), "table", "sines, as COS"),
    ),
    outputs=(Tensor("Y", ("s", "d"), "result"),),
    families=ELEMENTWISE,
    reference=_reference,
    doc="Column i is paired with column i + d/2. The reference takes rotate_half(X) itself and does not look at XROT. "
    "A target that stores half tables (s, d/2) repeats them for the reference.",
)
