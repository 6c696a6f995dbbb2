"""The hardware loop stack of PLENA, with its limit on the instructions of one iteration.

Source: AICrossSim/PLENA ecd5acb, behavioral_simulator/src/main.rs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernelcraft_core.sim import Trap


class LoopStack:
    """Active loops, innermost last: (pc of C_LOOP_START, counter register).

    Before each instruction the emulator counts one for every active loop and stops when a count passes
    MAX_LOOP_INSTRUCTIONS; a count restarts with each iteration of its loop. The outermost loop's iteration is always the
    longest unless loops cross, so one limit on retired instructions, that of the oldest iteration, stands for all counts.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._most: int = context.machine.number("MAX_LOOP_INSTRUCTIONS")
        self._stack: list[tuple[int, int]] = []
        self._started: list[int] = []  # retired instructions when the current iteration of each loop began
        self._oldest = -1
        context.explain = self._explain

    @property
    def active(self) -> list[tuple[int, int]]:
        """Active loops, outermost first: (pc of the start, counter register)."""
        return list(self._stack)

    def push(self, pc: int, register: int) -> None:
        """Enter a loop."""
        self._stack.append((pc, register))
        self._started.append(self._context.instret + 1)
        if len(self._stack) == 1:
            self._watch()

    def next(self, register: int, again: int, following: int) -> int:
        """Return the pc after C_LOOP_END: the body's first instruction, or `following` when the loop is done.

        Raises:
            Trap: `loop_stack`, when no active loop has this counter register.
        """
        stack, started = self._stack, self._started
        at = len(stack) - 1
        while at >= 0 and stack[at][1] != register:
            at -= 1
        if at < 0:
            hint = "every C_LOOP_END needs a C_LOOP_START with the same register before it"
            raise Trap("loop_stack", f"C_LOOP_END gp{register}: no active loop counts in gp{register}", hint)
        was_oldest = started[at] == self._oldest
        if again:
            started[at] = self._context.instret + 1
            target = stack[at][0] + 1
        else:
            target = following
            del stack[at], started[at]
        if was_oldest:
            self._watch()
        return target

    def _watch(self) -> None:
        started, context = self._started, self._context
        if not started:
            self._oldest = -1
            context.deadline = context.instruction_limit
            return
        oldest = self._oldest = min(started) if len(started) > 1 else started[0]
        deadline = oldest + self._most
        context.deadline = deadline if deadline < context.instruction_limit else context.instruction_limit

    def _explain(self) -> tuple[str, str]:
        pc = self._stack[self._started.index(self._oldest)][0]
        return "loop", f"one iteration of the loop started at pc {pc} took more than {self._most:,} instructions"


def make_push(context: Any, loops: LoopStack) -> Callable[[int, int], None]:
    """Bind `loop_push(loops, pc, register)`."""
    return loops.push


def make_next(context: Any, loops: LoopStack) -> Callable[[int, int, int], int]:
    """Bind `loop_next(loops, register, again, following)`."""
    return loops.next
