"""The kernels that come with Coral: what a C compiler makes of the files in `baseline/c`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kc_coral import baseline
from kernelcraft_core.tasks import Kernel, Workload


class Kernels:
    """Has the kernels of a workload; the first is the baseline."""

    def kernels(self, workload: Workload) -> Sequence[Kernel]:
        """Return the compiled kernel."""
        task, config = workload.task, workload.config
        if not baseline.has(task, config):
            return ()
        return (Kernel("compiler", partial(baseline.text, task, config), baseline.origin(task, config)),)
