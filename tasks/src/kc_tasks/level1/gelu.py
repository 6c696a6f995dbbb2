"""GELU, the Gaussian error linear unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import ELEMENTWISE, ROWS
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Flag, Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    return {"Y": reference.gelu(inputs["X"], flags["approx"])}


TASK = Task(
    slug="gelu",
    number=3,
    title="GELU",
    level=1,
    category="activation",
    formula="Y = X * Phi(X), Phi(x) = (1 + erf(x / sqrt(2))) / 2",
    parameters=ROWS,
    inputs=(Tensor("X", ("b", "h")),),
    outputs=(Tensor("Y", ("b", "h"), "result"),),
    families=ELEMENTWISE,
    reference=_reference,
    flags={
        "approx": Flag(
            "erf",
            ("erf", "tanh", "sigmoid"),
            'how Phi is computed: "erf" exactly; "tanh" as (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; '
            '"sigmoid" as sigmoid(1.702 x)',
        )
    },
    doc="Element by element. The approximations are within 0.0005 (tanh) and 0.0204 (sigmoid) of the exact form.",
)
