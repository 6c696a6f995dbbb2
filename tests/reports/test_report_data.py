"""The data of reports: counts, intervals, means, and what stands beside them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.evaluation import STATUSES
from kernelcraft_core.reports.data import PublishedResults, Report, build
from kernelcraft_core.reports.statistics import pass_at_k, wilson
from kernelcraft_core.reports.subjects import labels, published_model
from kernelcraft_core.results import checks, load

LOW, HIGH, OTHER = "acme/gpt-5.2 (reasoning=low)", "acme/gpt-5.2 (reasoning=high)", "local-7b"
CITED = PublishedResults(
    [
        {"target": "npu", "task": "silu", "config": "C1", "method": "gpt-5.2", "cycles": 80},
        {"target": "npu", "task": "silu", "config": "C1", "method": "gemini", "cycles": 70},
        {"target": "npu", "task": "silu", "config": "C1", "method": "compiler-O2", "cycles": 60},
        {"target": "cpu", "task": "silu", "config": "C1", "method": "gpt-5.2", "cycles": 1},
    ],
    [
        {"target": "npu", "task": "silu", "model": "gpt-5.2", "solved": 4, "attempted": 5},
        {"target": "npu", "task": "mha", "model": "gpt-5.2", "solved": 0, "attempted": 5},
        {"target": "npu", "task": "silu", "model": "gemini", "solved": 3, "attempted": 5},
        {"target": "npu", "task": "gemm", "model": "gemini", "solved": 5, "attempted": 5},
        {"target": "cpu", "task": "silu", "model": "gpt-5.2", "solved": 1, "attempted": 5},
    ],
)


@pytest.fixture
def report(write_run: Any, make: Any) -> Report:
    samples = make.experiment()
    missing = make.sample("mha", "C2", subject=make.model("local-7b"))
    return build(load(write_run(samples, planned=[*samples, missing])), CITED)


def rows(report: Report, section: str, **wanted: Any) -> list[dict[str, Any]]:
    return [dict(r) for r in report.sections[section] if all(r[key] == value for key, value in wanted.items())]


def test_success_counts_solved_of_attempted_and_the_rest_apart(report: Report) -> None:
    found = {(r["subject"], r["task"]): tuple(r.values())[4:8] for r in report.sections["success"]}
    assert found == {
        (LOW, "silu"): (1, 2, 0, 0),
        (LOW, "mha"): (0, 0, 1, 0),
        (HIGH, "silu"): (2, 2, 0, 0),
        (HIGH, "mha"): (1, 1, 0, 0),
        (OTHER, "silu"): (0, 2, 0, 0),
        (OTHER, "mha"): (0, 1, 0, 1),
    }


def test_totals_have_a_wilson_interval_and_leave_out_what_has_no_score(report: Report) -> None:
    (low,) = rows(report, "totals", subject=LOW, level=None)
    interval = wilson(1, 2)
    assert (low["solved"], low["attempted"], low["harness_errors"], low["rate"]) == (1, 2, 1, 0.5)
    assert (low["wilson_low"], low["wilson_high"]) == (interval.low, interval.high)
    (empty,) = rows(report, "totals", subject=LOW, level=2)
    assert (empty["attempted"], empty["rate"], empty["wilson_low"], empty["wilson_high"]) == (0, None, 0, 1)
    (other,) = rows(report, "totals", subject=OTHER, level=None)
    assert (other["solved"], other["attempted"], other["not_run"]) == (0, 3, 1)


def test_published_success_stands_beside_the_same_model_only(report: Report) -> None:
    cited = {
        (r["subject"], r["task"]): (r["published_solved"], r["published_attempted"]) for r in rows(report, "success")
    }
    assert cited[LOW, "silu"] == cited[HIGH, "silu"] == (4, 5)
    assert cited[LOW, "mha"] == (0, 5)
    assert cited[OTHER, "silu"] == (None, None)
    assert [(r["task"], r["model"]) for r in report.sections["published_success"]] == [
        ("silu", "gpt-5.2"),
        ("mha", "gpt-5.2"),
        ("silu", "gemini"),
    ]
    (total,) = rows(report, "totals", subject=HIGH, level=None)
    assert (total["published_solved"], total["published_attempted"]) == (4, 10)


def test_published_cycles_are_of_the_model_of_the_best_agent_and_of_the_best_compiler(report: Report) -> None:
    cited = ("published_cycles", "published_best", "published_compiler")
    (mine,) = rows(report, "cells", subject=LOW, task="silu", config="C1")
    (other,) = rows(report, "cells", subject=OTHER, task="silu", config="C1")
    (none,) = rows(report, "cells", subject=LOW, task="mha", config="C1")
    assert [mine[key] for key in cited] == [80, 70, 60]
    assert [other[key] for key in cited] == [None, 70, 60]
    assert [none[key] for key in cited] == [None, None, None]


def test_without_published_results_nothing_is_cited(write_run: Any, make: Any) -> None:
    report = build(load(write_run(make.experiment())))
    assert "published_success" not in report.sections
    assert {r["published_best"] for r in report.sections["cells"]} == {None}


def test_geometric_mean_is_over_correct_kernels_with_both_numbers(report: Report) -> None:
    (high,) = rows(report, "speedups", subject=HIGH)
    assert (high["geomean"], high["used"], high["passed"], high["attempted"]) == (pytest.approx(2.0), 2, 3, 3)
    (other,) = rows(report, "speedups", subject=OTHER)
    assert (other["geomean"], other["used"], other["passed"], other["attempted"]) == (None, 0, 0, 3)


def test_usage_sums_what_is_known_and_counts_what_is_not(report: Report) -> None:
    (low,) = rows(report, "usage", subject=LOW)
    assert [low[n] for n in (*checks.TOKENS, "price_usd")] == [3000, 1200, 600, 150, pytest.approx(0.75)]
    assert (low["seconds_model"], low["seconds_tools"], low["price_usd_unknown"]) == (30.0, 4.5, 0)
    (other,) = rows(report, "usage", subject=OTHER)
    assert [other[n] for n in (*checks.TOKENS, "price_usd")] == [30, None, 60, None, None]
    assert (other["price_usd_unknown"], other["input_tokens_unknown"]) == (3, 0)


def test_tools_events_and_effort_are_per_episode(report: Report) -> None:
    (calls,) = rows(report, "tools", subject=LOW, tool="write_code")
    assert (calls["calls"], calls["episodes"], calls["of"], calls["per_episode"]) == (9, 3, 3, 3.0)
    assert [r["event"] for r in rows(report, "events", subject=LOW)] == ["malformed_arguments"]
    (effort,) = rows(report, "effort", subject=LOW)
    assert (effort["iterations_mean"], effort["iterations_count"]) == (5.0, 3)
    assert (effort["first_correct_mean"], effort["first_correct_count"]) == (4.0, 1)
    assert effort["output_tokens_per_iteration"] == 600 / 15


def test_failures_are_classes_and_those_of_the_service_are_not_counted(report: Report) -> None:
    found = {
        (r["subject"], r["failure"]): (r["count"], r["not_counted"], r["attempted"]) for r in rows(report, "failures")
    }
    assert found[LOW, "functional"] == (1, 0, 2)
    assert found[LOW, "provider"] == (0, 1, 2)
    assert [found[OTHER, name][0] for name in ("syntax", "functional", "tool_use", "no_kernel")] == [0, 1, 1, 1]
    assert (HIGH, "provider") not in found
    for label in (LOW, HIGH, OTHER):
        (total,) = rows(report, "totals", subject=label, level=None)
        wrong = sum(r["count"] for r in rows(report, "failures", subject=label))
        assert total["solved"] + wrong == total["attempted"]


def test_pass_at_k_is_the_mean_over_cells_with_enough_repeats(write_run: Any, make: Any) -> None:
    statuses = {"C1": ["passed", "mismatch", "mismatch"], "C2": ["passed", "passed"], "C3": ["harness_error", "trap"]}
    samples = [
        make.sample("silu", config, status, subject=make.model("m"), repeat=i)
        for config, found in statuses.items()
        for i, status in enumerate(found)
    ]
    found = {r["k"]: r for r in build(load(write_run(samples))).sections["pass_at_k"]}
    assert found[1]["pass_at_k"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert (found[2]["pass_at_k"], found[2]["cells"]) == (pytest.approx((pass_at_k(3, 1, 2) + 1) / 2), 2)
    assert (found[3]["pass_at_k"], found[3]["cells"], found[3]["left_out"]) == (1.0, 1, 2)


def test_run_of_kernels_has_no_part_about_models(write_run: Any, make: Any) -> None:
    report = build(load(write_run([make.sample("silu", "C1"), make.sample("silu", "C1", "trap", subject="expert")])))
    assert {name: len(found) for name, found in report.sections.items() if name != "success"} == {
        "totals": 4,
        "pass_at_k": 0,
        "speedups": 2,
        "usage": 0,
        "effort": 0,
        "tools": 0,
        "events": 0,
        "failures": 0,
        "stopped": 0,
        "cells": 2,
    }


def test_salt_is_in_no_part_of_a_report(report: Report) -> None:
    assert "never-to-be-shown" not in repr(report.as_dict())
    assert report.header["settings"]["secret"] is True


def test_last_line_of_an_id_counts_and_a_torn_one_does_not(write_run: Any, make: Any) -> None:
    first, then = make.sample("silu", "C1", "harness_error"), make.sample("silu", "C1", "trap")
    path = write_run([first, then], lines='{"schema": "kc.sample/1", "id": "to')
    (total, _) = build(load(path)).sections["totals"]
    assert (total["solved"], total["attempted"], total["harness_errors"]) == (0, 1, 0)


def test_rows_of_a_section_have_the_same_keys(report: Report) -> None:
    for found in report.sections.values():
        assert len({tuple(row) for row in found}) <= 1


def test_order_is_by_level_task_and_natural_configuration(write_run: Any, make: Any) -> None:
    cells = [("mha", "C1"), ("silu", "C10"), ("silu", "C2"), ("gemm", "C1")]
    report = build(load(write_run([make.sample(*cell) for cell in cells])))
    found = [(r["task"], r["config"]) for r in report.sections["cells"]]
    assert found == [("silu", "C2"), ("silu", "C10"), ("gemm", "C1"), ("mha", "C1")]


# --- subjects --------------------------------------------------------------------------------------------------------


def test_labels_name_the_settings_that_differ_and_no_others(make: Any) -> None:
    a, b = make.model("m", reasoning="low", seed=1), make.model("m", reasoning="high", seed=1)
    c = make.model("m", reasoning="high", seed=1, tools={"a": 1})
    assert list(labels([a, b]).values()) == ["m (reasoning=low)", "m (reasoning=high)"]
    assert list(labels([a, a]).values()) == ["m"]
    found = list(labels([a, b, c, make.model("n", reasoning="low"), {"kind": "expert"}]).values())
    assert found[2:] == ['m (reasoning=high, tools={"a":1})', "n", "expert"]
    assert len(set(found)) == len(found)
    assert list(labels([{"kind": "given", "sha256": "a"}, {"kind": "given", "sha256": "b"}]).values()) == ["given"]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-5.2", "gpt-5.2"),
        ("openai/gpt-5.2", "gpt-5.2"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("openrouter/deepseek/DeepSeek-R1-0528", "deepseek-r1"),
        ("gemini-3-flash-preview", "gemini-3-flash"),
        ("gpt-5.2-chat", None),
        ("gpt-5", None),
        ("claude-sonnet-4.5", None),
        ("deepseek-r1-distill-qwen-7b", None),
    ],
)
def test_published_model_is_found_in_spite_of_provider_and_date_and_no_other_is(
    name: str, model: str | None, make: Any
) -> None:
    known = ["gpt-5.2", "claude-sonnet-4", "deepseek-r1", "gemini-3-flash"]
    for order in itertools.permutations(known):
        assert published_model(make.model(name), order) == model
    assert published_model({"kind": "expert", "model": "gpt-5.2"}, known) is None


def test_statuses_are_those_of_the_evaluation() -> None:
    assert checks.STATUSES == STATUSES


def test_rescorings_are_read_from_their_folder(write_run: Any, make: Any) -> None:
    path: Path = write_run([make.sample("silu", "C1")])
    write_run([make.sample("silu", "C1", "trap")], name="run/scores/again")
    assert [s["status"] for s in load(path).samples] == ["passed"]
    assert [s["status"] for s in load(path, "again").samples] == ["trap"]
