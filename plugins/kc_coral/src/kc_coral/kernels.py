"""The kernels that come with Coral: what a C compiler makes of the files in `baseline/c`, and ones tuned by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kc_coral import baseline, expert
from kc_coral.baseline import build
from kc_coral.baseline.build import NAMES, Compiler
from kernelcraft_core.tasks import Kernel, Workload

EXPERT = "this project's, tuned by hand for the machine's costs"


class Kernels:
    """Has the kernels of a workload, the baseline first, and can make the compiled ones again."""

    compilers = NAMES

    def kernels(self, workload: Workload) -> Sequence[Kernel]:
        """Return the compiled kernel and the expert one."""
        task, config = workload.task, workload.config
        found = []
        if baseline.has(task, config):
            found.append(Kernel("compiler", partial(baseline.text, task, config), baseline.origin(task, config)))
        if task in expert.TASKS:
            found.append(Kernel("expert", partial(expert.program, task, config), EXPERT))
        return tuple(found)

    def builder(self, compiler: str | None = None) -> Compiler:
        """Return an installed compiler. Raises: PluginError KC0630 there is none."""
        return build.compiler(compiler)
