"""Scoring cells in worker processes, so that a worker that dies costs its own cell and nothing else, or through an executor.

Workers are started afresh (`spawn`), share nothing with this process, and end with it: each waits on a pipe that only this
process holds open. As many cells as there are workers are out at any time, so when a worker dies the suspects are few; they
are tried again one at a time, alone.

| code | meaning |
| --- | --- |
| KC0625 | the process that scored a kernel died, and again when it was tried alone: out of memory, or a crash in native code |
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from kernelcraft_core import plugins
from kernelcraft_core.bench.executors import Place
from kernelcraft_core.bench.plan import Cell, Settings
from kernelcraft_core.bench.scoring import CellScorer, Outcome, ScorerFactory, Workers, without_run
from kernelcraft_core.diagnostics import Diagnostic
from kernelcraft_core.evaluation.model import HARNESS_ERROR
from kernelcraft_core.hooks import explain
from kernelcraft_core.tasks.catalogue import Catalogue

Wanted = Callable[[Cell], bool]


@frozen
class Order:
    """What a worker is told when it starts."""

    settings: Settings
    folder: Path
    files: tuple[str, ...]
    local: bool
    scorer: ScorerFactory

    def make(self) -> CellScorer:
        """Return a scorer with the plug-ins of this process."""
        plugins.configure(self.files, local=self.local)
        return self.scorer(Catalogue(plugins.registry()), self.settings, self.folder)


def execute(
    cells: Sequence[Cell],
    settings: Settings,
    folder: Path,
    workers: Workers,
    jobs: int,
    wanted: Wanted,
    place: Place | None = None,
) -> Generator[tuple[Cell, Outcome]]:
    """Yield each cell with its outcome as soon as it is known; closing the generator ends the workers.

    Args:
        cells: in the order in which they are started.
        settings: of the run.
        folder: the run folder.
        workers: how they load plug-ins.
        jobs: number of processes; 1 scores in this one. Through a place: cells that are out at any time.
        wanted: asked before each cell is begun.
        place: where cells are scored instead.
    """
    order = Order(settings, folder, workers.files, workers.local, workers.scorer)
    if place is not None:
        yield from _through(place, order, cells, jobs, wanted)
        return
    if jobs == 1:
        scorer = workers.scorer(workers.catalogue, settings, folder)
        for cell in cells:
            if wanted(cell):
                yield cell, scorer.score(cell)
        return
    pool = _Pool(order, jobs)
    try:
        yield from pool.run(cells, wanted)
    finally:
        pool.stop()


def _next(waiting: deque[Cell], wanted: Wanted) -> bool:
    """Return whether there is a wanted cell, which is then the first one."""
    while waiting and not wanted(waiting[0]):
        waiting.popleft()
    return bool(waiting)


def _through(
    place: Place, order: Order, cells: Sequence[Cell], jobs: int, wanted: Wanted
) -> Generator[tuple[Cell, Outcome]]:
    """Yield outcomes as they come from an executor, which deals with workers that die in its own way."""
    waiting = deque(cells)
    out: dict[Future[Outcome], Cell] = {}
    try:
        while True:
            while len(out) < jobs and _next(waiting, wanted):
                out[place.executor.submit(elsewhere, order, waiting[0])] = waiting[0]
                waiting.popleft()
            if not out:
                return
            for future in wait(out, return_when=FIRST_COMPLETED).done:
                cell = out.pop(future)
                error = future.exception()
                yield cell, future.result() if error is None else _lost(cell, explain(error))
    finally:
        for future in out:
            future.cancel()


def _lost(cell: Cell, reason: str, hint: str | None = None) -> Outcome:
    return Outcome(without_run(cell, HARNESS_ERROR, Diagnostic("KC0625", reason, hint=hint)))


@define(eq=False)
class _Pool:
    """Worker processes that are replaced when one of them dies."""

    order: Order
    jobs: int
    _executor: ProcessPoolExecutor | None = field(default=None, init=False)
    _stop: Connection | None = field(default=None, init=False)

    def run(self, cells: Sequence[Cell], wanted: Wanted) -> Iterator[tuple[Cell, Outcome]]:
        """Yield outcomes as they come."""
        waiting = deque(cells)
        out: dict[Future[Outcome], Cell] = {}
        while out or _next(waiting, wanted):
            try:
                while len(out) < self.jobs and _next(waiting, wanted):
                    out[self._submit(waiting[0], self.jobs)] = waiting[0]
                    waiting.popleft()
                done = wait(out, return_when=FIRST_COMPLETED).done
                broken = any(isinstance(future.exception(), BrokenProcessPool) for future in done)
            except BrokenProcessPool:
                broken = True
            if broken:
                wait(out)  # the others of a broken pool end at once, too
            suspects = []
            for future in [f for f in out if f.done()]:
                cell = out.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    suspects.append(cell)
                else:
                    yield cell, future.result()
            if broken:
                self.stop()
                for cell in suspects:
                    yield cell, self._alone(cell)

    def _alone(self, cell: Cell) -> Outcome:
        """Return the outcome of a cell that has a worker to itself."""
        try:
            return self._submit(cell, 1).result()
        except BrokenProcessPool:
            hint = "it may have run out of memory: try fewer --jobs"
            return _lost(cell, "the process that scored this kernel died twice", hint)
        finally:
            self.stop()

    def _submit(self, cell: Cell, jobs: int) -> Future[Outcome]:
        if self._executor is None:
            context = multiprocessing.get_context("spawn")
            reader, self._stop = context.Pipe(duplex=False)
            self._executor = ProcessPoolExecutor(jobs, context, _begin, (self.order, reader))
        return self._executor.submit(_score, cell)

    def stop(self) -> None:
        """End the workers, also in the middle of a cell."""
        if self._stop is not None:
            self._stop.close()
            self._stop = None
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None


# --- in the worker ----------------------------------------------------------------------------------------------------

_order: Order | None = None
_scorer: CellScorer | None = None
_here = threading.local()


def _begin(order: Order, stop: Connection) -> None:
    """Prepare a worker: it leaves interrupts to its parent, prints to standard error only, and ends with its parent."""
    global _order
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(stop,), daemon=True).start()
    _order = order


def _end_with(stop: Connection) -> None:
    stop.poll(None)  # nothing is ever sent: the pipe ends when the parent closes it or is gone
    os._exit(1)


def _score(cell: Cell) -> Outcome:
    """Return the outcome of a cell; plug-ins are loaded with the first one."""
    global _scorer
    assert _order is not None
    if _scorer is None:
        _scorer = _order.make()
    return _scorer.score(cell)


def elsewhere(order: Order, cell: Cell) -> Outcome:
    """Return the outcome of a cell in a worker of an executor: each of its threads keeps a scorer."""
    kept: tuple[Any, CellScorer] | None = getattr(_here, "kept", None)
    if kept is None or kept[0] != order:
        kept = _here.kept = (order, order.make())
    return kept[1].score(cell)
