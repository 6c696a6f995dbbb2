"""Makes `reference/` importable as the package `coral_reference`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

NAME = "coral_reference"
if NAME not in sys.modules:
    folder = Path(__file__).parent / "reference"
    spec = importlib.util.spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules[NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[NAME])
