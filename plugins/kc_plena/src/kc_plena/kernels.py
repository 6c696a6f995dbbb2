"""The kernels that come with PLENA: what the compiler emits, templates where it has none, and tuned ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kc_plena import baseline, expert
from kernelcraft_core.tasks import Kernel, Workload

COMPILER = (
    "programs of the public PLENA compiler (AICrossSim/PLENA at ecd5acb), restated; every row of the input loaded"
)
PUBLISHED = "as measured in KernelCraft, arXiv 2603.08721, table 15; loads 4 rows of each column block only"
TEMPLATE = "this project's, in the style of the public compiler; it has no published counterpart"
EXPERT = "this project's, tuned by hand for the machine's costs"


class Kernels:
    """Makes the kernels of a workload; the first is the baseline."""

    def kernels(self, workload: Workload) -> Sequence[Kernel]:
        """Return the compiler's kernel or a template, a published one that is wrong, and an expert one."""
        task, config = workload.task, workload.config
        if task not in baseline.TASKS:
            return ()
        compiled = task in baseline.PUBLISHED
        kind, origin = ("compiler", COMPILER) if compiled else ("template", TEMPLATE)
        found = [Kernel(kind, partial(baseline.program, task, config), origin)]
        if task in ("silu", "gelu") and config != "C1":
            published = partial(baseline.program, task, config, "published")
            found.append(Kernel("published", published, PUBLISHED, passes=False))
        if task in expert.TASKS:
            found.append(Kernel("expert", partial(expert.program, task, config), EXPERT))
        return tuple(found)
