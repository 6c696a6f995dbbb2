"""Coral NPU as a KernelCraft target."""
