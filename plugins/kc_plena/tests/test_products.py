"""Matrix products that are kept: a store of them may be given up at any time without a trace in the result."""

from __future__ import annotations

import numpy as np
import pytest


def accumulated(target, text, state):
    result = target.simulate(target.assemble(text), state)
    assert result.status == "halted", result.trap
    return result.state["m_acc"].tolist()


@pytest.mark.parametrize("most", [1, 3])
def test_products_that_were_given_up_are_made_again(plena, monkeypatch, most):
    rng = np.random.default_rng(5)
    state = {"mram": {t: rng.standard_normal((64, 64)) for t in range(2)}, "vram": rng.standard_normal((16, 64))}
    text = "\n".join(
        f"S_ADDI_INT gp1, gp0, {4096 * t + c}\nS_ADDI_INT gp2, gp0, {v}\nM_MM 0, gp1, gp2"
        for c in (0, 8, 60)
        for t in range(2)
        for v in (0, 256, 512)
    )
    expected = accumulated(plena, text, state)
    monkeypatch.setattr("kc_plena.primitives.matrix.MOST_PRODUCTS", most)
    assert accumulated(plena, text, state) == expected


def test_a_written_row_or_tile_is_multiplied_anew(plena):
    rng = np.random.default_rng(6)
    rows, image = rng.standard_normal((8, 64)), rng.integers(0, 112, 8192, np.uint8)
    state = {"mram": {0: rng.standard_normal((64, 64))}, "vram": rows, "hbm": image, "scale": 4096, "fp_mem": [0, 2.0]}
    product = "M_MM 0, gp0, gp0\n"
    double = "S_LD_FP f1, gp0, 1\nS_ADDI_INT gp1, gp0, 128\nV_MUL_VF gp1, gp1, f1\n"  # row 2 of the four
    fetch = "H_PREFETCH_M gp0, gp0, a0, 0, 0\n"
    for change, after in ((double, state | {"vram": accumulated_rows(plena, double, state)}), (fetch, None)):
        once = accumulated(plena, change + product, state)
        both = np.array(accumulated(plena, product + change + product, state), np.float32)
        first = np.array(accumulated(plena, product, state), np.float32)
        assert both.tolist() == (first + np.array(once, np.float32)).tolist()
        assert once != first.tolist()
        if after is not None:
            assert accumulated(plena, product, after) == once


def accumulated_rows(target, text, state):
    return np.asarray(target.simulate(target.assemble(text), state).state["vram"][:8])
