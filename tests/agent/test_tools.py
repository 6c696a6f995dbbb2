"""The tools of an agent: what they answer, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kc_toy.tasks import loop, unrolled
from kernelcraft_core.agent.arguments import MAX_RAW
from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.grep import MOST_TEXT, Library
from kernelcraft_core.agent.signatures import MAX_QUERY, MAX_SOURCE, NAMES
from kernelcraft_core.agent.toolbox import ERROR_CLASSES, TOOLS, Toolbox, ToolResult
from kernelcraft_core.agent.window import MOST_ROWS, MOST_VALUES, view
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks import Output, Tolerance
from kernelcraft_core.tasks.catalogue import Catalogue

UNDEFINED = "lui x1, 1\nlw x2, 0x600(x1)\nlw x3, 0x604(x1)\nhalt"
TRAP = "nop\nlw x1, 0(x0)\nhalt"
FOREVER = "again: jal x0, again"


@pytest.fixture
def episode(tmp_path: Path) -> Iterator[Episode]:
    catalogue = Catalogue(registry())
    workload = catalogue.workload("toy", "triple", "C2")
    with Episode.create(tmp_path / "episode", Evaluator(catalogue), workload) as made:
        yield made


@pytest.fixture
def tools(episode: Episode) -> Toolbox:
    return Toolbox(episode)


def evaluated(tools: Toolbox, text: str) -> ToolResult:
    assert tools.call("write_code", {"assembly_code": text}).ok
    return tools.call("run_evaluation")


# --- signatures -------------------------------------------------------------------------------------------------------


def test_signatures_are_plain_json_in_the_form_of_the_chat_interface() -> None:
    assert json.loads(json.dumps(TOOLS)) == list(TOOLS)
    for tool in TOOLS:
        assert tool["type"] == "function"
        assert set(tool["function"]) == {"name", "description", "parameters"}
        assert set(tool["function"]["parameters"]["required"]) <= set(tool["function"]["parameters"]["properties"])


def test_tools_are_the_seven_of_the_benchmark() -> None:
    assert NAMES == (
        "write_code",
        "check_syntax",
        "run_evaluation",
        "view_output",
        "get_instruction_size",
        "grep_docs",
        "profile_kernel",
    )


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "error_class", "part"),
    [
        ("writecode", "{}", "unknown_tool", "did you mean write_code?"),
        ("", "", "unknown_tool", "the tools are write_code"),
        (None, "", "unknown_tool", "NoneType"),
        ("_kernel", "", "unknown_tool", "no tool"),
        ("write_code", '{"assembly_code": "halt', "malformed_arguments", "not complete"),
        ("write_code", '{"assembly_code"', "malformed_arguments", "not complete"),
        ("write_code", '{"assembly_code": halt}', "malformed_arguments", "line 1, column 19"),
        ("write_code", '```json\n{"assembly_code": "halt"}\n```', "malformed_arguments", "not JSON"),
        ("write_code", '["halt"]', "malformed_arguments", "JSON list"),
        ("write_code", '"halt"', "malformed_arguments", "JSON string"),
        ("write_code", "null", "malformed_arguments", "JSON null"),
        ("write_code", "[" * 100_000, "malformed_arguments", "nested"),
        ("write_code", '{"assembly_code": ' + "9" * 5000 + "}", "malformed_arguments", "number"),
        ("write_code", 7, "malformed_arguments", "int"),
        ("write_code", "x" * (MAX_RAW + 1), "limit", "at most"),
        ("write_code", "", "invalid_arguments", "needs the argument 'assembly_code'"),
        ("write_code", '{"assembly_code": null}', "invalid_arguments", "needs"),
        ("write_code", '{"assembly_code": 3}', "invalid_arguments", "number, not a string"),
        ("write_code", '{"assembly_code": ["halt"]}', "invalid_arguments", "list, not a string"),
        ("write_code", {"assembly_cod": "halt"}, "invalid_arguments", "did you mean assembly_code?"),
        ("write_code", {"assembly_code": "halt", "path": "/etc/passwd"}, "invalid_arguments", "no argument 'path'"),
        ("write_code", '{"assembly_code": "halt\\n\\u0000"}', "invalid_arguments", "NUL character in line 2"),
        ("write_code", '{"assembly_code": "\\ud800"}', "invalid_arguments", "lone surrogate in line 1"),
        ("write_code", {"assembly_code": "x" * (MAX_SOURCE + 1)}, "limit", "at most 1,048,576"),
        ("write_code", {"assembly_code": "é" * (MAX_SOURCE - 1)}, "limit", "bytes; at most 1,048,576"),
        ("check_syntax", {"file": "kernel.asm"}, "invalid_arguments", "takes no arguments"),
        ("grep_docs", {"query": "x" * (MAX_QUERY + 1)}, "limit", "at most 500"),
        ("view_output", {"what": "everything"}, "invalid_arguments", "none of statistics, got"),
        ("view_output", {"rows": True}, "invalid_arguments", "boolean"),
    ],
)
def test_wrong_call_is_answered_with_its_class_and_changes_nothing(
    tools: Toolbox, name: Any, arguments: Any, error_class: str, part: str
) -> None:
    result = tools.call(name, arguments)
    assert (result.ok, result.error_class) == (False, error_class)
    assert part in result.text
    assert len(result.text) < 1000
    assert tools.episode.kernel_text is None


@pytest.mark.parametrize("arguments", ["", " \n", "{}", {}, '{"output": null}'])
def test_no_arguments_may_be_written_in_any_way(tools: Toolbox, arguments: Any) -> None:
    evaluated(tools, "halt")
    assert tools.call("view_output", arguments).ok


def test_line_breaks_inside_of_a_json_string_are_accepted(tools: Toolbox) -> None:
    assert tools.call("write_code", '{"assembly_code": "nop\nhalt\n"}').ok
    assert tools.episode.kernel_text == "nop\nhalt\n"


def test_error_of_ours_has_no_class_and_is_no_exception(tools: Toolbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tools.episode, "write_kernel", full)
    result = tools.call("write_code", {"assembly_code": "halt"})
    assert (result.ok, result.error_class) == (False, None)
    assert "not caused by the kernel" in result.text


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_end_of_the_process_is_not_held_up(
    tools: Toolbox, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    def interrupt(text: str) -> None:
        raise stop

    monkeypatch.setattr(tools.episode, "write_kernel", interrupt)
    with pytest.raises(stop):
        tools.call("write_code", {"assembly_code": "halt"})


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("write_code", "grep_docs")])
def test_tool_without_a_kernel_says_so(tools: Toolbox, name: str) -> None:
    assert tools.call(name).error_class == "no_kernel"


# --- write_code and check_syntax --------------------------------------------------------------------------------------


def test_write_code_stores_the_text_as_it_is(tools: Toolbox) -> None:
    text = "nop\r\nhalt # é\n\n"
    result = tools.call("write_code", {"assembly_code": text})
    assert result.data == {"lines": 3, "bytes": 16, "notes": []}
    assert (tools.episode.folder / "kernel.asm").read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("text", "part"),
    [("```asm\nhalt\n```", "line 1 is a Markdown fence"), ("", "is empty"), ("nop\\nhalt", "line breaks")],
)
def test_write_code_remarks_on_what_is_hardly_a_program(tools: Toolbox, text: str, part: str) -> None:
    result = tools.call("write_code", {"assembly_code": text})
    assert result.ok
    assert part in result.text


def test_check_syntax_counts_instructions(tools: Toolbox) -> None:
    tools.call("write_code", {"assembly_code": unrolled(32)})
    result = tools.call("check_syntax")
    assert (result.ok, result.text) == (True, "assembles: 130 instructions")


def test_check_syntax_names_line_column_code_and_hint(tools: Toolbox) -> None:
    tools.call("write_code", {"assembly_code": "nop\n  addi x1, x2, 5000\nfoo\n"})
    result = tools.call("check_syntax")
    assert (result.ok, result.error_class) == (False, "syntax")
    first, second = result.data["diagnostics"]
    assert (first["line"], first["column"], first["source"]) == (2, 16, "addi x1, x2, 5000")
    assert first["hint"] in result.text
    assert (second["line"], second["code"]) == (3, "KC0201")
    assert "line 3, column 1: KC0201 error: unknown mnemonic 'foo'" in result.text


def test_check_syntax_stops_after_twenty_errors(tools: Toolbox) -> None:
    tools.call("write_code", {"assembly_code": "foo\n" * 500})
    result = tools.call("check_syntax")
    assert len(result.data["diagnostics"]) == 20
    assert len(result.text) < 4000


# --- run_evaluation ---------------------------------------------------------------------------------------------------


def test_correct_kernel_is_told_its_cycles_bound_and_that_it_is_the_best(tools: Toolbox) -> None:
    result = evaluated(tools, loop(32))
    assert (result.ok, result.error_class, result.data["status"]) == (True, None, "passed")
    assert result.data["cycles"] == tools.episode.best_cycles == 259
    assert result.data["lower_bound"] == {"cycles": 96, "share": 96 / 259}
    assert result.data["comparison"]["match_rate"] == 1.0
    assert "speedup" not in result.text
    assert "cycles: 259" in result.text
    assert "best correct kernel: 259 cycles, of evaluation 1" in result.text


def test_speedup_is_told_when_the_settings_ask_for_it(episode: Episode, tmp_path: Path) -> None:
    settings = {"baseline": True}
    with Episode.create(tmp_path / "other", episode.evaluator, episode.workload, settings=settings) as other:
        result = evaluated(Toolbox(other), unrolled(32))
        assert result.data["baseline"] == {"kind": "compiler", "cycles": 259, "speedup": 259 / result.data["cycles"]}
        assert "over compiler (259 cycles)" in result.text
        assert other.record["baseline"] == {"kind": "compiler", "cycles": 259}


def test_wrong_kernel_is_told_where_and_by_how_much(tools: Toolbox, episode: Episode) -> None:
    result = evaluated(tools, loop(28))
    assert (result.ok, result.error_class, result.data["status"]) == (False, "functional", "mismatch")
    assert result.data["comparison"]["matching"] == 28
    (output,) = result.data["outputs"]
    assert output["where"] == "dmem from 0x1400"
    assert [m["index"] for m in output["first_wrong"]] == [[28], [29], [30]]
    assert output["pattern"]["wrong"] == output["pattern"]["wrong_columns"] == 4
    draw = episode.evaluator.case(episode.workload, _development(episode)[0])
    assert [m["expected"] for m in output["first_wrong"]] == draw.goldens["exact"]["y"][28:31].tolist()
    errors = [m["error"] for m in result.data["worst"]]
    assert errors == sorted(errors, reverse=True)
    assert len(errors) == 4
    assert "match rate: 0.8750 (28 of 32 elements), standard inputs" in result.text
    assert "[28]: expected " in result.text


def _development(episode: Episode) -> Any:
    from kernelcraft_core.evaluation import DEVELOPMENT, plan

    return plan(episode.workload, DEVELOPMENT)


def test_trap_is_told_with_its_line(tools: Toolbox) -> None:
    result = evaluated(tools, TRAP)
    assert (result.error_class, result.data["status"]) == ("functional", "trap")
    assert result.data["diagnostics"][0]["line"] == 2
    assert "line 2, column 1: KC0401 error: out_of_bounds" in result.text
    assert "comparison" not in result.data


def test_limit_is_told_with_its_line(tools: Toolbox) -> None:
    result = evaluated(tools, FOREVER)
    assert (result.error_class, result.data["status"]) == ("functional", "limit")
    assert "line 1, column 1: KC0405 error: instructions limit" in result.text


def test_kernel_that_does_not_assemble_counts_as_an_evaluation(tools: Toolbox) -> None:
    result = evaluated(tools, "foo")
    assert (result.error_class, tools.episode.evaluations) == ("syntax", 1)
    assert tools.call("view_output").error_class == "functional"
    assert tools.call("profile_kernel").error_class == "syntax"


def test_reads_of_undefined_memory_are_told_with_their_lines(tools: Toolbox) -> None:
    result = evaluated(tools, UNDEFINED)
    assert result.data["undefined_reads"]["count"] == 2
    assert "line 2: dmem at 5632" in result.text


def test_evaluations_end_at_the_limit_of_the_settings(episode: Episode, tmp_path: Path) -> None:
    with Episode.create(
        tmp_path / "other", episode.evaluator, episode.workload, settings={"max_evaluations": 1}
    ) as other:
        tools = Toolbox(other)
        evaluated(tools, "halt")
        assert tools.call("run_evaluation").error_class == "limit"
        assert other.evaluations == 1
        assert tools.call("view_output").ok


def test_answers_to_the_same_kernel_are_equal(tools: Toolbox) -> None:
    first, second = evaluated(tools, loop(28)), tools.call("run_evaluation")
    assert first.text.replace("so far: 1", "so far: 2") == second.text


def test_mistake_of_the_harness_is_not_counted_against_the_kernel(
    tools: Toolbox, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools.call("write_code", {"assembly_code": "halt"})
    broken = evolve(episode.workload, draw=lambda seed, family: 1 // 0)
    monkeypatch.setattr(episode, "workload", broken)
    result = tools.call("run_evaluation")
    assert (result.ok, result.error_class, episode.evaluations) == (False, None, 0)
    assert "ZeroDivisionError" in result.text


# --- view_output ------------------------------------------------------------------------------------------------------


def test_statistics_count_wrong_elements_and_extremes(tools: Toolbox) -> None:
    evaluated(tools, loop(28))
    data = tools.call("view_output").data
    assert (data["elements"], data["wrong"], data["wrong_rows"], data["first_wrong_row"]) == (32, 4, 1, 0)
    assert data["rows"][0]["expected"]["nonzero"] == 32


@pytest.mark.parametrize("what", ["got", "expected", "difference"])
def test_window_holds_the_values_asked_for(tools: Toolbox, episode: Episode, what: str) -> None:
    evaluated(tools, loop(28))
    result = tools.call("view_output", {"what": what, "rows": 0, "columns": "26:30"})
    (values,) = result.data["values"]
    assert (result.data["columns"], len(values)) == ([26, 30], 4)
    golden = episode.evaluator.case(episode.workload, _development(episode)[0]).goldens["exact"]["y"][26:30].tolist()
    if what == "expected":
        assert values == golden
    elif what == "got":
        assert values[:2] == golden[:2]
        assert values[2:] != golden[2:]
    else:
        assert values[:2] == [0, 0]
        assert all(value != 0 for value in values[2:])


@pytest.mark.parametrize("rows", ["1", "-1:4", "3:2", "x", "1:x", "0:1:2", "9" * 40, [5, 9], -1, 10**300])
def test_range_that_names_nothing_is_invalid(tools: Toolbox, rows: Any) -> None:
    evaluated(tools, "halt")
    assert tools.call("view_output", {"rows": rows}).error_class == "invalid_arguments"


def test_unknown_result_is_invalid_and_the_known_ones_are_named(tools: Toolbox) -> None:
    evaluated(tools, "halt")
    result = tools.call("view_output", {"output": "../y"})
    assert (result.error_class, "there is y" in result.text) == ("invalid_arguments", True)


def test_view_of_the_last_evaluated_kernel_says_that_the_kernel_has_changed(tools: Toolbox) -> None:
    evaluated(tools, loop(28))
    before = tools.call("view_output")
    tools.call("write_code", {"assembly_code": loop(32)})
    after = tools.call("view_output")
    assert after.data == before.data
    assert after.text.startswith("Of evaluation 1; kernel.asm has changed since.\n")
    assert tools.episode.evaluations == 1


def test_view_in_another_process_repeats_the_run_without_counting_it(tools: Toolbox, episode: Episode) -> None:
    evaluated(tools, loop(28))
    assert Toolbox(episode).call("view_output").data == tools.call("view_output").data
    assert episode.evaluations == 1


class _Trial:
    """What `view` needs of a trial."""

    family = "standard"

    def __init__(self, got: Any, expected: Any) -> None:
        self.got, self.expected = {"Y": got}, {"Y": expected}


@given(
    shape=st.lists(st.integers(1, 90), min_size=0, max_size=3).map(tuple),
    rows=st.none() | st.from_regex(r"[0-9]{0,3}:?[0-9]{0,3}", fullmatch=True),
    what=st.sampled_from(["statistics", "got", "expected", "difference"]),
)
def test_window_is_small_whatever_is_asked_for(shape: tuple[int, ...], rows: str | None, what: str) -> None:
    from kernelcraft_core.agent.arguments import Refused

    got = np.full(shape, np.nan, np.float32)
    workload: Any = _Workload((Output("Y", shape, "float32", lambda state: got),))
    try:
        entry, text = view(workload, _Trial(got, np.ones(shape, np.float32)), None, rows, None, what)  # type: ignore[arg-type]
    except Refused as refusal:
        assert refusal.error_class == "invalid_arguments"
        return
    if what == "statistics":
        assert entry["wrong"] == got.size
        assert len(entry["rows"]) <= MOST_ROWS
    else:
        assert sum(map(len, entry["values"])) <= MOST_VALUES
    assert len(text) < 12_000


class _Workload:
    tolerance = Tolerance()

    def __init__(self, outputs: tuple[Output, ...]) -> None:
        self.outputs = outputs


# --- get_instruction_size and profile_kernel --------------------------------------------------------------------------


def test_size_counts_categories_and_executions_of_the_evaluated_kernel(tools: Toolbox) -> None:
    tools.call("write_code", {"assembly_code": loop(32)})
    before = tools.call("get_instruction_size").data
    assert (before["instructions"], before["bytes"], before["executed"]) == (10, 40, None)
    assert before["by_category"] == {"alu": 6, "load": 1, "store": 1, "branch": 1, "sync": 1}
    tools.call("run_evaluation")
    after = tools.call("get_instruction_size").data
    assert after["executed"] == sum(after["executed_by_category"].values()) == 3 + 7 * 32
    tools.call("write_code", {"assembly_code": "halt"})
    assert tools.call("get_instruction_size").data["executed"] is None


def test_size_of_a_kernel_that_does_not_assemble_is_its_errors(tools: Toolbox) -> None:
    tools.call("write_code", {"assembly_code": "foo"})
    assert tools.call("get_instruction_size").error_class == "syntax"


def test_profile_names_the_hottest_lines_and_adds_up(tools: Toolbox) -> None:
    evaluated(tools, loop(32))
    result = tools.call("profile_kernel")
    hottest = result.data["hottest"]
    assert (hottest[0]["source"], hottest[0]["count"], hottest[0]["cycles"]) == ("lw x3, 0(x1)", 32, 64)
    assert sum(result.data["by_unit"].values()) == sum(result.data["by_category"].values()) == 259
    assert "64 cycles (24.7 %), 32 x lw x3, 0(x1)" in result.text


def test_profile_of_a_kernel_that_trapped_shows_what_ran_before(tools: Toolbox) -> None:
    evaluated(tools, TRAP)
    assert tools.call("profile_kernel").data["counts"] == {"addi": 1}


# --- grep_docs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "page", "heading"),
    [
        ("ldd", "isa.md", "ldd"),
        ("LDD", "isa.md", "ldd"),
        ("three cycles later", "isa.md", "ldd"),
        ("bltu", "isa.md", "bltu"),
        ("how do I load words", "isa.md", "load"),
        ("jumping", "isa.md", "branch"),
        ("layout of triple", "workload.md", "triple/C2"),
        ("1 GHz", "machine.md", "toy"),
    ],
)
def test_plain_words_find_the_passage(tools: Toolbox, query: str, page: str, heading: str) -> None:
    first = tools.call("grep_docs", {"query": query}).data["passages"][0]
    assert first["page"] == page
    assert heading in first["heading"]


@pytest.mark.parametrize("query", ["(a+)+$", ".*", "[", "\\", "", "   ", "(?i)", "%s", "$(ls)"])
def test_pattern_characters_are_no_patterns(tools: Toolbox, query: str) -> None:
    result = tools.call("grep_docs", {"query": query})
    assert result.ok
    assert result.data["found"] < len(Library.of(tools.episode).passages)


def test_query_that_finds_nothing_is_told_what_is_near(tools: Toolbox) -> None:
    result = tools.call("grep_docs", {"query": "haltt"})
    assert result.data["passages"] == []
    assert "halt" in result.data["near"]
    assert "workload.md" in result.text


def test_settings_choose_the_pages(episode: Episode, tmp_path: Path) -> None:
    settings = {"documents": ["machine.md"]}
    with Episode.create(tmp_path / "other", episode.evaluator, episode.workload, settings=settings) as other:
        assert Library.of(other).pages == ("workload.md", "machine.md")


@given(
    st.dictionaries(st.sampled_from(["a.md", "b.md"]), st.text(max_size=5000)),
    st.text(st.sampled_from("ab #`|\n_12.("), max_size=60),
)
def test_search_of_any_page_for_anything_is_short_and_only_quotes(pages: Mapping[str, str], query: str) -> None:
    found = Library.from_pages(pages).search(query)
    assert sum(len(p["text"]) for p in found["passages"]) <= MOST_TEXT + 5 * 10
    for passage in found["passages"]:
        quoted = passage["text"].removesuffix("\n[...]").rstrip()
        assert "".join(quoted.split()) in "".join(pages[passage["page"]].split())


# --- all of them ------------------------------------------------------------------------------------------------------


def test_every_class_of_error_occurs(tools: Toolbox) -> None:
    seen = {tools.call("check_syntax").error_class, tools.call("nothing").error_class}
    seen |= {tools.call("grep_docs", "{").error_class, tools.call("grep_docs").error_class}
    seen |= {tools.call("grep_docs", {"query": "x" * 1000}).error_class}
    seen |= {evaluated(tools, "foo").error_class, evaluated(tools, "halt").error_class}
    assert seen == set(ERROR_CLASSES)
