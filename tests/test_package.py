"""`import kernelcraft_core`: what it offers and what it does not import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import kernelcraft_core


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = "numpy lark click litellm attr kernelcraft_core.isa kernelcraft_core.sim kernelcraft_core.plugins"
    script = f"import sys, kernelcraft_core; print(*(n for n in '{heavy}'.split() if n in sys.modules))"
    assert run(script) == "\n"


def test_announcing_a_target_imports_nothing_heavy() -> None:
    heavy = "numpy lark click litellm kernelcraft_core.isa kernelcraft_core.sim kernelcraft_core.plugins"
    script = (
        "import sys\nfrom kernelcraft_core import TargetInfo, hookimpl\nTargetInfo('a', 'A')\n"
        f"print(*(n for n in '{heavy}'.split() if n in sys.modules))"
    )
    assert run(script) == "\n"


@pytest.mark.parametrize("name", kernelcraft_core.__all__)
def test_every_public_name_is_there_and_listed(name: str) -> None:
    assert getattr(kernelcraft_core, name) is not None
    assert name in dir(kernelcraft_core)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        kernelcraft_core.nothing  # noqa: B018


@pytest.mark.parametrize(
    "first", ["import kernelcraft_core.facade", "from kernelcraft_core.facade import Target", "kernelcraft_core.target"]
)
def test_target_is_the_function_whatever_was_imported_before(first: str) -> None:
    script = f"import kernelcraft_core\n{first}\nprint(type(kernelcraft_core.target).__name__)"
    assert run(script) == "function\n"
