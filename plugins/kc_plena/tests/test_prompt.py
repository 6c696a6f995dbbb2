"""The prompt for PLENA: complete, and of the size of the published one."""

from __future__ import annotations

import pytest

from kc_plena.docs import PAGES
from kc_plena.shapes import SHAPES, layout
from kernelcraft_core.agent.prompt import Prompt, PromptError, build_prompt, example_of
from kernelcraft_core.agent.tokens import estimate
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks.catalogue import Catalogue

PUBLISHED = 15_100
"""Tokens of the published prompt for PLENA: ISA 9,800, memory 4,300, hardware 1,000, counted by Claude's tokenizer.

Source: KernelCraft, arXiv 2603.08721.
"""


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(Catalogue(registry()))


def make(evaluator: Evaluator, task: str, config: str = "C1", **options) -> Prompt:
    workload = evaluator.catalogue.workload("plena", task, config)
    return build_prompt(evaluator.target(workload), evaluator.catalogue, workload, **options)


def test_all_of_plenas_pages_are_in_the_prompt(evaluator):
    prompt = make(evaluator, "silu")
    assert set(prompt.documents) == {"isa.md", "machine.md", *PAGES}
    assert prompt.left_out == ()
    assert "## guidance.md" in prompt.parts["task"]
    assert "## memory-layout.md" in prompt.parts["target"]


@pytest.mark.parametrize("task", ["silu", "get_transfer_index"])
def test_every_instruction_is_there_with_those_of_extensions(evaluator, task):
    target = evaluator.target(evaluator.catalogue.workload("plena", task, "C1"))
    text = make(evaluator, task).parts["target"]
    for definition in target.isa:
        assert f"**`{definition.mnemonic} " in text, definition.name
        assert definition.record.doc in text
    assert ("(extension Xdllm)" in text) == (task == "get_transfer_index")


def test_size_is_near_the_published_one(evaluator):
    sizes = {s.name: estimate(s.text) for s in make(evaluator, "silu").sections}
    assert 5_500 < sizes["isa.md"] < 9_800
    assert 2_000 < sizes["memory-layout.md"] < 4_300
    documents = sum(sizes[name] for name in ("isa.md", "memory-layout.md", "hardware.md", "numerics.md", "machine.md"))
    assert 0.6 * PUBLISHED < documents < 1.2 * PUBLISHED
    assert 300 < sizes["tools"] < 1_800


def test_no_task_makes_the_prompt_exceed_twenty_thousand_tokens(evaluator):
    workloads = evaluator.catalogue.workloads("plena")
    assert len(workloads) == sum(map(len, SHAPES.values()))
    longest = max(workloads.values(), key=lambda w: len(w.layout))
    assert sum(make(evaluator, longest.task, longest.config).tokens().values()) < 20_000


@pytest.mark.parametrize(
    ("task", "config"), [("softmax", "C2"), ("gemm", "C1"), ("mha", "C3"), ("decoder_llama", "C1")]
)
def test_addresses_constants_and_output_of_the_workload_are_there(evaluator, task, config):
    text = make(evaluator, task, config).parts["task"].partition("## The task")[2]
    place = layout(task, config)
    for name, address in place.addresses.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
        assert f"| {address} |" in row
    assert f"in VRAM from element {place.output} on" in text
    assert all(f"[{index}] = " in text for index in range(len(place.fp_mem)))
    assert "0.012 + 0.01 * |expected|" in text
    assert "at most 0.02" in text


def test_parts_before_the_task_are_shared_by_tasks_on_one_machine(evaluator):
    shared = {make(evaluator, task).messages()[0].content for task in ("silu", "mha", "decoder_llama")}
    assert len(shared) == 1
    assert make(evaluator, "get_transfer_index").messages()[0].content not in shared


def test_one_shot_example_is_the_papers_attention_kernel(evaluator):
    example = example_of(evaluator.catalogue, "plena", "sdpa/C1")
    task = make(evaluator, "mha", example=example).parts["task"]
    assert example.kernel.passes
    assert example.kernel.source().strip() in task
    assert "| K | 32 x 64 | 2304 |" in task
    with pytest.raises(PromptError):
        make(evaluator, "sdpa", "C2", example=example)


def test_no_kernel_of_the_task_is_given_away(evaluator):
    for task in ("silu", "gemm", "mha"):
        text = make(evaluator, task).text
        for kernel in evaluator.catalogue.kernels(evaluator.catalogue.workload("plena", task, "C1")):
            lines = [line.strip() for line in kernel.source().splitlines() if line.strip()]
            runs = ["\n".join(lines[i : i + 10]) for i in range(0, len(lines) - 9)]
            plain = "\n".join(line.strip() for line in text.splitlines())
            assert runs
            assert not any(run in plain for run in runs)
