"""The start stub: it passes the arguments and keeps line numbers."""

from __future__ import annotations

import pytest

from kc_coral.shapes import CONFIGS, TASKS, layout
from kc_coral.start import statements, wrap

KERNEL = ".globl kernel\nkernel:\n  ret\n"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("config", CONFIGS)
def test_wrapped_text_keeps_its_lines(task, config):
    text = wrap(layout(task, config), KERNEL)
    lines, own = text.splitlines(), KERNEL.splitlines()
    assert len(lines) == len(own)
    assert lines[0].endswith("; " + own[0])
    assert lines[1:] == own[1:]


def test_stub_of_a_task_with_one_input_loads_six_arguments():
    found = statements(layout("relu", "C1"))
    loads = [line for line in found if line.startswith("li ")]
    assert loads == ["li a0, 0x20000000", "li a1, 0x20001000", *(f"li a{i}, 0x0" for i in range(2, 6))]
    assert found[-3:] == ["call kernel", ".word 0x08000073", "j ."]
    assert ".equ N, 512" in found


def test_stub_of_a_task_with_six_inputs_loads_seven_arguments():
    loads = [line for line in statements(layout("ffn", "C1")) if line.startswith("li ")]
    assert loads[-1] == "li a6, 0x20002000"
    assert len(loads) == 7
