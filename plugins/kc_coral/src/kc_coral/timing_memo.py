"""Timing of whole blocks, remembered: a loop in steady state costs a look-up per pass.

The scoreboard's future depends on its state relative to the last dispatch, and on what comes. A block met in a known state
with known dynamic values takes the time it took before and leaves the state it left before, so neither is computed again.

Source: the idea is fast-forwarding by memoisation, Schnarr and Larus, "Fast Out-Of-Order Processor Simulation Using
Memoization", ASPLOS 1998.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from kc_coral.timing_model import Scoreboard
from kc_coral.timing_ops import Op
from kc_coral.timing_params import TimingParams
from kc_coral.timing_state import Snapshot


class Block:
    """Instructions that always execute together, in order; compared by identity.

    Attributes:
        ops: their static records; only the last may be a control transfer.
    """

    __slots__ = ("ops",)

    def __init__(self, ops: Iterable[Op]) -> None:
        self.ops = tuple(ops)


class _Node:
    """A relative state, and where blocks lead from it: (block, dynamic values) -> (cycles of dispatch, next state)."""

    __slots__ = ("known", "snapshot")

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.known: dict[tuple[Block, Hashable], tuple[int, _Node]] = {}


class BlockTiming:
    """Time stamps of one run, block by block, exact.

    Args:
        params: the numbers of the machine.
        capacity: remembered steps; beyond, everything is forgotten and learnt again.

    Attributes:
        last: dispatch cycle of the last instruction.
        hits: blocks that were looked up.
        misses: blocks that were computed.
    """

    def __init__(self, params: TimingParams, capacity: int = 1 << 16) -> None:
        self._params, self._capacity = params, capacity
        self._nodes: dict[Snapshot, _Node] = {}
        self.hits = 0
        self.restart()

    def restart(self) -> None:
        """Begin a run anew; what was learnt stays."""
        self._board = Scoreboard(self._params)
        self._live = True  # whether the scoreboard is in the state `_node`
        self.last = self._board.last
        self._node = self._intern()
        self.hits = self.misses = 0

    def _intern(self) -> _Node:
        snapshot = self._board.snapshot()
        node = self._nodes.get(snapshot)
        if node is None:
            node = self._nodes[snapshot] = _Node(snapshot)
        return node

    def run(self, block: Block, values: tuple[Any, ...] = ()) -> int:
        """Return the dispatch cycle of the last instruction of `block`.

        `values` are the dynamic values of its dynamic instructions (`Op.dynamic`), in order.
        """
        found = self._node.known.get((block, values))
        if found is None:
            return self._learn(block, values)
        self.hits += 1
        self._live = False
        self.last += found[0]
        self._node = found[1]
        return self.last

    def _learn(self, block: Block, values: tuple[Any, ...]) -> int:
        board, before, node = self._board, self.last, self._node
        if not self._live:
            board.restore(node.snapshot, before)
        step, rest = board.step, iter(values)
        for op in block.ops:
            step(op, next(rest) if op.dynamic else None)
        self.misses += 1
        if self.misses % self._capacity == 0:
            self._nodes.clear()
        self.last, self._live = board.last, True
        self._node = self._intern()
        node.known[block, values] = (self.last - before, self._node)
        return self.last

    def finish(self) -> int:
        """Return the cycles of the run, whose last instruction was mpause."""
        return self.last + 2
