"""The pages are true: tables and numbers follow from the code."""

from __future__ import annotations

import re

import pytest

from kc_coral.docs import PAGES, pages
from kc_coral.shapes import CONFIGS, EXTERNAL, EXTERNAL_BYTES, MUL, TASKS, layout
from kc_coral.start import MPAUSE, STACK
from kc_coral.workloads.describe import describe


def rows(page, head):
    """Return the cells of the table of a page whose first column is headed so, without the header."""
    for part in re.findall(r"(?:^\|.*\n)+", pages()[page], re.MULTILINE):
        lines = [[cell.strip(" `") for cell in line.strip("|\n").split("|")] for line in part.splitlines()]
        if lines[0][0] == head:
            return lines[2:]
    raise AssertionError(f"{page} has no table of {head}")


def test_pages_are_there_in_reading_order():
    assert tuple(pages()) == PAGES
    assert all(page.startswith("# Coral: ") for page in pages().values())


def test_arrays_of_the_table_are_those_of_the_layouts():
    described = {task: args for names, args, _ in rows("memory-layout.md", "task") for task in names.split(", ")}
    assert set(described) == set(TASKS)
    for task, args in described.items():
        names = [array.name for array in layout(task, "C1").inputs]
        if task == "conv_block":
            names = [name for name in names if name not in ("bias",)]
            args = args.replace(" as conv2d", "")
        for name in names:
            assert re.search(rf"\b{name}\b", args), (task, name)


def test_every_symbol_is_explained():
    text = " ".join(cells[0] for cells in rows("memory-layout.md", "symbols"))
    named = set(re.findall(r"\b[A-Z]+[0-9]?\b", text))
    used = {name for task in TASKS for config in CONFIGS for name in layout(task, config).symbols}
    assert named == used


def test_numbers_of_the_pages_are_those_of_the_code():
    text = pages()["memory-layout.md"]
    assert f"0x{EXTERNAL >> 16:04X}_{EXTERNAL & 0xFFFF:04X} - " in text
    assert f"{EXTERNAL_BYTES >> 20} MiB" in text
    assert f"0x{STACK >> 16:04X}_{STACK & 0xFFFF:04X}" in text
    assert f"{MPAUSE:#010x}" in text
    assert str(MUL) in text
    assert str(MUL) in pages()["numerics.md"]


def test_every_task_has_its_arithmetic():
    named = {name for cells in rows("numerics.md", "task") for name in cells[0].split(", ")}
    assert named == set(TASKS)


@pytest.mark.parametrize("task", TASKS)
def test_description_explains_every_abbreviation(task):
    text = describe(task, "C1")
    for word in ("rnu", "rq", "sat8"):
        if f"{word}(" in text:
            assert re.search(rf"Where .*\b{word}(\(v|  ?limits| limits)", text), word
