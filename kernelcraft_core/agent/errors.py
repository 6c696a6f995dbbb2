"""What goes wrong with an episode itself. What an agent does wrong is an answer of a tool, never an exception.

| code | meaning |
| --- | --- |
| KC0700 | the folder for a new episode exists and is not empty, or it cannot be written |
| KC0701 | a folder holds no episode, or its record cannot be read |
| KC0702 | the record of an episode is of another schema, or damaged |
| KC0703 | the target, its machine or the task suite is not what it was when the episode started |
| KC0704 | another process works on the episode |
| KC0705 | an episode is to be scored and holds no kernel |
"""

from __future__ import annotations

from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError


class EpisodeError(KernelCraftError):
    """An episode cannot be started, opened or scored (KC07xx)."""


def fail(code: str, message: str, hint: str | None = None) -> EpisodeError:
    """Return the error of one finding."""
    return EpisodeError(Diagnostic(code, message, hint=hint))
