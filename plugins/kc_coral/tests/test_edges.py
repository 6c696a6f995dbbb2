"""Inputs at the edges of the arithmetic: every score has draws in which a step done a little differently shows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kc_coral.shapes import layout
from kc_coral.workloads import goldens, workloads
from kernelcraft_core.evaluation import plan
from kernelcraft_core.tasks import STANDARD, standard_families

WORKLOADS = {w.name: w for w in workloads()}
FAMILIES = {family.name: family for family in standard_families()}
SALTS = ("a", "b", "c")


def drawn(name: str, salt: str):
    """Return the cases of a score: as many draws as the workload asks for."""
    workload = WORKLOADS[name]
    planned = plan(workload, salt, workload.draws)
    return [(draw.family, workload.draw(draw.seed, FAMILIES[draw.family])) for draw in planned]


def _low_bits(v, s):
    return v & ((np.int64(1) << s) - 1)


def _half(v, s):
    return (_low_bits(v, s) == (np.int64(1) << s) >> 1) & (np.asarray(s) > 0)


ROUNDED, SATURATED, MULTIPLIED = goldens.rounded, goldens.saturated, goldens.multiplied
WRONG = {
    # step: (function of goldens, what a kernel may do instead)
    "rounded down": ("rounded", lambda v, s: v >> s),
    "half to even": ("rounded", lambda v, s: ROUNDED(v, s) - (_half(v, s) & (ROUNDED(v, s) & 1 == 1))),
    "half down": ("rounded", lambda v, s: ROUNDED(v, s) - _half(v, s)),
    "half away from zero": ("rounded", lambda v, s: np.where(np.asarray(v) < 0, -ROUNDED(-v, s), ROUNDED(v, s))),
    "to odd": ("rounded", lambda v, s: np.where(_low_bits(v, s) != 0, v >> s | 1, v >> s)),
    "-127 as the lower end": ("saturated", lambda v: np.clip(v, -127, 127)),
    "126 as the upper end": ("saturated", lambda v: np.clip(v, -128, 126)),
    "wrapped": ("saturated", lambda v: (v + 128 & 255) - 128),
    "wrapped above": ("saturated", lambda v: (np.maximum(v, -128) + 128 & 255) - 128),
    "wrapped below": ("saturated", lambda v: (np.minimum(v, 127) + 128 & 255) - 128),
    "product rounded down": ("multiplied", lambda v, mult: v * mult >> 31),
}
SUMS = ("gemv", "gemm", "batch_matmul", "linear", "conv2d", "depthwise_conv", "ffn", "swiglu", "layernorm", "rmsnorm")
SCALED = ("linear", "conv2d", "depthwise_conv", "ffn", "swiglu", "conv_block")
CASES = [
    (task, step)
    for step, (function, _) in WRONG.items()
    for task in (*SUMS, "conv_block")
    if not (function == "multiplied" and task not in SCALED)
    and not (task == "conv_block" and (function == "saturated" or step == "half away from zero"))
]


@pytest.mark.parametrize(("task", "step"), CASES)
def test_step_done_differently_shows_under_any_salt(task, step, monkeypatch):
    cases = {(config, salt): drawn(f"{task}/{config}", salt) for config in ("C1", "C2") for salt in SALTS}
    function, instead = WRONG[step]
    monkeypatch.setattr(goldens, function, instead)
    for (config, salt), draws in cases.items():
        place = layout(task, config)
        same = [np.array_equal(goldens.golden(task, c.inputs, place), c.goldens["exact"]["Y"]) for _, c in draws]
        assert not all(same), (config, salt)


def test_a_maximum_of_softmax_that_begins_at_zero_shows():
    for salt in SALTS:
        differs = []
        for _, case in drawn("softmax/C1", salt):
            x, exp = (case.inputs[name].astype(np.int64) for name in ("x", "exp"))
            from_zero = goldens.shares(exp[np.maximum(x.max(axis=1, keepdims=True), 0) - x])
            differs.append((from_zero != case.goldens["exact"]["Y"]).any())
        assert any(differs)


@pytest.mark.parametrize("wrong", [-1, 1])
def test_a_quotient_of_softmax_that_is_off_by_next_to_nothing_shows(wrong):
    for salt in SALTS:
        differs = []
        for _, case in drawn("softmax/C1", salt):
            x, exp = (case.inputs[name].astype(np.int64) for name in ("x", "exp"))
            e = exp[x.max(axis=1, keepdims=True) - x]
            total = e.sum(axis=1, keepdims=True)
            near = (20_000 * (255 * e + total // 2) + wrong * total) // (20_000 * total) - 128
            differs.append((near != case.goldens["exact"]["Y"]).any())
        assert any(differs)


@pytest.mark.parametrize("task", ["silu", "gelu"])
def test_every_entry_of_a_table_is_asked_for(task):
    for salt in SALTS:
        assert any(len(np.unique(case.inputs["x"])) == 256 for _, case in drawn(f"{task}/C1", salt))


@pytest.mark.parametrize("task", ["relu", "silu", "gelu", "gemm", "linear", "conv2d", "conv_block", "ffn"])
def test_last_result_is_not_what_memory_holds(task):
    for salt in SALTS:
        for family, case in drawn(f"{task}/C1", salt):
            assert family == STANDARD or case.goldens["exact"]["Y"].ravel()[-1] != 0


def norm(case, log2, *, mean, variance, root, least):
    """Return a norm with some of its steps done as given: the rounding of mean and variance, the root, its least value."""
    v = {name: array.astype(np.int64) for name, array in case.inputs.items()}
    d = v["x"] - mean(v["x"].sum(), log2) if "beta" in v else v["x"]
    q = max(least, root(256 * int(variance((d * d).sum(), log2))))
    inverse = 2**20 // q if q else -1  # what a division by 0 gives on this machine
    scaled = ROUNDED(ROUNDED(d * inverse, 11) * v["gamma"], 7)
    return SATURATED(scaled + v.get("beta", 0))


RIGHT_NORM = {"mean": ROUNDED, "variance": ROUNDED, "root": math.isqrt, "least": 1}
WRONG_NORM = {
    "mean rounded down": {"mean": WRONG["rounded down"][1]},
    "mean half to even": {"mean": WRONG["half to even"][1]},
    "variance rounded down": {"variance": WRONG["rounded down"][1]},
    "variance half to even": {"variance": WRONG["half to even"][1]},
    "root 1 too small": {"root": lambda n: math.isqrt(n) - 1},
    "root 1 too large": {"root": lambda n: math.isqrt(n) + 1},
    "division by a root of 0": {"least": 0},
}


@pytest.mark.parametrize("config", ["C1", "C2", "C3"])
@pytest.mark.parametrize("task", ["layernorm", "rmsnorm"])
def test_step_of_a_norm_done_differently_shows_under_any_salt(task, config):
    log2 = layout(task, config).symbols["L"]
    for salt in SALTS:
        cases = [(case, case.goldens["exact"]["Y"].ravel()) for _, case in drawn(f"{task}/{config}", salt)]
        assert all(np.array_equal(norm(case, log2, **RIGHT_NORM), y) for case, y in cases)
        for step, instead in WRONG_NORM.items():
            if task == "layernorm" or "mean" not in instead:
                same = [np.array_equal(norm(case, log2, **RIGHT_NORM | instead), y) for case, y in cases]
                assert not all(same), (step, salt)


@pytest.mark.parametrize("task", ["layernorm", "rmsnorm"])
def test_a_norm_meets_a_variance_of_zero(task):
    """The root is 0 there, and the elements are not: what is divided by has to be 1."""
    for salt in SALTS:
        (x,) = (case.inputs["x"].astype(int) for family, case in drawn(f"{task}/C1", salt) if family == "sparse")
        assert x.any()
        assert 2 * (x * x).sum() < x.size


def test_conv_block_exceeds_both_ends():
    place = layout("conv_block", "C1")
    for salt in SALTS:
        results = []
        for _, case in drawn("conv_block/C1", salt):
            v = {name: array.astype(np.int64) for name, array in case.inputs.items()}
            results.append(goldens.requantised(goldens.convolved(v, place.symbols), v["mult"], v["shift"]))
        assert min(r.min() for r in results) < 0
        assert max(r.max() for r in results) > 127
