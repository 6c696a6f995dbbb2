#!/usr/bin/env python3
"""Run random programs by closures and by generated code and compare the outcomes bit for bit.

    python benchmarks/compare_engines.py --count 100000 --jobs 2
    python benchmarks/compare_engines.py --count 5000 --machine dllm --start 100000
    python benchmarks/compare_engines.py --target coral --count 100000 --jobs 2

The programs are those of the conformance kit, or of the target's own generator where it has one (plena, coral: most of those
run to their end); seed n is always the same program. Limits, strictness and noise in undefined memory vary with the seed, as
they do there. The profile is compared for every tenth program only, to save time. The exit code is 1 when two outcomes differ,
or when too few programs of a generator halt for the comparison to mean much.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from typing import Any

import attrs

import kernelcraft_core as kc
from kernelcraft_core.sim import RunResult
from kernelcraft_core.sim.result import Profile
from kernelcraft_core.testing.compare import differences
from kernelcraft_core.testing.programs import ProgramSource

CHUNK = 250
GENERATORS = ("plena", "coral")
"""Targets whose plug-in makes programs most of which run to their end."""
SHOWN = 20
LEAST_HALTING, LEAST_MEAN = 0.5, 20


def without_profile(result: RunResult) -> RunResult:
    """Return the run as if no profile had been kept."""
    return attrs.evolve(result, make_profile=lambda: Profile((), {}, {}, {}, {}))


def options_of(seed: int) -> dict[str, Any]:
    """Return run options that vary with the seed: limits that bite, strictness, noise in undefined memory."""
    options: dict[str, Any] = {"limits": kc.Limits(instructions=5_000)}
    if seed % 7 == 3:
        options["limits"] = kc.Limits(instructions=1 + seed % 40)
    elif seed % 7 == 5:
        options["limits"] = kc.Limits(instructions=5_000, cycles=1 + 13 * seed % 500)
    if seed % 5 == 1:
        options |= {"fill": "pattern", "seed": seed}
    if seed % 3 == 2:
        options["strict"] = True
    return options


@cache
def setting(name: str, machine: str | None) -> tuple[kc.Target, ProgramSource]:
    """Return the target and its maker of programs; once per process."""
    target = kc.target(name, machine=machine)
    source: type[ProgramSource] = ProgramSource
    if name == "plena":
        from kc_plena.random_programs import PlenaPrograms as source
    elif name == "coral":
        from kc_coral.random_programs import CoralPrograms as source
    gc.collect()
    gc.freeze()  # the target's tables stay: searching them for garbage again and again is a quarter of the time
    return target, source(target.isa)


def compare(name: str, machine: str | None, first: int, last: int) -> tuple[Counter[str], int, int, list[str]]:
    """Return counts by status, instructions of all programs and of those that halted, and what differs."""
    target, maker = setting(name, machine)
    statuses: Counter[str] = Counter()
    instructions = halted = 0
    found: list[str] = []
    for seed in range(first, last):
        program, state = maker.make(seed)
        options = options_of(seed)
        try:
            a = target.simulate(program, state, engine="closures", **options)
            b = target.simulate(program, state, engine="generated", **options)
            differs = differences(a, b) if seed % 10 == 0 else differences(without_profile(a), without_profile(b))
        except Exception as error:  # a crash of either engine is a finding like any other
            statuses["crash"] += 1
            found.append(f"seed {seed}: {type(error).__name__}: {error}")
            continue
        detail = a.trap.kind if a.trap else a.limit.kind if a.limit else ""
        statuses[f"{a.status} {detail}".strip()] += 1
        instructions += a.instret
        halted += a.instret if a.status == "halted" else 0
        if differs:
            found.append(f"seed {seed}: {'; '.join(differs[:3])}")
    return statuses, instructions, halted, found


def chunks(start: int, count: int) -> Iterator[tuple[int, int]]:
    """Return pieces of the seeds."""
    for first in range(start, start + count, CHUNK):
        yield first, min(first + CHUNK, start + count)


def main() -> int:
    """Compare, print what was found, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--target", default="plena", help="a target; those without a generator get programs of random operands"
    )
    parser.add_argument("--machine", help="machine preset, such as dllm; the target's first one by default")
    parser.add_argument("--count", type=int, default=100_000, help="programs (default 100000)")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options = parser.parse_args()
    if options.count < 1 or options.jobs < 1 or options.start < 0:
        parser.error("--count and --jobs must be at least 1, --start at least 0")
    try:
        setting(options.target, options.machine)
    except kc.KernelCraftError as error:
        parser.error(str(error))
    statuses: Counter[str] = Counter()
    instructions = halted_instructions = done = 0
    found: list[str] = []
    begin = time.monotonic()
    with ProcessPoolExecutor(options.jobs) as pool:
        sizes = {
            pool.submit(compare, options.target, options.machine, first, last): last - first
            for first, last in chunks(options.start, options.count)
        }
        for future in as_completed(sizes):
            counts, executed, of_halted, differing = future.result()
            statuses += counts
            instructions += executed
            halted_instructions += of_halted
            found += differing
            done += sizes[future]
            rate = done / (time.monotonic() - begin)
            print(
                f"\r{done:,} of {options.count:,} programs, {rate:,.0f}/s, {len(found)} different",
                end="",
                file=sys.stderr,
                flush=True,
            )
    print(file=sys.stderr)
    halted = statuses["halted"]
    mean = halted_instructions / max(1, halted)
    strong = options.target not in GENERATORS or (halted >= LEAST_HALTING * options.count and mean >= LEAST_MEAN)
    report = {
        "schema": "kc.compare-engines/1",
        "target": options.target,
        "machine": options.machine,
        "seeds": [options.start, options.start + options.count],
        "programs": done,
        "statuses": dict(sorted(statuses.items())),
        "instructions_mean": round(instructions / max(1, done), 1),
        "instructions_mean_halted": round(mean, 1),
        "differences": len(found),
        "examples": sorted(found)[:SHOWN],
        "seconds": round(time.monotonic() - begin, 1),
    }
    if options.json:
        print(json.dumps(report, sort_keys=True))
    else:
        for status, count in statuses.most_common():
            print(f"{status:32} {count:>9,}  {count / done:6.1%}")
        print(f"mean executed instructions       {report['instructions_mean']} (of those that halted: {mean:.1f})")
        print(f"differences                      {len(found)}")
        for line in report["examples"]:
            print(f"  {line}")
        if not strong:
            print(f"too weak: at least half must halt, with {LEAST_MEAN} executed instructions on average")
    return 0 if not found and strong else 1


if __name__ == "__main__":
    sys.exit(main())
