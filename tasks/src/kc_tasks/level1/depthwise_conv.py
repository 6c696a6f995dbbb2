"""DepthwiseConv: a convolution of every channel with its own filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc_tasks import reference
from kc_tasks.parts import PRODUCT, WINDOW, image_result, switch
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    y = reference.depthwise_conv(inputs["X"], inputs["F"], parameters["stride"], parameters["padding"])
    return {"Y": y + inputs["bias"] if flags["bias"] else y}


TASK = Task(
    slug="depthwise_conv",
    number=12,
    title="DepthwiseConv",
    level=1,
    category="convolution",
    formula="Y[y, x, c] = sum_ij X[y * stride + i - padding, x * stride + j - padding, c] * F[i, j, c] [+ bias[c]]",
    parameters={"H": "height", "W": "width", "C": "channels", **WINDOW},
    inputs=(
        Tensor("X", ("H", "W", "C")),
        Tensor("F", ("KH", "KW", "C"), "weight", "the filters"),
        Tensor("bias", ("1", "C"), "bias", "added to every channel; used with bias"),
    ),
    outputs=(image_result("C"),),
    families=PRODUCT,
    reference=_reference,
    flags={"bias": switch(False, "whether bias is added")},
    doc="Outside of X there are zeros. The filter is not flipped. Batch of 1, channels last.",
)
