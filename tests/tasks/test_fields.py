"""Records of plug-ins: what does not fit is refused where the record is made, and functions keep what they promise."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from kc_toy.tasks import TRIPLE, suite, workloads
from kernelcraft_core.diagnostics import EvaluationError
from kernelcraft_core.tasks import Bound, Case, Flag, Kernel, Published, Tolerance, Workload

WORKLOAD = workloads()[0]
GOLDEN = {"y": np.zeros(4, np.uint32)}

REFUSED: dict[str, tuple[Any, dict[str, Any]]] = {
    **{f"config {c!r}": (WORKLOAD, {"config": c}) for c in ("c9", "", "../C1", "/C1", "C\n1", "C\ud800", "C" * 99, 9)},
    "task list": (WORKLOAD, {"task": []}),
    "parameters list": (WORKLOAD, {"parameters": [("n", 4)]}),
    "parameters texts": (WORKLOAD, {"parameters": {"n": "4"}}),
    "flags none": (WORKLOAD, {"flags": None}),
    "flag object": (WORKLOAD, {"flags": {"a": object()}}),
    "machine number": (WORKLOAD, {"machine": 3}),
    "requires text": (WORKLOAD, {"requires": "Xfma"}),
    "families text": (WORKLOAD, {"families": "standard"}),
    "limits number": (WORKLOAD, {"limits": 3}),
    "layout bytes": (WORKLOAD, {"layout": b"x"}),
    "layout surrogate": (WORKLOAD, {"layout": "\ud800"}),
    "tolerance none": (WORKLOAD, {"tolerance": None}),
    "no outputs": (WORKLOAD, {"outputs": ()}),
    "output twice": (WORKLOAD, {"outputs": (WORKLOAD.outputs[0], WORKLOAD.outputs[0])}),
    "output number": (WORKLOAD, {"outputs": [5]}),
    "draw number": (WORKLOAD, {"draw": 5}),
    "bound number": (WORKLOAD, {"bound": 5}),
    "atol NaN": (Tolerance(), {"atol": float("nan")}),
    "atol negative": (Tolerance(), {"atol": -1.0}),
    "max_ulp negative": (Tolerance(), {"max_ulp": -1}),
    **{f"bound {c}": (Bound(1), {"cycles": c}) for c in (0, -5, 3.5, float("nan"), 1 << 63, True, "5", None)},
    "bound parts": (Bound(1), {"parts": {3: "x"}}),
    "bound rates": (Bound(1), {"rates": {"x": 10**400}}),
    "no golden": (Case({}, {}, {"a": GOLDEN}), {"goldens": {}}),
    "golden without outputs": (Case({}, {}, {"a": GOLDEN}), {"goldens": {"a": {}}}),
    "golden of objects": (Case({}, {}, {"a": GOLDEN}), {"goldens": {"a": {"y": np.array([None])}}}),
    "golden list": (Case({}, {}, {"a": GOLDEN}), {"goldens": {"a": {"y": [1]}}}),
    "golden without name": (Case({}, {}, {"a": GOLDEN}), {"goldens": {None: GOLDEN}}),
    "inputs of text": (Case({}, {}, {"a": GOLDEN}), {"inputs": {"x": np.array(["a"])}}),
    "state none": (Case({}, {}, {"a": GOLDEN}), {"state": None}),
    "kernel of text": (Kernel("naive", lambda: ""), {"source": "halt"}),
    "kernel passes": (Kernel("naive", lambda: ""), {"passes": "no"}),
    "title line end": (TRIPLE, {"title": "a\nb"}),
    "number text": (TRIPLE, {"number": "1"}),
    "flags of numbers": (TRIPLE, {"flags": {"a": 3}}),
    "reference none": (TRIPLE, {"reference": None}),
    "families none": (TRIPLE, {"families": None}),
    "flag default": (Flag(1, (), ""), {"default": object()}),
    "suite name": (suite(), {"name": "../a"}),
    "suite version": (suite(), {"version": 1}),
    "suite tasks": (suite(), {"tasks": [5]}),
    "suite published": (suite(), {"published": []}),
    "published cycles": (Published("a", "b", "C1", "m", 1), {"cycles": "x"}),
    "published method": (Published("a", "b", "C1", "m", 1), {"method": None}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_record_with_a_field_that_does_not_fit_is_refused(name: str) -> None:
    record, change = REFUSED[name]
    attrs.evolve(record)
    with pytest.raises(ValueError, match=next(iter(change))):
        attrs.evolve(record, **change)


def test_sequences_become_tuples_and_numpy_integers_integers() -> None:
    assert attrs.evolve(suite(), tasks=(t for t in [TRIPLE])).tasks == (TRIPLE,)
    assert attrs.evolve(WORKLOAD, families=["standard", "large"]).families == ("standard", "large")
    bound: Any = Bound(np.int64(5), {"a": np.int64(3)})
    assert (type(bound.cycles), type(bound.parts["a"])) == (int, int)


def made(**change: Any) -> Workload:
    return attrs.evolve(WORKLOAD, **change)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "draw": lambda call: made(draw=call).draw(1, TRIPLE.families[0]),
    "bound": lambda call: made(bound=call).bound({}),
    "read": lambda call: attrs.evolve(WORKLOAD.outputs[0], read=call).read({}),
    "reference": lambda call: attrs.evolve(TRIPLE, reference=call).reference({}, {}, {}),
    "published": lambda call: attrs.evolve(suite(), published=call).published(),
    "sample": lambda call: attrs.evolve(TRIPLE.families[0], sample=call).sample(np.random.default_rng(1), (2,)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_that_returns_something_else_raises(name: str) -> None:
    with pytest.raises(TypeError, match="returns NoneType"):
        FUNCTIONS[name](lambda *arguments: None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_cannot_end_the_process(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"sys\.exit\(3\)"):
        FUNCTIONS[name](lambda *arguments: sys.exit(3))


def test_bound_cannot_change_the_machine() -> None:
    values = {"LOAD_CYCLES": 2}

    def bound(machine: dict[str, int]) -> Bound:
        machine.clear()
        return Bound(1)

    made(bound=bound).bound(values)
    assert values == {"LOAD_CYCLES": 2}


@pytest.mark.parametrize(
    "source", [lambda: 1 / 0, lambda: None, lambda: b"halt", lambda: sys.exit(1), lambda: " " * ((64 << 20) + 1)]
)
def test_kernel_that_cannot_be_made_is_explained(source: Any) -> None:
    with pytest.raises(EvaluationError) as error:
        Kernel("naive", source).source()
    assert error.value.code == "KC0607"
