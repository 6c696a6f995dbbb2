#!/usr/bin/env python3
"""Kill `kc bench --model` at random moments, go on with --resume, and see that nothing is lost and nothing counts twice.

    python benchmarks/kill_runs.py [--kills 50] [--seed 1] [--jobs 1] [--model scripted:demo] [--target toy]

One run is left alone. Others, with the same model and the same inputs, are killed (SIGKILL) after a random time and continued
until they end by themselves. Their samples must be those of the undisturbed run, one for each cell; their kernels must be the
same; every transcript must be readable, and every reply in it must be in the count of what was spent. The exit code is 1
when something differs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernelcraft_core.agent.classify import outcome_of
from kernelcraft_core.agent.spending import FILE
from kernelcraft_core.agent.transcript import read
from kernelcraft_core.results import RunFolder

LEFT_OUT = ("seconds", "version")
"""Keys that are not compared."""


def main() -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser(description="Kill runs of models and go on with them.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--model", default="scripted:demo")
    parser.add_argument("--target", default="toy")
    options = parser.parse_args()
    arguments = ["--model", options.model, "--target", options.target, "--repeats", str(options.repeats)]
    with tempfile.TemporaryDirectory(prefix="kc-kill-") as place:
        found = campaign(Path(place), arguments, options.kills, options.jobs, options.seed)
        print(
            f"{found['kills']} kills in {found['runs']} runs of {found['samples']} episodes; "
            f"{found['aborted']} transcripts set aside; {len(found['problems'])} differences"
        )
        for problem in found["problems"]:
            print(problem)
    return int(bool(found["problems"]))


def campaign(place: Path, arguments: list[str], kills: int, jobs: int, seed: int) -> dict[str, Any]:
    """Return what came of so many kills: `kills`, `runs`, `samples`, `aborted`, and `problems` in words.

    Args:
        place: an empty folder.
        arguments: of `kc bench`, besides those about inputs and folders.
        kills: that hit a process which was still at work.
        jobs: processes.
        seed: of the moments.
    """
    common = ["bench", *arguments, "--seed", "fixed", "--jobs", str(jobs)]
    started = time.monotonic()
    assert wait(begin([*common, "--out", str(place / "whole")])) in (0, 1)
    length = time.monotonic() - started
    whole = scores(place / "whole")
    moments = random.Random(seed)
    found: dict[str, Any] = {"kills": 0, "runs": 0, "samples": len(whole), "aborted": 0, "problems": []}
    while found["kills"] < kills:
        path = place / f"run{found['runs']}"
        found["runs"] += 1
        process = begin([*common, "--out", str(path)])
        while True:
            process.join(moments.uniform(0, length) if found["kills"] < kills else None)
            if process.exitcode is not None:
                break
            process.kill()
            process.join()
            found["kills"] += 1
            if (path / "run.json").exists():
                process = begin(["bench", "--resume", str(path), "--jobs", str(jobs)])
            else:  # killed before the run began: what is there keeps a new one from taking the folder
                path = path.with_name(path.name + "x")
                process = begin([*common, "--out", str(path)])
        found["aborted"] += len(list(path.glob("transcripts/*.aborted-*.jsonl")))
        found["problems"] += [f"{path.name}: {problem}" for problem in differences(path, place / "whole", whole)]
    return found


def differences(path: Path, undisturbed: Path, whole: dict[str, Any]) -> Iterator[str]:
    """Yield what differs between a run and the undisturbed one, in words."""
    ids = [sample["id"] for sample in RunFolder.open(path).samples()]
    if sorted(ids) != sorted(whole):
        yield f"{len(ids)} samples of {len(set(ids))} cells, not {len(whole)}"
    mine = scores(path)
    yield from (f"sample {name} differs" for name in whole if name in mine and mine[name] != whole[name])
    if kernels(path) != kernels(undisturbed):
        yield "the kernels differ"
    replies = 0
    for file in path.glob("transcripts/*.jsonl"):
        events = list(read(file))
        replies += sum(event["kind"] == "reply" for event in events)
        if file.stem in mine:
            agent = {**outcome_of(events).as_dict(), "failure": None}
            told = {**mine[file.stem]["agent"], "failure": None}
            if any(told[key] != agent[key] for key in agent if key != "seconds"):
                yield f"transcript {file.stem} tells something else than its sample"
    missing = [name for name in whole if not (path / f"transcripts/{name}.jsonl").exists()]
    if missing:
        yield f"{len(missing)} transcripts are missing"
    spent = sum(json.loads(line).get("iterations", 0) for line in (path / FILE).read_text().splitlines())
    if spent > replies:
        yield f"{spent} replies were charged, and the transcripts have {replies}"


def scores(path: Path) -> dict[str, Any]:
    """Return id -> sample, without times."""
    return {sample["id"]: timeless(sample) for sample in RunFolder.open(path).samples()}


def timeless(value: Any) -> Any:
    """Return plain data without the keys that hold times."""
    if isinstance(value, dict):
        return {key: timeless(entry) for key, entry in value.items() if key not in LEFT_OUT}
    return [timeless(entry) for entry in value] if isinstance(value, list) else value


def kernels(path: Path) -> dict[str, bytes]:
    """Return name -> text of the kernels of a run."""
    return {str(file.relative_to(path)): file.read_bytes() for file in (path / "kernels").rglob("*.asm")}


def begin(arguments: list[str]) -> Any:
    """Return a process that runs `kc` with everything imported already, so that it starts at once."""
    process = multiprocessing.get_context("fork").Process(target=_child, args=(arguments,))
    process.start()
    return process


def wait(process: Any) -> int:
    """Return the exit code of a process, once it has ended."""
    process.join()
    return int(process.exitcode)


def _child(arguments: list[str]) -> None:
    from kernelcraft_core.cli.main import main as kc

    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    kc(arguments)


if __name__ == "__main__":
    sys.exit(main())
