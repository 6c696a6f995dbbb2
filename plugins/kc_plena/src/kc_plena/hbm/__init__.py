"""How long PLENA's HBM transfers take: an exact DRAM model, a simple substitute, or nothing.

A prefetch reads, for each row, a 64-byte element block and the 64-byte block holding the row's scales; a store writes
the element block, then reads and writes back the scale block. Neither overlaps with anything else, so a transfer is
one duration in whole ns, which depends on its addresses and on what earlier transfers left behind (open rows, queued
writes). All models are deterministic; use a fresh object for each simulated run.

Source: the transfers of AICrossSim/PLENA at ecd5acb (behavioral_simulator) on the DRAM of CMU-SAFARI/ramulator2
e442c64, restated in our own words.
"""

from __future__ import annotations

from typing import Protocol

MODELS = ("exact", "simple", "none")
"""Names `make_hbm` takes: the DRAM followed command by command, the bus-occupancy substitute, all transfers free."""


class HbmTiming(Protocol):
    """Durations of transfers. Calls come in program order and `now` never decreases.

    now      absolute time in ns, >= 0, at or after the end of the transfer before
    element  byte address of row 0, a multiple of 64
    scale    byte address of row 0's scales
    rows     number of rows, >= 1 (64 for a tile, 4 for vectors)
    step     bytes from row to row, a multiple of 64; row i has its scales at `scale + i * step // 8`

    Addresses are not checked against the memory; the result is a duration in ns, >= 0.
    """

    def prefetch(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Read `rows` rows, all submitted at `now`, until the last data are back."""

    def store(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        """Store `rows` rows one after the other: element block written, scale block read and written back."""


class _Free:
    """Transfers that take no time, for functional work."""

    def prefetch(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        return 0

    def store(self, now: int, element: int, scale: int, rows: int, step: int) -> int:
        return 0


def make_hbm(model: str = "exact", *, beat_interval: int = 4) -> HbmTiming:
    """A fresh timing model by name (`MODELS`), for one run from time 0.

    `beat_interval` is the ns a 16-byte beat occupies the bus of its pseudo-channel: 4 in the machine of the KernelCraft
    paper, 2 in the public head of PLENA_Simulator. Raises ValueError for an unknown name or an interval below 2.
    """
    if beat_interval < 2:
        raise ValueError(f"beat_interval must be at least 2 ns, not {beat_interval}")
    if model == "exact":
        from kc_plena.hbm.exact import ExactHbm  # here, so that importing the package stays cheap

        return ExactHbm(beat_interval=beat_interval)
    if model == "simple":
        from kc_plena.hbm.simple import SimpleHbm

        return SimpleHbm(beat_interval=beat_interval)
    if model == "none":
        return _Free()
    raise ValueError(f"unknown HBM model {model!r}; known models: {', '.join(MODELS)}")
