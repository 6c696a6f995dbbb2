"""Models by name: of services through litellm, from scripts and transcripts, a person, and those of plug-ins.

Importing this loads no model library: litellm is imported when a model of a service is called for the first time.
"""

from kernelcraft_core.agent.models.context import ModelContext
from kernelcraft_core.agent.models.errors import ModelSetupError
from kernelcraft_core.agent.models.registry import KINDS, Factory, open_model

__all__ = ["KINDS", "Factory", "ModelContext", "ModelSetupError", "open_model"]
