"""Schemas of run folders, JSON as they hold it, and ids of samples."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core.diagnostics import ResultsError
from kernelcraft_core.results import RUN, SAMPLE, canonical, plain, readable, sample_id
from kernelcraft_core.results.schema import line


@pytest.mark.parametrize("schema", ["kc.run/1", "kc.run/1.0", "kc.run/1.7", "kc.run/1.123"])
def test_schema_of_the_same_major_is_read_whatever_the_minor(schema: str) -> None:
    readable(schema, RUN, "run.json")


@pytest.mark.parametrize("schema", ["kc.run/2", "kc.run/2.0", "kc.run/10", "kc.run/10.3"])
def test_schema_of_a_newer_major_is_refused_with_advice(schema: str) -> None:
    with pytest.raises(ResultsError) as info:
        readable(schema, RUN, "run.json")
    finding = info.value.diagnostics[0]
    assert (finding.code, finding.hint) == ("KC0802", "use a newer kernelcraft-core")
    assert f"{schema} is newer than kc.run/1" in finding.message


@pytest.mark.parametrize(
    "schema",
    [
        *(None, 1, "", "kc.run", "kc.run/", "kc.run/0", "kc.run/01", "kc.run/1.", "kc.run/1.01", "kc.run/1.0.0"),
        *("kc.run/1 ", "kc.sample/1", "kc.runs/1", "KC.run/1", ["kc.run/1"], "kc.run/1\n", "kc.run/-1", "kc.run/1.x"),
        "kc.run/" + "9" * 5000,
    ],
)
def test_what_is_not_a_run_schema_is_refused(schema: object) -> None:
    with pytest.raises(ResultsError) as info:
        readable(schema, RUN, "run.json")
    assert info.value.code == "KC0802"
    assert info.value.diagnostics[0].hint is None
    assert len(info.value.diagnostics[0].message) < 200


def test_sample_schema_is_not_a_run_schema() -> None:
    readable("kc.sample/1.2", SAMPLE, "line")
    with pytest.raises(ResultsError, match="KC0802"):
        readable(RUN, SAMPLE, "line")


def test_line_writes_numbers_that_are_not_finite_as_strings_and_sorts_keys() -> None:
    made = line({"z": math.nan, "a": [math.inf, -math.inf, 1.5], "m": {"y": 1, "b": (2, 3)}, "s": {3, 1}})
    assert made == b'{"a": ["Infinity", "-Infinity", 1.5], "m": {"b": [2, 3], "y": 1}, "s": [1, 3], "z": "NaN"}\n'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_line_is_one_line_of_utf8_that_reads_back_as_plain_data(record: dict[str, Any]) -> None:
    made = line(record)
    assert made.count(b"\n") == 1
    assert made.endswith(b"\n")
    assert json.loads(made.decode("utf-8")) == plain(record)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_canonical_text_does_not_depend_on_the_order_of_keys(record: dict[str, Any]) -> None:
    assert canonical(record) == canonical(dict(reversed(record.items())))
    assert canonical(record).isascii()


# --- ids -------------------------------------------------------------------------------------------------------------

PARTS: dict[str, Any] = {
    "target": "toy",
    "machine": "toy",
    "values": {"LOAD_CYCLES": 2, "MUL_CYCLES": 3},
    "extensions": ("Xa", "Xb"),
    "isa_digest": "ab" * 32,
    "task": "triple",
    "suite": "toys",
    "suite_version": "1.0",
    "config": "C1",
    "subject": {"kind": "compiler"},
    "repeat": 0,
    "backend": "core",
}
OTHER: dict[str, list[Any]] = {
    "target": ["toy2"],
    "machine": ["toy2"],
    "values": [{"LOAD_CYCLES": 3, "MUL_CYCLES": 3}, {"LOAD_CYCLES": 2}, {"LOAD_CYCLES": "2", "MUL_CYCLES": 3}],
    "extensions": [("Xb", "Xa"), ("Xa",), (), ("XaXb",)],
    "isa_digest": ["ac" * 32],
    "task": ["triples"],
    "suite": ["toy"],
    "suite_version": ["1.1"],
    "config": ["C2"],
    "subject": [{"kind": "expert"}, {"kind": "compiler", "sha256": "0"}, {"kind": "model", "model": "m", "effort": 1}],
    "repeat": [1],
    "backend": ["rtl", "rtl@0f3c"],
}


def test_id_is_the_digest_of_the_documented_text() -> None:
    text = (
        '{"config":"C1","extensions":["Xa","Xb"],"isa_digest":"' + "ab" * 32 + '",'
        '"machine":{"name":"toy","values":{"LOAD_CYCLES":2,"MUL_CYCLES":3}},"repeat":0,"subject":{"kind":"compiler"},'
        '"suite":{"name":"toys","version":"1.0"},"target":"toy","task":"triple"}'
    )
    expected = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert sample_id(**PARTS) == expected
    reordered = {**PARTS, "values": dict(reversed(PARTS["values"].items())), "extensions": ["Xa", "Xb"]}
    assert sample_id(**reordered) == expected


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in OTHER.items() for value in values])
def test_id_depends_on_each_ingredient(name: str, value: Any) -> None:
    assert set(OTHER) == set(PARTS)
    assert sample_id(**{**PARTS, name: value}) != sample_id(**PARTS)


def test_ids_of_all_variants_differ() -> None:
    made = [sample_id(**{**PARTS, name: value}) for name, values in OTHER.items() for value in values]
    assert len(set(made)) == len(made)
