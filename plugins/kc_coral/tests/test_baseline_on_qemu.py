"""The compiled kernels on an independent simulator: QEMU's user mode with VLEN = 128. Needs qemu-riscv32 and ziglang."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess

import numpy as np
import pytest

from kc_coral import baseline
from kc_coral.baseline import build
from kc_coral.shapes import EXTERNAL, TASKS, layout
from kc_coral.workloads import workloads
from kernelcraft_core.tasks import standard_families

QEMU = shutil.which("qemu-riscv32")
pytestmark = pytest.mark.skipif(
    QEMU is None or importlib.util.find_spec("ziglang") is None, reason="qemu-riscv32 or ziglang is not installed"
)
FAMILIES = {family.name: family for family in standard_families()}
WORKLOADS = {w.name: w for w in workloads()}
LINK = """ENTRY(_start)
PHDRS { text PT_LOAD; data PT_LOAD; external PT_LOAD; }
SECTIONS {
  . = 0x400000; .text : { *(.text*) } :text
  . = ALIGN(0x1000); .data : { *(.rodata*) *(.data*) } :data .bss : { *(.bss*) *(COMMON) } :data
  . = 0x20000000; .external (NOLOAD) : { *(.external) } :external
}
"""
HARNESS = """
    .globl _start
    .text
_start:
    la sp, stack
    li s2, 63                      # read standard input into the external memory
    li s3, 0
    call transfer
{arguments}
    call kernel
    li s2, 64                      # write it to standard output
    li s3, 1
    call transfer
    li a0, 0
    li a7, 93
    ecall
transfer:
    li s0, 0x20000000
    li s1, {size}
1:  mv a0, s3
    mv a1, s0
    mv a2, s1
    mv a7, s2
    ecall
    add s0, s0, a0
    sub s1, s1, a0
    bgtz s1, 1b
    ret
    .section .bss
    .p2align 4
    .zero 8192
stack:
    .zero 16
    .section .external,"aw",@nobits
    .zero {size}
"""


@pytest.mark.parametrize("config", ["C1"])
@pytest.mark.parametrize("task", TASKS)
def test_compiled_kernel_gives_the_golden_result_and_writes_nothing_else(task, config, tmp_path):
    place, workload = layout(task, config), WORKLOADS[f"{task}/{config}"]
    start = place.output.address - EXTERNAL
    size = start + place.output.size + 4096
    arguments = "\n".join(f"    li a{i}, {address}" for i, address in enumerate(place.arguments))
    (tmp_path / "link.ld").write_text(LINK, encoding="utf-8")
    (tmp_path / "start.S").write_text(HARNESS.format(arguments=arguments, size=size), encoding="utf-8")
    (tmp_path / "kernel.s").write_text(baseline.text(task, config), encoding="utf-8")
    made_by = build.compiler("ziglang")
    target = ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d")
    link = ("-nostdlib", "-static", "-mno-relax", "-T", "link.ld", "start.S", "kernel.s", "-o", "kernel.elf")
    subprocess.run([*made_by.command, *target, *link], cwd=tmp_path, check=True, capture_output=True)
    for family in workload.families:
        case = workload.draw(9, FAMILIES[family])
        memory = case.state["external"][EXTERNAL][:size].copy()
        command = [str(QEMU), "-cpu", "rv32,v=true,vlen=128,vext_spec=v1.0", str(tmp_path / "kernel.elf")]
        done = subprocess.run(command, input=memory.tobytes(), capture_output=True, check=True, timeout=60)
        memory[start : start + place.output.size] = case.goldens["exact"]["Y"].view(np.uint8).ravel()
        assert done.stdout == memory.tobytes(), family
