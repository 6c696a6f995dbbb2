"""Inputs of the PLENA workloads: what is drawn for each tensor, and the HBM image it becomes.

Every value is drawn, rounded to bfloat16 and quantised by the host quantiser; kernels and goldens see the dequantised
values. Activations follow the input family in force; everything else does not depend on it, except the rotated copy of
an activation.

Weights are normal with standard deviation 1 / sqrt(rows), so that results are about as large as activations; with
weights of size 1 even a right kernel misses single elements of a two-layer network. Decoders halve theirs, because
their errors add up over two residual branches, and T5's query weights are divided by 8 more, because its scores are not
scaled by 1 / sqrt(64). Biases have a standard deviation of 0.1.

In every family of the norms but the standard one a row of X is zero: no other row shows whether a kernel adds epsilon,
which is 1e-6 beside mean squares of 0.01 and more.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kc_plena.numerics import round_bf16
from kc_plena.packing import HbmImage, build_image
from kc_plena.shapes import HEAD, Layout, Parameters
from kc_plena.workloads.bound import least_masked
from kernelcraft_core.tasks import STANDARD, Family

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Shape = tuple[int, int]

ACTIVATIONS = ("X", "Q", "K", "V", "A", "x")
"""Tensors drawn from the family in force."""
ROPE_BASE = 10_000.0
BIAS_DEVIATION = 0.1
DECODER_GAIN = 0.5
T5_QUERY_GAIN = 1 / 8
NORMS = ("layernorm", "rmsnorm")
"""Tasks with a row of zeros. Not the decoders: behind attention their norm would make errors of a row of zeros large."""
LOGIT_GAIN = 3.0
RANK_MARGIN = 0.02
"""Least relative distance between the k-th and the next confidence: two to five steps of bfloat16."""
ROBUST_TRIES = 10_000
"""A draw needs 3 of them on average; of negative logits, which are all about equally sure, about 70."""


def rotate_half(x: F64 | F32) -> F64:
    """Return [-x2, x1] of the two halves x1, x2 of each row: float64, same shape."""
    half = x.shape[-1] // 2
    rotated: F64 = np.concatenate([-x[..., half:], x[..., :half]], axis=-1).astype(np.float64)
    return rotated


def angles(shape: Shape) -> F64:
    """Return the angle of each position (row) and lane, base 10000, both halves of a row alike: float64."""
    positions, width = shape
    frequencies = ROPE_BASE ** (-np.arange(0, width, 2) / width)
    return np.tile(np.outer(np.arange(positions), frequencies), 2)


def rotation_matrix() -> F64:
    """Return ROT with X ROT = rotate_half(X) for heads of 64 columns: (64, 64) float64 of -1, 0 and 1."""
    return rotate_half(np.eye(HEAD))


def _weight(task: str, name: str, rows: int, rng: np.random.Generator, shape: Shape) -> F64:
    values: F64 = rng.standard_normal(shape) / np.sqrt(rows)
    if task.startswith("decoder"):
        values *= DECODER_GAIN
    if (task, name) == ("decoder_t5", "Wq"):
        values *= T5_QUERY_GAIN
    return values


def _tensor(
    task: str,
    name: str,
    p: Parameters,
    shape: Shape,
    rng: np.random.Generator,
    drawn: Mapping[str, F32],
    family: Family,
) -> F64:
    """Return one tensor as drawn: float64 of the stored shape."""
    if name in ACTIVATIONS:
        values = family.sample(rng, shape)
        if task in NORMS and family.name != STANDARD:
            values[rng.integers(shape[0])] = 0.0
        return values
    if name == "XROT":
        return rotate_half(drawn["X"])
    if name == "COS":
        return np.cos(angles(shape))
    if name == "SIN":
        return np.sin(angles(shape))
    if name == "ROT":
        return rotation_matrix()
    if name == "w":
        return np.ones(shape)
    if name == "bias":
        return BIAS_DEVIATION * rng.standard_normal(shape)
    rows = p["K"] if task == "batch_matmul" else shape[0]  # the matrices of a batch are stacked
    return _weight(task, name, rows, rng, shape)


def image(task: str, p: Parameters, place: Layout, rng: np.random.Generator, family: Family) -> HbmImage:
    """Return the HBM image of a draw; `.values` are what a kernel can see, by tensor name, in stored shapes.

    Args:
        task: any task but get_transfer_index.
        p: parameters of the task.
        place: its layout.
        rng: generator of the draw; tensors take from it in HBM order.
        family: distribution of the activations.
    """
    drawn: dict[str, F32] = {}
    for name, shape in place.tensors:
        drawn[name] = round_bf16(_tensor(task, name, p, shape, rng, drawn, family))
    return build_image(drawn.items())


# --------------------------------------------------------------------------------------------------- get_transfer_index


def confidences(logits: F32) -> F64:
    """Return the softmax probability of the largest logit of each row: (rows,) float64."""
    values = logits.astype(np.float64)
    found: F64 = 1.0 / np.exp(values - values.max(axis=-1, keepdims=True)).sum(axis=-1)
    return found


def ranked(logits: F32, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the masked positions of one sequence, most confident first; the lower index first where they are equal."""
    where = np.flatnonzero(mask)
    return where[np.argsort(-confidences(logits[where]), kind="stable")]


def _robust(logits: F32, mask: NDArray[np.bool_], k: int) -> bool:
    """Return whether rounding cannot change which k masked positions are the most confident."""
    order = ranked(logits, mask)
    kept, dropped = confidences(logits[order[k - 1 : k + 1]])
    return bool(kept > (1 + RANK_MARGIN) * dropped)


def _sequence(p: Parameters, rng: np.random.Generator, family: Family) -> tuple[F32, NDArray[np.bool_]]:
    """Return logits (L, V) and mask (L,) of a sequence."""
    for _ in range(ROBUST_TRIES):
        mask = np.zeros(p["L"], np.bool_)
        mask[rng.permutation(p["L"])[: rng.integers(least_masked(p), p["L"])]] = True
        logits = round_bf16(LOGIT_GAIN * family.sample(rng, (p["L"], p["V"])))
        if _robust(build_image([("logits", logits)]).values["logits"], mask, p["k"]):
            return logits, mask
    raise ArithmeticError(f"family {family.name} gives no ranking that rounding cannot change")


def transfer_tensors(p: Parameters, rng: np.random.Generator, family: Family) -> list[tuple[str, F32]]:
    """Return logits (B * L, V) and mask (B, L) of get_transfer_index, as drawn, in HBM order.

    Each sequence has at least `least_masked` masked positions and a ranking that rounding cannot change: it is drawn
    again until that holds.

    Raises:
        ArithmeticError: the family gives no such ranking.
    """
    sequences = [_sequence(p, rng, family) for _ in range(p["B"])]
    logits, masks = zip(*sequences, strict=True)
    return [("logits", np.concatenate(logits)), ("mask", np.array(masks, np.float32))]
