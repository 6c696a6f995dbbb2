"""Agents: a model, six tools, and the loop in which it writes a kernel.

`protocol` has what a model is, `tools` what it may do, `loop` how an episode goes; nothing here imports a model library before
a model is called.
"""
