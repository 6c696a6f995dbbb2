"""The suite as a whole: what is in it, and that every task computes on every family."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kc_tasks import reference
from kc_tasks.suite import SUITE
from kc_tasks.tensors import head_columns
from kernelcraft_core.tasks import Family, Task, Tensor

TASKS = {task.slug: task for task in SUITE.tasks}

EXPECTED = """
    silu 1 1 | relu 2 1 | gelu 3 1 | softmax 4 1 | layernorm 5 1 | rmsnorm 6 1 | gemv 7 1 | gemm 8 1
    batch_matmul 9 1 | linear 10 1 | conv2d 11 1 | depthwise_conv 12 1
    rope 13 2 | ffn 14 2 | swiglu 15 2 | sdpa 16 2 | flash_attention 17 2 | mha 18 2 | gqa 19 2 | mqa 20 2
    conv_block 21 3 | decoder_llama 22 3 | decoder_t5 23 3
    get_transfer_index None 2
"""

PARAMETERS = {
    "b h": dict(b=3, h=8),
    "M N": dict(M=5, N=4),
    "M K N": dict(M=2, K=5, N=3),
    "B M K N": dict(B=2, M=3, K=5, N=4),
    "n in out": {"n": 3, "in": 4, "out": 5},
    "n h hi": dict(n=3, h=4, hi=6),
    "s h": dict(s=5, h=4),
    "s d": dict(s=5, d=6),
    "s h nh": dict(s=5, h=8, nh=2),
    "s h nh nkv": dict(s=5, h=16, nh=4, nkv=2),
    "s h nh hi": dict(s=4, h=8, nh=2, hi=6),
    "H W CI CO KH KW stride padding": dict(H=6, W=5, CI=2, CO=3, KH=3, KW=3, stride=1, padding=1),
    "H W C KH KW stride padding": dict(H=6, W=5, C=4, KH=3, KW=2, stride=2, padding=1),
    "B L V k": dict(B=2, L=6, V=7, k=3),
}
"""Small values for every set of parameters that a task may have."""


def parameters_of(task: Task) -> dict[str, int]:
    return PARAMETERS[" ".join(task.parameters)]


def rng_of(*words: str) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(word.encode()) for word in words])


def table(task: Task, tensor: Tensor, parameters: dict[str, int], drawn: dict[str, Any]) -> Any:
    """Return a table of a task: what its name says."""
    if tensor.name == "XROT":
        return reference.rotate_half(drawn["X"])
    d = parameters.get("d") or head_columns(parameters)
    if tensor.name == "ROT":
        return reference.rotation_matrix(d)
    return reference.rope_tables(parameters["s"], d)[("COS", "SIN").index(tensor.name)]


def draw(task: Task, parameters: dict[str, int], family: Family) -> dict[str, Any]:
    """Return all inputs of a task, those included that no default needs."""
    rng, drawn = rng_of(task.slug, family.name), dict[str, Any]()
    for tensor in task.inputs:
        shape = tensor.dimensions(parameters)
        if tensor.role == "activation":
            drawn[tensor.name] = family.sample(rng, shape)
        elif tensor.role == "table":
            drawn[tensor.name] = table(task, tensor, parameters, drawn)
        elif tensor.role == "mask":
            drawn[tensor.name] = rng.integers(0, 2, shape)
        elif tensor.role == "tokens":
            drawn[tensor.name] = rng.integers(0, parameters["V"], shape)
        elif tensor.name == "var":
            drawn[tensor.name] = 0.5 + rng.random(shape)
        else:
            drawn[tensor.name] = rng.standard_normal(shape) / np.sqrt(shape[0])
    return drawn


def test_suite_has_every_task_with_its_number_and_level() -> None:
    wanted = [entry.split() for line in EXPECTED.strip().splitlines() for entry in line.split("|")]
    assert [[task.slug, str(task.number), str(task.level)] for task in SUITE.tasks] == wanted
    assert len({task.title for task in SUITE.tasks}) == 24


@pytest.mark.parametrize(
    ("slug", "title", "budget"),
    [
        ("silu", "SiLU", 15),
        ("batch_matmul", "BatchMatMul", 15),
        ("sdpa", "ScaledDotProduct", 20),
        ("get_transfer_index", "get_transfer_index", 20),
        ("decoder_llama", "DecoderBlock (LLaMA)", 25),
        ("decoder_t5", "DecoderBlock (T5)", 25),
    ],
)
def test_task_has_title_and_budget(slug: str, title: str, budget: int) -> None:
    assert (TASKS[slug].title, TASKS[slug].budget) == (title, budget)


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.slug)
def test_task_stands_in_the_module_of_its_name_and_level(task: Task) -> None:
    module = __import__(f"kc_tasks.level{task.level}.{task.slug}", fromlist=["TASK"])
    assert module.TASK is task


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.slug)
def test_every_text_says_something_and_shapes_use_parameters_only(task: Task) -> None:
    assert task.formula
    assert all(task.parameters.values())
    assert all(flag.doc for flag in task.flags.values())
    assert len({t.name for t in task.inputs}) == len(task.inputs)
    assert [t.role for t in task.outputs] == ["result"] * len(task.outputs)
    parameters = parameters_of(task)
    assert all(min(t.dimensions(parameters)) >= 1 for t in (*task.inputs, *task.outputs))


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.slug)
def test_default_of_a_flag_is_one_of_its_choices(task: Task) -> None:
    assert task.resolved({name: flag.default for name, flag in task.flags.items()}) == task.resolved({})


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.slug)
def test_samples_of_every_family_are_finite_deterministic_and_different(task: Task) -> None:
    seen = []
    for family in task.families:
        sample, again = (family.sample(rng_of(family.name), (8, 64)) for _ in range(2))
        assert sample.shape == (8, 64)
        assert sample.dtype == np.float64
        assert np.isfinite(sample).all()
        assert np.array_equal(sample, again)
        seen.append(sample.tobytes())
    assert len(set(seen)) == len(task.families) >= 4


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.slug)
def test_task_computes_on_every_family(task: Task) -> None:
    parameters = parameters_of(task)
    for family in task.families:
        inputs = draw(task, parameters, family)
        results = task.compute(inputs, parameters)
        again = task.compute(inputs, parameters)
        assert list(results) == [t.name for t in task.outputs]
        for tensor in task.outputs:
            result = results[tensor.name]
            assert result.shape == tensor.dimensions(parameters)
            assert result.dtype == (np.int64 if task.slug == "get_transfer_index" else np.float64)
            assert np.isfinite(result).all()
            assert np.array_equal(result, again[tensor.name])


def flag_values(task: Task, name: str) -> tuple[Any, ...]:
    """Return values that a flag may have, the default first."""
    flag = task.flags[name]
    free = {"eps": 0.5, "scale": 3.0}
    return (
        (flag.default, *(choice for choice in flag.choices if choice != flag.default))
        if flag.choices
        else (
            flag.default,
            free[name],
        )
    )


FLAGS = [(task, name) for task in SUITE.tasks for name in task.flags]


@pytest.mark.parametrize(("task", "name"), FLAGS, ids=lambda value: getattr(value, "slug", value))
def test_every_value_of_a_flag_gives_another_result(task: Task, name: str) -> None:
    parameters = parameters_of(task)
    inputs = draw(task, parameters, task.family("standard"))
    others = {"norm": "batch"} if (task.slug, name) == ("conv_block", "eps") else {}
    results = [task.compute(inputs, parameters, {**others, name: v})["Y"] for v in flag_values(task, name)]
    assert len({result.tobytes() for result in results}) == len(results) >= 2
    assert all(np.isfinite(result).all() for result in results)


def test_flags_without_a_list_of_choices_are_numbers() -> None:
    assert {name for task, name in FLAGS if not task.flags[name].choices} == {"eps", "scale"}


@pytest.mark.parametrize(
    ("task", "name"),
    [(task, name) for task, name in FLAGS if task.flags[name].choices],
    ids=lambda value: getattr(value, "slug", value),
)
def test_value_that_is_none_of_the_choices_is_refused(task: Task, name: str) -> None:
    with pytest.raises(ValueError, match=f"{task.slug}: {name} = 'mango' is none of"):
        task.compute({}, parameters_of(task), {name: "mango"})


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.slug)
def test_unknown_flag_or_input_or_wrong_shape_is_refused(task: Task) -> None:
    parameters = parameters_of(task)
    inputs = draw(task, parameters, task.family("standard"))
    name = task.inputs[0].name
    with pytest.raises(ValueError, match="has no flag 'mango'"):
        task.compute(inputs, parameters, {"mango": 1})
    with pytest.raises(ValueError, match="has no input 'mango'"):
        task.compute({**inputs, "mango": np.zeros(1)}, parameters)
    with pytest.raises(ValueError, match=f"{task.slug}: {name} has shape"):
        task.compute({**inputs, name: inputs[name][:-1]}, parameters)


NEEDED = {
    "layernorm": ("X", {"weight": "w", "bias": "bias"}),
    "rmsnorm": ("X", {"weight": "w"}),
    "linear": ("X W", {"bias": "bias"}),
    "conv2d": ("X F", {"bias": "bias"}),
    "depthwise_conv": ("X F", {"bias": "bias"}),
    "rope": ("X COS SIN", {}),
    "ffn": ("X Wup Wdown", {"bias": "bup"}),
    "mha": ("X Wq Wk Wv", {"out_proj": "Wo", "rotary": "COS"}),
    "gqa": ("X Wq Wk Wv", {"out_proj": "Wo", "rotary": "COS"}),
    "mqa": ("X Wq Wk Wv", {"out_proj": "Wo", "rotary": "COS"}),
    "decoder_llama": ("X Wq Wk Wv Wo Wup Wgate Wdown", {"rotary": "COS", "norm_weight": "w1"}),
    "decoder_t5": ("X Wq Wk Wv Wo Wi Wff", {"cross": "Cq", "gated": "Wlin", "norm_weight": "w1"}),
}
"""Task -> the inputs it needs with all switches off, and which one a switch needs first."""


@pytest.mark.parametrize("slug", NEEDED)
def test_input_is_needed_only_when_its_flag_is_on(slug: str) -> None:
    task, (names, switches) = TASKS[slug], NEEDED[slug]
    parameters = parameters_of(task)
    everything = draw(task, parameters, task.family("standard"))
    inputs = {name: everything[name] for name in names.split()}
    off = dict.fromkeys(switches, False)
    assert task.compute(inputs, parameters, off)["Y"].shape == task.outputs[0].dimensions(parameters)
    for switch, missing in switches.items():
        with pytest.raises(KeyError, match=missing):
            task.compute(inputs, parameters, {**off, switch: True})
    for name in inputs:
        with pytest.raises(KeyError, match=name):
            task.compute({n: v for n, v in inputs.items() if n != name}, parameters, off)


@pytest.mark.parametrize("slug", ["mha", "gqa", "mqa", "decoder_llama"])
def test_columns_that_cannot_be_divided_into_heads_are_refused(slug: str) -> None:
    task = TASKS[slug]
    with pytest.raises(ValueError, match="cannot be divided into nh = 3 heads"):
        task.compute({"COS": np.zeros((5, 2))}, {**parameters_of(task), "nh": 3})


def test_readme_lists_the_tasks_as_they_are() -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d*) *\| `(\w+)` \| (.*?) \| (\d) \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    wanted = [
        (
            str(task.number or ""),
            task.slug,
            task.title,
            str(task.level),
            ", ".join(f"`{name}`" for name in task.parameters),
            ", ".join(f"`{name}`" for name in task.flags),
        )
        for task in SUITE.tasks
    ]
    assert rows == wanted
