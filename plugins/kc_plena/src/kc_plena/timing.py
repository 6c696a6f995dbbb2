"""Timing of PLENA: strictly sequential, so a run takes the sum of its instructions' costs.

Shown by the emulator's code (AICrossSim/PLENA ecd5acb) and by the exact reproduction of published cycle counts: no prefetch
overlaps anything, even when nobody waits for it. One cycle is 1 ns, and so is the HBM clock.
"""

from __future__ import annotations

from kc_plena.hbm import make_hbm
from kernelcraft_core.isa import Definition
from kernelcraft_core.sim import Machine, Rule

TRANSFER_BOUND = 1 << 16
"""No transfer takes more cycles: 512 beats that all miss one bank take fewer than 20,000."""


class PlenaTiming:
    """Costs of the records, and the HBM model for transfers; one object per run, since DRAM rows stay open."""

    def __init__(self, machine: Machine) -> None:
        self._hbm = make_hbm(str(machine["HBM_MODEL"]), beat_interval=machine.number("HBM_BEAT_CYCLES"))

    def rule(self, definition: Definition) -> Rule | None:
        """Return the HBM model's price for transfers, None (what the record says) for everything else."""
        kind = definition.record.timing
        if kind == "hbm_read":
            return Rule(("element", "block_scale", "rows", "step"), self._hbm.prefetch, TRANSFER_BOUND)
        if kind == "hbm_write":
            return Rule(("element", "block_scale", "rows", "step"), self._hbm.store, TRANSFER_BOUND)
        return None
