"""Measure `kc bench` on PLENA: processes started afresh, nothing kept between runs.

    python benchmarks/bench_scoring.py [--jobs 2] [--repeat 1]

Goals: all 100 cells verified and timed in 120 s with two processes; `--config C1` in 20 s.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time


def measure(*options: str) -> tuple[float, dict[str, int]]:
    """Return the seconds a run took and its totals."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "kernelcraft_core", "bench", "--target", "plena", "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - started
    samples = json.loads(done.stdout)["samples"]
    return seconds, {"cells": len(samples), "passed": sum(s["status"] == "passed" for s in samples)}


def main() -> None:
    """Print the best of the repeats for each selection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    jobs = ("--jobs", str(options.jobs))
    for name, selection, goal in (("--config C1", ("--config", "C1"), 20), ("all", (), 120)):
        runs = [measure(*selection, *jobs) for _ in range(options.repeat)]
        best = min(seconds for seconds, _ in runs)
        print(f"kc bench --target plena {name:12} {best:6.1f} s (goal {goal} s)  {runs[0][1]}")


if __name__ == "__main__":
    main()
