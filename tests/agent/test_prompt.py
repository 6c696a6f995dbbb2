"""The prompt on the toy target: its parts, what stands in them, what never does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from kernelcraft_core import plugins
from kernelcraft_core.agent.prompt import (
    PARTS,
    Example,
    Prompt,
    PromptError,
    Template,
    build_prompt,
    example_of,
    template_of,
)
from kernelcraft_core.agent.sections import demoted, fenced, tools_text
from kernelcraft_core.agent.signatures import TOOLS
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.evaluation.seeds import DEVELOPMENT, plan
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Extension, Instr
from kernelcraft_core.tasks import Kernel
from kernelcraft_core.tasks.catalogue import Catalogue

PAGES = {"memory-layout.md": "# Layout\n\nWords of 4 bytes.\n", "guidance.md": "# Hints\n\n```asm\n# a comment\n```\n"}


@attrs.frozen(eq=False, slots=False)
class Documented(Target):
    """The toy target with pages of its own."""

    def documents(self) -> Mapping[str, str]:
        return PAGES


@pytest.fixture
def evaluator() -> Evaluator:
    return Evaluator(Catalogue(plugins.registry()))


def make(evaluator: Evaluator, config: str = "C1", **options: Any) -> Prompt:
    workload = evaluator.catalogue.workload("toy", "triple", config)
    plain = evaluator.target(workload)
    target = Documented(plain.name, plain.isa, plain.machine, plain.machines, evaluator.catalogue.registry)
    return build_prompt(target, evaluator.catalogue, workload, **options)


def other_task(evaluator: Evaluator, passes: bool = True) -> Example:
    """Return an example of a task that the toy suite does not have."""
    workload = attrs.evolve(evaluator.catalogue.workload("toy", "triple", "C1"), task="double", layout="x at 0x1800.")
    return Example(workload, "Double", "y = 2 x", Kernel("expert", lambda: "add x1, x2, x2\nhalt\n", passes=passes))


# --- parts ------------------------------------------------------------------------------------------------------------


def test_prompt_has_four_parts_in_order(evaluator: Evaluator) -> None:
    prompt = make(evaluator)
    assert tuple(prompt.parts) == PARTS == ("role", "tools", "target", "task")
    places = [prompt.text.index(text) for text in prompt.parts.values()]
    assert places == sorted(places)
    assert sum(map(len, prompt.parts.values())) + 3 == len(prompt.text)


def test_messages_put_the_task_alone_into_the_users_turn(evaluator: Evaluator) -> None:
    first, second = make(evaluator, "C1"), make(evaluator, "C2")
    assert [m.role for m in first.messages()] == ["system", "user"]
    assert first.messages()[0] == second.messages()[0]  # so that services can cache it
    assert first.messages()[1].content == first.parts["task"] != second.parts["task"]


def test_role_names_both_phases_and_how_to_end(evaluator: Evaluator) -> None:
    role = make(evaluator).parts["role"]
    assert role.index("**Correct.**") < role.index("**Fast.**")
    assert "ends your work" in role
    assert "hands over" not in role
    talk = make(evaluator, conversation=True).parts["role"]
    assert "hands over" in talk
    assert "ends your work" not in talk


def test_every_tool_appears_with_every_parameter(evaluator: Evaluator) -> None:
    part = make(evaluator).parts["tools"]
    for tool in TOOLS:
        function = tool["function"]
        block = next(b for b in part.split("\n\n") if b.startswith(f"**`{function['name']}("))
        assert function["description"] in block
        for name, schema in function["parameters"]["properties"].items():
            assert f"- `{name}`: " in block
            assert schema["description"] in block
            assert all(f"`{choice}`" in block for choice in schema.get("enum", ()))
        assert block.strip().count("\n") == len(function["parameters"]["properties"])


def test_tools_of_the_caller_replace_the_usual_ones(evaluator: Evaluator) -> None:
    assert make(evaluator, tools=TOOLS[:1]).parts["tools"] == tools_text(TOOLS[:1])


def test_every_instruction_appears_with_form_meaning_and_example(evaluator: Evaluator) -> None:
    prompt = make(evaluator)
    isa = evaluator.target(evaluator.catalogue.workload("toy", "triple", "C1")).isa
    for definition in isa:
        assert f"**`{definition.record.syntax}`**" in prompt.parts["target"]
        assert f"`{definition.record.semantics}`" in prompt.parts["target"]
        assert f"E.g. `{definition.record.examples[0]}`." in prompt.parts["target"]
    for mnemonic in isa.pseudo_forms:
        assert f"- `{mnemonic}" in prompt.parts["target"]


def test_instructions_of_extensions_appear(evaluator: Evaluator) -> None:
    record = Instr("inc rd:x", "-{20} rd 0000 1001", "x[rd] = x[rd] + 1", category="alu", unit="alu", doc="Adds 1.")
    extended = Evaluator(evaluator.catalogue, extensions=[Extension("Xinc", "toy", instrs=(record,))])
    assert "**`inc rd:x`** (extension Xinc) Adds 1." in make(extended).parts["target"]
    assert "inc rd:x" not in make(evaluator).parts["target"]


def test_machine_parameters_in_force_appear(evaluator: Evaluator) -> None:
    changed = Evaluator(evaluator.catalogue, {"MUL_CYCLES": "17"})
    assert "- `MUL_CYCLES` = 17 cycles: latency of mul" in make(changed).parts["target"]
    assert "17 cycles (`MUL_CYCLES`)" in make(changed).parts["target"]
    assert "3 cycles (`MUL_CYCLES`)" in make(evaluator).parts["target"]


@pytest.mark.parametrize(
    "fact",
    [
        "Triple (triple), configuration C2",
        "y = 3 x mod 2**32",
        "- `n` = 32: words",
        "- `x` [n] = 32 (activation)",
        "- `y` [32], compared as uint32: dmem from 0x1400",
        "x: 32 words at 0x1000; y: 32 words at 0x1400.",
        "Every element equals the expected one.",
        "- standard: ",
        "- large: ",
        "- 15 turns",
        "at most 100,000 instructions",
    ],
)
def test_task_part_states_the_workloads_facts(evaluator: Evaluator, fact: str) -> None:
    assert fact in make(evaluator, "C2").parts["task"]


def test_budgets_of_the_caller_replace_the_tasks(evaluator: Evaluator) -> None:
    task = make(evaluator, iterations=3, evaluations=2).parts["task"]
    assert "- 3 turns\n- 2 evaluations\n" in task
    assert "15 turns" not in task


def test_guidance_stands_with_the_task_and_other_pages_with_the_target(evaluator: Evaluator) -> None:
    prompt = make(evaluator)
    assert "## memory-layout.md" in prompt.parts["target"]
    assert "## guidance.md" in prompt.parts["task"]
    assert prompt.documents == ("isa.md", "memory-layout.md", "guidance.md", "machine.md")
    assert "\n# a comment\n" in prompt.parts["task"]  # no heading: it stands in a fence


# --- subsets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("documents", "left"),
    [
        (["isa"], ("isa.md",)),
        (["guidance.md", "isa.md"], ("isa.md", "guidance.md")),
        ("machine", ("machine.md",)),
        ([], ()),
        ("all", ("isa.md", "memory-layout.md", "guidance.md", "machine.md")),
    ],
)
def test_subset_keeps_just_the_named_documents(evaluator: Evaluator, documents: Any, left: tuple[str, ...]) -> None:
    prompt = make(evaluator, documents=documents)
    assert prompt.documents == left
    assert {line[3:] for line in prompt.text.splitlines() if line.startswith("## ") and line.endswith(".md")} == set(
        left
    )
    assert not set(prompt.left_out) & set(left)
    assert len(prompt.left_out) + len(left) == 4
    assert "x: 4 words at 0x1000" in prompt.text  # the workload is always there


def test_unknown_document_gives_a_diagnostic_with_hint(evaluator: Evaluator) -> None:
    with pytest.raises(PromptError) as found:
        make(evaluator, documents=["isa", "memory-layuot"])
    assert found.value.diagnostics[0].code == "KC0720"
    assert "memory-layout" in str(found.value.diagnostics[0].hint)


def test_unknown_part_gives_a_diagnostic_with_hint(evaluator: Evaluator) -> None:
    with pytest.raises(PromptError) as found:
        make(evaluator).part("tool")
    assert (found.value.diagnostics[0].code, found.value.diagnostics[0].hint) == ("KC0723", "did you mean tools?")


# --- example and template ---------------------------------------------------------------------------------------------


def test_example_shows_the_other_tasks_kernel_and_layout(evaluator: Evaluator) -> None:
    prompt = make(evaluator, example=other_task(evaluator))
    assert prompt.example == "double/C1:expert"
    task = prompt.parts["task"]
    assert "```asm\nadd x1, x2, x2\nhalt\n```" in task
    assert "x at 0x1800." in task
    assert "y = 2 x" in task
    assert task.index("An example") < task.index("## The task")


def test_example_of_the_same_task_is_refused(evaluator: Evaluator) -> None:
    example = example_of(evaluator.catalogue, "toy", "triple/C2")
    with pytest.raises(PromptError) as found:
        make(evaluator, "C1", example=example)
    assert found.value.diagnostics[0].code == "KC0721"


def test_example_without_a_kind_is_the_shortest_right_kernel(evaluator: Evaluator) -> None:
    example = example_of(evaluator.catalogue, "toy", "triple/c2")
    right = [k for k in evaluator.catalogue.kernels(example.workload) if k.passes]
    assert len(example.kernel.source()) == min(len(k.source()) for k in right)
    assert example_of(evaluator.catalogue, "toy", "triple/C2:expert").name == "triple/C2:expert"


@pytest.mark.parametrize("name", ["triple", "triple/", "/C1", "", "triple/C1:published"])
def test_name_or_kernel_unfit_for_an_example_gives_a_diagnostic_with_hint(evaluator: Evaluator, name: str) -> None:
    with pytest.raises(PromptError) as found:
        example_of(evaluator.catalogue, "toy", name)
    assert found.value.diagnostics[0].code == "KC0721"
    assert found.value.diagnostics[0].hint


def test_template_is_the_baseline_with_the_cycles_it_takes(evaluator: Evaluator) -> None:
    workload = evaluator.catalogue.workload("toy", "triple", "C1")
    template = template_of(evaluator, workload)
    source = evaluator.catalogue.kernel(workload).source()
    assert template == Template(source, evaluator.evaluate(workload, source).cycles or 0, "compiler")
    task = make(evaluator, template=template).parts["task"]
    assert source.strip() in task
    assert f"takes {template.cycles:,} cycles" in task
    assert source.strip() not in make(evaluator).text


def test_wrong_kernel_is_refused_as_template(evaluator: Evaluator) -> None:
    with pytest.raises(PromptError) as found:
        template_of(evaluator, evaluator.catalogue.workload("toy", "triple", "C1"), "published")
    assert found.value.diagnostics[0].code == "KC0722"
    assert "compiler, expert" in str(found.value.diagnostics[0].hint)


# --- what a prompt never does -----------------------------------------------------------------------------------------


def test_prompt_draws_no_inputs_and_holds_no_seed(evaluator: Evaluator) -> None:
    def draw(seed: int, family: Any) -> Any:
        raise AssertionError("inputs were drawn")

    plain = evaluator.catalogue.workload("toy", "triple", "C1")
    target = evaluator.target(plain)
    prompt = build_prompt(target, evaluator.catalogue, attrs.evolve(plain, draw=draw))
    for salt in (DEVELOPMENT, "0123456789abcdef"):
        for chosen in plan(plain, salt, 3):
            assert str(chosen.seed) not in prompt.text
            assert f"{chosen.seed:x}" not in prompt.text


def test_prompt_is_the_same_every_time(evaluator: Evaluator) -> None:
    again = Evaluator(Catalogue(plugins.registry()))
    for options in ({}, {"documents": ["machine", "isa"]}, {"conversation": True}):
        first, second = make(evaluator, **options), make(again, **options)
        assert first.text == second.text
        assert first.digest == second.digest
    assert make(evaluator, documents=["isa", "machine"]).digest == make(evaluator, documents=["machine", "isa"]).digest


def test_digest_follows_everything_the_model_sees(evaluator: Evaluator) -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"config": "C2"},
        {"conversation": True},
        {"documents": ["isa"]},
        {"tools": TOOLS[1:]},
        {"iterations": 4},
        {"example": other_task(evaluator)},
        {"template": Template("halt", 1, "compiler")},
    ]
    assert len({make(evaluator, **options).digest for options in variants}) == len(variants)


def test_record_holds_names_and_sizes_but_no_text(evaluator: Evaluator) -> None:
    prompt = make(evaluator, documents=["isa"])
    entry = prompt.as_dict()
    assert entry["documents"] == ["isa.md"]
    assert entry["digest"] == prompt.digest
    assert entry["estimated_tokens"] == dict(prompt.tokens())
    assert tuple(entry["estimated_tokens"]) == PARTS
    assert len(str(entry)) < 600


def test_sizes_of_the_toys_prompt_are_small(evaluator: Evaluator) -> None:
    tokens = make(evaluator).tokens()
    assert 300 < tokens["role"] < 700
    assert 400 < tokens["tools"] < 1800
    assert 900 < tokens["target"] < 2500
    assert 200 < tokens["task"] < 500


# --- Markdown ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n## B", "## A\n### B\n"),
        ("```asm\n# c\n```\n# A", "```asm\n# c\n```\n## A\n"),
        ("````\n```\n# c\n````\n# A", "````\n```\n# c\n````\n## A\n"),
        ("~~~\n# c\n```\n~~~\n# A", "~~~\n# c\n```\n~~~\n## A\n"),
        ("###### A", "###### A\n"),
        ("text  \n", "text\n"),
    ],
)
def test_demoted_moves_headings_but_nothing_in_fences(text: str, expected: str) -> None:
    assert demoted(text) == expected


def test_fenced_text_does_not_close_its_own_fence() -> None:
    assert fenced("; ``` here\n") == "````asm\n; ``` here\n````"
