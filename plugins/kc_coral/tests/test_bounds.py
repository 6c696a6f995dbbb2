"""Lower bounds: below what right kernels took on the hardware's RTL, and following the machine's latencies."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from kc_coral.shapes import sizes
from kc_coral.workloads import workloads
from kc_coral.workloads.bound import _window_terms, bound

MEASURED = [
    row
    for row in csv.DictReader(
        line
        for line in (Path(__file__).parent / "vectors/measured_cycles.csv").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
]
DEFAULT = {"RL": 3, "WL": 3}

# Counted by hand: lines of 16 bytes times 7 for inputs and result; products / 17.
BY_HAND = [
    ("relu/C1", {"loads": 224, "stores": 224}, 448),
    ("silu/C1", {"loads": 224, "stores": 224}, 448),
    ("softmax/C1", {"loads": 112, "stores": 112}, 224),
    ("layernorm/C1", {"loads": 336, "stores": 112, "second pass": 0}, 448),
    ("rmsnorm/C3", {"loads": 1792, "stores": 896, "second pass": 616}, 3304),
    ("gemv/C1", {"loads": 910, "stores": 28, "products": 121}, 938),
    ("gemm/C1", {"loads": 896, "stores": 448, "products": 1928}, 1928),
]


@pytest.mark.parametrize(("name", "parts", "cycles"), BY_HAND)
def test_bound_equals_the_hand_count(name, parts, cycles):
    found = bound(*name.split("/"), DEFAULT)
    assert (dict(found.parts), found.cycles) == (parts, cycles)


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: "-".join(list(row.values())[:3]))
def test_measured_kernels_are_not_faster_than_the_bound(row):
    latency = int(row["latency"])
    assert bound(row["task"], row["config"], {"RL": latency, "WL": latency}).cycles <= int(row["cycles"])


def test_copying_kernels_are_near_the_bound():
    rows = [row for row in MEASURED if row["task"] == "relu"]
    for row in rows:
        latency = int(row["latency"])
        assert bound("relu", row["config"], {"RL": latency, "WL": latency}).cycles > 0.9 * int(row["cycles"])


@pytest.mark.parametrize("workload", workloads(), ids=lambda w: w.name)
def test_bound_grows_with_the_latencies(workload):
    found = [workload.bound({"RL": rl, "WL": wl}) for rl, wl in ((0, 0), (3, 3), (50, 3), (50, 50))]
    memory = [sum(v for k, v in b.parts.items() if k != "products") for b in found]
    assert memory == sorted(set(memory))
    assert all(b.reason and b.cycles >= max(b.parts.values()) for b in found)


@pytest.mark.parametrize(("task", "config"), [("conv2d", "C1"), ("conv2d", "C2"), ("depthwise_conv", "C5")])
def test_terms_of_windows_equal_a_count(task, config):
    n = sizes(task, config)
    edge, inside = (n["KS"] - 1) // 2, range(n["H"])
    count = sum(y + r - edge in inside for y in inside for r in range(n["KS"]))
    assert _window_terms(n) == count**2
