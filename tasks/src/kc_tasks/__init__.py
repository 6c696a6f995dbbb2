"""The task suite of the KernelCraft benchmark: operators with their references, independent of any target."""

__version__ = "0.1.0"
