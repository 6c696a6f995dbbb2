"""Running a plan: every cell that has no score yet is scored, and its sample is on the disk before the next one counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from kernelcraft_core.bench.executors import Place
from kernelcraft_core.bench.plan import Cell, Plan
from kernelcraft_core.bench.pool import execute
from kernelcraft_core.bench.scoring import Outcome, Scorer, Workers
from kernelcraft_core.results import KERNELS, RunFolder, plain
from kernelcraft_core.tasks.catalogue import Catalogue

EXPECTED_PASS = "passed"
EXPECTED_MISMATCH = "mismatch"


def missing(plan: Plan, folder: RunFolder) -> list[Cell]:
    """Return the cells that have no score in the run folder, in the order of the plan."""
    return [cell for cell in plan.cells if not folder.scored(cell.id)]


def run(
    plan: Plan,
    folder: RunFolder,
    workers: Workers,
    *,
    jobs: int = 1,
    on_sample: Callable[[Mapping[str, Any]], None] = lambda sample: None,
    wanted: Callable[[Cell], bool] = lambda cell: True,
    place: Place | None = None,
) -> list[dict[str, Any]]:
    """Score what has no score and return the samples of the whole plan, in its order, as far as there are any.

    Args:
        plan: the cells.
        folder: where samples and kernels go; this process is its writer.
        workers: how worker processes load plug-ins.
        jobs: number of processes; 1 scores in this one, in the plan's order.
        on_sample: called with each new sample once it is on the disk.
        wanted: asked before each cell is begun; a cell that is not wanted any more stays without a sample.
        place: where cells are scored instead of in processes of this machine.

    Raises:
        ResultsError: KC0806 the run folder cannot be written; what is in it stays.
    """
    cells = missing(plan, folder)
    jobs = max(1, min(jobs, len(cells)))
    if jobs > 1 and workers.scorer is Scorer:  # the longest ones first: no worker is left with one of them at the end
        cells.sort(key=lambda cell: -_expected(workers.catalogue, cell))
    path = folder.path.absolute()  # workers may have another working directory
    with closing(execute(cells, plan.settings, path, workers, jobs, wanted, place)) as outcomes:
        for cell, outcome in outcomes:
            if not outcome.final:
                continue
            sample = sample_of(cell, outcome, folder)
            folder.append(sample)
            on_sample(sample)
    latest = folder.latest()
    return [latest[cell.id] for cell in plan.cells if cell.id in latest]


def _expected(catalogue: Catalogue, cell: Cell) -> int:
    """Return the bound of a cell's cycles, which tells how long it will run next to others; 0 when it has none."""
    try:
        return catalogue.workload(cell.target, cell.task, cell.config).bound(cell.setup.values).cycles
    except Exception:  # a mistake in the plug-in; scoring the cell reports it
        return 0


def sample_of(cell: Cell, outcome: Outcome, folder: RunFolder) -> dict[str, Any]:
    """Return the sample of a cell, its kernel written."""
    kernel = None
    if cell.given is not None and cell.given.problem is None:  # it was copied when the run started
        kernel = {"path": f"{KERNELS}/{cell.kernel}", "sha256": cell.given.sha256}
    elif outcome.kernel is not None:
        kernel = folder.write_kernel(cell.kernel, outcome.kernel)
    draws = [{k: v for k, v in draw.items() if k != "comparison"} for draw in outcome.entry["draws"]]
    sample: dict[str, Any] = plain(
        {
            **outcome.entry,
            "id": cell.id,
            "level": cell.level,
            "suite": {"name": cell.suite[0], "version": cell.suite[1]},
            "machine": cell.setup.machine,
            "backend": cell.setup.backend,
            "extensions": cell.setup.extensions,
            "isa_digest": cell.setup.isa_digest,
            "subject": cell.subject,
            "repeat": cell.repeat,
            "expected": EXPECTED_PASS if cell.passes else EXPECTED_MISMATCH,
            "kernel": kernel,
            "draws": draws,
            "undefined_reads": max((draw["undefined_reads"] for draw in draws), default=0),
            "seconds": round(outcome.seconds, 3),
            **outcome.more,
        }
    )
    return sample
