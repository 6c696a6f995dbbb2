"""Expert kernels: right on every input family, their cycles, and how these compare with the published ones.

Cycles do not depend on data. Undefined memory holds noise in all runs.
"""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelcraft_core as kc
from kc_plena.baseline.blocks import LANES
from kc_plena.baseline.emitter import Emitter
from kc_plena.expert import CONFIGS, TASKS, program
from kc_plena.expert.blocks import quads
from kc_plena.expert.selection import move_rows
from kc_plena.shapes import layout
from kc_plena.workloads import workloads
from kernelcraft_core.evaluation.compare import compare
from kernelcraft_core.tasks.families import standard_families

FAMILY = {family.name: family for family in standard_families()}
WORKLOADS = {(w.task, w.config): w for w in workloads()}

CYCLES = {
    "silu": (65, 255, 496, 1_690, 3_283),
    "relu": (60, 226, 435, 1_437, 2_774),
    "gelu": (66, 256, 497, 1_691, 3_284),
    "softmax": (107, 372, 733, 2_066, 3_784),
    "layernorm": (139, 418, 819, 2_433, 4_762),
    "rmsnorm": (95, 294, 567, 1_669, 3_230),
    "gemv": (1_708, 3_341, 7_090, 14_168, 29_543),
    "gemm": (506, 2_655, 4_487, 9_252, 17_571),
    "batch_matmul": (1_016, 8_580, 32_420, 149_481, 591_436),
    "linear": (560, 2_754, 4_731, 9_693, 19_239),
    "ffn": (1_848, 8_031, 16_248, 35_159, 80_213),
    "swiglu": (2_656, 11_276, 22_916, 48_905, 110_215),
    "rope": (1_098, 3_264, 3_264, 6_179, 14_646),
}
"""Task -> cycles of C1 to C5."""

PUBLISHED = {
    "silu": (75, 277, 532, 2_151, 4_217),
    "relu": (95, 269, None, None, None),
    "gelu": (73, 262, 567, 2_448, 4_532),
    "softmax": (117, 429, 862, 3_293, 4_998),
    "layernorm": (154, 536, 1_056, 4_051, 7_865),
    "rmsnorm": (105, 350, 688, 2_801, 5_122),
    "gemv": (2_251, 3_366, 7_249, 15_529, 31_201),
    "gemm": (1_308, 9_034, 35_248, 149_776, 556_524),
    "batch_matmul": (2_602, None, None, 2_255_773, None),
    "linear": (1_382, 9_325, 35_251, None, 562_768),
    "ffn": (5_055, None, 141_556, 557_836, 2_432_184),
    "swiglu": (7_484, None, 215_500, 861_279, 3_353_934),
}
"""Fewest cycles of any agent's kernel. Source: KernelCraft, arXiv 2603.08721, table 15."""


@pytest.fixture(scope="module")
def plena():
    return kc.target("plena")


@lru_cache(maxsize=8)
def _assembled(task: str, config: str):
    return kc.target("plena").assemble(program(task, config), filename=f"{task}.asm")


def _run(plena, task: str, config: str, seed: int, family: str):
    workload = WORKLOADS[task, config]
    case = workload.draw(seed, FAMILY[family])
    run = plena.simulate(_assembled(task, config), state=case.state, fill="pattern", seed=seed, strict=True)
    assert run.status == "halted", run.trap
    return workload, case, run


def _passes(workload, case, run) -> bool:
    results = {output.name: output.read(run.state) for output in workload.outputs}
    return compare(results, case.goldens, workload.tolerance).passed


TABLE = [(task, config, cycles) for task in CYCLES for config, cycles in zip(CONFIGS, CYCLES[task], strict=True)]
SMALL = [row for row in TABLE if row[1] in ("C1", "C2", "C3") and row[:2] != ("batch_matmul", "C3")]
LARGE = [row for row in TABLE if row not in SMALL and row[:2] != ("batch_matmul", "C5")]


@pytest.mark.parametrize(("task", "config", "cycles"), SMALL)
def test_small_configuration_is_right_on_every_family_and_as_fast_as_known(plena, task, config, cycles):
    for number, family in enumerate(WORKLOADS[task, config].families):
        for seed in (1, 2) if family == "standard" else (number,):
            workload, case, run = _run(plena, task, config, seed, family)
            assert _passes(workload, case, run), (family, seed)
            assert run.cycles == cycles


@pytest.mark.parametrize(("task", "config", "cycles"), LARGE)
def test_large_configuration_is_right_and_as_fast_as_known(plena, task, config, cycles):
    workload, case, run = _run(plena, task, config, 3, "standard")
    assert _passes(workload, case, run)
    assert run.cycles == cycles


@pytest.mark.parametrize("family", ["large", "negative", "offset_negative"])
def test_softmax_without_a_maximum_is_right_for_any_size(plena, family):
    assert _passes(*_run(plena, "softmax", "C5", 1, family))


def test_largest_batch_is_as_fast_as_known(plena):
    state = {"hbm": {0: bytes(layout("batch_matmul", "C5").hbm_bytes)}, "fp_mem": [0.0]}
    run = plena.simulate(_assembled("batch_matmul", "C5"), state=state)
    assert run.cycles == CYCLES["batch_matmul"][-1]


def test_no_kernel_is_slower_than_the_best_published_one():
    for task, published in PUBLISHED.items():
        for config, best, ours in zip(CONFIGS, published, CYCLES[task], strict=True):
            assert best is None or ours < best, (task, config)


@pytest.mark.parametrize("config", ["C2", "C4"])
@pytest.mark.parametrize("task", ["softmax", "layernorm", "rmsnorm"])
def test_rows_of_zeros_give_the_limit(plena, task, config):
    """A row of zeros has no variance, and its softmax is flat; nothing becomes infinite or NaN."""
    workload, place = WORKLOADS[task, config], layout(task, config)
    state = {"hbm": {0: bytes(place.hbm_bytes)}, "fp_mem": list(place.fp_mem)}
    run = plena.simulate(_assembled(task, config), state=state, fill="pattern", strict=True)
    (output,) = workload.outputs
    expected = 1 / place.shape[1] if task == "softmax" else 0.0
    assert (output.read(run.state) == expected).all()


@st.composite
def _moves(draw) -> dict[int, int]:
    """Targets, each with a source of its own: some closed chains, some open ones, some rows that stay."""
    rows = draw(st.integers(1, 24))
    targets = draw(st.lists(st.integers(0, rows - 1), unique=True, max_size=rows))
    sources = draw(st.permutations(range(rows)))
    return dict(zip(targets, sources, strict=False))


@given(_moves())
@settings(deadline=None)
def test_moves_act_as_if_all_at_once(moves):
    asm = Emitter("moves")
    move_rows(asm, moves, "gp6")
    spare = 1 << 16
    registers = {"gp6": 6_400, "gp10": spare}
    rows: dict[int, int] = {}
    for line in asm.text().splitlines()[1:]:
        mnemonic, first, second, third, *_ = line.replace(",", "").split()
        if mnemonic == "S_ADDI_INT":
            registers[first] = registers[second] + int(third)
        else:
            rows[registers[first]] = rows.get(registers[second], (registers[second] - 6_400) // LANES)
    rows.pop(spare, None)
    moved = {target: source for target, source in moves.items() if target != source}
    assert {(address - 6_400) // LANES: held for address, held in rows.items()} == moved


@pytest.mark.parametrize("rows", [4, 8, 16, 32, 64])
def test_quads_cover_every_row_once(rows):
    covered = [row for quad in quads(rows) for row in quad.rows]
    assert sorted(covered) == list(range(rows))


def test_quads_refuse_spacings_that_leave_rows_out():
    with pytest.raises(ValueError, match="do not cover 12 rows"):
        list(quads(12))
    with pytest.raises(ValueError, match="do not cover 32 rows"):
        list(quads(32, (7,)))


@pytest.mark.parametrize("task", TASKS)
def test_text_is_deterministic_and_of_reasonable_size(task):
    for config in ("C1", "C5"):
        text = program(task, config)
        assert text == program(task, config)
        assert text.isascii()
        assert text.count("\n") < 4_000
        assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(("args", "message"), [(("conv2d", "C1"), "'conv2d'"), (("silu", "C6"), "'C6'")])
def test_unknown_names_are_refused(args, message):
    with pytest.raises(ValueError, match=message):
        program(*args)


def test_import_is_light():
    code = "import sys, kc_plena.expert; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
