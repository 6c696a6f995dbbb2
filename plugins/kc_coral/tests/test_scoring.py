"""Scoring on Coral: the start stub, findings on the kernel's own lines, and stores that the ABI forbids."""

from __future__ import annotations

import re

import pytest

from kernelcraft_core.evaluation import Evaluator, new_salt
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks import Workload
from kernelcraft_core.tasks.catalogue import Catalogue


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(Catalogue(registry()))


@pytest.fixture(scope="module")
def workload(evaluator: Evaluator) -> Workload:
    return evaluator.catalogue.workload("coral", "relu", "C1")


def right(evaluator: Evaluator, workload: Workload) -> str:
    return evaluator.catalogue.kernel(workload).source()


def test_right_kernel_that_also_writes_over_its_input_fails(evaluator: Evaluator, workload: Workload) -> None:
    """The result is exact; the first input byte is changed before the kernel returns."""
    text = right(evaluator, workload)
    before = "kernel: mv s11, ra\n call inner\n"
    after = " li t6, 0x20000000\n lbu t5, 0(t6)\n xori t5, t5, 1\n sb t5, 0(t6)\n jr s11\n"
    spoiled = before + after + re.sub(r"\bkernel\b", "inner", text)
    assert evaluator.evaluate(workload, text, salt=new_salt()).passed
    score = evaluator.evaluate(workload, spoiled, salt=new_salt())
    assert score.match_rate == 1.0
    assert score.status == "mismatch"
    assert score.diagnostics[-1].code == "KC0611"
    assert "0x20000000" in score.diagnostics[-1].message


def test_right_kernel_that_also_writes_to_reserved_bytes_fails(evaluator: Evaluator, workload: Workload) -> None:
    """The top 256 bytes of the DTCM are not the kernel's, whatever it writes there."""
    for address, passes in ((0x17EFC, True), (0x17F00, False), (0x17FFF, False)):
        before = f"kernel: mv s11, ra\n call inner\n li t6, {address:#x}\n sb zero, 0(t6)\n jr s11\n"
        text = before + re.sub(r"\bkernel\b", "inner", right(evaluator, workload))
        score = evaluator.evaluate(workload, text, salt=new_salt())
        assert score.passed is passes
        assert passes or (score.diagnostics[-1].code, f"{address:#x}" in score.diagnostics[-1].message) == (
            "KC0611",
            True,
        )


def test_finding_names_the_line_of_the_kernels_own_text(evaluator: Evaluator, workload: Workload) -> None:
    score = evaluator.evaluate(workload, "kernel:\n  nop\n  vaddd.vv v1, v2, v3\n  ret\n", filename="k.s")
    assert score.status == "syntax_error"
    assert [(d.file, d.line) for d in score.diagnostics] == [("k.s", 3)]


def test_text_without_the_label_kernel_says_what_is_missing(evaluator: Evaluator, workload: Workload) -> None:
    (found,) = evaluator.evaluate(workload, "# nothing\nloop: ret\n", salt=new_salt()).diagnostics
    assert "'kernel' is not defined" in found.message
    assert "define this label" in (found.hint or "")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("kernel: ret", "mismatch"),
        ("kernel: ebreak", "trap"),
        ("kernel: j kernel", "limit"),
        ("kernel: vsetvli t0, zero, e8, m8\n vadd.vv v1, v8, v16\n ret", "trap"),
        ("kernel: lw t0, 0(zero)\n sw t0, 0(zero)\n ret", "trap"),
        ("nothing: ret", "syntax_error"),
        ("kernel: fadd.s f0, f1, f2", "syntax_error"),
    ],
)
def test_kernel_that_computes_nothing_scores_nothing(
    evaluator: Evaluator, workload: Workload, text: str, status: str
) -> None:
    assert evaluator.evaluate(workload, text, salt=new_salt()).status == status
