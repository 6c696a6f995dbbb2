"""Tables of samples as text, and totals."""

from __future__ import annotations

import math
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core.reports import report, totals
from kernelcraft_core.reports.tables import WIDTH
from kernelcraft_core.reports.totals import as_expected

TITLES = {"silu": "SiLU", "softmax": "Softmax", "ffn": "Feed-forward network", "decoder": "Decoder block"}
LEVELS = {"silu": 1, "softmax": 1, "ffn": 2, "decoder": 3}


def sample(task: str, config: str, cycles: int = 100, status: str = "passed", **more: Any) -> dict[str, Any]:
    return {
        "target": "npu",
        "task": task,
        "config": config,
        "level": LEVELS.get(task, 1),
        "machine": "m",
        "extensions": [],
        "subject": {"kind": "compiler"},
        "status": status,
        "expected": "passed",
        "cycles": cycles,
        "bound_share": 0.61 if status == "passed" else None,
        "match_rate": None,
        "speedup": 1.0 if status == "passed" else None,
        "diagnostics": [],
        "worst": [],
        **more,
    }


def test_table_has_tasks_by_level_and_aligned_cells() -> None:
    finding = {"code": "KC0401", "severity": "error", "message": "address 3 is not aligned", "line": 7}
    worst = {"output": "y", "index": [3, 1], "expected": 1.5, "got": "NaN", "abs_error": "Infinity", "ulp": None}
    samples = [
        sample("silu", "C1", 1421),
        sample("silu", "C2", 98, bound_share=1.0),
        sample("softmax", "C1", 12_345_678, bound_share=0.054),
        sample("softmax", "C2", 5, "mismatch", match_rate=0.9999, worst=[worst]),
        sample("ffn", "C1", 40, "trap", diagnostics=[finding]),
        sample("ffn", "C2", 40, "syntax_error"),
        sample("decoder", "C1", 7, "harness_error"),
    ]
    assert report(samples, TITLES) == dedent(
        """\
        npu (machine m), compiler kernels: cycles, share of the lower bound

                                             C1               C2
        Level 1: primitive
          SiLU                       1,421  61%          98 100%
          Softmax               12,345,678   5%  mismatch 99.9 %
        Level 2: composite
          Feed-forward network             trap     syntax error
        Level 3: end-to-end
          Decoder block           harness error                -

        passed 3 of 7 (1 harness error)

        failed:
          softmax/C2: y[3, 1] = NaN, not 1.5
          ffn/C1: line 7: KC0401 address 3 is not aligned
          ffn/C2: syntax error
          decoder/C1: harness error"""
    )


def test_known_wrong_kernel_is_marked_and_does_not_fail() -> None:
    wrong = {"expected": "mismatch", "match_rate": 0.5, "subject": {"kind": "published"}}
    samples = [
        sample("silu", "C1", 90, "mismatch", **wrong),
        sample("silu", "C2", 1200, subject={"kind": "published"}),
        sample("silu", "C3", 80, "trap", **wrong),
    ]
    assert report(samples, TITLES) == dedent(
        """\
        npu (machine m), published kernels: cycles, share of the lower bound

                                 C1          C2    C3
        Level 1: primitive
          SiLU              90    *  1,200  61%  trap

        * known to compute something else: timed for the record

        passed 1 of 3 (0 harness errors, 1 known to be wrong)

        failed:
          silu/C3: trap"""
    )
    assert [as_expected(s) for s in samples] == [True, True, False]


def test_each_target_and_kind_has_its_own_table_and_extensions_are_named() -> None:
    samples = [
        sample("silu", "C1"),
        sample("silu", "C1", 50, subject={"kind": "expert"}, speedup=2.0),
        sample("silu", "C2", 50, subject={"kind": "expert"}, speedup=8.0),
        sample("silu", "C1", target="cpu", extensions=["Xa", "Xb"]),
    ]
    text = report(samples, TITLES)
    assert [line for line in text.splitlines() if line.endswith("lower bound")] == [
        "npu (machine m), compiler kernels: cycles, share of the lower bound",
        "npu (machine m), expert kernels: cycles, share of the lower bound",
        "cpu (machine m, extensions Xa, Xb), compiler kernels: cycles, share of the lower bound",
    ]
    assert text.count("speedup") == 1
    assert "speedup 4.00 (geometric mean over 2 of 2)" in text


def test_kinds_that_share_no_workload_share_a_table() -> None:
    other = {"subject": {"kind": "template"}}
    samples = [
        sample("silu", "C1"),
        sample("silu", "C2", **other),
        sample("softmax", "C1", **other),
        sample("ffn", "C1"),
    ]
    text = report(samples, TITLES)
    assert text.splitlines()[0].startswith("npu (machine m), compiler and template kernels:")
    assert "\n\ntemplate kernels: SiLU (C2), Softmax\n\npassed 4 of 4" in text
    assert report([*samples, sample("silu", "C1", **other)], TITLES).count("passed") == 2


def test_published_cycles_stand_beside_the_cells_and_are_counted() -> None:
    published = [
        {"target": "npu", "task": "silu", "config": "C1", "method": "model a", "cycles": 120},
        {"target": "npu", "task": "silu", "config": "C1", "method": "model b", "cycles": 100},
        {"target": "npu", "task": "silu", "config": "C2", "method": "model a", "cycles": 99},
        {"target": "npu", "task": "silu", "config": "C3", "method": "model a", "cycles": 99},
        {"target": "npu", "task": "silu", "config": "C2", "method": "compiler", "cycles": 150},
        {"target": "npu", "task": "silu", "config": "C4", "method": "model a", "cycles": 1},
        {"target": "cpu", "task": "silu", "config": "C1", "method": "model a", "cycles": 1},
    ]
    samples = [
        sample("silu", "C1"),
        sample("silu", "C2"),
        sample("silu", "C3", 1, "limit"),
        sample("softmax", "C1", 20_000),
    ]
    assert report(samples, TITLES, published) == dedent(
        """\
        npu (machine m), compiler kernels: cycles, share of the lower bound

                                     C1                C2            C3
        Level 1: primitive
          SiLU                 100  61%  <= 100  100  61%   > 99  limit     99
          Softmax           20,000  61%                        -             -

        passed 3 of 4 (0 harness errors)
        1 of 3 published cells at or below the best agent
        1 of 1 published cells at or below the compiler
        <= and > compare a cell with the best published agent's cycles

        failed:
          silu/C3: limit"""
    )
    assert "published" not in report(samples, TITLES)


def test_configurations_are_in_natural_order_and_a_wide_table_is_folded() -> None:
    configs = [f"C{i}" for i in (10, 9, 2, 1, 11, 3, 4, 5, 6, 7, 8)]
    text = report([sample("silu", config, 10**11) for config in configs], TITLES)
    heads = [line.split() for line in text.splitlines() if line.strip().startswith("C")]
    assert [head for line in heads for head in line] == [f"C{i}" for i in range(1, 12)]
    assert len(heads) == 3
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_task_without_a_title_has_its_slug_and_a_long_title_is_cut() -> None:
    text = report([sample("silu", "C1")], {})
    assert "\n  silu" in text
    text = report([sample("silu", "C1")], {"silu": "S" * 100})
    assert f"\n  {'S' * 35}...  100" in text


def test_many_failures_are_counted_and_long_reasons_cut() -> None:
    long = [{"code": "KC0201", "severity": "error", "message": "x" * 1000}]
    samples = [sample("silu", f"C{i}", 1, "syntax_error", diagnostics=long) for i in range(30)]
    lines = report(samples, TITLES).splitlines()
    assert lines[-1] == "  and 10 more"
    assert max(map(len, lines)) < 230


@given(st.lists(st.sampled_from(["passed", "mismatch", "trap", "harness_error"]), max_size=20), st.data())
def test_totals_add_up(statuses: list[str], data: st.DataObject) -> None:
    samples = []
    for status in statuses:
        expected = data.draw(st.sampled_from(["passed", "mismatch"]))
        speedup = data.draw(st.floats(0.01, 100)) if status == "passed" else None
        samples.append(sample("silu", "C1", 10, status, expected=expected, speedup=speedup))
    found = totals(samples)
    assert found.total == found.passed + found.failed + found.harness_errors + found.known_wrong
    assert found.failed + found.harness_errors == sum(not as_expected(s) for s in samples)
    assert found.speedups == found.passed
    if found.passed:
        logs = [math.log(s["speedup"]) for s in samples if s["speedup"]]
        assert found.speedup == pytest.approx(math.exp(sum(logs) / len(logs)))
    else:
        assert found.speedup is None
