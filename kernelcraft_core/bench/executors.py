"""Where cells are scored: in processes of this machine (`local`), or wherever an executor takes them.

An executor is one of `concurrent.futures`: something to submit a function to. `dask` comes with the core, others with plug-ins.

| code | meaning |
| --- | --- |
| KC0626 | there is no such executor, or what it needs is not installed or cannot be reached |
| KC0627 | what a plug-in offers as an executor is none, or its name is taken |
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any

from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic, PluginError, did_you_mean, printable
from kernelcraft_core.hooks import explain
from kernelcraft_core.plugins import PluginRegistry

LOCAL = "local"
SECONDS = 30
"""How long a cluster has to answer."""


@frozen
class Place:
    """Where cells are scored.

    Attributes:
        executor: takes functions that its workers can import. jobs: cells that can be worked on at the same time.
        stop: called at the end, however the run ends.
    """

    executor: Executor
    jobs: int
    stop: Callable[[], object] = field(default=lambda: None)


PlaceFactory = Callable[[str, int | None], Place]
"""(address, empty when none is given; jobs that were asked for) -> a place."""


def _fail(code: str, message: str, hint: str | None = None) -> PluginError:
    return PluginError(Diagnostic(code, message, hint=hint))


def open_place(name: str, jobs: int | None, registry: PluginRegistry) -> Place | None:
    """Return the place that `NAME` or `NAME:ADDRESS` means; None for this machine's own processes.

    Args:
        name: `local`, `dask`, or one of a plug-in; an address may follow behind a colon.
        jobs: cells at the same time, if somebody asks for a number.
        registry: the plug-ins.

    Raises:
        PluginError: KC0626, KC0627.
    """
    kind, _, address = name.partition(":")
    if kind == LOCAL and not address:
        return None
    factories = {"dask": _dask, **_offered(registry)}
    if kind not in factories:
        hint = did_you_mean(kind, (LOCAL, *factories)) or f"executors: {', '.join((LOCAL, *factories))}"
        raise _fail("KC0626", f"there is no executor {printable(repr(name))}", hint)
    try:
        place = factories[kind](address, jobs)
    except PluginError:
        raise
    except Exception as error:
        raise _fail("KC0626", f"the executor {printable(name)} cannot be used: {explain(error)}") from error
    if not isinstance(place, Place):
        raise _fail("KC0627", f"the executor {kind} is {type(place).__name__}, not a Place")
    return place


def _offered(registry: PluginRegistry) -> dict[str, PlaceFactory]:
    """Return the executors of plug-ins. Raises: PluginError KC0627."""
    found: dict[str, PlaceFactory] = {}
    for answer in registry.hook.kc_executors():
        if answer is None:
            continue
        if not isinstance(answer, Mapping):
            raise _fail("KC0627", f"a plug-in's kc_executors returns {type(answer).__name__}, not a mapping")
        for kind, factory in answer.items():
            if not isinstance(kind, str) or ":" in kind or not kind or not callable(factory):
                raise _fail("KC0627", f"a plug-in's kc_executors offers {printable(repr(kind))}, which is no executor")
            if kind in found or kind in (LOCAL, "dask"):
                raise _fail("KC0627", f"the executor {kind!r} is offered twice")
            found[kind] = factory
    return found


def _dask(address: str, jobs: int | None) -> Place:
    """Return a place in a Dask cluster: the one at `address` (`tcp://HOST:PORT`), or a new one on this machine."""
    try:
        dask: Any = importlib.import_module("distributed")
    except ImportError as error:
        hint = "pip install 'kernelcraft-core[dask]'"
        raise _fail("KC0626", f"Dask cannot be imported: {error}", hint) from None
    cluster: Any = None
    if not address:
        cluster = dask.LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.ERROR
        )
    try:
        client = dask.Client(address or cluster, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        if cluster is not None:
            cluster.close()
        raise _fail("KC0626", f"no Dask scheduler answers at {address or 'this machine'}: {error}") from None
    executor = client.get_executor(pure=False)
    threads = sum(client.nthreads().values())

    def stop() -> None:
        with suppress(Exception):  # a scheduler that is gone cannot be told
            client.close(timeout=SECONDS)
        if cluster is not None:
            cluster.close(timeout=SECONDS)

    return Place(executor, jobs or max(1, threads), stop)
