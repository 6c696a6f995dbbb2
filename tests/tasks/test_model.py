"""Tasks, families and workloads: the records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kc_toy.tasks import TRIPLE, suite
from kernelcraft_core.tasks import BUDGETS, Family, Flag, Kernel, Suite, Task, Tensor, standard_families


def task(slug: str = "t", **more: Any) -> Task:
    values: dict[str, Any] = {
        "title": "T",
        "level": 1,
        "category": "test",
        "formula": "y = x",
        "parameters": {"n": "words"},
        "inputs": (Tensor("x", ("2 * n", "3")),),
        "outputs": (Tensor("y", ("2 * n",), "result"),),
        "families": standard_families(),
        "reference": lambda inputs, parameters, flags: {"y": inputs["x"].sum(1)},
    }
    return Task(slug=slug, **{**values, **more})


@pytest.mark.parametrize(("level", "budget"), [(1, 15), (2, 20), (3, 25)])
def test_budget_follows_the_level(level: int, budget: int) -> None:
    assert task(level=level).budget == budget == BUDGETS[level]


def test_tensor_dimensions_are_products_of_parameters() -> None:
    assert Tensor("x", ("2 * n", "3", "n*m")).dimensions({"n": 5, "m": 7}) == (10, 3, 35)
    with pytest.raises(KeyError):
        Tensor("x", ("k",)).dimensions({"n": 5})


@pytest.mark.parametrize("slug", ["Silu", "1st", "two words", "", "a-b"])
def test_task_slug_that_is_no_name_is_refused(slug: str) -> None:
    with pytest.raises(ValueError, match="slug"):
        task(slug)


def test_compute_checks_shapes_names_and_flags() -> None:
    flagged = task(flags={"axis": Flag("row", ("row", "all"), "what is summed")})
    x = np.ones((4, 3), np.float32)
    assert flagged.compute({"x": x}, {"n": 2})["y"].tolist() == [3.0] * 4
    for inputs, flags, message in [
        ({"x": x[:3]}, {}, "shape"),
        ({"x": x, "z": x}, {}, "no input 'z'"),
        ({"x": x}, {"axes": "row"}, "no flag 'axes'"),
        ({"x": x}, {"axis": "column"}, "none of"),
    ]:
        with pytest.raises(ValueError, match=message):
            flagged.compute(inputs, {"n": 2}, flags)


def test_compute_gives_the_reference_float64() -> None:
    seen = {}

    def reference(inputs: Any, parameters: Any, flags: Any) -> Any:
        seen.update(inputs)
        return {"y": inputs["x"][:, 0]}

    task(reference=reference).compute({"x": np.ones((4, 3), np.float32)}, {"n": 2})
    assert seen["x"].dtype == np.float64
    TRIPLE.compute({"x": np.ones(2, np.uint32)}, {"n": 2})


def test_compute_refuses_a_result_of_another_shape() -> None:
    wrong = task(reference=lambda inputs, parameters, flags: {"y": inputs["x"]})
    with pytest.raises(ValueError, match="result y has shape"):
        wrong.compute({"x": np.ones((4, 3))}, {"n": 2})


def test_suite_with_one_task_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two tasks 't'"):
        Suite("s", "1.0", (task(), task()))


def test_suite_task_without_standard_family_is_refused() -> None:
    with pytest.raises(ValueError, match="standard"):
        Suite("s", "1.0", (task(families=standard_families()[1:]),))


def test_family_of_a_task_by_name() -> None:
    assert TRIPLE.family("large").name == "large"
    with pytest.raises(KeyError):
        TRIPLE.family("tiny")


@pytest.mark.parametrize("family", standard_families(), ids=lambda f: f.name)
def test_family_samples_are_finite_shaped_and_fixed_by_the_seed(family: Family) -> None:
    draws = [family.sample(np.random.default_rng(seed), (40, 64)) for seed in (1, 1, 2)]
    assert draws[0].shape == (40, 64)
    assert draws[0].dtype == np.float64
    assert np.isfinite(draws[0]).all()
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])


FACTS = {  # (mean, standard deviation, share of zeros) within 0.1, 10 %, 0.02
    "standard": (0.0, 1.0, 0.0),
    "offset": (2.0, 1.0, 0.0),
    "offset_negative": (-2.0, 1.0, 0.0),
    "small": (0.0, 0.1, 0.0),
    "large": (0.0, 8.0, 0.0),
    "positive": (0.8, 0.6, 0.0),
    "negative": (-0.8, 0.6, 0.0),
    "sparse": (0.0, 0.5, 0.75),
    "ties": (0.0, 1.02, 0.197),
    "extreme": (0.0, 1.45, 0.0),
}


@pytest.mark.parametrize("family", standard_families(), ids=lambda f: f.name)
def test_family_has_the_moments_it_is_named_for(family: Family) -> None:
    values = family.sample(np.random.default_rng(0), (200, 200))
    mean, deviation, zeros = FACTS[family.name]
    assert abs(values.mean() - mean) < 0.1 * max(1.0, deviation)
    assert abs(values.std() - deviation) < 0.1 * deviation
    assert abs((values == 0).mean() - zeros) < 0.02


def test_standard_families_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="no input family 'huge'"):
        standard_families("huge")


def test_standard_families_start_with_standard() -> None:
    assert [f.name for f in standard_families("large", "large", "ties")] == ["standard", "large", "ties"]


def test_kernel_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind"):
        Kernel("fast", lambda: "")


def test_toy_suite_is_whole() -> None:
    assert [t.slug for t in suite().tasks] == ["triple"]
    assert suite().published()[0].method == "somebody"
