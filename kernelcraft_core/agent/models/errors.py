"""What is wrong before a model is called.

| code | meaning |
| --- | --- |
| KC0730 | there is no such model |
| KC0731 | a model's setting is unknown, has a value it cannot have, or would write down a secret |
| KC0732 | a script or transcript cannot be read, or is not in its format |
| KC0733 | litellm, which calls models of services, is not installed |
| KC0734 | a plug-in's models are not usable, or two plug-ins offer a model of one name |
| KC0735 | a model needs a kernel that the workload does not have |
| KC0736 | the environment has no key for a model's service |

While a model is being called, failures are `ModelError`s: results of an episode, not mistakes of the user.
"""

from __future__ import annotations

from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError


class ModelSetupError(KernelCraftError):
    """A model cannot be opened as asked (KC073x)."""


def fail(code: str, message: str, hint: str | None = None) -> ModelSetupError:
    """Return the exception of one finding."""
    return ModelSetupError(Diagnostic(code, message, hint=hint))
