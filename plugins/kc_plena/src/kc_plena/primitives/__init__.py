"""Trusted operations that PLENA's semantics call by name.

Matrix products: dot products in float64, rounded once to float32, then added to the float32 accumulator, so that a product
of four columns and one of a whole tile give the same bits. Sources: AICrossSim/PLENA ecd5acb, behavioral_simulator; the
order of summation is not specified there and is this project's choice.
"""

from __future__ import annotations

from kc_plena import numerics
from kc_plena.primitives.dllm import DLLM_PRIMITIVES
from kc_plena.primitives.loops import make_next, make_push
from kc_plena.primitives.matrix import (
    make_bmm,
    make_btmm,
    make_mm,
    make_mv,
    make_tmm,
    make_tmv,
    make_write_block,
    make_write_heads,
)
from kc_plena.primitives.transfer import make_fetch_rows, make_mx_tile, make_store_rows
from kc_plena.primitives.vector import blend, make_fp_row
from kernelcraft_core.isa import Primitive, pure

PRIMITIVES: tuple[Primitive, ...] = (
    Primitive(
        "mm",
        ("r:vram", "r:mram", "int", "int"),
        "f32[BLEN,BLEN]",
        make_mm,
        "mm(vram, mram, matrix, vector): four rows times four tile columns",
        ("misaligned", "illegal_operands", "out_of_bounds"),
    ),
    Primitive(
        "tmm",
        ("r:vram", "r:mram", "int", "int"),
        "f32[BLEN,BLEN]",
        make_tmm,
        "tmm(vram, mram, matrix, vector): four rows times four tile rows, transposed",
        ("misaligned", "illegal_operands", "out_of_bounds"),
    ),
    Primitive(
        "bmm",
        ("r:vram", "r:mram", "int", "int"),
        "f32[BROADCAST_AMOUNT,MLEN,MLEN]",
        make_bmm,
        "bmm(vram, mram, matrix, vector): a quarter of the product of 64 rows and 16 tile rows, heads interleaved",
        ("misaligned", "illegal_operands", "out_of_bounds"),
    ),
    Primitive(
        "btmm",
        ("r:vram", "r:mram", "int", "int"),
        "f32[BROADCAST_AMOUNT,MLEN,MLEN]",
        make_btmm,
        "btmm(vram, mram, matrix, vector): a quarter of the product of 64 rows and 16 tile columns, by head",
        ("misaligned", "illegal_operands", "out_of_bounds"),
    ),
    Primitive(
        "mv",
        ("r:mram", "array", "int"),
        "f32[VLEN]",
        make_mv,
        "mv(mram, row, matrix): row times tile",
        ("misaligned", "out_of_bounds"),
    ),
    Primitive(
        "tmv",
        ("r:mram", "array", "int"),
        "f32[VLEN]",
        make_tmv,
        "tmv(mram, row, matrix): row times transposed tile",
        ("misaligned", "out_of_bounds"),
    ),
    Primitive(
        "write_block",
        ("w:vram", "r:m_acc", "int", "int"),
        "",
        make_write_block,
        "write_block(vram, m_acc, address, step): m_acc to four lanes of four rows `step` rows apart",
        ("misaligned", "out_of_bounds"),
    ),
    Primitive(
        "write_heads",
        ("w:vram", "r:h_acc", "int"),
        "",
        make_write_heads,
        "write_heads(vram, h_acc, address): h_acc to 256 rows",
        ("misaligned", "out_of_bounds"),
    ),
    pure(
        "blend",
        ("int", "array", "array"),
        "f32[VLEN]",
        blend,
        "blend(mask, new, old): new where the lane's segment is on",
    ),
    pure("v_exp", ("array",), "bf16[VLEN]", numerics.exp_bf16, "exponential of each lane, rounded to bfloat16"),
    pure("v_reci", ("array",), "bf16[VLEN]", numerics.reci_bf16, "reciprocal of each lane, rounded to bfloat16"),
    pure("v_sum", ("array",), "f32", numerics.red_sum, "sum of all lanes, in float64, rounded to float32"),
    pure("v_max", ("array",), "bf16", numerics.red_max, "maximum of all lanes, NaN if any lane is"),
    pure("f_max", ("float", "float"), "f32", numerics.f_max, "maximum; NaN loses against a number"),
    pure("s_exp", ("float",), "f16", numerics.s_exp, "exponential, rounded to binary32 and then binary16"),
    pure("s_reci", ("float",), "f16", numerics.s_reci, "reciprocal"),
    pure("s_sqrt", ("float",), "f16", numerics.s_sqrt, "square root, NaN for negative numbers"),
    Primitive(
        "fp_row",
        ("r:fp_mem", "int", "int"),
        "f32[VLEN]",
        make_fp_row,
        "fp_row(fp_mem, index, count): a row of `count` words, the other lanes 0",
        ("out_of_bounds", "illegal_operands"),
    ),
    Primitive(
        "mx_tile",
        ("r:hbm", "int", "int", "int"),
        "bf16[MLEN,MLEN]",
        make_mx_tile,
        "mx_tile(hbm, element, scale, step): 64 rows of MXFP8 decoded",
        ("misaligned", "out_of_bounds"),
    ),
    Primitive(
        "fetch_rows",
        ("w:vram", "r:hbm", "int", "int", "int", "int"),
        "",
        make_fetch_rows,
        "fetch_rows(vram, hbm, address, element, scale, step): four rows of MXFP8 decoded into VRAM",
        ("misaligned", "out_of_bounds"),
    ),
    Primitive(
        "store_rows",
        ("r:vram", "rw:hbm", "int", "int", "int", "int"),
        "",
        make_store_rows,
        "store_rows(vram, hbm, address, element, scale, step): four rows of VRAM quantised to MXFP8",
        ("misaligned", "out_of_bounds"),
    ),
    Primitive("loop_push", ("rw:loops", "int", "int"), "", make_push, "loop_push(loops, pc, register): enter a loop"),
    Primitive(
        "loop_next",
        ("rw:loops", "int", "int", "int"),
        "int<0,18446744073709551615>",
        make_next,
        "loop_next(loops, register, again, following): the pc after C_LOOP_END",
        ("loop_stack",),
    ),
    *DLLM_PRIMITIVES,
)
