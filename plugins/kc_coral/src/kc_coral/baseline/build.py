"""Making the compiled kernels: which compilers can, how they are called, what is written beside their output.

`kc baseline build --target coral` comes here.

Two are known. ziglang is a PyPI package with a clang of its own (`pip install kc-coral[compiler]`); the committed kernels are
its work. clang-19 and later from a distribution do as well; their code differs a little.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.resources import as_file, files
from pathlib import Path

from attrs import frozen

from kc_coral import baseline
from kernelcraft_core.diagnostics import Diagnostic, EvaluationError, PluginError
from kernelcraft_core.tasks import Workload

COMMON = ("-O2", "-ffreestanding", "-fomit-frame-pointer", "-fno-pic", "-mno-relax", "-g0")
PLAIN = ("-fno-asynchronous-unwind-tables", "-fno-addrsig", "-fno-verbose-asm", "-S")
_ZIG = (
    "-target",
    "riscv32-freestanding-none",
    "-mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d",
    "-fno-sanitize=undefined",
    "-Wno-unused-command-line-argument",
)
_CLANG = ("--target=riscv32-unknown-elf", "-march=rv32im_zve32x_zvl128b", "-mabi=ilp32")
_VERSION = re.compile(r"clang version (\d[\w.]*)")
CLANGS = ("clang-19", "clang-20", "clang-21", "clang-22", "clang")
OLDEST_CLANG = 19
TIMEOUT = 300.0
"""Seconds a compilation may take."""


def _failed(message: str) -> EvaluationError:
    """Return the error of a compiler that failed; the message is its own."""
    return EvaluationError(Diagnostic("KC0631", message))


@frozen
class Compiler:
    """A compiler for RV32IM with Zve32x.

    Attributes:
        name: with version, for the provenance. command: how it is called. flags: as given to it, without macros.
    """

    name: str
    command: tuple[str, ...]
    flags: tuple[str, ...]
    folder: Path = Path(__file__).parent / "asm"
    """Where the package keeps what was made."""

    def file(self, workload: Workload) -> str:
        """Return the name of a kernel's file."""
        return Path(baseline.path(workload.task, workload.config)).name

    def make(self, workload: Workload) -> str:
        """Return the assembly of a kernel, with its provenance.

        Raises:
            EvaluationError: KC0631 the compiler fails.
        """
        task = workload.task
        macros = baseline.macros(task, workload.config)
        with as_file(files(baseline.__name__).joinpath("c")) as folder, tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "kernel.s"
            _run([*self.command, *self.flags, *macros, f"{task}.c", "-o", str(out)], folder)
            body = out.read_text(encoding="utf-8")
        head = {
            "source": f"{task}.c",
            "sha256": baseline.digest(task),
            "compiler": self.name,
            "flags": " ".join(self.flags),
            "macros": " ".join(macros),
        }
        return "".join(f"# {field}: {value}\n" for field, value in head.items()) + body


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    """Return what a command prints. Raises: EvaluationError KC0631: it fails, or takes too long."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise _failed(f"{command[0]} takes longer than {TIMEOUT:g} seconds") from None
    except OSError as error:
        raise _failed(f"{command[0]} cannot be run: {error.strerror or error}") from None
    if done.returncode:
        raise _failed(done.stderr.strip() or f"{command[0]} ends with code {done.returncode}")
    return done.stdout


def _clang_version(command: Sequence[str]) -> str | None:
    """Return the version of a clang, None when it is none."""
    try:
        found = _VERSION.search(_run([*command, "--version"]))
    except EvaluationError:
        return None
    return found[1] if found else None


def _ziglang() -> Compiler | None:
    if importlib.util.find_spec("ziglang") is None:
        return None
    command = (sys.executable, "-m", "ziglang")
    version = _clang_version((*command, "cc"))
    if version is None:
        return None
    zig = _run([*command, "version"]).strip()
    return Compiler(f"ziglang {zig} (clang {version})", (*command, "cc"), (*_ZIG, *COMMON, *PLAIN))


def _clang() -> Compiler | None:
    for name in CLANGS:
        found = shutil.which(name)
        version = _clang_version([found]) if found else None
        if found and version and int(version.split(".")[0]) >= OLDEST_CLANG:
            return Compiler(f"clang {version}", (found,), (*_CLANG, *COMMON, *PLAIN))
    return None


_FINDERS: dict[str, Callable[[], Compiler | None]] = {"ziglang": _ziglang, "clang": _clang}
NAMES = tuple(_FINDERS)
"""Names of the compilers that can make the kernels, the committed kernels' own first."""


def compiler(wanted: str | None = None) -> Compiler:
    """Return an installed compiler.

    Args:
        wanted: one of `NAMES`; None for the first of them that is there.

    Raises:
        PluginError: KC0630 it is not installed.
    """
    for name in NAMES if wanted is None else (wanted,):
        found = _FINDERS[name]()
        if found is not None:
            return found
    what = "no compiler" if wanted is None else f"no {wanted}"
    hint = f"`pip install kc-coral[compiler]` brings ziglang; clang {OLDEST_CLANG} or later does as well"
    raise PluginError(Diagnostic("KC0630", f"{what} for RISC-V vectors is installed", hint=hint))
