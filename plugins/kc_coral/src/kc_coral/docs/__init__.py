"""Pages about Coral that people and agents are given beside the generated reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PAGES = ("memory-layout.md", "hardware.md", "numerics.md", "guidance.md")


def pages() -> Mapping[str, str]:
    """Return file name -> Markdown text, in reading order."""
    folder = Path(__file__).parent
    return {name: (folder / name).read_text(encoding="utf-8") for name in PAGES}
