#!/usr/bin/env python3
"""How long `kc list-targets` takes: with bytecode on disk (warm) and without (cold), and what it imports.

    python benchmarks/bench_startup.py [--repeat N]

Run it with the Python of an environment in which KernelCraft and its plug-ins are installed. Promised: 0.3 s cold,
0.2 s warm. "Cold" compiles every module of KernelCraft and its plug-ins anew, as the first run after an update does;
what they depend on keeps its bytecode. Wall-clock times need an idle machine; the processor's time beside them suffers
less from company. The exit code is 1 when not even the best run keeps the promise, or something heavy is imported.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIST_TARGETS = [sys.executable, "-m", "kernelcraft_core", "list-targets"]
PROMISES = {"warm": 0.2, "cold": 0.3}
HEAVY = ("numpy", "lark", "litellm")
Times = list[tuple[float, float]]


def environment(**extra: str) -> dict[str, str]:
    """Return the environment without what turns bytecode off or moves it."""
    kept = {k: v for k, v in os.environ.items() if k not in {"PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}}
    return kept | extra


def timed(command: list[str], **extra: str) -> tuple[float, float]:
    """Return the wall-clock and processor seconds of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment(**extra), check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold(repeat: int) -> Times:
    """Return times without bytecode of the project's own packages."""
    out = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(repeat + 1):
            out.append(timed(LIST_TARGETS, PYTHONPYCACHEPREFIX=cache))
            for path in Path(cache).rglob("*.pyc"):
                if any(part == "kernelcraft_core" or part.startswith("kc_") for part in path.parts):
                    path.unlink()
    return out[1:]  # the first one filled the cache with everything else


def imported() -> list[str]:
    """Return the heavy packages that listing targets imports (it should be none), then the number of modules."""
    script = (
        "import sys; from kernelcraft_core.cli.main import main\n"
        "try: main(['list-targets', '--json'])\n"
        "except SystemExit: pass\n"
        f"print(*(n for n in {HEAVY!r} if n in sys.modules), len(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment())
    return done.stderr.splitlines()[-1].split()


def main() -> int:
    """Print a table and return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=20)
    repeat = parser.parse_args().repeat
    timed(LIST_TARGETS)  # fills the usual cache
    measured: dict[str, Times] = {
        "python": [timed([sys.executable, "-c", "pass"]) for _ in range(repeat)],
        "warm": [timed(LIST_TARGETS) for _ in range(repeat)],
        "cold": cold(repeat),
    }
    kept = True
    print(f"{'seconds':8} {'best':>7} {'median':>7} {'cpu':>7} {'promise':>8}")
    for name, times in measured.items():
        best, median, cpu = min(times)[0], statistics.median(t[0] for t in times), min(t[1] for t in times)
        promise = PROMISES.get(name)
        print(f"{name:8} {best:7.3f} {median:7.3f} {cpu:7.3f} {promise or '':>8}")
        kept = kept and (promise is None or best <= promise)
    *heavy, modules = imported()
    print(f"modules imported: {modules}; of {', '.join(HEAVY)}: {', '.join(heavy) or 'none'}")
    return 0 if kept and not heavy else 1


if __name__ == "__main__":
    sys.exit(main())
