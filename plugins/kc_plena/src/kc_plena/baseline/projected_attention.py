"""Multi-head, grouped-query and multi-query attention: projections and heads, without an output projection.

HBM: X[rows, width], Wq[width, width], Wk and Wv[width, 64 * kv heads]. FP_MEM: 0, 1/8, -inf. The result replaces the
queries at VRAM 0.
"""

from __future__ import annotations

from kc_plena.baseline.blocks import LANES, preload
from kc_plena.baseline.emitter import Emitter
from kc_plena.baseline.transformer_blocks import TEMPLATE, Heads, Space, Style, attend_heads
from kc_plena.shapes import SHAPES, layout

FACTOR, LOWEST = 1, 2
"""FP_MEM indices."""


def projected_attention(task: str, config: str, style: Style = TEMPLATE) -> str:
    """Return the program of `mha`, `gqa` or `mqa` in a configuration: softmax(Q K^T / 8) V for each head.

    Raises:
        KeyError: another task or config.
    """
    shape, placed = SHAPES[task][config], layout(task, config)
    rows, width, count = shape["s"], shape["h"], shape["nh"]
    groups = count if task == "mha" else shape.get("nkv", 1)
    asm = Emitter(f"{task} [{rows}, {width}], {count} heads, {groups} of keys and values")
    space = Space()
    q, x = space.take(rows, width), space.take(rows, width)
    k, v = (space.take(max(rows, LANES), groups * LANES) for _ in range(2))
    at = placed.addresses
    preload(asm, rows, width, dest=x)
    style.linear(asm, rows, width, width, weight=at["Wq"], src=x, dst=q)
    for name, dst in (("Wk", k), ("Wv", v)):
        style.keys(asm, rows, width, groups * LANES, weight=at[name], src=x, dst=dst)
    heads = Heads(rows, count, count // groups, LOWEST, FACTOR)
    attend_heads(asm, heads, style, q=q, k=k, v=v, hbm=placed.hbm_bytes, scratch=space)
    return asm.text()
