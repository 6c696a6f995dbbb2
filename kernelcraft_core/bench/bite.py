"""Checking that workloads bite, over many of them and in several processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from attrs import frozen

from kernelcraft_core import plugins
from kernelcraft_core.bench.plan import BASELINE
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.evaluation.bite import Bite, check
from kernelcraft_core.tasks import Workload
from kernelcraft_core.tasks.catalogue import Catalogue, select


@frozen
class Job:
    """One kernel of one workload, and how many mutants of it are run on which inputs."""

    target: str
    task: str
    config: str
    kind: str
    mutants: int
    salt: str


def jobs_of(catalogue: Catalogue, options: Mapping[str, Any]) -> list[Job]:
    """Return what is to be checked.

    Args:
        catalogue: what there is.
        options: `targets`, `tasks`, `levels`, `configs` (empty: all), `kind` (`baseline`; None: the expert kernel, else the
            baseline), `mutants`, `seed`.

    Raises:
        PluginError: KC0305 no such target. EvaluationError: KC0603 no such task, KC0607 a workload has no such kernel.
    """
    for slug in options["tasks"]:
        catalogue.task(slug)
    configs = [config.upper() for config in options["configs"]]
    out = []
    for target in options["targets"] or catalogue.registry.targets:
        known = catalogue.workloads(target).values()
        for workload in select(known, catalogue, options["tasks"], options["levels"], configs):
            kind = _kind(catalogue, workload, options["kind"])
            out.append(Job(target, workload.task, workload.config, kind, options["mutants"], options["seed"]))
    return out


def _kind(catalogue: Catalogue, workload: Workload, wanted: str | None) -> str:
    """Return the kind of kernel to mutate: the expert one by default, which is simulated soonest, else the baseline."""
    if wanted == BASELINE:
        return catalogue.kernel(workload).kind
    if wanted is None:
        kinds = [kernel.kind for kernel in catalogue.kernels(workload) if kernel.passes]
        wanted = "expert" if "expert" in kinds else None
    return catalogue.kernel(workload, wanted).kind


def run(
    catalogue: Catalogue, jobs: Sequence[Job], processes: int, step: Callable[[int], object], settings: Any = None
) -> Iterator[Bite]:
    """Yield what each job found, in the order of `jobs`.

    Args:
        catalogue: used when there is one process.
        jobs: what to check.
        processes: how many; the largest configurations start first.
        step: called with 1 after each job.
        settings: (files of one-file plug-ins, whether the local folder is loaded), for the processes.

    Raises:
        EvaluationError: KC0610 a kernel fails its own workload.
    """
    if processes == 1:
        evaluator = Evaluator(catalogue)
        for job in jobs:
            yield _check(evaluator, job)
            step(1)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _begin, settings or ((), False)) as pool:
        heaviest = sorted(range(len(jobs)), key=lambda i: jobs[i].config, reverse=True)
        futures = {i: pool.submit(_work, jobs[i]) for i in heaviest}
        for future in futures.values():
            future.add_done_callback(lambda done: step(1))
        try:
            for i in range(len(jobs)):
                yield futures[i].result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _check(evaluator: Evaluator, job: Job) -> Bite:
    workload = evaluator.catalogue.workload(job.target, job.task, job.config)
    kernel = evaluator.catalogue.kernel(workload, job.kind)
    return check(evaluator, workload, kernel, job.mutants, job.salt)


_evaluator: Evaluator | None = None


def _begin(files: Sequence[str], local: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C in a terminal ends the workers at once and without a word
    plugins.configure(files, local=local)


def _work(job: Job) -> Bite:
    """Return what a job found; plug-ins are loaded with the first one of a process."""
    global _evaluator
    if _evaluator is None:
        _evaluator = Evaluator(Catalogue(plugins.registry()))
    return _check(_evaluator, job)
