"""Extensions that come with PLENA, as TOML files beside this module."""

from __future__ import annotations

from pathlib import Path

from kernelcraft_core.isa.extension import load_extension

EXTENSIONS = (load_extension(Path(__file__).with_name("Xdllm.toml")),)
