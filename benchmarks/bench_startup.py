#!/usr/bin/env python3
"""How long `kc list-targets` takes: with bytecode on disk (warm) and without (cold), and what it imports.

    python benchmarks/bench_startup.py [--repeat N]

Run it with the Python of an environment in which KernelCraft and its plug-ins are installed. Promised: 0.3 s cold, 0.2 s
warm. "Cold" compiles every module of the environment's packages anew, as a first run on a read-only installation does; the
standard library keeps its bytecode.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

COMMAND = [sys.executable, "-m", "kernelcraft_core", "list-targets"]
PROMISES = {"cold": 0.3, "warm": 0.2}
HEAVY = ("numpy", "lark", "litellm")


def environment(**extra: str) -> dict[str, str]:
    """Return the environment without what turns bytecode off."""
    kept = {k: v for k, v in os.environ.items() if k not in {"PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}}
    return kept | extra


def seconds(repeat: int, **extra: str) -> list[float]:
    """Return wall-clock times of `kc list-targets`."""
    out = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(COMMAND, env=environment(**extra), check=True, stdout=subprocess.DEVNULL)
        out.append(time.perf_counter() - start)
    return out


def cold(repeat: int) -> list[float]:
    """Return times with an empty bytecode cache for everything but the standard library."""
    out = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as cache:
            fill = (
                "import argparse, importlib.metadata, inspect, json, logging, typing, difflib, hashlib, zlib, zipfile"
            )
            subprocess.run([sys.executable, "-c", fill], env=environment(PYTHONPYCACHEPREFIX=cache), check=True)
            out += seconds(1, PYTHONPYCACHEPREFIX=cache)
    return out


def imported() -> list[str]:
    """Return the heavy packages that listing targets imports; it should be none."""
    script = (
        "import sys; from kernelcraft_core.cli.main import main\n"
        "try: main(['list-targets', '--json'])\n"
        "except SystemExit: pass\n"
        f"print(*(n for n in {HEAVY!r} if n in sys.modules), len(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment())
    return done.stderr.split()


def main() -> int:
    """Print a table and return 1 when a promise is not kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=10)
    repeat = parser.parse_args().repeat
    bare = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], env=environment(), check=True)
        bare.append(time.perf_counter() - start)
    seconds(1)  # fills the cache
    kept = True
    print(f"{'':8} {'median':>8} {'worst':>8} {'promised':>9}")
    print(f"{'python':8} {statistics.median(bare):8.3f} {max(bare):8.3f}")
    for name, times in (("warm", seconds(repeat)), ("cold", cold(repeat))):
        print(f"{name:8} {statistics.median(times):8.3f} {max(times):8.3f} {PROMISES[name]:9.1f}")
        kept = kept and statistics.median(times) <= PROMISES[name]
    *heavy, modules = imported()
    print(f"modules imported: {modules}; of {', '.join(HEAVY)}: {', '.join(heavy) or 'none'}")
    return 0 if kept and not heavy else 1


if __name__ == "__main__":
    sys.exit(main())
