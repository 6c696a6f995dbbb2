"""What a run has spent, shared by all processes that work on it: `spent.jsonl` in the run folder.

Each process appends what it spends and reads what the others appended, so a limit of the run holds for all. The file follows
from the transcripts, which are what counts: it is made anew from them whenever a run starts or goes on.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from attrs import asdict, evolve

from kernelcraft_core.agent.limits import Budget, Limits, Spent
from kernelcraft_core.agent.protocol import Usage
from kernelcraft_core.agent.resume import charge_earlier
from kernelcraft_core.diagnostics import Diagnostic
from kernelcraft_core.results.files import write_whole
from kernelcraft_core.results.transcripts import TRANSCRIPTS

FILE = "spent.jsonl"
_COUNTS = ("iterations", "evaluations", "tokens", "output_tokens", "price", "unpriced")


def begin(run: Path) -> list[Diagnostic]:
    """Write what the transcripts of a run say was spent, and that the clock starts now; return what is damaged in them.

    Raises:
        OSError: the file cannot be written.
    """
    earlier = Budget(Limits())
    damaged = charge_earlier(earlier, sorted((run / TRANSCRIPTS).glob("*.jsonl")))
    entry = {name: value for name, value in asdict(earlier.spent).items() if name in _COUNTS}
    write_whole(run / FILE, _line({**entry, "started": time.time()}), lasting=False)
    return damaged


class RunBudget(Budget):
    """The budget of a run: what any process has charged counts. Its wall time runs from `begin`."""

    def __init__(self, run: Path, limits: Limits) -> None:
        """Use the file that `begin` has made; without one, nothing was spent and the clock starts with the first charge."""
        super().__init__(limits)
        self._path = Path(run) / FILE
        self._offset = 0
        self._inode = 0
        self._sum = Spent()
        self._since: float | None = None

    @property
    def spent(self) -> Spent:
        """What has been spent up to now by all processes."""
        with self._lock:
            self._read()
            elapsed = 0.0 if self._since is None else max(0.0, time.time() - self._since)
            return evolve(self._sum, wall_time=elapsed)

    def charge(self, usage: Usage | None = None, *, iterations: int = 0, evaluations: int = 0) -> None:
        """Add what was spent, for all processes to see."""
        one = Budget(Limits())
        one.charge(usage, iterations=iterations, evaluations=evaluations)
        entry = {name: value for name, value in asdict(one.spent).items() if name in _COUNTS and value}
        if not entry:
            return
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            os.write(descriptor, _line(entry))  # one short write to the end, which does not mix with others
        finally:
            os.close(descriptor)

    def _read(self) -> None:
        """Add what was appended since the last time; begin again when the file is another one."""
        try:
            with open(self._path, "rb") as stream:
                inode = os.fstat(stream.fileno()).st_ino
                if inode != self._inode:
                    self._inode, self._offset, self._sum, self._since = inode, 0, Spent(), None
                stream.seek(self._offset)
                data = stream.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            entry = json.loads(line)
            self._since = entry.pop("started", self._since)
            self._sum = evolve(self._sum, **{name: getattr(self._sum, name) + value for name, value in entry.items()})


def _line(entry: object) -> bytes:
    return (json.dumps(entry) + "\n").encode("ascii")
