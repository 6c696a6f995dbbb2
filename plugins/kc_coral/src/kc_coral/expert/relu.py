"""ReLU: a stream of eight registers at a time.

The load/store unit is the limit: 16 bytes cost RL + 4 cycles in and WL + 4 out, and every instruction one more, so that the
largest group is best. A block is stored while the next one is on its way in: the load is issued before the store, and four
groups of registers take turns.
"""

from __future__ import annotations

from kc_coral.expert.emit import Kernel, at

_BLOCK = 128
"""Bytes of eight registers."""
_GROUPS = ("v0", "v8", "v16", "v24")


def relu(n: int) -> str:
    """Return y[n] = max(x[n], 0); n is a multiple of 512."""
    k = Kernel(f"relu {n}")
    k.op("li", "t0", _BLOCK)
    k.op("vsetvli", "zero", "t0", "e8", "m8", "ta", "ma")
    k.op("vle8.v", _GROUPS[0], at("a0"))
    blocks = n // _BLOCK
    turns = (blocks - 1) // len(_GROUPS)
    if turns:
        with k.loop("t1", turns):
            for index in range(len(_GROUPS)):
                _block(k, index, more=True)
    rest = blocks - turns * len(_GROUPS)
    for index in range(rest):
        _block(k, index, more=index < rest - 1)
    k.op("ret")
    return k.text()


def _block(k: Kernel, index: int, *, more: bool) -> None:
    """Append the work on one block; `more` blocks follow."""
    group = _GROUPS[index]
    if more:
        k.op("addi", "a0", "a0", _BLOCK)
        k.op("vle8.v", _GROUPS[(index + 1) % len(_GROUPS)], at("a0"))
    k.op("vmax.vx", group, group, "zero")
    k.op("vse8.v", group, at("a1"))
    k.op("addi", "a1", "a1", _BLOCK)
