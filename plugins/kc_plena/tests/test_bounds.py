"""Lower bounds: below what programs take, and following the machine's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import kernelcraft_core as kc
from kc_plena.baseline import CONFIGS, TASKS, attention_kernel, program
from kc_plena.machine import KC, PARAMS
from kc_plena.shapes import ATTENTION_KERNEL, layout
from kc_plena.workloads import workloads
from kc_plena.workloads.bound import chain

WORKLOADS = {w.name: w for w in workloads()}
PUBLISHED = ("silu", "gelu", "layernorm", "rmsnorm", "gemm", "linear", "ffn", "swiglu")
MEASURED = [f"{task}/{config}" for task in PUBLISHED for config in CONFIGS]
MEASURED += [name for name, w in WORKLOADS.items() if w.task in TASKS and w.config == "C1" and w.task not in PUBLISHED]
OVERRIDES = [
    {"HBM_MODEL": "simple"},
    {"HBM_MODEL": "none"},
    {"HBM_BEAT_CYCLES": 2},
    {"M_BMM_CYCLES": 1_000_000, "M_MV_CYCLES": 1_000_000, "M_MM_CYCLES": 3},
    {"V_ADD_CYCLES": 7, "V_MUL_CYCLES": 5, "V_EXP_CYCLES": 6, "V_RECI_CYCLES": 7, "V_SUM_CYCLES": 20},
    {p.name: 0 for p in PARAMS if p.name.endswith("_CYCLES") and not p.choices},
]


def _bound_and_cycles(name: str, overrides: Mapping[str, Any] | None = None) -> tuple[int, int]:
    """Return the bound and the cycles of the template; what the tensors hold does not matter to the clock."""
    workload = WORKLOADS[name]
    target = kc.target("plena", machine=workload.machine, overrides=overrides or {})
    place = layout(workload.task, workload.config)
    state = {"hbm": np.zeros(place.hbm_bytes, np.uint8), "fp_mem": list(place.fp_mem)}
    result = target.simulate(target.assemble(program(workload.task, workload.config)), state)
    assert result.status == "halted", result.trap
    return workload.bound(target.machine.values).cycles, result.cycles


@pytest.mark.parametrize("name", MEASURED)
def test_template_is_not_faster_than_the_bound(name):
    bound, cycles = _bound_and_cycles(name)
    assert bound <= cycles


@pytest.mark.parametrize("overrides", OVERRIDES, ids=lambda o: "-".join(o)[:40])
@pytest.mark.parametrize("task", TASKS)
def test_template_is_not_faster_than_the_bound_of_another_machine(task, overrides):
    bound, cycles = _bound_and_cycles(f"{task}/C1", overrides)
    assert bound <= cycles


def test_published_attention_kernel_is_not_faster_than_the_bound(plena):
    place = ATTENTION_KERNEL
    state = {"hbm": np.zeros(place.hbm_bytes, np.uint8), "fp_mem": list(place.fp_mem)}
    cycles = plena.simulate(plena.assemble(attention_kernel()), state).cycles
    assert WORKLOADS["sdpa/C1"].bound(KC.values).cycles < WORKLOADS["sdpa/C2"].bound(KC.values).cycles < cycles


@pytest.mark.parametrize("name", list(WORKLOADS))
def test_parts_add_up_and_rates_are_slower_than_the_bound_of_the_matrix_unit(name):
    bound = WORKLOADS[name].bound(KC.values)
    assert bound.cycles == sum(bound.parts.values()) >= 1
    assert bound.reason
    if "matrix" in bound.parts:
        assert bound.parts["matrix"] < bound.rates["M_MV"] < bound.rates["M_MM"]
    else:
        assert not bound.rates


# Counted by hand: macs / 4096; transfers of 4 rows take 15 cycles, of 64 rows 135; results / 64 of a stage; rows / 256.
BY_HAND = [
    ("silu/C1", {"hbm": 15, "vector": 4, "issue": 2}),
    ("softmax/C2", {"hbm": 60, "vector": 16, "issue": 2}),
    ("gemm/C1", {"matrix": 4, "hbm": 150, "write-out": 1, "issue": 2}),
    ("ffn/C1", {"matrix": 16, "hbm": 555, "vector": 8, "write-out": 1, "issue": 2}),
    ("rope/C1", {"hbm": 120, "vector": 31, "issue": 2}),
    ("sdpa/C2", {"matrix": 256, "hbm": 1020, "vector": 64, "write-out": 1, "issue": 2}),
    ("mha/C1", {"matrix": 128, "hbm": 525, "vector": 16, "write-out": 1, "issue": 2}),
]


@pytest.mark.parametrize(("name", "parts"), BY_HAND)
def test_bound_equals_the_hand_count(name, parts):
    assert WORKLOADS[name].bound(KC.values).parts == parts


def test_bound_follows_the_parameters():
    gemm = WORKLOADS["gemm/C3"]
    base = gemm.bound(KC.values).parts
    slow = gemm.bound({**KC.values, "M_BMM_CYCLES": 640}).parts
    assert slow["matrix"] == 10 * base["matrix"]
    by_mv = gemm.bound({**KC.values, "M_BMM_CYCLES": 1 << 20}).parts
    assert by_mv["matrix"] == gemm.bound(KC.values).rates["M_MV"]
    assert "hbm" not in gemm.bound({**KC.values, "HBM_MODEL": "none"}).parts
    assert gemm.bound({**KC.values, "HBM_BEAT_CYCLES": 2}).parts["hbm"] < base["hbm"]


@pytest.mark.parametrize(
    ("dims", "macs"),
    [((4, 5), 0), ((4, 5, 6), 120), ((10, 100, 5, 50), 7_500), ((32, 64, 64, 64, 32), 327_680), ((2, 3, 2, 5, 1), 22)],
)
def test_chain_takes_the_cheapest_association(dims, macs):
    assert chain(dims) == macs


@pytest.mark.parametrize("rows", [4, 64])
def test_a_transfer_takes_at_least_what_the_bound_counts(plena, rows):
    """Repeated transfers of rows that are open already, with the stride that spreads them best."""
    per_transfer = {4: 15, 64: 135}[rows]
    name = "H_PREFETCH_V" if rows == 4 else "H_PREFETCH_M"
    for stride in (64, 128, 256, 512):
        lines = [f"S_ADDI_INT gp1, gp0, {stride}", "C_SET_STRIDE_REG gp1", "S_ADDI_INT gp2, gp0, 65536"]
        lines += ["C_SET_SCALE_REG gp2", "C_LOOP_START gp3, 4", f"{name} gp0, gp0, a0, 1, 0", "C_LOOP_END gp3"]
        result = plena.simulate(plena.assemble("\n".join(lines)), {"hbm": np.zeros(1 << 17, np.uint8)})
        assert result.profile.by_mnemonic[name] >= 4 * per_transfer
