"""Making the compiled kernels: which compilers can, how they are called, what is written beside their output.

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
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from attrs import frozen

from kc_coral import baseline

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


class NoCompilerError(Exception):
    """No compiler that can make the kernels is installed, or the one asked for is not."""


class CompileError(Exception):
    """The compiler failed; the message is its own."""


@frozen
class Compiler:
    """A compiler for RV32IM with Zve32x.

    Attributes:
        name: with version, for the provenance. command: how it is called. flags: as given to it, without macros.
    """

    name: str
    command: tuple[str, ...]
    flags: tuple[str, ...]

    def assembly(self, task: str, config: str) -> str:
        """Return the assembly of a task in a configuration, with its provenance.

        Raises:
            CompileError: the compiler failed.
        """
        macros = baseline.macros(task, config)
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
    """Return what a command prints. Raises: CompileError it fails, or takes too long."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise CompileError(f"{command[0]} takes longer than {TIMEOUT:g} seconds") from None
    except OSError as error:
        raise CompileError(f"{command[0]} cannot be run: {error.strerror or error}") from None
    if done.returncode:
        raise CompileError(done.stderr.strip() or f"{command[0]} ends with code {done.returncode}")
    return done.stdout


def _clang_version(command: Sequence[str]) -> str | None:
    """Return the version of a clang, None when it is none."""
    try:
        found = _VERSION.search(_run([*command, "--version"]))
    except CompileError:
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


def compiler(wanted: str = "auto") -> Compiler:
    """Return an installed compiler.

    Args:
        wanted: `ziglang`, `clang`, or `auto` for the first of the two that is there.

    Raises:
        NoCompilerError: it is not installed.
        ValueError: another name.
    """
    known = {"ziglang": (_ziglang,), "clang": (_clang,), "auto": (_ziglang, _clang)}
    if wanted not in known:
        raise ValueError(f"no compiler is called {wanted!r}; there is {', '.join(known)}")
    for find in known[wanted]:
        found = find()
        if found is not None:
            return found
    what = "no compiler" if wanted == "auto" else f"no {wanted}"
    raise NoCompilerError(
        f"{what} for RISC-V vectors is installed: `pip install kc-coral[compiler]` brings ziglang, "
        f"and clang {OLDEST_CLANG} or later does as well"
    )
