"""Edges of HBM transfers and of counted operations: blocks, memory ends, lengths.

Source of the rules: AICrossSim/PLENA at ecd5acb, behavioral_simulator; for dllm branch gm/dllm at c5c74f6.
"""

from __future__ import annotations

import numpy as np
import pytest

import kernelcraft_core as kc

ONE, TWO = 0x38, 0x80  # 1.0 as an element, 2.0 as a scale
FETCH = "H_PREFETCH_V gp0, gp0, a0, 0, 0"
STORE = "H_STORE_V gp0, gp0, a1, 0, 0"


@pytest.mark.parametrize("scale", range(512, 577))
def test_scales_past_the_end_of_their_block_read_as_zero(plena, scale):
    """Four contiguous rows: row i has its scales from scale + 8 i, but only as far as that 64-byte block goes."""
    hbm = {0: bytes([ONE] * 256), 512: bytes([TWO] * 192)}
    rows = plena.simulate(plena.assemble(FETCH), {"hbm": hbm, "scale": scale}).state["vram"][:4]
    for i in range(4):
        start = scale + 8 * i
        inside = [block for block in range(8) if (start % 64) + block < 64]
        expected = [2.0 if lane // 8 in inside else 0.0 for lane in range(64)]
        assert rows[i].tolist() == expected, (i, start)


@pytest.mark.parametrize("scale", [4096, 4097, 4100, 4121, 4127])
def test_stored_scales_stay_inside_their_block(plena, scale):
    hbm = {4096: bytes([0xAA] * 192)}
    vram = np.ones((4, 64), np.float32)
    result = plena.simulate(plena.assemble(STORE), {"hbm": hbm, "vram": vram, "scale": scale})
    got = result.state["hbm"][4096:4288].tolist()
    expected = [0xAA] * 192
    for i in range(4):
        start = scale + 8 * i
        for byte in range(8):
            if start % 64 + byte < 64:
                expected[start + byte - 4096] = 0x7F
    assert got == expected
    assert result.state["hbm"][:256].tolist() == [ONE] * 256


@pytest.mark.parametrize(("rows", "written"), [(8, 4), (6, 2), (5, 1)])
def test_rows_past_the_end_of_the_vector_sram_are_dropped(rows, written):
    target = kc.target("plena", overrides={"VECTOR_SRAM_SIZE": rows})
    text = "S_ADDI_INT gp1, gp0, 256\nH_PREFETCH_V gp1, gp0, a0, 0, 0"
    state = {"hbm": {0: bytes([ONE] * 256), 256: bytes([TWO] * 64)}, "scale": 256}
    result = target.simulate(target.assemble(text), state)
    assert result.status == "halted", result.trap
    assert result.state["vram"][4:].tolist() == [[2.0] * 64] * written


def test_a_transfer_that_begins_past_the_end_traps():
    target = kc.target("plena", overrides={"VECTOR_SRAM_SIZE": 4})
    result = target.simulate(target.assemble("S_ADDI_INT gp1, gp0, 256\nH_PREFETCH_V gp1, gp0, a0, 0, 0"))
    assert (result.status, result.trap.kind, result.trap.line) == ("trap", "out_of_bounds", 2)


@pytest.mark.parametrize("engine", ["closures", "generated"])
@pytest.mark.parametrize(
    ("text", "length", "ends"),
    [
        ("S_MAP_V_FP gp1, gp0, 0, gp6", 64, "halted"),
        ("S_MAP_V_FP gp1, gp0, 0, gp6", 65, "illegal_operands"),
        ("V_TOPK_MASK gp1, gp2, gp3, gp6, gp6", 64, "halted"),
        ("V_TOPK_MASK gp1, gp2, gp3, gp6, gp6", 65, "illegal_operands"),
        ("S_SELECT_INT gp0, gp0, gp0, gp2, gp6", 64, "halted"),
        ("S_SELECT_INT gp0, gp0, gp0, gp2, gp6", 65, "illegal_operands"),
    ],
)
def test_a_length_beyond_a_row_traps(dllm, engine, text, length, ends):
    program = dllm.assemble(text)
    result = dllm.simulate(program, {"gp": {1: 64, 2: 128, 3: 192, 6: length}}, engine=engine)
    assert (result.trap.kind if result.trap else result.status) == ends


@pytest.mark.parametrize("offset", [1, 2, 64, 128, 255, 257, 4095])
def test_every_wrong_row_offset_of_m_tmm_traps(plena, offset):
    result = plena.simulate(plena.assemble("M_TMM 0, gp0, gp1"), {"gp": {1: 4096 + offset}})
    assert (result.status, result.trap.kind) == ("trap", "illegal_operands")


@pytest.mark.parametrize("offset", [1, 2, 3, 5, 62, 64, 65, 256, 4095])
def test_every_wrong_column_offset_of_m_mm_traps(plena, offset):
    result = plena.simulate(plena.assemble("M_MM 0, gp1, gp0"), {"gp": {1: 4096 + offset}})
    assert (result.status, result.trap.kind) == ("trap", "illegal_operands")
