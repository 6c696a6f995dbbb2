"""Kernels that must score nothing on PLENA, each with the status it earns.

A cheat is a text, or a change to a kernel that is right; it is scored on every input family of its workload.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from attrs import evolve

from kernelcraft_core.evaluation import Evaluation, Evaluator, new_salt
from kernelcraft_core.plugins import registry
from kernelcraft_core.sim import Limits
from kernelcraft_core.tasks.catalogue import Catalogue

LOAD = """
S_ADDI_INT gp1, gp0, 256
C_SET_SCALE_REG gp1
H_PREFETCH_V gp0, gp0, a0, 0, 0
"""
"""Fetches X of the element-wise tasks in C1 to where the result belongs."""


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(Catalogue(registry()))


def right(evaluator: Evaluator, task: str, config: str, kind: str | None = None) -> str:
    """Return the text of a kernel that comes with the target."""
    catalogue = evaluator.catalogue
    return catalogue.kernel(catalogue.workload("plena", task, config), kind).source()


def score(evaluator: Evaluator, task: str, config: str, text: str, instructions: int | None = None) -> Evaluation:
    """Return the score on every family, within the workload's limits or a lower one that endless loops meet soon."""
    workload = evaluator.catalogue.workload("plena", task, config)
    if instructions is not None:
        workload = evolve(workload, limits=Limits(instructions=instructions))
    return evaluator.evaluate(workload, text, salt=new_salt(), draws=max(2, len(workload.families)))


def rows(count: int, body: str) -> str:
    """Return a loop over VRAM rows from 0 on; gp1 points at the row."""
    return f"S_ADDI_INT gp1, gp0, 0\nC_LOOP_START gp9, {count}\n{body}\nS_ADDI_INT gp1, gp1, 64\nC_LOOP_END gp9\n"


SILU_ROWS = "V_SUB_VF gp2, gp1, f0, 0, 1\nV_EXP_V gp2, gp2, 0\nV_ADD_VF gp2, gp2, f1, 0\nV_RECI_V gp2, gp2, 0\n"
SCRATCH = "S_ADDI_INT gp2, gp0, 4096\nS_LD_FP f1, gp0, 1\n"
WRITTEN = {
    # what it tries: (workload, text, status)
    "nothing at all": ("silu/C1", "", "mismatch"),
    "the input as the result": ("silu/C1", LOAD, "mismatch"),
    "zeros": ("silu/C1", LOAD + rows(4, "V_SUB_VV gp1, gp1, gp1, 0"), "mismatch"),
    "zeros for softmax: within the absolute tolerance on long rows": (
        "softmax/C5",
        "S_ADDI_INT gp3, gp0, 16384\nC_SET_SCALE_REG gp3\nH_PREFETCH_V gp0, gp0, a0, 0, 0\n"
        "V_SUB_VV gp4, gp0, gp0, 0\n" + rows(256, "V_SUB_VV gp1, gp4, gp4, 0"),
        "mismatch",
    ),
    "the same probability for all": (
        "softmax/C1",
        LOAD + "S_ADDI_INT gp4, gp0, 1024\nS_LD_FP f1, gp0, 1\nV_SUB_VV gp4, gp0, gp0, 0\nV_ADD_VF gp4, gp4, f1, 0\n"
        "V_RED_SUM f2, gp4\nS_RECI_FP f2, f2\n" + rows(4, "V_MUL_VF gp1, gp4, f2, 0"),
        "mismatch",
    ),
    "ones": (
        "silu/C1",
        LOAD + "S_LD_FP f1, gp0, 1\n" + rows(4, "V_SUB_VV gp1, gp1, gp1, 0\nV_ADD_VF gp1, gp1, f1, 0"),
        "mismatch",
    ),
    "NaN everywhere": (
        "silu/C1",
        LOAD + rows(4, "V_SUB_VV gp1, gp1, gp1, 0\nV_RECI_V gp1, gp1, 0\nV_SUB_VV gp1, gp1, gp1, 0"),
        "mismatch",
    ),
    "infinity everywhere": (
        "silu/C1",
        LOAD + rows(4, "V_SUB_VV gp1, gp1, gp1, 0\nV_RECI_V gp1, gp1, 0"),
        "mismatch",
    ),
    "half of it: x / 2 instead of x sigmoid(x)": (
        "silu/C1",
        LOAD + "S_LD_FP f1, gp0, 1\nS_ADD_FP f1, f1, f1\nS_RECI_FP f1, f1\n" + rows(4, "V_MUL_VF gp1, gp1, f1, 0"),
        "mismatch",
    ),
    "three of four rows": ("silu/C1", LOAD + SCRATCH + rows(3, SILU_ROWS + "V_MUL_VV gp1, gp2, gp1, 0"), "mismatch"),
    "48 of 64 lanes": (
        "silu/C1",
        LOAD
        + SCRATCH
        + "S_ADDI_INT gp3, gp0, 7\nC_SET_V_MASK_REG gp3\n"
        + rows(4, SILU_ROWS + "V_MUL_VV gp1, gp1, gp2, 1"),
        "mismatch",
    ),
    "the result beside its place": (
        "silu/C1",
        LOAD + SCRATCH + "S_ADDI_INT gp4, gp0, 256\n"
        "" + rows(4, SILU_ROWS + "V_MUL_VV gp4, gp2, gp1, 0\nS_ADDI_INT gp4, gp4, 64"),
        "mismatch",
    ),
    "the result, then the input over it": (
        "silu/C1",
        LOAD + SCRATCH + rows(4, SILU_ROWS + "V_MUL_VV gp1, gp2, gp1, 0") + LOAD,
        "mismatch",
    ),
    "the result in HBM only": (
        "silu/C1",
        LOAD + SCRATCH + "S_ADDI_INT gp4, gp0, 1024\nS_ADDI_INT gp5, gp0, 320\n"
        ""
        + rows(4, SILU_ROWS + "V_MUL_VV gp4, gp2, gp1, 0\nS_ADDI_INT gp4, gp4, 64")
        + "S_ADDI_INT gp4, gp0, 1024\nH_STORE_V gp4, gp5, a0, 0, 0",
        "mismatch",
    ),
    "what an earlier run may have left in VRAM": ("silu/C1", rows(4, "V_MUL_VF gp1, gp1, f0, 0"), "mismatch"),
    "a constant from FP_MEM that nothing defined": (
        "silu/C1",
        LOAD + "S_ADDI_INT gp2, gp0, 4096\nS_LD_FP f1, gp0, 5\n" + rows(4, SILU_ROWS + "V_MUL_VV gp1, gp2, gp1, 0"),
        "mismatch",
    ),
    "rows from HBM behind the input": (
        "silu/C1",
        "S_ADDI_INT gp1, gp0, 256\nC_SET_SCALE_REG gp1\nS_ADDI_INT gp1, gp0, 640\nH_PREFETCH_V gp0, gp1, a0, 0, 0",
        "mismatch",
    ),
    "scales taken for those of another tensor": (
        "silu/C1",
        "C_SET_SCALE_REG gp0\nH_PREFETCH_V gp0, gp0, a0, 0, 0\n"
        + SCRATCH
        + rows(4, SILU_ROWS + "V_MUL_VV gp1, gp2, gp1, 0"),
        "mismatch",
    ),
    "a wild read of HBM": (
        "silu/C1",
        "S_LUI_INT gp1, 262144\nH_PREFETCH_V gp0, gp1, a0, 0, 0",
        "trap",
    ),
    "a wild read of FP_MEM": ("silu/C1", "S_LD_FP f1, gp0, 1024", "trap"),
    "a row address between two rows": ("silu/C1", LOAD + "S_ADDI_INT gp1, gp0, 32\nV_EXP_V gp1, gp1, 0", "trap"),
    "a lane between two groups": (
        "gemm/C1",
        "S_ADDI_INT gp1, gp0, 258\nM_MM_WO gp1, gp0, 0",
        "trap",
    ),
    "weights that were never fetched": (
        "gemm/C1",
        LOAD + "S_ADDI_INT gp3, gp0, 256\nM_MM 0, gp0, gp0\nM_MM_WO gp3, gp0, 0",
        "mismatch",
    ),
    "a reserved encoding": ("silu/C1", ".word 0x00000034", "syntax_error"),
    "C_BREAK, which this machine does not have": ("silu/C1", "C_BREAK", "syntax_error"),
    "an instruction of the extension on the base machine": (
        "silu/C1",
        "V_SELECT_VVM gp1, gp2, gp3, gp4",
        "syntax_error",
    ),
    "a register that is not there": ("silu/C1", "S_LD_FP f8, gp0, 1", "syntax_error"),
    "loops without end": (
        "silu/C1",
        "C_LOOP_START gp1, 4194303\nC_LOOP_START gp2, 4194303\nS_ADDI_INT gp3, gp3, 1\nC_LOOP_END gp2\nC_LOOP_END gp1",
        "limit",
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_cheat_written_for_it_scores_nothing(evaluator: Evaluator, name: str) -> None:
    place, text, status = WRITTEN[name]
    task, config = place.split("/")
    found = score(evaluator, task, config, text, instructions=100_000)
    assert (found.status, found.speedup) == (status, None), found.diagnostics


def without(pattern: str, count: int = -1) -> Callable[[str], str]:
    """Return an edit that drops the lines with a mnemonic, the first `count` of them."""

    def edit(text: str) -> str:
        kept, left = [], count
        for line in text.splitlines():
            if line.strip().startswith(pattern) and left:
                left -= 1
                continue
            kept.append(line)
        assert len(kept) < len(text.splitlines()), f"no line starts with {pattern}"
        return "\n".join(kept)

    return edit


def swapped(old: str, new: str, count: int = -1) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, count)

    return edit


def up_to(share: float) -> Callable[[str], str]:
    """Return an edit that keeps the first part of a program without open loops."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        return "\n".join(lines[: int(share * len(lines))])

    return edit


EDITED: Sequence[tuple[str, str, str, Callable[[str], str], str]] = (
    # (what it tries, task, config, edit of a right kernel, status)
    ("the first two thirds of the product", "gemm", "C1", up_to(2 / 3), "mismatch"),
    (
        "the result over the input",
        "gemm",
        "C1",
        swapped("S_ADDI_INT gp6, gp0, 256", "S_ADDI_INT gp6, gp0, 0"),
        "mismatch",
    ),
    ("the transposed weight", "gemm", "C1", swapped("M_MM 0, gp2, gp3", "M_TMM 0, gp3, gp2", 1), "mismatch"),
    ("half of the depth", "gemm", "C2", without("M_MM 0", 200), "mismatch"),
    ("the write-outs left out: sums run on", "gemm", "C1", without("M_MM_WO", 3), "mismatch"),
    ("one batch less", "batch_matmul", "C1", swapped("C_LOOP_START gp8, 2", "C_LOOP_START gp8, 1"), "mismatch"),
    ("no bias", "linear", "C1", without("V_ADD_VV"), "mismatch"),
    ("no square root", "rmsnorm", "C1", without("S_SQRT_FP"), "mismatch"),
    ("no epsilon", "rmsnorm", "C1", without("S_ADD_FP f2, f2, f1"), "mismatch"),
    ("no epsilon", "layernorm", "C1", without("S_ADD_FP f5, f5, f1"), "mismatch"),
    ("no mean", "layernorm", "C1", swapped("V_SUB_VF gp2, gp1, f2, 0, 0", "V_SUB_VF gp2, gp1, f0, 0, 0"), "mismatch"),
    ("no gate", "swiglu", "C1", without("V_MUL_VV", 1), "mismatch"),
    ("softmax without the maximum: large rows overflow", "softmax", "C1", without("V_RED_MAX"), "mismatch"),
    ("softmax without the sum", "softmax", "C2", without("S_RECI_FP"), "mismatch"),
    ("rotation without the sine", "rope", "C1", without("V_ADD_VV"), "mismatch"),
    ("scores without their scale", "sdpa", "C2", without("V_MUL_VF", 1), "mismatch"),
    ("no softmax at all", "sdpa", "C1", without("V_EXP_V"), "mismatch"),
    ("flash attention without its correction", "flash_attention", "C4", without("S_EXP_FP"), "mismatch"),
)


@pytest.mark.parametrize(("name", "task", "config", "edit", "status"), EDITED, ids=[f"{e[1]}: {e[0]}" for e in EDITED])
def test_cheat_that_leaves_something_out_scores_nothing(
    evaluator: Evaluator, name: str, task: str, config: str, edit: Callable[[str], str], status: str
) -> None:
    found = score(evaluator, task, config, edit(right(evaluator, task, config)))
    assert (found.status, found.speedup) == (status, None), found.diagnostics


@pytest.mark.parametrize(
    ("task", "config", "of_task", "of_config"),
    [
        ("silu", "C2", "silu", "C1"),
        ("silu", "C1", "silu", "C2"),
        ("silu", "C1", "relu", "C1"),
        ("gelu", "C1", "silu", "C1"),
        ("relu", "C1", "silu", "C1"),
        ("layernorm", "C1", "rmsnorm", "C1"),
        ("gemm", "C1", "linear", "C1"),
        ("gemm", "C2", "gemm", "C3"),
        ("ffn", "C1", "swiglu", "C1"),
        ("mha", "C1", "sdpa", "C1"),
        ("gqa", "C1", "mha", "C1"),
    ],
)
def test_kernel_of_another_workload_scores_nothing(
    evaluator: Evaluator, task: str, config: str, of_task: str, of_config: str
) -> None:
    found = score(evaluator, task, config, right(evaluator, of_task, of_config))
    assert not found.passed
    assert found.status in ("mismatch", "trap")


@pytest.mark.parametrize("task", ["silu", "gelu"])
@pytest.mark.parametrize("config", ["C2", "C3", "C4", "C5"])
def test_published_kernel_that_leaves_rows_out_scores_nothing(evaluator: Evaluator, task: str, config: str) -> None:
    found = score(evaluator, task, config, right(evaluator, task, config, "published"))
    assert found.status == "mismatch"
    assert found.match_rate is not None
    assert found.match_rate < 0.75


@pytest.mark.parametrize(("doublings", "status"), [(3, "mismatch"), (4, "mismatch"), (7, "passed")])
def test_relu_by_a_sigmoid_passes_only_when_it_is_steep(evaluator: Evaluator, doublings: int, status: str) -> None:
    """x sigmoid(16 x) is not yet relu within the tolerance; x sigmoid(128 x) is."""
    steep = "S_LD_FP f2, gp0, 1\n" + "S_ADD_FP f2, f2, f2\n" * doublings + "S_SUB_FP f2, f0, f2\n"
    body = "V_MUL_VF gp2, gp1, f2, 0\nV_EXP_V gp2, gp2, 0\nV_ADD_VF gp2, gp2, f1, 0\nV_RECI_V gp2, gp2, 0\n"
    text = LOAD + SCRATCH + steep + rows(4, body + "V_MUL_VV gp1, gp2, gp1, 0")
    assert score(evaluator, "relu", "C1", text).status == status


TRANSFER_EDITS: Sequence[tuple[str, Callable[[str], str]]] = (
    ("the tokens as they are", lambda text: ""),
    ("no confidence", without("S_RECI_FP")),
    ("no choice of the most confident", without("V_TOPK_MASK")),
    ("no token stored", without("S_ST_INT")),
)


@pytest.mark.parametrize(("name", "edit"), TRANSFER_EDITS, ids=[e[0] for e in TRANSFER_EDITS])
def test_cheat_on_get_transfer_index_scores_nothing(
    evaluator: Evaluator, name: str, edit: Callable[[str], str]
) -> None:
    text = right(evaluator, "get_transfer_index", "C1")
    assert score(evaluator, "get_transfer_index", "C1", text).passed
    assert score(evaluator, "get_transfer_index", "C1", edit(text)).status in ("mismatch", "trap")
