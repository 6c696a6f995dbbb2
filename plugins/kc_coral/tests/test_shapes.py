"""The calling convention: shifts, addresses and sizes against numbers counted by hand."""

from __future__ import annotations

import math

import pytest

from kc_coral.shapes import CONFIGS, EXTERNAL, EXTERNAL_BYTES, TASKS, layout, parameters, shift, sizes
from kc_tasks.suite import SUITE

CELLS = [(task, config) for task in TASKS for config in CONFIGS]

# Task, config, input addresses, output address, arguments behind it, symbols.
BY_HAND = [
    ("relu", "C1", [0x2000_0000], 0x2000_1000, {"N": 512}),
    ("silu", "C3", [0x2000_0000, 0x2000_1000], 0x2000_2000, {"N": 4096}),
    ("softmax", "C1", [0x2000_0000, 0x2000_0100], 0x2000_1000, {"N": 256, "R": 4}),
    ("layernorm", "C5", [0x2000_0000, 0x2000_2000, 0x2000_4000], 0x2000_6000, {"N": 8192, "L": 13}),
    ("gemv", "C4", [0x2000_0000, 0x2000_4000], 0x2000_5000, {"M": 64, "N": 256, "S": 10}),
    ("depthwise_conv", "C1", [0x2000_0000, 0x2000_0400, 0x2000_0490], 0x2000_1000, {"H": 8, "C": 16, "KS": 3, "S": 7}),
    (
        "ffn",
        "C1",
        [0x2000_0000, 0x2000_0080, 0x2000_0880, 0x2000_0980, 0x2000_1180, 0x2000_1200],
        0x2000_2000,
        {"N": 4, "H": 32, "HI": 64, "S1": 8, "S2": 8},
    ),
]


@pytest.mark.parametrize(("task", "config", "inputs", "output", "symbols"), BY_HAND)
def test_addresses_and_symbols_equal_the_hand_count(task, config, inputs, output, symbols):
    place = layout(task, config)
    assert [array.address for array in place.inputs] == inputs
    assert place.output.address == output
    assert place.symbols.items() >= symbols.items()
    assert list(place.arguments[: len(inputs) + 1]) == [*inputs, output]
    assert not any(place.arguments[len(inputs) + 1 :])
    assert len(place.arguments) == max(6, len(inputs) + 1)


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 5, 8, 9, 16, 17, 25, 32, 64, 72, 128, 256, 288, 576, 1024])
def test_shift_is_six_plus_half_the_logarithm(terms):
    assert shift(terms) == 6 + math.ceil(math.log2(terms) / 2)


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_arrays_are_apart_aligned_and_inside_the_memory(task, config):
    place = layout(task, config)
    end = EXTERNAL
    for array in place.inputs:
        assert array.address % 16 == 0
        assert 0 <= array.address - end < 16
        end = array.address + array.size
    assert place.output.address % 4096 == 0
    assert 0 <= place.output.address - end < 4096
    assert place.output.address + place.output.size <= EXTERNAL + EXTERNAL_BYTES
    assert len(place.inputs) + 1 <= 8


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_parameters_and_result_are_those_of_the_task(task, config):
    found = next(t for t in SUITE.tasks if t.slug == task)
    values = parameters(task, config)
    assert set(values) == set(found.parameters)
    assert layout(task, config).output.shape == found.outputs[0].dimensions(values)


def test_unknown_names_are_refused():
    with pytest.raises(KeyError):
        sizes("mha", "C1")
    with pytest.raises(ValueError, match="tuple"):
        sizes("relu", "C6")
