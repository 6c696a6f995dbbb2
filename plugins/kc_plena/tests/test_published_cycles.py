"""Cycle counts of the baselines against the paper: KernelCraft, arXiv 2603.08721, table 15 and section I.

The data of the tensors does not matter to the clock, so HBM holds zeros.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import kernelcraft_core as kc
from kc_plena.baseline import ATTENTION_KERNEL, CONFIGS, Layout, attention_kernel, layout, program

TABLE = Path(__file__).with_name("vectors") / "table_4_7.csv"


def _table() -> list[tuple[str, str, str, str, int]]:
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    return [(task, config, flavour, paper, int(cycles)) for task, config, flavour, paper, cycles in csv.reader(lines)]


@pytest.fixture(scope="module")
def plena():
    return kc.target("plena")


def _run(target, text: str, place: Layout):
    state = {"hbm": np.zeros(place.hbm_bytes, np.uint8), "fp_mem": list(place.fp_mem)}
    result = target.simulate(target.assemble(text, filename="baseline.asm"), state=state)
    assert result.status == "halted", result.trap
    return result


@pytest.mark.parametrize(
    ("task", "config", "flavour", "cycles"),
    [pytest.param(t, c, f, n, id=f"{t}-{c}-{f}") for t, c, f, _, n in _table()],
)
def test_baseline_cycles_equal_table(plena, task, config, flavour, cycles):
    result = _run(plena, program(task, config, flavour), layout(task, config))
    assert result.cycles == cycles
    assert result.latency_ns == cycles


def test_table_is_complete_and_close_to_the_paper():
    rows = _table()
    published = {(task, config) for task, config, flavour, paper, _ in rows if paper != "-"}
    tasks = ("silu", "gelu", "layernorm", "rmsnorm", "gemm", "linear", "ffn", "swiglu")
    assert published == {(task, config) for task in tasks for config in CONFIGS}
    exact = [paper for *_, paper, cycles in rows if paper == str(cycles)]
    assert len(exact) == 32, "31 from other tasks and Linear C4"
    for task, _, _, paper, cycles in rows:
        if paper != "-":
            assert abs(int(paper) - cycles) <= (0.005 * cycles if task == "linear" else 23)


def test_attention_kernel_takes_the_published_time(plena):
    result = _run(plena, attention_kernel(), ATTENTION_KERNEL)
    assert result.instret == 3_677
    assert result.cycles == 37_573
    assert result.profile.by_mnemonic["H_PREFETCH_V"] == 526
    assert result.profile.by_mnemonic["H_PREFETCH_M"] == 428


# Durations of the HBM transfers: all vector transfers together (they sit in loops), each matrix transfer by itself.
TRANSFERS = [
    ("silu", "C1", "published", 30, []),
    ("silu", "C2", "published", 38 + 31, []),
    ("rmsnorm", "C2", "published", 38 + 24 + 31 + 24, []),
    ("gemm", "C1", "published", 30, [207]),
    ("gemm", "C2", "published", 38 + 24 + 31 + 24, [144, 143, 136, 139]),
    ("gemm", "C3", "published", 38 + 24 + 32 + 24 + 31 + 24 + 31 + 24, [146, 140, 139, 140, 139, 140, 139, 140]),
    ("ffn", "C1", "published", 30 + 27 + 31 + 35, [145, 136, 206, 212]),
]


@pytest.mark.parametrize(("task", "config", "flavour", "vector", "matrix"), TRANSFERS)
def test_hbm_transfers_take_the_known_time(plena, task, config, flavour, vector, matrix):
    result = _run(plena, program(task, config, flavour), layout(task, config))
    assert result.profile.by_mnemonic["H_PREFETCH_V"] == vector
    assert [p.cycles for p in result.profile.lines if p.mnemonic == "H_PREFETCH_M"] == matrix


@pytest.mark.parametrize(("task", "config"), [("gemm", "C1"), ("gemm", "C3"), ("ffn", "C2"), ("swiglu", "C2")])
def test_simple_hbm_model_is_within_half_a_percent(plena, task, config):
    simple = kc.target("plena", overrides={"HBM_MODEL": "simple"})
    exact = _run(plena, program(task, config), layout(task, config)).cycles
    assert _run(simple, program(task, config), layout(task, config)).cycles == pytest.approx(exact, rel=0.005)


@pytest.mark.parametrize("config", CONFIGS)
def test_looped_batch_matmul_is_close_to_unrolled(plena, config):
    place = layout("batch_matmul", config)
    looped = _run(plena, program("batch_matmul", config, "looped"), place)
    unrolled = _run(plena, program("batch_matmul", config, "unrolled"), place)
    assert unrolled.cycles < looped.cycles < 1.07 * unrolled.cycles
