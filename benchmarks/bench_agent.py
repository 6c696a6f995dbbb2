"""Measure what a turn of an episode costs beyond the model and the simulation.

    python benchmarks/bench_agent.py [--turns 200] [--json]

A model that answers at once calls tools that simulate nothing (write_code, check_syntax), on PLENA gemm C1 or the workload that
is named. What is left is the harness: the loop, the tools, the transcript and its way to the disk. Goal: at most 20 ms a turn.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.limits import Limits
from kernelcraft_core.agent.loop import run_episode
from kernelcraft_core.agent.prompt import build_prompt
from kernelcraft_core.agent.protocol import Message, Reply, ToolCall
from kernelcraft_core.agent.toolbox import Toolbox
from kernelcraft_core.agent.transcript import Transcript
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks.catalogue import Catalogue


class Hasty:
    """A model that answers at once with two calls, and notes when it is asked."""

    name = "hasty"
    settings: Mapping[str, Any] = {}

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.asked: list[float] = []

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """Return a turn that writes the kernel and checks its syntax."""
        number = len(self.asked)
        code = json.dumps({"assembly_code": self.kernel})
        calls = (ToolCall(f"w{number}", "write_code", code), ToolCall(f"c{number}", "check_syntax"))
        made = Reply(Message("assistant", "Another try.", calls), "tool_calls")
        self.asked.append(time.perf_counter())
        return made


def measure(workload: str, turns: int, folder: Path) -> list[float]:
    """Return the milliseconds between a reply and the next question, for each turn but the first."""
    catalogue = Catalogue(registry())
    chosen = catalogue.workload(*workload.split("/"))
    evaluator = Evaluator(catalogue)
    prompt = build_prompt(evaluator.target(chosen), catalogue, chosen)
    model = Hasty(catalogue.kernels(chosen)[0].source())
    with Episode.create(folder / "episode", evaluator, chosen) as episode, Transcript(folder / "t.jsonl") as transcript:
        run_episode(episode, Toolbox(episode), model, prompt, Limits(iterations=turns), transcript)
    return [1000 * (b - a) for a, b in zip(model.asked[1:], model.asked[2:], strict=False)]


def main() -> None:
    """Print the median and the slowest tenth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workload", default="plena/gemm/C1")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = measure(options.workload, options.turns, Path(folder))
    median, slow = statistics.median(times), statistics.quantiles(times, n=10)[-1]
    if options.json:
        print(json.dumps({"turns": len(times), "median_ms": median, "ninth_decile_ms": slow, "goal_ms": 20}))
    else:
        print(f"{len(times)} turns of two calls: median {median:.1f} ms, nine of ten below {slow:.1f} ms (goal 20 ms)")


if __name__ == "__main__":
    main()
