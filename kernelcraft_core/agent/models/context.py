"""What a model that plays a part (a script, the baseline) may know about the workload it is used on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from attrs import field, frozen

from kernelcraft_core.agent.models.errors import fail
from kernelcraft_core.tasks import KERNEL_KINDS, Kernel

BASELINE = "baseline"
"""Names the first kernel, whatever its kind."""
_TEMPLATE = re.compile(r"\{\{\s*([a-z]+)(?::([a-z]+)(?:\.head\((\d{1,6})\))?)?\s*\}\}")


@frozen
class ModelContext:
    """The workload of an episode.

    Attributes:
        target, task, config: its names.
        kernels: returns the target's kernels for it, the baseline first (`Catalogue.kernels`).
    """

    target: str
    task: str
    config: str
    kernels: Callable[[], Sequence[Kernel]] = field(repr=False)

    def kernel(self, kind: str) -> str | None:
        """Return the text of the kernel of a kind, or of the `baseline`; None when there is none."""
        for kernel in self.kernels():
            if kind in (kernel.kind, BASELINE):
                return kernel.source()
        return None


def check_template(text: str) -> None:
    """Check the places in `text` that `fill` replaces.

    Raises:
        ValueError: one is not known.
    """
    for name, kind, _ in _TEMPLATE.findall(text):
        if name == "kernel":
            if kind not in (BASELINE, *KERNEL_KINDS):
                raise ValueError(f"{kind!r} is no kind of kernel: {', '.join((BASELINE, *KERNEL_KINDS))}")
        elif name not in ("target", "task", "config") or kind:
            raise ValueError(f"{{{{{name}}}}} is not known: kernel:KIND, target, task, config")


def fill(text: str, context: ModelContext | None, quote: Callable[[str], str] = str) -> str:
    """Return `text` with `{{kernel:KIND}}`, `{{kernel:KIND.head(LINES)}}`, `{{target}}`, `{{task}}`, `{{config}}` replaced.

    Args:
        text: checked by `check_template`.
        context: the workload; may be missing when nothing is to be replaced.
        quote: applied to what is filled in.

    Raises:
        ModelSetupError: KC0735.
    """

    def value(match: re.Match[str]) -> str:
        if context is None:
            raise fail("KC0735", f"{match[0]} stands for something of a workload, and none is given")
        name, kind, head = match.groups()
        if name != "kernel":
            return quote(str(getattr(context, name)))
        kernel = context.kernel(kind)
        if kernel is None:
            raise fail("KC0735", f"{context.target} has no {kind} kernel for {context.task}/{context.config}")
        return quote(kernel if head is None else _head(kernel, int(head)))

    return _TEMPLATE.sub(value, text)


def _head(kernel: str, count: int) -> str:
    """Return the first lines of a kernel that are more than space or a comment, whatever marks one."""
    lines = [line for line in kernel.splitlines() if line.strip()[:1].isalnum()]
    return "\n".join(lines[:count])
