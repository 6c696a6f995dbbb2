"""Decoder blocks: x1 = x + attention(rmsnorm(x)) Wo, then y = x1 + feed-forward(rmsnorm(x1)), at VRAM 0.

The norms have no weights. LLaMA rotates queries and keys, scales the scores by 1/8 and has a gated feed-forward part;
T5 does neither and has a plain one with relu. The blocks are this project's definition; the paper gives sizes only
(KernelCraft, arXiv 2603.08721, table 12).
"""

from __future__ import annotations

from kc_plena.baseline.blocks import LANES, preload
from kc_plena.baseline.emitter import Emitter
from kc_plena.baseline.transformer_blocks import (
    TEMPLATE,
    Heads,
    Layer,
    Space,
    Style,
    add_rows,
    attend_heads,
    relu_rows,
    rms_rows,
    rotate,
    set_base,
    silu_gate,
)
from kc_plena.shapes import HEAD, SHAPES, layout

ONE, EPS, INVERSE = 1, 2, 3
"""FP_MEM indices of 1.0, eps and 1 / width in both blocks."""
LLAMA_FACTOR, LLAMA_LOWEST, T5_LOWEST = 4, 5, 4
"""FP_MEM indices of 1/8 and of -inf."""


class _Block:
    """A decoder block under construction: the residual stream x at VRAM 0, and steps that append to the program."""

    def __init__(self, task: str, config: str, style: Style) -> None:
        shape, placed = SHAPES[task][config], layout(task, config)
        self.rows, self.width, self.heads, self.hidden = shape["s"], shape["h"], shape["nh"], shape["hi"]
        self.asm = Emitter(f"{task} [{self.rows}, {self.width}], {self.heads} heads, hidden {self.hidden}")
        self.style = style
        self.hbm, self.free_hbm = placed.addresses, placed.hbm_bytes
        self.space = Space(style.spill)
        self.x, self.normed, self.out, self.q = (self.space.take(self.rows, self.width) for _ in range(4))
        self.k, self.v = (self.space.take(max(self.rows, LANES), self.width) for _ in range(2))
        self.row = self.space.take(1)
        style.prepare(self.asm, self.rows)
        preload(self.asm, self.rows, self.width, dest=self.x)

    def norm(self) -> None:
        """Put rmsnorm(x) at `normed`."""
        rms_rows(
            self.asm, self.rows, self.width, src=self.x, dst=self.normed, scratch=self.row, eps=EPS, inverse=INVERSE
        )

    def linear(self, inner: int, src: int, cols: int, **outputs: int) -> None:
        """Multiply the activation at `src` by weights of `cols` columns; `outputs` are their names and VRAM addresses."""
        layers = [Layer(self.hbm[name], cols, dst) for name, dst in outputs.items()]
        self.style.linear(self.asm, self.rows, inner, layers, src=src)

    def project(self) -> None:
        """Put the queries, keys and values of `normed` at `q`, `k` and `v`."""
        self.linear(self.width, self.normed, self.width, Wq=self.q, Wk=self.k, Wv=self.v)

    def attend(self, lowest: int, factor: int | None) -> None:
        """Add the attention of `q`, `k` and `v`, times Wo, to x."""
        heads = Heads(self.rows, self.heads, 1, lowest, factor)
        attend_heads(self.asm, heads, self.style, q=self.q, k=self.k, v=self.v, hbm=self.free_hbm, scratch=self.space)
        self.linear(self.width, self.q, self.width, Wo=self.out)
        self.residual()

    def residual(self) -> None:
        """Add `out` to x."""
        add_rows(self.asm, self.rows * self.width // LANES, dst=self.x, src=self.out)


def decoder_llama(config: str, style: Style = TEMPLATE) -> str:
    """Return the LLaMA block. HBM: X, Wq, Wk, Wv, Wo, Wup, Wgate, Wdown, ROT, COS, SIN. Raises: KeyError."""
    block = _Block("decoder_llama", config, style)
    asm, rows, width, hidden = block.asm, block.rows, block.width, block.hidden
    cos, sin, up, gate = (block.space.take(rows, cols) for cols in (HEAD, HEAD, hidden, hidden))
    for name, dst in (("COS", cos), ("SIN", sin)):
        set_base(asm, "a1", block.hbm[name])
        preload(asm, rows, HEAD, base="a1", dest=dst)
    block.norm()
    block.project()
    for x in (block.q, block.k):
        rotate(asm, style, rows, block.heads, x=x, cos=cos, sin=sin, rotation=block.hbm["ROT"], scratch=block.out)
    block.attend(LLAMA_LOWEST, LLAMA_FACTOR)
    block.norm()
    block.linear(width, block.normed, hidden, Wup=up, Wgate=gate)
    silu_gate(asm, rows * hidden // LANES, up=up, gate=gate, scratch=block.row, one=ONE)
    block.linear(hidden, up, width, Wdown=block.out)
    block.residual()
    return asm.text()


def decoder_t5(config: str, style: Style = TEMPLATE) -> str:
    """Return the T5 block. HBM: X, Wq, Wk, Wv, Wo, Wi, Wff. Raises: KeyError."""
    block = _Block("decoder_t5", config, style)
    rows, width, hidden = block.rows, block.width, block.hidden
    inner = block.space.take(rows, hidden)
    block.norm()
    block.project()
    block.attend(T5_LOWEST, None)
    block.norm()
    block.linear(width, block.normed, hidden, Wi=inner)
    relu_rows(block.asm, rows * hidden // LANES, src=inner, scratch=block.row, one=ONE)
    block.linear(hidden, inner, width, Wff=block.out)
    block.residual()
    return block.asm.text()
