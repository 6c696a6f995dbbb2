"""Multi-head, grouped-query and multi-query attention: projections and heads, without an output projection.

HBM: X[rows, width], Wq[width, width], Wk and Wv[width, 64 * kv heads]. FP_MEM: 0, 1/8, -inf. The result is at VRAM 0, in
place of the queries.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import LANES, preload
from kc_plena.baseline.emitter import Emitter
from kc_plena.baseline.transformer_blocks import TEMPLATE, Heads, Layer, Space, Style, attend_heads
from kc_plena.shapes import SHAPES, layout

FACTOR, LOWEST = 1, 2
"""FP_MEM indices of 1/8 and -inf."""


def projected_attention(task: str, config: str, style: Style = TEMPLATE) -> str:
    """Return the program of `mha`, `gqa` or `mqa` in a configuration: softmax(Q K^T / 8) V for each head.

    Raises:
        KeyError: another task or config.
    """
    shape, placed = SHAPES[task][config], layout(task, config)
    rows, width, count = shape["s"], shape["h"], shape["nh"]
    groups = count if task == "mha" else shape.get("nkv", 1)
    kv = groups * LANES
    asm = Emitter(f"{task} [{rows}, {width}], {count} heads, {groups} of keys and values")
    space, at = Space(style.spill), placed.addresses
    q, x = space.take(rows, width), space.take(rows, width)
    k, v = (space.take(max(rows, LANES), kv) for _ in range(2))
    style.prepare(asm, rows)
    preload(asm, rows, width, dest=x)
    layers = [Layer(at["Wq"], width, q), Layer(at["Wk"], kv, k), Layer(at["Wv"], kv, v)]
    style.linear(asm, rows, width, layers, src=x)
    heads = Heads(rows, count, count // groups, LOWEST, FACTOR)
    attend_heads(asm, heads, style, q=q, k=k, v=v, hbm=placed.hbm_bytes, scratch=space)
    return asm.text()
