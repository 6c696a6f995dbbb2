"""`kc prompt` on the toy target."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from kernelcraft_core.agent.prompt import PARTS

Kc = Callable[..., Result]
TASK = ("prompt", "--target", "toy", "--task", "triple", "--config")


def test_prompt_goes_to_stdout_and_its_sizes_to_stderr(kc: Kc) -> None:
    result = kc(*TASK, "c1")
    assert result.stdout.startswith("# Your role\n")
    assert result.stdout.endswith("\n")
    assert "~" not in result.stdout
    rows = [line.split() for line in result.stderr.splitlines()]
    assert [row[0] for row in rows if row and row[0] in (*PARTS, "all")] == [*PARTS, "all"]
    assert "TOKENS (ESTIMATE)" in result.stderr
    assert "~" in result.stderr


def test_json_holds_parts_and_estimates(kc: Kc) -> None:
    entry = json.loads(kc(*TASK, "C1", "--docs", "isa", "--json").stdout)
    assert entry["schema"] == "kc.prompt/1"
    assert entry["ok"] is True
    assert set(entry["parts"]) == set(entry["estimated_tokens"]) == set(PARTS)
    assert entry["documents"] == ["isa.md"]
    assert entry["left_out"] == ["machine.md"]
    assert "".join(entry["parts"][part] + "\n" for part in PARTS)[:-1] == kc(*TASK, "C1", "--docs", "isa").stdout
    by_part = {part: 0 for part in PARTS}
    for section in entry["estimated_sections"]:
        by_part[section["part"]] += section["estimated_tokens"]
    assert all(abs(by_part[part] - entry["estimated_tokens"][part]) <= 2 for part in PARTS)


def test_part_prints_that_part_only(kc: Kc) -> None:
    assert kc(*TASK, "C1", "--part", "tools").stdout.startswith("# Your tools\n")
    assert list(json.loads(kc(*TASK, "C1", "--part", "task", "--json").stdout)["parts"]) == ["task"]


def test_docs_none_leaves_out_all_documents(kc: Kc) -> None:
    assert ".md\n" not in kc(*TASK, "C1", "--docs", "none").stdout
    assert "## isa.md\n" in kc(*TASK, "C1").stdout


def test_template_and_machine_setting_show_in_the_text(kc: Kc) -> None:
    fast = kc(*TASK, "C1", "--template", "--part", "task").stdout
    slow = kc(*TASK, "C1", "--template", "--part", "task", "--set", "LOAD_CYCLES=9").stdout
    assert "## A kernel to improve" in fast
    assert "bltu x0, x2, next" in fast
    assert fast != slow  # another machine, other cycles


@pytest.mark.parametrize(
    ("options", "code", "hint"),
    [
        (("--docs", "iso"), "KC0720", "did you mean isa?"),
        (("--part", "roles"), "KC0723", "did you mean role"),
        (("--one-shot", "triple/C2"), "KC0721", "name a kernel of another task"),
        (("--one-shot", "triple"), "KC0721", "write TASK/CONFIG"),
        (("--one-shot", "tripel/C1"), "KC0603", "did you mean triple?"),
        (("--one-shot", "triple/C1:naive"), "KC0607", "there is compiler"),
    ],
)
def test_unknown_names_give_a_diagnostic_with_hint(kc: Kc, options: tuple[str, ...], code: str, hint: str) -> None:
    exit_code = 3 if code in ("KC0603", "KC0607") else 2
    entry = json.loads(kc(*TASK, "C1", *options, "--json", exit_code=exit_code).stdout)
    found = entry["diagnostics"][0]
    assert found["code"] == code
    assert found["hint"].startswith(hint)
