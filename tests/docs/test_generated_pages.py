"""Generated pages are up to date, and every diagnostic code is documented once and used."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """Return the generator as a module."""
    spec = importlib.util.spec_from_file_location("kernelcraft_docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_up_to_date(generate: ModuleType) -> None:
    for name, text in generate.pages().items():
        written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        assert written == text, f"run `python docs/generate.py`: {name} is out of date"


def test_every_code_is_documented_once_and_used(generate: ModuleType) -> None:
    core = generate.codes(generate.distributions()["kernelcraft-core"])
    for name, package in generate.distributions().items():
        for code in generate.codes(package).values():
            if name != "kernelcraft-core" and code.code in core:  # a plug-in may raise the core's findings
                assert not code.documented, f"{name}: {code.code} is the core's"
                continue
            assert len(code.documented) == 1, f"{name}: {code.code} stands in {code.documented or 'no docstring table'}"
            assert code.used, f"{name}: {code.code} is documented in {code.documented[0]} and used nowhere"


def test_meanings_are_different(generate: ModuleType) -> None:
    for package in generate.distributions().values():
        meanings = [m for code in generate.codes(package).values() for m in code.meanings]
        assert len(meanings) == len(set(meanings))
