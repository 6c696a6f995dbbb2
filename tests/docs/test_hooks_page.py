"""The page on hooks lists every hook with its arguments."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from kernelcraft_core import hookspecs

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "hooks.md").read_text(encoding="utf-8")
HOOKS = {name: function for name, function in vars(hookspecs).items() if name.startswith("kc_")}
RESERVED = PAGE[PAGE.index("\n## Reserved") :]


def test_hooks_are_known_here() -> None:
    assert len(HOOKS) >= 12


@pytest.mark.parametrize("name", HOOKS)
def test_hook_has_a_heading_with_its_arguments(name: str) -> None:
    arguments = ", ".join(inspect.signature(HOOKS[name]).parameters)
    assert re.findall(rf"^### `{name}\((.*)\)`$", PAGE, re.MULTILINE) == [arguments]
    assert f"| [`{name}({arguments})`](#" in PAGE


def test_page_has_no_hook_that_is_not_there() -> None:
    assert set(re.findall(r"^### `(\w+)\(", PAGE, re.MULTILINE)) == set(HOOKS)
    assert set(re.findall(r"\bkc_\w+(?=\()", PAGE)) == set(HOOKS)


@pytest.mark.parametrize("name", HOOKS)
def test_reserved_hooks_are_said_to_be_reserved(name: str) -> None:
    docstring = inspect.getdoc(HOOKS[name]) or ""
    assert (name in hookspecs.RESERVED) == ("Reserved:" in docstring) == (f"### `{name}(" in RESERVED)


@pytest.mark.parametrize("name", HOOKS)
def test_docstring_says_when_it_is_called_what_comes_in_and_what_goes_out(name: str) -> None:
    docstring = inspect.getdoc(HOOKS[name]) or ""
    parameters = inspect.signature(HOOKS[name]).parameters
    assert "Called " in docstring or name in hookspecs.RESERVED
    assert all(f"\n    {parameter}: " in docstring for parameter in parameters)
    assert "Returns:" in docstring or name == "kc_commands"
