"""`Rtl`: runs programs on the RTL simulator that `KERNELCRAFT_CORAL_RTL` names.

Source of the options `--binary` and `--cycles`, and of what benches of the public tree report: google-coral/coralnpu,
tests/verilator_sim/coralnpu/core_mini_axi_sim.cc and core_mini_axi_tb.cc.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from attrs import frozen

from kc_coral.isa.state import ITCM
from kc_coral.rtl import elf
from kc_coral.rtl.contract import FAULT, LIMIT, Memory, Report, Request, read_report
from kernelcraft_core.diagnostics import Diagnostic, PluginError, SimulationError, printable
from kernelcraft_core.isa import Isa, Program
from kernelcraft_core.sim import LimitInfo, Limits, Machine, MemoryView, Profile, RunResult, TrapInfo, prepare
from kernelcraft_core.sim.state import Storage

ENV = "KERNELCRAFT_CORAL_RTL"
MEMORIES: Mapping[str, int] = {
    "itcm": elf.READ | elf.EXECUTE,
    "dtcm": elf.READ | elf.WRITE,
    "external": elf.READ | elf.WRITE,
}
"""Memories of a program with the flags of their segments."""
LATENCIES = {"read_latency": "RL", "write_latency": "WL"}
"""What a host's memory can be told, and the machine's parameter for it; every other parameter is in the RTL."""
_DTYPES: Mapping[str, Any] = {"x": np.uint32, "v": np.uint8}
BUILT_IN = frozenset({"Xzbb"})
"""Extensions that the RTL has."""
MAX_CYCLES = (1 << 31) - 1
"""The public bench's option is a signed number of 32 bits."""
DIGITS = 12
TAIL = 2000
"""How many bytes of what the simulator printed are looked at, and how many lines are shown."""
LINES = 5
HOW_TO = "docs/how-to/run-on-rtl.md says what it must do; benches of the public tree need a wrapper around them"


def _refuse(message: str, hint: str | None = None) -> SimulationError:
    return SimulationError(Diagnostic("KC0461", message, hint=hint))


def open_rtl(isa: Isa, machine: Machine) -> Rtl:
    """Return the back end with the simulator that the environment names.

    Raises:
        PluginError: KC0460 there is none.
        SimulationError: KC0461 the machine or the instruction set is not what the RTL is.
    """
    changed = [p.name for p in machine.declared if machine[p.name] != p.default and p.name not in LATENCIES.values()]
    if changed:
        hint = f"{' and '.join(LATENCIES.values())} are the bench's; everything else is in the RTL"
        raise _refuse(f"the machine's parameter {', '.join(changed)} cannot be changed in an RTL simulator", hint)
    added = [extension.name for extension in isa.extensions if extension.name not in BUILT_IN]
    if added:
        raise _refuse(f"the RTL has no extension {', '.join(added)}")
    return Rtl(isa, machine, _binary(os.environ.get(ENV, "")))


def _binary(setting: str) -> Path:
    hint = f"{ENV} names it; {HOW_TO}"
    if not setting:
        raise PluginError(Diagnostic("KC0460", f"no RTL simulator is set: {ENV} is empty", hint=hint))
    path = Path(setting).expanduser().absolute()
    reason = None
    if not path.is_file():
        reason = "is not a file" if path.exists() else "does not exist"
    elif not os.access(path, os.R_OK | os.X_OK):
        reason = "cannot be read and executed"
    if reason is not None:
        raise PluginError(Diagnostic("KC0460", f"the RTL simulator {printable(str(path), 200)} {reason}", hint=hint))
    return path


@lru_cache(maxsize=8)
def _digest(path: Path, stamp: tuple[int, int]) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:DIGITS]


@frozen
class Rtl:
    """The back end `rtl`: `binary` is called once for each run, in a folder of its own."""

    isa: Isa
    machine: Machine
    binary: Path

    @property
    def build(self) -> str:
        """First digits of the SHA-256 of the binary: cycles of two builds do not belong into one ratio."""
        status = self.binary.stat()
        return _digest(self.binary, (status.st_mtime_ns, status.st_size))

    def run(
        self,
        program: Program,
        state: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        *,
        engine: str = "auto",
        fill: str = "zero",
        seed: int = 0,
        strict: bool = False,
        trace: bool = False,
        timing: str = "default",
    ) -> RunResult:
        """Return the outcome of a program on the RTL simulator.

        What the program finds in memory is what it finds on the core's simulator, the noise of `fill` included; reads of that
        are not reported. The final state has the memories, and those of `x`, `v` and `pc` that the simulator reports.

        Args:
            program: whose entry lies in the instruction memory.
            state: presets of memories and `pc`.
            limits: cycles (by default as many as instructions) and wall time; executed instructions where the simulator counts
                them, after the run.
            engine: `auto`.
            fill: `zero`, or `pattern`.
            seed: of the pattern.
            strict: False.
            trace: False.
            timing: `default`.

        Raises:
            SimulationError: KC0402, KC0403, KC0404 as on the core; KC0461 something is asked for that hardware cannot do;
                KC0462, KC0463, KC0464 the simulator fails.
            MachineError: KC051x a preset is wrong.
        """
        refused = {"engine": engine != "auto", "strict": strict, "trace": trace, "timing": timing != "default"}
        for option, given in refused.items():
            if given:
                raise _refuse(f"an RTL simulator has no option {option}")
        limits = limits if limits is not None else Limits()
        program, storage = prepare(self.isa, self.machine, program, state, limits, fill=fill, seed=seed)
        preset = [name for name in state or {} if name not in (*MEMORIES, "pc")]
        if preset:
            message = f"{', '.join(preset)} cannot be preset in an RTL simulator"
            raise _refuse(message, "let the program load it from memory")
        views = {name: MemoryView(storage[name]) for name in MEMORIES}
        if not ITCM <= program.entry < ITCM + len(views["itcm"]):
            raise _refuse(f"the entry {program.entry:#x} is outside itcm")
        report = self._call(_file(program, storage, views, fill), self._request(limits, storage), limits.wall_time)
        for name, data in report.memories.items():
            storage[name].preset(storage[name].base, np.frombuffer(data, np.uint8))
        final: dict[str, Any] = {n: view for n, view in views.items() if n == "itcm" or n in report.memories}
        final |= {name: np.array(rows, _DTYPES[name]) for name, rows in report.registers.items()}
        if report.pc is not None:
            final["pc"] = report.pc
        return _result(program, limits, report, final, self.machine.clock_ns)

    def _request(self, limits: Limits, storage: Storage) -> Request:
        """Return what is asked of the simulator: both data memories, and no more cycles than its option can say."""
        cycles = limits.instructions if limits.cycles is None else limits.cycles
        latencies = {key: self.machine.number(name) for key, name in LATENCIES.items()}
        wanted = tuple(Memory(name, storage[name].base, storage[name].size) for name in MEMORIES if name != "itcm")
        return Request(max(1, min(cycles, MAX_CYCLES)), latencies, wanted)

    def _call(self, program: bytes, request: Request, seconds: float | None) -> Report:
        """Return what the simulator reports about a program.

        Raises:
            SimulationError: KC0462, KC0463, KC0464.
        """
        with tempfile.TemporaryDirectory(prefix="kc-coral-rtl-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            path = folder / "program.elf"
            command = [str(self.binary), "--binary", str(path), "--cycles", str(request.cycles)]
            with tempfile.TemporaryFile() as log:
                try:
                    path.write_bytes(program)
                    (folder / "request.json").write_text(request.text(), encoding="utf-8")
                    process = subprocess.Popen(
                        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                    )
                except OSError as error:
                    message = f"the RTL simulator {printable(command[0], 200)} cannot be started: {error.strerror}"
                    hint = "is it built for this computer?"
                    raise SimulationError(Diagnostic("KC0462", message, hint=hint)) from None
                code = _wait(process, seconds)
                if code != 0:
                    raise _failed(code, log)
                report = read_report(folder, request)
                if report is None:
                    raise _failed(code, log)
                return report


def _file(program: Program, storage: Storage, views: Mapping[str, MemoryView], fill: str) -> bytes:
    """Return the executable: the whole of each memory, but not of external memory that nothing is in.

    That is 0, as the contract says. The public bench cannot load external memory at all, and can so run what does without.
    """
    parts = [name for name, view in views.items() if name != "external" or fill != "zero" or view.touched]
    segments = [elf.Segment(storage[name].base, np.asarray(views[name]).tobytes(), MEMORIES[name]) for name in parts]
    return elf.executable(program.entry, segments)


def _wait(process: subprocess.Popen[bytes], seconds: float | None) -> int:
    """Return the exit code of a simulator; negative: the signal that ended it.

    Raises:
        SimulationError: KC0464 it takes too long.
    """
    try:
        return process.wait(seconds)
    except BaseException as error:  # an interrupt as well: nothing that a wrapper started goes on
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        message = f"the RTL simulator was stopped after {seconds:g} s, the run's limit of wall time"
        hint = "this says nothing about the program: RTL is slow; allow more time, or fewer cycles"
        raise SimulationError(Diagnostic("KC0464", message, hint=hint)) from None


def _failed(code: int, log: IO[bytes]) -> SimulationError:
    """Return KC0462 with the last lines that the simulator printed."""
    reason = (
        f"was ended by signal {-code}" if code < 0 else f"ended with {code}" if code else "ended with 0 and no report"
    )
    log.seek(max(0, log.seek(0, os.SEEK_END) - TAIL))
    lines = log.read().decode("utf-8", "replace").splitlines()
    notes = tuple(printable(line, 160) for line in lines if line.strip())[-LINES:]
    return SimulationError(Diagnostic("KC0462", f"the RTL simulator {reason}", None, HOW_TO, notes))


def _result(
    program: Program, limits: Limits, report: Report, final: Mapping[str, Any], clock: float | None
) -> RunResult:
    """Return what a report means; the limits decide, whatever the simulator made of them."""
    where, place = (program.entry, "; the simulator does not say where") if report.pc is None else (report.pc, "")
    line, span = (None, None) if report.pc is None else (program.line_at(where), program.span_at(where))
    trap, stopped = None, None
    if report.status == LIMIT or (limits.cycles is not None and report.cycles > limits.cycles):
        stopped = LimitInfo("cycles", f"stopped after {report.cycles:,} cycles{place}", where, line)
    elif report.instructions > limits.instructions:
        stopped = LimitInfo("instructions", f"{report.instructions:,} were executed{place}", where, line)
    elif report.status == FAULT:
        reason = f"the core reports a fault, which ebreak raises{place}"
        trap = TrapInfo("breakpoint", reason, where, line, span=span)
    status = "limit" if stopped is not None else "trap" if trap is not None else "halted"
    latency = None if clock is None else report.cycles * clock
    return RunResult(status, report.cycles, report.instructions, latency, trap, stopped, _no_profile, final)


def _no_profile() -> Profile:
    return Profile([], {}, {}, {}, {})
