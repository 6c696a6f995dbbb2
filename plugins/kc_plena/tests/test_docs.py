"""The pages are true: their examples assemble, their worked numbers follow from the code."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kernelcraft_core as kc
from kc_plena.docs import pages
from kc_plena.machine import KC
from kc_plena.packing import build_image

BLOCKS = [(name, text) for name, page in pages().items() for text in re.findall(r"```asm\n(.*?)```", page, re.DOTALL)]


@pytest.mark.parametrize(("name", "text"), BLOCKS)
def test_examples_assemble(name: str, text: str) -> None:
    assert len(kc.target("plena").assemble(text, filename=name)) > 0


def test_worked_addresses_are_right() -> None:
    image = build_image([("A", np.zeros((4, 64), np.float32)), ("B", np.zeros((64, 64), np.float32))])
    assert image.offsets == {"A": 0, "B": 320}
    assert image.scales == {"A": 256, "B": 4416}
    assert image.data.size == 4928


def test_every_parameter_named_in_the_pages_exists() -> None:
    named = set(re.findall(r"`([A-Z]+_[A-Z_]*CYCLES|HBM_MODEL|MAX_LOOP_INSTRUCTIONS)`", "\n".join(pages().values())))
    assert named
    assert named <= set(KC.params)


def test_cost_table_states_the_values_of_the_machine() -> None:
    rows = re.findall(r"\| .*? \| ([\d, ]+) \| (`.*?) \|", pages()["hardware.md"])
    checked = 0
    for values, names in rows:
        for value, name in zip(values.split(","), re.findall(r"`(\w+)`", names), strict=False):
            assert KC.number(name) == int(value)
            checked += 1
    assert checked >= 8
