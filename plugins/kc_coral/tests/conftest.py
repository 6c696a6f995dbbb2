"""Makes `reference/` and `oracle/` importable as the packages `coral_reference` and `coral_oracle`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

for folder in ("reference", "oracle"):
    name = f"coral_{folder}"
    if name not in sys.modules:
        place = Path(__file__).parent / folder
        spec = importlib.util.spec_from_file_location(
            name, place / "__init__.py", submodule_search_locations=[str(place)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
