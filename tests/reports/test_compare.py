"""`kc compare`: pairs, tests on them, and conditions under which there is nothing to compare."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from kernelcraft_core.reports.statistics import bootstrap_ratio, mcnemar

Kc = Callable[..., Result]


@pytest.fixture
def two(write_run: Any, make: Any) -> tuple[str, str]:
    """Return two runs with 6 pairs: 2 both, 1 and 2 one-sided, 1 neither; one without a pair, two without a score."""

    def run(name: str, statuses: str, cycles: list[int]) -> str:
        words = {"p": "passed", "m": "mismatch", "h": "harness_error"}
        samples = []
        for i, (letter, count) in enumerate(zip(statuses, cycles, strict=True)):
            more = {"cycles": count} if letter == "p" else {}
            samples.append(make.sample("silu", f"C{i}", words[letter], **more))
        missing = make.sample("gemm", "C1")
        return str(write_run(samples, name=name, planned=[*samples, missing]))

    first = run("a", "pppmmmhp", [100, 300, 5, 0, 0, 0, 0, 7])
    return first, run("b", "ppmppmp", [50, 100, 0, 5, 5, 0, 9])


def test_success_is_paired_and_tested_exactly(kc: Kc, two: tuple[str, str]) -> None:
    entry = json.loads(kc("compare", *two, "--json").stdout)
    found = entry["success"]
    assert [found[n] for n in ("both", "first_only", "second_only", "neither", "pairs")] == [2, 1, 2, 1, 6]
    assert found["mcnemar_p"] == mcnemar(1, 2) == 1.0
    assert found["difference"] == pytest.approx(1 / 6)
    assert found["low"] <= found["difference"] <= found["high"]
    assert entry["not_compared"] == {"in the first only": 1, "harness_error": 1, "not_run": 1}


def test_cycles_are_compared_where_both_passed(kc: Kc, two: tuple[str, str]) -> None:
    found = json.loads(kc("compare", *two, "--json").stdout)["cycles"]
    interval = bootstrap_ratio([100, 300], [50, 100])
    assert interval is not None
    assert (found["pairs"], found["of"]) == (2, 6)
    assert found["ratio_geomean"] == pytest.approx(6**0.5)
    assert (found["low"], found["high"]) == (interval.low, interval.high)


def test_sides_change_places(kc: Kc, two: tuple[str, str]) -> None:
    one, other = (json.loads(kc("compare", *pair, "--json").stdout) for pair in (two, two[::-1]))
    assert one["cycles"]["ratio_geomean"] * other["cycles"]["ratio_geomean"] == pytest.approx(1)
    assert one["success"]["difference"] == -other["success"]["difference"]
    assert one["success"]["mcnemar_p"] == other["success"]["mcnemar_p"]


def test_run_compared_with_itself_has_no_difference(kc: Kc, two: tuple[str, str]) -> None:
    entry = json.loads(kc("compare", two[0], two[0], "--json").stdout)
    assert (entry["success"]["mcnemar_p"], entry["success"]["difference"]) == (1.0, 0.0)
    assert entry["cycles"]["ratio_geomean"] == 1.0


def test_text_shows_counts_and_a_line_for_each_pair(kc: Kc, two: tuple[str, str]) -> None:
    text = kc("compare", *two).stdout
    assert "only the second        2\n" in text
    assert "exact McNemar test, p  1\n" in text
    assert "2.449 over 2 of 6 pairs, 95 % bootstrap interval 2.000 to 3.000" in text
    lines = [line.split("  ") for line in text.splitlines() if line.startswith("npu silu/")]
    assert [line[0].split("/")[1].strip() for line in lines] == ["C0", "C1", "C2", "C3", "C4", "C5"]
    assert [part.strip() for part in lines[2] if part.strip()] == ["npu silu/C2", "5", "mismatch", "-"]


def test_repeats_of_a_cell_are_drawn_together(kc: Kc, write_run: Any, make: Any) -> None:
    def run(name: str, status: str) -> str:
        samples = [make.sample("silu", "C1", status, repeat=i) for i in range(5)]
        return str(write_run(samples, name=name))

    entry = json.loads(kc("compare", run("a", "trap"), run("b", "passed"), "--json").stdout)
    assert entry["success"]["mcnemar_p"] == mcnemar(0, 5)
    assert (entry["success"]["difference"], entry["success"]["low"]) == (1.0, None)


def test_text_says_that_repeats_are_pairs_of_their_own(kc: Kc, write_run: Any, make: Any) -> None:
    path = str(write_run([make.sample("silu", "C1", repeat=i) for i in range(2)], name="a"))
    other = str(write_run([make.sample("silu", "C1")], name="b"))
    assert "as pairs of their own" in kc("compare", path, path).stdout
    assert "as pairs of their own" not in kc("compare", other, other).stdout


# --- subjects --------------------------------------------------------------------------------------------------------


def test_two_subjects_of_one_run_are_compared(kc: Kc, write_run: Any, make: Any) -> None:
    path = str(write_run(make.experiment()))
    options = ["--subject", "acme/gpt-5.2 (reasoning=low)", "--subject", "local"]
    entry = json.loads(kc("compare", path, *options, "--json").stdout)
    assert (entry["first"]["subject"], entry["second"]["subject"]) == ("acme/gpt-5.2 (reasoning=low)", "local-7b")
    assert (entry["success"]["first_only"], entry["success"]["neither"]) == (1, 1)


@pytest.mark.parametrize("wanted", [None, "acme", "nobody"])
def test_subject_that_is_not_one_is_refused(kc: Kc, write_run: Any, make: Any, wanted: str | None) -> None:
    path = str(write_run(make.experiment()))
    options = [] if wanted is None else ["--subject", wanted]
    result = kc("compare", path, path, *options, exit_code=2)
    assert "KC0832" in result.stderr
    assert "local-7b" in result.stderr


def test_one_run_needs_two_subjects(kc: Kc, two: tuple[str, str]) -> None:
    assert "name two subjects" in kc("compare", two[0], exit_code=2).output
    assert "at most twice" in kc("compare", *two, *["--subject", "x"] * 3, exit_code=2).output


# --- conditions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"suite": {"name": "s", "version": "2.0"}}, "task suite"),
        ({"machine": "m2"}, "machine"),
        ({"isa_digest": "e" * 64}, "ISA"),
        ({"extensions": ["Xa"]}, "extensions"),
    ],
)
def test_other_conditions_are_refused_and_forced_with_a_warning(
    kc: Kc, write_run: Any, make: Any, change: dict[str, Any], words: str
) -> None:
    paths = [
        str(write_run([make.sample("silu", "C1")], name="a")),
        str(write_run([make.sample("silu", "C1", **change)], "b")),
    ]
    refused = kc("compare", *paths, exit_code=2)
    assert "error[KC0834]: npu: " + words in refused.stderr
    assert "--force" in refused.stderr
    forced = kc("compare", *paths, "--force", "--json")
    assert [d["severity"] for d in json.loads(forced.stdout)["diagnostics"]] == ["warning"]


def test_machines_of_one_name_with_other_values_are_refused(kc: Kc, write_run: Any, make: Any) -> None:
    setup = {"machine": {"name": "m1", "values": {"LANES": 8, "VLEN": 3}}, "extensions": []}
    first = str(write_run([make.sample("silu", "C1")], name="a"))
    second = str(write_run([make.sample("silu", "C1")], name="b", record={"targets": {"npu": [setup]}}))
    assert "the machines differ in LANES, VLEN" in kc("compare", first, second, exit_code=2).stderr


def test_runs_without_a_common_score_are_refused(kc: Kc, write_run: Any, make: Any) -> None:
    first = str(write_run([make.sample("silu", "C1")], name="a"))
    for name, other in (("b", make.sample("silu", "C2")), ("c", make.sample("silu", "C1", "harness_error"))):
        assert "KC0835" in kc("compare", first, str(write_run([other], name=name)), exit_code=2).stderr
