"""Which inputs a kernel is scored on.

Development inputs are the same for everybody. Scoring inputs follow from a salt that is drawn when a run starts and kept
in its record only, so a kernel cannot hold the answers.
"""

from __future__ import annotations

import hashlib
import secrets

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, EvaluationError
from kernelcraft_core.tasks import Workload

DEVELOPMENT = "development"
"""The salt of development inputs; known to everybody."""
MIN_DRAWS = 2
"""Draws a score needs at least."""


@frozen
class Draw:
    """One draw: the seed of its values and of the noise in undefined memory, and its input family."""

    index: int
    seed: int
    family: str


def new_salt() -> str:
    """Return a fresh secret salt: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def plan(workload: Workload, salt: str, draws: int = MIN_DRAWS) -> tuple[Draw, ...]:
    """Return the draws of a workload under a salt.

    The first is of the standard family; the others go through the workload's further families, starting at one that
    depends on the salt, and through all of them when there are as many draws.

    Raises:
        EvaluationError: KC0600 fewer than one draw, or more than 1000.
    """
    if not 1 <= draws <= 1000:
        raise EvaluationError(Diagnostic("KC0600", f"{draws} draws are not in 1..1000"))
    base = f"{salt}/{workload.target}/{workload.task}/{workload.config}"
    others = workload.families[1:] or workload.families
    start = _number(f"{base}/family") % len(others)
    out = []
    for index in range(draws):
        family = workload.families[0] if index == 0 else others[(start + index - 1) % len(others)]
        out.append(Draw(index, _number(f"{base}/{index}"), family))
    return tuple(out)


def _number(text: str) -> int:
    """Return 64 bits of the SHA-256 of a text."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
