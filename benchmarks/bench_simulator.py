#!/usr/bin/env python3
"""How fast the simulator is: a large kernel, scalar loops, the HBM model with and without remembered outcomes, scored kernels.

    python benchmarks/bench_simulator.py [--repeat 3] [--only kernel|scalar|hbm|scored] [--json]

Kernel: BatchMatMul C5 on PLENA with the exact HBM model, written with loops and unrolled, each in a process of its own
so that its peak memory is its own. Scalar: a loop of twenty instructions, by closures and by generated code, on each
target that is installed. HBM: the transfers of that kernel through the exact model alone, with an empty memory of
outcomes and with the one the first pass left behind. Scored: kernels of the Coral target as the evaluator runs them, on the
first draw, when nothing is known of the kernel, and on later ones, in processor time. The best of the repetitions counts.

Promised on the machine that CI has: looped 3 s or less, unrolled 6 s or less with less than 1 GB, 2 M instr/s by
closures and 5 M instr/s generated. Another machine, or a busy one, shifts all figures by the same factor: compare ratios.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import kernelcraft_core as kc
from kernelcraft_core.plugins import registry

PROMISES = {"looped": 3.0, "unrolled": 6.0, "closures": 2.0, "generated": 5.0}
Row = dict[str, Any]

PLENA_BODY = (
    "S_ADDI_INT gp1, gp1, 3\nS_ADD_INT gp2, gp1, gp3\nS_MUL_INT gp3, gp2, gp1\nS_SUB_INT gp4, gp3, gp2\n"
    "S_ADDI_INT gp6, gp4, 77\n"
)
TOY_BODY = "addi x1, x1, 3\nadd x2, x1, x3\nxor x3, x2, x1\nsub x4, x3, x2\naddi x6, x4, 77\n"
LOOPS = {
    "plena": "S_ADDI_INT gp1, gp0, 1\nC_LOOP_START gp5, {n}\n" + 4 * PLENA_BODY + "C_LOOP_END gp5\n",
    "toy": "lui x8, {high}\naddi x1, x0, 1\nloop:\n" + 4 * TOY_BODY + "addi x7, x7, 1\nbltu x7, x8, loop\nhalt\n",
}


def kernel(flavour: str) -> None:
    """Print one measurement of BatchMatMul C5 as JSON; runs in a process of its own."""
    import numpy as np

    from kc_plena.baseline import layout, program

    text = program("batch_matmul", "C5", flavour)
    place = layout("batch_matmul", "C5")
    target = kc.target("plena")
    start = time.perf_counter()
    assembled = target.assemble(text, filename="batch_matmul.asm")
    middle = time.perf_counter()
    result = target.simulate(assembled, state={"hbm": np.zeros(place.hbm_bytes, np.uint8)})
    end = time.perf_counter()
    assert result.ok, result.trap
    row = {
        "program": flavour,
        "lines": len(assembled),
        "assemble_s": middle - start,
        "simulate_s": end - middle,
        "instructions": result.instret,
        "cycles": result.cycles,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(row))


def kernels(repeat: int) -> list[Row]:
    """Return the best measurement of each flavour."""
    rows = []
    for flavour in ("looped", "unrolled"):
        command = [sys.executable, __file__, "--kernel", flavour]
        runs = [
            json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
            for _ in range(repeat)
        ]
        best: Row = min(runs, key=lambda r: r["simulate_s"])
        best["assemble_s"] = min(r["assemble_s"] for r in runs)
        best["instr_per_s"] = best["instructions"] / best["simulate_s"]
        best["promise_s"] = PROMISES[flavour]
        rows.append(best)
    return rows


def scalar(repeat: int) -> list[Row]:
    """Return million instructions per second of a scalar loop by target and engine."""
    rows = []
    for name, text in LOOPS.items():
        if name not in registry().targets:
            print(f"scalar: target {name} is not installed, left out", file=sys.stderr)
            continue
        target = kc.target(name)
        for engine in ("closures", "generated"):
            high = 40 if engine == "closures" else 160  # times 4,096 rounds, that is 3.6 and 14 million instructions
            assembled = target.assemble(text.format(n=high * 4096, high=high))
            best = float("inf")
            for _ in range(repeat):
                start = time.perf_counter()
                result = target.simulate(assembled, engine=engine)
                best = min(best, time.perf_counter() - start)
                assert result.ok, result.trap
            rows.append(
                {
                    "target": name,
                    "engine": engine,
                    "instructions": result.instret,
                    "m_instr_per_s": result.instret / best / 1e6,
                    "promise": PROMISES[engine],
                }
            )
    return rows


def transfers() -> list[tuple[int, int, int, int]]:
    """Return (element, scale, rows, step) of the transfers of BatchMatMul C5, in order."""
    batches, m, k, n = 32, 64, 256, 512
    a_size, w_size = batches * m * k, batches * k * n
    w_base = a_size * 9 // 8
    out = []
    for i in range(batches):
        for column in range(0, k, 64):
            for row in range(0, m, 4):
                offset = (i * m + row) * k + column
                out.append((offset, a_size + offset // 8, 4, k))
        for column in range(0, n, 64):
            for row in range(0, k, 64):
                offset = (i * k + row) * n + column
                out.append((w_base + offset, w_base + w_size + offset // 8, 64, n))
    return out


def hbm(repeat: int) -> list[Row]:
    """Return seconds for all transfers, without memory of outcomes, with an empty one, and with a filled one."""
    from kc_plena.hbm.exact import ExactHbm
    from kc_plena.hbm.replay import ReplayCache

    todo = transfers()
    rows: list[Row] = []
    for name in ("cold", "warm"):
        best, total, cache = float("inf"), 0, ReplayCache()
        if name == "warm":
            _replay(ExactHbm(cache=cache), todo)
        for _ in range(repeat):
            start = time.perf_counter()
            total = _replay(ExactHbm(cache=ReplayCache() if name == "cold" else cache), todo)
            best = min(best, time.perf_counter() - start)
        rows.append({"cache": name, "transfers": len(todo), "seconds": best, "cycles": total})
    assert len({row["cycles"] for row in rows}) == 1, "the memory of outcomes changed a duration"
    return rows


SCORED = (("gemm", "C1"), ("gemm", "C5"), ("gemv", "C1"), ("relu", "C1"), ("softmax", "C1"), ("softmax", "C5"))
"""Kernels of Coral that are run: all kinds of each task and configuration."""
LATER = 3
"""Draws after the first."""


def scored(repeat: int) -> list[Row]:
    """Return milliseconds and million cycles per second of Coral kernels: first run, later ones, the two of a score."""
    from kernelcraft_core.evaluation import Evaluator
    from kernelcraft_core.tasks.catalogue import Catalogue

    if "coral" not in registry().targets:
        print("scored: target coral is not installed, left out", file=sys.stderr)
        return []
    evaluator, rows = Evaluator(Catalogue(registry())), []
    for cell in SCORED:
        workload = evaluator.catalogue.workload("coral", *cell)
        for kernel in evaluator.catalogue.kernels(workload):
            best = [(float("inf"), 0)] * (LATER + 1)
            for _ in range(repeat):
                best = [min(pair) for pair in zip(best, _runs(evaluator, workload, kernel.source()), strict=True)]
            first, later = best[0], min(best[1:])
            rows.append(
                {
                    "kernel": f"{workload.task} {workload.config} {kernel.kind}",
                    "cycles": first[1],
                    "first_ms": first[0] * 1e3,
                    "later_ms": later[0] * 1e3,
                    "first_m_per_s": first[1] / first[0] / 1e6,
                    "score_m_per_s": (first[1] + later[1]) / (first[0] + later[0]) / 1e6,
                    "later_m_per_s": later[1] / later[0] / 1e6,
                }
            )
    return rows


def _runs(evaluator: Any, workload: Any, text: str) -> list[tuple[float, int]]:
    """Return (seconds of processor time, cycles) of the runs of a kernel on some draws, nothing being known before the first."""
    from kernelcraft_core.evaluation.seeds import DEVELOPMENT, plan
    from kernelcraft_core.sim.reuse import forget

    program, found = evaluator.assemble(workload, text), []
    draws = plan(workload, DEVELOPMENT, LATER + 1)
    states = [evaluator.case(workload, draw).state for draw in draws]
    forget()
    for draw, state in zip(draws, states, strict=True):
        options = {"fill": "pattern", "seed": draw.seed, "strict": True}
        start = time.process_time()
        result = evaluator.target(workload).simulate(program, state, workload.limits, **options)
        found.append((time.process_time() - start, result.cycles))
        assert result.ok, result.trap
    return found


def _replay(model: Any, todo: list[tuple[int, int, int, int]]) -> int:
    now = 0
    for transfer in todo:
        now += model.prefetch(now, *transfer)
    return now


def table(title: str, rows: list[Row]) -> None:
    """Print rows of equal keys, aligned."""
    print(f"\n{title}")
    cells = [list(rows[0])] + [[f"{v:,.2f}" if isinstance(v, float) else str(v) for v in r.values()] for r in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each measurement; the best counts")
    parser.add_argument("--only", choices=("kernel", "scalar", "hbm", "scored"), help="one part instead of all")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--kernel", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    if options.kernel:
        kernel(options.kernel)
        return
    parts = {"kernel": kernels, "scalar": scalar, "hbm": hbm, "scored": scored}
    found = {name: part(options.repeat) for name, part in parts.items() if options.only in (None, name)}
    if options.json:
        print(json.dumps({"schema": "kc.bench-simulator/1", **found}, sort_keys=True))
        return
    titles = {
        "kernel": "BatchMatMul C5, exact HBM model",
        "scalar": "scalar loop",
        "hbm": "exact HBM model alone, transfers of BatchMatMul C5",
        "scored": "Coral kernels as the evaluator runs them",
    }
    for name, rows in found.items():
        if rows:
            table(titles[name], rows)


if __name__ == "__main__":
    main()
