"""What the tests of runs of models share: scripts, the command, and a plug-in with models and executors that misbehave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Kc = Callable[..., Result]
PLUGIN = '''
"""A model that counts its calls in a file, a second task, and executors that are right and wrong."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import attrs

from kernelcraft_core import hookimpl

KC_API = 1
MARK = {mark!r}


@hookimpl
def kc_models():
    from kernelcraft_core.agent.protocol import Message, ModelError, Reply

    class Counting:
        def __init__(self, name, settings, context):
            self.name, self.settings = name, dict(settings)

        def reply(self, messages, tools):
            with open(MARK, "a") as stream:
                stream.write("x")
            if os.path.getsize(MARK) == 1:
                raise ModelError("server", "down for a moment")
            return Reply(Message("assistant", "I give up."))

    class Dying(Counting):
        def reply(self, messages, tools):
            if not os.path.exists(MARK):
                open(MARK, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            return Reply(Message("assistant", "I give up."))

    return {{"counting": Counting, "dying": Dying}}


@hookimpl
def kc_tasks():
    from kc_toy.tasks import TRIPLE
    from kernelcraft_core.tasks import Suite

    return Suite("more", "1.0", (attrs.evolve(TRIPLE, slug="thrice", title="Thrice"),))


@hookimpl
def kc_workloads(target):
    if target != "toy":
        return None
    from kc_toy.tasks import workloads

    return [attrs.evolve(w, task="thrice") for w in workloads()]


@hookimpl
def kc_executors():
    from kernelcraft_core.bench.executors import Place

    def threads(address, jobs):
        pool = ThreadPoolExecutor(jobs or 2)
        return Place(pool, jobs or 2, pool.shutdown)

    def broken(address, jobs):
        raise OSError("nobody listens at " + address)

    return {{"threads": threads, "broken": broken, "odd": lambda address, jobs: 7}}
'''


@pytest.fixture
def bench(kc: Kc) -> Kc:
    """Return a function that runs `kc bench` in one process."""

    def run(*args: str, exit_code: int = 0) -> Result:
        return kc("bench", "--jobs", "1", *args, exit_code=exit_code)

    return run


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str, str], str]:
    """Return a function that writes a script and returns the name of its model."""

    def write(text: str, name: str = "script") -> str:
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        return f"scripted:{path}"

    return write


@pytest.fixture
def plugin(tmp_path: Path) -> tuple[str, ...]:
    """Return the options that load the plug-in."""
    path = tmp_path / "counting_plugin.py"
    path.write_text(PLUGIN.format(mark=str(tmp_path / "calls")))
    return ("--plugin-file", str(path))
