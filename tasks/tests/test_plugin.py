"""The hook and the distribution."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import kc_tasks
from kc_tasks import plugin
from kernelcraft_core.plugins import load
from kernelcraft_core.tasks import Suite


def test_hook_through_the_registry_returns_the_suite() -> None:
    registry = load(names=["tasks"])
    suites = registry.hook.kc_tasks()
    assert not registry.broken
    assert [(type(suite), suite.name, suite.version) for suite in suites] == [(Suite, "kernelcraft", "1.0")]


def test_hook_called_twice_returns_the_same_object() -> None:
    assert plugin.kc_tasks() is plugin.kc_tasks()


def test_import_of_the_plugin_does_not_import_numpy_or_the_suite() -> None:
    code = "import sys, kc_tasks.plugin; print([m for m in ('numpy', 'kc_tasks.suite') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_suite_imports_no_target() -> None:
    code = "import sys, kc_tasks.suite; print([m for m in sys.modules if m.startswith('kc_')])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = result.stdout.replace("'", "").strip().strip("[]").split(", ")
    assert {name.split(".")[0] for name in names} == {"kc_tasks"}


def test_version_equals_that_of_the_installed_distribution() -> None:
    assert metadata.version("kc-tasks") == kc_tasks.__version__
