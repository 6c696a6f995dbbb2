#!/usr/bin/env python3
"""Call the tools of an agent with whatever comes, and see that none raises and nothing outside the episode is touched.

    python benchmarks/fuzz_tools.py [--calls 10000] [--seed 1] [--target toy --task triple --config C1]

Names, argument texts and argument objects are drawn at random from what models do and what attackers try: kernels that
are right, broken ones, cut and nested JSON, paths, shell lines, Python, huge numbers and strings, control characters. An
audit hook of the interpreter sees every file that is opened, renamed or removed, every process and every connection; a
folder around the episode is compared before and after. The exit code is 1 when something gets out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.signatures import NAMES, PARAMETERS, VIEWS
from kernelcraft_core.agent.toolbox import ERROR_CLASSES, Toolbox
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks import Workload
from kernelcraft_core.tasks.catalogue import Catalogue

HOSTILE = (
    "../../etc/passwd",
    "/etc/passwd",
    "..\\..\\windows\\system32",
    "../kernel.asm",
    "~/.ssh/id_rsa",
    "file:///etc/hosts",
    "$(touch escaped)",
    "`touch escaped`",
    "; rm -rf .; #",
    "| cat > escaped",
    "__import__('os').system('touch escaped')",
    "{{7*7}}",
    "{0.__class__}",
    "%s%s%n",
    "(a+)+$",
    "[" * 300,
    "(?:" * 200,
    "\0",
    "a\0b",
    "\ud800",
    "\u202e\u0000\uffff",
    "\x1b[2J",
    "é" * 5000,
    "",
    " ",
    "\n" * 5000,
    "NaN",
    "null",
    "-1",
    "99999999999999999999",
    "0:",
    ":",
    "1:0",
    "0:99999999999999999999999",
    "-5:5",
    "٣:٤",
    "9" * 10_000,
    '.include "/etc/passwd"',
    ".word 1\n" * 50,
    ".rept 1000000000\nnop\n.endr",
    ".org 0xffffffffffff",
    "l: " * 1000,
)
"""Texts that must stay data."""
NUMBERS = (0, -1, 1, 2**31, 2**63, 2**64, -(2**200), 10**400, 0.5, 1e308, float("inf"), float("nan"), True, False)
WATCHED = {
    "os.rename": 2,
    "os.remove": 1,
    "os.mkdir": 1,
    "os.rmdir": 1,
    "os.link": 2,
    "os.symlink": 2,
    "os.truncate": 1,
}
"""Events of the interpreter that change files -> how many of their arguments are paths."""
FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.connect", "socket.bind")


class Watch:
    """Sees what the process does to files, processes and connections while it is on. Audit hooks cannot be taken off."""

    def __init__(self, inside: Path) -> None:
        self.inside = os.path.realpath(inside)
        self.on = False
        self.escapes: list[str] = []
        modules = [module for name, module in list(sys.modules.items()) if "." not in name]
        files = [file for module in modules if isinstance(file := getattr(module, "__file__", None), str)]
        packages = {
            os.path.dirname(os.path.realpath(file)) for file in files if os.path.basename(file) == "__init__.py"
        }
        self.code = {os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix), "/dev", *packages}
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in FORBIDDEN:
            self.escapes.append(f"{event} {args[:1]!r}")
        elif event == "open":
            path, mode, flags = args
            writes = isinstance(mode, str) and any(c in mode for c in "wax+")
            writes = writes or bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
            if not isinstance(path, int) and (writes or not self._readable(path)):
                self._path(event, path)
        elif event in WATCHED:
            for path in args[: WATCHED[event]]:
                self._path(event, path)

    def _readable(self, path: Any) -> bool:
        """Whether a file outside of the episode belongs to the interpreter, a package that is loaded, or the system."""
        where = os.path.realpath(os.fsdecode(path))
        return any(where.startswith(root + os.sep) for root in self.code)

    def _path(self, event: str, path: Any) -> None:
        if isinstance(path, int):
            return
        where = os.path.realpath(os.fsdecode(path))
        if where != self.inside and not where.startswith(self.inside + os.sep):
            self.escapes.append(f"{event} {where}")

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what happens inside the block; modules that are imported in it leave no bytecode, which is no tool's doing."""
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        self.on = True
        try:
            yield
        finally:
            self.on = False
            sys.dont_write_bytecode = before


class Calls:
    """Draws calls; the same seed and kernels draw the same ones."""

    def __init__(self, seed: int, kernels: list[str]) -> None:
        self.random = random.Random(seed)
        self.kernels = kernels

    def call(self) -> tuple[Any, Any]:
        """Return a name and arguments, as text or as an object."""
        pick = self.random
        name: Any = pick.choice(NAMES)
        if pick.random() < 0.1:
            name = pick.choice(
                (*HOSTILE, "writeCode", "run", "", "x" * 100_000, None, 3, ("a",), "__class__", "_kernel")
            )
        given: Any = self._arguments(name if name in NAMES else pick.choice(NAMES))
        if pick.random() < 0.5:
            return name, given
        return name, self._text(given)

    def _arguments(self, name: str) -> Any:
        """Return arguments that are right, nearly right, or anything."""
        pick = self.random
        if pick.random() < 0.1:
            return self._junk(4)
        given = {key: self._value(key) for key in PARAMETERS[name]["properties"] if pick.random() < 0.8}
        if pick.random() < 0.1:
            given[pick.choice(("path", "file", "folder", "episode", "code", "assembly_cod", "", "\0", *HOSTILE))] = (
                self._junk(2)
            )
        return given

    def _value(self, key: str) -> Any:
        pick = self.random
        if pick.random() < 0.1:
            return self._junk(3)
        if key == "assembly_code":
            return self._kernel()
        if key == "what":
            return pick.choice((*VIEWS, *HOSTILE))
        if key in ("rows", "columns"):
            return pick.choice(
                (f"{pick.randint(-2, 40)}:{pick.randint(-2, 40)}", pick.randint(-3, 40), [0, 4], *HOSTILE)
            )
        return pick.choice(("y", "Y", "load word", "VRAM rows", "sum", *HOSTILE))

    def _kernel(self) -> str:
        """Return a kernel that is right, one with a small mistake, or a hostile text."""
        pick = self.random
        if pick.random() < 0.15:
            return pick.choice(HOSTILE)
        text = pick.choice(self.kernels)
        for _ in range(pick.choice((0, 0, 0, 1, 1, 3))):
            at = pick.randrange(len(text) + 1)
            text = (
                text[:at]
                + pick.choice(("", "9", "-", "x", "\n", ",", "\0", "é", pick.choice(HOSTILE)))
                + text[at + 1 :]
            )
        if pick.random() < 0.01:
            text = text * (1 + 1_200_000 // (len(text) + 1))
        return text

    def _junk(self, depth: int) -> Any:
        pick = self.random
        kind = pick.randrange(6 if depth else 4)
        if kind == 0:
            return pick.choice(NUMBERS)
        if kind == 1:
            return None
        if kind < 4:
            return pick.choice(HOSTILE)
        inner = [self._junk(depth - 1) for _ in range(pick.randrange(4))]
        return inner if kind == 4 else {pick.choice(HOSTILE): value for value in inner}

    def _text(self, given: Any) -> str:
        """Return arguments as JSON text, sometimes damaged."""
        pick = self.random
        try:
            text = json.dumps(given, ensure_ascii=pick.random() < 0.5)
        except ValueError:  # a whole number with too many digits for the interpreter
            text = "9" * 20_000
        kind = pick.randrange(12)
        if kind == 0:
            return text[: pick.randrange(len(text) + 1)]
        if kind == 1:
            at = pick.randrange(len(text) + 1)
            return text[:at] + pick.choice(('"', "}", "{", "\\", "\0", ",", "\ud800")) + text[at:]
        if kind == 2:
            return pick.choice(('{"a":' * 100_000, "[" * 100_000, "```json\n" + text + "\n```", text + text, *HOSTILE))
        return text


def snapshot(folder: Path, without: Path) -> dict[str, str]:
    """Return name -> digest of all files of a folder, except those in a part of it."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
        if without not in (path, *path.parents)
    }


def fuzz(around: Path, evaluator: Evaluator, workload: Workload, calls: int, seed: int) -> Mapping[str, Any]:
    """Return what the calls did: `raised` and `escapes` (both must be empty), and the answers by class of error.

    Args:
        around: an empty folder; gets the episode and a few other files.
        evaluator: what runs kernels.
        workload: of the episode.
        calls: how many.
        seed: of the calls.
    """
    for name in ("kernel.asm", "secret.txt", "etc/passwd"):
        (around / name).parent.mkdir(exist_ok=True)
        (around / name).write_text(f"outside: {name}")
    kernels = [kernel.source() for kernel in evaluator.catalogue.kernels(workload)]
    raised: list[str] = []
    answers: Counter[str] = Counter()
    slowest = 0.0
    drawn = Calls(seed, kernels)
    here = Path.cwd()
    os.chdir(around)
    try:
        with Episode.create(around / "episode", evaluator, workload) as episode:
            toolbox, watch = Toolbox(episode), Watch(episode.folder)
            before = snapshot(around, episode.folder)
            for _ in range(calls):
                name, given = drawn.call()
                start = time.perf_counter()
                with watch.watching():
                    try:
                        result = toolbox.call(name, given)
                    except Exception as error:
                        raised.append(f"{name!r:.80}: {type(error).__name__}: {error!s:.200}")
                        continue
                slowest = max(slowest, time.perf_counter() - start)
                if result.error_class not in (None, *ERROR_CLASSES) or len(result.text) > 20_000:
                    raised.append(
                        f"{name!r:.80}: an answer of class {result.error_class}, {len(result.text)} characters"
                    )
                json.dumps(dict(result.data), allow_nan=False)
                ours = "internal" if not result.ok and result.error_class is None else None
                answers[ours or result.error_class or "ok"] += 1
                if ours:
                    raised.append(f"{name!r:.80}: {result.text:.300}")
            after = snapshot(around, episode.folder)
            files = sorted(path.name for path in episode.folder.iterdir())
    finally:
        os.chdir(here)
    escapes = [*watch.escapes, *(f"changed: {name}" for name in before.keys() ^ after.keys())]
    escapes += [f"changed: {name}" for name in before.keys() & after.keys() if before[name] != after[name]]
    return {"raised": raised, "escapes": escapes, "answers": dict(answers), "slowest": slowest, "files": files}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", default="toy")
    parser.add_argument("--task", default="triple")
    parser.add_argument("--config", default="C1")
    options = parser.parse_args()
    catalogue = Catalogue(registry())
    workload = catalogue.workload(options.target, options.task, options.config)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as around:
        found = fuzz(Path(around).resolve(), Evaluator(catalogue), workload, options.calls, options.seed)
    print(f"{options.calls:,} calls in {time.perf_counter() - start:.1f} s, the slowest {found['slowest']:.2f} s")
    print("answers:", ", ".join(f"{name} {count:,}" for name, count in sorted(found["answers"].items())))
    print(f"raised: {len(found['raised'])}, outside the episode: {len(found['escapes'])}")
    for line in (*found["raised"][:20], *found["escapes"][:20]):
        print(f"  {line}")
    return 1 if found["raised"] or found["escapes"] else 0


if __name__ == "__main__":
    sys.exit(main())
