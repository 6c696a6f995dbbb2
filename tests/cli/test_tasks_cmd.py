"""`kc tasks check` on the toy target."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Kc = Callable[..., Any]
LOOSE = """
import attrs
from kernelcraft_core import hookimpl
KC_API = 1
@hookimpl
def kc_workloads(target):
    from kc_toy.tasks import workloads
    from kernelcraft_core.tasks import Tolerance
    loose = Tolerance(atol=1e10, reason="lets everything pass")
    return [attrs.evolve(workloads()[0], config="C9", tolerance=loose)] if target == "toy" else None
"""


def test_check_reports_every_workload_and_the_rate(kc: Kc) -> None:
    out = kc("tasks", "check", "--mutants", "15").stdout
    assert out.splitlines()[0].split()[:4] == ["TARGET", "TASK", "CONFIG", "KERNEL"]
    assert out.count("6 fail") == 2
    assert "30 mutants: 100.00 % of those that differ are killed" in out


def test_check_in_two_processes_finds_the_same(kc: Kc) -> None:
    one, two = (json.loads(kc("tasks", "check", "--mutants", "10", "--jobs", n, "--json").stdout) for n in ("1", "2"))
    assert one == two
    assert one["schema"] == "kc.tasks-check/1"
    assert one["ok"] is True
    assert one["killed"] + one["identical"] == 20


def test_check_of_one_kind_of_kernel(kc: Kc) -> None:
    entry = json.loads(kc("tasks", "check", "--kind", "expert", "--mutants", "5", "--config", "c1", "--json").stdout)
    assert [w["kind"] for w in entry["workloads"]] == ["expert"]


def test_check_a_workload_that_does_not_bite_is_named(kc: Kc, tmp_path: Path) -> None:
    path = tmp_path / "loose.py"
    path.write_text(LOOSE)
    args = ("--plugin-file", str(path), "tasks", "check", "--config", "C9", "--mutants", "20")
    result = kc(*args, exit_code=1)
    assert "passes although it computes nothing: zeros" in result.stdout
    assert "survives: line" in result.stdout


def test_check_a_rate_below_the_one_asked_for_is_a_no(kc: Kc) -> None:
    kc("tasks", "check", "--mutants", "10", "--at-least", "100")
    kc("tasks", "check", "--mutants", "0", "--at-least", "100")


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (("--task", "tripel"), 3, "did you mean triple"),
        (("--target", "toi"), 3, "did you mean toy"),
        (("--kind", "naive"), 3, "KC0607"),
        (("--kind", "published"), 2, "KC0610"),
        (("--level", "3"), 3, "no workload"),
    ],
)
def test_check_wrong_use_is_explained(kc: Kc, args: tuple[str, ...], code: int, text: str) -> None:
    assert text in kc("tasks", "check", "--mutants", "3", *args, exit_code=code).stderr
