"""`kc bench` that is killed or interrupted at any moment, and continued: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kernelcraft_core.results import RunFolder

KILLS = 24
ARGS = ("bench", "--kind", "all", "--draws", "12", "--seed", "fixed")
SLEEP = "with open(MARK, 'a') as stream: stream.write(f'{os.getpid()}\\n')\ntime.sleep(60)"


def child(args: tuple[str, ...]) -> None:
    from kernelcraft_core.cli.main import main

    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    main(list(args))


def begin(*args: str) -> Any:
    """Return a process that runs `kc` with everything imported already, so that it starts at once."""
    process = multiprocessing.get_context("fork").Process(target=child, args=(args,))
    process.start()
    return process


def scores(path: Path) -> list[dict[str, Any]]:
    skip = ("seconds", "version")
    samples = [{k: v for k, v in s.items() if k not in skip} for s in RunFolder.open(path).samples()]
    return sorted(samples, key=lambda s: s["id"])


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_run_killed_at_random_moments_and_continued_equals_an_undisturbed_one(kc: Any, tmp_path: Path) -> None:
    started = time.monotonic()
    kc(*ARGS, "--jobs", "1", "--out", str(tmp_path / "whole"))
    length = time.monotonic() - started
    whole = scores(tmp_path / "whole")
    assert len(whole) == 6
    moments = random.Random(1)
    kills = runs = 0
    while kills < KILLS:
        path = tmp_path / f"run{runs}"
        runs += 1
        process = begin(*ARGS, "--jobs", "1", "--out", str(path))
        while True:
            process.join(moments.uniform(0, length))
            if process.exitcode is not None:
                break
            process.kill()
            process.join()
            kills += 1
            if not (path / "run.json").exists():  # killed before the run began
                path = tmp_path / f"run{runs}"
                runs += 1
                process = begin(*ARGS, "--jobs", "1", "--out", str(path))
            else:
                kept = scores(path)
                assert all(sample in whole for sample in kept)
                process = begin("bench", "--resume", str(path), "--jobs", "1")
        assert process.exitcode == 0
        assert scores(path) == whole
        kernels = {p.relative_to(path): p.read_bytes() for p in path.rglob("*.asm")}
        assert kernels == {
            p.relative_to(tmp_path / "whole"): p.read_bytes() for p in (tmp_path / "whole").rglob("*.asm")
        }


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for(condition: Any, what: str) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail(f"waited in vain: {what}")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_a_run_that_is_killed_or_interrupted(plugin: Any, tmp_path: Path, how: signal.Signals) -> None:
    mark, path = tmp_path / "pids", tmp_path / "run"
    files = [str(plugin(SLEEP, config, mark)) for config in ("C3", "C4")]
    command = [sys.executable, "-m", "kernelcraft_core", *(word for file in files for word in ("--plugin-file", file))]
    command += ["bench", "--jobs", "2", "--out", str(path), "--seed", "s", "--config", "C3", "--config", "C4"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: mark.exists() and len(set(mark.read_text().split())) == 2, "two workers")
    pids = {int(word) for word in mark.read_text().split()}
    assert process.pid not in pids
    process.send_signal(how)
    out, err = process.communicate(timeout=30)
    wait_for(lambda: all(map(gone, pids)), "the workers' end")
    assert out == ""
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert f"continue with: kc bench --resume {path}" in err
        assert "Traceback" not in err
    assert json.loads((path / "run.json").read_text())["settings"]["salt"] == "s"
    with RunFolder.resume(path) as folder:  # nobody holds it
        assert list(folder.samples()) == []


def test_kept_nothing_leaves_no_folder_behind_when_interrupted(plugin: Any, tmp_path: Path) -> None:
    mark, place = tmp_path / "pids", tmp_path / "tmp"
    place.mkdir()
    file = plugin(SLEEP, "C3", mark)
    command = [sys.executable, "-m", "kernelcraft_core", "--plugin-file", str(file), "bench", "--config", "C3"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(place)})
    wait_for(mark.exists, "the first draw")
    assert len(list(place.iterdir())) == 1
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, list(place.iterdir())) == (130, [])
    assert "--resume" not in err
