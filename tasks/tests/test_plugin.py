from importlib import metadata

import kc_tasks
from kc_tasks import plugin


def test_plugin_without_tasks_returns_an_empty_suite():
    assert tuple(plugin.kc_tasks()) == ()


def test_version_equals_that_of_the_installed_distribution():
    assert metadata.version("kc-tasks") == kc_tasks.__version__
