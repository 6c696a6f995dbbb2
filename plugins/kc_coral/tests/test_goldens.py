"""Golden results: reference vectors, worked numbers of the arithmetic, and agreement with the tasks' references."""

from __future__ import annotations

import csv
import hashlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kc_coral.shapes import CONFIGS, TASKS, layout
from kc_coral.workloads import workloads
from kc_coral.workloads.cases import frozen
from kc_coral.workloads.draws import activation_table, exp_table, folded
from kc_coral.workloads.goldens import golden, multiplied, requantised, rounded, saturated
from kc_coral.workloads.reals import limited, real_inputs, real_result
from kc_tasks.suite import SUITE
from kernelcraft_core.tasks import standard_families

ROWS = list(
    csv.DictReader(
        line
        for line in (Path(__file__).parent / "vectors/workloads.csv").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
)
CELLS = [(task, config) for task in TASKS for config in CONFIGS]
FAMILIES = {family.name: family for family in standard_families()}
WORKLOADS = {w.name: w for w in workloads()}
SLUGS = {task.slug: task for task in SUITE.tasks}


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_case_of_the_reference_vectors_has_their_digests_and_addresses(task, config):
    rows = [row for row in ROWS if (row["task"], row["config"]) == (task, config)]
    place, case = layout(task, config), frozen(task, config)
    arrays = [*place.inputs, place.output]
    assert [row["array"] for row in rows] == [array.name for array in arrays]
    for row, array in zip(rows, arrays, strict=True):
        values = case.goldens["exact"]["Y"] if array is place.output else case.inputs[array.name]
        assert values.dtype == row["dtype"] == array.dtype
        assert array.address == int(row["address"], 16)
        assert values.size == np.prod([int(n) for n in row["shape"].split("x")])
        assert hashlib.sha256(values.tobytes()).hexdigest() == row["sha256"], array.name


def test_the_reference_vectors_cover_every_cell():
    assert {(row["task"], row["config"]) for row in ROWS if row["array"] == "Y"} == set(CELLS)


# ------------------------------------------------------------------------------------------------------------ arithmetic


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 31))
def test_rounding_is_half_up(v, s):
    exact = Fraction(v, 2**s) + Fraction(1, 2)
    expected = exact.numerator // exact.denominator if s else v
    assert int(rounded(np.int64(v), s)) == expected


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_product_is_rounded_half_up_and_limited(v, mult):
    exact = Fraction(v * mult, 2**31) + Fraction(1, 2)
    expected = min(exact.numerator // exact.denominator, 2**31 - 1)
    assert int(multiplied(np.int64(v), mult)) == expected


def test_worked_numbers_of_the_arithmetic():
    assert rounded(np.array([-5, -3, 3, 5, 6]), 1).tolist() == [-2, -1, 2, 3, 3]
    assert rounded(np.array([7, 7, -7]), np.array([0, 1, 2])).tolist() == [7, 4, -2]
    assert saturated(np.array([-129, -128, 127, 128])).tolist() == [-128, -128, 127, 127]
    assert multiplied(np.array([-(2**31)]), -(2**31)).tolist() == [2**31 - 1]
    assert requantised(np.array([1000]), 1_717_986_918, 3).tolist() == [100]  # 1000 * 0.8 / 8


def test_tables_hold_the_functions():
    ramp = activation_table(lambda v: v)
    assert ramp.tolist() == list(range(-128, 128))
    assert activation_table(lambda v: v + 100).tolist() == [127] * 256
    assert exp_table()[[0, 32, 255]].tolist() == [32768, 12055, 11]


@pytest.mark.parametrize("s", [6, 8, 9])
def test_folded_normalisation_is_near_the_one_it_folds(s):
    seed = 5
    found = folded(np.random.default_rng(seed), 64, s)
    rng = np.random.default_rng(seed)
    gamma, beta, mean, var = (rng.uniform(a, b, 64) for a, b in ((0.5, 1.5), (-1, 1), (-1, 1), (0.5, 1.5)))
    sums = np.random.default_rng(1).integers(-(2 ** (s + 6)), 2 ** (s + 6), (50, 64))
    real = gamma * (sums / 2.0 ** (s + 5) - mean) / np.sqrt(var + 1e-5) + beta
    got = requantised(sums + found["bias"], found["mult"].astype(np.int64), found["shift"].astype(np.int64))
    assert np.abs(got - 32 * real).max() <= 0.6
    assert (found["mult"] >= 2**30).all()


def test_softmax_rows_of_equal_elements_share_the_sum():
    place = layout("softmax", "C1")
    x = np.full((4, 64), -7, np.int8)
    got = golden("softmax", {"x": x, "exp": exp_table()}, place)
    assert np.unique(got).tolist() == [round(255 / 64) - 128]


def test_convolution_sees_zeros_around_the_image():
    place = layout("depthwise_conv", "C1")
    values = {
        "X": np.full((8, 8, 16), 64, np.int8),
        "W": np.full((3, 3, 16), 8, np.int8),
        "bias": np.zeros(16, np.int32),
    }
    got = golden("depthwise_conv", values, place)[..., 0]
    # 512 for each tap inside, times 0.8 / 128 = 3.2: 4, 6 or 9 taps.
    assert [int(got[0, 0]), int(got[0, 3]), int(got[3, 3])] == [13, 19, 29]


# ------------------------------------------------------------------------------------------------------------ references

# Task -> largest error in steps of a result byte, and largest relative L2 error. Softmax and products round once; norms
# round the variance, its root, the inverse and two products; ffn and swiglu a hidden layer.
NEAR = {
    **dict.fromkeys(("silu", "gelu"), ("standard", 0.51, 0.01)),
    "relu": ("standard", 0.0, 0.0),
    "softmax": ("standard", 0.51, 0.05),
    **dict.fromkeys(("layernorm", "rmsnorm"), ("standard", 1.5, 0.02)),
    **dict.fromkeys(("gemv", "gemm", "batch_matmul", "linear", "conv2d", "depthwise_conv"), ("standard", 0.51, 0.01)),
    "ffn": ("sparse", 4.0, 0.05),
    "swiglu": ("sparse", 4.0, 0.2),
    "conv_block": ("standard", 0.55, 0.01),
}
STEPS = {"silu": 16, "gelu": 16, "softmax": 255, "layernorm": 32, "rmsnorm": 32}


@pytest.mark.parametrize("config", ["C1", "C2"])
@pytest.mark.parametrize("task", TASKS)
def test_golden_result_is_the_reference_up_to_rounding(task, config):
    family, steps, relative = NEAR[task]
    workload, place = WORKLOADS[f"{task}/{config}"], layout(task, config)
    case, known = workload.draw(3, FAMILIES[family]), SLUGS[task]
    shapes = {tensor.name: tensor.dimensions(workload.parameters) for tensor in known.inputs}
    reals = real_inputs(task, place, case.inputs, shapes)
    expected = limited(task, known.compute(reals, workload.parameters, workload.flags)["Y"])
    got = real_result(task, case.goldens["exact"]["Y"])
    assert np.abs(got - expected).max() * STEPS.get(task, 1) <= steps
    assert np.linalg.norm(got - expected) <= relative * np.linalg.norm(expected)
