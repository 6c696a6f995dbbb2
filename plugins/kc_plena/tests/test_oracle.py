"""Small programs with known outcomes: numerics, memory layout, cycles, traps.

The expected values were worked out with a model written from the emulator's behaviour, not with this project's engine.
Source: AICrossSim/PLENA at ecd5acb (behavioral_simulator), for dllm branch gm/dllm at c5c74f6;
KernelCraft, arXiv 2603.08721, sections G and I. `trap.pc` counts instructions.
"""

from __future__ import annotations

import numpy as np
import pytest

import kernelcraft_core as kc

INF = float("inf")


def run(target, text: str, **state):
    """Run a program that must halt."""
    result = target.simulate(target.assemble(text), state=state)
    assert result.status == "halted", result.trap
    return result


def vram(result, first: int, rows: int = 1) -> np.ndarray:
    """Return VRAM rows as float32 [rows, 64]."""
    return np.asarray(result.state["vram"][first : first + rows], np.float32)


def tile(result, index: int) -> np.ndarray:
    """Return an MSRAM tile as float32 [64, 64]."""
    return np.asarray(result.state["mram"][index : index + 1], np.float32)[0]


def hbm(result, address: int, size: int) -> list[int]:
    """Return HBM bytes."""
    return np.asarray(result.state["hbm"][address : address + size]).tolist()


def bf16_bits(values) -> list[int]:
    """Return the bfloat16 words of float32 values, which must be exact in bfloat16."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    assert not (bits & 0xFFFF).any()
    return (bits >> 16).ravel().tolist()


def half_bits(values) -> list[int]:
    """Return the binary16 words of scalar registers or FP_MEM."""
    return np.asarray(values).astype(np.float16).view(np.uint16).ravel().tolist()


def bf16(values) -> np.ndarray:
    """Round finite float32 values to the nearest bfloat16, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def row(*values: float, at: int = 0) -> np.ndarray:
    """Return a VRAM row with values from lane `at` on, zero elsewhere."""
    lanes = np.zeros(64, np.float32)
    lanes[at : at + len(values)] = values
    return lanes


def hexes(text: str) -> list[int]:
    """Return the numbers of a blank-separated hexadecimal listing."""
    return [int(word, 16) for word in text.split()]


# ---- HBM transfers --------------------------------------------------------------------------------------------------


def test_strided_vector_prefetch_dequantises(plena):
    r, c = np.mgrid[0:4, 0:128]
    image = np.concatenate([(0x38 + (r + c) % 8).ravel(), 0x7F + np.arange(64) % 4]).astype(np.uint8)
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 512
        C_SET_SCALE_REG gp1
        S_ADDI_INT gp2, gp0, 128
        C_SET_STRIDE_REG gp2
        S_ADDI_INT gp3, gp0, 256
        S_ADDI_INT gp4, gp0, 64
        H_PREFETCH_V gp3, gp4, a0, 1, 0
        """,
        hbm=image,
    )
    rows = vram(result, 4, 4)
    assert rows[0, :10].tolist() == [1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875, 2, 2.25]
    assert rows[0, 62:].tolist() == [14, 15]
    assert rows[1, :10].tolist() == [1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875, 1, 2.25, 2.5]
    assert rows[:, 63].tolist() == [15, 8, 9, 10]
    assert bf16_bits(rows[0, :4]) == [0x3F80, 0x3F90, 0x3FA0, 0x3FB0]
    assert rows.sum(axis=1).tolist() == [345] * 4
    assert not vram(result, 0, 4).any()
    assert not vram(result, 8).any()
    assert result.cycles == 38


@pytest.mark.parametrize(("rstride", "cycles"), [(1, 153), (0, 219)], ids=["strided", "contiguous"])
def test_tile_prefetch(plena, rstride, cycles):
    image = np.zeros(8192 + 1024, np.uint8)
    image[np.arange(64) * 128 + np.arange(64)] = 0x38
    image[8192:] = 0x80
    result = run(
        plena,
        f"""
        S_ADDI_INT gp1, gp0, 8192
        C_SET_SCALE_REG gp1
        S_ADDI_INT gp2, gp0, 128
        C_SET_STRIDE_REG gp2
        S_ADDI_INT gp3, gp0, 4096
        H_PREFETCH_M gp3, gp0, a0, {rstride}, 0
        """,
        hbm=image,
    )
    expected = np.zeros((64, 64), np.float32)
    if rstride:
        np.fill_diagonal(expected, 2)
    else:
        expected[np.arange(32) * 2, np.arange(32)] = 2
    np.testing.assert_array_equal(tile(result, 1), expected)
    assert result.cycles == cycles


STORE_ROW = (1, -0.5, 0.3125, 1.9, -2, 0.011, 3.7, -0.0263671875, *[0] * 8) + (
    (1.0625, 1.09375, 1.1875, 1.3125, 1.328125, 1.96875, 1, -1.328125) + (0.001,) * 8 + (300, -300, 1, 2, 3, 4, 5, 6)
)
STORED = hexes("""
    30 a8 22 37 b8 06 3f 87  00 00 00 00 00 00 00 00  39 39 3a 3b 3b 3f 38 bb
    38 38 38 38 38 38 38 38  39 b9 04 07 07 08 0a 0c""")
SCALES = ("80 00 7f 75 87 00 00 00", "81 00 80 76 88 00 00 00", "82 00 81 77 89 00 00 00", "83 00 82 78 8a 00 00 00")
READ_BACK = (1, -0.5, 0.3125, 1.875, -2, 0.01171875, 3.75, -0.013671875, *[0] * 8) + (
    (1.125, 1.125, 1.25, 1.375, 1.375, 1.875, 1, -1.375) + (0.0009765625,) * 8 + (288, -288, 1, 1.75, 1.75, 4, 5, 6)
)


def test_store_quantises_and_reads_back(plena):
    values = bf16(row(*STORE_ROW))
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 512
        C_SET_SCALE_REG gp1
        S_ADDI_INT gp2, gp0, 128
        C_SET_STRIDE_REG gp2
        S_ADDI_INT gp4, gp0, 4096
        C_SET_ADDR_REG a1, gp0, gp4
        S_ADDI_INT gp5, gp0, 64
        H_STORE_V gp0, gp5, a1, 1, 0
        S_ADDI_INT gp6, gp0, 256
        H_PREFETCH_V gp6, gp5, a1, 1, 0
        """,
        vram={i: 2**i * values for i in range(4)},
    )
    for i in range(4):
        assert hbm(result, 4160 + 128 * i, 64) == STORED + [0] * 24
        assert hbm(result, 4616 + 16 * i, 8) == hexes(SCALES[i])
    np.testing.assert_array_equal(vram(result, 4, 4), [2**i * row(*READ_BACK) for i in range(4)])
    assert result.cycles == 55
    assert bf16_bits(vram(result, 4)[0, :8]) == hexes("3F80 BF00 3EA0 3FF0 C000 3C40 4070 BC60")


def test_store_rounds_half_away_from_zero(plena):
    values = (1.0, 1.0625, 1.0859375, 1.09375, 1.1875, 1.3125, 1.328125, 1.9375)
    values += (1.96875, -1.0625, 0.015625, 0.01171875, 0.0078125, 0.00390625, 0.000396728515625, -0.000396728515625)
    text = "S_ADDI_INT gp1, gp0, 256\nC_SET_SCALE_REG gp1\nH_STORE_V gp0, gp0, a0, 0, 0"
    result = run(plena, text, vram={0: row(*values)}, hbm=np.full(320, 0xEE, np.uint8))
    assert hbm(result, 0, 16) == hexes("38 39 39 39 3A 3B 3B 3F 3F B9 08 07 07 04 00 80")
    assert hbm(result, 16, 240) == [0] * 240
    assert hbm(result, 256, 64) == [0x7F, 0x7F] + [0] * 30 + [0xEE] * 32


def test_element_format_has_its_own_subnormals(plena):
    codes = [0x00, 0x01, 0x07, 0x08, 0x38, 0x77, 0xB8, 0x87]
    image = np.zeros(512, np.uint8)
    image[:8], image[256] = codes, 0x7F
    result = run(plena, "S_ADDI_INT gp1, gp0, 256\nC_SET_SCALE_REG gp1\nH_PREFETCH_V gp0, gp0, a0, 0, 0", hbm=image)
    expected = [0, 2**-10, 0.0068359375, 2**-6, 1, 240, -1, -0.0068359375]
    assert vram(result, 0)[0, :8].tolist() == expected
    assert not vram(result, 0)[0, 8:].any(), "a scale byte of 0 decodes to 0"


# ---- matrix unit ----------------------------------------------------------------------------------------------------


def _small_tile() -> np.ndarray:
    k, n = np.mgrid[0:64, 0:64]
    return np.where((k < 8) & (n < 8), k + 2 * n, 0).astype(np.float32)


SMALL = {"mram": {0: _small_tile()}, "vram": {i: row(i + 1, 1) for i in range(4)}}


def test_m_mm_and_m_tmm_accumulate_and_write_lanes(plena):
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 4
        S_ADDI_INT gp2, gp0, 260
        M_MM 0, gp1, gp0              ; tile columns 4..7
        M_MM_WO gp2, gp0, 0           ; rows 4..7, lanes 4..7
        S_ADDI_INT gp1, gp0, 256
        S_ADDI_INT gp3, gp0, 512
        M_TMM 0, gp0, gp1             ; tile rows 4..7
        M_TMM 0, gp0, gp1
        M_MM_WO gp3, gp0, 8           ; rows 8..11, lanes 8..11
        """,
        **SMALL,
    )
    first = [[17, 21, 25, 29], [25, 31, 37, 43], [33, 41, 49, 57], [41, 51, 61, 71]]
    second = [[20, 24, 28, 32], [28, 34, 40, 46], [36, 44, 52, 60], [44, 54, 64, 74]]
    np.testing.assert_array_equal(vram(result, 4, 4), [row(*lanes, at=4) for lanes in first])
    np.testing.assert_array_equal(vram(result, 8, 4), [row(*lanes, at=8) for lanes in second])
    assert not np.asarray(result.state["m_acc"]).any()
    assert result.cycles == 198


def test_m_mm_accumulates_in_fp32(plena):
    small = np.zeros((64, 64), np.float32)
    small[:3, 0] = 256, 0.5, 1
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 256
        S_ADDI_INT gp2, gp0, 512
        M_MM 0, gp0, gp0              ; row 0: 256 + 1.5
        M_MM 0, gp0, gp1              ; row 0: + 1
        M_MM_WO gp2, gp0, 0
        """,
        mram={0: small},
        vram={0: row(1, 3), 1: row(1, at=2), 4: row(1, at=2)},
    )
    assert bf16_bits(vram(result, 8)[0, :1]) == [0x4381]
    np.testing.assert_array_equal(vram(result, 8, 4), [row(258), row(1), row(), row()])
    assert result.cycles == 131


def test_m_mm_wo_with_a_row_step(plena):
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 512
        S_ADDI_INT gp3, gp0, 4
        M_MM 0, gp0, gp0
        M_MM_WO gp1, gp3, 0
        """,
        **SMALL,
    )
    expected = np.zeros((16, 64), np.float32)
    expected[::4, :4] = [[1, 5, 9, 13], [1, 7, 13, 19], [1, 9, 17, 25], [1, 11, 21, 31]]
    np.testing.assert_array_equal(vram(result, 8, 16), expected)
    assert result.cycles == 67


def test_m_mv_and_m_tmv(plena):
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 64
        M_MV 0, gp0, gp0
        M_MV_WO gp1, 0
        M_TMV 0, gp0, gp0
        M_TMV 0, gp1, gp0
        S_ADDI_INT gp2, gp0, 128
        M_MV_WO gp2, 0
        """,
        **SMALL,
    )
    np.testing.assert_array_equal(vram(result, 1)[0], row(1, 5, 9, 13, 17, 21, 25, 29))
    np.testing.assert_array_equal(vram(result, 2)[0], row(1176, 1296, 1424, 1544, 1664, 1792, 1912, 2032))
    assert result.cycles == 196


def test_m_btmm_multiplies_four_heads(plena):
    keys = np.zeros((64, 64), np.float32)
    keys[:, 16], keys[:, 17] = np.arange(64), 1
    queries = {}
    for i in range(64):
        queries[4 * i] = row()
        for head in range(4):
            queries[4 * i][16 * head : 16 * head + 2] = i % 4 + head, 2
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 16
        M_BTMM 0, gp1, gp0
        S_ADDI_INT gp2, gp0, 32768
        M_BMM_WO gp2, 0
        """,
        mram={0: keys},
        vram=queries,
    )
    scores = vram(result, 512, 256).reshape(4, 64, 64)
    head, i, j = np.mgrid[0:4, 0:64, 0:64]
    np.testing.assert_array_equal(scores, bf16(0.25 * ((i % 4 + head) * j + 2)))
    known = {(0, 0, 0): 0.5, (0, 1, 4): 1.5, (2, 3, 8): 10.5, (3, 63, 63): 95, (1, 2, 63): 47.75}
    assert {at: scores[at] for at in known} == known
    assert result.cycles == 67


def test_m_bmm_interleaves_heads(plena):
    rng = np.random.default_rng(0)
    values = rng.integers(-4, 5, (64, 64)).astype(np.float32)
    queries = {4 * i: rng.integers(-4, 5, 64).astype(np.float32) for i in range(64)}
    text = "S_ADDI_INT gp1, gp0, 32\nM_BMM 0, gp1, gp0\nS_LUI_INT gp2, 8\nM_BMM_WO gp2, 0"
    result = run(plena, text, mram={0: values}, vram=queries)
    stacked = np.stack([queries[4 * i] for i in range(64)])
    expected = [0.25 * stacked[:, head::4] @ values[32:48] for head in range(4)]
    np.testing.assert_array_equal(vram(result, 512, 256).reshape(4, 64, 64), bf16(np.stack(expected)))


# ---- vector unit ----------------------------------------------------------------------------------------------------

PIPELINE_LANES = (0, 16, 28, 32, 36, 48, 63)
PIPELINE_ROWS = {
    2: "4100 4080 3F80 0000 BF80 C080 C0F8",
    3: "453A 425A 402E 3F80 3EBC 3C96 39E2",
    4: "453A 425E 406E 4000 3FAF 3F82 3F80",
    5: "39B0 3C94 3E8A 3F00 3F3B 3F7C 3F80",
    6: "BB30 BD94 BE8A 0000 3F3B 407C 40F8",
}


def test_silu_pipeline_and_reductions(plena):
    result = run(
        plena,
        """
        S_LD_FP f1, gp0, 1
        S_LD_FP f2, gp0, 2
        S_LD_FP f4, gp0, 4
        S_ADDI_INT gp1, gp0, 64
        S_ADDI_INT gp2, gp0, 128
        S_ADDI_INT gp3, gp0, 192
        S_ADDI_INT gp4, gp0, 256
        S_ADDI_INT gp5, gp0, 320
        S_ADDI_INT gp6, gp0, 384
        V_SUB_VF gp2, gp0, f0, 0, 1
        V_EXP_V gp3, gp2, 0
        V_ADD_VF gp4, gp3, f1, 0
        V_RECI_V gp5, gp4, 0
        V_MUL_VV gp6, gp5, gp0, 0
        S_ADD_FP f3, f2, f0
        V_RED_MAX f3, gp0, 0
        S_ADD_FP f5, f0, f0
        V_RED_SUM f5, gp6
        V_RED_SUM f5, gp1
        """,
        fp_mem=[0, 1.0, -INF, 1.702, 0.1],
        vram={0: np.arange(64) / 4 - 8, 1: bf16(np.full(64, 0.1))},
    )
    for index, words in PIPELINE_ROWS.items():
        lanes = vram(result, index)[0, list(PIPELINE_LANES)]
        assert bf16_bits(lanes) == hexes(words), f"row {index}"
    assert half_bits(result.state["f"])[:6] == [0x0000, 0x3C00, 0xFC00, 0x47C0, 0x2E66, 0x57C0]
    assert result.cycles == 39


def test_exponential_range(plena):
    result = run(plena, "V_EXP_V gp0, gp0, 0", vram={0: row(0, 1, -1, 88.5, 100, -100)})
    assert bf16_bits(vram(result, 0)[0, :6]) == hexes("3F80 402E 3EBC 7F4D 7F80 0000")
    assert result.cycles == 1


def test_rows_are_rounded_to_nearest_even(plena):
    text = """
        S_MAP_V_FP gp0, gp0, 0
        S_ADDI_INT gp1, gp0, 64
        V_MUL_VV gp1, gp1, gp1, 0
        """
    values = [0, -0.0, 1.00390625, 1.01171875, 0.1, 65504, -65504, 2**-24]
    result = run(plena, text, fp_mem=values, vram={1: row(2.0**100, 2.0**-66, 1.0078125)})
    assert bf16_bits(vram(result, 0)[0, :8]) == hexes("0000 8000 3F80 3F82 3DCD 4780 C780 3380")
    # infinity instead of saturation, subnormals kept, 1 + 2**-6 + 2**-14 rounded down
    assert bf16_bits(vram(result, 1)[0, :3]) == hexes("7F80 0002 3F82")


def test_masked_lanes_take_the_first_source(plena):
    result = run(
        plena,
        """
        S_ADDI_INT gp1, gp0, 5
        C_SET_V_MASK_REG gp1
        S_ADDI_INT gp2, gp0, 64
        S_LD_FP f1, gp0, 1
        V_ADD_VF gp2, gp0, f1, 1
        S_ADDI_INT gp3, gp0, 128
        V_ADD_VF gp3, gp0, f1, 0
        """,
        fp_mem=[0, 1.0],
        vram={0: np.arange(64), 1: np.full(64, 99)},
    )
    lanes = [0, 15, 16, 31, 32, 47, 48, 63]
    assert vram(result, 1)[0, lanes].tolist() == [1, 16, 16, 31, 33, 48, 48, 63]
    assert vram(result, 2)[0, lanes].tolist() == [1, 16, 17, 32, 33, 48, 49, 64]
    assert result.cycles == 9


def test_vector_subtraction_is_first_minus_second(plena):
    text = "S_ADDI_INT gp1, gp0, 64\nS_ADDI_INT gp2, gp0, 128\nV_SUB_VV gp2, gp0, gp1, 0"
    result = run(plena, text, vram={0: row(5, 2), 1: row(3, 7)})
    assert vram(result, 2)[0, :2].tolist() == [2, -5]


# ---- scalar units, loops --------------------------------------------------------------------------------------------


def test_nested_loops(plena):
    result = run(
        plena,
        """
        C_LOOP_START gp1, 3
        S_ADDI_INT gp3, gp3, 10
        C_LOOP_START gp2, 2
        S_ADD_INT gp4, gp4, gp1
        S_ADDI_INT gp5, gp5, 1
        C_LOOP_END gp2
        C_LOOP_END gp1
        """,
    )
    assert np.asarray(result.state["gp"])[:6].tolist() == [0, 0, 0, 30, 12, 6]
    assert result.instret == 28
    assert result.cycles == 28


def test_scalar_floating_point_is_binary16(plena):
    result = run(
        plena,
        """
        S_LD_FP f1, gp0, 1
        S_LD_FP f2, gp0, 2
        S_ADD_FP f3, f1, f2
        S_SUB_FP f4, f1, f2
        S_MUL_FP f5, f1, f1
        S_MAX_FP f6, f1, f2
        S_RECI_FP f7, f2
        S_ST_FP f7, gp0, 10
        S_EXP_FP f7, f2
        S_ST_FP f7, gp0, 11
        S_SQRT_FP f7, f2
        S_ST_FP f7, gp0, 12
        S_ADD_FP f0, f1, f2
        S_ST_FP f0, gp0, 13
        """,
        fp_mem=[0, 1000, 3],
    )
    assert half_bits(result.state["f"])[3:7] == [0x63D6, 0x63CA, 0x7C00, 0x63D0]
    assert half_bits(result.state["fp_mem"])[10:14] == [0x3555, 0x4D05, 0x3EEE, 0x0000]
    assert result.instret == 14
    assert result.cycles == 13


def test_f0_is_written_by_a_load_only(plena):
    result = run(plena, "S_LD_FP f0, gp0, 1\nS_ADD_FP f0, f0, f0\nS_ST_FP f0, gp0, 2", fp_mem=[0, 3])
    assert half_bits(result.state["fp_mem"])[2] == 0x4200
    assert result.cycles == 2


def test_scalar_integers_wrap(plena):
    result = run(
        plena,
        """
        S_LUI_INT gp1, 1048575
        S_ADDI_INT gp1, gp1, 4095
        S_ADDI_INT gp2, gp1, 2
        S_SUB_INT gp3, gp0, gp2
        S_ADDI_INT gp4, gp0, 70000
        S_MUL_INT gp5, gp4, gp4
        S_ST_INT gp5, gp2, 7
        S_LD_INT gp6, gp0, 8
        S_LUI_INT gp7, 128
        S_ADDI_INT gp7, gp7, 77
        """,
    )
    expected = [0, 0xFFFFFFFF, 1, 0xFFFFFFFF, 0x11170, 0x24101100, 0x24101100, 0x8004D]
    assert np.asarray(result.state["gp"])[:8].tolist() == expected
    assert int(result.state["int_mem"][8]) == 0x24101100
    assert result.cycles == 10


def test_map_fp_mem_to_a_row(plena):
    text = "S_ADDI_INT gp1, gp0, 64\nS_MAP_V_FP gp1, gp0, 3"
    result = run(plena, text, fp_mem=[i / 2 for i in range(100)])
    assert vram(result, 1)[0].tolist() == [(i + 3) / 2 for i in range(64)]
    assert result.cycles == 129


# ---- dllm -----------------------------------------------------------------------------------------------------------


def test_dllm_map_takes_a_length(dllm):
    text = "S_ADDI_INT gp1, gp0, 64\nS_ADDI_INT gp2, gp0, 5\nS_MAP_V_FP gp1, gp0, 3, gp2"
    result = run(dllm, text, fp_mem=[i / 2 for i in range(100)], vram={1: np.full(64, 9)})
    np.testing.assert_array_equal(vram(result, 1)[0], row(1.5, 2, 2.5, 3, 3.5))
    assert result.cycles == 12


def test_dllm_token_selection(dllm):
    i = np.arange(64)
    result = run(
        dllm,
        """
        S_LD_FP f1, gp0, 1
        S_ADDI_INT gp1, gp0, 64
        S_ADDI_INT gp4, gp0, 64
        V_RED_MAX_IDX gp5, gp0, gp3, f1
        V_RED_MAX_IDX gp5, gp1, gp4, f1
        S_ADDI_INT gp6, gp0, 128
        S_ADDI_INT gp7, gp0, 192
        S_ADDI_INT gp8, gp0, 256
        S_ADDI_INT gp9, gp0, 3
        V_TOPK_MASK gp8, gp6, gp7, gp9, gp4
        S_ADDI_INT gp10, gp0, 64
        S_SELECT_INT gp0, gp10, gp0, gp8, gp4
        """,
        fp_mem=[0, -INF],
        int_mem={n: 100 + n for n in range(128)},
        vram={0: bf16(np.sin(i)), 1: bf16(1.5 * np.cos(i)), 2: bf16(i / 63), 3: (i % 3 != 0).astype(np.float32)},
    )
    assert int(result.state["gp"][5]) == 64
    assert half_bits(result.state["f"])[1] == 0x3E00
    chosen = [59, 61, 62]
    assert np.flatnonzero(vram(result, 4)[0]).tolist() == chosen
    assert vram(result, 4)[0, chosen].tolist() == [1, 1, 1]
    expected = [164 + n if n in chosen else 100 + n for n in range(64)] + [164 + n for n in range(64)]
    assert np.asarray(result.state["int_mem"])[:128].tolist() == expected
    assert result.cycles == 100


def test_dllm_select_rows(dllm):
    text = """
        S_ADDI_INT gp1, gp0, 64
        S_ADDI_INT gp2, gp0, 128
        V_SELECT_VVM gp2, gp0, gp1, gp2
        """
    result = run(dllm, text, vram={0: row(1, 2, 3), 1: row(10, 20, 30), 2: row(0, 1, 0.5)})
    assert vram(result, 2)[0, :3].tolist() == [10, 2, 3]


# ---- what stops a running program -----------------------------------------------------------------------------------

SET = "S_ADDI_INT gp1, gp0, {}\n"
TRAPS = [
    (64, "M_MM 0, gp1, gp0", "illegal_operands"),
    (4, "M_TMM 0, gp0, gp1", "illegal_operands"),
    (32, "V_ADD_VV gp2, gp1, gp0, 0", "misaligned"),
    (32, "V_ADD_VV gp2, gp0, gp1, 0", "misaligned"),
    (32, "V_ADD_VV gp1, gp2, gp0, 0", "misaligned"),
    (32, "H_PREFETCH_V gp0, gp1, a0, 0, 0", "misaligned"),
    (32, "H_PREFETCH_V gp1, gp0, a0, 0, 0", "misaligned"),
    (32, "H_STORE_V gp0, gp1, a0, 0, 0", "misaligned"),
    (32, "H_STORE_V gp1, gp0, a0, 0, 0", "misaligned"),
    (32, "H_PREFETCH_V gp0, gp0, a0, 1, 0", "misaligned"),
    (64, "H_PREFETCH_M gp1, gp0, a0, 0, 0", "misaligned|illegal_operands"),
    (32, "M_MM 0, gp0, gp1", "misaligned"),
    (2, "M_MM_WO gp1, gp0, 0", "misaligned|illegal_operands"),
    (64, "M_MV 0, gp0, gp1", "misaligned|illegal_operands"),
    (8, "M_BTMM 0, gp1, gp0", "illegal_operands"),
    (64, "M_BMM 0, gp1, gp0", "illegal_operands"),
    (32, "M_MV_WO gp1, 0", "misaligned"),
    (1024, "S_LD_FP f1, gp1, 0", "out_of_bounds"),
    (1000, "S_MAP_V_FP gp0, gp1, 0", "out_of_bounds"),
    (1024, "S_ST_INT gp0, gp1, 0", "out_of_bounds"),
]


@pytest.mark.parametrize(("value", "text", "kind"), TRAPS)
def test_trap_names_its_place(plena, value, text, kind):
    program = plena.assemble(f"; comment\n{SET.format(value)}{text}\nS_ADDI_INT gp2, gp0, 7\n")
    result = plena.simulate(program)
    assert result.status == "trap"
    assert result.trap.kind in kind.split("|")
    assert result.trap.pc == 1
    assert result.trap.line == 3
    assert result.trap.message
    assert result.instret == 1
    assert int(result.state["gp"][2]) == 0, "nothing runs after a trap"


def test_hbm_ends_at_one_gibibyte(plena):
    text = "S_LUI_INT gp1, 262144\nC_SET_ADDR_REG a1, gp0, gp1\nH_PREFETCH_V gp0, gp0, a1, 0, 0"
    result = plena.simulate(plena.assemble(text))
    assert (result.status, result.trap.kind, result.trap.line) == ("trap", "out_of_bounds", 3)


def test_msram_has_1024_tiles(plena):
    result = plena.simulate(plena.assemble("S_LUI_INT gp1, 1024\nH_PREFETCH_M gp1, gp0, a0, 0, 0"))
    assert (result.status, result.trap.kind, result.trap.line) == ("trap", "out_of_bounds", 2)


def test_instruction_limit_stops_a_long_loop(plena):
    program = plena.assemble("C_LOOP_START gp1, 4000000\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1")
    result = plena.simulate(program, limits=kc.Limits(instructions=1_000))
    assert result.status == "limit"
    assert result.instret <= 1_000
