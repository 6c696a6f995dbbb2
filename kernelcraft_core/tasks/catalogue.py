"""The catalogue: every task and workload that the loaded plug-ins bring, checked together.

| code | meaning |
| --- | --- |
| KC0601 | a suite repeats a task of another suite, or is no suite |
| KC0602 | a workload is given twice, or is no workload |
| KC0603 | no suite has this task |
| KC0604 | the target has no workload for this task and configuration |
| KC0605 | a workload does not fit its task: unknown flag or family, or no such task |
| KC0607 | the target has no kernel for this workload |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, KernelCraftError, PluginError, did_you_mean
from kernelcraft_core.hooks import explain
from kernelcraft_core.plugins import PluginRegistry
from kernelcraft_core.tasks.families import STANDARD
from kernelcraft_core.tasks.model import Published, PublishedSuccess, Suite, Task
from kernelcraft_core.tasks.workload import Kernel, Workload

_T = TypeVar("_T")


def _fail(code: str, message: str, hint: str | None = None) -> EvaluationError:
    return EvaluationError(Diagnostic(code, message, hint=hint))


@frozen(eq=False, slots=False)
class Catalogue:
    """Tasks by slug and workloads by target, made when first asked for."""

    registry: PluginRegistry

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """The task suites, in the order of their plug-ins.

        Raises:
            EvaluationError: KC0601.
        """
        found: list[Suite] = []
        owner: dict[str, str] = {}
        for suite in self.registry.hook.kc_tasks():
            if suite is None:
                continue
            if not isinstance(suite, Suite):
                raise _fail("KC0601", f"a plug-in's kc_tasks returns {type(suite).__name__}, not a Suite")
            for task in suite.tasks:
                other = owner.setdefault(task.slug, suite.name)
                if other != suite.name or any(s.name == suite.name for s in found):
                    raise _fail("KC0601", f"suites {other} and {suite.name} both have the task {task.slug!r}")
            found.append(suite)
        return tuple(found)

    def published(self) -> list[Published]:
        """Return the cited results of all suites.

        Raises:
            EvaluationError: KC0601 a suite fails to give them.
        """
        return [entry for suite in self.suites for entry in _cited(suite, suite.published)]

    def published_success(self) -> list[PublishedSuccess]:
        """Return the cited success of all suites. Raises: as `published`."""
        return [entry for suite in self.suites for entry in _cited(suite, suite.published_success)]

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """Slug -> task: by number, then those without one by slug."""
        tasks = [task for suite in self.suites for task in suite.tasks]
        tasks.sort(key=lambda t: (t.number is None, t.number or 0, t.slug))
        return {task.slug: task for task in tasks}

    def suite_of(self, slug: str) -> Suite:
        """Return the suite a task belongs to. Raises: EvaluationError KC0603."""
        task = self.task(slug)
        return next(suite for suite in self.suites if task in suite.tasks)

    def task(self, slug: str) -> Task:
        """Return a task by slug.

        Raises:
            EvaluationError: KC0603.
        """
        found = self.tasks.get(slug)
        if found is None:
            hint = did_you_mean(slug, self.tasks) or "`kc list-tasks` shows them"
            raise _fail("KC0603", f"no task is called {slug!r}", hint if self.tasks else "no task suite is installed")
        return found

    def workloads(self, target: str) -> Mapping[tuple[str, str], Workload]:
        """Return (task, config) -> workload of a target, in the order of tasks, then configurations.

        Raises:
            PluginError: KC0305 no such target.
            EvaluationError: KC0602, KC0605.
        """
        if target not in self.registry.targets:
            hint = did_you_mean(target, self.registry.targets) or "`kc list-targets` shows them"
            raise PluginError(Diagnostic("KC0305", f"no target is called {target!r}", hint=hint))
        cache = self._by_target
        if target not in cache:
            cache[target] = self._load(target)
        return cache[target]

    @cached_property
    def _by_target(self) -> dict[str, Mapping[tuple[str, str], Workload]]:
        return {}

    def _load(self, target: str) -> Mapping[tuple[str, str], Workload]:
        found: dict[tuple[str, str], Workload] = {}
        for part in self.registry.hook.kc_workloads(target=target):
            for workload in _sequence(part, "KC0602", "kc_workloads"):
                if not isinstance(workload, Workload):
                    raise _fail("KC0602", f"a plug-in's kc_workloads returns {type(workload).__name__}, not a Workload")
                key = (workload.task, workload.config)
                if workload.target != target or key in found:
                    reason = "twice" if key in found else f"for target {workload.target}"
                    raise _fail("KC0602", f"{target}: workload {workload.name} is given {reason}")
                self._fits(workload)
                found[key] = workload
        order = {slug: index for index, slug in enumerate(self.tasks)}
        return dict(sorted(found.items(), key=lambda item: (order[item[0][0]], item[0][1])))

    def _fits(self, workload: Workload) -> None:
        where = f"{workload.target}: workload {workload.name}"
        if workload.task not in self.tasks:
            raise _fail("KC0605", f"{where}: no suite has the task {workload.task!r}", "install its task suite")
        task = self.tasks[workload.task]
        try:
            task.resolved(workload.flags)
        except ValueError as error:
            raise _fail("KC0605", f"{where}: {error}") from None
        if workload.families[:1] != (STANDARD,):
            raise _fail("KC0605", f"{where}: its first input family is not {STANDARD!r}")
        for name in workload.families:
            if name not in task.family_names:
                raise _fail("KC0605", f"{where}: {task.slug} has no input family {name!r}")

    def workload(self, target: str, task: str, config: str) -> Workload:
        """Return a workload.

        Raises:
            PluginError: KC0305. EvaluationError: KC0603, KC0604, and as `workloads`.
        """
        known = self.workloads(target)
        self.task(task)
        found = known.get((task, config))
        if found is None:
            configs = [c for t, c in known if t == task]
            tasks = dict.fromkeys(t for t, _ in known)
            hint = f"configurations: {', '.join(configs)}" if configs else f"it has {', '.join(tasks) or 'none'}"
            raise _fail("KC0604", f"{target} has no workload {task}/{config}", hint)
        return found

    def kernels(self, workload: Workload) -> Sequence[Kernel]:
        """Return the kernels that come with a target for a workload, the baseline first; empty when there are none.

        Raises:
            EvaluationError: KC0607 what the target's compiler gives are no kernels.
        """
        compiler: Any = self.registry.hook.kc_baseline_compiler(target=workload.target)
        try:
            kernels = tuple(compiler.kernels(workload)) if compiler is not None else ()
        except KernelCraftError:
            raise
        except (Exception, SystemExit) as error:
            message = f"{workload.target}: the kernels of {workload.name} cannot be had: {explain(error)}"
            raise _fail("KC0607", message, "this is a mistake in the target's plug-in") from error
        kinds = [kernel.kind if isinstance(kernel, Kernel) else "?" for kernel in kernels]
        if "?" in kinds or len(set(kinds)) != len(kinds):
            raise _fail("KC0607", f"{workload.target}: kernels of {workload.name} are {kinds}: not one of each kind")
        return kernels

    def kernel(self, workload: Workload, kind: str | None = None) -> Kernel:
        """Return the kernel of a kind, or the baseline.

        Raises:
            EvaluationError: KC0607 there is none.
        """
        kernels = self.kernels(workload)
        for kernel in kernels:
            if kind is None or kernel.kind == kind:
                return kernel
        what = f"{kind} kernel" if kind else "kernel"
        hint = f"there is {', '.join(k.kind for k in kernels)}" if kernels else None
        raise _fail("KC0607", f"{workload.target} has no {what} for {workload.name}", hint)


def _cited(suite: Suite, give: Callable[[], Sequence[_T]]) -> Sequence[_T]:
    try:
        return give()
    except Exception as error:
        message = f"suite {suite.name} cannot give its published results: {explain(error)}"
        raise _fail("KC0601", message, "this is a mistake in the suite's plug-in") from error


def _sequence(value: Any, code: str, hook: str) -> Iterable[Any]:
    """Return what a hook returned, if it can be gone through."""
    if not isinstance(value, list | tuple):
        raise _fail(code, f"a plug-in's {hook} returns {type(value).__name__}, not a sequence")
    return value


def select(
    workloads: Iterable[Workload],
    catalogue: Catalogue,
    tasks: Sequence[str] = (),
    levels: Sequence[int] = (),
    configs: Sequence[str] = (),
) -> list[Workload]:
    """Return the workloads that are of one of the tasks, levels and configurations; an empty choice means all."""
    return [
        w
        for w in workloads
        if (not tasks or w.task in tasks)
        and (not levels or catalogue.tasks[w.task].level in levels)
        and (not configs or w.config in configs)
    ]
