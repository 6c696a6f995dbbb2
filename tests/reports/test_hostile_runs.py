"""Run folders that are damaged on purpose: findings with file and line, and never a traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Kc = Callable[..., Result]

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from([10**400, 1e308, -0.0, "NaN", "Infinity", "passed", "\ud800", "\x1b[2J", "", "a\nb|c", 10**18]),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.just({"kind": "model"}),
    st.just([{"id": 3}]),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def change(value: Any, path: tuple[Any, ...], new: Any, remove: bool) -> None:
    for key in path[:-1]:
        value = value[key]
    if remove:
        del value[path[-1]]
    else:
        value[path[-1]] = new


def commands(path: str) -> list[list[str]]:
    return [
        ["report", path],
        ["report", path, "--format", "markdown", "--published"],
        ["report", path, "--format", "csv"],
        ["report", path, "--json"],
        ["view", path],
        ["view", path, "npu-silu-C1-0-acme/gpt-5.2"],
        ["compare", path, path, "--subject", "local-7b"],
        ["rescore", path, "--jobs", "1", "--scores", "x", "--json"],
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_changed_value_makes_a_command_fall_over(kc: Kc, write_run: Any, make: Any, data: st.DataObject) -> None:
    samples = make.experiment()
    samples[0] |= {"diagnostics": [{"code": "c", "severity": "error", "message": "m", "line": 1}]}
    samples[1] |= {
        "worst": [{"output": "y", "index": [1], "got": 1, "expected": 2}],
        "kernel": {"path": "kernels/k", "sha256": ""},
    }
    path = write_run(samples)
    try:
        record = json.loads((path / "run.json").read_text())
        where = data.draw(st.sampled_from(["run", "sample"]))
        root = record if where == "run" else data.draw(st.sampled_from(samples))
        for _ in range(data.draw(st.integers(1, 2))):
            place = data.draw(st.sampled_from(sorted(places(root), key=repr)))
            change(root, place, data.draw(VALUES), data.draw(st.booleans()))
        (path / "run.json").write_text(json.dumps(record))
        (path / "samples.jsonl").write_text("".join(json.dumps(s) + "\n" for s in samples))
        for command in commands(str(path)):
            result = kc(*command, exit_code=None)
            assert result.exit_code in (0, 1, 2, 3)
            assert "\x1b" not in result.output
            if result.exit_code and "--json" not in command:
                assert "KC" in result.stderr or command[0] == "view"
    finally:
        shutil.rmtree(path)


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("not json", "KC0807", "the line is not JSON"),
        ("[1]", "KC0807", "the line is no object"),
        ("[" * 100_000, "KC0807", "the line is not JSON"),
        ('{"schema": "kc.sample/1"}', "KC0830", "it has no `id`"),
        ("task=3", "KC0830", "`task` is not text"),
        ('status="won"', "KC0830", "`status` is not one of passed"),
        ("cycles=-1", "KC0830", "`cycles` is not a whole number, 0 or more or null"),
        ("cycles=true", "KC0830", "`cycles` is not a whole number"),
        ("cycles=null", "KC0830", "it passed, and has no `cycles`"),
        ('subject="me"', "KC0830", "`subject` is not an object with a `kind`"),
        ('diagnostics=[{"code": 1}]', "KC0830", "`diagnostics` is not a list, each an object with `code`"),
        (
            'agent={"tool_calls": {"x": "y"}}',
            "KC0830",
            "`agent.tool_calls` is not an object, each value a whole number",
        ),
        ('agent={"usage": {"input_tokens": 1.5}}', "KC0830", "`agent.usage.input_tokens` is not a whole number"),
    ],
)
def test_damaged_line_is_named_with_its_place_and_the_rest_is_reported(
    kc: Kc, write_run: Any, make: Any, line: str, code: str, words: str
) -> None:
    key, equals, value = line.partition("=")
    if equals:
        line = json.dumps({**make.sample("gemm", "C1"), key: json.loads(value)})
    path = write_run([make.sample("silu", "C1")], lines=line + "\n")
    result = kc("report", str(path), exit_code=1)
    assert f"samples.jsonl:2:1: error[{code}]: {words}" in result.stderr
    assert "samples           1 of 1" in result.stdout
    entry = json.loads(kc("report", str(path), "--json", exit_code=1).stdout)
    assert (entry["ok"], entry["diagnostics"][0]["code"], entry["diagnostics"][0]["line"]) == (False, code, 2)


def test_values_that_are_not_finite_are_numbers(kc: Kc, write_run: Any, make: Any) -> None:
    odd = {"match_rate": "NaN", "max_abs_error": "Infinity", "rel_l2": "-Infinity"}
    path = write_run([make.sample("silu", "C1", "mismatch", **odd), make.sample("silu", "C2", speedup="Infinity")])
    text = kc("report", str(path)).stdout
    assert "geomean - over 0 of 1 passed (2 attempted)" in text


def test_later_minor_versions_and_their_keys_are_read(kc: Kc, write_run: Any, make: Any) -> None:
    sample = make.sample("silu", "C1", schema="kc.sample/1.9", mood={"good": True})
    path = write_run([sample], record={"schema": "kc.run/1.3", "weather": []})
    assert kc("report", str(path)).exit_code == 0


@pytest.mark.parametrize("where", ["run", "sample"])
def test_newer_major_versions_are_refused(kc: Kc, write_run: Any, make: Any, where: str) -> None:
    changes = {"record": {"schema": "kc.run/2"}} if where == "run" else {}
    more = {"schema": "kc.sample/2"} if where == "sample" else {}
    path = str(write_run([make.sample("silu", "C1", **more)], **changes))
    for command in commands(path):
        result = kc(*command, exit_code=2)
        assert "KC0802" in result.output


def test_cell_of_the_record_that_is_damaged_is_named(kc: Kc, write_run: Any, make: Any) -> None:
    path: Path = write_run(
        [make.sample("silu", "C1")], record={"cells": [{"id": "x"}], "suites": [], "plugins": {"npu": 3}}
    )
    result = kc("report", str(path), exit_code=1)
    for words in ("it has no `cells[0].target`", "`suites` is not an object", "`plugins` is not an object"):
        assert f"run.json:1:1: error[KC0830]: {words}" in result.stderr
