"""Expert kernels of SiLU, GELU, softmax, norms: exact even where shortcuts could fail, not slower than the paper.

Undefined memory holds noise in all runs.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import kernelcraft_core as kc
from kc_coral import expert
from kc_coral.expert import root, softmax, tables
from kc_coral.shapes import CONFIGS, EXTERNAL, layout
from kc_coral.start import MPAUSE, wrap
from kc_coral.workloads.cases import FROZEN_IDS, case, frozen, memory, read_output, stray_store
from kc_coral.workloads.draws import exp_table
from kc_coral.workloads.families import FAMILIES
from kc_coral.workloads.goldens import golden
from kc_tasks.suite import published
from kernelcraft_core.tasks import standard_families

TASKS = ("silu", "gelu", "softmax", "layernorm", "rmsnorm")
NORMS = TASKS[3:]
CELLS = [(task, config) for task in TASKS for config in CONFIGS]
SMALL = [(task, config) for task in TASKS for config in ("C1", "C2")]
CODE_BYTES = 8192

TARGET = kc.target("coral")
"""One for all tests: it keeps what it made of a program."""


@cache
def assembled(task, config):
    return TARGET.assemble(wrap(layout(task, config), expert.program(task, config)))


def simulate(program, state):
    """Return a run that halted, from `state` and noise elsewhere."""
    result = TARGET.simulate(program, state, fill="pattern")
    assert result.status == "halted", result.trap
    return result


@cache
def run_frozen(task, config):
    return simulate(assembled(task, config), frozen(task, config).state)


def assert_exact(task, config, **changed):
    """Compare the kernel's result with the golden one, on the reference inputs with some of them changed."""
    place = layout(task, config)
    values = {**frozen(task, config).inputs}
    for name, array in changed.items():
        values[name] = np.asarray(array, values[name].dtype).reshape(values[name].shape)
    run = simulate(assembled(task, config), {"external": {EXTERNAL: memory(place, values)}})
    np.testing.assert_array_equal(read_output(place, run.state), golden(task, values, place))


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_on_the_reference_inputs_is_exact_and_stores_nothing_else(task, config):
    given, place = frozen(task, config), layout(task, config)
    state = run_frozen(task, config).state
    np.testing.assert_array_equal(read_output(place, state), given.goldens["exact"]["Y"])
    assert stray_store(place, given.state, state) is None
    assert 4 * len(assembled(task, config).words) <= CODE_BYTES


def best_published():
    """Return the fewest published cycles by cell; the paper has none for softmax C5."""
    rows = [row for row in published() if row.target == "coral" and (row.task, row.config) in CELLS]
    return {(r.task, r.config): min(s.cycles for s in rows if (s.task, s.config) == (r.task, r.config)) for r in rows}


@pytest.mark.parametrize(("task", "config"), [cell for cell in CELLS if cell != ("softmax", "C5")])
def test_kernel_takes_no_more_cycles_than_the_best_published_one(task, config):
    assert run_frozen(task, config).cycles <= best_published()[task, config]


@pytest.mark.parametrize(("task", "config"), SMALL)
def test_kernel_is_exact_on_every_family(task, config):
    place, families = layout(task, config), {family.name: family for family in standard_families()}
    for name in FAMILIES[task]:
        rng = np.random.Generator(np.random.PCG64(FROZEN_IDS[task]))
        given = case(task, place, rng, families[name])
        run = simulate(assembled(task, config), given.state)
        np.testing.assert_array_equal(read_output(place, run.state), given.goldens["exact"]["Y"], err_msg=name)


# ------------------------------------------------------------------------------------------------------ silu and gelu


@pytest.mark.parametrize("task", ["silu", "gelu"])
def test_every_byte_becomes_its_entry_of_the_table(task):
    assert_exact(task, "C1", x=np.tile(np.arange(-128, 128), 2))


@pytest.mark.parametrize(("scale", "message"), [(128, "no index of its own"), (256, "beyond 64 entries")])
def test_scale_that_spoils_the_corrections_is_refused(scale, message):
    with pytest.raises(ValueError, match=message):
        tables.corrections(lambda u: u / (1 + math.exp(u)), scale)


# ------------------------------------------------------------------------------------------------------------ softmax


def test_quotients_are_exact_for_every_term_and_sums_over_the_whole_range():
    """The scalar instructions run on the simulator; what the vector instructions do with m is repeated in numpy."""
    least, most = 2**15 + 63 * int(exp_table()[-1]), 64 * 2**15
    rng = np.random.default_rng(1)
    ends = [least, least + 1, 2**16 - 1, 2**16, 2**16 + 1, 2**20 - 1, 2**20, 2**20 + 1, most - 1, most]
    totals = np.concatenate([ends, rng.integers(least, most, 2000)])
    body = ["lw t0, 0(a0)", *(line for part in softmax.RECIPROCAL.values() for line in part), "sw t1, 0(a0)"]
    m = run_over_words(["li s4, -1", f"li s5, {255 << 7}"], body, totals)

    exact = 255 << 39  # over T
    excess = m.astype(object) * totals - exact
    assert (excess > 0).all()
    assert (excess <= 2 * totals).all()
    terms = np.concatenate([exp_table(), rng.integers(0, 2**15, 100)]).astype(np.int64)[:, None]
    scaled = (terms.astype(np.uint64) * m) >> 17
    assert (scaled < 2**32).all()
    fits = terms <= totals
    found = (scaled.astype(np.int64) + 2**21) >> 22
    np.testing.assert_array_equal(found[fits], ((255 * terms + totals // 2) // totals)[fits])


def test_rows_at_the_ends_of_the_sums_are_exact():
    rows = np.full((8, 64), -128)
    rows[0, 17] = 127  # the least sum
    rows[1] = 5  # the largest
    rows[2, ::2], rows[2, 1::2] = 127, 126
    rows[3, :32], rows[3, 32:] = 127, -128
    rows[4, 0], rows[4, 1:] = 0, -1
    rows[5] = np.arange(64)
    rows[6, 63] = -127
    rows[7] = np.arange(-128, 128, 4)
    assert_exact("softmax", "C2", x=rows)


# -------------------------------------------------------------------------------------------------------------- norms


def test_root_is_exact_for_every_variance():
    variances = np.arange(1, 2**14 + 1)
    body = ["lw t2, 0(a0)", *(line for line in root.ROOT_OF_VARIANCE if line != root.LOAD), "sw t0, 0(a0)"]
    found = run_over_words([], body, variances)
    assert found.tolist() == [math.isqrt(256 * int(v)) for v in variances]


def _variance(n: int, v: int) -> np.ndarray:
    """Return n bytes around 0 with a mean square that rounds to v."""
    x = np.zeros(n, np.int64)
    for i in range(n):
        if (np.sum(x * x) + n // 2) // n >= v:
            break
        x[i] = 5 if i % 2 else -5
    return x


@pytest.mark.parametrize("v", range(7))
@pytest.mark.parametrize("task", NORMS)
def test_small_variances_are_exact_for_every_gamma(task, v):
    gamma = np.roll(np.arange(-128, 128), 7 * v)
    assert_exact(task, "C1", x=_variance(256, v), gamma=gamma)


@pytest.mark.parametrize("task", NORMS)
@pytest.mark.parametrize("x", [-128, 127, 0, [-128, 127], [127, 126], [-1, 0, 0, 0], [0, 1, -1, 0]])
def test_norms_of_repeated_bytes_are_exact(task, x):
    values = np.resize(x, 512)
    assert_exact(task, "C2", x=values)
    values[100] = 11
    assert_exact(task, "C2", x=values)


@pytest.mark.parametrize("task", NORMS)
@pytest.mark.parametrize("x", [[63], [-63], [-45, 44], [-31, -32, 32]])
def test_few_large_values_among_zeros_are_exact_for_a_variance_of_zero(task, x):
    values = np.zeros(8192, np.int8)
    values[5 : 5 + 600 * len(x) : 600] = x
    gamma = np.resize(np.arange(-128, 128), 8192)
    gamma[5::600] = [1, -1, 64, 127, -128, 2, 0] * 2
    assert_exact(task, "C5", x=values, gamma=gamma)


def run_over_words(first, body, words):
    """Return what a loop over the words at a0 makes of them: (n,) uint64.

    Args:
        first: statements before the loop.
        body: statements of the loop, which keep a0 and a1.
        words: below 2**32.
    """
    loop = ["1:", *body, "addi a0, a0, 4", "bltu a0, a1, 1b", f".word {MPAUSE:#x}", "j ."]
    start = [f"li a0, {EXTERNAL}", f"li a1, {EXTERNAL + 4 * len(words)}"]
    program = TARGET.assemble("\n".join([*first, *start, *loop]))
    data = np.asarray(words, "<u4").tobytes()
    result = simulate(program, {"external": {EXTERNAL: np.frombuffer(data, np.uint8)}})
    return np.asarray(result.state["external"].at(EXTERNAL, len(data)), np.uint8).view("<u4").astype(np.uint64)
