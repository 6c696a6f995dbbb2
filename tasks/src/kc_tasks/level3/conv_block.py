"""ConvBlock: convolution, batch normalisation, ReLU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kc_tasks import reference
from kc_tasks.parts import EPS, PRODUCT, WINDOW, image_result
from kc_tasks.reference import F64
from kernelcraft_core.tasks import Flag, Task, Tensor


def _reference(inputs: Mapping[str, F64], parameters: Mapping[str, int], flags: Mapping[str, Any]) -> dict[str, F64]:
    y = reference.conv2d(inputs["X"], inputs["F"], parameters["stride"], parameters["padding"])
    if flags["norm"] == "folded":
        y = y * inputs["scale"] + inputs["shift"]
    else:
        y = (y - inputs["mean"]) / np.sqrt(inputs["var"] + flags["eps"]) * inputs["gamma"] + inputs["beta"]
    return {"Y": reference.relu(y)}


def _per_channel(name: str, role: str, norm: str, meaning: str) -> Tensor:
    return Tensor(name, ("1", "CO"), role, f'{meaning} of every channel; used with norm = "{norm}"')


TASK = Task(
    slug="conv_block",
    number=21,
    title="ConvBlock",
    level=3,
    category="block",
    formula="Y = max(conv2d(X, F) * scale + shift, 0)",
    parameters={"H": "height", "W": "width", "CI": "input channels", "CO": "output channels", **WINDOW},
    inputs=(
        Tensor("X", ("H", "W", "CI")),
        Tensor("F", ("KH", "KW", "CI", "CO"), "weight", "the filters"),
        _per_channel("scale", "weight", "folded", "factor"),
        _per_channel("shift", "bias", "folded", "summand"),
        _per_channel("gamma", "weight", "batch", "factor"),
        _per_channel("beta", "bias", "batch", "summand"),
        _per_channel("mean", "bias", "batch", "mean"),
        _per_channel("var", "weight", "batch", "variance, positive,"),
    ),
    outputs=(image_result("CO"),),
    families=PRODUCT,
    reference=_reference,
    flags={
        "norm": Flag(
            "folded",
            ("folded", "batch"),
            'how the normalisation is given: "folded" as scale and shift; "batch" as gamma, beta, mean and var, with '
            "scale = gamma / sqrt(var + eps) and shift = beta - mean * scale",
        ),
        "eps": EPS,
    },
    doc='The convolution is that of conv2d, without a bias. eps belongs to norm = "batch".',
)
