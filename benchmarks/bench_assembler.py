"""How fast the assembler is, in lines per second, and how much memory a long program takes.

    python benchmarks/bench_assembler.py [--lines 1000000] [--json]

Programs are made of random operands, so that hardly a line repeats. Each is assembled three times by a fresh assembler,
PLENA's checks of whole programs included; the best processor time counts. Memory is the growth of the process's peak while
the program is assembled, in a child process that reads the text from a file (Linux only).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kernelcraft_core.asm import Assembler

FORMS = (
    "S_ADDI_INT gp{a}, gp{b}, {n}",
    "S_ADDI_INT gp{b}, gp{a}, {n}",
    "S_LUI_INT gp{a}, {n}",
    "S_LD_FP f{f}, gp{a}, {n}",
    "M_MM_WO gp{a}, gp{b}, {n}",
    "V_ADD_VV gp{a}, gp{b}, gp{c}, 0",
    "V_MUL_VF gp{a}, gp{b}, f{f}, 1",
    "M_MM 0, gp{a}, gp{b}",
    "H_PREFETCH_V gp{a}, gp{b}, a{f}, 1, 0",
    "S_RECI_FP f{f}, f{f}",
)


def operands(rng: random.Random) -> dict[str, int]:
    """Return random operands."""
    return {
        "a": rng.randrange(1, 16),
        "b": rng.randrange(16),
        "c": rng.randrange(16),
        "f": rng.randrange(1, 8),
        "n": rng.randrange(1 << 18),
    }


def distinct(count: int) -> str:
    """Return lines that hardly repeat: a register, a register, an 18-bit number."""
    rng = random.Random(1)
    return "\n".join(FORMS[0].format(**operands(rng)) for _ in range(count))


def mixed(count: int) -> str:
    """Return lines of ten kinds."""
    rng = random.Random(2)
    return "\n".join(rng.choice(FORMS).format(**operands(rng)) for _ in range(count))


def kernel(count: int) -> str:
    """Return lines as people write them: indented, most with a comment of their own, some blank."""
    rng = random.Random(3)
    lines = []
    for number in range(count):
        text = "" if number % 10 == 9 else "    " + rng.choice(FORMS).format(**operands(rng))
        lines.append(text if number % 3 == 0 else f"{text:<40}; step {number}, next row")
    return "\n".join(lines)


def repeated(count: int) -> str:
    """Return an unrolled loop: the same sixty-four lines over and over."""
    body = mixed(64)
    return "\n".join([body] * (count // 64))


PROGRAMS: dict[str, Callable[[int], str]] = {
    "distinct": distinct,
    "mixed": mixed,
    "kernel": kernel,
    "repeated": repeated,
}


def fresh() -> Assembler:
    """Return a PLENA assembler that has learned nothing yet."""
    from kc_plena.assembler import make_assembler
    from kc_plena.isa import ISA

    return make_assembler(ISA)


def memory(path: str) -> None:
    """Print the growth of the peak memory in bytes while a program is assembled, and the size of its text."""
    assembler = fresh()
    assembler.assemble("S_ADDI_INT gp1, gp0, 1\n" * 10)
    text = Path(path).read_text(encoding="utf-8")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak so far
    before = status("VmRSS")
    program = assembler.assemble(text)
    print(json.dumps({"text_bytes": len(text), "peak_bytes": status("VmHWM") - before, "items": len(program)}))


def status(name: str) -> int:
    """Return a memory figure of this process in bytes (Linux)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def measured_memory(text: str) -> dict[str, int]:
    """Return what `memory` prints about a program, from a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.asm")
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, __file__, "--memory", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        memory(options.memory)
        return
    rows = []
    for name, make in PROGRAMS.items():
        text = make(options.lines)
        best = float("inf")
        for _ in range(3):
            assembler = fresh()
            start = time.process_time()
            assembler.assemble(text)
            best = min(best, time.process_time() - start)
        lines = text.count("\n") + 1
        unique = round(len(set(text.split("\n"))) / lines, 3)
        row = {"program": name, "lines": lines, "distinct": unique, "lines_per_s": round(lines / best)}
        rows.append(row | measured_memory(text))
    if options.json:
        print(json.dumps({"schema": "kc.bench-assembler/1", "rows": rows}))
        return
    print(f"{'program':<10} {'lines':>9} {'distinct':>8} {'lines/s':>10} {'text MB':>8} {'peak MB':>8}")
    for row in rows:
        megabytes = f"{row['text_bytes'] / 1e6:>8.1f} {row['peak_bytes'] / 1e6:>8.1f}"
        print(f"{row['program']:<10} {row['lines']:>9} {row['distinct']:>8.0%} {row['lines_per_s']:>10,} {megabytes}")


if __name__ == "__main__":
    main()
